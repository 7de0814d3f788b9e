"""The pages in docs/ name tests, variables, deployers and headings that exist, and show what the commands print."""

import json
import re
import subprocess
from pathlib import Path

import pytest

from krm_fn.base.kind import DEPLOYERS
from krm_fn.base.producer import RENAMABLE
from krm_fn.cli.main import krm_fn as group
from krm_fn.cli.main import main
from krm_fn.core.config.build import PINNABLE
from krm_fn.core.references.field_rows import read_chart_values
from tests.pages import config_page, deployer_lists, reference_page

ROOT = Path(__file__).parents[2]
PAGES = {
    str(path.relative_to(ROOT)): path.read_text() for path in sorted((ROOT / "docs").rglob("*.md"))
}
FILE = re.compile(
    r"`((?:tests|examples|fixtures|schemas|docs|benchmarks)/[^`:\s<>*]*)(?:::(\w+))?`"
)
"""A file of the repository, and a function in it."""

_BY_NAME = re.compile(r"(?:pipx?|uvx|tool) (?:(?:install|run|-\S+) )*['\"]?krm-fn(?=[\[='\" \n])")
"""A command that gets the package from an index, where nobody has published it."""

WORDS_OF_A_PAGE = 2_500
WORDS_IN_ALL = 84_000
"""Of all pages without the decisions, README.md and docs/messages.yaml. Raise it only for what users asked for."""

NAMED = sorted({(page, path) for page, text in PAGES.items() for path, _ in FILE.findall(text)})
TITLES = {one.name: name for name, one in DEPLOYERS.items()}
"""What docs/deployers.md calls the values of `spec.deployers`."""


@pytest.mark.parametrize(("page", "path"), NAMED)
def test_what_a_page_names_is_there(page: str, path: str) -> None:
    assert (ROOT / path).exists() or [*(ROOT / "docs").glob(f"{path.removeprefix('docs/')}*")], page


def test_no_page_is_too_long_to_be_read() -> None:
    """The fields of the configuration are written from the schema, and looked up one by one."""
    long = {name: words for name, words in _words().items() if words > WORDS_OF_A_PAGE}
    long.pop("docs/configuration.md", None)
    assert long == {}


def test_all_pages_together_are_not_too_long() -> None:
    others = [(ROOT / name).read_text() for name in ("README.md", "docs/messages.yaml")]
    words = sum(_words().values()) + sum(len(text.split()) for text in others)
    assert words <= WORDS_IN_ALL


def _words() -> dict[str, int]:
    """Return how many words each page has that is no decision."""
    return {
        name: len(text.split())
        for name, text in PAGES.items()
        if not name.startswith("docs/decisions/")
    }


def test_nothing_installs_krm_fn_by_a_name_that_anybody_may_register() -> None:
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout
    files = [
        ROOT / name
        for name in listed.split("\0")
        if name and not name.startswith(("fixtures/", "locks/"))
    ]
    assert len(files) > 500
    for file in files:
        if file.is_file() and file != Path(__file__):
            assert not _BY_NAME.findall(file.read_bytes().decode(errors="replace")), file


def test_each_guarantee_names_a_test_that_is_there() -> None:
    functions = [(file, name) for file, name in FILE.findall(PAGES["docs/guarantees.md"]) if name]
    assert len(functions) > 5
    for file, name in functions:
        assert f"def {name}(" in (ROOT / file).read_text(), file


def test_the_threat_model_lists_every_pin() -> None:
    listed = re.findall(
        r"^\| `(KRM_FN_\w+)` \| `spec\.linker\.(\w+)`", PAGES["docs/threat-model.md"], re.MULTILINE
    )
    assert dict(listed) == {
        name: field.name for name, field in PINNABLE.items() if name.startswith("KRM_FN_")
    }


def test_every_deployer_has_a_row_and_a_page() -> None:
    page = PAGES["docs/deployers.md"]
    table = page.partition("## What is kept")[2].partition("\n## ")[0]
    assert re.findall(r"^\| (\w[\w ]*?) \|", table, re.MULTILINE) == ["Deployer", *TITLES]
    titles = {
        text.partition("\n")[0]
        for name, text in PAGES.items()
        if name.startswith("docs/deployers/")
    }
    assert {f"# {title}" for title in TITLES} <= titles


@pytest.mark.parametrize("one", [*deployer_lists.find_lists()], ids=lambda one: one.pattern[:40])
def test_every_list_of_deployers_is_made_from_the_facts(one: deployer_lists.Replaced) -> None:
    assert (ROOT / one.file).read_text() == one.apply()


def test_the_schema_says_what_each_deployer_keeps() -> None:
    schema = json.loads(config_page.SCHEMA.read_text())
    items = schema["properties"]["spec"]["properties"]["deployers"]["items"]
    sentences = items["enumDescriptions"]
    assert [sentence.partition(". ")[0] for sentence in sentences] == [*TITLES]


@pytest.mark.parametrize("page", [name for name in PAGES if name.startswith("docs/deployers/")])
def test_every_deployer_says_what_its_diff_shows(page: str) -> None:
    assert "\n## What its diff shows\n" in PAGES[page]


def test_the_fields_of_the_configuration_are_made_from_the_schema() -> None:
    assert PAGES["docs/configuration.md"] == config_page.page()


MADE = reference_page.pages()


@pytest.mark.parametrize("page", MADE)
def test_the_options_of_a_page_are_made_from_the_help(page: str) -> None:
    assert PAGES[page] == MADE[page]


def test_each_page_of_a_command_has_its_options() -> None:
    assert {name for name in PAGES if name.startswith("docs/commands")} == MADE.keys()


def test_the_pages_have_every_command_and_every_option() -> None:
    sections = {
        name: text
        for page in MADE
        for name, text in re.findall(
            r"^## Options of (krm-fn .*)\n((?:(?!## ).*\n)*)", PAGES[page], re.MULTILINE
        )
    }
    for name, command in group.commands.items():
        section = sections[f"krm-fn {name}"]
        if "(render.md#options-of-krm-fn-render)" in section:
            section += sections["krm-fn render"]
        for parameter in command.params:
            assert all(
                f"`{one}" in section or f", {one}" in section
                for one in parameter.opts
                if one.startswith("--")
            ), name


@pytest.mark.parametrize("name", ["kustomization.yaml", "plugin.yaml", "sidecar.yaml"])
def test_the_page_of_argo_cd_has_the_files_of_the_plugin(name: str) -> None:
    file = (ROOT / "examples/argocd-plugin" / name).read_text()
    assert f"`krm-fn/{name}`:\n\n```yaml\n{file}```\n" in PAGES["docs/deployers/argo-cd.md"]


def test_the_difference_is_what_is_printed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    for side, edits in (
        ("old", {}),
        ("new", {"info": "debug", "steps: 3": "steps: 1", "api:1.0": "api:1.1"}),
    ):
        (tmp_path / side).mkdir()
        for name in ("krm-fn.yaml", "config.yaml", "web.yaml", "api.yaml", "report.yaml"):
            text = (ROOT / "examples/canary" / name).read_text()
            for before, after in edits.items():
                text = text.replace(before, after)
            (tmp_path / side / name).write_text(text)
    outcome = main(["diff", str(tmp_path / "old"), str(tmp_path / "new")])
    (shown,) = re.findall(
        r"^\$ krm-fn diff .* examples/canary\n([^`]+)^```$",
        PAGES["docs/commands/diff.md"],
        re.MULTILINE,
    )
    assert (outcome.stdout.decode(), outcome.stderr) == (shown, "")


def test_the_explanation_is_what_is_printed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "shop").mkdir()
    for name in ("krm-fn.yaml", "config.yaml", "web.yaml", "api.yaml"):
        text = (ROOT / "examples/canary" / name).read_text()
        image = "        image: registry.example/api:1.0\n"
        (tmp_path / "shop" / name).write_text(
            text.replace(image, f"{image}        args: [--config-map=web-config]\n")
        )
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    page = PAGES["docs/commands/explain.md"]
    (command, shown) = re.findall(r"^\$ krm-fn (explain .*)\n([^`]+)^```$", page, re.MULTILINE)[0]
    outcome = main(command.split())
    assert (outcome.stdout.decode(), outcome.stderr) == (shown, "")


def test_the_example_of_history_is_its_fixture() -> None:
    assert (ROOT / "fixtures/histories/a-paused-canary/output.txt").read_text() in PAGES[
        "docs/commands/history.md"
    ]


def test_the_example_of_a_fleet_is_its_fixture() -> None:
    fleet = (ROOT / "fixtures/fleets/a-canary-in-one-of-four-clusters/fleet.txt").read_text()
    assert fleet in PAGES["docs/commands/history.md"]


def test_every_kind_that_makes_secrets_is_listed() -> None:
    rows = re.findall(r"^\| `(\w+)` \(`([\w.-]+)`\)", PAGES["docs/secrets.md"], re.MULTILINE)
    assert {(group, kind) for kind, group in rows} == RENAMABLE.keys()


def test_every_chart_whose_values_are_known_is_listed() -> None:
    listed = re.findall(
        r"^\| `([\w-]+)`(?: \([\w ]+\))? \|",
        PAGES["docs/helmrelease-and-application.md"],
        re.MULTILINE,
    )
    assert listed == sorted({chart for row in read_chart_values() for chart in row.charts})
