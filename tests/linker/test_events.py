"""The Events that a run records, and their objects."""

import pytest

from krm_fn.linker.events import record_events
from krm_fn.linker.objects import Consumer, Owner
from krm_fn.linker.observe import Observation
from krm_fn.linker.report import Change
from krm_fn.model.link_plan import LinkPlan, RevisionName, Workload
from tests.linker.fake_cluster import FakeCluster
from tests.linker.manifests import A, B
from tests.linker.object_store import NOON, ObjectStore

REPLICA_SET = Owner("apps/v1", "ReplicaSet", "web-7c9f", "u1")
LINKED = Change("ConfigMap", A, add=(REPLICA_SET,))
DELETED = Change("ConfigMap", B, deleted=True)


def planned(*names: str, revision: str = A) -> LinkPlan:
    workloads = [Workload("apps/v1", "Deployment", name, (RevisionName("ConfigMap", revision),)) for name in names]
    return LinkPlan(set="web", workloads=tuple(workloads), timeout=300, minimum_age=600)


def live(*names: str) -> list[Consumer]:
    return [
        Consumer(Owner("apps/v1", "Deployment", name, f"uid-{name}"), is_current=True, references=frozenset())
        for name in names
    ]


def recorded(plan: LinkPlan, consumers: list[Consumer], *changes: Change) -> list[str]:
    cluster = FakeCluster(ObjectStore())
    record_events(plan, Observation([], consumers, now=NOON), list(changes), cluster)
    assert all(write["now"] == NOON for write in cluster.writes)
    return [f"{write['event']} {write['reason']}: {write['message']}" for write in cluster.writes]


@pytest.mark.parametrize(
    ("plan", "consumers", "changes", "expected"),
    [
        pytest.param(
            planned("web"),
            live("web"),
            [LINKED],
            [f"Deployment/web RevisionsLinked: ConfigMap {A}: + ReplicaSet/web-7c9f"],
            id="one for new owners",
        ),
        pytest.param(
            planned("web"),
            live("web"),
            [DELETED, LINKED],
            [
                f"Deployment/web RevisionsLinked: ConfigMap {A}: + ReplicaSet/web-7c9f",
                f"Deployment/web RevisionsDeleted: ConfigMap {B}: deleted, nothing references it",
            ],
            id="another one for deletions",
        ),
        pytest.param(planned("web"), live("web"), [], [], id="none if nothing has changed"),
        pytest.param(planned("web"), [], [LINKED], [], id="none if the workload does not exist"),
        pytest.param(
            planned("web", revision="other-bbbbbbbbbb"),
            live("web"),
            [LINKED],
            [],
            id="none for revisions of other workloads",
        ),
    ],
)
def test_each_planned_workload_gets_the_events_of_its_revisions(
    plan: LinkPlan, consumers: list[Consumer], changes: list[Change], expected: list[str]
) -> None:
    assert recorded(plan, consumers, *changes) == expected


def test_an_event_lists_five_changes_and_counts_the_others() -> None:
    (event,) = recorded(planned("web"), live("web"), *[LINKED] * 7)
    assert event == f"Deployment/web RevisionsLinked: {'; '.join([f'ConfigMap {LINKED}'] * 5)}, and 2 more"


def test_at_most_ten_workloads_get_events() -> None:
    names = [f"web{number}" for number in range(12)]
    assert len(recorded(planned(*names), live(*names), LINKED)) == 10
