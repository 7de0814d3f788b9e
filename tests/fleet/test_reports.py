"""What `--from` reads: a report that is none is a column that says so, and takes nothing from the others."""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from krm_fn.report.table import Screen
from krm_fn.tools.fleet.build_fleet import FleetColumn, Silence, build_fleet
from krm_fn.tools.fleet.fleet import FleetFormat, write_fleet
from krm_fn.tools.fleet.reports import read_reports
from krm_fn.tools.history.history import HistoryFormat, write_history
from tests.history.cases import HISTORIES, read_history
from tests.volume import examples_of

CASE = next(case for case in HISTORIES if case.name == "a-paused-canary")
REPORT = write_history(read_history(CASE), HistoryFormat.JSON, Screen())


def changed(change: Callable[[Any], object]) -> bytes:
    document = json.loads(REPORT)
    change(document)
    return json.dumps(document).encode()


def revision_of(document: Any) -> Any:
    return next(
        one for found in document["sets"] for one in found["revisions"] if one["referencedBy"]
    )


def read(folder: Path, bad: bytes) -> tuple[FleetColumn, FleetColumn]:
    """Read two reports, of which one is bad. Returns the column of that one first."""
    (folder / "bad.json").write_bytes(bad)
    (folder / "good.json").write_text(REPORT)
    found, other = read_reports([str(folder / "bad.json"), str(folder / "good.json")], None)
    return found, other


def forms(*columns: FleetColumn) -> list[str]:
    """Write the table in all forms, to the bytes that are printed."""
    fleet = build_fleet(columns)
    return [write_fleet(fleet, form, Screen()).encode().decode() for form in FleetFormat]


@pytest.mark.parametrize(
    ("bad", "found"),
    [
        pytest.param(
            changed(lambda one: one.update(time="0001-01-01T00:00:00+14:00")),
            "no time",
            id="before year 1",
        ),
        pytest.param(
            changed(lambda one: one.update(time="9999-12-31T23:59:59-14:00")),
            "no time",
            id="after 9999",
        ),
        pytest.param(
            changed(lambda one: one.update(time="2026-06-01T12:00:00")),
            "no time",
            id="a time of no zone",
        ),
        pytest.param(
            changed(lambda one: one.update(time=1780315200)),
            "no time",
            id="a time that is a number",
        ),
        pytest.param(
            changed(lambda one: revision_of(one).update(created="0001-01-01T00:00:00+14:00")),
            "no time in created",
            id="a revision of before year 1",
        ),
        pytest.param(
            changed(lambda one: revision_of(one).update(created=["2026"])),
            "no time in created",
            id="a list of times",
        ),
        pytest.param(
            changed(lambda one: revision_of(one)["referencedBy"][0].update(created="soon")),
            "no time in created",
            id="a referrer of some time",
        ),
        pytest.param(
            changed(lambda one: one.update(sets={"shop": []})), "no sets", id="a mapping of sets"
        ),
        pytest.param(b"1" * 5000, "no JSON", id="a number of thousands of digits"),
        pytest.param(b'{"a":' * 100_000, "no JSON", id="mappings without end"),
        pytest.param(
            b" " * 20_000_001, "more than 20000000 bytes", id="a file that would fill the memory"
        ),
        pytest.param(b"\xff\xfe\x00", "no JSON", id="bytes"),
    ],
)
def test_a_report_that_is_none_is_a_column(tmp_path: Path, bad: bytes, found: str) -> None:
    column, other = read(tmp_path, bad)
    assert column.silence is Silence.NO_REPORT
    assert column.reason.endswith(
        f"expected what `krm-fn history -o json` prints of one namespace, found {found}"
    )
    assert other.used
    forms(column, other)


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        pytest.param(os.mkfifo, "is a FIFO; only regular files are read", id="a FIFO"),
        pytest.param(os.mkdir, "is a directory; only regular files are read", id="a directory"),
        pytest.param(
            lambda path: Path(path).symlink_to("/dev/zero"),
            "is a device; only regular files are read",
            id="a device",
        ),
    ],
)
def test_what_has_no_end_is_not_read(
    tmp_path: Path, make: Callable[[str], None], reason: str
) -> None:
    path = str(tmp_path / "report.json")
    make(path)
    (column,) = read_reports([path], None)
    assert (column.silence, column.reason) == (Silence.NO_REPORT, f"{path}: {reason}")


def test_a_link_may_lead_anywhere(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "reports").mkdir()
    (tmp_path / "elsewhere/today.json").write_text(REPORT)
    (tmp_path / "reports/eu.json").symlink_to(tmp_path / "elsewhere/today.json")
    (column,) = read_reports([str(tmp_path / "reports/eu.json")], None)
    assert (column.silence, column.cluster) == (None, "eu")


def test_the_first_and_the_last_second_are_times(tmp_path: Path) -> None:
    for time in (
        "0001-01-01T00:00:00Z",
        "9999-12-31T23:59:59.999999Z",
        "9999-12-31T23:59:59+14:00",
    ):
        column, other = read(tmp_path, changed(lambda one, time=time: one.update(time=time)))  # type: ignore[misc]
        assert column.silence is None
        forms(column, other)


def test_a_report_of_the_future_is_named_where_the_others_look_old(tmp_path: Path) -> None:
    column, other = read(tmp_path, changed(lambda one: one.update(time="2126-06-01T12:00:00Z")))
    for form in forms(column, other):
        assert (
            "good: as of 2026-06-01T12:00:00Z, 100y before bad (2126-06-01T12:00:00Z)"
            in " ".join(form.split())
        )


def test_a_long_history_is_read_in_time_that_grows_with_it(tmp_path: Path) -> None:
    """With two loops over the templates, 40,000 of them would take half an hour."""

    def lengthen(document: Any) -> None:
        workload = next(one for found in document["sets"] for one in found["workloads"])
        workload["templates"] = [{**workload["templates"][0], "role": "stable"}] * 40_000

    column, _ = read(tmp_path, changed(lengthen))
    assert column.silence is None


VALUES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.sampled_from([10**4299, -(10**30), float("nan"), float("inf"), "\ud800", "\x1b[2J\u202e"]),
    st.sampled_from(
        [
            "0001-01-01T00:00:00Z",
            "0001-01-01T00:00:00+14:00",
            "9999-12-31T23:59:59-14:00",
            "9999-12-31T23:59:59Z",
            "|",
            "</td>",
        ]
    ),
    st.text(max_size=9),
    st.lists(st.none() | st.text(max_size=3), max_size=2),
    st.dictionaries(st.text(max_size=3), st.none() | st.integers(), max_size=2),
)


@settings(
    max_examples=examples_of(600),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(data=st.data())
def test_whatever_a_report_holds_the_other_column_stays_as_it_is(
    tmp_path: Path, data: st.DataObject
) -> None:
    """The oracle is the same table beside a report that is none."""
    document = json.loads(REPORT)
    for _ in range(data.draw(st.integers(1, 4))):
        found = places(document)
        # The field first: a time of the whole report is one place among hundreds.
        field = data.draw(st.sampled_from(sorted({str(key) for _, key in found})))
        place, key = data.draw(st.sampled_from([one for one in found if str(one[1]) == field]))
        place[key] = data.draw(VALUES)
    column, other = read(tmp_path, json.dumps(document).encode())
    (alone,) = read_reports([str(tmp_path / "good.json")], None)
    assert other._replace(cluster="") == alone._replace(cluster="")
    for form in forms(column, other):
        assert all(line.isprintable() for line in form.splitlines())


def places(value: Any) -> list[tuple[Any, Any]]:
    """Return every place below a value: the mapping or list, and the key in it."""
    pairs = (
        value.items()
        if isinstance(value, dict)
        else enumerate(value)
        if isinstance(value, list)
        else ()
    )
    found = []
    for key, inner in [*pairs]:
        found += [(value, key), *places(inner)]
    return found
