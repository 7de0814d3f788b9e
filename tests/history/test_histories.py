"""Every folder in fixtures/histories is a claim: what `krm-fn history` says of a namespace."""

from pathlib import Path

import pytest
from pytest_snapshot.plugin import Snapshot

from krm_fn.history.write import Form, write
from krm_fn.look.table import Screen
from tests.history.cases import HISTORIES, read_history

FILES = {
    Form.TEXT: "output.txt",
    Form.DETAIL: "detail.txt",
    Form.WIDE: "wide.txt",
    Form.MARKDOWN: "output.md",
    Form.JSON: "output.json",
}


@pytest.mark.parametrize("form", FILES)
@pytest.mark.parametrize("case", HISTORIES, ids=lambda case: case.name)
def test_a_history_is_written_as_recorded(case: Path, form: Form, snapshot: Snapshot) -> None:
    """The clock is at noon on 1 June 2026."""
    snapshot.snapshot_dir = case
    snapshot.assert_match(write(read_history(case), form, Screen()).encode(), FILES[form])


def test_there_are_fixtures() -> None:
    assert len(HISTORIES) >= 25
