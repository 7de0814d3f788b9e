"""A second look reads only what has changed since the first, and finds what a whole list would find."""

from collections.abc import Callable
from typing import Any, TypeVar

import pytest

from krm_fn.base.kind import CONSUMER_KINDS, Kind
from krm_fn.linker.api import Forbidden, Refused
from krm_fn.linker.cluster import ConsumerLists, Listed
from krm_fn.linker.live_cluster import Lists
from krm_fn.linker.objects import Consumer, Names
from krm_fn.linker.retry import Deadline, Response
from tests.linker.fake_cluster import FakeCluster, SimulatedWait
from tests.linker.manifests import A, B, C, pods, thing
from tests.linker.object_store import Object, ObjectStore, without

_T = TypeVar("_T")

(REPLICA_SETS,) = (kind for kind in CONSUMER_KINDS if kind.kind == "ReplicaSet")
(ROLLOUTS,) = (kind for kind in CONSUMER_KINDS if kind.kind == "Rollout")
NAMES = Names.of([A, B])
VERSIONS, WHOLE = "list of versions", "whole list"

Change = Callable[[ObjectStore], object]


def replica_set(name: str, config: str = A, kind: str = "ReplicaSet", **metadata: Any) -> Object:
    return thing(kind, name, spec={"template": pods(config)}, **metadata)


class RecordingLists:
    """The lists of a store.

    `asked` lists what was asked for; `hook` is called before each answer.
    """

    namespace = "shop"

    def __init__(self, store: ObjectStore, hook: Callable[[str], None] = lambda _: None) -> None:
        self.asked: list[str] = []
        self._cluster = FakeCluster(store)
        self._hook = hook

    def read(
        self,
        kind: Kind,
        read: Callable[[Any], _T | None],
        *,
        metadata_only: bool = False,
        **selectors: str,
    ) -> Listed[_T]:
        whole = VERSIONS if metadata_only else WHOLE
        self.asked.append(selectors.get("fieldSelector", whole))
        self._hook(self.asked[-1])
        return self._cluster.read(kind, read, metadata_only=metadata_only, **selectors)


def store_of_three() -> ObjectStore:
    return ObjectStore([replica_set("one"), replica_set("two"), thing("ReplicaSet", "idle")])


def fresh(store: ObjectStore, names: Names = NAMES, kind: Kind = REPLICA_SETS) -> list[Consumer]:
    """Read everything, by a whole list."""
    return sorted(ConsumerLists(RecordingLists(store)).read(kind, names))


def recreate(store: ObjectStore) -> None:
    """Delete an object and create it again under the same name, with another reference."""
    store.remove(store.get("ReplicaSet", "two"))
    store.create(replica_set("two", B))


def change(store: ObjectStore, config: str = B) -> None:
    store.update(store.get("ReplicaSet", "two"), spec={"template": pods(config)})


def same_version_under_another_uid(store: ObjectStore) -> None:
    """Give a new object the resource version of the former, which nobody but its uid tells from it."""
    version = store.get("ReplicaSet", "two")["metadata"]["resourceVersion"]
    recreate(store)
    store.get("ReplicaSet", "two")["metadata"]["resourceVersion"] = version


BETWEEN = [
    pytest.param(lambda _: None, [], id="nothing happens"),
    pytest.param(lambda store: store.create(replica_set("new", B)), ["new"], id="one is created"),
    pytest.param(change, ["two"], id="one is changed"),
    pytest.param(recreate, ["two"], id="one is deleted and created again"),
    pytest.param(
        same_version_under_another_uid,
        ["two"],
        id="one of another uid has the version of the former",
    ),
    pytest.param(
        lambda store: store.remove(store.get("ReplicaSet", "two")), [], id="one is deleted"
    ),
    pytest.param(
        lambda store: store.update(store.get("ReplicaSet", "idle"), spec={"template": pods(B)}),
        ["idle"],
        id="one that referenced nothing does now",
    ),
]


@pytest.mark.parametrize(("happens", "alone"), BETWEEN)
def test_what_happens_between_two_looks_is_found(happens: Change, alone: list[str]) -> None:
    store = store_of_three()
    lists = RecordingLists(store)
    looks = ConsumerLists(lists, long=0, alone=0)
    assert sorted(looks.read(REPLICA_SETS, NAMES)) == fresh(store)
    happens(store)
    for expected in (alone, []):  # a third look compares with the second
        lists.asked.clear()
        assert sorted(looks.read(REPLICA_SETS, NAMES)) == fresh(store)
        assert lists.asked == [VERSIONS, *(f"metadata.name={name}" for name in expected)]


DURING = [
    pytest.param(lambda store: change(store, A), id="it is changed back"),
    pytest.param(recreate, id="it is created again"),
    pytest.param(lambda store: store.remove(store.get("ReplicaSet", "two")), id="it is deleted"),
]


@pytest.mark.parametrize("happens", DURING)
def test_what_changes_while_it_is_read_is_read_with_all_others(happens: Change) -> None:
    """A reference may move from one object to another between the list and the reading of one."""
    store = store_of_three()

    def interfere(asked: str) -> None:
        if asked == "metadata.name=two":
            happens(store)
            store.update(store.get("ReplicaSet", "one"), spec={"template": pods(B)})

    lists = RecordingLists(store, interfere)
    looks = ConsumerLists(lists, long=0, alone=0)
    looks.read(REPLICA_SETS, NAMES)
    change(store)
    assert sorted(looks.read(REPLICA_SETS, NAMES)) == fresh(store)
    assert lists.asked == [WHOLE, VERSIONS, "metadata.name=two", WHOLE]


def test_of_a_deleted_revision_no_reference_is_left() -> None:
    store = store_of_three()
    lists = RecordingLists(store)
    looks = ConsumerLists(lists, long=0, alone=0)
    looks.read(REPLICA_SETS, NAMES)
    fewer = Names.of([B])
    assert sorted(looks.read(REPLICA_SETS, fewer)) == fresh(store, fewer)
    assert {one.references for one in looks.read(REPLICA_SETS, fewer)} == {frozenset()}
    assert lists.asked == [WHOLE, VERSIONS, VERSIONS]


@pytest.mark.parametrize("names", [Names.of([A, B, C]), Names.of([A, C])])
def test_who_references_a_new_revision_is_read_again(names: Names) -> None:
    store = ObjectStore([replica_set("one"), replica_set("two", C)])
    lists = RecordingLists(store)
    looks = ConsumerLists(lists, long=0, alone=0)
    looks.read(REPLICA_SETS, NAMES)
    assert sorted(looks.read(REPLICA_SETS, names)) == fresh(store, names)
    assert lists.asked == [WHOLE, WHOLE]


@pytest.mark.parametrize(
    "error", [Refused("replicasets", "406"), Forbidden("replicasets", "403", "rule")]
)
def test_where_versions_cannot_be_listed_all_is_read(error: Refused) -> None:
    store = store_of_three()

    def refuse(asked: str) -> None:
        if asked == VERSIONS:
            raise error

    lists = RecordingLists(store, refuse)
    looks = ConsumerLists(lists, long=0, alone=0)
    looks.read(REPLICA_SETS, NAMES)
    change(store)
    assert sorted(looks.read(REPLICA_SETS, NAMES)) == fresh(store)
    assert lists.asked == [WHOLE, VERSIONS, WHOLE]


def test_a_kind_that_can_no_longer_be_listed_is_not_taken_from_memory() -> None:
    store = store_of_three()
    is_refused = False

    def refuse(_: str) -> None:
        if is_refused:
            raise Forbidden("replicasets", "403", "rule")  # noqa: EM101  # what a test raises

    looks = ConsumerLists(RecordingLists(store, refuse), long=0, alone=0)
    looks.read(REPLICA_SETS, NAMES)
    is_refused = True
    with pytest.raises(Forbidden):
        looks.read(REPLICA_SETS, NAMES)


SIZES = [
    pytest.param(499, 0, [WHOLE, WHOLE], id="a list that fits into a page"),
    pytest.param(
        500,
        5,
        [WHOLE, VERSIONS, *(f"metadata.name=x{number}" for number in range(5))],
        id="few changes",
    ),
    pytest.param(500, 6, [WHOLE, VERSIONS, WHOLE], id="many changes"),
]


@pytest.mark.parametrize(("number", "changes", "asked"), SIZES)
def test_only_few_changes_of_a_long_list_are_read_alone(
    number: int, changes: int, asked: list[str]
) -> None:
    store = ObjectStore([replica_set(f"x{one}") for one in range(number)])
    lists = RecordingLists(store)
    looks = ConsumerLists(lists)
    looks.read(REPLICA_SETS, NAMES)
    for one in range(changes):
        store.update(store.get("ReplicaSet", f"x{one}"), spec={"template": pods(B)})
    assert sorted(looks.read(REPLICA_SETS, NAMES)) == fresh(store)
    assert lists.asked == asked


def test_custom_kinds_are_always_read_whole() -> None:
    """An API server of somebody else's may leave a version as it is."""
    store = ObjectStore([replica_set("one", kind="Rollout")])
    lists = RecordingLists(store)
    looks = ConsumerLists(lists, long=0, alone=0)
    looks.read(ROLLOUTS, NAMES)
    assert looks.read(ROLLOUTS, NAMES) == fresh(store, kind=ROLLOUTS)
    assert lists.asked == [WHOLE, WHOLE]


class PagesOf:
    """An API server that lists these objects one a page.

    The tokens of a list expire, once each time it is told.
    """

    def __init__(self, items: list[Object]) -> None:
        self.deadline = Deadline(300, SimulatedWait(lambda _: None))
        self.items = items
        self.expires_after: int | None = None
        self.accepts: list[str] = []

    def request(
        self, _: str, __: str, *, query: dict[str, str], accept: str, **___: object
    ) -> Response:
        self.accepts.append(accept)
        place = int(query.get("continue", 0))
        if place == self.expires_after:
            self.expires_after = None
            change_and_add(self.items)
            return Response(410, {}, {"message": "the token has expired"})
        shown = [
            item
            for item in self.items
            if f"metadata.name={item['metadata']['name']}" == query.get("fieldSelector")
        ]
        page = shown if "fieldSelector" in query else self.items[place : place + 1]
        following = "" if shown or place + 1 >= len(self.items) else str(place + 1)
        return Response(200, {}, {"items": page, "metadata": {"continue": following}})


def change_and_add(items: list[Object]) -> None:
    """Change the first object, which the list has returned already, and create one before it."""
    items[0] = replica_set("a", B, uid="u-a", resourceVersion="7")
    items.insert(0, replica_set("0", B, uid="u-0", resourceVersion="8"))


@pytest.mark.parametrize("place", [1, 2])
def test_a_list_of_versions_that_ends_half_way_begins_again(place: int) -> None:
    items = [replica_set(name, uid=f"u-{name}", resourceVersion=name) for name in "abc"]
    api: Any = PagesOf(items)
    looks = ConsumerLists(Lists(api, "shop"), long=0, alone=0)
    looks.read(REPLICA_SETS, NAMES)
    api.expires_after = place
    found = {one.owner.name: one.references for one in looks.read(REPLICA_SETS, NAMES)}
    assert found == {"0": {B}, "a": {B}, "b": {A}, "c": {A}}
    assert any("PartialObjectMetadataList" in accept for accept in api.accepts)


def test_an_object_without_a_version_is_always_read_again() -> None:
    items = [replica_set(name, uid=f"u-{name}") for name in "ab"]
    api: Any = PagesOf([without(item, "resourceVersion") for item in items])
    looks = ConsumerLists(Lists(api, "shop"), long=0, alone=0)
    looks.read(REPLICA_SETS, NAMES)
    api.items[1] = replica_set("b", B, uid="u-b")
    assert [one.references for one in looks.read(REPLICA_SETS, NAMES)] == [{A}, {B}]
