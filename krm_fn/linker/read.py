"""API objects as what the linker knows of them."""

import re
from datetime import datetime
from typing import Any

from krm_fn.linker.names import words_of
from krm_fn.linker.objects import Owner, Revision, User
from krm_fn.model import keys
from krm_fn.model.kinds import CONSUMER_KINDS, Kind
from krm_fn.naming.names import HASH

_KNOWN = frozenset(CONSUMER_KINDS)
_POD_CONTROLLERS = frozenset((kind.api_version, kind.kind) for kind in CONSUMER_KINDS if kind.controls_pods)


def read_config(item: dict[str, Any]) -> Revision | User | None:
    """A ConfigMap of the set: a revision or a tag, or the roster."""
    return read_revision(item) or read_roster(item)


def read_revision(item: dict[str, Any]) -> Revision | None:
    """A ConfigMap of the set, of which the metadata is enough.

    None for one that is none of ours, whatever it says: a copy under another name carries label and annotations too.
    """
    base = _annotations(item).get(keys.BASE_NAME, "")
    is_ours = re.fullmatch(f"{re.escape(base)}(-{HASH})?", item["metadata"]["name"])
    return read_metadata(item) if is_ours else None


def read_roster(item: dict[str, Any]) -> User | None:
    """The ConfigMap that names what is rendered; None for any other."""
    names = _annotations(item).get(keys.RENDERED)
    if names is None or _labels(item).get(keys.COMPONENT) != keys.LINKER:
        return None
    metadata = item["metadata"]
    return User(
        Owner("v1", "ConfigMap", metadata["name"], metadata["uid"]),
        current=True,
        names=frozenset(names.split(",")),
        is_leaving="deletionTimestamp" in metadata,
    )


def read_metadata(item: dict[str, Any]) -> Revision:
    """What the metadata of a ConfigMap or Secret says."""
    metadata = item["metadata"]
    return Revision(
        name=metadata["name"],
        uid=metadata["uid"],
        resource_version=metadata["resourceVersion"],
        created=datetime.fromisoformat(metadata["creationTimestamp"]).timestamp(),
        owners=read_owners(item),
        is_retained=_annotations(item).get(keys.RETAIN) == "true",
        is_tag=_labels(item).get(keys.COMPONENT) == keys.TAG,
    )


def read_owners(item: dict[str, Any]) -> tuple[Owner, ...]:
    owners = item["metadata"].get("ownerReferences") or []
    return tuple(Owner(owner["apiVersion"], owner["kind"], owner["name"], owner["uid"]) for owner in owners)


def read_user(kind: Kind, item: dict[str, Any], wanted: frozenset[str]) -> User | None:
    """An object of this kind, if it may hold one of the names `wanted`, or make objects that do.

    A pod lives and dies with its controller, if that is of a kind that is looked at anyway.
    """
    metadata = item["metadata"]
    made_by = next((owner for owner in metadata.get("ownerReferences") or [] if owner.get("controller")), None)
    if kind.kind == "Pod" and made_by and (made_by["apiVersion"], made_by["kind"]) in _POD_CONTROLLERS:
        return None
    return User(
        Owner(kind.api_version, kind.kind, metadata["name"], metadata["uid"]),
        current=kind.is_current,
        names=wanted.intersection(words_of(item, in_pods=kind in _KNOWN)),
        controller=made_by["uid"] if made_by else "",
        template=_template(item),
        is_linker=kind.kind == "Job" and _labels(item).get(keys.COMPONENT) == keys.LINKER,
        is_leaving="deletionTimestamp" in metadata,
    )


def _template(item: dict[str, Any]) -> tuple[str, str] | None:
    reference = (item.get("spec") or {}).get("workloadRef")
    return (reference["kind"], reference["name"]) if isinstance(reference, dict) else None


def _annotations(item: dict[str, Any]) -> dict[str, str]:
    return item["metadata"].get("annotations") or {}


def _labels(item: dict[str, Any]) -> dict[str, str]:
    return item["metadata"].get("labels") or {}
