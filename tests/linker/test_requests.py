"""Every request of a run: how many for what is there, that lists are paged, and that none may be stale."""

from collections.abc import Mapping
from math import ceil
from typing import Any, NamedTuple
from urllib.parse import parse_qs, urlsplit

import pytest

from krm_fn.base.kind import CONSUMER_KINDS
from krm_fn.base.link_plan import LinkPlan, RevisionName, Workload
from krm_fn.linker.link import link
from krm_fn.linker.live_cluster import LiveCluster
from krm_fn.linker.report import Report
from tests.linker.fake_api_server import Call, FakeApiServer
from tests.linker.manifests import inventory, made_by, pods, revision, workload
from tests.linker.object_store import NAMESPACE, Object, ObjectStore
from tests.linker.test_wrong_lists import LONG_AGO, SERVED, ApiInMemory, Looks

KINDS = len(CONSUMER_KINDS)
METADATA = "PartialObjectMetadata"
MOST_EVENTS = 10


class Size(NamedTuple):
    """What is in a namespace: each workload has a ConfigMap, so many ReplicaSets, and two pods of the last of them."""

    workloads: int = 1
    replica_sets: int = 1
    secrets: int = 0
    unused: int = 0

    @property
    def longer_lists(self) -> int:
        """Pages beyond one a list, as in `lists`: 50 objects first, then 500 that are as small as here."""
        config_maps = 1 + self.workloads + self.secrets + self.unused
        lengths = (
            config_maps,
            self.workloads,
            self.workloads * self.replica_sets,
            self.workloads * 2,
        )
        return sum(map(_more_pages, lengths))


def _more_pages(length: int) -> int:
    return ceil(max(0, length - 50) / 500)


def store_of(size: Size) -> tuple[ObjectStore, LinkPlan]:
    """Fill a namespace, in which no revision has an owner yet."""
    store = ObjectStore()
    configs = [f"app-{number}-config-bbbbbbbbbb" for number in range(size.workloads)]
    secrets = [f"app-{number}-secret-bbbbbbbbbb" for number in range(size.secrets)]
    store.create(inventory(*configs, *secrets))
    workloads = []
    for number, config in enumerate(configs):
        of_it = secrets[number : number + 1]
        template = pods(config, secrets=of_it)
        deployment = store.create(workload("Deployment", f"app-{number}", template))
        for generation in range(size.replica_sets):
            last = store.create(
                made_by(deployment, "ReplicaSet", f"app-{number}-{generation}", template)
            )
        for pod in "ab":
            store.create(made_by(last, "Pod", f"app-{number}-{pod}", template))
        names = (
            RevisionName("ConfigMap", config),
            *(RevisionName("Secret", name) for name in of_it),
        )
        workloads.append(Workload("apps/v1", "Deployment", f"app-{number}", names))
    for name in configs + [f"app-{number}-config-cccccccccc" for number in range(size.unused)]:
        store.create(_old(revision(name)))
    for name in secrets:
        store.create(_old(revision(name, kind="Secret")))
        store.create(_old(revision(name, tracker=True)))
    return store, LinkPlan(set="web", workloads=tuple(workloads), timeout=300, minimum_age=600)


def _old(item: Object) -> Object:
    return {**item, "metadata": {**item["metadata"], "creationTimestamp": LONG_AGO}}


def run(store: ObjectStore, plan: LinkPlan) -> list[Call]:
    served: Mapping[str, tuple[str, str]] = {**SERVED, "secrets": ("v1", "Secret")}
    api: Any = ApiInMemory(FakeApiServer(store, served), lambda _, right: right, Looks())
    report = Report(NAMESPACE, lambda _: None)
    link(plan, LiveCluster(api, NAMESPACE), report)
    assert (report.warnings, report.failures) == ([], [])
    calls: list[Call] = api.calls
    return calls


def count(calls: list[Call]) -> dict[str, int]:
    """Count requests by what they do, in the words of RBAC."""
    found: dict[str, int] = {}
    for call in calls:
        verb = "list" if call.is_list else {"POST": "create"}.get(call.method, call.method.lower())
        found[verb] = found.get(verb, 0) + 1
    return found


SIZES = [
    Size(),
    Size(workloads=10, replica_sets=10),
    Size(workloads=10, secrets=10),
    Size(workloads=60, replica_sets=20),
    Size(workloads=300, replica_sets=2, secrets=60),
]


@pytest.mark.parametrize("size", SIZES, ids=str)
def test_a_scheduled_run_with_nothing_to_do_lists_each_kind_once(size: Size) -> None:
    """Besides, it gets each Secret of its plan: nobody may list Secrets."""
    store, plan = store_of(size)
    run(store, plan)
    found = count(run(store, plan._replace(waits=False)))
    assert found == {
        "list": 1 + KINDS + size.longer_lists,
        **({"get": size.secrets} if size.secrets else {}),
    }


@pytest.mark.parametrize("size", SIZES, ids=str)
def test_a_release_patches_each_revision_once_and_looks_once_more(size: Size) -> None:
    store, plan = store_of(size)
    found = count(run(store, plan))
    # The wait for the workloads lists two kinds, and then each look lists all of them.
    of_wait = 2 + _more_pages(1 + size.workloads + size.secrets) + _more_pages(size.workloads)
    assert found.pop("list") == of_wait + 2 * (1 + KINDS + size.longer_lists)
    assert found.pop("get", 0) == size.secrets
    # A tracker is patched twice: with its owners, and when it has become the owner of its Secret,
    # which is patched too.
    assert found.pop("patch") == size.workloads + 3 * size.secrets
    assert found.pop("create") <= 2 * MOST_EVENTS
    assert found == {}


def test_a_deletion_costs_one_patch_one_delete_and_two_more_looks_for_all() -> None:
    size = Size(workloads=10, unused=7)
    store, plan = store_of(size._replace(unused=0))
    run(store, plan)
    for number in range(size.unused):  # the inventory owns it since an earlier run
        store.create(
            _old(revision(f"app-{number}-config-cccccccccc", store.get("ConfigMap", "web-linker")))
        )
    found = count(run(store, plan._replace(waits=False)))
    assert found.pop("create") <= MOST_EVENTS
    # While there is something to delete, each look lists the inventories of other sets.
    assert found == {"list": 3 * (1 + KINDS) + 2, "patch": size.unused, "delete": size.unused}


def all_requests() -> list[Call]:
    """Return what is asked in a release that deletes, in the run after it, and in a scheduled one."""
    store, plan = store_of(Size(workloads=60, replica_sets=20, secrets=5, unused=5))
    return [*run(store, plan), *run(store, plan), *run(store, plan._replace(waits=False))]


def test_every_list_is_paged_and_none_may_be_answered_from_the_past() -> None:
    lists = [call for call in all_requests() if call.method == "GET" and call.is_list]
    for call in lists:
        query = parse_qs(urlsplit(call.target).query)
        assert 0 < int(query.pop("limit")[0]) <= 500, call
        # `resourceVersion=0` asks for what a cache of the API server has, which may lack the pod
        # that reads a revision.
        assert query.keys() <= {"continue", "labelSelector", "fieldSelector"}, call
    assert any("continue=" in call.target for call in lists)


def test_the_content_of_config_maps_and_secrets_is_never_asked_for() -> None:
    calls = [call for call in all_requests() if call.plural in {"configmaps", "secrets"}]
    assert {call.method for call in calls} == {"GET", "PATCH", "DELETE"}
    assert all(METADATA in call.headers["accept"] for call in calls if call.method != "DELETE")


def test_no_list_of_secrets_and_no_watch() -> None:
    calls = all_requests()
    assert [call for call in calls if call.plural == "secrets" and call.is_list] == []
    assert [call for call in calls if "watch" in call.target] == []


def test_a_long_list_is_read_whole_once_and_then_by_its_versions() -> None:
    """A second look at 1,200 ReplicaSets reads their metadata; one at 120 pods reads them again."""
    store, plan = store_of(Size(workloads=60, replica_sets=20))
    calls = [call for call in run(store, plan) if call.is_list]
    looks = {
        plural: [METADATA in call.headers["accept"] for call in calls if call.plural == plural]
        for plural in SERVED
    }
    pages = 1 + _more_pages(1_200)
    assert looks["replicasets"] == [False] * pages + [True] * pages
    assert not any(looks["pods"])
