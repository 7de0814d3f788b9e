"""Read objects of the API server into the linker's types."""

import re
from datetime import datetime
from typing import Any

from krm_fn.linker.names import possible_names
from krm_fn.linker.objects import Consumer, Owner, Revision
from krm_fn.model import keys
from krm_fn.model.kinds import CONSUMER_KINDS, Kind
from krm_fn.naming.names import HASH

_KNOWN = frozenset(CONSUMER_KINDS)
_POD_CONTROLLERS = frozenset((kind.api_version, kind.kind) for kind in CONSUMER_KINDS if kind.controls_pods)


def read_config(item: dict[str, Any]) -> Revision | Consumer | None:
    """Read a ConfigMap of the set: a revision, a tracker or the inventory; None for any other."""
    return read_revision(item) or read_inventory(item)


def read_revision(item: dict[str, Any]) -> Revision | None:
    """Read a revision or a tracker from the metadata of a ConfigMap of the set.

    None if the name is not made of the base name: somebody has copied a revision, with its label and annotations.
    """
    base = _annotations(item).get(keys.BASE_NAME, "")
    is_revision = re.fullmatch(f"{re.escape(base)}(-{HASH})?", item["metadata"]["name"])
    return read_metadata(item) if is_revision else None


def read_inventory(item: dict[str, Any]) -> Consumer | None:
    """Read the ConfigMap that lists what is rendered; None for any other ConfigMap."""
    names = _annotations(item).get(keys.RENDERED)
    if names is None or _labels(item).get(keys.COMPONENT) != keys.LINKER:
        return None
    metadata = item["metadata"]
    return Consumer(
        Owner("v1", "ConfigMap", metadata["name"], metadata["uid"]),
        is_current=True,
        references=frozenset(names.split(",")),
        is_being_deleted="deletionTimestamp" in metadata,
    )


def read_metadata(item: dict[str, Any]) -> Revision:
    """Read the metadata of a ConfigMap or Secret."""
    metadata = item["metadata"]
    return Revision(
        name=metadata["name"],
        uid=metadata["uid"],
        resource_version=metadata["resourceVersion"],
        created=datetime.fromisoformat(metadata["creationTimestamp"]).timestamp(),
        owners=read_owners(item),
        is_retained=_annotations(item).get(keys.RETAIN) == "true",
        is_tracker=_labels(item).get(keys.COMPONENT) in keys.TRACKERS,
    )


def read_owners(item: dict[str, Any]) -> tuple[Owner, ...]:
    """Read `metadata.ownerReferences`."""
    owners = item["metadata"].get("ownerReferences") or []
    return tuple(Owner(owner["apiVersion"], owner["kind"], owner["name"], owner["uid"]) for owner in owners)


def read_consumer(kind: Kind, item: dict[str, Any], names: frozenset[str]) -> Consumer | None:
    """Read an object of this kind, with those of the revisions' names that it references.

    None for a pod whose controller is of a kind that the linker reads too: the pod is deleted with its controller.
    """
    metadata = item["metadata"]
    controller = next((owner for owner in metadata.get("ownerReferences") or [] if owner.get("controller")), None)
    if kind.kind == "Pod" and controller and (controller["apiVersion"], controller["kind"]) in _POD_CONTROLLERS:
        return None
    return Consumer(
        Owner(kind.api_version, kind.kind, metadata["name"], metadata["uid"]),
        is_current=kind.is_current,
        references=names.intersection(possible_names(item, has_pod_spec=kind in _KNOWN)),
        controller=controller["uid"] if controller else "",
        template_source=_template_source(item),
        is_linker_job=kind.kind == "Job" and _labels(item).get(keys.COMPONENT) == keys.LINKER,
        is_being_deleted="deletionTimestamp" in metadata,
    )


def _template_source(item: dict[str, Any]) -> tuple[str, str] | None:
    reference = (item.get("spec") or {}).get("workloadRef")
    return (reference["kind"], reference["name"]) if isinstance(reference, dict) else None


def _annotations(item: dict[str, Any]) -> dict[str, str]:
    return item["metadata"].get("annotations") or {}


def _labels(item: dict[str, Any]) -> dict[str, str]:
    return item["metadata"].get("labels") or {}
