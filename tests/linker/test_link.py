"""A run, from its first look to its last word, while the world changes under it."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from krm_fn.linker.cluster import Failed
from krm_fn.linker.dry_run import DryRun
from krm_fn.linker.link import link
from krm_fn.linker.owners import OwnerPatch
from krm_fn.linker.report import Report
from krm_fn.linker.retry import Stopped
from krm_fn.model.link_plan import LinkPlan, RevisionName, Workload
from tests.linker.fake_cluster import FakeCluster
from tests.linker.garbage_collector import collect, delete
from tests.linker.manifests import A, B, C, linker_job, made_by, pods, revision, workload
from tests.linker.running import Killed, Running
from tests.linker.world import NAMESPACE, NOON, Hook, Object, World, nothing

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


def changed() -> World:
    """From A to B: both have their ReplicaSet, and A is still held by the workload. Nobody ever used C."""
    world = World()
    web = world.create(workload("Deployment", "web", pods(B)))
    world.create(made_by(web, "ReplicaSet", "web-1", pods(A)))
    world.create(made_by(web, "ReplicaSet", "web-2", pods(B)))
    world.create(old(revision(A, web)))
    world.create(revision(B))
    world.create(old(revision(C)))
    return world


def with_secret() -> World:
    world = World()
    web = world.create(workload("Deployment", "web", pods(B, secrets=[CREDENTIALS])))
    world.create(made_by(web, "ReplicaSet", "web-1", pods(B, secrets=[CREDENTIALS])))
    world.create(revision(B))
    world.create(revision(CREDENTIALS, tag=True))
    world.create(revision(CREDENTIALS, kind="Secret"))
    return world


class Ran:
    """What a run said, and what it left."""

    def __init__(self, world: World, plan: LinkPlan = PLAN, hook: Hook = nothing) -> None:
        self.world = world
        self.lines: list[str] = []
        self.report = Report(NAMESPACE, self.lines.append)
        self.cluster = FakeCluster(world, hook)
        link(plan, self.cluster, self.report)


def owners(world: World, name: str, kind: str = "ConfigMap") -> list[str]:
    item = world.find(kind, name)
    assert item is not None, f"{kind}/{name} is gone"
    return [f"{owner['kind']}/{owner['name']}" for owner in item["metadata"].get("ownerReferences", [])]


def once(when: Callable[[str], bool], act: Callable[[], object]) -> Hook:
    """Does something before the first call that fits."""
    left = [act]

    def hook(what: str) -> None:
        if left and when(what):
            left.pop()()

    return hook


def before(call: str, act: Callable[[], object], number: int = 1) -> Hook:
    """Does something before the n-th call of this kind."""
    calls: Iterator[int] = iter(range(1, 1000))
    return once(lambda what: what.startswith(call) and next(calls) == number, act)


def test_a_change() -> None:
    ran = Ran(changed())
    assert owners(ran.world, A) == ["ReplicaSet/web-1"]
    assert owners(ran.world, B) == ["Deployment/web", "ReplicaSet/web-2"]
    assert ran.world.find("ConfigMap", C) is None
    assert ran.lines == [
        f"ConfigMap shop/{A}: + ReplicaSet/web-1, - Deployment/web",
        f"ConfigMap shop/{B}: + Deployment/web, + ReplicaSet/web-2",
        f"ConfigMap shop/{C}: deleted, as nothing names it",
    ]
    assert ran.report.summary() == "2 revisions in shop: 2 linked, 1 deleted"
    assert ran.report.failures == []


def test_the_events_of_a_change() -> None:
    events = [write for write in Ran(changed()).cluster.writes if "event" in write]
    assert [(event["event"], event["reason"]) for event in events] == [
        ("Deployment/web", "RevisionsLinked"),
        ("Deployment/web", "RevisionsDeleted"),
    ]


def test_a_second_run_writes_nothing() -> None:
    world = Ran(changed()).world
    assert Ran(world).cluster.writes == []


def test_the_last_replica_set_takes_its_revision_along() -> None:
    world = Ran(changed()).world
    world.remove(world.get("ReplicaSet", "web-1"))
    collect(world)
    assert [item["metadata"]["name"] for item in world.of_kind("ConfigMap")] == [B]


def test_a_secret_goes_with_its_tag() -> None:
    ran = Ran(with_secret(), WITH_SECRET)
    assert owners(ran.world, CREDENTIALS) == ["Deployment/web", "ReplicaSet/web-1"]
    assert owners(ran.world, CREDENTIALS, "Secret") == [f"ConfigMap/{CREDENTIALS}"]
    assert ran.lines[1:] == [
        f"Secret shop/{CREDENTIALS}: + Deployment/web, + ReplicaSet/web-1",
        f"Secret shop/{CREDENTIALS}: + ConfigMap/{CREDENTIALS}",
    ]
    delete(ran.world, ran.world.get("Deployment", "web"))
    collect(ran.world)
    assert list(ran.world) == []


def test_a_secret_is_handed_over_once() -> None:
    world = Ran(with_secret(), WITH_SECRET).world
    assert Ran(world, WITH_SECRET).cluster.writes == []


def test_a_secret_that_is_not_there() -> None:
    world = with_secret()
    world.remove(world.get("Secret", CREDENTIALS))
    assert Ran(world, WITH_SECRET).report.failures == [
        f"Secret shop/{CREDENTIALS}: does not exist; apply the rendering again"
    ]


def test_a_tag_without_an_owner_gets_no_secret() -> None:
    world = with_secret()
    world.update(world.get("Deployment", "web"), spec={"template": pods(B)})
    ran = Ran(world, WITH_SECRET)
    assert owners(world, CREDENTIALS, "Secret") == []
    assert ran.report.failures == [
        f"Deployment shop/web: does not name Secret/{CREDENTIALS}; apply the rendering again, or see why that failed"
    ]


@pytest.mark.parametrize(
    ("remove", "sentence"),
    [
        pytest.param(("Deployment", "web"), "Deployment shop/web: does not exist", id="a workload"),
        pytest.param(("ConfigMap", B), f"ConfigMap shop/{B}: does not exist", id="a revision"),
    ],
)
def test_what_never_comes(remove: tuple[str, str], sentence: str) -> None:
    world = changed()
    world.remove(world.get(*remove))
    ran = Ran(world)
    assert ran.report.failures == [f"{sentence}; apply the rendering again, or see why that failed"]
    assert world.clock >= NOON + 300


def test_what_is_there_is_linked_though_something_never_comes() -> None:
    world = changed()
    world.remove(world.get("ConfigMap", B))
    Ran(world)
    assert owners(world, A) == ["ReplicaSet/web-1"]


def test_a_paused_workload_is_noted() -> None:
    world = changed()
    world.remove(world.get("ReplicaSet", "web-2"))
    ran = Ran(world)
    assert ran.lines[-1] == (
        "note: Deployment shop/web: has no ReplicaSet of its present template; "
        "it is linked by the next run, and safe until then"
    )
    assert owners(world, B) == ["Deployment/web"]
    assert ran.report.failures == []


def test_a_late_rollout_is_waited_for() -> None:
    world = changed()
    web = world.update(world.get("Deployment", "web"), spec={"template": pods(A)})
    hook = once(lambda _: world.clock > NOON + 30, lambda: world.update(web, spec={"template": pods(B)}))
    ran = Ran(world, hook=hook)
    assert owners(world, A) == ["ReplicaSet/web-1"]
    assert ran.report.failures == []
    assert NOON + 30 < world.clock < NOON + 40


def test_a_replica_set_that_comes_in_between_is_linked_as_well() -> None:
    world = changed()
    web = world.get("Deployment", "web")
    late = made_by(web, "ReplicaSet", "web-3", pods(A, image="web:2"))
    Ran(world, hook=before(f"patch ConfigMap/{A}", lambda: world.create(late)))
    assert owners(world, A) == ["ReplicaSet/web-1", "ReplicaSet/web-3"]


def test_a_workload_that_goes_back_in_between_holds_on_again() -> None:
    world = changed()
    web = world.get("Deployment", "web")
    Ran(world, hook=before(f"patch ConfigMap/{A}", lambda: world.update(web, spec={"template": pods(A)})))
    assert sorted(owners(world, A)) == ["Deployment/web", "ReplicaSet/web-1"]


def test_an_owner_that_goes_in_between_is_left_to_the_garbage_collector() -> None:
    world = changed()
    replica_set = world.get("ReplicaSet", "web-1")
    ran = Ran(world, hook=before(f"patch ConfigMap/{A}", lambda: world.remove(replica_set)))
    collect(world)
    assert world.find("ConfigMap", A) is None
    assert ran.report.failures == []


def test_a_namespace_that_never_rests_is_left_to_the_next_run() -> None:
    """Three rounds: a new ReplicaSet before every patch would keep a run busy for ever."""
    world = changed()
    web = world.get("Deployment", "web")
    numbers = iter(range(3, 1000))

    def hook(what: str) -> None:
        if what.startswith("patch"):
            number = next(numbers)
            world.create(made_by(web, "ReplicaSet", f"web-{number}", pods(B, image=f"web:{number}")))

    ran = Ran(world, hook=hook)
    assert len([write for write in ran.cluster.writes if "patch" in write]) == 4


def anew(world: World, name: str) -> None:
    world.remove(world.get("ConfigMap", name))
    world.create(revision(name))


def test_a_revision_made_anew_in_between_is_another_one() -> None:
    world = changed()
    ran = Ran(world, hook=before(f"patch ConfigMap/{B}", lambda: anew(world, B)))
    assert owners(world, B) == ["Deployment/web", "ReplicaSet/web-2"]
    assert [line for line in ran.lines if B in line] == [f"ConfigMap shop/{B}: + Deployment/web, + ReplicaSet/web-2"]


@pytest.mark.parametrize("call", ["delete", "list configmaps"])
def test_an_unused_revision_made_anew_in_between_stays(call: str) -> None:
    world = changed()
    Ran(world, hook=before(call, lambda: anew(world, C), number=1 if call == "delete" else 4))
    assert owners(world, C) == []


@pytest.mark.parametrize(
    "act",
    [
        pytest.param(lambda world, item: world.update(item, spec={"template": pods(B, C)}), id="a workload names it"),
        pytest.param(
            lambda world, item: world.create(made_by(item, "ReplicaSet", "x", pods(C))), id="a ReplicaSet does"
        ),
    ],
)
def test_an_unused_revision_that_is_used_before_the_second_look_stays(act: Callable[[World, Object], object]) -> None:
    world = changed()
    web = world.get("Deployment", "web")
    Ran(world, hook=before("list configmaps", lambda: act(world, web), number=4))
    assert world.find("ConfigMap", C) is not None


def test_an_unused_revision_that_has_changed_since_the_second_look_stays() -> None:
    world = changed()
    item = world.get("ConfigMap", C)
    Ran(
        world,
        hook=before("delete", lambda: world.update_metadata(item, labels={**item["metadata"]["labels"], "a": "b"})),
    )
    assert world.find("ConfigMap", C) is not None


def test_a_revision_that_goes_in_between_though_it_is_named_is_a_failure() -> None:
    world = changed()
    item = world.get("ConfigMap", B)
    ran = Ran(world, hook=before("delete", lambda: world.remove(item)))
    (failure,) = ran.report.failures
    assert failure.startswith(f"ConfigMap shop/{B}: is gone, though Deployment/web names it; apply the rendering again")


def test_the_owner_of_an_earlier_rendering_is_its_job() -> None:
    """It would not run again, if that rendering came back while it is there."""
    world = changed()
    world.create(linker_job("web-link-1", [f"--workload=apps/v1/Deployment/web=ConfigMap/{A}"]))
    Ran(world)
    assert sorted(owners(world, A)) == ["Job/web-link-1", "ReplicaSet/web-1"]


def refuse(_: FakeCluster, patch: OwnerPatch) -> bool:
    raise Failed(patch.revision.name, "may not patch")


def test_what_is_refused_is_said_once_and_the_rest_is_done(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(FakeCluster, "patch_owners", refuse)
    ran = Ran(changed())
    assert ran.report.failures == [f"{A}: may not patch", f"{B}: may not patch"]
    assert ran.lines == [f"ConfigMap shop/{C}: deleted, as nothing names it"]


def state(world: World) -> dict[Any, Object]:
    """Owners in any order, as they come in the order of runs."""
    contents = world.contents()
    for item in contents.values():
        item["metadata"]["ownerReferences"] = sorted(
            item["metadata"].get("ownerReferences", []), key=lambda owner: str(owner["uid"])
        )
    return contents


SITUATIONS = [pytest.param(changed, PLAN, id="a change"), pytest.param(with_secret, WITH_SECRET, id="a Secret")]


def count_calls(make: Callable[[], World], plan: LinkPlan) -> int:
    return Ran(make(), plan).cluster.calls


@pytest.mark.parametrize(("make", "plan"), SITUATIONS)
def test_killed_at_any_call_and_run_again(make: Callable[[], World], plan: LinkPlan) -> None:
    undisturbed = state(Ran(make(), plan).world)
    for last in range(count_calls(make, plan)):
        world = make()
        run = Running(plan, world, timeout=300)
        run.advance(last)
        run.kill()
        assert state(Ran(world, plan).world) == undisturbed, last


@pytest.mark.parametrize(("make", "plan"), SITUATIONS)
def test_told_to_stop_at_any_call(make: Callable[[], World], plan: LinkPlan) -> None:
    """The call in hand is made, and none after it."""
    undisturbed = state(Ran(make(), plan).world)
    for last in range(1, count_calls(make, plan)):
        world = make()
        stopped = FakeCluster(world)
        stopped.hook = once(lambda _, run=stopped, last=last: run.calls == last, stopped.stop.set)  # type: ignore[misc]  # more arguments than a hook has
        with pytest.raises(Stopped):
            link(plan, stopped, Report(NAMESPACE, lambda _: None))
        assert stopped.calls == last
        assert state(Ran(world, plan).world) == undisturbed, last


def test_told_to_stop_in_a_patch_says_what_it_has_done() -> None:
    world = changed()
    lines: list[str] = []
    cluster = FakeCluster(world)
    cluster.hook = before("patch", cluster.stop.set)
    with pytest.raises(Stopped):
        link(PLAN, cluster, Report(NAMESPACE, lines.append))
    assert lines == [f"ConfigMap shop/{A}: + ReplicaSet/web-1, - Deployment/web"]


@pytest.mark.parametrize(("make", "plan"), SITUATIONS)
def test_two_at_once(make: Callable[[], World], plan: LinkPlan) -> None:
    """A second run begins and ends before any call of the first."""
    undisturbed = state(Ran(make(), plan).world)
    for call in range(1, count_calls(make, plan) + 1):
        world = make()
        calls = iter(range(1, 1000))
        second = once(lambda _, calls=calls, call=call: next(calls) == call, lambda world=world: Ran(world, plan))  # type: ignore[misc]  # more arguments than a hook has
        assert Ran(world, plan, second).report.failures == []
        assert state(world) == undisturbed, call


@pytest.mark.parametrize(("make", "plan"), SITUATIONS)
@pytest.mark.parametrize("step", [1, 2, 3, 5])
def test_two_that_take_turns(make: Callable[[], World], plan: LinkPlan, step: int) -> None:
    undisturbed = state(Ran(make(), plan).world)
    world = make()
    runs = [Running(plan, world, timeout=300) for _ in range(2)]
    while not all(run.is_over for run in runs):
        for run in runs:
            run.advance(step)
    assert [run.report.failures for run in runs] == [[], []]
    assert state(world) == undisturbed


@pytest.mark.parametrize(("make", "plan"), SITUATIONS)
def test_a_dry_run_says_the_same_and_writes_nothing(make: Callable[[], World], plan: LinkPlan) -> None:
    done = Ran(make(), plan)
    world = make()
    before_it = world.contents()
    lines: list[str] = []
    report = Report(NAMESPACE, lines.append)
    link(plan, DryRun(FakeCluster(world)), report)
    assert lines == done.lines
    assert report.summary() == done.report.summary()
    assert world.contents() == before_it


def test_a_run_that_is_killed_is_no_run_that_ended() -> None:
    run = Running(PLAN, changed(), timeout=300)
    run.kill()
    assert (run.is_over, run.is_done) == (True, False)
    with pytest.raises(Killed):
        Ran(changed(), hook=before("list", _die))


def _die() -> None:
    raise Killed
