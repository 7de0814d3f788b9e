"""Two sets render one object: its label is that of one of them, and the run for the other one sees it."""

from typing import NamedTuple

import pytest

from krm_fn.base import keys
from krm_fn.base.link_plan import LinkPlan, RevisionName, Workload
from tests.linker.manifests import B, inventory, of_set, pods, revision, workload
from tests.linker.object_store import Object, ObjectStore
from tests.linker.test_link import CompletedRun, old
from tests.linker.test_link_all_sets import run as run_all

FIXED = "web-config"
PLAN = LinkPlan(
    "web", 300, 0, (Workload("apps/v1", "Deployment", "web", (RevisionName("ConfigMap", B),)),)
)
WARNING = (
    f"ConfigMap shop/{B}: is a revision of set other and of set web: their deployers write its label by turns; make "
    "what both include a package of its own"
)
BY_BOTH = {"ConfigMap/web-linker", "ConfigMap/other-linker", "Deployment/web"}


def annotated(item: Object, **annotations: str) -> Object:
    metadata = item["metadata"]
    return {
        **item,
        "metadata": {**metadata, "annotations": {**metadata["annotations"], **annotations}},
    }


def unlabelled(item: Object) -> Object:
    return {**item, "metadata": {**item["metadata"], "labels": {}}}


def inventory_of_other(*names: str, is_leaving: bool = False) -> Object:
    return of_set("other", inventory(*names, is_leaving=is_leaving), name="other-linker")


OF_OTHER = of_set("other", old(revision(B)))
LISTED = inventory_of_other(B)
STRANGER = {"apiVersion": "v1", "kind": "ConfigMap", "name": "strange", "uid": "u-strange"}


class Row(NamedTuple):
    """An object under a name that set `web` renders, and the inventory of the other set.

    `owners`: those that it has after a run of the Job of `web`. `by_all`: after one of the linker of
    the namespace, where that differs: it links the other set as well.
    """

    item: Object
    inventory: Object | None
    owners: set[str] = set()  # noqa: RUF012  # a value
    by_all: set[str] | None = None


HELD = of_set("other", revision(B), ownerReferences=[STRANGER])
GOING = of_set("other", LISTED, name="other-linker", deletionTimestamp="2026-06-01T12:00:00Z")
ROWS = {
    "both list it": Row(OF_OTHER, LISTED, BY_BOTH),
    "its own set has gone": Row(OF_OTHER, None),
    "its own set has gone, and somebody owns it": Row(
        HELD,
        None,
        {"ConfigMap/strange", "ConfigMap/web-linker", "Deployment/web"},
        by_all={"ConfigMap/strange", "Deployment/web"},
    ),
    "its own set does not list it any more": Row(OF_OTHER, inventory_of_other(), by_all=BY_BOTH),
    "its own set leaves krm-fn": Row(OF_OTHER, inventory_of_other(B, is_leaving=True)),
    "the inventory of its set is being deleted": Row(OF_OTHER, GOING),
    "it is retained": Row(of_set("other", revision(B, retain=True)), LISTED),
    "it has no label": Row(unlabelled(revision(B)), LISTED),
    "its base name is another one": Row(annotated(OF_OTHER, **{keys.BASE_NAME: "strange"}), LISTED),
    "it is an inventory": Row(of_set("other", inventory(B), name=B), LISTED),
}


def store_with(row: Row, *, is_shared: bool) -> ObjectStore:
    store = ObjectStore()
    store.create(inventory(B, is_shared=is_shared))
    store.create(workload("Deployment", "web", pods(B)))
    store.create(row.item)
    if row.inventory is not None:
        marks = {keys.LINKER_RUN: keys.SHARED_LINKER} if is_shared else {}
        store.create(annotated(row.inventory, **marks))
    return store


def owners_of(store: ObjectStore, name: str = B) -> set[str]:
    metadata = store.get("ConfigMap", name)["metadata"]
    return {f"{one['kind']}/{one['name']}" for one in metadata.get("ownerReferences", [])}


def link_web(store: ObjectStore, *, is_shared: bool) -> None:
    if is_shared:
        run_all(store)
    else:
        CompletedRun(store, PLAN)


MODES = pytest.mark.parametrize("is_shared", [False, True], ids=["own Job", "one linker"])


@MODES
@pytest.mark.parametrize("row", ROWS.values(), ids=ROWS)
def test_a_run_gives_owners_to_what_another_set_renders_too_and_changes_nothing_else(
    row: Row, *, is_shared: bool
) -> None:
    store = store_with(row, is_shared=is_shared)
    before = store.get("ConfigMap", B)
    link_web(store, is_shared=is_shared)
    expected = row.by_all if is_shared and row.by_all is not None else row.owners
    assert owners_of(store) == expected
    after = store.get("ConfigMap", B)
    metadata = {**after["metadata"], "ownerReferences": [], "resourceVersion": ""}
    assert metadata == {**before["metadata"], "ownerReferences": [], "resourceVersion": ""}


def test_what_has_kept_its_name_may_be_anybodys() -> None:
    store = ObjectStore()
    store.create(inventory(FIXED))
    store.create(inventory_of_other(FIXED))
    store.create(workload("Deployment", "web", pods(FIXED)))
    item = of_set("other", old(revision(FIXED)))
    store.create(annotated(item, **{keys.BASE_NAME: FIXED}))
    revisions = (RevisionName("ConfigMap", FIXED),)
    workloads = (Workload("apps/v1", "Deployment", "web", revisions),)
    run = CompletedRun(store, PLAN._replace(workloads=workloads))
    assert owners_of(store, FIXED) == set()
    (said,) = [one for one in run.report.warnings if f"/{FIXED}: " in one]
    assert said.startswith(f"ConfigMap shop/{FIXED}: exists, and is of set other; ")


def test_a_set_that_the_one_linker_links_borrows_from_no_set_with_a_job_of_its_own() -> None:
    store = ObjectStore()
    for item in (inventory(B, is_shared=True), LISTED, OF_OTHER):
        store.create(item)
    store.create(workload("Deployment", "web", pods(B)))
    run_all(store)
    assert owners_of(store) == set()


@MODES
def test_a_run_says_at_once_whose_it_is_and_succeeds(*, is_shared: bool) -> None:
    store = store_with(ROWS["both list it"], is_shared=is_shared)
    began = store.clock
    if is_shared:
        assert f"set web: {WARNING}" in run_all(store).outcome.stderr
        return
    run = CompletedRun(store, PLAN)
    assert store.clock - began <= 10  # seconds for a ReplicaSet, which this store makes none of
    assert (run.report.warnings, run.report.failures) == ([WARNING], [])


@pytest.mark.parametrize("row", ["it has no label", "its base name is another one"])
def test_what_nobody_has_made_is_not_said_to_be_missing(row: str) -> None:
    run = CompletedRun(store_with(ROWS[row], is_shared=False), PLAN)
    (said,) = [one for one in run.report.warnings if f"/{B}: " in one]
    assert said.startswith(f"ConfigMap shop/{B}: exists, and krm-fn has not made it")


@MODES
def test_an_inventory_of_another_set_keeps_what_it_lists_and_is_no_reason_to_keep_more(
    *, is_shared: bool
) -> None:
    """The label is that of `web`, which has moved on; the other set still renders it, and then does not."""
    store = store_with(Row(old(revision(B)), LISTED), is_shared=is_shared)
    listed = store.get("ConfigMap", "other-linker")
    owner = {"apiVersion": "v1", "kind": "ConfigMap", "name": "other-linker"}
    uid = listed["metadata"]["uid"]
    item = store.get("ConfigMap", B)
    store.update_metadata(item, ownerReferences=[{**owner, "uid": uid}])
    mine = store.get("ConfigMap", "web-linker")
    store.update_metadata(mine, annotations={**mine["metadata"]["annotations"], keys.RENDERED: ""})
    store.remove(store.get("Deployment", "web"))
    nothing = PLAN._replace(workloads=())
    for expected in (True, False):
        if is_shared:
            run_all(store)
        else:
            CompletedRun(store, nothing)
        assert (store.find("ConfigMap", B) is not None) == expected
        marks = {**listed["metadata"]["annotations"], keys.RENDERED: ""}
        store.update_metadata(store.get("ConfigMap", "other-linker"), annotations=marks)
