"""Every folder in fixtures/diffs is a claim: what `krm-fn diff` says of two renderings, in each form."""

import json
import re
from functools import cache
from pathlib import Path

import pytest
from pytest_snapshot.plugin import Snapshot

from krm_fn.base.problem import Outcome
from krm_fn.cli.main import main
from krm_fn.report.table import WIDTH, Screen, columns
from krm_fn.tools.diff.write_difference import write_text
from tests.cases import FIXTURES
from tests.diff.markdown import TAGS, TYPES, read_markdown
from tests.diff.read_json import read_json
from tests.report.closed_schema import validator
from tests.texts import find_unsaid

DIFFS = sorted(path.parent for path in FIXTURES.glob("diffs/*/old.yaml"))
VALIDATOR = validator("diff-v1.json")

CANARY = re.compile("not-to-be-printed|bm90LXRvLWJl")
"""What every Secret in the fixtures holds, and how it begins in base64."""

every_diff = pytest.mark.parametrize("case", DIFFS, ids=lambda case: case.name)


@pytest.fixture(autouse=True)
def _in_the_folder(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if "case" in request.fixturenames:
        monkeypatch.chdir(request.getfixturevalue("case"))
    monkeypatch.setenv("COLUMNS", str(WIDTH))


def diff(*options: str) -> Outcome:
    return _diff_in(Path.cwd(), options)


@cache
def _diff_in(_folder: Path, options: tuple[str, ...]) -> Outcome:
    return main(["diff", "--exit-code", *options, "old.yaml", "new.yaml"])


@every_diff
def test_a_diff_gives_the_recorded_text(case: Path, snapshot: Snapshot) -> None:
    snapshot.snapshot_dir = case
    outcome = diff()
    if (case / "diff.txt").exists():
        snapshot.assert_match(outcome.stdout, "diff.txt")
    text = outcome.stdout.decode()
    assert (outcome.stderr, outcome.exit_code) == ("", int(not text.startswith("no difference")))
    assert all(line.isprintable() and columns(line) <= WIDTH for line in text.splitlines())
    assert text.endswith("\n")


@every_diff
def test_a_diff_gives_the_recorded_markdown(case: Path, snapshot: Snapshot) -> None:
    """Nothing in it is more than text."""
    snapshot.snapshot_dir = case
    outcome = diff("-omarkdown")
    if (case / "diff.md").exists():
        snapshot.assert_match(outcome.stdout, "diff.md")
    seen = read_markdown(outcome.stdout.decode())
    assert seen.types <= TYPES
    assert seen.tags <= TAGS
    assert not seen.unclosed


@pytest.mark.parametrize(("file", "options"), [("diff.txt", []), ("diff.md", ["-omarkdown"])])
def test_the_recorded_texts_have_all_words_that_json_has_not(
    file: str, options: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def write(case: Path) -> str:
        monkeypatch.chdir(case)
        return diff(*options).stdout.decode()

    assert find_unsaid(DIFFS, file, write) == {}


@every_diff
def test_a_diff_gives_the_recorded_json(case: Path, snapshot: Snapshot) -> None:
    snapshot.snapshot_dir = case
    outcome = diff("-ojson")
    snapshot.assert_match(outcome.stdout, "diff.json")
    VALIDATOR.validate(json.loads(outcome.stdout))


@every_diff
def test_json_has_all_that_the_text_says(case: Path) -> None:
    assert (
        write_text(read_json(json.loads(diff("-ojson").stdout)), Screen()) == diff().stdout.decode()
    ), case


@every_diff
def test_no_value_of_a_secret_is_printed(case: Path) -> None:
    printed = [diff(*options).stdout.decode() for options in ([], ["-omarkdown"], ["-ojson"])]
    assert not any(map(CANARY.search, printed)), case


@pytest.mark.rows(test=15)
@every_diff
def test_the_other_way_round_has_as_many_changes(case: Path) -> None:
    there = json.loads(diff("-ojson").stdout)
    back = json.loads(main(["diff", "-ojson", "new.yaml", "old.yaml"]).stdout)
    for what in ("revisions", "objects"):
        assert len(there[what]) == len(back[what]), case


def test_there_are_fixtures() -> None:
    assert len(DIFFS) > 30
    assert sum("not-to-be-printed" in (case / "new.yaml").read_text() for case in DIFFS) > 3
