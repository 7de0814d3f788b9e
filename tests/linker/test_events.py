"""The Events that a run records, and their objects."""

from collections.abc import Sequence

import pytest

from krm_fn.base.link_plan import LinkPlan, RevisionName, Workload
from krm_fn.linker.objects import Consumer, Inventory, Observation, Owner
from krm_fn.linker.report import LinkProblem, Report, Write, record_events
from tests.linker.fake_cluster import FakeCluster
from tests.linker.manifests import A, B
from tests.linker.object_store import NOON, ObjectStore

REPLICA_SET = Owner("apps/v1", "ReplicaSet", "web-7c9f", "u1")
LINKED = Write("ConfigMap", A, add=(REPLICA_SET,))
DELETED = Write("ConfigMap", B, remove=(REPLICA_SET,), deleted=True)


def planned(*names: str, revision: str = A) -> LinkPlan:
    workloads = [
        Workload("apps/v1", "Deployment", name, (RevisionName("ConfigMap", revision),))
        for name in names
    ]
    return LinkPlan(set="web", workloads=tuple(workloads), timeout=300, minimum_age=600)


def live(*names: str) -> list[Consumer]:
    return [
        Consumer(
            Owner("apps/v1", "Deployment", name, f"uid-{name}"),
            is_current=True,
            references=frozenset(),
        )
        for name in names
    ]


INVENTORY = Inventory(Owner("v1", "ConfigMap", "web-linker", "u3"), references=frozenset())


def recorded(
    plan: LinkPlan,
    consumers: list[Consumer],
    *changes: Write,
    problems: Sequence[LinkProblem] = (),
    has_inventory: bool = True,
) -> list[str]:
    cluster = FakeCluster(ObjectStore())
    report = Report("shop", lambda _: None)
    report.changes += changes
    report.problems += problems
    observation = Observation([], INVENTORY if has_inventory else None, consumers, now=NOON)
    record_events(plan, observation, report, cluster)
    assert all(write["now"] == NOON for write in cluster.writes)
    return [
        f"{'Warning ' if 'warning' in write else ''}{write['event']} {write['reason']}: {write['message']}"
        for write in cluster.writes
    ]


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
                f"ConfigMap/web-linker RevisionsDeleted: ConfigMap {DELETED}",
            ],
            id="one on the inventory for deletions",
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
def test_changes_are_recorded_on_workloads_and_on_the_inventory(
    plan: LinkPlan, consumers: list[Consumer], changes: list[Write], expected: list[str]
) -> None:
    assert recorded(plan, consumers, *changes) == expected


def test_an_event_lists_five_changes_and_counts_the_others() -> None:
    (event,) = recorded(planned("web"), live("web"), *[LINKED] * 7)
    assert (
        event
        == f"Deployment/web RevisionsLinked: {'; '.join([f'ConfigMap {LINKED}'] * 5)}, and 2 more"
    )


def test_at_most_ten_workloads_get_events() -> None:
    names = [f"web{number}" for number in range(12)]
    assert len(recorded(planned(*names), live(*names), LINKED)) == 10


@pytest.mark.parametrize(
    ("deletions", "events", "more"), [(5, 1, 0), (6, 2, 0), (50, 10, 0), (52, 10, 2)]
)
def test_deletions_are_listed_by_five_in_at_most_ten_events(
    deletions: int, events: int, more: int
) -> None:
    found = recorded(planned("web"), live("web"), *[DELETED] * deletions)
    assert len(found) == events
    assert sum(event.count("deleted") for event in found) == deletions - more
    assert f"and {more} more" in found[-1] or not more


JOB = Owner("batch/v1", "Job", "web-link-1", "u5")
WEB = Owner("apps/v1", "Deployment", "web", "uid-web")
LATE = LinkProblem(
    "Deployment shop/web: does not reference it", WEB, is_failure=False, reason="NotLinked"
)
ABSENT = LinkProblem(
    "Deployment shop/api: does not exist", None, is_failure=False, reason="NotLinked"
)
BROKEN = LinkProblem(
    "Deployment shop/web: references what does not exist",
    WEB,
    is_failure=True,
    reason="RevisionMissing",
)


def own_job(plan: LinkPlan) -> Consumer:
    arguments = tuple(plan.to_arguments())
    return Consumer(JOB, is_current=False, references=frozenset(), arguments=arguments)


@pytest.mark.parametrize(
    ("problem", "expected"),
    [
        pytest.param(
            LATE, f"Warning Deployment/web NotLinked: {LATE.sentence}", id="on the workload"
        ),
        pytest.param(
            ABSENT,
            f"Warning Job/web-link-1 NotLinked: {ABSENT.sentence}",
            id="on the Job of this run",
        ),
        pytest.param(
            BROKEN, f"Warning Deployment/web RevisionMissing: {BROKEN.sentence}", id="a failure"
        ),
    ],
)
def test_a_problem_is_a_warning(problem: LinkProblem, expected: str) -> None:
    plan = planned("web")
    other_job = own_job(planned("other"))._replace(owner=JOB._replace(name="other-link-1"))
    assert recorded(plan, [*live("web"), other_job, own_job(plan)], problems=[problem]) == [
        expected
    ]


def test_a_problem_of_a_run_without_a_job_is_recorded_on_the_inventory() -> None:
    assert recorded(planned("web"), [], problems=[ABSENT]) == [
        f"Warning ConfigMap/web-linker NotLinked: {ABSENT.sentence}"
    ]
    assert recorded(planned("web"), [], problems=[ABSENT], has_inventory=False) == []


def test_at_most_ten_problems_are_recorded() -> None:
    problems = [ABSENT._replace(sentence=f"Deployment shop/{number}") for number in range(12)]
    assert len(recorded(planned("web"), [], problems=problems)) == 10
