"""Whole runs of the linker, also while other clients change the objects."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from itertools import combinations
from typing import Any, NamedTuple

import pytest

from krm_fn.base import keys
from krm_fn.base.kind import ADD_ON_KINDS, BUILT_IN_KINDS, Kind, kind_named
from krm_fn.base.link_plan import LinkPlan, RevisionName, Workload
from krm_fn.linker.api import ApiError, Forbidden, Misnamed, NoList, NotServed
from krm_fn.linker.cluster import DryRun
from krm_fn.linker.link import SUPERSEDED, link
from krm_fn.linker.owners import RevisionPatch
from krm_fn.linker.report import Report
from krm_fn.linker.retry import OutOfTime, Stopped
from tests.linker.fake_cluster import FakeCluster, refused
from tests.linker.former_set import COPIED, KEY, renamed_set
from tests.linker.garbage_collector import collect, delete
from tests.linker.manifests import (
    A,
    B,
    C,
    inventory,
    linker_cron_job,
    linker_job,
    made_by,
    of_set,
    pod_of,
    pods,
    reference,
    revision,
    workload,
)
from tests.linker.object_store import NAMESPACE, NOON, Hook, Object, ObjectStore, no_hook
from tests.linker.stepwise_run import Killed, StepwiseRun

DELETED_C = f"ConfigMap shop/{C}: deleted, nothing references it; last referenced by Deployment/web"
CREDENTIALS = "web-login-gggggggggg"
LONG_AGO = "2026-05-01T12:00:00Z"
PLAN = LinkPlan(
    set="web",
    workloads=(Workload("apps/v1", "Deployment", "web", (RevisionName("ConfigMap", B),)),),
    timeout=300,
    minimum_age=600,
)
WITH_SECRET = LinkPlan(
    set="web",
    workloads=(
        Workload(
            "apps/v1",
            "Deployment",
            "web",
            (RevisionName("ConfigMap", B), RevisionName("Secret", CREDENTIALS)),
        ),
    ),
    timeout=300,
    minimum_age=600,
)


def old(item: Object) -> Object:
    return {**item, "metadata": {**item["metadata"], "creationTimestamp": LONG_AGO}}


def changed() -> ObjectStore:
    """Create a workload that was changed from A to B and owns A.

    Both have a ReplicaSet. Nothing uses C any more.
    """
    store = ObjectStore()
    lists = store.create(inventory(B))
    web = store.create(workload("Deployment", "web", pods(B)))
    store.create(made_by(web, "ReplicaSet", "web-1", pods(A)))
    store.create(made_by(web, "ReplicaSet", "web-2", pods(B)))
    store.create(old(revision(A, web)))
    store.create(revision(B))
    store.create(old(revision(C, lists, web)))
    return store


def with_secret() -> ObjectStore:
    store = ObjectStore()
    store.create(inventory(B, CREDENTIALS))
    web = store.create(workload("Deployment", "web", pods(B, secrets=[CREDENTIALS])))
    store.create(made_by(web, "ReplicaSet", "web-1", pods(B, secrets=[CREDENTIALS])))
    store.create(revision(B))
    store.create(revision(CREDENTIALS, tracker=True))
    store.create(revision(CREDENTIALS, kind="Secret"))
    return store


class CompletedRun:
    """A run, with its output and what it left."""

    def __init__(self, store: ObjectStore, plan: LinkPlan = PLAN, hook: Hook = no_hook) -> None:
        self.store = store
        self.lines: list[str] = []
        self.report = Report(NAMESPACE, self.lines.append)
        self.cluster = FakeCluster(store, hook, plan.timeout)
        link(plan, self.cluster, self.report)


def owners(store: ObjectStore, name: str, kind: str = "ConfigMap") -> list[str]:
    item = store.find(kind, name)
    assert item is not None, f"{kind}/{name} is gone"
    return [
        f"{owner['kind']}/{owner['name']}" for owner in item["metadata"].get("ownerReferences", [])
    ]


def once(when: Callable[[str], bool], act: Callable[[], object]) -> Hook:
    """Act before the first call that matches."""
    left = [act]

    def hook(what: str) -> None:
        if left and when(what):
            left.pop()()

    return hook


def before(call: str, act: Callable[[], object], number: int = 1) -> Hook:
    """Act before the n-th call whose description starts like this; `""` is any call."""
    calls: Iterator[int] = iter(range(1, 1000))
    return once(lambda what: what.startswith(call) and next(calls) == number, act)


LIST = "ConfigMap/web-linker"


def test_owners_are_only_added() -> None:
    run = CompletedRun(changed())
    assert owners(run.store, A) == ["Deployment/web", "ReplicaSet/web-1", LIST]
    assert owners(run.store, B) == ["Deployment/web", "ReplicaSet/web-2", LIST]
    assert run.store.find("ConfigMap", C) is None
    assert run.lines == [
        f"ConfigMap shop/{A}: + ReplicaSet/web-1, + {LIST}",
        f"ConfigMap shop/{B}: + Deployment/web, + ReplicaSet/web-2, + {LIST}",
        DELETED_C,
    ]
    assert run.report.summary() == "2 revisions in shop: 2 linked, 1 deleted"
    assert run.report.problems == []


def test_what_a_former_set_has_left_goes_by_the_same_rules() -> None:
    done = CompletedRun(renamed_set())
    collect(done.store)
    left = {item["metadata"]["name"] for item in done.store.of_kind("ConfigMap", "Secret")}
    assert left == {A, B, KEY, COPIED, "web-linker"}
    assert owners(done.store, A) == ["Deployment/web", "ReplicaSet/web-1", "ConfigMap/web-linker"]
    assert owners(done.store, COPIED) == []
    assert f"delete secret/{KEY} configmap/{KEY}" in "".join(done.report.warnings)


def test_a_set_that_has_an_inventory_is_nobodys_former_set() -> None:
    done = CompletedRun(renamed_set(is_former_alive=True))
    written = [one["patch"] for one in done.cluster.writes if "event" not in one]
    assert written == [f"ConfigMap/{B}"]


def test_a_former_set_that_gets_its_inventory_back_in_the_grace_keeps_everything() -> None:
    store = renamed_set()

    def come_back(_: str) -> None:
        marked = keys.WANTED not in store.get("ConfigMap", C)["metadata"]["annotations"]
        if marked and store.find("ConfigMap", "shop-linker") is None:
            store.create(of_set("shop", inventory(C), name="shop-linker"))
            store.clock += 11

    before = {item["metadata"]["name"] for item in store}
    done = CompletedRun(store, hook=come_back)
    assert {item["metadata"]["name"] for item in store} == before | {"shop-linker"}
    assert done.store.get("ConfigMap", C)["metadata"]["annotations"][keys.WANTED] == "true"


def test_a_change_is_recorded_in_events() -> None:
    events = [write for write in CompletedRun(changed()).cluster.writes if "event" in write]
    assert [(event["event"], event["reason"]) for event in events] == [
        ("Deployment/web", "RevisionsLinked"),
        (LIST, "RevisionsDeleted"),
    ]


def test_a_second_run_writes_nothing() -> None:
    store = CompletedRun(changed()).store
    assert CompletedRun(store).cluster.writes == []


def unlisted(kind: Kind, error: type[ApiError], *more: str) -> Hook:
    def hook(what: str) -> None:
        if what == f"list {kind.plural}":
            raise error(kind.plural, "no", *more)

    return hook


OWN_KIND = Kind("example.com/v1", "VLogs", "vlogses")
OWN_PLAN = PLAN._replace(kinds=(OWN_KIND,))
KINDS_LISTED = [*BUILT_IN_KINDS, OWN_KIND]


@pytest.mark.parametrize("kind", KINDS_LISTED, ids=lambda kind: kind.kind)
@pytest.mark.parametrize(
    ("error", "more"),
    [(NotServed, ()), (NoList, ()), (Forbidden, ("rule",))],
    ids=["404", "endless", "403"],
)
def test_while_a_kind_is_unread_the_others_are_linked_and_nothing_is_deleted(
    kind: Kind, error: type[ApiError], more: tuple[str, ...]
) -> None:
    run = CompletedRun(changed(), OWN_PLAN, unlisted(kind, error, *more))
    is_planned_and_absent = (kind.kind, error) == ("Deployment", NotServed)
    assert run.store.find("ConfigMap", C) is not None
    assert [
        one for one in owners(run.store, B) if one not in {"Deployment/web", "ReplicaSet/web-2"}
    ] == [LIST]
    assert len(owners(run.store, B)) >= 2
    sentence = f"{kind.plural}: no; until then nothing is deleted"
    assert sentence in (run.report.failures if is_planned_and_absent else run.report.warnings)
    assert run.store.clock == NOON


@pytest.mark.parametrize(
    ("error", "more"), [(NotServed, ()), (Misnamed, ("rule",))], ids=["404", "another plural"]
)
def test_a_planned_workload_of_a_kind_that_the_api_server_does_not_have_is_a_failure(
    error: type[ApiError], more: tuple[str, ...]
) -> None:
    workloads = (
        *PLAN.workloads,
        Workload("example.com/v1", "VLogs", "logs", (RevisionName("ConfigMap", B),)),
    )
    run = CompletedRun(
        changed(), OWN_PLAN._replace(workloads=workloads), unlisted(OWN_KIND, error, *more)
    )
    assert run.report.failures == ["vlogses: no; until then nothing is deleted"]
    assert owners(run.store, B) == ["Deployment/web", "ReplicaSet/web-2", LIST]
    assert [write["reason"] for write in run.cluster.writes if write.get("warning")] == [
        "NotLinked"
    ]


@pytest.mark.parametrize("kind", ADD_ON_KINDS, ids=lambda kind: kind.kind)
def test_argo_rollouts_need_not_be_installed(kind: Kind) -> None:
    run = CompletedRun(changed(), hook=unlisted(kind, NotServed))
    assert run.store.find("ConfigMap", C) is None
    assert run.report.problems == []


@pytest.mark.parametrize("kind", ADD_ON_KINDS, ids=lambda kind: kind.kind)
def test_a_kind_of_argo_rollouts_that_the_package_holds_must_be_installed(kind: Kind) -> None:
    run = CompletedRun(changed(), PLAN._replace(kinds=(kind,)), unlisted(kind, NotServed))
    assert run.store.find("ConfigMap", C) is not None
    assert run.report.warnings == [f"{kind.plural}: no; until then nothing is deleted"]


def edited(kind: str, number: int = 1) -> ObjectStore:
    """Create a workload whose template was changed from A to B, with pods that have started before."""
    store = ObjectStore()
    store.create(inventory(B))
    web = store.create(workload(kind, "web", pods(A)))
    for one in range(number):
        store.create(pod_of(web, f"web-{one}"))
    web = store.update(web, spec={"template": pods(B)})
    store.create(pod_of(web, "web-new"))
    store.create(old(revision(A)))
    store.create(revision(B))
    return store


NO_WORKLOAD = PLAN._replace(workloads=(), revisions=(RevisionName("ConfigMap", B),))


@pytest.mark.parametrize(
    "kind", ["ReplicaSet", "ReplicationController", "StatefulSet", "DaemonSet", "Job"]
)
def test_a_pod_keeps_its_revision_when_the_template_of_its_controller_is_edited(kind: str) -> None:
    store = edited(kind)
    CompletedRun(store, NO_WORKLOAD)
    assert owners(store, A) == [LIST, f"{kind}/web"] or owners(store, A) == [f"{kind}/web", LIST]
    store.remove(store.get("Pod", "web-0"))
    CompletedRun(store, NO_WORKLOAD)
    assert store.find("ConfigMap", A) is None


def test_many_pods_are_one_owner() -> None:
    store = edited("ReplicaSet", number=500)
    CompletedRun(store, NO_WORKLOAD)
    assert sorted(owners(store, A)) == [LIST, "ReplicaSet/web"]


def test_a_pod_that_has_ended_keeps_its_revision_until_it_is_gone() -> None:
    """Nobody starts it again, but to tell whether it has ended for good is not worth a mistake."""
    store = edited("ReplicaSet")
    store.update(store.get("Pod", "web-0"), status={"phase": "Failed"})
    CompletedRun(store, NO_WORKLOAD)
    assert store.find("ConfigMap", A) is not None


def test_a_pod_whose_controller_is_gone_meanwhile_keeps_its_revision_without_an_owner() -> None:
    store = edited("ReplicaSet")
    CompletedRun(
        store,
        NO_WORKLOAD,
        before("list pods", lambda: store.remove(store.get("ReplicaSet", "web"))),
    )
    assert "Pod/web-0" not in owners(store, A)


def test_pods_are_read_after_their_controllers() -> None:
    """A pod that starts between the two reads, from a template that is edited then, is seen."""
    store = edited("ReplicaSet")
    store.remove(store.get("Pod", "web-0"))
    web = store.update(store.get("ReplicaSet", "web"), spec={"template": pods(A)})

    def start_and_edit() -> None:
        store.create(pod_of(web, "web-late"))
        store.update(web, spec={"template": pods(B)})

    store.update(web, spec={"template": pods(B)})
    CompletedRun(store, NO_WORKLOAD, before("list replicasets", start_and_edit))
    assert store.find("ConfigMap", A) is not None


def test_a_revision_is_deleted_by_the_run_after_its_last_replica_set() -> None:
    store = CompletedRun(changed()).store
    store.remove(store.get("ReplicaSet", "web-1"))
    collect(store)
    assert owners(store, A) == ["Deployment/web", LIST]
    CompletedRun(store)
    assert sorted(item["metadata"]["name"] for item in store.of_kind("ConfigMap")) == [
        B,
        "web-linker",
    ]


def test_everything_is_garbage_collected_when_the_set_is_uninstalled() -> None:
    store = CompletedRun(with_secret(), WITH_SECRET).store
    for item in (store.get("Deployment", "web"), store.get("ConfigMap", "web-linker")):
        delete(store, item)
    collect(store)
    assert list(store) == []


def test_a_secret_is_garbage_collected_with_its_tracker() -> None:
    run = CompletedRun(with_secret(), WITH_SECRET)
    assert owners(run.store, CREDENTIALS) == ["Deployment/web", "ReplicaSet/web-1", LIST]
    assert owners(run.store, CREDENTIALS, "Secret") == [f"ConfigMap/{CREDENTIALS}"]
    assert sorted(line for line in run.lines if line.startswith("Secret")) == [
        f"Secret shop/{CREDENTIALS}: + ConfigMap/{CREDENTIALS}",
        f"Secret shop/{CREDENTIALS}: + Deployment/web, + ReplicaSet/web-1, + {LIST}",
    ]
    run.store.remove(run.store.get("ConfigMap", CREDENTIALS))
    collect(run.store)
    assert run.store.of_kind("Secret") == []


def test_a_secret_gets_its_tracker_as_owner_once() -> None:
    store = CompletedRun(with_secret(), WITH_SECRET).store
    assert CompletedRun(store, WITH_SECRET).cluster.writes == []


@pytest.mark.parametrize(
    ("secrets", "waits", "is_failure"),
    [
        pytest.param([CREDENTIALS], True, True, id="a Job, and a workload references it"),
        pytest.param([], True, True, id="a Job: no later one may link it"),
        pytest.param([CREDENTIALS], False, True, id="a CronJob, and a workload references it"),
        pytest.param([], False, False, id="a CronJob: its next run may link it"),
    ],
)
def test_a_missing_secret(secrets: list[str], *, waits: bool, is_failure: bool) -> None:
    store = with_secret()
    store.remove(store.get("Secret", CREDENTIALS))
    store.update(store.get("Deployment", "web"), spec={"template": pods(B, secrets=secrets)})
    report = CompletedRun(store, WITH_SECRET._replace(waits=waits)).report
    sentence = f"Secret shop/{CREDENTIALS}: does not exist; apply the manifests again"
    assert (sentence in report.failures, sentence in report.warnings) == (
        is_failure,
        not is_failure,
    )


WITHOUT_TRACKER = (
    f"Secret shop/{CREDENTIALS}: has no tracker, and nothing would ever delete it; "
    f"apply the manifests again"
)


@pytest.mark.parametrize("waits", [True, False], ids=["a Job fails", "a CronJob warns"])
def test_a_secret_without_its_tracker_is_named(*, waits: bool) -> None:
    """As where the API server has died between the two."""
    store = with_secret()
    store.remove(store.get("ConfigMap", CREDENTIALS))
    report = CompletedRun(store, WITH_SECRET._replace(waits=waits)).report
    found = (report.failures, report.warnings)
    assert found == (([WITHOUT_TRACKER], []) if waits else ([], [WITHOUT_TRACKER]))


def test_a_tracker_that_comes_seconds_after_its_secret_is_not_missing() -> None:
    store = with_secret()
    tracker = store.get("ConfigMap", CREDENTIALS)
    store.remove(tracker)
    late = revision(CREDENTIALS, tracker=True)
    asked = before(f"get Secret/{CREDENTIALS}", lambda: store.create(late))
    assert CompletedRun(store, WITH_SECRET._replace(waits=False), asked).report.problems == []


def test_a_failed_wait_for_a_tracker_ends_with_what_both_lack() -> None:
    """Neither the Secret nor its tracker has come: whoever applies them later has no Job that links them."""
    store = with_secret()
    for kind in ("Secret", "ConfigMap"):
        store.remove(store.get(kind, CREDENTIALS))
    report = CompletedRun(store, WITH_SECRET).report
    sentence = f"Secret shop/{CREDENTIALS}: does not exist; apply the manifests again"
    assert (report.failures, report.warnings) == ([sentence], [])


@pytest.mark.parametrize("waits", [True, False], ids=["a Job fails", "a CronJob warns"])
@pytest.mark.parametrize("call", [f"{verb} Secret/{CREDENTIALS}" for verb in ("get", "patch")])
def test_a_secret_that_cannot_be_linked_is_left_to_nobody(call: str, *, waits: bool) -> None:
    report = CompletedRun(with_secret(), WITH_SECRET._replace(waits=waits), refused(call)).report
    left = f"{call}: refused; run the Job again, as no later one may link Secret shop/{CREDENTIALS}"
    found = report.failures, report.warnings
    assert found == (([left], []) if waits else ([], [f"{call}: refused"]))


class Ended(NamedTuple):
    """How a run ends that cannot go on, where it began, and what it says of the Secret."""

    raised: Exception
    at: str
    is_left: bool = True


ENDED = [
    pytest.param(Ended(ApiError("a list", "no"), "list configmaps"), id="its first look"),
    pytest.param(Ended(OutOfTime(), f"get Secret/{CREDENTIALS}"), id="before it is linked"),
    pytest.param(Ended(OutOfTime(), f"patch ConfigMap/{B}", is_left=False), id="after that"),
]


@pytest.mark.parametrize("waits", [True, False], ids=["a Job", "a CronJob"])
@pytest.mark.parametrize("ended", ENDED)
def test_a_run_that_cannot_go_on_says_which_secret_nobody_links(
    ended: Ended, *, waits: bool
) -> None:
    def end() -> None:
        raise ended.raised

    report = Report(NAMESPACE, lambda _: None)
    cluster = FakeCluster(with_secret(), before(ended.at, end))
    with pytest.raises(type(ended.raised)):
        link(WITH_SECRET._replace(waits=waits), cluster, report)
    left = (
        f"the run has ended before it was linked; run the Job again, as no later one may link "
        f"Secret shop/{CREDENTIALS}"
    )
    assert len(report.warnings) == int(not waits)
    assert report.failures[1:] == ([left] if waits and ended.is_left else [])


def abandoned() -> ObjectStore:
    """Go back to the Secret after its tracker was deleted, before the garbage collector has looked at it."""
    store = CompletedRun(with_secret(), WITH_SECRET).store
    store.remove(store.get("ConfigMap", CREDENTIALS))
    store.create(revision(CREDENTIALS, tracker=True))
    return store


@pytest.mark.parametrize("waits", [True, False], ids=["a Job", "a CronJob"])
def test_a_secret_whose_owners_are_gone_gets_its_new_tracker_before_anything_is_waited_for(
    *, waits: bool
) -> None:
    store = abandoned()
    store.remove(store.get("ReplicaSet", "web-1"))  # which a Job waits for
    run = CompletedRun(store, WITH_SECRET._replace(waits=waits))
    first = run.cluster.writes[0]
    assert (first["patch"], first["metadata"]["ownerReferences"][0]["uid"]) == (
        f"Secret/{CREDENTIALS}",
        store.get("ConfigMap", CREDENTIALS)["metadata"]["uid"],
    )
    assert run.report.notes[0] == (
        f"Secret shop/{CREDENTIALS}: all its owners were gone: about to be collected; its new tracker owns it now"
    )
    collect(store)
    assert store.find("Secret", CREDENTIALS) is not None


def test_a_secret_that_is_collected_all_the_same_is_a_failure() -> None:
    """The garbage collector had decided before the run gave it an owner."""
    store = abandoned()
    secret = store.get("Secret", CREDENTIALS)
    run = CompletedRun(store, WITH_SECRET, before("list pods", lambda: store.remove(secret)))
    assert run.report.failures == [
        f"Secret shop/{CREDENTIALS}: does not exist; apply the manifests again"
    ]


def installed_again() -> ObjectStore:
    """Uninstall and install again, before the garbage collector has looked at the revision."""
    store = CompletedRun(changed()).store
    for kind, name in (("Deployment", "web"), ("ConfigMap", "web-linker")):
        item = store.get(kind, name)
        store.remove(item)
        store.create(inventory(B) if kind == "ConfigMap" else workload(kind, name, pods(B)))
    return store


def test_a_job_gives_revisions_that_an_install_took_over_a_live_owner_before_it_waits() -> None:
    store = installed_again()
    run = CompletedRun(store)
    first = [write for write in run.cluster.writes if "patch" in write][:2]
    uid = store.get("ConfigMap", "web-linker")["metadata"]["uid"]
    assert [one["metadata"]["ownerReferences"][0]["uid"] for one in first] == [uid, uid]
    assert run.report.notes[0] == (
        "the former inventory is gone, and the garbage collector is about to take what only that owned; the new one "
        "owns 2 revisions now"
    )
    collect(store)
    assert store.find("ConfigMap", B) is not None


def test_revisions_whose_owners_are_all_gone_are_named_where_there_is_no_inventory() -> None:
    store = installed_again()
    store.remove(store.get("ConfigMap", "web-linker"))
    for item in store.of_kind("Deployment", "ReplicaSet"):
        store.remove(item)
    report = CompletedRun(store, PLAN._replace(waits=False)).report
    for name in (A, B):
        assert (
            f"ConfigMap shop/{name}: all its owners are gone: about to be collected; apply the manifests again"
            in report.warnings
        )


def test_a_secret_that_the_function_has_not_emitted_is_left_alone() -> None:
    store = with_secret()
    store.update_metadata(store.get("Secret", CREDENTIALS), labels={})
    run = CompletedRun(store, WITH_SECRET)
    assert owners(store, CREDENTIALS, "Secret") == []
    assert run.report.failures == [
        f"Secret shop/{CREDENTIALS}: does not exist; apply the manifests again"
    ]


def superseded(store: ObjectStore) -> ObjectStore:
    """Change the workload of `with_secret` so that nothing references the Secret, which is old by now."""
    store.update(store.get("Deployment", "web"), spec={"template": pods(B)})
    store.update(store.get("ReplicaSet", "web-1"), spec={"template": pods(B)})
    store.update_metadata(
        store.get("ConfigMap", "web-linker"), annotations=inventory(B)["metadata"]["annotations"]
    )
    store.clock += 601
    return store


def test_an_unreferenced_secret_is_deleted_with_its_tracker() -> None:
    store = superseded(CompletedRun(with_secret(), WITH_SECRET).store)
    run = CompletedRun(store)
    collect(store)
    assert (store.of_kind("Secret"), store.find("ConfigMap", CREDENTIALS)) == ([], None)
    assert run.report.problems == []


def test_a_secret_that_no_run_has_linked_is_reported_by_each_run() -> None:
    store = superseded(with_secret())
    for _ in range(2):
        run = CompletedRun(store)
        (warning,) = run.report.warnings
        assert warning == (
            f"Secret shop/{CREDENTIALS}: the linker may no longer delete it, as no Job of its own rendering has "
            f"succeeded since it was created; delete it with its tracker: kubectl delete secret/{CREDENTIALS} "
            f"configmap/{CREDENTIALS} -n shop --ignore-not-found"
        )
    assert store.find("ConfigMap", CREDENTIALS) is not None


@pytest.mark.parametrize(
    ("remove", "sentence"),
    [
        pytest.param(("Deployment", "web"), "Deployment shop/web: does not exist", id="a workload"),
    ],
)
def test_a_workload_that_never_came_is_a_warning(remove: tuple[str, str], sentence: str) -> None:
    store = changed()
    store.remove(store.get(*remove))
    run = CompletedRun(store)
    advice = "apply the manifests again, or find out why applying them failed"
    assert (run.report.failures, run.report.warnings) == ([], [f"{sentence}; {advice}"])
    assert store.clock >= NOON + 300


def at_looks(store: ObjectStore, items: dict[int, Object], since: float) -> Hook:
    """Let objects come before the first, second or later look of a run, of those so many seconds after noon."""
    looks = iter(range(1, 1000))

    def hook(what: str) -> None:
        if store.clock >= NOON + since and what == "list configmaps":
            item = items.get(next(looks))
            if item is not None:
                store.create(item)

    return hook


@pytest.mark.parametrize("look", [1, 2, 3])
@pytest.mark.parametrize("references", [A, B], ids=["at the time limit", "a pod waits for it"])
def test_a_revision_that_comes_at_any_look_is_linked(references: str, look: int) -> None:
    """The third look is the last: the second one is for history, and nothing is patched that asks for another."""
    store = CompletedRun(changed()).store
    store.remove(store.get("ConfigMap", B))
    store.update(store.get("Deployment", "web"), spec={"template": pods(references)})
    since = store.clock - NOON + (300 if references == A else 5)
    run = CompletedRun(store, hook=at_looks(store, {look: revision(B)}, since))
    assert LIST in owners(store, B)
    assert run.report.failures == []


def test_a_run_that_finds_none_of_its_revisions_fails() -> None:
    """As where Flux puts a prefix before names that krm-fn has written."""
    store = ObjectStore([workload("Deployment", "eu-web", pods(f"eu-{B}")), revision(f"eu-{B}")])
    run = CompletedRun(store)
    assert run.report.failures == [
        "none of the planned revisions exists in shop; does something change names after krm-fn, such as namePrefix?"
    ]


ALL_THREE = PLAN._replace(
    workloads=tuple(
        Workload("apps/v1", "Deployment", name, (RevisionName("ConfigMap", B),))
        for name in ("web", "api", "db")
    )
)


def test_what_comes_after_the_time_limit_is_linked_once_more_and_then_it_fails() -> None:
    late = [workload("Deployment", name, pods(B)) for name in ("api", "db")]
    endings = set()
    for first, second in combinations(range(1, 10), 2):
        store = changed()
        hook = at_looks(store, {first: late[0], second: late[1]}, 300)
        report = CompletedRun(store, ALL_THREE, hook).report
        unlinked = {f"Deployment/{name}" for name in ("api", "db")} - {*owners(store, B)}
        said = {one.partition(":")[0].replace(" shop", "") for one in report.warnings}
        assert report.failures or unlinked == said
        endings.add((len(unlinked), *report.failures))
    late_sentence = "planned objects still came after 300 s; run again to link them"
    assert endings == {(0,), (1,), (2,), (1, late_sentence)}


def test_a_missing_revision_that_a_workload_references_is_a_failure_within_seconds() -> None:
    store = changed()
    store.remove(store.get("ConfigMap", B))
    run = CompletedRun(store)
    sentence = f"Deployment shop/web: references ConfigMap/{B}, which does not exist; apply the manifests again"
    assert (run.report.failures, run.report.warnings) == ([sentence], [])
    assert store.clock < NOON + 30  # also with the ten seconds before the deletion of C


def test_existing_revisions_are_linked_although_another_is_missing() -> None:
    store = changed()
    store.remove(store.get("ConfigMap", B))
    CompletedRun(store)
    assert owners(store, A) == ["Deployment/web", "ReplicaSet/web-1", LIST]


def test_a_paused_workload_is_reported_in_a_note() -> None:
    store = changed()
    store.remove(store.get("ReplicaSet", "web-2"))
    run = CompletedRun(store)
    assert run.lines[-1] == (
        "note: Deployment shop/web: has no ReplicaSet for its current template; "
        "the next run links it, and its revisions are kept until then"
    )
    assert owners(store, B) == ["Deployment/web", LIST]
    assert run.report.problems == []


def test_a_run_waits_for_a_late_rollout() -> None:
    store = changed()
    web = store.update(store.get("Deployment", "web"), spec={"template": pods(A)})
    hook = once(
        lambda _: store.clock > NOON + 30, lambda: store.update(web, spec={"template": pods(B)})
    )
    run = CompletedRun(store, hook=hook)
    assert owners(store, A) == ["Deployment/web", "ReplicaSet/web-1", LIST]
    assert run.report.problems == []
    assert NOON + 40 < store.clock < NOON + 50  # with the ten seconds before the deletion of C


def test_a_replica_set_created_during_the_run_is_linked() -> None:
    store = changed()
    web = store.get("Deployment", "web")
    late = made_by(web, "ReplicaSet", "web-3", pods(A, image="web:2"))
    CompletedRun(store, hook=before(f"patch ConfigMap/{A}", lambda: store.create(late)))
    assert owners(store, A) == ["Deployment/web", "ReplicaSet/web-1", LIST, "ReplicaSet/web-3"]


def test_an_owner_deleted_during_the_run_is_left_to_the_garbage_collector() -> None:
    store = changed()
    # Too young to be deleted.
    store.update_metadata(store.get("ConfigMap", A), creationTimestamp="2026-06-01T12:00:00Z")
    replica_set = store.get("ReplicaSet", "web-1")
    run = CompletedRun(
        store, hook=before(f"patch ConfigMap/{A}", lambda: store.remove(replica_set))
    )
    collect(store)
    assert owners(store, A) == ["Deployment/web", LIST]
    assert run.report.problems == []


def test_a_namespace_that_keeps_changing_is_left_to_the_next_run() -> None:
    """A run has three rounds: a new ReplicaSet before every patch would keep it busy for ever."""
    store = changed()
    web = store.get("Deployment", "web")
    numbers = iter(range(3, 1000))

    def hook(what: str) -> None:
        if what.startswith("patch"):
            number = next(numbers)
            store.create(
                made_by(web, "ReplicaSet", f"web-{number}", pods(B, image=f"web:{number}"))
            )

    store.remove(store.get("ConfigMap", C))
    run = CompletedRun(store, hook=hook)
    assert len([write for write in run.cluster.writes if "patch" in write]) == 4


def recreate(store: ObjectStore, name: str) -> None:
    store.remove(store.get("ConfigMap", name))
    store.create(revision(name))


def test_a_revision_recreated_during_the_run_is_linked_as_a_new_object() -> None:
    store = changed()
    run = CompletedRun(store, hook=before(f"patch ConfigMap/{B}", lambda: recreate(store, B)))
    assert owners(store, B) == ["Deployment/web", "ReplicaSet/web-2", LIST]
    assert [line for line in run.lines if B in line] == [
        f"ConfigMap shop/{B}: + Deployment/web, + ReplicaSet/web-2, + {LIST}"
    ]


MOMENTS = [
    pytest.param(f"patch ConfigMap/{C}", 1, id="before the mark"),
    pytest.param("list configmaps", 4, id="before the second look"),
    pytest.param("delete", 1, id="before the deletion"),
]


@pytest.mark.parametrize(("call", "number"), MOMENTS)
def test_an_unreferenced_revision_recreated_during_the_run_is_kept(call: str, number: int) -> None:
    store = changed()
    CompletedRun(store, hook=before(call, lambda: recreate(store, C), number))
    assert store.find("ConfigMap", C) is not None


def apply_again(store: ObjectStore, name: str) -> None:
    """Apply a revision as a deployer does that goes back to it: without a change, it does not write."""
    item = store.get("ConfigMap", name)
    store.update_metadata(
        item, annotations={**item["metadata"]["annotations"], keys.WANTED: "true"}
    )


@pytest.mark.parametrize(("call", "number"), MOMENTS[1:])
def test_a_revision_that_a_deployer_wants_again_is_kept(call: str, number: int) -> None:
    store = changed()
    run = CompletedRun(store, hook=before(call, lambda: apply_again(store, C), number))
    assert run.report.problems == []
    assert store.find("ConfigMap", C) is not None


def test_a_revision_that_was_applied_just_before_the_mark_is_listed_ten_seconds_later() -> None:
    store = changed()
    lists = store.get("ConfigMap", "web-linker")
    now = inventory(B, C)["metadata"]["annotations"]
    hook = once(
        lambda _: store.clock >= NOON + 9, lambda: store.update_metadata(lists, annotations=now)
    )
    CompletedRun(store, hook=hook)
    assert wanted(store, C) == "true", "the annotation is back"
    assert CompletedRun(store).cluster.writes == []


def wanted(store: ObjectStore, name: str) -> str | None:
    value: str | None = store.get("ConfigMap", name)["metadata"]["annotations"].get(keys.WANTED)
    return value


@pytest.mark.parametrize(
    "act",
    [
        pytest.param(
            lambda store, item: store.update(item, spec={"template": pods(B, C)}),
            id="by a workload",
        ),
        pytest.param(
            lambda store, item: store.create(made_by(item, "ReplicaSet", "x", pods(C))),
            id="by a ReplicaSet",
        ),
    ],
)
def test_a_revision_referenced_before_the_second_observation_is_kept(
    act: Callable[[ObjectStore, Object], object],
) -> None:
    store = changed()
    web = store.get("Deployment", "web")
    CompletedRun(store, hook=before("list configmaps", lambda: act(store, web), number=4))
    assert wanted(store, C) == "true"


def test_an_unreferenced_revision_changed_after_the_second_observation_is_kept() -> None:
    store = changed()
    item = store.get("ConfigMap", C)
    CompletedRun(
        store,
        hook=before(
            "delete",
            lambda: store.update_metadata(item, labels={**item["metadata"]["labels"], "a": "b"}),
        ),
    )
    assert store.find("ConfigMap", C) is not None


def test_the_pause_before_a_deletion_is_said() -> None:
    run = CompletedRun(changed())
    assert run.cluster.said == [
        f"waiting for deployers that may want ConfigMap shop/{C} again (up to 10 s)"
    ]


def test_nothing_is_deleted_without_ten_seconds_before_the_deadline() -> None:
    store = changed()
    run = CompletedRun(store, PLAN._replace(timeout=9))
    assert [write for write in run.cluster.writes if "delete" in write] == []
    assert wanted(store, C) == "true"


def test_the_mark_of_a_killed_run_is_taken_back_when_the_revision_is_wanted() -> None:
    store = changed()
    run = StepwiseRun(PLAN, store, timeout=300)
    while wanted(store, C):
        run.advance(1)
    run.kill()
    store.update(store.get("Deployment", "web"), spec={"template": pods(B, C)})
    CompletedRun(store)
    assert wanted(store, C) == "true"


def test_a_referenced_revision_deleted_during_the_run_is_a_failure() -> None:
    store = changed()
    item = store.get("ConfigMap", B)
    run = CompletedRun(store, hook=before("delete", lambda: store.remove(item)))
    sentence = f"Deployment shop/web: references ConfigMap/{B}, which does not exist; apply the manifests again"
    assert run.report.failures == [sentence]


def test_a_job_of_the_linker_is_no_owner_and_no_reference() -> None:
    """Its arguments list every revision of a rendering: each release would change all of them."""
    store = changed()
    store.create(
        linker_job("web-link-1", ["--set=web", f"--workload=apps/v1/Deployment/web=ConfigMap/{C}"])
    )
    run = CompletedRun(store)
    assert store.find("ConfigMap", C) is None
    assert "Job/web-link-1" not in {
        str(owner) for change in run.report.changes for owner in change.add
    }


def test_a_cron_job_of_the_linker_and_its_jobs_pin_no_revision() -> None:
    """Else the plan of the last release would keep its revisions for as long as the CronJob is there."""
    store = changed()
    plan = ["--set=web", f"--workload=apps/v1/Deployment/web=ConfigMap/{C}", "--no-wait"]
    cron_job = store.create(linker_cron_job("web-linker", plan))
    store.create(
        linker_job(
            "web-linker-29000000", plan, ownerReferences=[reference(cron_job, controller=True)]
        )
    )
    run = CompletedRun(store, PLAN._replace(waits=False))
    assert store.find("ConfigMap", C) is None
    assert {str(owner) for change in run.report.changes for owner in change.add} == {
        *("Deployment/web", "ReplicaSet/web-1", "ReplicaSet/web-2", LIST)
    }


def not_applied_yet() -> ObjectStore:
    """Return a release of which the Job is there, and neither the workload nor its revision."""
    store = changed()
    store.remove(store.get("ConfigMap", B))
    store.update(store.get("Deployment", "web"), spec={"template": pods(A)})
    store.remove(store.get("ReplicaSet", "web-2"))
    return store


def rolling_slowly() -> ObjectStore:
    """Return a release whose ReplicaSet is not there yet, as while it is paused."""
    store = changed()
    store.remove(store.get("ReplicaSet", "web-2"))
    return store


@pytest.mark.parametrize("make", [not_applied_yet, rolling_slowly, changed])
def test_a_run_that_waits_for_nothing_says_nothing_of_a_release_that_is_under_way(
    make: Callable[[], ObjectStore],
) -> None:
    run = CompletedRun(make(), PLAN._replace(waits=False))
    assert (run.report.problems, run.report.notes) == ([], [])
    assert 60 <= run.store.clock - NOON < 61, "the minute before a deletion"
    assert (run.store.find("ConfigMap", A) is not None, run.store.find("ConfigMap", C)) == (
        True,
        None,
    )


def test_a_run_that_waits_for_nothing_leaves_to_kpt_what_kpt_is_about_to_prune() -> None:
    store = changed()
    item = store.get("ConfigMap", C)
    store.update_metadata(
        item, annotations={**item["metadata"]["annotations"], keys.KPT_INVENTORY: "8a1f"}
    )
    before = store.get("ConfigMap", C)
    run = CompletedRun(store, PLAN._replace(waits=False))
    assert (run.store.find("ConfigMap", C), run.report.problems, run.store.clock) == (
        before,
        [],
        NOON,
    )


def test_a_run_that_waits_for_nothing_fails_where_a_live_object_references_what_does_not_exist() -> (
    None
):
    store = changed()
    store.remove(store.get("ConfigMap", B))
    run = CompletedRun(store, PLAN._replace(waits=False))
    assert run.report.failures == [
        f"Deployment shop/web: references ConfigMap/{B}, which does not exist; apply the manifests again"
    ]


def test_a_plan_that_was_superseded_asks_for_no_secret_that_is_linked() -> None:
    """By then no rule of the Role names it: each scheduled run would warn until its CronJob is applied."""
    store = superseded(CompletedRun(with_secret(), WITH_SECRET).store)
    run = CompletedRun(
        store, WITH_SECRET._replace(waits=False), hook=forbid(f"get Secret/{CREDENTIALS}")
    )
    assert run.report.problems == []


def test_a_kind_that_may_not_be_listed_stops_deletions_and_nothing_else() -> None:
    run = CompletedRun(changed(), hook=forbid("list jobs"))
    assert owners(run.store, B) == ["Deployment/web", "ReplicaSet/web-2", LIST]
    assert run.store.find("ConfigMap", C) is not None
    assert (run.report.failures, run.report.warnings) == (
        [],
        ["list jobs: not permitted; until then nothing is deleted"],
    )


def test_kinds_of_argo_that_the_package_does_not_hold_may_be_forbidden() -> None:
    run = CompletedRun(changed(), hook=forbid("list rollouts"))
    assert run.store.find("ConfigMap", C) is None
    assert run.report.problems == []


def test_they_may_be_forbidden_beside_other_kinds_of_their_group() -> None:
    """Argo Workflows and Argo Events have the group of Argo Rollouts."""
    plan = PLAN._replace(kinds=(kind_named("argoproj.io/v1alpha1/Workflow"),))
    run = CompletedRun(changed(), plan, hook=forbid("list rollouts"))
    assert run.store.find("ConfigMap", C) is None
    assert run.report.problems == []


def test_what_is_kept_for_a_kind_that_is_not_listed_is_said() -> None:
    store = changed()
    item = store.get("ConfigMap", C)
    kinds = {keys.KINDS: "example.com/v1/Widget"}
    store.update_metadata(item, annotations={**item["metadata"]["annotations"], **kinds})
    run = CompletedRun(store, hook=forbid("list widgets"))
    assert run.report.failures == []
    said = (
        f"ConfigMap shop/{C}: is kept, as an object of a kind that the linker does not look at, or of which it is "
        "not known what is made, may need it; add example.com/v1/Widget to spec.linker.kinds, with the kinds that "
        "are made of it, or delete the object"
    )
    assert run.report.warnings == [said]


def forbid(call: str) -> Hook:
    def hook(what: str) -> None:
        if what == call:
            raise Forbidden(what, "not permitted", "{}")

    return hook


def unwatched() -> ObjectStore:
    """Like `with_secret`, with a ConfigMap to delete, and a workload that is not applied yet."""
    store = with_secret()
    store.create(old(revision(C)))
    store.update(store.get("Deployment", "web"), spec={"template": pods(A)})
    return store


class Pruned(NamedTuple):
    """A run that may do nothing any more after so many calls, and whether it has asked for something."""

    report: Report
    was_refused: bool


def run_until_pruned(after: int, *, waits: bool = True) -> Pruned:
    calls = 0
    refused_calls: list[str] = []

    def prune(what: str) -> None:
        nonlocal calls
        calls += 1
        if calls == 20:
            template = pods(B, secrets=[CREDENTIALS])
            store.update(store.get("Deployment", "web"), spec={"template": template})
        if calls > after and not what.startswith("record"):  # an Event that is refused is no error
            refused_calls.append(what)
            raise Forbidden(what, "not permitted", "{}")

    store = unwatched()
    report = Report(NAMESPACE, lambda _: None)
    plan = WITH_SECRET._replace(waits=waits)
    with suppress(ApiError):
        link(plan, FakeCluster(store, prune, plan.timeout), report)
    return Pruned(report, bool(refused_calls))


def test_a_job_whose_role_is_pruned_ends_as_superseded_at_whatever_call() -> None:
    """As where its set is left to the linker of the namespace. Before its first look, nothing tells that."""
    assert run_until_pruned(0).report.failures[0] == "list configmaps: not permitted"
    calls = 1
    while (ran := run_until_pruned(calls)).was_refused:
        assert ran.report.failures == [], calls
        assert ran.report.warnings[-1] == SUPERSEDED, calls
        calls += 1
    assert calls > 80
    assert ran.report.problems == []


def test_a_scheduled_run_whose_role_is_pruned_says_what_it_may_not_do() -> None:
    ran = run_until_pruned(20, waits=False)
    assert ran.report.failures == []
    assert SUPERSEDED not in ran.report.warnings


WITHOUT_INVENTORY = "ConfigMap shop/web-linker: does not exist"


@pytest.mark.parametrize("waits", [True, False], ids=["a Job fails", "a CronJob warns"])
def test_nothing_is_deleted_without_an_inventory(*, waits: bool) -> None:
    store = changed()
    store.remove(store.get("ConfigMap", "web-linker"))
    report = CompletedRun(store, PLAN._replace(waits=waits)).report
    assert store.find("ConfigMap", C) is not None
    found = report.failures, report.warnings
    left = "and nobody would delete its revisions after an uninstall; apply the manifests again"
    assert found == (
        ([f"{WITHOUT_INVENTORY}, {left}"], [])
        if waits
        else ([], [f"{WITHOUT_INVENTORY}; until then nothing is deleted"])
    )


def test_an_inventory_that_comes_seconds_after_all_others_is_an_owner() -> None:
    store = changed()
    listed = store.get("ConfigMap", "web-linker")
    store.remove(listed)
    late = once(lambda _: store.clock > NOON, lambda: store.create(inventory(B)))
    assert CompletedRun(store, hook=late).report.problems == []
    assert LIST in owners(store, B)


def test_a_revision_that_kpt_is_about_to_prune_is_changed_when_kpt_has_let_go_of_it() -> None:
    store = changed()
    item = store.get("ConfigMap", C)
    annotations = item["metadata"]["annotations"]
    store.update_metadata(item, annotations={**annotations, keys.KPT_INVENTORY: "8a1f"})
    hook = once(
        lambda _: store.clock > NOON + 60,
        lambda: store.update_metadata(store.get("ConfigMap", C), annotations=annotations),
    )
    run = CompletedRun(store, hook=hook)
    assert run.lines[-1] == DELETED_C
    assert NOON + 70 < store.clock < NOON + 80
    assert [write for write in run.cluster.writes if C in write.get("patch", "")] != []


def refuse(_: FakeCluster, patch: RevisionPatch) -> str | None:
    raise ApiError(patch.revision.name, "not permitted to patch")


def test_a_refused_patch_is_reported_once_and_the_rest_is_done(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(FakeCluster, "patch", refuse)
    run = CompletedRun(with_secret(), WITH_SECRET)
    assert run.report.warnings == [
        f"{B}: not permitted to patch",
        f"{CREDENTIALS}: not permitted to patch",
    ]
    assert run.lines == [f"Secret shop/{CREDENTIALS}: + ConfigMap/{CREDENTIALS}"]


def state(store: ObjectStore) -> dict[Any, Object]:
    """Return all objects with sorted owners, as their order depends on the order of runs."""
    contents = store.contents()
    for item in contents.values():
        item["metadata"]["ownerReferences"] = sorted(
            item["metadata"].get("ownerReferences", []), key=lambda owner: str(owner["uid"])
        )
    return contents


SCENARIOS = [
    pytest.param(changed, PLAN, id="a change of configuration"),
    pytest.param(with_secret, WITH_SECRET, id="a Secret with its tracker"),
]


def count_calls(make: Callable[[], ObjectStore], plan: LinkPlan) -> int:
    return CompletedRun(make(), plan).cluster.calls


@pytest.mark.parametrize(("make", "plan"), SCENARIOS)
def test_a_run_after_a_kill_at_any_call_ends_like_an_undisturbed_one(
    make: Callable[[], ObjectStore], plan: LinkPlan
) -> None:
    undisturbed = state(CompletedRun(make(), plan).store)
    for last in range(count_calls(make, plan)):
        store = make()
        run = StepwiseRun(plan, store, timeout=300)
        run.advance(last)
        run.kill()
        assert state(CompletedRun(store, plan).store) == undisturbed, last


@pytest.mark.parametrize(("make", "plan"), SCENARIOS)
def test_a_stopped_run_makes_no_more_calls(make: Callable[[], ObjectStore], plan: LinkPlan) -> None:
    """It completes the current call. The next run ends like an undisturbed one."""
    undisturbed = state(CompletedRun(make(), plan).store)
    for last in range(1, count_calls(make, plan)):
        store = make()
        stopped = FakeCluster(store)
        stopped.hook = before("", stopped.stop.set, number=last)
        with pytest.raises(Stopped):
            link(plan, stopped, Report(NAMESPACE, lambda _: None))
        assert stopped.calls == last
        assert state(CompletedRun(store, plan).store) == undisturbed, last


def test_a_run_stopped_during_a_patch_still_prints_the_change() -> None:
    store = changed()
    lines: list[str] = []
    cluster = FakeCluster(store)
    cluster.hook = before("patch", cluster.stop.set)
    with pytest.raises(Stopped):
        link(PLAN, cluster, Report(NAMESPACE, lines.append))
    assert lines == [f"ConfigMap shop/{A}: + ReplicaSet/web-1, + {LIST}"]


@pytest.mark.parametrize(("make", "plan"), SCENARIOS)
def test_a_second_run_between_any_two_calls_changes_nothing(
    make: Callable[[], ObjectStore], plan: LinkPlan
) -> None:
    """The whole second run happens before one call of the first."""
    undisturbed = state(CompletedRun(make(), plan).store)
    for call in range(1, count_calls(make, plan) + 1):
        store = make()
        second = before("", partial(CompletedRun, store, plan), number=call)
        assert CompletedRun(store, plan, second).report.failures == []
        assert state(store) == undisturbed, call


@pytest.mark.parametrize(("make", "plan"), SCENARIOS)
@pytest.mark.parametrize("step", [1, 2, 3, 5])
def test_two_interleaved_runs_end_like_an_undisturbed_one(
    make: Callable[[], ObjectStore], plan: LinkPlan, step: int
) -> None:
    undisturbed = state(CompletedRun(make(), plan).store)
    store = make()
    runs = [StepwiseRun(plan, store, timeout=300) for _ in range(2)]
    while not all(run.is_over for run in runs):
        for run in runs:
            run.advance(step)
    assert [run.report.failures for run in runs] == [[], []]
    assert state(store) == undisturbed


@pytest.mark.parametrize(("make", "plan"), SCENARIOS)
def test_a_dry_run_prints_the_same_and_writes_nothing(
    make: Callable[[], ObjectStore], plan: LinkPlan
) -> None:
    done = CompletedRun(make(), plan)
    store = make()
    before_it = store.contents()
    lines: list[str] = []
    report = Report(NAMESPACE, lines.append)
    link(plan, DryRun(FakeCluster(store)), report)
    assert lines == done.lines
    assert report.summary() == done.report.summary()
    assert store.contents() == before_it


def test_a_killed_run_is_over_but_not_done() -> None:
    run = StepwiseRun(PLAN, changed(), timeout=300)
    run.kill()
    assert (run.is_over, run.is_done) == (True, False)
    with pytest.raises(Killed):
        CompletedRun(changed(), hook=before("list", _die))


def _die() -> None:
    raise Killed
