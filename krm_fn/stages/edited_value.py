"""The value that a part of an object will have once it is edited."""

from collections.abc import Mapping
from itertools import repeat

from krm_fn.model.changes import ListPatch, Patch, Value
from krm_fn.model.node import Node, fields, is_mapping, is_scalar, is_sequence
from krm_fn.naming.content_hash import JsonValue
from krm_fn.naming.go_yaml import read_scalar


def edited_value(node: Node, patch: Patch | None, texts: Mapping[Node, str]) -> JsonValue:
    """Return the value of `node` after a patch, as JSON has it. `texts`: the new texts of scalars."""
    value = _read(node, texts)
    return value if patch is None else _patched(value, patch)


def _read(node: Node, texts: Mapping[Node, str]) -> JsonValue:
    # No comprehension: this takes one frame for each level of nesting.
    if is_mapping(node):
        members: dict[str, JsonValue] = {}
        for name, child in fields(node).items():
            members[name] = _read(child, texts)
        return members
    if is_sequence(node):
        return list(map(_read, node.value, repeat(texts)))
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


def _new(value: Value) -> JsonValue:
    if isinstance(value, Mapping):
        return {name: _new(member) for name, member in value.items()}
    if isinstance(value, str | bool):
        return value
    return float(value) if isinstance(value, int) else [_new(element) for element in value]
