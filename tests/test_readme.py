"""Check the claims of README.md."""

import re
from pathlib import Path

import pytest

from krm_fn.cli.main import main
from krm_fn.render.render import render
from krm_fn.render.sources import Inputs
from krm_fn.render.tools import HelmOptions
from tests.config_table import config_table

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text()
TESTS_NAMED = re.findall(
    r"`((?:tests/\S+?)?(?:::\w+)?)`", README.partition("## Guarantees")[2].partition("## Limits")[0]
)


def test_the_configuration_table_is_made_from_the_schema() -> None:
    table = README.partition("a test compares -->\n")[2].partition("<!-- /table -->")[0]
    assert table == config_table()


def test_the_example_is_what_is_rendered() -> None:
    files = tuple(str(ROOT / "examples/canary" / name) for name in ("web.yaml", "config.yaml"))
    rendered = render(Inputs(files, str(ROOT / "examples/canary/krm-fn.yaml")), HelmOptions()).stdout.decode()
    after = [line[43:] for line in README.splitlines() if len(line) > 43 and line[:43].rstrip() != line.rstrip()]
    told = [line.strip() for line in after if re.match(r" *(name|revisions\S+|argocd\S+|immutable|LOG_LEVEL): ", line)]
    assert told
    for line in told:
        assert line.replace("all of it", "the whole of it") in rendered


def test_the_difference_is_what_is_printed(tmp_path: Path) -> None:
    for side, edits in (("old", {}), ("new", {"info": "debug", "steps: 3": "steps: 1", "api:1.0": "api:1.1"})):
        (tmp_path / side).mkdir()
        for name in ("krm-fn.yaml", "config.yaml", "web.yaml", "api.yaml", "report.yaml"):
            text = (ROOT / "examples/canary" / name).read_text()
            for before, after in edits.items():
                text = text.replace(before, after)
            (tmp_path / side / name).write_text(text)
    outcome = main(["diff", str(tmp_path / "old"), str(tmp_path / "new")])
    (shown,) = re.findall(r"^\$ krm-fn diff .*\n([^`]+)^```$", README, re.MULTILINE)
    assert (outcome.stdout.decode(), outcome.stderr) == (shown, "")


def test_the_example_of_history_is_its_fixture() -> None:
    assert (ROOT / "fixtures/histories/a-paused-canary/output.txt").read_text() in README


@pytest.mark.parametrize("named", sorted({name for name in TESTS_NAMED if name}))
def test_each_guarantee_names_a_test_that_is_there(named: str) -> None:
    file, _, function = named.partition("::")
    assert (ROOT / (file or "tests/test_properties.py")).exists()
    if function:
        assert f"def {function}(" in (ROOT / (file or "tests/test_properties.py")).read_text()
