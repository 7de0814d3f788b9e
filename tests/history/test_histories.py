"""Every folder in fixtures/histories is a claim: what `krm-fn history` says of a namespace."""

from pathlib import Path

import pytest
from pytest_snapshot.plugin import Snapshot

from krm_fn.history.write import HistoryFormat, write
from krm_fn.report.table import Screen
from tests.history.cases import HISTORIES, read_history

FILES = {
    HistoryFormat.TEXT: "output.txt",
    HistoryFormat.DETAIL: "detail.txt",
    HistoryFormat.WIDE: "wide.txt",
    HistoryFormat.MARKDOWN: "output.md",
    HistoryFormat.JSON: "output.json",
}


@pytest.mark.parametrize("form", FILES)
@pytest.mark.parametrize("case", HISTORIES, ids=lambda case: case.name)
def test_a_history_is_written_as_recorded(case: Path, form: HistoryFormat, snapshot: Snapshot) -> None:
    """The clock is at noon on 1 June 2026."""
    snapshot.snapshot_dir = case
    snapshot.assert_match(write(read_history(case), form, Screen()).encode(), FILES[form])


def test_there_are_fixtures() -> None:
    assert len(HISTORIES) >= 25
