"""Many histories as one table: what is in a cell, what differs, and that each form of it says so."""

import json
import re
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pytest_snapshot.plugin import Snapshot

from krm_fn.cli.main import main
from krm_fn.report.table import Screen, columns
from krm_fn.tools.common.revision_history import (
    History,
    NoAnswer,
    Pods,
    Referrer,
    Retention,
    RevisionHistory,
    Role,
    SetHistory,
    Template,
    WorkloadHistory,
)
from krm_fn.tools.fleet.build_fleet import Fleet, FleetColumn, Silence, build_fleet, find_column
from krm_fn.tools.fleet.fleet import FleetFormat, write_fleet
from krm_fn.tools.fleet.reports import read_history as read_report
from krm_fn.tools.history.history import write_history_json
from tests.cases import FIXTURES
from tests.diff.generated import hostile
from tests.history.cases import HISTORIES, NAMESPACES, read_history, read_objects
from tests.history.test_properties import look
from tests.report.closed_schema import validator
from tests.volume import examples_of

FLEETS = sorted(path for path in (FIXTURES / "fleets").iterdir())
FILES = {"text": "fleet.txt", "markdown": "fleet.md", "json": "fleet.json", "html": "fleet.html"}
VALIDATOR = validator("fleet-v1.json")
INCOMPLETE = {
    "a-report-that-is-none-is-a-column": "error: nothing is known of 2 of 4 columns: ap, us\n"
}

A, B, C = (f"web-config-{letter * 10}" for letter in "bcd")
NOW = 1000.0


def drawn(case: Path, form: str, *arguments: str) -> tuple[str, str, int]:
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(case)
        patch.setenv("COLUMNS", "80")
        outcome = main(["history", "--from", "reports/*.json", "-o", form, *arguments])
    return outcome.stdout.decode(), outcome.stderr, outcome.exit_code


@pytest.mark.parametrize("form", FILES)
@pytest.mark.parametrize("case", FLEETS, ids=lambda case: case.name)
def test_a_fleet_is_written_as_recorded(case: Path, form: str, snapshot: Snapshot) -> None:
    """Of a page, compare what is made from the fleet."""
    snapshot.snapshot_dir = case
    stdout, stderr, exit_code = drawn(case, form)
    body = stdout[stdout.index("<header>") : stdout.index("<script>")] if form == "html" else stdout
    snapshot.assert_match(body.encode(), FILES[form])
    assert (stderr, exit_code) == (
        (INCOMPLETE[case.name], 3) if case.name in INCOMPLETE else ("", 0)
    )


def referrer(
    name: str,
    created: float,
    role: Role | None = None,
    pods: int | None = None,
    *,
    wants: bool = False,
) -> Any:
    kind, of = ("Deployment", "") if wants else ("ReplicaSet", "Deployment/web")
    return Referrer(
        kind,
        name,
        created,
        of=of,
        role=role,
        is_current=wants,
        pods=None if pods is None else Pods(pods, pods),
    )


def entry(
    name: str, *referrers: Referrer, pods: int | None = None, **fields: Any
) -> RevisionHistory:
    fate = fields.pop("fate", Retention.IN_USE)
    base = name.rpartition("-")[0]
    found = None if pods is None else Pods(pods, pods)
    return RevisionHistory(
        "ConfigMap", name, base, 100.0, fate, referrers=referrers, pods=found, **fields
    )


def history(*entries: RevisionHistory, templates: tuple[Template, ...] = ()) -> History:
    workload = WorkloadHistory("Deployment", "web", True, "", "", templates)  # noqa: FBT003
    workloads = (workload,) if templates else ()
    return History(
        "shop", NOW, (SetHistory("shop", entries, workloads, has_inventory=True, job=None),)
    )


def used(of: History) -> list[tuple[str, str, float | None, int | None]]:
    """Return hash, uses, since and share of each revision in use."""
    found = [one for revisions in find_column(of, "").used.values() for one in revisions]
    return [(one.hash[:1], " and ".join(one.uses), one.since, one.share) for one in found]


def stable(name: str = A, pods: int = 3, created: float = 200.0) -> RevisionHistory:
    return entry(name, referrer("web-1", created, Role.STABLE, pods), pods=pods)


def canary(pods: int = 1) -> RevisionHistory:
    return entry(B, referrer("web-2", 300.0, Role.CANARY, pods), pods=pods)


def template(number: int, role: Role, *revisions: str) -> Template:
    return Template(f"web-{number}", number, role, revisions)


TWO = (template(2, Role.CANARY, B), template(1, Role.STABLE, A))

CELLS = [
    pytest.param(history(stable()), [("b", "in use", 200.0, 100)], id="all pods run one revision"),
    pytest.param(
        history(canary(), stable(), templates=TWO),
        [("b", "in use", 200.0, 75), ("c", "canary", 300.0, 25)],
        id="a canary has its share, and the stable one is first",
    ),
    pytest.param(
        history(canary(1), stable(pods=999)),
        [("b", "in use", 200.0, 99), ("c", "canary", 300.0, 1)],
        id="one of a thousand pods is not none",
    ),
    pytest.param(
        history(canary(0), stable()),
        [("b", "in use", 200.0, 100), ("c", "canary", 300.0, 0)],
        id="a canary without pods",
    ),
    pytest.param(
        history(canary(0), stable(pods=0)),
        [("b", "in use", 200.0, None), ("c", "canary", 300.0, None)],
        id="no pods have no shares",
    ),
    pytest.param(
        history(
            entry(A, referrer("web-1", 200.0, Role.STABLE, 3)),
            entry(B, referrer("web-2", 300.0, Role.CANARY, 1)),
        ),
        [("b", "in use", 200.0, 75), ("c", "canary", 300.0, 25)],
        id="without the right to list pods, ReplicaSets say how many they have",
    ),
    pytest.param(
        history(entry(A, referrer("web-1", 200.0, Role.STABLE)), canary()),
        [("b", "in use", 200.0, None), ("c", "canary", 300.0, None)],
        id="or nothing does",
    ),
    pytest.param(
        history(
            entry(A, referrer("web-1", 200.0, Role.STABLE, 3)),
            entry(B, referrer("web-2", 300.0, Role.CANARY, 1)),
            entry(C, fate=Retention.UNKNOWN),
        ),
        [("b", "in use", 200.0, 75), ("c", "canary", 300.0, 25)],
        id="of what is not in use, nothing has to say it",
    ),
    pytest.param(
        history(stable(), templates=(template(2, Role.STABLE), template(1, Role.PAST, A))),
        [("b", "in use", 200.0, 100)],
        id="no template of a workload tells",
    ),
    pytest.param(
        history(
            entry(
                A,
                referrer("web-1", 200.0, Role.STABLE),
                referrer("web-3", 400.0, Role.CANARY),
                pods=4,
            ),
        ),
        [("b", "in use and canary", 200.0, 100)],
        id="it is the canary of one workload and stable in another",
    ),
    pytest.param(
        history(
            entry(A, referrer("web-1", 200.0, Role.OLD, 1), pods=1),
            entry(B, referrer("web-2", 300.0, Role.NEW)),
        ),
        [("b", "being replaced", 200.0, None), ("c", "rolling out", 300.0, None)],
        id="a Deployment in the middle of its rollout",
    ),
    pytest.param(
        history(
            stable(),
            entry(C, referrer("web-0", 150.0, Role.PAST, 0), pods=0, fate=Retention.HISTORY),
        ),
        [("b", "in use", 200.0, 100)],
        id="what only history references is not in use",
    ),
    pytest.param(
        history(
            entry(B, referrer("web", 50.0, wants=True), pods=0),
            stable(),
            templates=(template(1, Role.STABLE, A),),
        ),
        [("b", "in use", 200.0, 100), ("c", "not started", None, 0)],
        id="a paused Deployment has made nothing of it",
    ),
    pytest.param(
        history(entry(A, referrer("web", 50.0, wants=True), pods=0)),
        [("b", "in use", 100.0, None)],
        id="a CronJob that is older than the revision cannot have used it before",
    ),
    pytest.param(
        history(entry(A, pods=2)),
        [("b", "in use", None, 100)],
        id="pods run it whose owner is not known",
    ),
    pytest.param(
        history(entry(A, pods=0, fate=Retention.RENDERED, is_rendered=True)),
        [("b", "rendered", None, None)],
        id="nothing references what is rendered",
    ),
    pytest.param(
        history(entry(A, pods=0, fate=Retention.RETAINED, is_rendered=True)),
        [("b", "rendered", None, None)],
        id="a retained revision that is rendered",
    ),
    pytest.param(history(entry(A, pods=0, fate=Retention.RETAINED)), [], id="and an older one"),
    pytest.param(
        history(entry(A, fate=Retention.NOT_APPLIED, is_rendered=True)),
        [("b", "not applied", None, None)],
        id="it is rendered and not there",
    ),
    pytest.param(
        history(entry(A, referrer("web-1", 200.0, Role.NEW, 1), fate=Retention.MISSING)),
        [("b", "missing", None, 100)],
        id="its pods wait for it",
    ),
    pytest.param(
        history(entry(A, referrer("web-1", 200.0, Role.PAST, 0), pods=0, fate=Retention.MISSING)),
        [],
        id="only the way back misses it",
    ),
    pytest.param(
        history(
            entry(
                A,
                referrer("web-3", 500.0, Role.STABLE, 3),
                referrer("web-2", 300.0, Role.PAST, 0),
                pods=3,
            ),
            templates=(template(3, Role.STABLE, A), template(2, Role.PAST, A)),
        ),
        [("b", "in use", 300.0, 100)],
        id="only the image has changed meanwhile",
    ),
    pytest.param(
        history(
            entry(A, referrer("web-3", 200.0, Role.STABLE, 3), pods=3),
            entry(B, referrer("web-2", 300.0, Role.PAST, 0), pods=0, fate=Retention.HISTORY),
            templates=(template(3, Role.STABLE, A), template(2, Role.PAST, B)),
        ),
        [("b", "in use", 300.0, 100)],
        id="somebody has gone back: not before the other one was made",
    ),
    pytest.param(
        history(
            entry(
                A,
                referrer("web-3", 500.0, Role.STABLE, 3),
                referrer("web-1", 200.0, Role.PAST, 0),
                pods=3,
            ),
            entry(B, referrer("web-2", 300.0, Role.PAST, 0), pods=0, fate=Retention.HISTORY),
            templates=(
                template(3, Role.STABLE, A),
                template(2, Role.PAST, B),
                template(1, Role.PAST, A),
            ),
        ),
        [("b", "in use", 500.0, 100)],
        id="it was in use before, and then again",
    ),
]


@pytest.mark.parametrize(("found", "expected"), CELLS)
def test_a_cell_says_what_is_in_use(
    found: History, expected: list[tuple[str, str, float | None, int | None]]
) -> None:
    assert used(found) == expected


def column(cluster: str, *names: str, **fields: Any) -> FleetColumn:
    entries = [stable(name) for name in names]
    return find_column(history(*entries), cluster)._replace(**fields)


SILENT = FleetColumn("x", "", silence=Silence.NO_ANSWER, reason="it is night there")
ELSEWHERE = FleetColumn("y", "other", NOW)

DRIFT = [
    pytest.param([column("a", A), column("b", A)], "..", id="all have the same"),
    pytest.param(
        [column("a", A), column("b", A), column("c", B)], "..!", id="one differs from most"
    ),
    pytest.param([column("a", A), column("b", B)], "!!", id="of a tie, both differ"),
    pytest.param(
        [column("a", A), column("b", A), column("c", B), column("d", B)],
        "!!!!",
        id="and of a larger one",
    ),
    pytest.param(
        [column("a", A), column("b", A), column("c")],
        "..!",
        id="the set is there, and the base name is not",
    ),
    pytest.param([column("a", A), ELSEWHERE, column("c", A)], "...", id="the set is not there"),
    pytest.param([column("a", A), SILENT, column("c", A)], "...", id="nobody has answered"),
    pytest.param(
        [column("a", A), SILENT, column("c", B)], "!.!", id="who has not answered decides no tie"
    ),
    pytest.param(
        [column("a", A), column("b", A, now=NOW + 9e9)], "..", id="ages are no difference"
    ),
]


@pytest.mark.parametrize(("asked", "marks"), DRIFT)
def test_cells_that_differ_from_most_of_their_row_are_marked(
    asked: list[FleetColumn], marks: str
) -> None:
    (row,) = build_fleet(asked).rows
    assert "".join("!" if cell.is_different else "." for cell in row.cells) == marks
    assert row.is_different is ("!" in marks)


def test_a_canary_differs_from_the_same_revision_where_it_is_stable() -> None:
    one = find_column(history(canary(), stable()), "a")
    other = find_column(history(stable(B)), "b")
    (row,) = build_fleet([one, other, other._replace(cluster="c")]).rows
    assert [cell.is_different for cell in row.cells] == [True, False, False]


LABELS = [
    pytest.param([("a", "shop"), ("b", "shop")], ["a", "b"], id="one namespace: the clusters"),
    pytest.param([("", "shop"), ("", "pay")], ["shop", "pay"], id="one cluster: the namespaces"),
    pytest.param([("a", "shop"), ("a", "pay")], ["shop", "pay"], id="likewise, with a name"),
    pytest.param([("a", "shop"), ("b", "pay")], ["a/shop", "b/pay"], id="both"),
    pytest.param([("a", "shop"), ("b", "")], ["a", "b"], id="the namespace of one is not known"),
    pytest.param([("a", ""), ("a", "shop")], ["a", "shop"], id="nor that of a cluster"),
    pytest.param(
        [("a", "shop"), ("b", ""), ("c", "pay")], ["a/shop", "b", "c/pay"], id="nor among others"
    ),
]


@pytest.mark.parametrize(("places", "expected"), LABELS)
def test_a_heading_says_what_tells_columns_apart(
    places: list[tuple[str, str]], expected: list[str]
) -> None:
    assert Fleet(tuple(FleetColumn(*place) for place in places), ()).labels == expected


@pytest.mark.parametrize(
    "path", NAMESPACES, ids=lambda path: f"{path.parent.parent.name}/{path.parent.name}"
)
def test_a_report_says_the_same_as_the_cluster(path: Path) -> None:
    _, live = look(read_objects(path))
    assert find_column(read_report(json.loads(write_history_json(live))), "a") == find_column(
        live, "a"
    )


@pytest.mark.parametrize("case", HISTORIES, ids=lambda case: case.name)
def test_every_form_of_every_history(case: Path) -> None:
    """The JSON is valid, each form has each base name and each hash of a ConfigMap, and none has one of a Secret."""
    live = read_history(case)
    found = find_column(live, "a")
    fleet = build_fleet([found, found._replace(cluster="b"), SILENT])
    written = {form: write_fleet(fleet, form, Screen()) for form in FleetFormat}
    assert [
        error.message for error in VALIDATOR.iter_errors(json.loads(written[FleetFormat.JSON]))
    ] == []
    entries = [one for part in live.sets for one in part.entries if one.suffix]
    secret = {one.suffix for one in entries if one.kind == "Secret"}
    secret -= {one.suffix for one in entries if one.kind != "Secret"}
    shown = {one.hash for row in fleet.rows for cell in row.cells for one in cell.revisions}
    for form, text in written.items():
        assert [row.key.base for row in fleet.rows if row.key.base not in text] == []
        assert [one for one in shown if one not in text] == [], form
        assert not any(one in text for one in secret)
    assert all(
        columns(line) <= Screen().width or "  " not in line.strip()
        for line in written[FleetFormat.TEXT].splitlines()
    )


def test_equal_secrets_have_equal_numbers_in_all_columns() -> None:
    names = [[f"db-{letter * 10}"] for letter in "cbcd"]
    asked = [
        find_column(history(*(stable(name)._replace(kind="Secret") for name in found)), str(number))
        for number, found in enumerate(names)
    ]
    (row,) = build_fleet(asked).rows
    assert [cell.revisions[0].hash for cell in row.cells] == [
        "(hash 1)",
        "(hash 2)",
        "(hash 1)",
        "(hash 3)",
    ]
    assert [cell.is_different for cell in row.cells] == [False, True, False, True]


@pytest.mark.parametrize("name", ["web-config", A, "b" * 10])
def test_a_name_chooses_rows(name: str) -> None:
    asked = [column("a", A, "api-config-cccccccccc")]
    assert [row.key.base for row in build_fleet(asked, name).rows] == ["web-config"]


def test_a_name_of_nothing_is_an_error_unless_somebody_may_not_have_said_it() -> None:
    asked = [column("a", A)]
    with pytest.raises(
        NoAnswer,
        match=r"^no base name or revision web-cofnig is in use; did you mean web-config\?$",
    ):
        build_fleet(asked, "web-cofnig")
    assert build_fleet([*asked, SILENT], "web-cofnig").rows == ()


class _Markup(HTMLParser):
    """Collects what a browser acts upon: elements with their attributes, and values but for numbers."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: set[str] = set()
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = (
            f"{name}={'' if name in {'value', 'datetime', 'colspan'} else value}"
            for name, value in attrs
        )
        self.seen.add(" ".join([tag, *values]))

    def handle_comment(self, data: str) -> None:
        self.seen.add(f"comment {data}")

    def handle_data(self, data: str) -> None:
        self.text += data


def markup_of(fleet: Fleet) -> _Markup:
    markup = _Markup()
    markup.feed(write_fleet(fleet, FleetFormat.HTML, Screen()))
    markup.close()
    return markup


@cache
def _every_look() -> set[str]:
    """Return the elements of pages whose texts are harmless."""
    histories = [find_column(read_history(case), case.name) for case in HISTORIES]
    fleet = build_fleet(
        [*histories, SILENT, column("z", A, notes=("a",)), column("zz", B, now=0.0)]
    )
    return {re.sub("content=.*", "", one) for one in markup_of(fleet).seen}


@st.composite
def fleets(draw: st.DrawFn) -> Fleet:
    names = st.builds("{}-{}".format, hostile, hostile)
    asked = []
    for _ in range(draw(st.integers(1, 3))):
        kind, uses = (
            draw(st.sampled_from(["ConfigMap", "Secret"])),
            draw(st.sampled_from([Role.STABLE, Role.CANARY])),
        )
        one = stable(draw(names))._replace(
            kind=kind, base=draw(hostile), pods=Pods(2, 1, draw(hostile))
        )
        referring = one.referrers[0]._replace(role=uses)
        found = find_column(history(one._replace(referrers=(referring,))), draw(hostile))
        silence = draw(st.sampled_from([None, *Silence]))
        asked.append(
            found._replace(
                namespace=draw(hostile),
                silence=silence,
                reason=draw(hostile),
                notes=(draw(hostile),),
            )
        )
    return build_fleet(asked)


@settings(max_examples=examples_of(150), deadline=None)
@given(fleets())
def test_no_text_is_more_than_text(fleet: Fleet) -> None:
    """No name breaks a form, and none becomes markup, or gets control characters onto a terminal."""
    assert all(
        line.isprintable() for line in write_fleet(fleet, FleetFormat.TEXT, Screen()).splitlines()
    )
    assert {re.sub("content=.*", "", one) for one in markup_of(fleet).seen} <= _every_look()
    tables = [
        line
        for line in write_fleet(fleet, FleetFormat.MARKDOWN, Screen()).splitlines()
        if line.startswith("|")
    ]
    assert all("`" not in line and "<" not in re.sub("<br>|</?span>", "", line) for line in tables)
    assert [
        error.message
        for error in VALIDATOR.iter_errors(
            json.loads(write_fleet(fleet, FleetFormat.JSON, Screen()))
        )
    ] == []


def test_a_narrow_screen_has_the_columns_in_tables_below_each_other() -> None:
    fleet = build_fleet([column(f"prod-{number}", A) for number in range(7)])
    text = write_fleet(fleet, FleetFormat.TEXT, Screen(80))
    assert max(map(columns, text.splitlines())) <= 80
    heads = [line.split()[1:] for line in text.splitlines() if line.startswith("BASE ")]
    assert len(heads) > 1
    assert [one for head in heads for one in head] == [f"prod-{number}" for number in range(7)]


WHAT = "expected what `krm-fn history -o json` prints of one namespace"
REPORTS = [
    pytest.param("", "found no JSON", id="an empty file"),
    pytest.param('{"version": 1', "found no JSON", id="half a file"),
    pytest.param("[" * 100_000, "found no JSON", id="brackets without end"),
    pytest.param("[]", "found a list, or a value that is none", id="a list"),
    pytest.param(
        '{"version": 1, "columns": []}',
        "found a table of several; collect one report of each namespace",
        id="a fleet",
    ),
    pytest.param('{"version": 2, "namespace": "a"}', "found no version 1", id="a later version"),
    pytest.param(
        '{"version": 1, "sets": []}', "found no namespace", id="the JSON of another command"
    ),
    pytest.param('{"version": 1, "namespace": "a", "time": 3}', "found no time", id="a wrong time"),
    pytest.param(
        '{"version": 1, "namespace": "a", "time": "2026-06-01T12:00:00Z"}',
        "found no sets",
        id="no sets",
    ),
]


@pytest.mark.parametrize(("text", "found"), REPORTS)
def test_a_file_without_a_report_is_a_column_that_says_so(
    text: str, found: str, tmp_path: Path
) -> None:
    (tmp_path / "eu.json").write_text(text)
    outcome = main(["history", "--from", str(tmp_path / "eu.json")])
    assert outcome.stdout.decode() == f"eu: no report: {tmp_path}/eu.json: {WHAT}, {found}\n"
    assert (outcome.stderr, outcome.exit_code) == (
        "error: nothing is known of 1 of 1 column: eu\n",
        3,
    )


def test_clusters_are_named_by_the_report_or_by_its_file(tmp_path: Path) -> None:
    document = json.loads((HISTORIES[0] / "output.json").read_text())
    for path, cluster in (
        ("prod/eu.json", ""),
        ("prod/us.json", ""),
        ("test/eu.json", ""),
        ("test/x.json", "prod-ap"),
    ):
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(
            json.dumps({**document, **({"cluster": cluster} if cluster else {})})
        )
    clusters = [one["cluster"] for one in _read(tmp_path / "*" / "*.json")["columns"]]
    assert clusters == ["prod/eu", "prod/us", "test/eu", "prod-ap"]
    assert [one["cluster"] for one in _read(tmp_path / "prod" / "*")["columns"]] == ["eu", "us"]
    (tmp_path / "test/y.json").write_bytes((tmp_path / "test/x.json").read_bytes())
    twice = [one["cluster"] for one in _read(tmp_path / "test" / "[xy].json")["columns"]]
    assert twice == ["prod-ap (x)", "prod-ap (y)"]


def _read(pattern: Path) -> Any:
    return json.loads(main(["history", "--from", str(pattern), "-o", "json"]).stdout)


def test_a_set_and_a_name_choose_of_reports() -> None:
    case = FIXTURES / "histories" / "two-sets-share-a-namespace"
    from_case = ["history", "--from", str(case / "output.json"), "-o", "json"]
    rows = {
        name: json.loads(main([*from_case, *more]).stdout)["rows"]
        for name, more in {"all": [], "set": ["--set", "api"], "name": ["web-config"]}.items()
    }
    assert {name: [row["baseName"] for row in found] for name, found in rows.items()} == {
        "all": ["api-config", "web-config"],
        "set": ["api-config"],
        "name": ["web-config"],
    }
