"""How a field is named to people."""

from collections.abc import ItemsView, Iterable
from typing import Any, Protocol, TypeAlias, TypeGuard

FieldPath: TypeAlias = tuple[str | int, ...]
"""Names of fields, and places in lists."""


def spell(path: Iterable[str | int]) -> str:
    """A whole path: `spec.templates[0].name`."""
    field = ""
    for one in path:
        field = f"{field}[{one}]" if isinstance(one, int) else step(field, one)
    return field


def step(field: str, name: str) -> str:
    """The path of a field one further down; brackets where a dot or slash in the name would mislead."""
    if "." in name or "/" in name:
        return f"{field}[{name}]"
    return f"{field}.{name}" if field else name


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


def describe(node: Node) -> str:
    """What a node is, for people."""
    return {"scalar": "text", "mapping": "a mapping", "sequence": "a list"}[node.id]


def is_null(node: Node | None) -> bool:
    """A missing field, or one that says null."""
    if node is None:
        return True
    if not is_scalar(node):
        return False
    if node.tag is not None:
        return node.tag.endswith(":null")
    return not node.style and node.value in NULLS


def fields(node: Node | None) -> dict[str, Node]:
    """The fields of a mapping, those that `<<` merges in included; nothing for any other node.

    A key that is not a scalar has no name a manifest could mean, and is passed over.
    """
    if not is_mapping(node):
        return {}
    own = {key.value: value for key, value in node.value if key.id == "scalar"}
    return _with_merged(node) if "<<" in own else own


def entries(node: Node | None) -> ItemsView[str, Node]:
    """The fields of a mapping, one by one."""
    return fields(node).items()


def is_merge(key: Node) -> bool:
    """The plain key `<<`, which YAML 1.1 and every Kubernetes tool read as "these fields too"."""
    return is_scalar(key) and key.value == "<<" and not key.style


def _with_merged(node: Mapping) -> dict[str, Node]:
    """A mapping's own fields win over merged ones, earlier merges over later ones."""
    own = {key.value: value for key, value in node.value if is_scalar(key) and not is_merge(key)}
    merges = [value for key, value in node.value if is_merge(key)]
    for merge in merges:
        for source in merge.value if is_sequence(merge) else [merge]:
            own = {**fields(source), **own}
    return own


def get(node: Node | None, *path: str) -> Node | None:
    """The node at a path of field names, or None."""
    for name in path:
        node = fields(node).get(name)
    return node


def text(node: Node | None) -> str:
    """A scalar's raw text; `""` where there is none, or null, or something that is no scalar."""
    return node.value if is_scalar(node) and not is_null(node) else ""


def texts(node: Node | None) -> dict[str, str]:
    """A mapping's scalar fields as raw text: annotations, labels."""
    return {key: text(value) for key, value in fields(node).items()}
