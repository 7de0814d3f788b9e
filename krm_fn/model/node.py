"""Reading a YAML node graph.

The nodes are PyYAML's (ScalarNode, MappingNode, SequenceNode), described here as protocols so that the
model needs no YAML library. Scalars are raw text: nothing is resolved to a bool, a number or a date.
"""

from collections.abc import Iterator
from typing import Any, Protocol, TypeGuard


class Mark(Protocol):
    """A place in the text: `index` counts characters, `line` and `column` from 0."""

    index: int
    line: int
    column: int


class Node(Protocol):
    """What all nodes share. `id` is `scalar`, `mapping` or `sequence`."""

    id: str
    tag: str | None
    value: Any
    start_mark: Mark
    end_mark: Mark


class Scalar(Node, Protocol):
    """`style` is empty for plain text, else one of `'`, `"`, `|`, `>`."""

    value: str
    style: str


class Mapping(Node, Protocol):
    value: list[tuple[Node, Node]]
    flow_style: bool


class Sequence(Node, Protocol):
    value: list[Node]
    flow_style: bool


NULLS = frozenset({"", "~", "null", "Null", "NULL"})


def is_scalar(node: Node | None) -> TypeGuard[Scalar]:
    return node is not None and node.id == "scalar"


def is_mapping(node: Node | None) -> TypeGuard[Mapping]:
    return node is not None and node.id == "mapping"


def is_sequence(node: Node | None) -> TypeGuard[Sequence]:
    return node is not None and node.id == "sequence"


def is_null(node: Node | None) -> bool:
    """A missing field, or one that says null."""
    if node is None:
        return True
    if not is_scalar(node):
        return False
    if node.tag is not None:
        return node.tag.endswith(":null")
    return not node.style and node.value in NULLS


def entries(node: Node | None) -> Iterator[tuple[str, Node]]:
    """The fields of a mapping, those that `<<` merges in included; nothing for any other node.

    A key that is not a scalar has no name a manifest could mean, and is passed over.
    """
    if not is_mapping(node):
        return
    merged = False
    for key, value in node.value:
        if is_merge(key):
            merged = True
        elif is_scalar(key):
            yield key.value, value
    if merged:
        yield from _merged_entries(node)


def is_merge(key: Node) -> bool:
    """The plain key `<<`, which YAML 1.1 and every Kubernetes tool read as "these fields too"."""
    return is_scalar(key) and key.value == "<<" and not key.style


def _merged_entries(node: Mapping) -> Iterator[tuple[str, Node]]:
    seen = {key.value for key, _ in node.value if is_scalar(key)}
    for key, value in node.value:
        if not is_merge(key):
            continue
        for source in value.value if is_sequence(value) else [value]:
            for name, field in entries(source):
                if name not in seen:
                    seen.add(name)
                    yield name, field


def get(node: Node | None, *path: str) -> Node | None:
    """The node at a path of field names, or None."""
    for name in path:
        node = next((value for key, value in entries(node) if key == name), None)
        if node is None:
            return None
    return node


def text(node: Node | None) -> str:
    """A scalar's raw text; `""` where there is none, or null, or something that is no scalar."""
    return node.value if is_scalar(node) and not is_null(node) else ""


def texts(node: Node | None) -> dict[str, str]:
    """A mapping's scalar fields as raw text: annotations, labels."""
    return {key: text(value) for key, value in entries(node)}
