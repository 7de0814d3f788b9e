"""One run for all sets of a namespace: it does for each what a run of its CronJob does, with the lists of one."""

import json
from collections.abc import Callable
from random import Random
from threading import Event
from typing import Any, NamedTuple

import pytest

from krm_fn.base import keys
from krm_fn.base.kind import CONSUMER_KINDS, Kind
from krm_fn.base.link_plan import LinkPlan
from krm_fn.base.problem import Outcome
from krm_fn.linker import link_all_sets as module
from krm_fn.linker import link_set
from krm_fn.linker.api import ApiError, Forbidden, Unreachable
from krm_fn.linker.cluster import observe
from krm_fn.linker.link_all_sets import link_all_sets
from krm_fn.linker.link_set import LinkOptions, Writes
from krm_fn.linker.live_cluster import LiveCluster
from krm_fn.linker.retry import Stopped
from krm_fn.linker.shared_looks import SharedLooks
from tests.linker import garbage_collector
from tests.linker.fake_api_server import FakeApiServer
from tests.linker.fake_cluster import FakeCluster
from tests.linker.manifests import (
    inventory,
    made_by,
    of_set,
    pod_of,
    pods,
    revision,
    thing,
    workload,
)
from tests.linker.object_store import NAMESPACE, NOON, Hook, Object, ObjectStore, no_hook
from tests.linker.test_wrong_lists import LONG_AGO, SERVED, ApiInMemory, Looks

STORES = Kind("external-secrets.io/v1", "ExternalSecret", "externalsecrets")
COMMON = LinkPlan(set="", timeout=300, minimum_age=600, waits=False)
NEW, OLD = "bbbbbbbbbb", "cccccccccc"
LOGIN = "login-dddddddddd"


def in_set(name: str, item: Object, **annotations: str) -> Object:
    """Put an object into a set, as old as can be."""
    annotations = {**item["metadata"]["annotations"], **annotations}
    return of_set(name, item, annotations=annotations, creationTimestamp=LONG_AGO)


def inventory_of(name: str, *names: str, run: str = "shared") -> Object:
    item = in_set(name, inventory(*names), **({keys.LINKER_RUN: run} if run else {}))
    item["metadata"]["name"] = f"{name}-linker"
    return item


def add_set(
    store: ObjectStore, name: str, *, is_superseded: bool = False, run: str = "shared"
) -> None:
    """Add a set with a Deployment, its ConfigMap and a pod; maybe with a ConfigMap that nothing references."""
    config = f"{name}-config-{NEW}"
    owner = store.create(inventory_of(name, config, run=run))
    store.create(in_set(name, revision(config)))
    deployment = store.create(workload("Deployment", name, pods(config)))
    history = store.create(made_by(deployment, "ReplicaSet", f"{name}-1", pods(config)))
    store.create(pod_of(history, f"{name}-1-a"))
    if is_superseded:
        store.create(in_set(name, revision(f"{name}-config-{OLD}", owner)))


def store_of(*names: str, superseded: str = "") -> ObjectStore:
    store = ObjectStore()
    for name in names:
        add_set(store, name, is_superseded=name in superseded.split())
    return store


class Ran(NamedTuple):
    outcome: Outcome
    lines: list[str]
    cluster: FakeCluster

    @property
    def names(self) -> set[str]:
        return {one["metadata"]["name"] for one in self.cluster.store.of_kind("ConfigMap")}

    @property
    def deleted(self) -> list[str]:
        return [one["delete"] for one in self.cluster.writes if "delete" in one]

    @property
    def summary(self) -> str:
        """The last line, without how long it took."""
        return self.outcome.stdout.decode().rpartition(";")[0]


class FakeApi:
    """Credentials and a number of requests, without an API server."""

    def __init__(self, cluster: FakeCluster) -> None:
        self._cluster = cluster

    @property
    def calls(self) -> int:
        return self._cluster.calls

    def namespace(self) -> str:
        return NAMESPACE


@pytest.fixture(autouse=True)
def in_order(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "shuffle", lambda names: names.sort())


def run(
    store: ObjectStore,
    hook: Hook = no_hook,
    options: LinkOptions = LinkOptions(),  # noqa: B008  # a value
    *kinds: Kind,
    seconds: int = 300,
) -> Ran:
    cluster = FakeCluster(store, hook, seconds)
    lines: list[str] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(link_set, "Api", lambda *_: FakeApi(cluster))
        patch.setattr(link_set, "LiveCluster", lambda *_: cluster)
        common = COMMON._replace(kinds=kinds, timeout=seconds)
        outcome = link_all_sets(common, options, Event(), lines.append, cluster.said.append)
    return Ran(outcome, lines, cluster)


def owners(store: ObjectStore, name: str) -> set[str]:
    metadata = store.get("ConfigMap", name)["metadata"]
    return {f"{one['kind']}/{one['name']}" for one in metadata.get("ownerReferences", [])}


def test_each_set_gets_its_own_owners_and_what_nothing_references_goes() -> None:
    store = store_of("web", "api", "job", superseded="api")
    ran = run(store)
    for name in ("web", "api", "job"):
        expected = {f"ConfigMap/{name}-linker", f"Deployment/{name}", f"ReplicaSet/{name}-1"}
        assert owners(store, f"{name}-config-{NEW}") == expected
    assert ran.deleted == [f"ConfigMap/api-config-{OLD}"]
    assert (ran.outcome.stderr, ran.outcome.exit_code) == ("", 0)
    assert ran.summary == "3 sets in shop: 3 linked, 1 deleted"
    assert "set api: 1 revision in shop: 1 linked, 1 deleted" in ran.lines
    assert (
        f"ConfigMap shop/web-config-{NEW}: + Deployment/web, + ReplicaSet/web-1, + ConfigMap/web-linker"
        in ran.lines
    )


def test_who_deletes_comes_last() -> None:
    ran = run(store_of("a", "b", "c", superseded="a"))
    assert [line for line in ran.lines if line.startswith("set ")] == [
        "set b: 1 revision in shop: 1 linked, 0 deleted",
        "set c: 1 revision in shop: 1 linked, 0 deleted",
        "set a: 1 revision in shop: 1 linked, 1 deleted",
    ]


@pytest.mark.parametrize("marker", ["", "own"])
def test_a_set_whose_inventory_does_not_say_so_is_left_to_its_own_job(marker: str) -> None:
    store = store_of("web")
    add_set(store, "api", is_superseded=True, run=marker)
    before = {key: one for key, one in store.contents().items() if "api" in key[1]}
    ran = run(store)
    assert before.items() <= store.contents().items()
    assert ran.summary == "1 set in shop: 1 linked, 0 deleted, 1 left to its own Job"
    assert ran.outcome.exit_code == 0


def test_a_set_without_an_inventory_is_linked_and_nothing_of_it_deleted() -> None:
    store = store_of("web")
    store.create(in_set("web", revision(f"web-config-{OLD}")))
    store.remove(store.get("ConfigMap", "web-linker"))
    ran = run(store)
    assert ran.deleted == []
    assert ran.outcome.exit_code == 0
    assert ran.outcome.stderr == (
        "warning: set web: ConfigMap shop/web-linker: does not exist; until then nothing is deleted\n"
    )


def take_over(store: ObjectStore, taker: str, *former: str) -> None:
    item = store.get("ConfigMap", f"{taker}-linker")
    annotations = {**item["metadata"]["annotations"], keys.FORMER_SETS: ",".join(former)}
    store.update_metadata(item, annotations=annotations)


def test_what_a_former_set_has_left_goes_and_nobody_misses_its_inventory() -> None:
    store = store_of("shop", "store", superseded="shop")
    store.remove(store.get("ConfigMap", "shop-linker"))
    take_over(store, "store", "shop")
    garbage_collector.collect(store)
    store.create(in_set("shop", revision(f"shop-config-{OLD}")))
    ran = run(store)
    assert ran.deleted == [f"ConfigMap/shop-config-{OLD}"]
    assert f"shop-config-{NEW}" in ran.names
    assert (ran.outcome.stderr, ran.outcome.exit_code) == ("", 0)
    assert ran.summary == "1 set in shop: 1 linked, 1 deleted"


def test_what_a_set_with_a_job_of_its_own_has_taken_over_is_left_to_that_job() -> None:
    store = store_of("shop", superseded="shop")
    store.remove(store.get("ConfigMap", "shop-linker"))
    add_set(store, "store", run="")
    take_over(store, "store", "shop")
    before = store.contents()
    ran = run(store)
    assert store.contents() == before
    assert ran.summary == "0 sets in shop: 0 linked, 0 deleted, 1 left to its own Job"
    assert ran.outcome.stderr == ""


@pytest.mark.parametrize("victim", ["shared", ""], ids=["the one linker", "its own Job"])
def test_a_set_that_is_alive_is_nobodys_former_set_whatever_another_inventory_says(
    victim: str,
) -> None:
    """The tenants of a namespace write inventories."""
    store = store_of("evil", superseded="evil")
    add_set(store, "web", is_superseded=True, run=victim)
    take_over(store, "evil", "web", "evil", "web,other)", "../web")
    alone = store_of("evil", superseded="evil")
    add_set(alone, "web", is_superseded=True, run=victim)
    run(store)
    run(alone)

    def of_web(one: ObjectStore) -> dict[str, tuple[set[str], dict[str, str]]]:
        items = [item for item in one.of_kind("ConfigMap") if "web" in item["metadata"]["name"]]
        names = {item["metadata"]["name"]: item["metadata"]["annotations"] for item in items}
        return {name: (owners(one, name), marks) for name, marks in names.items()}

    assert of_web(store) == of_web(alone)


def leave_to_its_own_job(store: ObjectStore, name: str) -> None:
    item = store.get("ConfigMap", f"{name}-linker")
    annotations = {keys.RENDERED: item["metadata"]["annotations"][keys.RENDERED]}
    store.update_metadata(item, annotations=annotations)


def test_a_set_that_gets_a_job_of_its_own_meanwhile_is_left_to_it() -> None:
    store = store_of("a", "web")

    def release(what: str) -> None:
        if what.startswith("patch ConfigMap/a-"):
            leave_to_its_own_job(store, "web")

    ran = run(store, release)
    assert ran.summary == "1 set in shop: 1 linked, 0 deleted, 1 left to its own Job"
    assert owners(store, f"web-config-{NEW}") == set()


def test_a_set_that_gets_a_job_of_its_own_in_the_grace_is_linked_and_nothing_of_it_deleted() -> (
    None
):
    """So it gives back the mark of what is wanted by now."""
    store = store_of("a", "web", superseded="a web")
    back = f"web-config-{OLD}"

    def release(what: str) -> None:
        if what.startswith("delete ConfigMap/a-"):
            leave_to_its_own_job(store, "web")
            store.create(workload("Deployment", "late", pods(back)))

    ran = run(store, release)
    assert ran.deleted == [f"ConfigMap/a-config-{OLD}"]
    assert store.get("ConfigMap", back)["metadata"]["annotations"][keys.WANTED] == "true"
    assert "Deployment/late" in owners(store, back)


REFUSALS = {
    "a patch of a revision": f"patch ConfigMap/api-config-{NEW}",
    "the mark before a deletion": f"patch ConfigMap/api-config-{OLD}",
    "a deletion": f"delete ConfigMap/api-config-{OLD}",
}


@pytest.mark.parametrize("call", REFUSALS.values(), ids=REFUSALS)
def test_what_is_refused_to_one_set_holds_up_no_other(call: str) -> None:
    store = store_of("api", "web", superseded="api web")

    def refuse(what: str) -> None:
        if what == call:
            what, why = f"ConfigMap shop/{call.partition('/')[2]}", "cannot patch: 422 no"
            raise ApiError(what, why)

    ran = run(store, refuse)
    assert f"ConfigMap/web-config-{OLD}" in ran.deleted
    assert "Deployment/web" in owners(store, f"web-config-{NEW}")
    name = call.partition("/")[2]
    assert ran.outcome.stderr == f"error: set api: ConfigMap shop/{name}: cannot patch: 422 no\n"
    assert ran.outcome.exit_code == 1
    assert ", 1 failed" in ran.summary


def test_a_list_that_fails_ends_the_run_and_is_said_once() -> None:
    def fail(what: str) -> None:
        if what == "list replicasets":
            what, why = "replicasets in shop", "no response"
            raise Unreachable(what, why)

    ran = run(store_of("api", "web"), fail)
    assert ran.outcome.stderr == "error: replicasets in shop: no response\n"
    assert (ran.outcome.exit_code, ran.cluster.writes) == (1, [])


def test_sets_cannot_be_found_without_a_list_of_config_maps() -> None:
    def fail(what: str) -> None:
        if what == "list configmaps":
            what, why = "configmaps in shop", "not permitted to list"
            raise Forbidden(what, why, "{}")

    ran = run(store_of("api", "web"), fail)
    assert ran.outcome.stderr == "error: configmaps in shop: not permitted to list\n"
    assert ran.outcome.exit_code == 1


def test_a_list_that_fails_in_the_second_look_ends_the_run() -> None:
    """Sets behind that have nothing to do with it, but need the same lists."""
    lists = 0

    def fail(what: str) -> None:
        nonlocal lists
        lists += what == "list configmaps"
        if lists == 3:
            what, why = "configmaps in shop", "no response"
            raise Unreachable(what, why)

    ran = run(store_of("a", "b", "c", superseded="a b"), fail)
    assert ran.outcome.stderr == "error: configmaps in shop: no response\n"
    assert (ran.outcome.exit_code, ran.deleted) == (1, [])


def test_a_kind_that_cannot_be_listed_is_said_once_and_asked_for_once_a_look() -> None:
    asked = []

    def refuse(what: str) -> None:
        if what == "list cronjobs":
            asked.append(what)
            what, why = "cronjobs in shop", "not permitted to list"
            raise Forbidden(what, why, "{}")

    ran = run(store_of("a", "b", "c", superseded="a b c"), refuse)
    said = "warning: cronjobs in shop: not permitted to list; until then nothing is deleted\n"
    assert (ran.outcome.stderr, ran.outcome.exit_code) == (said, 0)
    assert ran.deleted == []
    assert len(asked) == 4  # one look for all, and one more of each set that it has linked


def test_a_run_that_is_stopped_says_what_it_has_done() -> None:
    def stop(what: str) -> None:
        if what.startswith("patch ConfigMap/b"):
            raise Stopped

    ran = run(store_of("a", "b"), stop)
    assert ran.outcome.exit_code == 143
    assert (
        ran.outcome.stderr == "error: terminated; completed changes are kept, run again to finish\n"
    )
    assert ran.summary == "2 sets in shop: 1 linked, 0 deleted"


def test_json_has_each_set_as_a_run_for_it_alone_would_have_said_it() -> None:
    store = store_of("web", "api", superseded="api")
    add_set(store, "old", run="")
    ran = run(store, options=LinkOptions(as_json=True))
    document = json.loads(ran.outcome.stdout)
    sets = document.pop("sets")
    assert ran.lines == []
    assert document.pop("seconds") >= 0
    assert document == {
        "namespace": "shop",
        "withOwnJob": ["old"],
        "leftForTheNextRun": [],
        "calls": ran.cluster.calls,
        "exitCode": 0,
    }
    assert [one["set"] for one in sets] == ["api", "web"]
    assert [one["revisions"] for one in sets] == [1, 1]
    alone = json.loads(link_set_alone(store_of("web"), "web").stdout)
    assert [sorted(one) for one in sets] == [sorted(alone)] * 2


def link_set_alone(store: ObjectStore, name: str) -> Outcome:
    cluster = FakeCluster(store)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(link_set, "Api", lambda *_: FakeApi(cluster))
        patch.setattr(link_set, "LiveCluster", lambda *_: cluster)
        plan, options = COMMON._replace(set=name), LinkOptions(as_json=True)
        return link_set.link_set(plan, options, Event(), print, print)


@pytest.mark.parametrize("writes", [Writes.NOTHING, Writes.EVENTS])
def test_a_dry_run_changes_nothing(writes: Writes) -> None:
    store = store_of("web", "api", superseded="api")
    before = store.contents()
    ran = run(store, options=LinkOptions(writes=writes))
    assert store.contents() == before
    assert ran.summary == "2 sets in shop: 2 would be linked, 1 would be deleted"
    assert ran.outcome.exit_code == (4 if writes is Writes.EVENTS else 0)


def test_a_namespace_without_sets_has_nothing_to_link() -> None:
    ran = run(ObjectStore())
    assert (ran.summary, ran.outcome.exit_code) == ("0 sets in shop: 0 linked, 0 deleted", 0)


# The time limit


def test_sets_that_have_no_time_to_delete_are_left_for_the_next_run() -> None:
    names = [f"set-{letter}" for letter in "abcdefghijkl"]
    store = store_of(*names, "quiet", superseded=" ".join(names))

    def take_long(what: str) -> None:
        store.clock += 7 * what.startswith("delete")

    ran = run(store, take_long, seconds=60)
    assert 0 < len(ran.deleted) < len(names)
    left = [name for name in names if f"ConfigMap/{name}-config-{OLD}" not in ran.deleted]
    assert ran.outcome.stderr == (
        f"warning: the time limit of 60 s is over; left for the next run: {', '.join(left)}\n"
    )
    assert "Deployment/quiet" in owners(store, f"quiet-config-{NEW}")
    assert ran.outcome.exit_code == 0


def test_sets_that_delete_wait_together() -> None:
    store = store_of("api", "job", "web", superseded="api job web")
    began = store.clock
    ran = run(store)
    assert len(ran.deleted) == 3
    assert store.clock - began == 60
    assert len(ran.cluster.said) == 1


BROKEN = {
    "one": (1, "", 5),
    "two": (2, "", 5),
    "thirty": (30, "", 5),
    "one that deletes, too": (1, "broken-0", 65),
    "thirty beside one that deletes": (30, "web", 60),
    "thirty that delete, too": (30, " ".join(f"broken-{one}" for one in range(30)), 60),
}
"""How many sets have a workload that asks for what is not there, which sets delete, and the seconds of the run."""


def add_lost(store: ObjectStore, *names: str) -> None:
    """Add a Deployment to each of these sets that asks for a ConfigMap which is not there."""
    for name in names:
        store.create(workload("Deployment", f"{name}-lost", pods(f"{name}-config-gggggggggg")))


@pytest.mark.parametrize(("number", "superseded", "seconds"), BROKEN.values(), ids=BROKEN)
def test_broken_sets_cost_one_wait(number: int, superseded: str, seconds: int) -> None:
    names = [f"broken-{one}" for one in range(number)]
    store = store_of("web", *names, superseded=superseded)
    add_lost(store, *names)
    ran = run(store)
    assert store.clock - NOON == seconds
    assert len(ran.outcome.stderr.splitlines()) == number
    assert ran.outcome.stderr.count(", which does not exist; apply the manifests again\n") == number
    assert len(ran.deleted) == len(superseded.split())


def test_broken_sets_that_are_linked_share_a_look_after_the_wait() -> None:
    names = [f"broken-{one}" for one in range(9)]
    store = store_of(*names)
    add_lost(store, *names)
    run(store)
    calls: list[str] = []
    run(store, calls.append)
    lists = [call for call in calls if call.startswith("list ")]
    assert len(lists) == 2 * (1 + len(CONSUMER_KINDS))
    # What is missing is looked up before the wait and after it, and recorded.
    assert len(calls) - len(lists) == 3 * len(names)


def test_what_comes_while_broken_sets_wait_together_is_linked() -> None:
    store = store_of("api", "web")
    run(store)
    add_lost(store, "api", "web")
    late = {name: f"{name}-config-gggggggggg" for name in ("api", "web")}

    def bring(what: str) -> None:
        if what == "list configmaps" and store.clock > NOON:
            for name, config in late.items():
                if store.find("ConfigMap", config) is None:
                    store.create(in_set(name, revision(config)))

    ran = run(store, bring)
    assert (ran.outcome.stderr, ran.outcome.exit_code) == ("", 0)
    assert store.clock - NOON == 5
    for name, config in late.items():
        assert owners(store, config) == {f"ConfigMap/{name}-linker", f"Deployment/{name}-lost"}


def test_who_writes_to_what_is_marked_while_others_wait_gets_a_whole_grace() -> None:
    """A deployer that goes back to the revision applies it, and comes to its inventory only later."""
    store = store_of("api", "web", superseded="api web")
    back = f"web-config-{OLD}"
    times: list[float] = []

    def go_back(what: str) -> None:
        if what == f"patch ConfigMap/{back}":
            times.append(store.clock)
        if what == f"delete ConfigMap/api-config-{OLD}":
            item = store.get("ConfigMap", back)
            annotations = {**item["metadata"]["annotations"], keys.WANTED: "true"}
            store.update_metadata(item, annotations=annotations)
        if what == f"delete ConfigMap/{back}":
            times.append(store.clock)

    ran = run(store, go_back)
    assert sorted(ran.deleted) == [f"ConfigMap/api-config-{OLD}", f"ConfigMap/{back}"]
    marked, marked_again, deleted = times
    assert marked_again - marked == 60
    assert deleted - marked_again == 60


# Shared lists


def api_of(store: ObjectStore) -> Any:
    return ApiInMemory(FakeApiServer(store, SERVED), lambda _, right: right, Looks())


def requests(store: ObjectStore) -> list[str]:
    """Return what a run over all sets asks for."""
    api = api_of(store)
    sets = module.AllSets(COMMON, LinkOptions(), lambda: len(api.calls), lambda _: None)
    sets.link(LiveCluster(api, NAMESPACE))
    assert (sets.failures, sets.warnings) == ([], [])
    return [call.plural for call in api.calls]


def requests_with_nothing_to_do(number: int) -> list[str]:
    store = store_of(*(f"set-{one}" for one in range(number)))
    requests(store)
    return requests(store)


def test_sets_with_nothing_to_do_cost_the_requests_of_one() -> None:
    of_one = requests_with_nothing_to_do(1)
    assert of_one == ["configmaps", *(kind.plural for kind in by_look(CONSUMER_KINDS))]
    assert requests_with_nothing_to_do(20) == of_one


def by_look(kinds: tuple[Kind, ...]) -> list[Kind]:
    return sorted(kinds, key=lambda kind: kind.kind == "Pod")


def test_a_set_sees_in_a_shared_look_what_it_would_see_alone() -> None:
    store = store_of("web", "web-a", "api", superseded="web api")
    store.create(workload("Deployment", "both", pods(f"web-config-{NEW}", f"api-config-{OLD}")))
    store.create(workload("CronJob", "lost", pods("api-config-gggggggggg", "web-settings")))
    for name in ("web", "web-a", "api", "unknown"):
        plan = COMMON._replace(set=name)
        cluster = FakeCluster(store)
        shared = SharedLooks(cluster)
        for other in ("api", "web"):  # the look is shared with another set
            if other != name:
                observe(COMMON._replace(set=other), shared)
        assert observe(plan, shared) == observe(plan, FakeCluster(store))
        assert cluster.calls == 1 + len(CONSUMER_KINDS)


SETS = ("web", "web-a", "api")
WORDS = [f"{name}-config-{end}" for name in SETS for end in (NEW, OLD, "gggggggggg")]
WORDS += [LOGIN, "web-config", "settings"]
"""Names of revisions, some of which do not exist, and of other ConfigMaps."""


def add_random_referrer(store: ObjectStore, number: int, chance: Random) -> None:
    """Add an object of some kind, maybe with history and pods that reference something else."""

    def template() -> Object:
        return pods(*chance.sample(WORDS, chance.randint(0, 3)))

    kind = chance.choice(
        ["Deployment", "StatefulSet", "CronJob", "Rollout", "ReplicationController"]
    )
    made = store.create(workload(kind, f"{kind.lower()}-{number}", template()))
    history = chance.choice(["", "ReplicaSet", "ControllerRevision"])
    if history:
        store.create(made_by(made, history, f"history-{number}", template()))
    for pod in range(chance.randint(0, 2)):
        store.create(made_by(made, "Pod", f"pod-{number}-{pod}", template()))


@pytest.mark.parametrize("seed", range(40))
def test_each_set_sees_the_same_in_any_namespace(seed: int) -> None:
    chance = Random(seed)
    store = store_of("web", "api", superseded="web api")
    store.create(in_set("web-a", revision(f"web-a-config-{OLD}")))
    for number in range(12):
        add_random_referrer(store, number, chance)
    shared = SharedLooks(FakeCluster(store))
    for name in chance.sample(SETS, len(SETS)):
        plan = COMMON._replace(set=name)
        assert observe(plan, shared) == observe(plan, FakeCluster(store))


def test_a_set_that_has_used_a_look_begins_a_new_one() -> None:
    store = store_of("api", "web")
    cluster = FakeCluster(store)
    shared = SharedLooks(cluster)
    plans = {name: COMMON._replace(set=name) for name in ("api", "web")}
    each = 1 + len(CONSUMER_KINDS)
    for name, calls in (("api", each), ("web", each), ("web", 2 * each), ("api", 2 * each)):
        observe(plans[name], shared)
        assert cluster.calls == calls


def test_no_set_begins_with_what_was_seen_before_another_one_has_waited() -> None:
    store = store_of("api", "web")
    cluster = FakeCluster(store)
    shared = SharedLooks(cluster)
    observe(COMMON._replace(set="api"), shared)
    cluster.deadline.sleep(6, [])
    store.create(workload("Deployment", "late", pods(f"web-config-{NEW}")))
    seen = observe(COMMON._replace(set="web"), shared)
    assert "late" in {one.owner.name for one in seen.consumers}


@pytest.mark.parametrize("name", ["api", "web"])
def test_what_is_referenced_during_the_grace_of_any_set_stays(name: str) -> None:
    """Each set deletes after a look of its own."""
    store = store_of("api", "web", superseded="api web")
    wanted = f"{name}-config-{OLD}"

    def go_back(what: str) -> None:
        if what == f"patch ConfigMap/{wanted}" and store.find("Deployment", "late") is None:
            store.create(workload("Deployment", "late", pods(wanted)))

    ran = run(store, go_back)
    (deleted,) = {"api", "web"} - {name}
    assert ran.deleted == [f"ConfigMap/{deleted}-config-{OLD}"]
    assert "Deployment/late" in owners(store, wanted)
    assert store.get("ConfigMap", wanted)["metadata"]["annotations"][keys.WANTED] == "true"


# Secrets


def add_secret(store: ObjectStore, name: str = LOGIN, **annotations: str) -> None:
    """Add a Secret of set web with its tracker, which the inventory lists with all that it lists."""
    store.create(in_set("web", revision(name, kind="Secret")))
    store.create(in_set("web", revision(name, tracker=True), **annotations))


def list_in_inventory(store: ObjectStore, *names: str) -> None:
    item = store.get("ConfigMap", "web-linker")
    annotations = {**item["metadata"]["annotations"]}
    annotations[keys.RENDERED] = ",".join([annotations[keys.RENDERED], *names])
    store.update_metadata(item, annotations=annotations)


def test_a_secret_that_is_rendered_gets_its_tracker_as_owner() -> None:
    store = store_of("web")
    add_secret(store)
    add_secret(store, "former-eeeeeeeeee")
    list_in_inventory(store, LOGIN, "not-a-tracker")
    asked: list[str] = []
    ran = run(store, asked.append)
    assert (ran.outcome.stderr, ran.outcome.exit_code) == ("", 0)
    secret = store.get("Secret", LOGIN)["metadata"]
    assert [one["name"] for one in secret["ownerReferences"]] == [LOGIN]
    # Nothing else: the Role of the package names what is rendered.
    assert {one for one in asked if one.startswith("get")} == {f"get Secret/{LOGIN}"}


def test_a_secret_that_is_refused_is_a_failure_as_no_job_says_it() -> None:
    store = store_of("api", "web")
    add_secret(store)
    list_in_inventory(store, LOGIN)

    def refuse(what: str) -> None:
        if what == f"get Secret/{LOGIN}":
            what, why = f"Secret shop/{LOGIN}", "not permitted to get"
            raise Forbidden(what, why, "{}")

    ran = run(store, refuse)
    assert ran.outcome.stderr == f"error: set web: Secret shop/{LOGIN}: not permitted to get\n"
    assert ran.outcome.exit_code == 1
    assert "Deployment/api" in owners(store, f"api-config-{NEW}")


def store_with_producer(made_by_it: str) -> ObjectStore:
    store = store_of("web")
    producer = thing(
        "ExternalSecret", LOGIN, labels={keys.SET: "web"}, annotations={keys.BASE_NAME: "login"}
    )
    store.create(producer)
    store.create(in_set("web", revision(LOGIN, tracker=True), **{keys.MADE_BY: made_by_it}))
    list_in_inventory(store, LOGIN)
    return store


def test_what_makes_a_secret_is_linked_if_the_platform_names_its_kind() -> None:
    store = store_with_producer(f"ExternalSecret/{LOGIN}")
    ran = run(store, no_hook, LinkOptions(), STORES)
    assert (ran.outcome.stderr, ran.outcome.exit_code) == ("", 0)
    (owner,) = store.get("ExternalSecret", LOGIN)["metadata"]["ownerReferences"]
    assert owner["name"] == LOGIN


UNKNOWN = {
    "a kind that the platform does not name": (f"ExternalSecret/{LOGIN}", ()),
    "another kind": (f"Deployment/{LOGIN}", (STORES,)),
    "a path": ("ExternalSecret/../secrets/login", (STORES,)),
    "no name": ("ExternalSecret", (STORES,)),
    "a name that is none": ("ExternalSecret/a?b", (STORES,)),
}


@pytest.mark.parametrize(("maker", "kinds"), UNKNOWN.values(), ids=UNKNOWN)
def test_what_a_tenant_writes_names_no_kind_and_no_path(
    maker: str, kinds: tuple[Kind, ...]
) -> None:
    asked: list[str] = []
    ran = run(store_with_producer(maker), asked.append, LinkOptions(), *kinds)
    assert [one for one in asked if one.startswith("get")] == []
    assert ran.outcome.stderr == (
        f"warning: set web: ConfigMap shop/{LOGIN}: nothing links {maker}, of a kind that the linker of the namespace "
        "does not know; add it with --kind\n"
    )


def with_victim() -> ObjectStore:
    """Add a set with a Secret, an ExternalSecret that makes another one, and a ConfigMap to delete; and set evil."""
    store = store_with_producer(f"ExternalSecret/{LOGIN}")
    add_set(store, "evil")
    store.create(in_set("web", revision(f"web-config-{OLD}")))
    add_secret(store, "db-dddddddddd")
    list_in_inventory(store, "db-dddddddddd")
    return store


def add_evil(store: ObjectStore, *names: str, **annotations: str) -> None:
    """Let the inventory of set evil list these names, and add its tracker with these annotations."""
    store.create(in_set("evil", revision("dc-dddddddddd", tracker=True), **annotations))
    item = store.get("ConfigMap", "evil-linker")
    listed = {keys.RENDERED: ",".join(["dc-dddddddddd", *names])}
    store.update_metadata(item, annotations={**item["metadata"]["annotations"], **listed})


def add_second_inventory(store: ObjectStore) -> None:
    item, first = inventory_of("web", ""), store.get("ConfigMap", "web-linker")
    store.remove(first)
    store.create({**item, "metadata": {**item["metadata"], "name": "other-linker"}})
    store.create(first)  # whose place in a list is after the other's


def mark_revision(store: ObjectStore) -> None:
    item = store.get("ConfigMap", f"web-config-{NEW}")
    annotations = {**item["metadata"]["annotations"], keys.LINKER_RUN: "own", keys.RENDERED: ""}
    store.update_metadata(item, annotations=annotations)


def name_sets_by_paths(store: ObjectStore) -> None:
    for number, name in enumerate(("a/../web", "web,x", "..", "Web", "x" * 80, "web%2f", "-a")):
        store.create(in_set(name, revision(f"evil{number}-{OLD}")))


HOSTILE: dict[str, Callable[[ObjectStore], None]] = {
    "lists a Secret of another set": lambda store: add_evil(store, "db-dddddddddd", LOGIN),
    "tracks one under another name": lambda store: add_evil(
        store, **{keys.STANDS_FOR: "Secret", keys.MADE_BY: "Secret/db-dddddddddd"}
    ),
    "says that what makes one is its own": lambda store: add_evil(
        store, **{keys.MADE_BY: f"ExternalSecret/{LOGIN}"}
    ),
    "has an inventory with the label of another set": add_second_inventory,
    "marks a revision of another set as an inventory": mark_revision,
    "names its sets by paths": name_sets_by_paths,
    "lists a million letters": lambda store: add_evil(
        store, *(f"n{number}-bbbbbbbbbb" for number in range(60_000))
    ),
}


def owned(store: ObjectStore) -> dict[tuple[str, str], list[str]]:
    """Return the owners of each object that is not of set evil.

    An inventory owns each revision that it lists: it keeps it, and no more.
    """
    found: dict[tuple[str, str], list[str]] = {}
    for key, item in store.contents().items():
        if item["metadata"].get("labels", {}).get(keys.SET) == "web":
            names = [one["name"] for one in item["metadata"].get("ownerReferences", [])]
            mine = "evil-linker" if key[0] == "ConfigMap" else ""
            found[key] = [name for name in names if name != mine]
    return found


@pytest.mark.parametrize("attack", HOSTILE.values(), ids=HOSTILE)
def test_what_one_tenant_does_changes_nothing_of_another(
    attack: Callable[[ObjectStore], None],
) -> None:
    alone, beside = with_victim(), with_victim()
    run(alone, no_hook, LinkOptions(), STORES)
    attack(beside)
    ran = run(beside, no_hook, LinkOptions(), STORES)
    assert f"ConfigMap/web-config-{OLD}" in ran.deleted
    assert owned(alone).items() <= owned(beside).items()


def test_a_label_that_is_no_name_of_a_set_is_no_set() -> None:
    store = store_of("web")
    store.create(in_set("No_set", revision(f"other-{OLD}")))
    ran = run(store)
    assert ran.summary == "1 set in shop: 1 linked, 0 deleted"


def test_the_second_run_finds_nothing_to_do() -> None:
    store = store_of("web", "api", superseded="api")
    run(store)
    before = store.contents()
    ran = run(store)
    assert (store.contents(), ran.cluster.writes, ran.lines) == (before, [], [])
    assert ran.cluster.calls == 1 + len(CONSUMER_KINDS)
