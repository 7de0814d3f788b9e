"""Every folder in fixtures/verifications is a claim: what `krm-fn verify` says of an input."""

from pathlib import Path

import pytest
from pytest_snapshot.plugin import Snapshot

from krm_fn.cli import options
from krm_fn.cli.main import main
from tests.patched import apply
from tests.verify.cases import VERIFICATIONS, read_input


@pytest.mark.parametrize("case", VERIFICATIONS, ids=lambda case: case.name)
def test_a_verification_gives_the_recorded_lines(
    case: Path, snapshot: Snapshot, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = read_input(case)
    monkeypatch.setattr(options, "read_stdin", lambda *_: data)
    outcome = main(["verify", *(case / "arguments").read_text().split()])
    snapshot.snapshot_dir = case
    snapshot.assert_match(outcome.stderr.encode(), "stderr.txt")
    assert outcome.exit_code == ("error: " in outcome.stderr)
    if b"kind: ResourceList\n" in data:
        assert outcome.stdout.startswith(data)
        if results := outcome.stdout.removeprefix(data):
            snapshot.assert_match(results, "results.yaml")
        else:
            assert not (case / "results.yaml").exists()
    else:
        assert outcome.stdout == b""
    assert "not-to-be-printed" not in outcome.stderr


def test_there_are_fixtures() -> None:
    assert len(VERIFICATIONS) > 20


PATCH = """\
@@ -1,3 +1,3 @@
 a
-b
+B
 c
@@ -6,2 +6,3 @@
 f
+F
 g
"""


def test_a_patch_is_applied_where_it_fits() -> None:
    lines = PATCH.splitlines(keepends=True)
    assert apply("a\nb\nc\nd\ne\nf\ng\nh\n", lines) == "a\nB\nc\nd\ne\nf\nF\ng\nh\n"
    for other in ("a\nx\nc\nd\ne\nf\ng\nh\n", "a\nb\nc\nd\nf\ng\nh\n"):
        with pytest.raises(AssertionError, match=r"line [26] is"):
            apply(other, lines)
