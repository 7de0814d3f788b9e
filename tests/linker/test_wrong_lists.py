"""An answer that is no whole list of a kind is not an empty one: the kind is unread, which deletes nothing."""

from collections.abc import Callable
from threading import Event
from typing import Any, NamedTuple
from urllib.parse import urlencode

import pytest

from krm_fn.base.kind import CONSUMER_KINDS, Kind
from krm_fn.base.link_plan import LinkPlan
from krm_fn.linker.cluster import DryRun
from krm_fn.linker.link import link
from krm_fn.linker.link_all_sets import AllSets
from krm_fn.linker.link_set import LinkOptions
from krm_fn.linker.live_cluster import LiveCluster
from krm_fn.linker.report import Report
from krm_fn.linker.retry import Deadline, Response
from tests.linker.fake_api_server import Answer, Call, FakeApiServer, find_lost
from tests.linker.manifests import inventory, pods, revision
from tests.linker.object_store import NAMESPACE, Object, ObjectStore

WIDGETS = Kind("example.com/v1", "Widget", "widgets")
KINDS = (*CONSUMER_KINDS, WIDGETS)
PLAN = LinkPlan(set="web", kinds=(WIDGETS,), timeout=300, minimum_age=600)
SERVED = {kind.plural: (kind.api_version, kind.kind) for kind in KINDS} | {
    "configmaps": ("v1", "ConfigMap")
}
LONG_AGO = "2026-01-01T00:00:00Z"

UNUSED = "web-config-8888888888"
"""The only revision that nothing references."""

NAMES = {
    kind.kind: f"web-config-{letter * 10}"
    for kind, letter in zip(KINDS, "bcdfghkmt24567", strict=True)
}
"""The revision that alone the object of this kind references."""


def referrer(kind: Kind) -> Object:
    """Build an object with a reference to the revision of its kind."""
    content: dict[str, Any] = pods(NAMES[kind.kind])["spec"]
    for field in reversed((kind.pod_spec or kind.template_copy or "spec").split(".")):
        content = {field: content}
    return {
        "apiVersion": kind.api_version,
        "kind": kind.kind,
        "metadata": {"name": kind.kind.lower()},
        **content,
    }


def store_of_all_kinds() -> ObjectStore:
    revisions = [revision(name) for name in (*NAMES.values(), UNUSED)]
    store = ObjectStore([inventory(is_shared=True), *map(referrer, KINDS)])
    for one in revisions:
        store.create({**one, "metadata": {**one["metadata"], "creationTimestamp": LONG_AGO}})
    return store


Wrong = Callable[[Answer], Answer]


def saying(content: Any, status: int = 200) -> Wrong:
    return lambda right: right._replace(status=status, content=content)


def changed(status: int = 200, **fields: Any) -> Wrong:
    """Take the objects of a list away, and change its fields."""
    return lambda right: right._replace(
        status=status, content={**right.content, "items": [], **fields}
    )


WRONG: dict[str, Wrong] = {
    "an empty object": saying({}),
    "a Status": saying({"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success"}),
    "a Status with items": saying({"kind": "Status", "apiVersion": "v1", "items": []}),
    "an error page": saying({"error": {"code": "login_required"}, "status": 200}),
    "a list of another kind": changed(kind="EventList", apiVersion="v1"),
    "a list of the kind in another group": changed(apiVersion="other.example.com/v1"),
    "an object of another kind": saying(
        {"kind": "Namespace", "apiVersion": "v1", "metadata": {"name": "shop"}}
    ),
    "objects of another kind": lambda right: right._replace(
        content={
            "metadata": {},
            "items": [{"kind": "Event", "metadata": {"name": "x", "uid": "y"}}],
        }
    ),
    "items that are a mapping": changed(items={}),
    "items that are a text": changed(items=""),
    "items that are zero": changed(items=0),
    "no items": lambda right: right._replace(
        content={key: value for key, value in right.content.items() if key != "items"}
    ),
    "an item that is no object": changed(items=[None]),
    "an item without a name": changed(items=[{"metadata": {"uid": "u"}}]),
    "an item without a uid": changed(items=[{"metadata": {"name": "x"}}]),
    "metadata that are no mapping": changed(metadata=[]),
    "objects that remain, and no token": changed(metadata={"remainingItemCount": 7}),
    "a token that is no text": changed(metadata={"continue": 7}),
    "201": changed(status=201),
    "202": changed(status=202),
    "203, by a proxy that has changed it": changed(status=203),
    "204": saying({}, 204),
    "206, a part": changed(status=206),
    "300": changed(status=300),
    "304": saying(None, 304),
    "400": changed(status=400),
    "404, though the API server has the kind": saying(None, 404),
    "406": saying(None, 406),
}
"""What a proxy, an aggregated API or a broken server may answer in place of a list."""

WRONG_FOR_OBJECTS: dict[str, Wrong] = {
    "metadata alone": changed(kind="PartialObjectMetadataList", apiVersion="meta.k8s.io/v1"),
    "metadata alone, and no kind of the list": lambda right: right._replace(
        content={
            "metadata": {},
            "items": [{"kind": "PartialObjectMetadata", "metadata": {"name": "x", "uid": "y"}}],
        }
    ),
}


class Looks(Event):
    """An Event that counts looks: the second one begins with the pause before a deletion."""

    def __init__(self) -> None:
        super().__init__()
        self.number = 1

    def wait(self, timeout: float | None = None) -> bool:
        self.number += timeout in {10, 60}  # a Job, and a run that nobody waits for
        return self.is_set()


class ApiInMemory:
    """An `Api` that asks a FakeApiServer without a connection, and gets a wrong answer to some calls."""

    def __init__(
        self, server: FakeApiServer, distort: Callable[[Call, Answer], Answer], looks: Looks
    ) -> None:
        self.deadline = Deadline(300, looks)
        self.calls: list[Call] = []
        self._server = server
        self._distort = distort

    def request(self, method: str, path: str, **options: Any) -> Response:
        query = urlencode(options.get("query") or {})
        call = Call(
            method,
            f"{path}?{query}",
            {"accept": options.get("accept", "application/json")},
            options.get("body"),
        )
        self.calls.append(call)
        answer = self._distort(call, self._server.answer(call))
        return Response(answer.status, answer.headers, answer.content, size=100)


class Ran(NamedTuple):
    store: ObjectStore
    before: list[Object]
    report: Report

    @property
    def deleted(self) -> set[str]:
        return {change.name for change in self.report.changes if change.deleted}


def run_with(wrong: Wrong | None, kind: Kind, look: int, *, dry_run: bool) -> Ran:
    """Run a linker that gets a wrong answer to the lists of a kind, from the first or the second look on."""
    store, looks = store_of_all_kinds(), Looks()
    before = store.of_kind("ConfigMap")

    def distort(call: Call, right: Answer) -> Answer:
        is_due = wrong and call.is_list and call.plural == kind.plural and looks.number >= look
        return wrong(right) if is_due and wrong else right

    api: Any = ApiInMemory(FakeApiServer(store, SERVED), distort, looks)
    cluster = LiveCluster(api, NAMESPACE)
    report = Report(NAMESPACE, lambda _: None)
    link(PLAN, DryRun(cluster) if dry_run else cluster, report)
    return Ran(store, before, report)


ANSWERS = [
    pytest.param(name, look, dry_run, id=f"{name}, look {look}{', dry run' if dry_run else ''}")
    for name in (*WRONG, *WRONG_FOR_OBJECTS)
    for look in (1, 2)
    for dry_run in (False, True)
]


def test_a_run_that_gets_whole_lists_deletes_what_nothing_references() -> None:
    ran = run_with(None, WIDGETS, 1, dry_run=False)
    assert ran.deleted == {UNUSED}
    assert ran.report.warnings == []
    assert find_lost(ran.before, ran.store) == set()


@pytest.mark.rows(test=6, submission=40)
@pytest.mark.parametrize(("name", "look", "dry_run"), ANSWERS)
def test_a_wrong_answer_is_no_empty_list(name: str, look: int, *, dry_run: bool) -> None:
    for kind in KINDS:
        ran = run_with({**WRONG, **WRONG_FOR_OBJECTS}[name], kind, look, dry_run=dry_run)
        assert find_lost(ran.before, ran.store) == set(), kind
        assert ran.deleted == set(), kind
        (said,) = [
            line for line in ran.report.warnings if line.startswith(f"{kind.plural} in shop: ")
        ]
        assert said.endswith("; until then nothing is deleted")
        linked = {change.name for change in ran.report.changes}
        assert linked >= set(NAMES.values()) - ({NAMES[kind.kind]} if look == 1 else set()), kind


FOR_ALL_SETS = [
    pytest.param(name, look, id=f"{name}, look {look}")
    for name in ("an error page", "206, a part", "406", "no items", *WRONG_FOR_OBJECTS)
    for look in (1, 2)
]


def run_for_all_sets(wrong: Wrong | None, plural: str, look: int) -> tuple[AllSets, Ran]:
    """Run the one linker of the namespace, as `run_with` does a linker of one set."""
    store, looks = store_of_all_kinds(), Looks()
    before = store.of_kind("ConfigMap")

    def distort(call: Call, right: Answer) -> Answer:
        is_due = wrong and call.is_list and call.plural == plural and looks.number >= look
        return wrong(right) if is_due and wrong else right

    api: Any = ApiInMemory(FakeApiServer(store, SERVED), distort, looks)
    plan = PLAN._replace(set="", timeout=20, waits=False)
    sets = AllSets(plan, LinkOptions(), lambda: len(api.calls), lambda _: None)
    sets.link(LiveCluster(api, NAMESPACE))
    return sets, Ran(store, before, sets.reports[-1])


def test_a_run_for_all_sets_that_gets_whole_lists_deletes_what_nothing_references() -> None:
    sets, ran = run_for_all_sets(None, "", 1)
    assert (ran.deleted, sets.failures, sets.warnings) == ({UNUSED}, [], [])
    assert find_lost(ran.before, ran.store) == set()


@pytest.mark.rows(test=2)
@pytest.mark.parametrize(("name", "look"), FOR_ALL_SETS)
def test_a_wrong_answer_is_no_empty_list_for_all_sets(name: str, look: int) -> None:
    for kind in KINDS:
        _, ran = run_for_all_sets({**WRONG, **WRONG_FOR_OBJECTS}[name], kind.plural, look)
        assert find_lost(ran.before, ran.store) == set(), kind
        assert ran.deleted == set(), kind
        assert f"{kind.plural} in shop: " in "".join(ran.report.warnings), kind


@pytest.mark.parametrize("look", [1, 2])
@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_list_of_config_maps_ends_a_run_for_all_sets(name: str, look: int) -> None:
    sets, ran = run_for_all_sets(WRONG[name], "configmaps", look)
    assert ran.store.contents().keys() >= {
        ("ConfigMap", one["metadata"]["name"]) for one in ran.before
    }
    assert len(sets.failures) == 1
