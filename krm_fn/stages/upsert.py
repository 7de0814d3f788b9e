"""Replace the objects that an earlier run emitted."""

from collections.abc import Mapping, Sequence
from typing import Any

from krm_fn.model import keys
from krm_fn.model.changes import Changes, Object
from krm_fn.model.item import Item
from krm_fn.model.node import Node, entries, is_mapping, is_sequence
from krm_fn.model.sync_order import SYNC_WAVE

_FOR_TOOLS = (
    "internal.config.kubernetes.io/",
    "config.kubernetes.io/",
    "config.k8s.io/",
    "internal.kpt.dev/",
    "kustomize.config.k8s.io/",
)
"""Annotations by which kpt and kustomize recognise an object: its file, its position in it, its id."""


def upsert(own: list[Item], wanted: list[Object]) -> Changes:
    """Replace objects that have the same part as before, add new ones, and remove obsolete ones."""
    places: dict[tuple[str, ...], Item] = {}
    for item in own:
        places.setdefault(_part(item.id.kind, item.id.namespace, item.id.name, item.annotations), item)
    wanted_by_part = {_part_of(one): one for one in wanted}
    staying = {part: item for part, item in places.items() if part in wanted_by_part}
    complete = [(item, _with_tool_annotations(wanted_by_part[part], item)) for part, item in staying.items()]
    stays = {item.node for item in staying.values()}  # through a YAML alias two items may share one node
    return Changes(
        replace=tuple((item, one) for item, one in complete if _text_of(one) != _plain(item.node)),
        remove=tuple(item for item in own if item.node not in stays),
        add=tuple(one for part, one in wanted_by_part.items() if part not in staying),
    )


def _part(kind: str, namespace: str, name: str, annotations: Mapping[str, str]) -> tuple[str, ...]:
    """Return what an object is for, whatever its name: a wave's Job, a Secret's tracker, a namespace's Role."""
    lasting = {"Job": annotations.get(SYNC_WAVE, ""), "ConfigMap": annotations.get(keys.BASE_NAME, "")}
    return kind, namespace, lasting.get(kind, name)


def _part_of(wanted: Any) -> tuple[str, ...]:
    metadata = wanted["metadata"]
    return _part(wanted["kind"], metadata.get("namespace", ""), metadata["name"], metadata.get("annotations", {}))


def _with_tool_annotations(wanted: Any, item: Item) -> Object:
    metadata = wanted["metadata"]
    kept = {name: value for name, value in item.annotations.items() if name.startswith(_FOR_TOOLS)}
    annotations = {**metadata.get("annotations", {}), **kept}
    return {**wanted, "metadata": {**metadata, **({"annotations": annotations} if annotations else {})}}


def _plain(node: Node) -> Any:
    """Return an object with every scalar as its text, for comparing."""
    if is_mapping(node):
        return {name: _plain(value) for name, value in entries(node)}
    return [_plain(value) for value in node.value] if is_sequence(node) else node.value


def _text_of(value: Any) -> Any:
    """Return the same of an object that this project made."""
    if isinstance(value, Mapping):
        return {name: _text_of(field) for name, field in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [*map(_text_of, value)]
    return str(value).lower() if isinstance(value, bool) else str(value)
