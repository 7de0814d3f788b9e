"""What krm-fn shows of the messages of the real kustomize, kubectl and helm: what is wrong and where, and no value.

Each package of `tests/data/failing_packages.yaml` fails, or is warned about, and holds a value that nothing may print.
"""

import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from krm_fn.base.problem import Outcome
from krm_fn.cli.main import main
from tests.render.run import write

Tools = Callable[[str], Path]

PLANTED = "not-to-be-printed"
PACKAGES = yaml.safe_load((Path(__file__).parent.parent / "data/failing_packages.yaml").read_text())
_DATE = re.compile(r"\d{4}/\d\d/\d\d \d\d:\d\d:\d\d")
_EVERY = 20

DOORS = [
    pytest.param(["render", "--check", "--deployed", "deployed.yaml", "shop"], id="render --check"),
    pytest.param(["explain", "shop"], id="explain"),
    pytest.param(["graph", "shop"], id="graph"),
    pytest.param(["diff", "deployed.yaml", "shop"], id="diff"),
    pytest.param(["verify", "--config", "krm-fn.yaml", "shop"], id="verify"),
]


@pytest.fixture
def folder(require_tool: Tools, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "bin").mkdir()
    for tool in ("kustomize", "helm"):
        (tmp_path / "bin" / tool).symlink_to(require_tool(tool))
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}")
    (tmp_path / "a b").mkdir()  # a checkout with a blank in its path
    monkeypatch.chdir(tmp_path / "a b")
    return tmp_path / "a b"


def told(outcome: Outcome, folder: Path) -> str:
    stderr = outcome.stderr.replace(str(folder), "DIR").replace(str(folder.parent), "ABOVE")
    return _DATE.sub("DATE", stderr).strip()


@pytest.mark.rows(submission=80)
@pytest.mark.parametrize(
    "package", PACKAGES, ids=[f"{one['of']}: {one['when']}" for one in PACKAGES]
)
def test_a_message_is_shown_without_the_value(package: dict[str, str], folder: Path) -> None:
    write(folder / "shop", package["files"])  # type: ignore[arg-type]  # a mapping of its own
    outcome = main(["render", "--quiet", *package.get("options", ()), "shop"])
    assert told(outcome, folder) == package["says"]
    assert PLANTED not in outcome.stderr


@pytest.mark.parametrize("arguments", DOORS)
def test_no_command_shows_it(arguments: list[str], folder: Path) -> None:
    config = "apiVersion: revisions.krm-fn.io/v1\nkind: ConfigRevisions\nmetadata: {name: web}\n"
    write(
        folder, {"deployed.yaml": "apiVersion: v1\nkind: List\nitems: []\n", "krm-fn.yaml": config}
    )
    failing = [package for package in PACKAGES if package["says"].startswith("error")]
    for number, package in enumerate(failing[::_EVERY]):
        write(folder / str(number), package["files"])
        outcome = main([*arguments[:-1], str(number)])
        assert outcome.exit_code
        assert outcome.stderr.startswith("error")
        assert PLANTED not in outcome.stdout.decode() + outcome.stderr


def test_everything_is_shown_to_those_who_ask(folder: Path) -> None:
    write(
        folder,
        {"shop/kustomization.yaml": f"secretGenerator: [{{name: db, literals: [{PLANTED}]}}]\n"},
    )
    first, second, third = main(["render", "--verbose", "shop"]).stderr.splitlines()
    assert (
        first
        == "warning: shop: kustomize build: all that it says follows, and may show values of Secrets"
    )
    assert PLANTED in second
    assert (
        third
        == "error: shop: kustomize build exited with code 1: Error: loading KV pairs: literal sources..."
    )
