"""Tell whether objects have reached the state that their spec asks for."""

from collections.abc import Callable
from typing import Any

Object = dict[str, Any]


def is_ready(found: Object) -> bool:
    """Tell whether everything runs and is up to date, or a Job is Complete."""
    return READY[found["kind"]](found)


def has_condition(found: Object, condition: str) -> bool:
    """Tell whether the condition is True, as in `has_condition(job, "Complete")`."""
    conditions = found.get("status", {}).get("conditions") or []
    return any((entry["type"], entry["status"]) == (condition, "True") for entry in conditions)


def has_ended(found: Object) -> bool:
    """Tell whether a Job or a Pod has succeeded or failed. Other kinds never end."""
    if found["kind"] == "Pod":
        return found.get("status", {}).get("phase") in ("Succeeded", "Failed")
    return found["kind"] == "Job" and (
        has_condition(found, "Complete") or has_condition(found, "Failed")
    )


def is_going(found: Object) -> bool:
    """Tell whether it is being deleted."""
    return "deletionTimestamp" in found["metadata"]


def is_observed(found: Object) -> bool:
    """Tell whether the status is that of the current spec.

    Rollouts write the generation as text.
    """
    return str(found.get("status", {}).get("observedGeneration")) == str(
        found["metadata"]["generation"]
    )


def in_phase(found: Object, phase: str) -> bool:
    """Tell whether a Rollout is Healthy, Paused, Progressing or Degraded."""
    return is_observed(found) and bool(found["status"].get("phase") == phase)


def _all_run(found: Object, *fields: str) -> bool:
    wanted = found["spec"].get("replicas", 1)
    return is_observed(found) and all(found["status"].get(field, 0) == wanted for field in fields)


def _every_node_runs_it(found: Object) -> bool:
    status = found.get("status", {})
    wanted = status.get("desiredNumberScheduled", 0)
    counts = (status.get(field, 0) for field in ("updatedNumberScheduled", "numberReady"))
    return is_observed(found) and wanted > 0 and all(count == wanted for count in counts)


READY: dict[str, Callable[[Object], bool]] = {
    "Deployment": lambda found: _all_run(found, "replicas", "updatedReplicas", "readyReplicas"),
    "ReplicaSet": lambda found: _all_run(found, "replicas", "readyReplicas"),
    "ReplicationController": lambda found: _all_run(found, "replicas", "readyReplicas"),
    "StatefulSet": lambda found: (
        _all_run(found, "replicas", "readyReplicas")
        and found["status"].get("currentRevision") == found["status"].get("updateRevision")
    ),
    "DaemonSet": _every_node_runs_it,
    "Rollout": lambda found: in_phase(found, "Healthy"),
    "Job": lambda found: has_condition(found, "Complete"),
    # One that is being deleted counts as gone, as for the controllers: the node ends it later.
    "Pod": lambda found: has_condition(found, "Ready") and not is_going(found),
    "Node": lambda found: has_condition(found, "Ready"),
    "CustomResourceDefinition": lambda found: has_condition(found, "Established"),
}
