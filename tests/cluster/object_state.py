"""The state of an object at one resourceVersion, as far as the invariants need it."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from tests.cluster.readiness import has_ended

Object = dict[str, Any]
Name = tuple[str, str]  # kind, name

SET = "revisions.krm-fn.io/set"
# Pods that kwok leaves to the test, which starts them when what they require is there. See
# `mounting_kubelet`.
WAITS = "test/pod=local"
TEMPLATED = "spec.template.spec"
POD_SPECS = {
    "Pod": "spec",
    "Deployment": TEMPLATED,
    "ReplicaSet": TEMPLATED,
    "ReplicationController": TEMPLATED,
    "StatefulSet": TEMPLATED,
    "DaemonSet": TEMPLATED,
    "Job": TEMPLATED,
    "Rollout": TEMPLATED,
    "CronJob": "spec.jobTemplate.spec.template.spec",
    "ControllerRevision": "data.spec.template.spec",
}
# Keys of references anywhere in a pod spec. imagePullSecrets is none of them: a pod starts without
# it.
REFERENCES = {
    "configMap": "ConfigMap",
    "configMapRef": "ConfigMap",
    "configMapKeyRef": "ConfigMap",
    "secret": "Secret",
    "secretRef": "Secret",
    "secretKeyRef": "Secret",
    "nodePublishSecretRef": "Secret",
}


@dataclass(frozen=True, kw_only=True, slots=True)
class ObjectState:
    """An object at `version`, which orders the changes of all kinds.

    `exists` is False once it is deleted.
    """

    kind: str
    name: str
    uid: str
    version: int
    exists: bool
    controller: str
    """The uid of its controller, if that is of one of the kinds above; else ""."""
    is_ending: bool
    """It is being deleted, or has completed."""
    is_bound: bool
    """It is a pod that is bound to a node."""
    is_started: bool
    """It is a pod whose containers start: at once when it is bound, but for one that waits until it is Running."""
    is_protected: bool
    """It is a revision or any Secret: it must not be deleted while something references it."""
    references: frozenset[Name]
    required: frozenset[Name]
    """The references that are not optional."""

    @property
    def key(self) -> Name:
        return self.kind, self.name


def read_state(found: Object, *, exists: bool = True) -> ObjectState:
    metadata, kind = found["metadata"], found["kind"]
    references = list(_references(_pod_spec(found)))
    owners = metadata.get("ownerReferences", [])
    is_bound = kind == "Pod" and bool(found["spec"].get("nodeName"))
    return ObjectState(
        kind=kind,
        name=metadata["name"],
        uid=metadata["uid"],
        version=int(metadata["resourceVersion"]),
        exists=exists,
        controller=next((owner["uid"] for owner in owners if _controls(owner)), ""),
        is_ending="deletionTimestamp" in metadata or has_ended(found),
        is_bound=is_bound,
        is_started=is_bound and not (_waits(metadata) and found["status"]["phase"] == "Pending"),
        is_protected=kind == "Secret"
        or (kind == "ConfigMap" and SET in metadata.get("labels", {})),
        references=frozenset(name for name, _ in references),
        required=frozenset(name for name, optional in references if not optional),
    )


def _waits(metadata: Object) -> bool:
    label, _, value = WAITS.partition("=")
    return bool(metadata.get("labels", {}).get(label) == value)


def _controls(owner: Object) -> bool:
    return bool(owner.get("controller")) and owner["kind"] in POD_SPECS


def _pod_spec(found: Object) -> Any:
    value: Any = found
    for step in POD_SPECS.get(found["kind"], "").split("."):
        value = (value or {}).get(step)
    return value


def _references(value: Any) -> Iterator[tuple[Name, bool]]:
    """Yield each reference, and whether it is optional."""
    if isinstance(value, list):
        for element in value:
            yield from _references(element)
    elif isinstance(value, dict):
        for key, field in value.items():
            kind = REFERENCES.get(key)
            if (
                kind
                and isinstance(field, dict)
                and (name := field.get("secretName") or field.get("name"))
            ):
                yield (kind, name), bool(field.get("optional"))
            else:
                yield from _references(field)
