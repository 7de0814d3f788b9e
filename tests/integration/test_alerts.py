"""Which alerts of examples/alerts fire, by promtool. tests/cluster/test_alerts.py asks the same of real Jobs."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from krm_fn.core.names.names import cron_job_name
from tests.cluster.readiness import Object
from tests.integration.alerts import Alert, check_alerts

NOW = datetime(2026, 11, 24, 12, tzinfo=UTC)


def ago(hours: float) -> str:
    return (NOW - timedelta(hours=hours)).isoformat()


def job(name: str, ended: str = "", started: float = 1) -> Object:
    conditions = [{"type": ended, "status": "True"}] if ended else []
    status = {"startTime": ago(started), "conditions": conditions}
    return {"kind": "Job", "metadata": {"namespace": "shop", "name": name}, "status": status}


def cron_job(
    name: str = "shop-linker", succeeded: float | None = None, *, suspend: bool = False
) -> Object:
    metadata = {"namespace": "shop", "name": name, "creationTimestamp": ago(40)}
    status = {} if succeeded is None else {"lastSuccessfulTime": ago(succeeded)}
    return {"kind": "CronJob", "metadata": metadata, "spec": {"suspend": suspend}, "status": status}


def revisions(base: str, number: int) -> list[Object]:
    """Build revisions of one base name, with hashes as kustomize writes them."""
    letters = "bcdfghkmt2"
    found: list[Object] = []
    for one in range(number):
        suffix = "".join(letters[int(digit)] for digit in f"{one:010}")
        metadata = {"namespace": "shop", "name": f"{base}-{suffix}", "creationTimestamp": ago(40)}
        found.append({"kind": "ConfigMap", "metadata": metadata})
    return found


def other_config_maps(number: int) -> list[Object]:
    names = [f"report-2026-{one:010}" for one in range(number)]
    metadata = [{"namespace": "shop", "name": one, "creationTimestamp": ago(40)} for one in names]
    return [{"kind": "ConfigMap", "metadata": one} for one in metadata]


RELEASE = "shop-link-5tt522dt45"
RUN = "shop-linker-29401234"
OF_A_LONG_SET = cron_job_name("a-shop-" * 8 + "b")
FAILED = Alert("KrmFnLinkerFailed", f"shop/{RELEASE}")
SCHEDULED_FAILED = Alert("KrmFnScheduledLinkerFailed", "shop/shop-linker")
OVERDUE = Alert("KrmFnLinkerOverdue", "shop/shop-linker")


@pytest.mark.parametrize(
    ("objects", "expected"),
    [
        pytest.param([job(RELEASE)], set(), id="the Job of a release runs"),
        pytest.param([job(RELEASE, "Complete")], set(), id="the Job of a release has succeeded"),
        pytest.param([job(RELEASE, "Failed")], {FAILED}, id="the Job of a release has failed"),
        pytest.param(
            [job("nightly-report", "Failed")], set(), id="a Job of somebody else has failed"
        ),
        pytest.param([cron_job(succeeded=1)], set(), id="a scheduled run has succeeded"),
        pytest.param(
            [cron_job(succeeded=3), job(RUN, "Failed")],
            {SCHEDULED_FAILED},
            id="the last scheduled run has failed",
        ),
        pytest.param(
            [cron_job(), job(RUN, "Failed"), cron_job("other-linker", succeeded=1)],
            {SCHEDULED_FAILED, OVERDUE},
            id="no scheduled run has ever succeeded, but those of another set",
        ),
        pytest.param(
            [cron_job(succeeded=1), job(RUN, "Failed", started=2)],
            set(),
            id="a scheduled run has succeeded since one failed",
        ),
        pytest.param([cron_job(succeeded=25)], set(), id="a run each day, a little late"),
        pytest.param(
            [cron_job(succeeded=27)], {OVERDUE}, id="no scheduled run for more than a day"
        ),
        pytest.param([cron_job(succeeded=27, suspend=True)], set(), id="the schedule is suspended"),
        pytest.param([cron_job("backup", succeeded=27)], set(), id="a CronJob of somebody else"),
        pytest.param(
            [cron_job(OF_A_LONG_SET, succeeded=27), job(f"{OF_A_LONG_SET}-29401234", "Failed")],
            {
                Alert("KrmFnScheduledLinkerFailed", f"shop/{OF_A_LONG_SET}"),
                Alert("KrmFnLinkerOverdue", f"shop/{OF_A_LONG_SET}"),
            },
            id="a set whose name is cut",
        ),
        pytest.param(
            [*revisions("web-config", 51), *revisions("api-config", 50)],
            {Alert("KrmFnRevisionsPileUp", "shop/web-config")},
            id="more than fifty revisions of one base name",
        ),
        pytest.param(other_config_maps(80), set(), id="many ConfigMaps whose names are no hashes"),
    ],
)
def test_alerts_that_fire(
    objects: list[Object], expected: set[Alert], require_tool: Callable[[str], Path], tmp_path: Path
) -> None:
    check_alerts(require_tool("promtool"), tmp_path, objects, NOW, expected)


def test_a_schedule_that_is_resumed_has_a_day_for_its_first_run(
    require_tool: Callable[[str], Path], tmp_path: Path
) -> None:
    resumed, suspended = cron_job(succeeded=30), cron_job(succeeded=30, suspend=True)
    promtool = require_tool("promtool")
    check_alerts(promtool, tmp_path, [resumed], NOW, set(), earlier=[suspended])
    check_alerts(promtool, tmp_path, [resumed], NOW, {OVERDUE}, earlier=[resumed])
