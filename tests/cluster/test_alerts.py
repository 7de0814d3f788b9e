"""The alerts of examples/alerts, given what real controllers make of the linker's Jobs."""

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from tests.cluster.api import Api, Object
from tests.cluster.linker_job import finish, linker_pod
from tests.cluster.readiness import has_ended
from tests.cluster.release import SET
from tests.cluster.test_schedule import CRON_JOB, job_of_cron_job, scheduled
from tests.cluster.workloads import app
from tests.integration.alerts import Alert, check_alerts
from tests.wait import until


def test_a_failed_job_is_told_until_one_succeeds(
    namespace: Api, rollouts: object, require_tool: Callable[[str], Path], tmp_path: Path
) -> None:
    del rollouts
    promtool = require_tool("promtool")

    def fire(*alerts: Alert) -> None:
        kinds = ("Job", "CronJob", "ConfigMap")
        objects = [found for kind in kinds for found in namespace.list(kind)]
        check_alerts(promtool, tmp_path, objects, datetime.now(UTC), {*alerts})

    shop = scheduled(namespace, "Argo CD")
    shop.sync(*app("Deployment", "a"))
    of_release = linker_pod(namespace, SET)
    fire()

    failed = Alert("KrmFnLinkerFailed", f"{namespace.namespace}/{end(namespace, of_release, 1)}")
    fire(failed)

    run_failed = Alert("KrmFnScheduledLinkerFailed", f"{namespace.namespace}/{CRON_JOB}")
    end(namespace, job_of_cron_job(namespace), 1)
    fire(failed, run_failed)

    end(namespace, job_of_cron_job(namespace), 0)
    until(
        "the CronJob has succeeded",
        lambda: namespace.get("CronJob", CRON_JOB)["status"].get("lastSuccessfulTime"),
    )
    fire(failed)


def end(api: Api, pod: Object, exit_code: int) -> str:
    """Let the pod of a Job end, and the Job with it. Return the name of the Job."""
    job = str(pod["metadata"]["labels"]["job-name"])
    api.patch("Job", job, {"spec": {"backoffLimit": 0}})
    finish(api, pod, exit_code)
    api.wait("Job", job, "has ended", has_ended)
    return job
