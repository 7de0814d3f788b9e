"""What a live object says of itself: its pods, and how far its rollout is, by the fields of each controller.

The readers accept any JSON, like those of the linker.
"""

from collections.abc import Callable
from itertools import chain
from typing import Any, NamedTuple

from krm_fn.base.kind import Kind, consumer_named
from krm_fn.facts.kinds import REVISION_HISTORY_LIMIT
from krm_fn.linker.objects import Names
from krm_fn.linker.read import (
    below,
    controller_of,
    list_of,
    mapping,
    possible_names,
    read_time,
    required_config_maps,
    text_in,
)
from krm_fn.tools.history.revision_history import LinkerJob
from krm_fn.tools.history.snapshot import LiveObject, Pod, Progress

_HASH_LABELS = ("pod-template-hash", "rollouts-pod-template-hash", "controller-revision-hash")
"""Labels by controllers on what they make of a template, and on its pods. A Rollout uses the second one."""


_NUMBERS = ("deployment.kubernetes.io/revision", "rollout.argoproj.io/revision")
"""Annotations by controllers on ReplicaSets: the number that `--to-revision` takes."""


_MOST_DIGITS = 18  # Python refuses to read a number of thousands


_ENDED = ("Succeeded", "Failed")


_STARTING = ("ContainerCreating", "PodInitializing")


def read_live_object(kind: Kind, item: Any, names: Names) -> LiveObject:
    """Read an object of this kind. `names` are those of revisions."""
    parts = _Parts.of(item)
    controller = controller_of(parts.metadata)
    number = _number(item, parts)
    read_progress = _PROGRESS.get(consumer_named(kind.kind).progress)
    template = consumer_named(kind.kind).template_copy
    return LiveObject(
        kind.kind,
        parts.name,
        text_in(parts.metadata, "uid"),
        parts.created,
        controller=controller.uid,
        made_by=(controller.kind, controller.name),
        number=number,
        marks=_marks(parts) | ({f"#{number}"} if number else set()),
        replicas=_count(parts.status, "replicas") if kind.kind == "ReplicaSet" else None,
        required=frozenset(filter(names.are_like, required_config_maps(template and below(item, template)))),
        progress=read_progress(parts) if read_progress else None,
    )


def read_pod(item: Any, names: Names) -> Pod | None:
    """Read a pod; None for one that has ended."""
    parts = _Parts.of(item)
    if parts.status.get("phase") in _ENDED:
        return None
    fields = ("initContainerStatuses", "containerStatuses")
    containers = chain.from_iterable(list_of(parts.status.get(field)) for field in fields)
    reasons = (text_in(below(one, "state.waiting"), "reason") for one in containers)
    return Pod(
        parts.name,
        controller=controller_of(parts.metadata).uid,
        marks=_marks(parts),
        references=frozenset(filter(names.are_like, possible_names(mapping(item), has_pod_spec=True))),
        is_ready=_condition(parts.status, "Ready").get("status") == "True",
        problem=next((reason for reason in reasons if reason and reason not in _STARTING), ""),
    )


def read_job(item: Any, set_name: str, arguments: tuple[str, ...]) -> LinkerJob:
    """Read the Job of a linker, whose arguments are these."""
    parts = _Parts.of(item)
    complete, failed = (_condition(parts.status, kind) for kind in ("Complete", "Failed"))
    has_failed = failed.get("status") == "True"
    ended = failed if has_failed else complete if complete.get("status") == "True" else {}
    failure = (text_in(failed, "reason") or "failed") if has_failed else ""
    ended_at = read_time(text_in(ended, "lastTransitionTime"))
    return LinkerJob(parts.name, parts.created, ended_at, failure, set_name, arguments)


class _Parts(NamedTuple):
    metadata: dict[str, Any]
    labels: dict[str, Any]
    annotations: dict[str, Any]
    spec: dict[str, Any]
    status: dict[str, Any]

    @classmethod
    def of(cls, item: Any) -> "_Parts":
        paths = ("metadata", "metadata.labels", "metadata.annotations", "spec", "status")
        return cls(*(below(item, path) for path in paths))

    @property
    def name(self) -> str:
        return text_in(self.metadata, "name")

    @property
    def created(self) -> float:
        return read_time(text_in(self.metadata, "creationTimestamp")) or 0.0


def _read_rollout(rollout: _Parts) -> Progress:
    """Read a Rollout. Its status names the hashes of both templates: RolloutStatus in Argo Rollouts' types.go."""
    status = rollout.status
    newest, stable = text_in(status, "currentPodHash"), text_in(status, "stableRS")
    phase = text_in(status, "phase")
    return Progress(
        newest,
        stable,
        is_done=bool(newest) and newest == stable,
        limit=_limit(rollout),
        situation="aborted" if status.get("abort") is True else "" if phase == "Healthy" else phase.lower(),
        reason=text_in(status, "message"),
        is_blue_green="blueGreen" in mapping(rollout.spec.get("strategy")),
    )


def _read_deployment(deployment: _Parts) -> Progress:
    """Read a Deployment: done as `kubectl rollout status` has it, or as its controller said when it was.

    The pods of a Deployment that is done may become unready later.
    """
    status = deployment.status
    progressing = _condition(status, "Progressing")
    reason = text_in(progressing, "reason")
    replicas = _count(deployment.spec, "replicas")
    wanted = 1 if replicas is None else replicas
    updated, available, total = (
        _count(status, field) or 0 for field in ("updatedReplicas", "availableReplicas", "replicas")
    )
    has_all = updated >= wanted and total == updated and available >= updated
    is_late = progressing.get("status") == "False"
    number = text_in(deployment.annotations, _NUMBERS[0])
    return Progress(
        f"#{number}" if number else "",
        "",
        is_done=_is_observed(deployment) and (reason == "NewReplicaSetAvailable" or has_all),
        limit=_limit(deployment),
        situation="paused" if deployment.spec.get("paused") is True else "stuck" if is_late else "",
        reason=reason if is_late else "",
    )


def _read_stateful_set(stateful_set: _Parts) -> Progress:
    newest, current = (text_in(stateful_set.status, field) for field in ("updateRevision", "currentRevision"))
    is_done = newest == current and _is_observed(stateful_set)
    return Progress(newest, "", is_done=is_done, limit=_limit(stateful_set))


def _read_daemon_set(daemon_set: _Parts) -> Progress:
    fields = ("updatedNumberScheduled", "desiredNumberScheduled")
    updated, wanted = (_count(daemon_set.status, field) or 0 for field in fields)
    # Its status names no revision, so that the highest number is the newest.
    return Progress("", "", is_done=updated >= wanted and _is_observed(daemon_set), limit=_limit(daemon_set))


_PROGRESS: dict[str, Callable[[_Parts], Progress]] = {
    "hashes": _read_rollout,
    "replicas": _read_deployment,
    "revisions": _read_stateful_set,
    "scheduled": _read_daemon_set,
}
"""By `progress` of a kind in `facts/kinds.py`."""


def _marks(parts: _Parts) -> frozenset[str]:
    return frozenset(filter(None, [parts.name, *(text_in(parts.labels, one) for one in _HASH_LABELS)]))


def _number(item: Any, parts: _Parts) -> int:
    """Return the number of a ReplicaSet, in an annotation, or of a ControllerRevision, in a field."""
    written = next(filter(None, (text_in(parts.annotations, name) for name in _NUMBERS)), "")
    is_number = written.isdecimal() and len(written) <= _MOST_DIGITS
    return int(written) if is_number else _count(mapping(item), "revision") or 0


def _limit(workload: _Parts) -> int:
    limit = _count(workload.spec, "revisionHistoryLimit")
    return REVISION_HISTORY_LIMIT if limit is None else limit


def _count(fields: dict[str, Any], name: str) -> int | None:
    value = fields.get(name)  # True is an int to Python, and no number in JSON
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _is_observed(workload: _Parts) -> bool:
    """Tell whether the status is about the present spec."""
    return (_count(workload.status, "observedGeneration") or 0) >= (_count(workload.metadata, "generation") or 0)


def _condition(status: dict[str, Any], kind: str) -> dict[str, Any]:
    conditions = map(mapping, list_of(status.get("conditions")))
    return next((one for one in conditions if one.get("type") == kind), {})
