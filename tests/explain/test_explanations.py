"""Every folder in fixtures/explanations is a claim: what `krm-fn explain` says of a package, in each form."""

import json
import re
import shutil
from functools import cache
from pathlib import Path

import pytest
from pytest_snapshot.plugin import Snapshot

from krm_fn.base.problem import Outcome
from krm_fn.base.reference import By
from krm_fn.cli.main import main
from krm_fn.core.decide.run import ReasonCode
from krm_fn.core.references.resolve import PassedOver
from krm_fn.guards.guards import GUARDS
from krm_fn.report.table import WIDTH, Screen, columns
from krm_fn.tools.explain.explain import write_explanation
from tests.cases import FIXTURES
from tests.explain.read_json import read_json
from tests.report.closed_schema import validator
from tests.texts import find_unsaid

EXPLANATIONS = sorted(path.parent for path in FIXTURES.glob("explanations/*/input.yaml"))
VALIDATOR = validator("explain-v1.json")

CANARY = re.compile("not-to-be-printed|bm90LXRvLWJl")
"""What every Secret in the fixtures holds, and how it begins in base64."""

NAMED_BY_CONTENT = re.compile("hhhhhhhhhh|4444444444")
"""The hashes in the names of Secrets in the fixtures."""

every_explanation = pytest.mark.parametrize("case", EXPLANATIONS, ids=lambda case: case.name)


def enter(case: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Go to a copy of a case: what is recorded, and the pages of this repository, name its objects."""
    copy = tmp_path / case.name
    shutil.copytree(case, copy, ignore=shutil.ignore_patterns("explanation.*", "stderr.txt"))
    monkeypatch.chdir(copy)


@pytest.fixture(autouse=True)
def _in_the_folder(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if "case" in request.fixturenames:
        enter(request.getfixturevalue("case"), tmp_path, monkeypatch)
    monkeypatch.setenv("COLUMNS", str(WIDTH))


@cache
def explain(case: Path, *options: str) -> Outcome:
    arguments = case / "arguments"
    more = arguments.read_text().split() if arguments.exists() else []
    return main(["explain", "input.yaml", *more, *options])


@every_explanation
def test_an_explanation_gives_the_recorded_text(case: Path, snapshot: Snapshot) -> None:
    snapshot.snapshot_dir = case
    outcome = explain(case)
    if (case / "explanation.txt").exists():
        snapshot.assert_match(outcome.stdout, "explanation.txt")
    if outcome.exit_code:
        snapshot.assert_match(outcome.stderr, "stderr.txt")
    assert bool(outcome.exit_code) == bool(outcome.stderr)
    for line in outcome.stdout.decode().splitlines():
        assert line.isprintable()
        assert columns(line) <= WIDTH or max(map(len, line.split(" "))) > WIDTH // 2, (
            "only a long word is not broken"
        )


def test_the_recorded_texts_have_all_words_that_json_has_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def write(case: Path) -> str:
        enter(case, tmp_path, monkeypatch)
        return explain(case).stdout.decode()

    assert find_unsaid(EXPLANATIONS, "explanation.txt", write) == {}


@every_explanation
def test_an_explanation_gives_the_recorded_json(case: Path, snapshot: Snapshot) -> None:
    snapshot.snapshot_dir = case
    outcome = explain(case, "-ojson")
    snapshot.assert_match(outcome.stdout, "explanation.json")
    assert outcome.exit_code == explain(case).exit_code


@every_explanation
def test_json_has_all_that_the_text_says(case: Path) -> None:
    written = explain(case, "-ojson").stdout
    if written:
        VALIDATOR.validate(json.loads(written))
        assert written.isascii()
        assert (
            write_explanation(read_json(json.loads(written)), Screen())
            == explain(case).stdout.decode()
        )


@every_explanation
def test_nothing_of_a_secret_is_printed(case: Path) -> None:
    printed = [explain(case, *options) for options in ([], ["-ojson"])]
    for text in (text for outcome in printed for text in (outcome.stdout.decode(), outcome.stderr)):
        assert not CANARY.search(text)
        assert not NAMED_BY_CONTENT.search(text)


def test_every_kind_of_reason_is_in_a_fixture() -> None:
    objects = [
        one
        for case in EXPLANATIONS
        for text in [(case / "explanation.json").read_text()]
        for one in json.loads(text or '{"objects": []}')["objects"]
    ]
    grounds = {one["reason"]["ground"] for one in objects}
    assert grounds == {*ReasonCode, *(row.code for row in GUARDS)}
    assert {reference["foundBy"]["by"] for one in objects for reference in one["references"]} == {
        *By
    }
    reasons = {unfollowed["reason"] for one in objects for unfollowed in one["notFollowed"]}
    assert reasons == {
        *PassedOver,
        "older",
        "misspelled",
        "absent",
        "lookalike",
        "option",
        "field",
        "text",
    }


def test_there_are_fixtures() -> None:
    assert len(EXPLANATIONS) > 20
    assert (
        sum("not-to-be-printed" in (case / "input.yaml").read_text() for case in EXPLANATIONS) > 3
    )
