"""The nodes of a whole output: those that the proof has read, and those of the input where it has read nothing."""

from collections.abc import Mapping as Dict
from typing import Any

from krm_fn.base.node import Node, is_mapping, is_scalar, is_sequence
from krm_fn.core.yaml.excerpt import Excerpt


def complete(roots: list[Node], excerpt: Excerpt, read: Dict[Node, Node]) -> list[Node] | None:
    """Return the documents of the output. None where entries were left out of a list that has changed.

    `roots` are those of the input. `read` has what was read in the place of each of its documents, and of each
    collection of which only some entries were. These collections get the others.
    """
    for before, kept in excerpt.kept.items():
        node = read.get(before)
        entries = None if node is None else _entries(node, before, kept)
        if node is None or entries is None:
            return None
        node.value = entries
    return [read.get(root, root) for root in roots]


def _entries(node: Node, before: Node, kept: list[Any]) -> list[Any] | None:
    if is_mapping(node) and is_mapping(before):
        return _fields(node.value, before.value, kept)
    if not is_sequence(node) or len(node.value) != len(kept):
        return None
    found = iter(node.value)
    stay = set(kept)
    return [next(found) if element in stay else element for element in before.value]


def _fields(
    written: list[tuple[Node, Node]], before: list[tuple[Node, Node]], kept: list[tuple[Node, Node]]
) -> list[tuple[Node, Node]] | None:
    """Return the fields in their order, new ones behind them."""
    by_name = {key.value: (key, value) for key, value in written if is_scalar(key)}
    if len(by_name) < len(written):
        return None
    stay = {key for key, _ in kept}
    fields: list[tuple[Node, Node]] = []
    for key, value in before:
        if key not in stay:
            fields.append((key, value))
        elif key.value in by_name:
            fields.append(by_name.pop(key.value))
    return [*fields, *by_name.values()]
