"""Whole runs of the linker, also while other clients change the objects."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import pytest

from krm_fn.linker.api_errors import ApiError
from krm_fn.linker.dry_run import DryRun
from krm_fn.linker.link import link
from krm_fn.linker.owners import OwnerPatch
from krm_fn.linker.report import Report
from krm_fn.linker.retry import Stopped
from krm_fn.model.link_plan import LinkPlan, RevisionName, Workload
from tests.linker.fake_cluster import FakeCluster
from tests.linker.garbage_collector import collect, delete
from tests.linker.manifests import A, B, C, linker_job, made_by, pods, revision, workload
from tests.linker.object_store import NAMESPACE, NOON, Hook, Object, ObjectStore, no_hook
from tests.linker.stepwise_run import Killed, StepwiseRun

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
        Workload("apps/v1", "Deployment", "web", (RevisionName("ConfigMap", B), RevisionName("Secret", CREDENTIALS))),
    ),
    timeout=300,
    minimum_age=600,
)


def old(item: Object) -> Object:
    return {**item, "metadata": {**item["metadata"], "creationTimestamp": LONG_AGO}}


def changed() -> ObjectStore:
    """Create a workload that was changed from A to B and still owns A. Both have a ReplicaSet. Nothing uses C."""
    store = ObjectStore()
    web = store.create(workload("Deployment", "web", pods(B)))
    store.create(made_by(web, "ReplicaSet", "web-1", pods(A)))
    store.create(made_by(web, "ReplicaSet", "web-2", pods(B)))
    store.create(old(revision(A, web)))
    store.create(revision(B))
    store.create(old(revision(C)))
    return store


def with_secret() -> ObjectStore:
    store = ObjectStore()
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
        self.cluster = FakeCluster(store, hook)
        link(plan, self.cluster, self.report)


def owners(store: ObjectStore, name: str, kind: str = "ConfigMap") -> list[str]:
    item = store.find(kind, name)
    assert item is not None, f"{kind}/{name} is gone"
    return [f"{owner['kind']}/{owner['name']}" for owner in item["metadata"].get("ownerReferences", [])]


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


def test_history_becomes_an_owner_and_the_workload_moves_to_its_new_revision() -> None:
    run = CompletedRun(changed())
    assert owners(run.store, A) == ["ReplicaSet/web-1"]
    assert owners(run.store, B) == ["Deployment/web", "ReplicaSet/web-2"]
    assert run.store.find("ConfigMap", C) is None
    assert run.lines == [
        f"ConfigMap shop/{A}: + ReplicaSet/web-1, - Deployment/web",
        f"ConfigMap shop/{B}: + Deployment/web, + ReplicaSet/web-2",
        f"ConfigMap shop/{C}: deleted, nothing references it",
    ]
    assert run.report.summary() == "2 revisions in shop: 2 linked, 1 deleted"
    assert run.report.failures == []


def test_a_change_is_recorded_in_events() -> None:
    events = [write for write in CompletedRun(changed()).cluster.writes if "event" in write]
    assert [(event["event"], event["reason"]) for event in events] == [
        ("Deployment/web", "RevisionsLinked"),
        ("Deployment/web", "RevisionsDeleted"),
    ]


def test_a_second_run_writes_nothing() -> None:
    store = CompletedRun(changed()).store
    assert CompletedRun(store).cluster.writes == []


def test_a_revision_is_garbage_collected_with_its_last_replica_set() -> None:
    store = CompletedRun(changed()).store
    store.remove(store.get("ReplicaSet", "web-1"))
    collect(store)
    assert [item["metadata"]["name"] for item in store.of_kind("ConfigMap")] == [B]


def test_a_secret_is_garbage_collected_with_its_tracker() -> None:
    run = CompletedRun(with_secret(), WITH_SECRET)
    assert owners(run.store, CREDENTIALS) == ["Deployment/web", "ReplicaSet/web-1"]
    assert owners(run.store, CREDENTIALS, "Secret") == [f"ConfigMap/{CREDENTIALS}"]
    assert run.lines[1:] == [
        f"Secret shop/{CREDENTIALS}: + Deployment/web, + ReplicaSet/web-1",
        f"Secret shop/{CREDENTIALS}: + ConfigMap/{CREDENTIALS}",
    ]
    delete(run.store, run.store.get("Deployment", "web"))
    collect(run.store)
    assert list(run.store) == []


def test_a_secret_gets_its_tracker_as_owner_once() -> None:
    store = CompletedRun(with_secret(), WITH_SECRET).store
    assert CompletedRun(store, WITH_SECRET).cluster.writes == []


def test_a_missing_secret_is_a_failure() -> None:
    store = with_secret()
    store.remove(store.get("Secret", CREDENTIALS))
    assert CompletedRun(store, WITH_SECRET).report.failures == [
        f"Secret shop/{CREDENTIALS}: does not exist; apply the manifests again"
    ]


def test_a_tracker_without_an_owner_does_not_become_an_owner() -> None:
    store = with_secret()
    store.update(store.get("Deployment", "web"), spec={"template": pods(B)})
    run = CompletedRun(store, WITH_SECRET)
    assert owners(store, CREDENTIALS, "Secret") == []
    (failure,) = run.report.failures
    assert failure == (
        f"Deployment shop/web: does not reference Secret/{CREDENTIALS}; "
        "apply the manifests again, or find out why applying them failed"
    )


@pytest.mark.parametrize(
    ("remove", "sentence"),
    [
        pytest.param(("Deployment", "web"), "Deployment shop/web: does not exist", id="a workload"),
        pytest.param(("ConfigMap", B), f"ConfigMap shop/{B}: does not exist", id="a revision"),
    ],
)
def test_what_is_missing_at_the_deadline_is_a_failure(remove: tuple[str, str], sentence: str) -> None:
    store = changed()
    store.remove(store.get(*remove))
    run = CompletedRun(store)
    assert run.report.failures == [f"{sentence}; apply the manifests again, or find out why applying them failed"]
    assert store.clock >= NOON + 300


def test_existing_revisions_are_linked_although_another_is_missing() -> None:
    store = changed()
    store.remove(store.get("ConfigMap", B))
    CompletedRun(store)
    assert owners(store, A) == ["ReplicaSet/web-1"]


def test_a_paused_workload_is_reported_in_a_note() -> None:
    store = changed()
    store.remove(store.get("ReplicaSet", "web-2"))
    run = CompletedRun(store)
    assert run.lines[-1] == (
        "note: Deployment shop/web: has no ReplicaSet for its current template; "
        "the next run links it, and its revisions are kept until then"
    )
    assert owners(store, B) == ["Deployment/web"]
    assert run.report.failures == []


def test_a_run_waits_for_a_late_rollout() -> None:
    store = changed()
    web = store.update(store.get("Deployment", "web"), spec={"template": pods(A)})
    hook = once(lambda _: store.clock > NOON + 30, lambda: store.update(web, spec={"template": pods(B)}))
    run = CompletedRun(store, hook=hook)
    assert owners(store, A) == ["ReplicaSet/web-1"]
    assert run.report.failures == []
    assert NOON + 30 < store.clock < NOON + 40


def test_a_replica_set_created_during_the_run_is_linked() -> None:
    store = changed()
    web = store.get("Deployment", "web")
    late = made_by(web, "ReplicaSet", "web-3", pods(A, image="web:2"))
    CompletedRun(store, hook=before(f"patch ConfigMap/{A}", lambda: store.create(late)))
    assert owners(store, A) == ["ReplicaSet/web-1", "ReplicaSet/web-3"]


def test_a_workload_that_goes_back_during_the_run_is_an_owner_again() -> None:
    store = changed()
    web = store.get("Deployment", "web")
    CompletedRun(store, hook=before(f"patch ConfigMap/{A}", lambda: store.update(web, spec={"template": pods(A)})))
    assert sorted(owners(store, A)) == ["Deployment/web", "ReplicaSet/web-1"]


def test_an_owner_deleted_during_the_run_is_left_to_the_garbage_collector() -> None:
    store = changed()
    replica_set = store.get("ReplicaSet", "web-1")
    run = CompletedRun(store, hook=before(f"patch ConfigMap/{A}", lambda: store.remove(replica_set)))
    collect(store)
    assert store.find("ConfigMap", A) is None
    assert run.report.failures == []


def test_a_namespace_that_keeps_changing_is_left_to_the_next_run() -> None:
    """A run has three rounds: a new ReplicaSet before every patch would keep it busy for ever."""
    store = changed()
    web = store.get("Deployment", "web")
    numbers = iter(range(3, 1000))

    def hook(what: str) -> None:
        if what.startswith("patch"):
            number = next(numbers)
            store.create(made_by(web, "ReplicaSet", f"web-{number}", pods(B, image=f"web:{number}")))

    run = CompletedRun(store, hook=hook)
    assert len([write for write in run.cluster.writes if "patch" in write]) == 4


def recreate(store: ObjectStore, name: str) -> None:
    store.remove(store.get("ConfigMap", name))
    store.create(revision(name))


def test_a_revision_recreated_during_the_run_is_linked_as_a_new_object() -> None:
    store = changed()
    run = CompletedRun(store, hook=before(f"patch ConfigMap/{B}", lambda: recreate(store, B)))
    assert owners(store, B) == ["Deployment/web", "ReplicaSet/web-2"]
    assert [line for line in run.lines if B in line] == [f"ConfigMap shop/{B}: + Deployment/web, + ReplicaSet/web-2"]


@pytest.mark.parametrize("call", ["delete", "list configmaps"])
def test_an_unreferenced_revision_recreated_during_the_run_is_kept(call: str) -> None:
    store = changed()
    CompletedRun(store, hook=before(call, lambda: recreate(store, C), number=1 if call == "delete" else 4))
    assert owners(store, C) == []


@pytest.mark.parametrize(
    "act",
    [
        pytest.param(lambda store, item: store.update(item, spec={"template": pods(B, C)}), id="by a workload"),
        pytest.param(lambda store, item: store.create(made_by(item, "ReplicaSet", "x", pods(C))), id="by a ReplicaSet"),
    ],
)
def test_a_revision_referenced_before_the_second_observation_is_kept(
    act: Callable[[ObjectStore, Object], object],
) -> None:
    store = changed()
    web = store.get("Deployment", "web")
    CompletedRun(store, hook=before("list configmaps", lambda: act(store, web), number=4))
    assert store.find("ConfigMap", C) is not None


def test_an_unreferenced_revision_changed_after_the_second_observation_is_kept() -> None:
    store = changed()
    item = store.get("ConfigMap", C)
    CompletedRun(
        store,
        hook=before("delete", lambda: store.update_metadata(item, labels={**item["metadata"]["labels"], "a": "b"})),
    )
    assert store.find("ConfigMap", C) is not None


def test_a_referenced_revision_deleted_during_the_run_is_a_failure() -> None:
    store = changed()
    item = store.get("ConfigMap", B)
    run = CompletedRun(store, hook=before("delete", lambda: store.remove(item)))
    (failure,) = run.report.failures
    assert failure.startswith(
        f"ConfigMap shop/{B}: was deleted although Deployment/web references it; apply the manifests again"
    )


def test_the_job_of_an_earlier_rendering_becomes_an_owner() -> None:
    """It does not run again if that rendering is applied again while it exists."""
    store = changed()
    store.create(linker_job("web-link-1", [f"--workload=apps/v1/Deployment/web=ConfigMap/{A}"]))
    CompletedRun(store)
    assert sorted(owners(store, A)) == ["Job/web-link-1", "ReplicaSet/web-1"]


def refuse(_: FakeCluster, patch: OwnerPatch) -> bool:
    raise ApiError(patch.revision.name, "not permitted to patch")


def test_a_refused_patch_is_reported_once_and_the_rest_is_done(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(FakeCluster, "patch_owners", refuse)
    run = CompletedRun(changed())
    assert run.report.failures == [f"{A}: not permitted to patch", f"{B}: not permitted to patch"]
    assert run.lines == [f"ConfigMap shop/{C}: deleted, nothing references it"]


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
    assert lines == [f"ConfigMap shop/{A}: + ReplicaSet/web-1, - Deployment/web"]


@pytest.mark.parametrize(("make", "plan"), SCENARIOS)
def test_a_second_run_between_any_two_calls_changes_nothing(make: Callable[[], ObjectStore], plan: LinkPlan) -> None:
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
def test_a_dry_run_prints_the_same_and_writes_nothing(make: Callable[[], ObjectStore], plan: LinkPlan) -> None:
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
