"""What holds for every namespace: those of fixtures/histories, and those that the linker is tested with."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from krm_fn.base import keys
from krm_fn.linker.link import link
from krm_fn.linker.owners import plan_deletions, plan_owners
from krm_fn.linker.report import Report
from krm_fn.report.colour import SEQUENCE
from krm_fn.report.table import WIDTH, Screen, columns
from krm_fn.tools.common.revision_history import History, Retention, RevisionHistory
from krm_fn.tools.history.find_history import find_history
from krm_fn.tools.history.history import HistoryFormat, write_history
from krm_fn.tools.history.snapshot import Snapshot, read_snapshot
from tests.history.cases import HISTORIES, NAMESPACES, read_history, read_objects
from tests.history.fake_source import FakeSource
from tests.linker.fake_cluster import FakeCluster
from tests.linker.object_store import NAMESPACE, Object, ObjectStore
from tests.properties import Properties
from tests.volume import examples_of

SECRET = "not-to-be-printed"  # noqa: S105  # a mark in contents, which no output may have


def look(items: list[Object]) -> tuple[Snapshot, History]:
    snapshot = read_snapshot(FakeSource(items), None)
    return snapshot, find_history(snapshot)


def entries_of(history: History) -> list[RevisionHistory]:
    return [entry for one in history.sets for entry in one.entries]


def is_revision(item: Object) -> bool:
    metadata = item["metadata"]
    labels, annotations = metadata.get("labels", {}), metadata.get("annotations", {})
    is_emitted = labels.get(keys.COMPONENT) in (None, keys.TRACKER) and keys.SET in labels
    return (
        item["kind"] == "ConfigMap"
        and is_emitted
        and metadata["name"].startswith(annotations.get(keys.BASE_NAME, "/"))
    )


class Namespace:
    """A namespace, read once."""

    def __init__(self, path: Path) -> None:
        self.objects = read_objects(path)
        self.source = FakeSource(self.objects)
        self.snapshot = read_snapshot(self.source, None)
        self.history = find_history(self.snapshot)


holds = Properties[Namespace]()
holds_of_history = Properties[Path]()


@pytest.mark.parametrize(
    "path", NAMESPACES, ids=lambda path: f"{path.parent.parent.name}/{path.parent.name}"
)
def test_all_properties_hold(path: Path) -> None:
    holds.check(Namespace(path), of=path.parent.name)


@pytest.mark.parametrize("case", HISTORIES, ids=lambda case: case.name)
def test_all_properties_of_a_history_hold(case: Path) -> None:
    holds_of_history.check(case, of=case.name)


@holds
def every_revision_is_in_every_form(namespace: Namespace) -> None:
    history = namespace.history
    revisions = [item["metadata"]["name"] for item in namespace.objects if is_revision(item)]
    found = [entry.name for entry in entries_of(history) if entry.created is not None]
    assert sorted(found) == sorted(revisions)
    for form in (HistoryFormat.WIDE, HistoryFormat.DETAIL, HistoryFormat.JSON):
        written = write_history(history, form, Screen())
        assert [name for name in revisions if name not in written] == []
    for form in (HistoryFormat.TEXT, HistoryFormat.MARKDOWN):
        written = write_history(history, form, Screen())
        assert [
            entry for entry in entries_of(history) if (entry.suffix or entry.base) not in written
        ] == []


@holds
def json_says_what_the_text_says(namespace: Namespace) -> None:
    """Each row of the wide text has the state, and every note and every referrer is in both."""
    history = namespace.history
    wide = write_history(history, HistoryFormat.WIDE, Screen(10_000)).splitlines()
    document = json.loads(write_history(history, HistoryFormat.JSON, Screen()))
    revisions = [revision for one in document["sets"] for revision in one["revisions"]]
    rows = wide[1 : 1 + len(revisions)]
    for row, revision in zip(rows, revisions, strict=True):
        cells = re.split("   +", row)
        assert cells[2] == revision["name"]
        assert cells[-1] == revision["state"]
        assert all(referrer["name"] in cells[5] for referrer in revision["referencedBy"])
    said = " ".join(" ".join(wide[1 + len(revisions) :]).split())
    assert said == " ".join(" ".join(document["notes"]).split())
    text = write_history(history, HistoryFormat.TEXT, Screen(10_000))
    assert [one["state"] for one in revisions if one["state"] not in text] == []


@holds
def the_linker_does_what_is_said(namespace: Namespace) -> None:
    """Compare what goes with the next run with what the linker would delete now, and what it adds."""
    for reading, one in zip(namespace.snapshot.sets, namespace.history.sets, strict=True):
        deleted = {revision.name for revision in plan_deletions(reading.plan, reading.observation)}
        said = {
            entry.name
            for entry in one.entries
            if entry.fate in (Retention.NEXT_RUN, Retention.LEFT_TO_KPT)
        }
        assert said == deleted
        added = {
            patch.revision.name: patch.add
            for patch in plan_owners(reading.plan, reading.observation)
            if patch.add
        }
        assert {entry.name: entry.to_link for entry in one.entries if entry.to_link} == {
            name: tuple(map(str, owners)) for name, owners in added.items()
        }


@holds_of_history
def a_run_deletes_what_goes_with_the_next_run(case: Path) -> None:
    """Run the whole linker, with the plan of the newest Job, against the same objects."""
    if (case / "forbidden.txt").exists():
        return  # what a person may not list says nothing about the linker
    items = read_objects(case / "objects.yaml")
    snapshot, history = look(items)
    for reading, one in zip(snapshot.sets, history.sets, strict=True):
        if reading.plan.kinds:
            continue  # the fake cluster knows only built-in kinds by their name
        cluster = FakeCluster(ObjectStore(items))
        report = Report(NAMESPACE, lambda _: None)
        link(reading.plan, cluster, report)
        deleted = {change.name for change in report.changes if change.deleted}
        assert deleted == {entry.name for entry in one.entries if entry.fate is Retention.NEXT_RUN}


@holds
def no_content_is_requested_or_shown(namespace: Namespace) -> None:
    items = namespace.objects
    secret = {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"name": "any"},
        "data": {"password": SECRET},
    }
    marked = [
        {**item, "data": {"key": SECRET}} if item["kind"] == "ConfigMap" else item for item in items
    ]
    source = FakeSource([*marked, secret])
    history = find_history(read_snapshot(source, None))
    assert SECRET not in "".join(write_history(history, form, Screen()) for form in HistoryFormat)
    assert not [what for what in source.lists if what.startswith("secrets")]
    assert {what for what in source.lists if what.startswith("configmaps")} == {
        what for what in source.metadata_lists if what.startswith("configmaps")
    }


@holds
def every_kind_is_listed_once(namespace: Namespace) -> None:
    """Jobs are listed once more, only those of linkers; ConfigMaps once more for each name that is missing."""
    assert len(namespace.source.lists) == len(set(namespace.source.lists))


@holds_of_history
def no_line_is_wider_than_the_screen_unless_a_name_or_a_command_is(case: Path) -> None:
    history = read_history(case)
    for line in "\n".join(
        write_history(history, form, Screen())
        for form in (HistoryFormat.TEXT, HistoryFormat.DETAIL)
    ).splitlines():
        is_long = any(columns(word) > WIDTH // 3 for word in line.split())
        assert columns(line) <= WIDTH or is_long or line.startswith("  kubectl "), line


@holds_of_history
def colours_change_no_character(case: Path) -> None:
    history = read_history(case)
    for form in (HistoryFormat.TEXT, HistoryFormat.DETAIL, HistoryFormat.WIDE):
        coloured = write_history(history, form, Screen(has_colour=True))
        plain = write_history(history, form, Screen())
        assert SEQUENCE.sub("", coloured) == plain
        assert plain != coloured


def test_the_order_of_the_objects_does_not_matter() -> None:
    for case in HISTORIES:
        items = read_objects(case / "objects.yaml")
        assert look(items[::-1])[1].sets == look(items)[1].sets


JUNK = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=9) | st.just("\x1b[2J\u202e"),
    lambda inner: (
        st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=4), inner, max_size=2)
    ),
)


@settings(max_examples=examples_of(150), deadline=None)
@given(st.data())
def test_any_field_may_hold_anything(data: st.DataObject) -> None:
    """No field of an object breaks the history, and none gets control characters onto a terminal."""
    items: list[Any] = yaml.safe_load(
        yaml.safe_dump(read_objects(data.draw(st.sampled_from(NAMESPACES))))
    )
    for _ in range(data.draw(st.integers(1, 4))):
        path, place = data.draw(st.sampled_from([*_places(data.draw(st.sampled_from(items)))]))
        path[place] = data.draw(JUNK)
    sound = [
        item
        for item in items
        if isinstance(item.get("metadata"), dict) and "kind" in item and "apiVersion" in item
    ]
    _, history = look(
        [item for item in sound if isinstance(item["metadata"].get("labels", {}), dict)]
    )
    for form in HistoryFormat:
        for line in write_history(history, form, Screen()).splitlines():
            assert line.isprintable(), line


def _places(item: Any) -> list[tuple[Any, Any]]:
    """Return every place below an object: the mapping or list, and the key in it."""
    pairs = (
        item.items()
        if isinstance(item, dict)
        else enumerate(item)
        if isinstance(item, list)
        else ()
    )
    found = []
    for key, value in list(pairs):
        found += [(item, key), *_places(value)]
    return found


_COMMAND = re.compile(
    r"(?<![\w`])`?(kubectl (?:rollout|argo|logs|delete) [^`;|]*?-n [\w-]+(?: --ignore-not-found)?)(?![\w-])"
)
_WIDTHS = (40, 80, 200)
_COMMAND_TEXTS = (
    HistoryFormat.TEXT,
    HistoryFormat.WIDE,
    HistoryFormat.MARKDOWN,
    HistoryFormat.DETAIL,
)


def test_every_form_prints_the_very_same_commands() -> None:
    """They are pasted: none is cut, broken or escaped, however narrow the screen is.

    Details may tell of more.
    """
    found = set()
    for case in HISTORIES:
        history = read_history(case)
        by_form = {}
        for form in (*_COMMAND_TEXTS, HistoryFormat.JSON):
            told = [
                {*_COMMAND.findall(write_history(history, form, Screen(width)))}
                for width in _WIDTHS
            ]
            assert all(one == told[0] for one in told), (case.name, form, told)
            by_form[form] = told[0]
        shown = by_form[HistoryFormat.TEXT]
        assert by_form[HistoryFormat.WIDE] == by_form[HistoryFormat.MARKDOWN] == shown, case.name
        assert by_form[HistoryFormat.JSON] == by_form[HistoryFormat.DETAIL] >= shown, case.name
        found |= by_form[HistoryFormat.DETAIL]
    verbs = {" ".join(one.split()[:2]) for one in found}
    assert verbs == {"kubectl argo", "kubectl delete", "kubectl logs", "kubectl rollout"}
