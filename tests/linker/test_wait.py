"""What a run waits for, how long, and what it says is missing."""

from collections.abc import Callable

import pytest

from krm_fn.linker.retry import Stopped
from krm_fn.linker.wait import wait_for_history, wait_for_workloads
from krm_fn.model.link_plan import LinkPlan, RevisionName, Workload
from tests.linker.fake_cluster import FakeCluster
from tests.linker.manifests import A, B, made_by, pods, revision, thing, workload
from tests.linker.world import NOON, Object, World

API_VERSIONS = {"Rollout": "argoproj.io/v1alpha1", "CronJob": "batch/v1"}


def planned(kind: str = "Deployment", *names: str) -> LinkPlan:
    revisions = tuple(RevisionName("ConfigMap", name) for name in names or [A])
    web = Workload(API_VERSIONS.get(kind, "apps/v1"), kind, "web", revisions)
    return LinkPlan(set="web", workloads=(web,), timeout=300, minimum_age=600)


def seconds(world: World) -> float:
    return round(world.clock - NOON, 1)


def at(time: float, act: Callable[[], object], world: World) -> Callable[[str], None]:
    """A hook that does something once, that many seconds after noon."""
    left = [act]

    def hook(_: str) -> None:
        if left and world.clock >= NOON + time:
            left.pop()()

    return hook


@pytest.mark.parametrize(
    "items",
    [
        pytest.param([revision(A), workload("Deployment", "web", pods(A))], id="it names its revision"),
        pytest.param([revision(A), workload("Deployment", "web", pods(A, B))], id="and another one"),
    ],
)
def test_nothing_to_wait_for(items: list[Object]) -> None:
    cluster = FakeCluster(world := World(items))
    assert wait_for_workloads(planned(), cluster) == []
    assert (seconds(world), cluster.calls) == (0, 2)


@pytest.mark.parametrize(
    ("items", "sentences"),
    [
        pytest.param(
            [],
            [f"ConfigMap shop/{A}: does not exist", "Deployment shop/web: does not exist"],
            id="neither one nor the other",
        ),
        pytest.param([revision(A)], ["Deployment shop/web: does not exist"], id="no workload"),
        pytest.param(
            [workload("Deployment", "web", pods(A))], [f"ConfigMap shop/{A}: does not exist"], id="no revision"
        ),
        pytest.param(
            [revision(A), workload("Deployment", "web", pods(B))],
            [f"Deployment shop/web: does not name ConfigMap/{A}"],
            id="a workload of before",
        ),
        pytest.param(
            [revision(A), workload("StatefulSet", "web", pods(A))],
            ["Deployment shop/web: does not exist"],
            id="a namesake",
        ),
        pytest.param(
            [revision(A, tag=True), workload("Deployment", "web", pods(A))],
            [f"ConfigMap shop/{A}: does not exist"],
            id="a Secret of that name",
        ),
    ],
)
def test_what_is_missing_at_the_deadline(items: list[Object], sentences: list[str]) -> None:
    cluster = FakeCluster(world := World(items))
    found = wait_for_workloads(planned(), cluster)
    assert found == sentences
    assert 300 <= seconds(world) < 301


def test_a_late_rollout() -> None:
    """Argo CD applies Jobs before Rollouts."""
    world = World([revision(A), revision(B), rollout := workload("Rollout", "web", pods(B))])
    cluster = FakeCluster(world, at(60, lambda: world.update(rollout, spec={"template": pods(A)}), world))
    assert wait_for_workloads(planned("Rollout"), cluster) == []
    assert 60 <= seconds(world) <= 65


def test_pauses_grow_to_five_seconds() -> None:
    times: list[float] = []
    world = World()
    cluster = FakeCluster(world, lambda what: times.append(seconds(world)) if "configmaps" in what else None)
    wait_for_workloads(planned(), cluster)
    assert times[:8] == [0.0, 0.5, 1.2, 2.4, 4.1, 6.6, 10.4, 15.4]


def test_told_to_stop_while_it_waits() -> None:
    world = World()
    cluster = FakeCluster(world)
    cluster.hook = at(20, cluster.stop.set, world)
    with pytest.raises(Stopped):
        wait_for_workloads(planned(), cluster)
    assert 20 <= seconds(world) <= 25


def test_only_the_kinds_of_planned_workloads_are_asked_for() -> None:
    asked: set[str] = set()
    wait_for_workloads(planned(), FakeCluster(World(), asked.add))
    assert asked == {"list configmaps", "list deployments"}


@pytest.mark.parametrize(("kind", "history"), [("Deployment", "ReplicaSet"), ("StatefulSet", "ControllerRevision")])
def test_history_that_is_there(kind: str, history: str) -> None:
    world = World([revision(A)])
    web = world.create(workload(kind, "web", pods(A)))
    world.create(made_by(web, history, "web-1", pods(A)))
    assert wait_for_history(planned(kind), FakeCluster(world))[1] == []
    assert seconds(world) == 0


def test_history_that_comes_late() -> None:
    world = World([revision(A)])
    web = world.create(workload("Deployment", "web", pods(A)))
    late = made_by(web, "ReplicaSet", "web-1", pods(A))
    seen, unborn = wait_for_history(planned(), FakeCluster(world, at(4, lambda: world.create(late), world)))
    assert unborn == []
    assert [str(user.owner) for user in seen.users] == ["Deployment/web", "ReplicaSet/web-1"]
    assert seconds(world) == 4


@pytest.mark.parametrize(
    ("kind", "made", "sentence"),
    [
        pytest.param("Deployment", None, "Deployment shop/web: has no ReplicaSet of its present template", id="none"),
        pytest.param(
            "Deployment", pods(B), "Deployment shop/web: has no ReplicaSet of its present template", id="of before"
        ),
        pytest.param("Rollout", None, "Rollout shop/web: has no ReplicaSet of its present template", id="of a Rollout"),
        pytest.param(
            "DaemonSet", None, "DaemonSet shop/web: has no ControllerRevision of its present template", id="a DaemonSet"
        ),
    ],
)
def test_ten_seconds_for_history_that_does_not_come(kind: str, made: Object | None, sentence: str) -> None:
    world = World([revision(A)])
    web = world.create(workload(kind, "web", pods(A)))
    if made:
        world.create(made_by(web, "ReplicaSet", "web-1", made))
    assert wait_for_history(planned(kind), FakeCluster(world))[1] == [sentence]
    assert seconds(world) == 10


def test_no_time_is_left_for_history() -> None:
    world = World([revision(A), workload("Deployment", "web", pods(A))])
    cluster = FakeCluster(world, timeout=3)
    assert len(wait_for_history(planned(), cluster)[1]) == 1
    assert seconds(world) == 3


@pytest.mark.parametrize(
    "item",
    [
        pytest.param(workload("CronJob", "web", pods(A)), id="a CronJob has none"),
        pytest.param(workload("Deployment", "web", pods(B)), id="a workload of before is missing, not its history"),
        pytest.param(thing("Pod", "x"), id="no workload has none"),
    ],
)
def test_no_history_is_expected(item: Object) -> None:
    kind = item["kind"] if item["kind"] == "CronJob" else "Deployment"
    world = World([revision(A), item])
    assert wait_for_history(planned(kind), FakeCluster(world))[1] == []
    assert seconds(world) == 0
