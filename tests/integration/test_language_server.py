"""What an editor shows of a configuration, by the YAML language server and the schema on the site."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.integration.language_server import LanguageServer, language_server
from tests.integration.site import ROOT, serve
from tests.tools.require import require_node_packages

SCHEMA = ROOT / "schemas/configrevisions-revisions.krm-fn.io-v1.json"
ID = json.loads(SCHEMA.read_text())["$id"]
HOME = "https://krm-fn.io/"
EXAMPLES = sorted((ROOT / "examples").glob("*/krm-fn.yaml"))

START = f"""\
# yaml-language-server: $schema={ID}
apiVersion: revisions.krm-fn.io/v1
kind: ConfigRevisions
metadata:
  name: shop
spec:
"""


@pytest.fixture(scope="module")
def url(site: Path) -> Iterator[str]:
    """Serve the site, in the place of its real address."""
    with serve(site) as url:
        yield url


@pytest.fixture(scope="module")
def server() -> Iterator[LanguageServer]:
    with language_server(require_node_packages("editor")) as server:
        yield server


@pytest.fixture
def editor(server: LanguageServer, url: str) -> "Editor":
    return Editor(server, url)


class Editor:
    """An editor with one document."""

    number = 0

    def __init__(self, server: LanguageServer, url: str) -> None:
        self._server = server
        self._url = url
        Editor.number += 1
        self._uri = f"file:///krm-fn-{Editor.number}.yaml"
        self._text = ""

    def open(self, text: str) -> list[str]:
        assert text.startswith(f"# yaml-language-server: $schema={ID}\n")
        self._text = text.replace(HOME, self._url)
        return self._server.open(self._uri, self._text)

    def complete(self) -> dict[str, str]:
        """Return what is offered at the end of the text."""
        lines = self._text.split("\n")
        return self._server.complete(self._uri, len(lines), len(lines[-1]) + 1)

    def hover(self, word: str) -> str:
        before = self._text.partition(word)[0].split("\n")
        return self._server.hover(self._uri, len(before), len(before[-1]) + 2)


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.parent.name)
def test_nothing_is_wrong_in_an_example(editor: Editor, example: Path) -> None:
    assert editor.open(example.read_text()) == []


def test_it_completes_every_field(editor: Editor) -> None:
    editor.open(f"{START}  ")
    fields = json.loads(SCHEMA.read_text())["properties"]["spec"]["properties"]
    offered = editor.complete()
    assert {*offered} >= {*fields}
    assert offered["deployers"].startswith("Your deployers: ")


def test_it_completes_a_field_of_the_linker(editor: Editor) -> None:
    editor.open(f"{START}  linker:\n    ima")
    assert "Image of the linker." in editor.complete()["image"]


def test_it_completes_a_value(editor: Editor) -> None:
    editor.open(f"{START}  strategy: ")
    assert {"rename", "adopt", "checksum", "ignore"} <= {*editor.complete()}


def test_it_shows_what_a_field_means_and_an_example(editor: Editor) -> None:
    editor.open(f"{START}  linker:\n    minimumAgeSeconds: 600\n")
    shown = editor.hover("minimumAgeSeconds")
    assert "Minimum age, in seconds, before an unreferenced revision is deleted" in shown
    assert "3600" in shown


WRONG = {
    "  strategy: renam\n": "rename",
    "  deployer: [argocd]\n": "deployer",
    "  linker: {timeoutSeconds: soon}\n": "integer",
    "  kinds: [Deployment]\n": "ConfigMap",
}
"""What is wrong, and a word of what the editor says of it."""


@pytest.mark.parametrize("wrong", WRONG)
def test_it_marks_what_is_wrong(editor: Editor, wrong: str) -> None:
    (found,) = editor.open(f"{START}{wrong}")
    assert found.startswith("7: ")
    assert WRONG[wrong] in found
