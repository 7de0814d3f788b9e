"""The value that a part of an object will have once it is edited."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import repeat
from typing import Any

from krm_fn.model import keys
from krm_fn.model.changes import Changes, ListPatch, NewValue, Object, Patch
from krm_fn.model.deployers import SYNC_WAVE
from krm_fn.model.item import Item
from krm_fn.model.node import Node, entries, fields, is_mapping, is_scalar, is_sequence
from krm_fn.naming.content_hash import JsonValue
from krm_fn.naming.go_yaml import read_scalar


def edited_value(node: Node, patch: Patch | None, texts: Mapping[Node, str]) -> JsonValue:
    """Return the value of `node` after a patch, as JSON has it. `texts`: the new texts of scalars."""
    value = _read_node(node, texts)
    return value if patch is None else _patched(value, patch)


def _read_node(node: Node, texts: Mapping[Node, str]) -> JsonValue:
    # No comprehension: this takes one frame for each level of nesting.
    if is_mapping(node):
        members: dict[str, JsonValue] = {}
        for name, child in fields(node).items():
            members[name] = _read_node(child, texts)
        return members
    if is_sequence(node):
        return list(map(_read_node, node.value, repeat(texts)))
    return texts[node] if node in texts else _read_scalar(node)


def _read_scalar(node: Node) -> JsonValue:
    """Text that no JSON value corresponds to stands for itself."""
    try:
        return read_scalar(node) if is_scalar(node) else None
    except ValueError:
        return str(node.value)


def _patched(value: JsonValue, patch: Patch) -> JsonValue:
    members = dict(value) if isinstance(value, dict) else {}
    for name, wanted in patch.items():
        if wanted is None:
            members.pop(name, None)
        elif isinstance(wanted, ListPatch):
            elements = _patched_list(members.get(name), wanted)
            members.pop(name, None)
            members |= {name: elements} if elements else {}
        elif isinstance(wanted, Mapping):
            members[name] = _patched(members.get(name), wanted)
        else:
            members[name] = wanted
    return members


def _patched_list(value: JsonValue, patch: ListPatch) -> list[JsonValue]:
    held = value if isinstance(value, list) else []
    kept = [
        _patched(element, patch.change[place]) if place in patch.change else element
        for place, element in enumerate(held)
        if place not in patch.drop
    ]
    return [*kept, *map(_new, patch.add)]


def _new(value: NewValue) -> JsonValue:
    if isinstance(value, Mapping):
        return {name: _new(member) for name, member in value.items()}
    if isinstance(value, str | bool):
        return value
    return float(value) if isinstance(value, int) else [_new(element) for element in value]


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

    Several may have one part: Secrets of one base name, in subpackages of kpt, have a tracker each. Those that keep
    their names keep their places, and the others take the places that are left.
    """
    open_ = {_name_of(one): one for one in wanted}  # equal Secrets share a tracker
    complete: list[tuple[Item, Object]] = []
    for key_of in (_name_of, _part_of):
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
        replace=tuple((item, one) for item, one in complete if _text_of(one) != _plain(item.node)),
        remove=tuple(item for item in own if item.node not in stays),
        add=tuple(open_.values()),
    )


def _read(item: Item) -> Any:
    metadata = {"name": item.id.name, "namespace": item.id.namespace, "annotations": item.annotations}
    return {"kind": item.id.kind, "metadata": metadata}


def _name_of(one: Any) -> tuple[str, ...]:
    return one["kind"], one["metadata"].get("namespace", ""), one["metadata"]["name"]


def _part_of(one: Any) -> tuple[str, ...]:
    """Return what an object is for, whatever its name: a wave's Job, a Secret's tracker, a namespace's Role."""
    kind, namespace, name = _name_of(one)
    annotations = one["metadata"].get("annotations", {})
    lasting = {"Job": annotations.get(SYNC_WAVE, ""), "ConfigMap": annotations.get(keys.BASE_NAME, "")}
    return kind, namespace, lasting.get(kind, name)


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
