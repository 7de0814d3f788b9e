"""Put objects into a package, in place of those that an earlier run has put there."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from krm_fn.base import keys
from krm_fn.base.changes import Changes, Object
from krm_fn.base.item import Item
from krm_fn.base.kind import SYNC_WAVE
from krm_fn.base.node import plain_value

_FOR_TOOLS = (
    "internal.config.kubernetes.io/",
    "config.kubernetes.io/",
    "config.k8s.io/",
    "internal.kpt.dev/",
    "kustomize.config.k8s.io/",
)
"""Annotations by which kpt and kustomize recognise an object: its file, its position in it, its id."""


def upsert(own: list[Item], wanted: list[Object]) -> Changes:
    """Replace objects that have the same part as before, add new ones, and remove obsolete ones.

    Several may have one part: Secrets of one base name, in subpackages of kpt, have a tracker each.
    Those that keep their names keep their places, and the others take the places that are left.
    """
    # Were they added beside those of the run before, kustomize would refuse the output, and kpt
    # keep both.
    open_ = {name_of(one): one for one in wanted}  # equal Secrets share a tracker
    complete: list[tuple[Item, Object]] = []
    for key_of in (name_of, _part_of):
        places: dict[tuple[str, ...], list[Item]] = defaultdict(list)
        taken = {item for item, _ in complete}
        for item in own:
            if item not in taken:
                places[key_of(_read(item))].append(item)
        for name, one in list(open_.items()):
            if free := places[key_of(one)]:
                item = free.pop(0)
                complete.append((item, _with_tool_annotations(open_.pop(name), item)))
    stays = {item.node for item, _ in complete}  # through a YAML alias two items may share one node
    return Changes(
        replace=tuple(
            (item, one) for item, one in complete if _plain(one) != plain_value(item.node)
        ),
        remove=tuple(item for item in own if item.node not in stays),
        add=tuple(open_.values()),
    )


def _read(item: Item) -> Any:
    metadata = {
        "name": item.id.name,
        "namespace": item.id.namespace,
        "annotations": item.annotations,
    }
    return {"kind": item.id.kind, "metadata": metadata}


def name_of(one: Any) -> tuple[str, ...]:
    return one["kind"], one["metadata"].get("namespace", ""), one["metadata"]["name"]


def _part_of(one: Any) -> tuple[str, ...]:
    """Return the part of an object: a wave's Job, a Secret's tracker, a namespace's Role."""
    kind, namespace, name = name_of(one)
    annotations = one["metadata"].get("annotations", {})
    lasting = {
        "Job": annotations.get(SYNC_WAVE, ""),
        "ConfigMap": annotations.get(keys.BASE_NAME, ""),
    }
    return kind, namespace, lasting.get(kind, name)


def _with_tool_annotations(wanted: Any, item: Item) -> Object:
    metadata = wanted["metadata"]
    # Without these, kpt would write the object into another file.
    kept = {name: value for name, value in item.annotations.items() if name.startswith(_FOR_TOOLS)}
    annotations = {**metadata.get("annotations", {}), **kept}
    return {
        **wanted,
        "metadata": {**metadata, **({"annotations": annotations} if annotations else {})},
    }


def _plain(value: Any) -> Any:
    """Return an object that this project builds as it is read again."""
    if isinstance(value, Mapping):
        return {name: _plain(field) for name, field in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [*map(_plain, value)]
    return value
