"""What a run waits for, how long, and what it reports as missing."""

from collections.abc import Callable

import pytest

from krm_fn.base import keys
from krm_fn.base.link_plan import LinkPlan, RevisionName, Workload
from krm_fn.linker.cluster import observe
from krm_fn.linker.retry import Stopped
from krm_fn.linker.wait import (
    Missing,
    look_last,
    wait_for_history,
    wait_for_kpt,
    wait_for_workloads,
)
from tests.linker.fake_cluster import FakeCluster
from tests.linker.manifests import A, B, inventory, made_by, pods, revision, thing, workload
from tests.linker.object_store import NOON, Object, ObjectStore

API_VERSIONS = {"Rollout": "argoproj.io/v1alpha1", "CronJob": "batch/v1"}


INVENTORY_REFERENCE = {
    "apiVersion": "v1",
    "kind": "ConfigMap",
    "name": "web-linker",
    "uid": "configmap-web-linker-1",
}


def planned(kind: str = "Deployment", *names: str) -> LinkPlan:
    revisions = tuple(RevisionName("ConfigMap", name) for name in names or [A])
    web = Workload(API_VERSIONS.get(kind, "apps/v1"), kind, "web", revisions)
    return LinkPlan(set="web", workloads=(web,), timeout=300, minimum_age=600)


def seconds(store: ObjectStore) -> float:
    return round(store.clock - NOON, 1)


def sentences_of(missing: list[Missing]) -> list[str]:
    return [one.sentence for one in missing]


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
        pytest.param(
            [revision(A), workload("Deployment", "web", pods(A))], id="it references its revision"
        ),
        pytest.param(
            [revision(A), workload("Deployment", "web", pods(A, B))],
            id="it references its revision and another one",
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
            [revision(A), revision(B), workload("Deployment", "web", pods(B))],
            [f"Deployment shop/web: does not reference ConfigMap/{A}"],
            id="a workload with its old template",
        ),
        pytest.param(
            [revision(A), workload("StatefulSet", "web", pods(A))],
            ["Deployment shop/web: does not exist"],
            id="another kind of the same name",
        ),
        pytest.param(
            [revision(A, tracker=True), workload("Deployment", "web", pods(secrets=[A]))],
            [f"ConfigMap shop/{A}: does not exist"],
            id="a Secret of that name",
        ),
    ],
)
def test_the_sentences_at_the_deadline(items: list[Object], sentences: list[str]) -> None:
    cluster = FakeCluster(store := ObjectStore(items))
    assert sentences_of(wait_for_workloads(planned(), cluster)) == sentences
    assert 300 <= seconds(store) < 301


def test_a_late_rollout_is_waited_for() -> None:
    """Argo CD applies Jobs before Rollouts."""
    store = ObjectStore([revision(A), revision(B), rollout := workload("Rollout", "web", pods(B))])
    cluster = FakeCluster(
        store, at(60, lambda: store.update(rollout, spec={"template": pods(A)}), store)
    )
    assert wait_for_workloads(planned("Rollout"), cluster) == []
    assert 60 <= seconds(store) <= 65


def test_pauses_grow_to_five_seconds() -> None:
    times: list[float] = []
    store = ObjectStore()
    cluster = FakeCluster(
        store, lambda what: times.append(seconds(store)) if "configmaps" in what else None
    )
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
    lookups = {f"read the revision ConfigMap/{one.name}" for one in planned().rendered}
    assert asked == {"list configmaps", "list deployments", *lookups}


@pytest.mark.parametrize(
    ("kind", "history"), [("Deployment", "ReplicaSet"), ("StatefulSet", "ControllerRevision")]
)
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
    observation, missing = wait_for_history(
        planned(), FakeCluster(store, at(4, lambda: store.create(late), store))
    )
    assert missing == []
    assert [str(consumer.owner) for consumer in observation.consumers] == [
        "Deployment/web",
        "ReplicaSet/web-1",
    ]
    assert seconds(store) == 4


@pytest.mark.parametrize(
    ("kind", "made", "sentence"),
    [
        pytest.param(
            "Deployment",
            None,
            "Deployment shop/web: has no ReplicaSet for its current template",
            id="no history",
        ),
        pytest.param(
            "Deployment",
            pods(B),
            "Deployment shop/web: has no ReplicaSet for its current template",
            id="history of the old template",
        ),
        pytest.param(
            "Rollout",
            None,
            "Rollout shop/web: has no ReplicaSet for its current template",
            id="of a Rollout",
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
    assert sentences_of(wait_for_history(planned(kind), FakeCluster(store))[1]) == [sentence]
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


BROKEN = f"Deployment shop/web: references ConfigMap/{A}, which does not exist"


def test_a_workload_that_references_a_missing_revision_ends_the_wait_in_seconds() -> None:
    store = ObjectStore([revision(B), workload("Deployment", "web", pods(A))])
    assert sentences_of(wait_for_workloads(planned(), FakeCluster(store))) == [
        f"ConfigMap shop/{A}: does not exist"
    ]
    assert 5 <= seconds(store) < 10


def test_a_workload_that_references_an_earlier_revision_that_is_missing_ends_the_wait_in_seconds() -> (
    None
):
    store = ObjectStore([revision(B), workload("Deployment", "web", pods(A))])
    missing = wait_for_workloads(planned("Deployment", B), FakeCluster(store))
    assert sentences_of(missing) == [f"Deployment shop/web: does not reference ConfigMap/{B}"]
    assert 5 <= seconds(store) < 10


def test_a_config_map_that_is_applied_shortly_after_its_workload_is_waited_for() -> None:
    store = ObjectStore([revision(B), workload("Deployment", "web", pods(A))])
    cluster = FakeCluster(store, at(3, lambda: store.create(revision(A)), store))
    assert wait_for_workloads(planned(), cluster) == []
    assert 3 <= seconds(store) < 5


def optional(name: str) -> Object:
    env = [{"configMapRef": {"name": name, "optional": True}}]
    return {"spec": {"containers": [{"name": "web", "envFrom": env}]}}


def unlabelled(name: str) -> Object:
    item = revision(name)
    return {**item, "metadata": {**item["metadata"], "labels": {}}}


@pytest.mark.parametrize(
    ("items", "broken"),
    [
        pytest.param([workload("Deployment", "web", pods(A))], [BROKEN], id="a missing revision"),
        pytest.param(
            [workload("CronJob", "web", {"spec": {}}), revision(A)], [], id="nothing is referenced"
        ),
        pytest.param([workload("Deployment", "web", pods(A)), revision(A)], [], id="it exists"),
        pytest.param(
            [workload("Deployment", "web", pods(A)), unlabelled(A)],
            [],
            id="a ConfigMap that is not ours",
        ),
        pytest.param([workload("Deployment", "web", optional(A))], [], id="an optional reference"),
        pytest.param(
            [workload("Deployment", "web", pods("other-bbbbbbbbbb"))], [], id="another base name"
        ),
        pytest.param([workload("ReplicaSet", "web-1", pods(A))], [], id="an old ReplicaSet"),
        pytest.param(
            [thing("Deployment", "web", annotations={"cause": f"was {A}"}, spec={})],
            [],
            id="a mere word",
        ),
        pytest.param(
            [
                thing(
                    "Deployment",
                    "web",
                    deletionTimestamp="2026-06-01T12:00:00Z",
                    spec={"template": pods(A)},
                )
            ],
            [],
            id="a workload that is being deleted",
        ),
    ],
)
def test_references_to_missing_revisions(items: list[Object], broken: list[str]) -> None:
    cluster = FakeCluster(store := ObjectStore([inventory(B), revision(B), *items]))
    plan = planned("Deployment", B)
    assert sentences_of(look_last(plan, [], observe(plan, cluster), cluster).broken) == broken
    assert seconds(store) == (5 if broken else 0)


def test_a_reference_that_is_repaired_within_seconds_is_not_missing() -> None:
    store = ObjectStore([revision(B), workload("Deployment", "web", pods(A))])
    cluster = FakeCluster(store, at(4, lambda: store.create(revision(A)), store))
    plan = planned("Deployment", B)
    last = look_last(plan, [], observe(plan, cluster), cluster)
    assert (last.broken, last.has_come) == ([], True)


def kpts(name: str) -> Object:
    return revision(name, annotations={keys.KPT_INVENTORY: "8a1f"})


def let_go(store: ObjectStore, name: str) -> None:
    item = store.get("ConfigMap", name)
    annotations = {
        key: value
        for key, value in item["metadata"]["annotations"].items()
        if key != keys.KPT_INVENTORY
    }
    store.update_metadata(item, annotations=annotations)


def test_kpt_is_waited_for_until_it_has_let_go_of_a_superseded_revision() -> None:
    store = ObjectStore([inventory(A), kpts(A), kpts(B), workload("Deployment", "web", pods(A))])
    cluster = FakeCluster(store, at(60, lambda: let_go(store, B), store))
    assert wait_for_kpt(planned(), observe(planned(), cluster), cluster)
    assert 60 <= seconds(store) <= 65


def test_kpt_is_waited_for_until_the_deadline() -> None:
    store = ObjectStore([inventory(A), kpts(A), kpts(B), workload("Deployment", "web", pods(A))])
    cluster = FakeCluster(store)
    assert wait_for_kpt(planned(), observe(planned(), cluster), cluster)
    assert 300 <= seconds(store) < 301


@pytest.mark.parametrize(
    "superseded",
    [
        pytest.param(revision(B), id="without kpt"),
        pytest.param(
            kpts(B)
            | {"metadata": kpts(B)["metadata"] | {"ownerReferences": [INVENTORY_REFERENCE]}},
            id="a revision that needs no change",
        ),
    ],
)
def test_kpt_is_not_waited_for(superseded: Object) -> None:
    store = ObjectStore([inventory(A), kpts(A), superseded, workload("Deployment", "web", pods(A))])
    cluster = FakeCluster(store)
    assert not wait_for_kpt(planned(), observe(planned(), cluster), cluster)
    assert seconds(store) == 0


MANY = [f"web-config-{first}bbbbbbbb{second}" for first in "cdfg" for second in "cdf"]
SAID = [
    pytest.param(
        [revision(A), workload("Deployment", "web", pods(A))],
        [A],
        [],
        id="nothing, if nothing is missing",
    ),
    pytest.param(
        [],
        [A],
        [f"ConfigMap shop/{A} to exist; Deployment shop/web to exist"],
        id="the revision and the workload",
    ),
    pytest.param(
        [revision(A), revision(B), workload("Deployment", "web", pods(B))],
        [A],
        [f"Deployment shop/web to reference ConfigMap/{A}"],
        id="a reference",
    ),
    pytest.param(
        [*map(revision, MANY), revision(A), workload("Deployment", "web", pods(A))],
        MANY,
        [
            (
                f"Deployment shop/web to reference ConfigMap/{MANY[0]}, "
                f"ConfigMap/{MANY[1]}, ConfigMap/{MANY[2]}, and 9 more"
            )
        ],
        id="three of many references",
    ),
]


@pytest.mark.parametrize(("items", "names", "lines"), SAID)
def test_the_wait_for_workloads_says_once_what_it_is_for(
    items: list[Object], names: list[str], lines: list[str]
) -> None:
    cluster = FakeCluster(ObjectStore(items))
    wait_for_workloads(planned("Deployment", *names), cluster)
    assert cluster.said == [f"waiting for {line} (up to 299 s)" for line in lines]


def test_a_change_is_said() -> None:
    store = ObjectStore([revision(A)])
    cluster = FakeCluster(
        store, at(60, lambda: store.create(workload("Deployment", "web", pods(B))), store)
    )
    wait_for_workloads(planned(), cluster)
    assert cluster.said == [
        "waiting for Deployment shop/web to exist (up to 299 s)",
        f"waiting for Deployment shop/web to reference ConfigMap/{A} (up to 240 s)",
    ]


def test_five_hundred_workloads_that_become_ready_one_by_one_are_a_line_for_each_look() -> None:
    names = [f"web-{number}" for number in range(500)]
    store = ObjectStore([revision(A)])

    def create_next(what: str) -> None:
        if what.startswith("list"):
            store.create(workload("Deployment", names.pop(0), pods(A)))

    cluster = FakeCluster(store, create_next)
    references = (RevisionName("ConfigMap", A),)
    workloads = tuple(Workload("apps/v1", "Deployment", name, references) for name in names)
    wait_for_workloads(
        LinkPlan(set="web", workloads=workloads, timeout=300, minimum_age=600), cluster
    )
    assert cluster.said[0] == (
        "waiting for Deployment shop/web-6 to exist; Deployment shop/web-7 to exist; Deployment shop/web-8 to exist, "
        "and 491 more (up to 299 s)"
    )
    assert len(cluster.said) < 70


def test_the_wait_for_history_says_how_long_it_is() -> None:
    cluster = FakeCluster(ObjectStore([revision(A), workload("Deployment", "web", pods(A))]))
    wait_for_history(planned(), cluster)
    assert cluster.said == [
        "waiting for a ReplicaSet for the current template of Deployment shop/web (up to 10 s)"
    ]


def test_the_wait_for_kpt_says_for_what() -> None:
    store = ObjectStore([inventory(A), kpts(A), kpts(B), workload("Deployment", "web", pods(A))])
    cluster = FakeCluster(store, at(60, lambda: let_go(store, B), store))
    wait_for_kpt(planned(), observe(planned(), cluster), cluster)
    assert cluster.said == [f"waiting for kpt to let go of ConfigMap shop/{B} (up to 299 s)"]


def test_the_second_look_for_a_missing_revision_says_so() -> None:
    cluster = FakeCluster(
        ObjectStore([inventory(B), revision(B), workload("Deployment", "web", pods(A))])
    )
    plan = planned("Deployment", B)
    look_last(plan, [], observe(plan, cluster), cluster)
    assert cluster.said == [
        f"waiting for ConfigMap shop/{A}, which Deployment/web references (up to 5 s)"
    ]
