"""Every folder in fixtures/verifications is a claim: what `krm-fn verify` says of an input."""

from pathlib import Path

import pytest
from pytest_snapshot.plugin import Snapshot

from krm_fn.cli import options
from krm_fn.cli.main import main
from tests.cases import FIXTURES

VERIFICATIONS = sorted(path.parent for path in FIXTURES.glob("verifications/*/input.yaml"))


@pytest.mark.parametrize("case", VERIFICATIONS, ids=lambda case: case.name)
def test_a_verification_gives_the_recorded_lines(
    case: Path, snapshot: Snapshot, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = (case / "input.yaml").read_bytes()
    monkeypatch.setattr(options, "read_stdin", lambda *_: data)
    outcome = main(["verify", *(case / "arguments").read_text().split()])
    snapshot.snapshot_dir = case
    snapshot.assert_match(outcome.stderr.encode(), "stderr.txt")
    assert outcome.exit_code == ("error: " in outcome.stderr)
    if b"kind: ResourceList\n" in data:
        snapshot.assert_match(outcome.stdout, "output.yaml")
    else:
        assert outcome.stdout == b""
    assert "not-to-be-printed" not in outcome.stderr


def test_there_are_fixtures() -> None:
    assert len(VERIFICATIONS) > 20
