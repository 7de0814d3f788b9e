"""What the invariants need to know of an object at one version of it: who it is, and which names it speaks."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from tests.cluster.readiness import has_ended

Object = dict[str, Any]
Name = tuple[str, str]  # kind, name

SET = "revisions.krm-fn.io/set"
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
# Wherever in a pod such a key stands, it names one. A pull Secret has no such key: a pod starts without it.
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
class Sight:
    """An object as of `version`, which orders the changes of all kinds; or, not `present`, its end."""

    kind: str
    name: str
    uid: str
    version: int
    present: bool
    controller: str
    """The uid of whoever made it, or "": of the kinds above alone, the others are not watched."""
    going: bool
    """It is to be deleted, or has ended by itself."""
    bound: bool
    """It is a pod that has its node, which starts it."""
    guarded: bool
    """It is a revision, or any Secret: not to be deleted while something names it."""
    names: frozenset[Name]
    needs: frozenset[Name]
    """Those of the names that are not optional."""

    @property
    def key(self) -> Name:
        return self.kind, self.name


def see(found: Object, *, present: bool = True) -> Sight:
    metadata, kind = found["metadata"], found["kind"]
    references = list(_references(_pod_spec(found)))
    owners = metadata.get("ownerReferences", [])
    return Sight(
        kind=kind,
        name=metadata["name"],
        uid=metadata["uid"],
        version=int(metadata["resourceVersion"]),
        present=present,
        controller=next((owner["uid"] for owner in owners if _controls(owner)), ""),
        going="deletionTimestamp" in metadata or has_ended(found),
        bound=kind == "Pod" and bool(found["spec"].get("nodeName")),
        guarded=kind == "Secret" or (kind == "ConfigMap" and SET in metadata.get("labels", {})),
        names=frozenset(name for name, _ in references),
        needs=frozenset(name for name, optional in references if not optional),
    )


def _controls(owner: Object) -> bool:
    return bool(owner.get("controller")) and owner["kind"] in POD_SPECS


def _pod_spec(found: Object) -> Any:
    value: Any = found
    for step in POD_SPECS.get(found["kind"], "").split("."):
        value = (value or {}).get(step)
    return value


def _references(value: Any) -> Iterator[tuple[Name, bool]]:
    """Each name, and whether it may be missing."""
    if isinstance(value, list):
        for element in value:
            yield from _references(element)
    elif isinstance(value, dict):
        for key, field in value.items():
            kind = REFERENCES.get(key)
            if kind and isinstance(field, dict) and (name := field.get("secretName") or field.get("name")):
                yield (kind, name), bool(field.get("optional"))
            else:
                yield from _references(field)
