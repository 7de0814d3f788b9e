"""Every folder in fixtures/ is a claim. Each is compared byte for byte."""

from difflib import unified_diff
from pathlib import Path

import pytest
from pytest_snapshot.plugin import Snapshot

from krm_fn.function import run
from tests.cases import ENVIRONMENT, FIXTURES, MIGRATION_STEPS, REJECTIONS, TRANSFORMS
from tests.recorded import as_recorded, outcome_of


@pytest.mark.parametrize(
    "case", [*TRANSFORMS, *MIGRATION_STEPS], ids=lambda case: f"{case.parent.name}/{case.name}"
)
def test_a_transform_gives_the_recorded_bytes(case: Path, snapshot: Snapshot) -> None:
    outcome = outcome_of(case)
    assert outcome.exit_code == 0, outcome.stderr
    snapshot.snapshot_dir = case
    file, found = case / "output.yaml", as_recorded(case, outcome.stdout)
    try:
        snapshot.assert_match(found, file.name)
    except AssertionError:
        if file.exists():
            pytest.fail(explain(file.read_bytes(), found, case), pytrace=False)
        raise
    snapshot.assert_match(outcome.stderr.encode(), "stderr.txt")


def explain(recorded: bytes, found: bytes, case: Path) -> str:
    """Return what differs, and how to see what a comment stands for."""
    name = case.relative_to(FIXTURES.parent).as_posix()
    before, after = (text.decode(errors="replace").splitlines() for text in (recorded, found))
    lines = unified_diff(before, after, f"{name}/output.yaml", "the output now", lineterm="")
    command = f"KRM_FN_IMAGE={ENVIRONMENT.image} python -m krm_fn < {name}/input.yaml"
    return "\n".join([*lines, f"the whole output: {command}"])


@pytest.mark.parametrize("case", REJECTIONS, ids=lambda case: case.name)
def test_a_rejection_gives_the_recorded_message(case: Path, snapshot: Snapshot) -> None:
    """What can be read comes back byte for byte, and new results follow.

    Of what cannot be read, nothing does.
    """
    given = (case / "input.yaml").read_bytes()
    outcome = run(given, environment=ENVIRONMENT)
    assert (outcome.exit_code, outcome.summary) == (1, "")
    assert outcome.stderr.startswith("error: ")
    snapshot.snapshot_dir = case
    snapshot.assert_match(outcome.stderr.encode(), "stderr.txt")
    if outcome.stdout:
        assert outcome.stdout.startswith(given)
        snapshot.assert_match(outcome.stdout.removeprefix(given), "results.yaml")
    else:
        assert not (case / "results.yaml").exists()


def test_there_are_fixtures() -> None:
    assert len(TRANSFORMS) >= 60
    assert len(REJECTIONS) >= 30
