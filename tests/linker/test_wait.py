"""What a run waits for, how long, and what it reports as missing."""

from collections.abc import Callable

import pytest

from krm_fn.linker.retry import Stopped
from krm_fn.linker.wait import wait_for_history, wait_for_workloads
from krm_fn.model.link_plan import LinkPlan, RevisionName, Workload
from tests.linker.fake_cluster import FakeCluster
from tests.linker.manifests import A, B, made_by, pods, revision, thing, workload
from tests.linker.object_store import NOON, Object, ObjectStore

API_VERSIONS = {"Rollout": "argoproj.io/v1alpha1", "CronJob": "batch/v1"}


def planned(kind: str = "Deployment", *names: str) -> LinkPlan:
    revisions = tuple(RevisionName("ConfigMap", name) for name in names or [A])
    web = Workload(API_VERSIONS.get(kind, "apps/v1"), kind, "web", revisions)
    return LinkPlan(set="web", workloads=(web,), timeout=300, minimum_age=600)


def seconds(store: ObjectStore) -> float:
    return round(store.clock - NOON, 1)


def at(time: float, act: Callable[[], object], store: ObjectStore) -> Callable[[str], None]:
    """Return a hook that acts once, this many seconds after noon."""
    left = [act]

    def hook(_: str) -> None:
        if left and store.clock >= NOON + time:
            left.pop()()

    return hook


@pytest.mark.parametrize(
    "items",
    [
        pytest.param([revision(A), workload("Deployment", "web", pods(A))], id="it references its revision"),
        pytest.param(
            [revision(A), workload("Deployment", "web", pods(A, B))], id="it references its revision and another one"
        ),
    ],
)
def test_a_workload_that_references_its_revision_is_not_waited_for(items: list[Object]) -> None:
    cluster = FakeCluster(store := ObjectStore(items))
    assert wait_for_workloads(planned(), cluster) == []
    assert (seconds(store), cluster.calls) == (0, 2)


@pytest.mark.parametrize(
    ("items", "sentences"),
    [
        pytest.param(
            [],
            [f"ConfigMap shop/{A}: does not exist", "Deployment shop/web: does not exist"],
            id="neither workload nor revision",
        ),
        pytest.param([revision(A)], ["Deployment shop/web: does not exist"], id="no workload"),
        pytest.param(
            [workload("Deployment", "web", pods(A))], [f"ConfigMap shop/{A}: does not exist"], id="no revision"
        ),
        pytest.param(
            [revision(A), workload("Deployment", "web", pods(B))],
            [f"Deployment shop/web: does not reference ConfigMap/{A}"],
            id="a workload with its old template",
        ),
        pytest.param(
            [revision(A), workload("StatefulSet", "web", pods(A))],
            ["Deployment shop/web: does not exist"],
            id="another kind of the same name",
        ),
        pytest.param(
            [revision(A, tracker=True), workload("Deployment", "web", pods(A))],
            [f"ConfigMap shop/{A}: does not exist"],
            id="a Secret of that name",
        ),
    ],
)
def test_the_sentences_at_the_deadline(items: list[Object], sentences: list[str]) -> None:
    cluster = FakeCluster(store := ObjectStore(items))
    found = wait_for_workloads(planned(), cluster)
    assert found == sentences
    assert 300 <= seconds(store) < 301


def test_a_late_rollout_is_waited_for() -> None:
    """Argo CD applies Jobs before Rollouts."""
    store = ObjectStore([revision(A), revision(B), rollout := workload("Rollout", "web", pods(B))])
    cluster = FakeCluster(store, at(60, lambda: store.update(rollout, spec={"template": pods(A)}), store))
    assert wait_for_workloads(planned("Rollout"), cluster) == []
    assert 60 <= seconds(store) <= 65


def test_pauses_grow_to_five_seconds() -> None:
    times: list[float] = []
    store = ObjectStore()
    cluster = FakeCluster(store, lambda what: times.append(seconds(store)) if "configmaps" in what else None)
    wait_for_workloads(planned(), cluster)
    assert times[:8] == [0.0, 0.5, 1.2, 2.4, 4.1, 6.6, 10.4, 15.4]


def test_stop_ends_the_wait() -> None:
    store = ObjectStore()
    cluster = FakeCluster(store)
    cluster.hook = at(20, cluster.stop.set, store)
    with pytest.raises(Stopped):
        wait_for_workloads(planned(), cluster)
    assert 20 <= seconds(store) <= 25


def test_only_the_kinds_of_planned_workloads_are_listed() -> None:
    asked: set[str] = set()
    wait_for_workloads(planned(), FakeCluster(ObjectStore(), asked.add))
    assert asked == {"list configmaps", "list deployments"}


@pytest.mark.parametrize(("kind", "history"), [("Deployment", "ReplicaSet"), ("StatefulSet", "ControllerRevision")])
def test_existing_history_is_not_waited_for(kind: str, history: str) -> None:
    store = ObjectStore([revision(A)])
    web = store.create(workload(kind, "web", pods(A)))
    store.create(made_by(web, history, "web-1", pods(A)))
    assert wait_for_history(planned(kind), FakeCluster(store))[1] == []
    assert seconds(store) == 0


def test_late_history_is_waited_for() -> None:
    store = ObjectStore([revision(A)])
    web = store.create(workload("Deployment", "web", pods(A)))
    late = made_by(web, "ReplicaSet", "web-1", pods(A))
    observation, missing = wait_for_history(planned(), FakeCluster(store, at(4, lambda: store.create(late), store)))
    assert missing == []
    assert [str(consumer.owner) for consumer in observation.consumers] == ["Deployment/web", "ReplicaSet/web-1"]
    assert seconds(store) == 4


@pytest.mark.parametrize(
    ("kind", "made", "sentence"),
    [
        pytest.param(
            "Deployment", None, "Deployment shop/web: has no ReplicaSet for its current template", id="no history"
        ),
        pytest.param(
            "Deployment",
            pods(B),
            "Deployment shop/web: has no ReplicaSet for its current template",
            id="history of the old template",
        ),
        pytest.param(
            "Rollout", None, "Rollout shop/web: has no ReplicaSet for its current template", id="of a Rollout"
        ),
        pytest.param(
            "DaemonSet",
            None,
            "DaemonSet shop/web: has no ControllerRevision for its current template",
            id="a DaemonSet",
        ),
    ],
)
def test_history_is_waited_for_ten_seconds(kind: str, made: Object | None, sentence: str) -> None:
    store = ObjectStore([revision(A)])
    web = store.create(workload(kind, "web", pods(A)))
    if made:
        store.create(made_by(web, "ReplicaSet", "web-1", made))
    assert wait_for_history(planned(kind), FakeCluster(store))[1] == [sentence]
    assert seconds(store) == 10


def test_history_is_not_waited_for_after_the_deadline() -> None:
    store = ObjectStore([revision(A), workload("Deployment", "web", pods(A))])
    cluster = FakeCluster(store, timeout=3)
    assert len(wait_for_history(planned(), cluster)[1]) == 1
    assert seconds(store) == 3


@pytest.mark.parametrize(
    "item",
    [
        pytest.param(workload("CronJob", "web", pods(A)), id="a CronJob"),
        pytest.param(workload("Deployment", "web", pods(B)), id="a workload with its old template"),
        pytest.param(thing("Pod", "x"), id="no workload"),
    ],
)
def test_these_workloads_need_no_history(item: Object) -> None:
    kind = item["kind"] if item["kind"] == "CronJob" else "Deployment"
    store = ObjectStore([revision(A), item])
    assert wait_for_history(planned(kind), FakeCluster(store))[1] == []
    assert seconds(store) == 0
