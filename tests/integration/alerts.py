"""Let promtool say which alerts of examples/alerts fire, given objects as the API server has them.

The metrics are those that kube-state-metrics documents, below `workload` and `storage`:
https://github.com/kubernetes/kube-state-metrics/tree/main/docs/metrics
"""

import json
import subprocess
from collections.abc import Iterable, Iterator
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from tests.cluster.readiness import Object, has_condition

RULES = Path(__file__).parents[2] / "examples/alerts/rules.yaml"

_EVALUATED = 48 * 60
"""Minutes since time began for Prometheus: further back than anything has happened."""


class Alert(NamedTuple):
    """An alert that fires, and the object that it names."""

    name: str
    object: str


_RECENT = 60
"""The minutes of them for which everything has been as it is now."""

_INSTANCES = ("10.0.0.1:8080", "10.0.0.2:8080")
"""kube-state-metrics runs twice, and both instances say the same."""


def check_alerts(  # noqa: PLR0913  # who is asked, what about, and what is expected
    promtool: Path,
    folder: Path,
    objects: Iterable[Object],
    now: datetime,
    expected: set[Alert],
    *,
    earlier: Iterable[Object] = (),
) -> None:
    """Fail unless just these alerts fire `now`.

    A failure shows what promtool expected, and what it got.

    `earlier`: what some of the objects were until an hour ago.
    """
    begin = now.timestamp() - _EVALUATED * 60
    values_before = dict(_all_series(earlier, begin))
    series = []
    for name, value in _all_series(objects, begin):
        before = values_before.get(name, value)
        values = f"{before}x{(_EVALUATED - _RECENT) // 5} {value}x{_RECENT // 5}"
        series += [
            {"series": name.replace("{", f'{{instance="{one}", ', 1), "values": values}
            for one in _INSTANCES
        ]
    fires = {
        "expr": 'ALERTS{alertstate="firing"}',
        "eval_time": f"{_EVALUATED}m",
        "exp_samples": [{"labels": _labels(alert), "value": 1} for alert in sorted(expected)],
    }
    tests = [{"interval": "5m", "input_series": series, "promql_expr_test": [fires]}]
    file = folder / "tests.yaml"
    file.write_text(
        json.dumps({"rule_files": [str(RULES)], "evaluation_interval": "5m", "tests": tests})
    )
    done = subprocess.run(
        [promtool, "test", "rules", file], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


_LABELS = {"KrmFnLinkerFailed": "job_name", "KrmFnRevisionsPileUp": "base_name"}


def _labels(alert: Alert) -> str:
    name, found = alert
    namespace, _, called = found.partition("/")
    kind = _LABELS.get(name, "cronjob")
    return (
        f'ALERTS{{alertname="{name}", alertstate="firing", namespace="{namespace}", {kind}="{called}", '
        'severity="warning"}'
    )


def _all_series(objects: Iterable[Object], begin: float) -> Iterator[tuple[str, int]]:
    for found in objects:
        yield from _series(found, begin)


def _series(found: Object, begin: float) -> Iterator[tuple[str, int]]:
    """Yield the names of the metrics of an object, and their values: times are seconds since `begin`."""
    metadata, spec, status = found["metadata"], found.get("spec", {}), found.get("status", {})

    def since(time: str) -> int:
        return round(datetime.fromisoformat(time).timestamp() - begin)

    if found["kind"] == "Job":
        labels = f'namespace="{metadata["namespace"]}", job_name="{metadata["name"]}"'
        if "startTime" in status:
            yield f"kube_job_status_start_time{{{labels}}}", since(status["startTime"])
        for ended, metric in (("Failed", "kube_job_failed"), ("Complete", "kube_job_complete")):
            if has_condition(found, ended):
                yield f'{metric}{{{labels}, condition="true"}}', 1
                yield f'{metric}{{{labels}, condition="false"}}', 0
    if found["kind"] == "ConfigMap":
        labels = f'namespace="{metadata["namespace"]}", configmap="{metadata["name"]}"'
        yield f"kube_configmap_created{{{labels}}}", since(metadata["creationTimestamp"])
    if found["kind"] == "CronJob":
        labels = f'namespace="{metadata["namespace"]}", cronjob="{metadata["name"]}"'
        yield f"kube_cronjob_created{{{labels}}}", since(metadata["creationTimestamp"])
        yield f"kube_cronjob_spec_suspend{{{labels}}}", int(spec.get("suspend", False))
        if "lastSuccessfulTime" in status:
            yield (
                f"kube_cronjob_status_last_successful_time{{{labels}}}",
                since(status["lastSuccessfulTime"]),
            )
