"""Every folder in fixtures/histories is a claim: what `krm-fn history` says of a namespace."""

from pathlib import Path

import pytest
from pytest_snapshot.plugin import Snapshot

from krm_fn.report.table import Screen
from krm_fn.tools.common.revision_history import Retention
from krm_fn.tools.history.find_history import find_history
from krm_fn.tools.history.history import HistoryFormat, write_history
from krm_fn.tools.history.snapshot import read_snapshot
from tests.history.cases import HISTORIES, read_history
from tests.history.fake_source import FakeSource
from tests.linker.former_set import COPIED, KEY, LOGIN, renamed_set
from tests.linker.manifests import A, B, C, inventory, pods, revision, workload
from tests.linker.object_store import ObjectStore
from tests.texts import find_unsaid

FILES = {
    HistoryFormat.TEXT: "output.txt",
    HistoryFormat.DETAIL: "detail.txt",
    HistoryFormat.WIDE: "wide.txt",
    HistoryFormat.JSON: "output.json",
}


def write(case: Path, form: HistoryFormat) -> str:
    return write_history(read_history(case), form, Screen())


@pytest.mark.parametrize("case", HISTORIES, ids=lambda case: case.name)
def test_a_history_is_written_as_recorded(case: Path, snapshot: Snapshot) -> None:
    """The clock is at noon on 1 June 2026.

    `test_markdown.py` compares the Markdown with the text.
    """
    snapshot.snapshot_dir = case
    for form, file in FILES.items():
        if form is HistoryFormat.JSON or (case / file).exists():
            snapshot.assert_match(write(case, form).encode(), file)


@pytest.mark.parametrize("form", [form for form in FILES if form is not HistoryFormat.JSON])
def test_the_recorded_texts_have_all_words_that_json_has_not(form: HistoryFormat) -> None:
    assert find_unsaid(HISTORIES, FILES[form], lambda case: write(case, form)) == {}


def test_there_are_fixtures() -> None:
    assert len(HISTORIES) >= 25


def test_what_a_former_set_has_left_is_in_the_history_of_its_successor() -> None:
    history = find_history(read_snapshot(FakeSource(renamed_set()), "web"))
    (found,) = history.sets
    assert {entry.name: entry.fate for entry in found.entries} == {
        A: Retention.HISTORY,
        B: Retention.RENDERED,
        C: Retention.NEXT_RUN,
        COPIED: Retention.RETAINED,
        LOGIN: Retention.NEXT_RUN,
        KEY: Retention.LEAK,
    }
    alive = read_snapshot(FakeSource(renamed_set(is_former_alive=True)), None)
    assert [one.plan.set for one in alive.sets] == ["shop", "web"]


@pytest.mark.parametrize(
    ("number", "expected"),
    [
        pytest.param(6, [f"CronJob/job-{one}" for one in range(6)], id="each by its name"),
        pytest.param(7, ["CronJobs"], id="one more: counted"),
    ],
)
def test_who_references_a_revision_is_named_where_they_are_few(
    number: int, expected: list[str]
) -> None:
    jobs = [workload("CronJob", f"job-{one}", {}) for one in range(number)]
    for one in jobs:
        one["spec"] = {"jobTemplate": {"spec": {"template": pods(A)}}}
    store = ObjectStore([inventory(A), revision(A), *jobs])
    written = write_history(
        find_history(read_snapshot(FakeSource(store), None)), HistoryFormat.TEXT, Screen()
    )
    assert [word.rstrip(",") for word in written.split() if "CronJob" in word] == expected
