"""What the linker does not need to know of a live object, and people do: its pods, and how far a rollout is.

The readers accept any JSON, like those of the linker.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from krm_fn.linker.objects import Names
from krm_fn.linker.read import entries, mapping, possible_names, read_time, required_config_maps
from krm_fn.model.kinds import Kind, consumer_named

_DEFAULT_LIMIT = 10
"""The `revisionHistoryLimit` of a workload that sets none: Kubernetes and Argo Rollouts have the same default."""

_HASH_LABELS = ("pod-template-hash", "rollouts-pod-template-hash", "controller-revision-hash")
"""Labels by controllers on what they make of a template, and on its pods. A Rollout uses the second one."""

_NUMBERS = ("deployment.kubernetes.io/revision", "rollout.argoproj.io/revision")
"""Annotations by controllers on ReplicaSets: the number that `--to-revision` takes."""

_MOST_DIGITS = 18
_ENDED = ("Succeeded", "Failed")
_STARTING = ("ContainerCreating", "PodInitializing")


class LiveObject(NamedTuple):
    """An object that references revisions, or a workload. `created` is in Unix seconds.

    `controller` is the uid of its controller, and `made_by` the kind and name of that; `""` for none. `marks` are what
    its controller and its pods call it: its name, a hash, and `#3` for the third. `replicas` are the pods that its
    status tells. `required`: names of ConfigMaps, like those of revisions, without which its pods do not start.
    """

    kind: str
    name: str
    uid: str
    created: float
    controller: str = ""
    made_by: tuple[str, str] = ("", "")
    number: int = 0
    marks: frozenset[str] = frozenset()
    replicas: int | None = None
    required: frozenset[str] = frozenset()
    progress: "Progress | None" = None


class Progress(NamedTuple):
    """How far a workload is. `newest` and `stable` are marks of what its controller made of two templates.

    An empty `newest` stands for the one with the highest number. `stable` is the one that a workload returns to; `""`
    for none. `is_done`: all pods are of the newest. `situation` is a word such as `paused`, `""` if there is nothing to
    say; `reason` is the controller's own. `limit`: how many old ones are kept.
    """

    newest: str
    stable: str
    is_done: bool
    limit: int
    situation: str = ""
    reason: str = ""
    is_blue_green: bool = False


class Pod(NamedTuple):
    """A pod that has not ended. `references`: names of revisions, or like them.

    `problem`: why a container waits, such as `CreateContainerConfigError`.
    """

    name: str
    controller: str
    marks: frozenset[str]
    references: frozenset[str]
    is_ready: bool
    problem: str = ""


class Job(NamedTuple):
    """A Job of a linker: its plan as arguments, and how it ended. `ended` is in Unix seconds, None while it runs."""

    name: str
    set: str
    created: float
    arguments: tuple[str, ...]
    ended: float | None = None
    failure: str = ""


def read_live_object(kind: Kind, item: Any, names: Names) -> LiveObject:
    """Read an object of this kind. `names` are those of revisions."""
    parts = _Parts.of(item)
    controller = _controller(parts)
    name = text(parts.metadata, "name")
    number = _number(item, parts)
    read_progress = _PROGRESS.get(consumer_named(kind.kind).progress)
    return LiveObject(
        kind.kind,
        name,
        text(parts.metadata, "uid"),
        _created(parts),
        controller=text(controller, "uid"),
        made_by=(text(controller, "kind"), text(controller, "name")),
        number=number,
        marks=_marks(parts) | ({f"#{number}"} if number else set()),
        replicas=_count(parts.status, "replicas") if kind.kind == "ReplicaSet" else None,
        required=frozenset(filter(names.are_like, required_config_maps(_template(kind, item)))),
        progress=read_progress(parts) if read_progress else None,
    )


def read_pod(item: Any, names: Names) -> Pod | None:
    """Read a pod; None for one that has ended."""
    parts = _Parts.of(item)
    if parts.status.get("phase") in _ENDED:
        return None
    return Pod(
        text(parts.metadata, "name"),
        controller=text(_controller(parts), "uid"),
        marks=_marks(parts),
        references=frozenset(filter(names.are_like, possible_names(mapping(item), has_pod_spec=True))),
        is_ready=_condition(parts.status, "Ready").get("status") == "True",
        problem=next(filter(None, map(_waiting_reason, _containers(parts.status))), ""),
    )


def read_job(item: Any, set_name: str, arguments: tuple[str, ...]) -> Job:
    """Read the Job of a linker, whose arguments are these."""
    parts = _Parts.of(item)
    complete, failed = (_condition(parts.status, kind) for kind in ("Complete", "Failed"))
    has_failed = failed.get("status") == "True"
    ended = failed if has_failed else complete if complete.get("status") == "True" else {}
    return Job(
        text(parts.metadata, "name"),
        set_name,
        _created(parts),
        arguments,
        ended=read_time(text(ended, "lastTransitionTime")),
        failure=(text(failed, "reason") or "failed") if has_failed else "",
    )


class _Parts(NamedTuple):
    """The parts of an object."""

    metadata: dict[str, Any]
    labels: dict[str, Any]
    annotations: dict[str, Any]
    spec: dict[str, Any]
    status: dict[str, Any]

    @classmethod
    def of(cls, item: Any) -> "_Parts":
        metadata, spec, status = (mapping(mapping(item).get(field)) for field in ("metadata", "spec", "status"))
        return cls(metadata, mapping(metadata.get("labels")), mapping(metadata.get("annotations")), spec, status)


def _read_rollout(rollout: _Parts) -> Progress:
    """Read a Rollout. Its status names the hashes of both templates: RolloutStatus in Argo Rollouts' types.go."""
    status = rollout.status
    newest, stable = text(status, "currentPodHash"), text(status, "stableRS")
    phase = text(status, "phase")
    return Progress(
        newest,
        stable,
        is_done=bool(newest) and newest == stable,
        limit=_limit(rollout),
        situation="aborted" if status.get("abort") is True else "" if phase == "Healthy" else phase.lower(),
        reason=text(status, "message"),
        is_blue_green="blueGreen" in mapping(rollout.spec.get("strategy")),
    )


def _read_deployment(deployment: _Parts) -> Progress:
    """Read a Deployment: done as `kubectl rollout status` has it, or as its controller said when it was.

    The pods of a Deployment that is done may become unready later.
    """
    status = deployment.status
    progressing = _condition(status, "Progressing")
    reason = text(progressing, "reason")
    replicas = _count(deployment.spec, "replicas")
    wanted = 1 if replicas is None else replicas
    updated, available, total = (
        _count(status, field) or 0 for field in ("updatedReplicas", "availableReplicas", "replicas")
    )
    has_all = updated >= wanted and total == updated and available >= updated
    is_late = progressing.get("status") == "False"
    number = text(deployment.annotations, _NUMBERS[0])
    return Progress(
        f"#{number}" if number else "",
        "",
        is_done=_is_observed(deployment) and (reason == "NewReplicaSetAvailable" or has_all),
        limit=_limit(deployment),
        situation="paused" if deployment.spec.get("paused") is True else "stuck" if is_late else "",
        reason=reason if is_late else "",
    )


def _read_stateful_set(stateful_set: _Parts) -> Progress:
    newest, current = (text(stateful_set.status, field) for field in ("updateRevision", "currentRevision"))
    is_done = newest == current and _is_observed(stateful_set)
    return Progress(newest, "", is_done=is_done, limit=_limit(stateful_set))


def _read_daemon_set(daemon_set: _Parts) -> Progress:
    fields = ("updatedNumberScheduled", "desiredNumberScheduled")
    updated, wanted = (_count(daemon_set.status, field) or 0 for field in fields)
    return Progress("", "", is_done=updated >= wanted and _is_observed(daemon_set), limit=_limit(daemon_set))


_PROGRESS: dict[str, Callable[[_Parts], Progress]] = {
    "hashes": _read_rollout,
    "replicas": _read_deployment,
    "revisions": _read_stateful_set,
    "scheduled": _read_daemon_set,
}
"""By `progress` of a kind in `facts/kinds.py`."""


def text(fields: dict[str, Any], name: str) -> str:
    """Return a text, `""` for anything else."""
    value = fields.get(name)
    return value if isinstance(value, str) else ""


def _created(parts: _Parts) -> float:
    return read_time(text(parts.metadata, "creationTimestamp")) or 0.0


def _controller(parts: _Parts) -> dict[str, Any]:
    owners = map(mapping, entries(parts.metadata.get("ownerReferences")))
    return next((owner for owner in owners if owner.get("controller") is True), {})


def _marks(parts: _Parts) -> frozenset[str]:
    return frozenset(filter(None, [text(parts.metadata, "name"), *(text(parts.labels, one) for one in _HASH_LABELS)]))


def _number(item: Any, parts: _Parts) -> int:
    """Return the number of a ReplicaSet, in an annotation, or of a ControllerRevision, in a field."""
    written = next(filter(None, (text(parts.annotations, name) for name in _NUMBERS)), "")
    is_number = written.isdecimal() and len(written) <= _MOST_DIGITS
    return int(written) if is_number else _count(mapping(item), "revision") or 0


def _template(kind: Kind, item: Any) -> Any:
    path = consumer_named(kind.kind).template_copy
    if not path:
        return None
    value = mapping(item)
    for field in path.split("."):
        value = mapping(value.get(field))
    return value


def _limit(workload: _Parts) -> int:
    limit = _count(workload.spec, "revisionHistoryLimit")
    return _DEFAULT_LIMIT if limit is None else limit


def _count(fields: dict[str, Any], name: str) -> int | None:
    value = fields.get(name)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _is_observed(workload: _Parts) -> bool:
    """Tell whether the status is about the present spec."""
    return (_count(workload.status, "observedGeneration") or 0) >= (_count(workload.metadata, "generation") or 0)


def _condition(status: dict[str, Any], kind: str) -> dict[str, Any]:
    conditions = map(mapping, entries(status.get("conditions")))
    return next((one for one in conditions if one.get("type") == kind), {})


def _containers(status: dict[str, Any]) -> list[Any]:
    return [*entries(status.get("initContainerStatuses")), *entries(status.get("containerStatuses"))]


def _waiting_reason(container: Any) -> str:
    waiting = mapping(mapping(mapping(container).get("state")).get("waiting"))
    reason = text(waiting, "reason")
    return "" if reason in _STARTING else reason
