"""How many revisions stay at most, judged by what is there after many releases.

The controllers of the linker's model keep what the limits say, and the linker deletes the rest.
"""

from random import Random

import pytest

from krm_fn.base import keys
from krm_fn.base.link_plan import LinkPlan
from krm_fn.linker.link import link
from krm_fn.linker.report import Report
from krm_fn.tools.common.kept import Kept
from krm_fn.tools.history.find_history import find_history
from krm_fn.tools.history.snapshot import read_snapshot
from tests.history.fake_source import FakeSource
from tests.linker.controllers import HISTORY, history, reconcile, trim
from tests.linker.fake_cluster import FakeCluster
from tests.linker.manifests import inventory, made_by, pods, revision, workload
from tests.linker.object_store import NAMESPACE, ObjectStore
from tests.volume import part_of, seed_of

BASE = "web-config"
_LETTERS = "bcdfghkmt2456789"
_A_DAY = 86_400


def name_of(number: int) -> str:
    letters = [_LETTERS[number // 16**place % 16] for place in range(4)]
    return f"{BASE}-{'b' * 6}{''.join(letters)}"


def kept_of(store: ObjectStore) -> Kept:
    (found,) = find_history(read_snapshot(FakeSource(store, now=store.clock), None)).sets
    (kept,) = found.kept
    return kept


def count_live(store: ObjectStore) -> int:
    return sum(BASE in item["metadata"]["name"] for item in store.of_kind("ConfigMap"))


def release(store: ObjectStore, number: int, *, only: frozenset[str] = frozenset()) -> None:
    """Apply a new revision, let all rollouts end, and let the linker run.

    The workloads in `only` get a new image as well, and so another template.
    """
    name = name_of(number)
    store.create(revision(name))
    listed = {
        **store.get("ConfigMap", "web-linker")["metadata"]["annotations"],
        keys.RENDERED: name,
    }
    store.update_metadata(store.get("ConfigMap", "web-linker"), annotations=listed)
    for item in store.of_kind(*HISTORY):
        template = pods(name)
        if item["metadata"]["name"] in only:
            template["spec"]["hostname"] = f"image-{number}"
        store.update(item, spec={**item["spec"], "template": template})
        changed = store.get(item["kind"], item["metadata"]["name"])
        reconcile(store, changed)
        trim(store, changed, item["spec"].get("revisionHistoryLimit", 10))
    for item in store.of_kind("CronJob"):
        _reschedule(store, item["metadata"]["name"], name, number)
    for pod in store.of_kind("Pod"):
        store.remove(pod)  # those of the new template start again, and reference what it does
    store.clock += _A_DAY
    plan = LinkPlan(set="web", timeout=300, minimum_age=600)._replace(waits=False)
    link(plan, FakeCluster(store), Report(NAMESPACE, lambda _: None))


def _reschedule(store: ObjectStore, name: str, revised: str, number: int) -> None:
    """Change a CronJob, run a Job of it, and delete those beyond the limits.

    Of five, the first one fails, and the last one has not run yet.
    """
    spec = {"jobTemplate": {"spec": {"template": pods(revised)}}}
    cron_job = store.update(
        store.get("CronJob", name), spec={**store.get("CronJob", name)["spec"], **spec}
    )
    if number % 5 == 4:
        return
    ending = "failed" if number % 5 == 0 else "done"
    store.create(made_by(cron_job, "Job", f"{name}-{ending}-{number:04}", pods(revised)))
    for field, default, word in (
        ("successfulJobsHistoryLimit", 3, "done"),
        ("failedJobsHistoryLimit", 1, "failed"),
    ):
        jobs = [one for one in store.of_kind("Job") if f"{name}-{word}-" in one["metadata"]["name"]]
        for old in jobs[: max(0, len(jobs) - cron_job["spec"].get(field, default))]:
            store.remove(old)


LIMITS = [
    pytest.param(
        "Deployment", {}, 11, id="a Deployment without a limit keeps ten, and what is used"
    ),
    pytest.param("Deployment", {"revisionHistoryLimit": 0}, 1, id="a limit of none leaves one"),
    pytest.param("Rollout", {"revisionHistoryLimit": 2}, 3, id="a Rollout has the same limit"),
    pytest.param(
        "StatefulSet", {"revisionHistoryLimit": 4}, 5, id="ControllerRevisions count alike"
    ),
    pytest.param("DaemonSet", {}, 11, id="a DaemonSet keeps ten too"),
    pytest.param("CronJob", {}, 5, id="a CronJob keeps three Jobs that worked and one that failed"),
    pytest.param(
        "CronJob",
        {"successfulJobsHistoryLimit": 0, "failedJobsHistoryLimit": 2},
        3,
        id="both limits of a CronJob count",
    ),
]


@pytest.mark.parametrize(("kind", "spec", "most"), LIMITS)
def test_as_many_stay_as_the_limit_says_and_no_more(
    kind: str, spec: dict[str, int], most: int
) -> None:
    first = {"jobTemplate": {"spec": {"template": pods()}}} if kind == "CronJob" else {}
    one = workload(kind, "web", pods(), **spec, **first)
    store = ObjectStore([inventory(), one])
    found = []
    for number in range(20):
        release(store, number)
        assert kept_of(store).most == most
        found.append(count_live(store))
    assert max(found) == most


def test_several_workloads_never_keep_more_than_is_told() -> None:
    """Each has a limit of its own, and some change without the object."""
    judged = 0
    for case in range(part_of(300)):
        random = Random(seed_of(case))
        store = ObjectStore([inventory()])
        kinds = random.choices(
            ["Deployment", "Rollout", "StatefulSet", "DaemonSet"], k=random.randint(1, 4)
        )
        for index, kind in enumerate(kinds):
            limit = random.choice([{}, {"revisionHistoryLimit": random.randint(0, 4)}])
            store.create(workload(kind, f"app-{index}", pods(), **limit))
        names = [f"app-{index}" for index in range(len(kinds))]
        for number in range(random.randint(1, 25)):
            release(
                store, number, only=frozenset(random.sample(names, random.randint(0, len(names))))
            )
            most = kept_of(store).most
            assert most is not None, case
            assert count_live(store) <= most, f"case {case}, release {number}: {kinds}"
            judged += 1
    print(f"{judged} releases")


def test_what_no_limit_deletes_is_named() -> None:
    store = ObjectStore(
        [inventory(name_of(0)), revision(name_of(0)), workload("Job", "migrate", pods(name_of(0)))]
    )
    assert str(kept_of(store)) == "no limit of its revisions: Job/migrate may keep each of them"


def test_nothing_is_told_of_what_is_not_seen() -> None:
    store = ObjectStore(
        [
            inventory(name_of(0)),
            revision(name_of(0)),
            workload("Deployment", "web", pods(name_of(0))),
        ]
    )
    source = FakeSource(store, ["pods"])
    (found,) = find_history(read_snapshot(source, None)).sets
    assert found.kept == ()


def test_the_history_of_a_workload_that_reads_nothing_any_more_still_counts() -> None:
    name = name_of(0)
    one = workload("Deployment", "web", pods())
    store = ObjectStore([inventory(), revision(name), one])
    live = store.get("Deployment", "web")
    store.create(made_by(live, "ReplicaSet", "web-1", pods(name)))
    assert history(store, live)
    assert kept_of(store).most == 10
