"""Build short manifests for tests."""

from typing import Any

Object = dict[str, Any]

IMAGE = "registry.example/app:1"


def config_map(name: str, **metadata: Any) -> Object:
    return {"kind": "ConfigMap", "metadata": {"name": name, **metadata}, "data": {"name": name}}


def secret(name: str, **metadata: Any) -> Object:
    return {"kind": "Secret", "metadata": {"name": name, **metadata}, "stringData": {"name": name}}


def pod_template(
    name: str, *, config: str = "", secret: str = "", labels: Object | None = None
) -> Object:
    """Build a template that mounts the ConfigMap and takes its environment from the Secret, if given."""
    container: Object = {"name": "app", "image": IMAGE}
    if secret:
        container["envFrom"] = [{"secretRef": {"name": secret}}]
    volumes = [{"name": "config", "configMap": {"name": config}}] if config else []
    spec = {"terminationGracePeriodSeconds": 0, "containers": [container], "volumes": volumes}
    return {"metadata": {"labels": {"app": name, **(labels or {})}}, "spec": spec}


def pod(name: str, **template: Any) -> Object:
    body = pod_template(name, **template)
    return {"kind": "Pod", **body, "metadata": {"name": name, **body["metadata"]}}


def workload(
    kind: str, name: str, *, replicas: int = 1, spec: Object | None = None, **template: Any
) -> Object:
    """Build a Deployment, StatefulSet, DaemonSet, ReplicaSet or Rollout; `template` as in `pod_template`."""
    scale = {} if kind == "DaemonSet" else {"replicas": replicas}
    selected = {
        "selector": {"matchLabels": {"app": name}},
        "template": pod_template(name, **template),
    }
    return {"kind": kind, "metadata": {"name": name}, "spec": {**scale, **selected, **(spec or {})}}


def canary(name: str, *, replicas: int = 2, **template: Any) -> Object:
    """Build a Rollout that pauses after its first pod until it is promoted."""
    steps = [{"setWeight": 1}, {"pause": {}}]
    strategy = {"canary": {"maxSurge": 0, "maxUnavailable": 1, "steps": steps}}
    return workload("Rollout", name, replicas=replicas, spec={"strategy": strategy}, **template)


def job(name: str, *, spec: Object | None = None, **template: Any) -> Object:
    return {
        "kind": "Job",
        "metadata": {"name": name},
        "spec": {**_once(name, **template), **(spec or {})},
    }


def cron_job(name: str, *, schedule: str = "0 0 1 1 *", **template: Any) -> Object:
    """Build a CronJob that is due once a year: tests create its Jobs themselves."""
    spec = {"schedule": schedule, "jobTemplate": {"spec": _once(name, **template)}}
    return {"kind": "CronJob", "metadata": {"name": name}, "spec": spec}


def _once(name: str, **template: Any) -> Object:
    body = pod_template(name, **template)
    return {
        "backoffLimit": 0,
        "template": {**body, "spec": {**body["spec"], "restartPolicy": "Never"}},
    }
