"""Which Events a run leaves, and on what."""

from collections.abc import Iterable

import pytest

from krm_fn.linker.events import tell
from krm_fn.linker.objects import Owner, User
from krm_fn.linker.report import Change
from krm_fn.model.link_plan import LinkPlan, RevisionName, Workload
from tests.linker.fake_cluster import FakeCluster
from tests.linker.manifests import A, B
from tests.linker.world import World

REPLICA_SET = Owner("apps/v1", "ReplicaSet", "web-7c9f", "u1")
LINKED = Change("ConfigMap", A, add=(REPLICA_SET,))
DELETED = Change("ConfigMap", B, deleted=True)


def planned(*names: str, revision: str = A) -> LinkPlan:
    workloads = [Workload("apps/v1", "Deployment", name, (RevisionName("ConfigMap", revision),)) for name in names]
    return LinkPlan(set="web", workloads=tuple(workloads), timeout=300, minimum_age=600)


def live(*names: str) -> list[User]:
    return [
        User(Owner("apps/v1", "Deployment", name, f"uid-{name}"), current=True, names=frozenset()) for name in names
    ]


def told(plan: LinkPlan, users: Iterable[User], *changes: Change) -> list[str]:
    cluster = FakeCluster(World())
    tell(plan, users, list(changes), cluster)
    return [f"{write['event']} {write['reason']}: {write['message']}" for write in cluster.writes]


@pytest.mark.parametrize(
    ("plan", "users", "changes", "expected"),
    [
        pytest.param(
            planned("web"),
            live("web"),
            [LINKED],
            [f"Deployment/web RevisionsLinked: ConfigMap {A}: + ReplicaSet/web-7c9f"],
            id="what was linked",
        ),
        pytest.param(
            planned("web"),
            live("web"),
            [DELETED, LINKED],
            [
                f"Deployment/web RevisionsLinked: ConfigMap {A}: + ReplicaSet/web-7c9f",
                f"Deployment/web RevisionsDeleted: ConfigMap {B}: deleted, as nothing names it",
            ],
            id="what was deleted, on its own",
        ),
        pytest.param(planned("web"), live("web"), [], [], id="nothing, where nothing changed"),
        pytest.param(planned("web"), [], [LINKED], [], id="nothing, where the workload is not there"),
        pytest.param(
            planned("web", revision="other-bbbbbbbbbb"), live("web"), [LINKED], [], id="nothing of what is not its own"
        ),
    ],
)
def test_events(plan: LinkPlan, users: list[User], changes: list[Change], expected: list[str]) -> None:
    assert told(plan, users, *changes) == expected


def test_five_changes_are_told_of_and_the_others_counted() -> None:
    (event,) = told(planned("web"), live("web"), *[LINKED] * 7)
    assert event == f"Deployment/web RevisionsLinked: {'; '.join([f'ConfigMap {LINKED}'] * 5)}, and 2 more"


def test_ten_workloads_are_told() -> None:
    names = [f"web{number}" for number in range(12)]
    assert len(told(planned(*names), live(*names), LINKED)) == 10
