"""The CronJob of `spec.linker.schedule`: runs between releases, during a release, and beside the release's own Job."""

import itertools
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

import pytest

from krm_fn.extras.linker_objects import spread_schedule
from tests.cluster.api import Api, Object
from tests.cluster.control_plane import ControlPlane, new_namespace
from tests.cluster.deployers import Step
from tests.cluster.invariant_watcher import InvariantWatcher
from tests.cluster.linker_job import COMPONENT, LinkerRun, run_linker
from tests.cluster.manifests import cron_job
from tests.cluster.readiness import has_ended
from tests.cluster.release import DEPLOYERS, SET, Release, with_image
from tests.cluster.rollouts_controller import promote, rollout_in_phase
from tests.cluster.workloads import (
    app,
    on_each_deployer,
    restart,
    until_settled,
    until_unreferenced,
    web,
)
from tests.wait import until

CRON_JOB = f"{SET}-linker"
NEVER = "0 0 1 1 *"
"""The test itself starts the Jobs, as `kubectl create job --from=cronjob/shop-linker` does."""

_numbers = itertools.count(1)


@pytest.fixture
def shop(namespace: Api, deployer: str, rollouts: object) -> Release:
    del rollouts
    return scheduled(namespace, deployer)


def scheduled(namespace: Api, deployer: str, schedule: str = NEVER) -> Release:
    linker = {"minimumAgeSeconds": 0, "timeoutSeconds": 60, "schedule": schedule}
    return Release(
        api=namespace, deployer=DEPLOYERS[deployer](namespace), settings={"linker": linker}
    )


def job_of_cron_job(api: Api, name: str = CRON_JOB) -> Object:
    """Create a Job from the live CronJob, and wait for its pod."""
    cron_job = api.get("CronJob", name)
    template = cron_job["spec"]["jobTemplate"]
    owner = {
        "apiVersion": "batch/v1",
        "kind": "CronJob",
        "name": name,
        "uid": cron_job["metadata"]["uid"],
    }
    metadata = {
        "name": f"{name}-{next(_numbers)}",
        "ownerReferences": [{**owner, "controller": True}],
    }
    api.create(
        {"kind": "Job", "metadata": {**template["metadata"], **metadata}, "spec": template["spec"]}
    )
    return pod_of(api, metadata["name"])


def pod_of(api: Api, job: object) -> Object:
    pods = until(
        f"the pod of {job} is bound to a node",
        lambda: [
            pod for pod in api.list("Pod", labels=f"job-name={job}") if pod["spec"].get("nodeName")
        ],
        bool,
    )
    return pods[0]


def superseded(shop: Release) -> list[str]:
    """Release a and b, and then let the last ReplicaSet of a go.

    Returns the names of both revisions.
    """
    for content in ("a", "b"):
        shop.release(*app("Deployment", content, revisionHistoryLimit=1))
        until_settled(shop.api, "Deployment")
    names = [shop.revision_of(content, "deployment-config") for content in "ab"]
    shop.api.patch("Deployment", "deployment", {"spec": {"revisionHistoryLimit": 0}})
    until_unreferenced(shop, names[0])
    return names


def run_on_schedule(shop: Release) -> LinkerRun:
    """Run the CronJob. It waits for nothing, and succeeds."""
    run = run_linker(shop.api, SET, pod=job_of_cron_job(shop.api))
    assert (run.exit_code, run.stderr) == (0, ""), run
    assert [wait for wait in run.waits if "deployers that may want" not in wait] == []
    return run


def test_the_api_server_accepts_whatever_an_h_becomes(namespace: Api) -> None:
    """Of each form, what the hashes of 100 namespaces choose."""
    forms = (
        "H * * * *",
        "H/15 * * * *",
        "H/59 * * * *",
        "H H * * SUN",
        "0 H/23 * * *",
        "H H/6 1,15 * *",
    )
    schedules = {
        spread_schedule(form, f"team-{number}", SET) for form in forms for number in range(100)
    }
    for number, schedule in enumerate(sorted(schedules)):
        namespace.create(cron_job(f"spread-{number}", schedule=schedule))


@on_each_deployer
def test_a_paused_canary_keeps_both_and_the_run_after_the_last_replica_set_deletes_the_old_one(
    shop: Release, invariants: InvariantWatcher
) -> None:
    for content, phase in (("old", "Healthy"), ("new", "Paused")):
        shop.release(*web(content))
        rollout_in_phase(shop.api, "web", phase)
    old, new = shop.revision_of("old"), shop.revision_of("new")
    for _ in range(2):
        run_on_schedule(shop)
        assert set(shop.revisions()) == {old, new}
    promote(shop.api, "web")
    rollout_in_phase(shop.api, "web", "Healthy")
    # The configuration does not change, so no Job of a release runs.
    for image in (
        "app:2",
        "app:3",
    ):
        objects = web("new")
        shop.sync(objects[0], with_image(objects[1], image))
        rollout_in_phase(shop.api, "web", "Paused")
        promote(shop.api, "web")
        rollout_in_phase(shop.api, "web", "Healthy")
    until_unreferenced(shop, old)
    assert old in shop.revisions()
    run_on_schedule(shop)
    assert old not in shop.revisions()
    assert invariants.violations() == []


@on_each_deployer
@pytest.mark.parametrize("to", ["a", "c"], ids=["back", "new"])
def test_a_run_between_any_two_steps_of_a_release(
    shop: Release, to: str, invariants: InvariantWatcher
) -> None:
    """The plan is that of the last release until the CronJob is applied.

    What is unreferenced may be wanted again.

    Only between a revision and the inventory may no deployer stand still for longer than a run
    waits.
    """
    superseded(shop)
    runs: list[str] = []

    def between(step: Step) -> None:
        if step.kind in ("ConfigMap", "Role", "Deployment", "Job", "CronJob") and not is_inventory(
            step
        ):
            runs.append(f"{step.kind}: {run_on_schedule(shop).stdout}")

    shop.sync(*app("Deployment", to, revisionHistoryLimit=0), before_each=between)
    until_settled(shop.api, "Deployment")
    kept = shop.revision_of(to, "deployment-config")
    until_unreferenced(shop, *(set(shop.revisions()) - {kept}))
    shop.link()
    run_on_schedule(shop)
    assert len(runs) >= 5
    assert set(shop.revisions()) == {kept}
    assert invariants.violations() == []


def run_at_once(api: Api, pods: list[Object]) -> list[tuple[int, str]]:
    """Run these pods of the linker at the same time.

    Returns their exit codes, and what they warned of.
    """
    with ThreadPoolExecutor(len(pods)) as pool:
        runs = [*pool.map(lambda pod: run_linker(api, SET, pod=pod), pods)]
    return [(run.exit_code, run.stderr) for run in runs]


def is_inventory(step: Step) -> bool:
    return (step.kind, step.name) == ("ConfigMap", CRON_JOB)


@on_each_deployer
def test_the_job_of_a_release_and_a_scheduled_one_at_the_same_time(
    shop: Release, invariants: InvariantWatcher
) -> None:
    a, b = superseded(shop)
    with_old_plan = job_of_cron_job(shop.api)
    shop.sync(*app("Deployment", "a", image="app:2", revisionHistoryLimit=0))
    with_new_plan = job_of_cron_job(shop.api)
    # Argo CD's former Job is there until the garbage collector has deleted its pod.
    (of_release,) = until(
        "the release has one Job",
        lambda: [job for job in shop.api.names("Job", labels=COMPONENT) if "-link-" in job],
        lambda found: len(found) == 1,
    )
    pods = [with_old_plan, with_new_plan, pod_of(shop.api, of_release)]
    assert run_at_once(shop.api, pods) == [(0, "")] * 3
    until_settled(shop.api, "Deployment")
    until_unreferenced(shop, b)
    run_on_schedule(shop)
    assert set(shop.revisions()) == {a}
    assert f"ConfigMap/{CRON_JOB}" in shop.revisions()[a]
    assert invariants.violations() == []


@pytest.mark.parametrize("deployer", ["Flux"])
def test_a_check_says_what_a_run_would_delete_and_deletes_nothing(shop: Release) -> None:
    a, _ = superseded(shop)
    until(
        "the garbage collector has taken out the owner that is gone",
        lambda: shop.revisions()[a],
        lambda found: not any(name.startswith("ReplicaSet/") for name in found),
    )
    before = shop.api.get("ConfigMap", a)
    run = run_linker(shop.api, SET, "--check-only", pod=job_of_cron_job(shop.api))
    assert (run.exit_code, run.stderr) == (4, "")
    assert f"ConfigMap {shop.api.namespace}/{a}: deleted, nothing references it" in run.stdout
    assert "1 would be deleted" in run.stdout
    assert shop.api.get("ConfigMap", a) == before
    (event,) = (one for one in shop.api.list("Event") if one["reason"] == "RevisionsToBeDeleted")
    assert event["involvedObject"]["name"] == CRON_JOB
    assert event["message"].startswith(
        f"found by --check-only, nothing was changed: ConfigMap {a}: deleted"
    )
    run_on_schedule(shop)
    assert a not in shop.revisions()
    assert run_linker(shop.api, SET, "--check-only", pod=job_of_cron_job(shop.api)).exit_code == 0


@pytest.fixture(scope="module", autouse=True)
def minutes(request: pytest.FixtureRequest, rollouts: ControlPlane) -> Iterator[Future[None]]:
    """Start what waits a minute for its test before the others of this module."""
    name = test_kubernetes_starts_the_runs_and_keeps_one_job.__name__
    with ThreadPoolExecutor(1) as pool:
        is_chosen = name in {item.name for item in request.session.items}
        yield pool.submit(run_every_minute, rollouts) if is_chosen else Future()


def test_kubernetes_starts_the_runs_and_keeps_one_job(minutes: Future[None]) -> None:
    """With its own controller, every minute."""
    minutes.result()


def run_every_minute(cluster: ControlPlane) -> None:
    namespace = new_namespace(cluster, "every-minute")
    with InvariantWatcher(namespace) as invariants:
        shop = scheduled(namespace, "Flux", "* * * * *")
        for content in ("a", "b"):
            shop.release(*app("Deployment", content, revisionHistoryLimit=1))
            until_settled(namespace, "Deployment")
        a, b = (shop.revision_of(content, "deployment-config") for content in "ab")
        restart(namespace, "Deployment", "now")
        until_settled(namespace, "Deployment")
        until_unreferenced(shop, a)
        # As if it had run a minute ago: what is due at once need not be waited for.
        ago = (datetime.now(UTC) - timedelta(minutes=1)).strftime("%Y-%m-%dT%H:%M:%SZ")
        status = {"status": {"lastScheduleTime": ago}}
        namespace.patch("CronJob", CRON_JOB, status, subresource="status")
        for _ in range(2):
            name = until("the next run starts", lambda: newest_unfinished(namespace))
            run = run_linker(namespace, SET, pod=pod_of(namespace, name))
            assert (run.exit_code, run.stderr) == (0, "")
            until(
                "it has succeeded",
                lambda: "lastSuccessfulTime" in namespace.get("CronJob", CRON_JOB)["status"],
            )
            until(
                "of those that have ended it is kept, and no other",
                lambda: ended_jobs(namespace),
                lambda found, name=name: found == [name],  # type: ignore[misc]
            )
        assert set(shop.revisions()) == {b}
        invariants.check()
    cluster.api.delete("Namespace", namespace.namespace)


def newest_unfinished(api: Api) -> str:
    """Return the name of the scheduled Job that has not ended, "" if there is none."""
    unfinished = [
        job["metadata"]["name"] for job in api.list("Job", labels=COMPONENT) if not has_ended(job)
    ]
    return next((str(name) for name in unfinished if name.startswith(f"{CRON_JOB}-")), "")


def ended_jobs(api: Api) -> list[str]:
    """Return the names of the scheduled Jobs that have ended. The next minute may have begun another."""
    ended = [
        str(job["metadata"]["name"]) for job in api.list("Job", labels=COMPONENT) if has_ended(job)
    ]
    return [name for name in ended if name.startswith(f"{CRON_JOB}-")]
