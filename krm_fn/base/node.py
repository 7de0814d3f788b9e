"""YAML nodes as all rooms see them, how to read them, and how to name a field to people."""

import re
from collections.abc import Callable, ItemsView, Iterable, Iterator
from collections.abc import Mapping as Dict
from collections.abc import Sequence as Elements
from functools import lru_cache
from typing import Any, Protocol, TypeAlias, TypeGuard

from krm_fn.base.named_tuple import NamedTuple

FieldPath: TypeAlias = tuple[str | int, ...]
"""Names of fields, and positions in lists."""

Path: TypeAlias = "tuple[Path, str | int] | None"
"""The steps of a walk, from the inside out: written out only where something is found, which is rare."""

NewValue: TypeAlias = "str | bool | int | Elements[NewValue] | Dict[str, NewValue]"
"""A value that this project writes itself."""

Json: TypeAlias = dict[str, Any]
"""An object of JSON, as somebody else has sent it."""


class Mark(NamedTuple):
    """A place in the text: `line` and `column` count from 0."""

    line: int
    column: int


class Node(Protocol):
    """The part that all nodes share. `id` is `scalar`, `mapping` or `sequence`.

    It begins at character `start` of its text and ends before `end`. Its line is found when it is
    asked for.
    """

    id: str
    tag: str | None
    value: Any
    start: int

    @property
    def end(self) -> int: ...

    @property
    def column(self) -> int: ...

    @property
    def start_mark(self) -> Mark: ...


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


_STEP = r"\[(?P<index>[0-9]+)\]|\[(?P<quoted>[^\]]*)\]|(?P<name>[^.\[\]]+)"
TRUE = ("true", "True", "TRUE")
"""How true can be written."""

_NULLS = frozenset({"", "~", "null", "Null", "NULL"})


def is_scalar(node: Node | None) -> TypeGuard[Scalar]:
    return node is not None and node.id == "scalar"


def is_mapping(node: Node | None) -> TypeGuard[Mapping]:
    return node is not None and node.id == "mapping"


def is_sequence(node: Node | None) -> TypeGuard[Sequence]:
    return node is not None and node.id == "sequence"


def is_null(node: Node | None) -> bool:
    """Tell whether a field is missing or null."""
    if node is None:
        return True
    if not is_scalar(node):
        return False
    if node.tag is not None:
        return node.tag.endswith(":null")
    return not node.style and node.value in _NULLS


def fields(node: Node | None) -> dict[str, Node]:
    """Return the fields of a mapping, with those that `<<` merges in; none for any other node.

    Keys that are not scalars are left out: they are no field names.
    """
    # Asked so, and not by a call, because nothing is asked more often.
    if node is None or node.id != "mapping":
        return {}
    try:
        own = {key.value: value for key, value in node.value}
    except TypeError:  # a key that is no scalar has a list there
        own = {key.value: value for key, value in node.value if key.id == "scalar"}
    return _with_merged(node) if "<<" in own else own


def entries(node: Node | None) -> ItemsView[str, Node]:
    """Return the names and values of a mapping's fields."""
    return fields(node).items()


def elements(node: Node | None) -> list[Node]:
    """Return the elements of a list; none for any other node."""
    return node.value if is_sequence(node) else []


def mappings(node: Node | None, field: str) -> Iterator[tuple[str, dict[str, Node]]]:
    """Yield every mapping in a tree, outer ones first, with its field. `field`: that of `node`."""
    stack = [(node, field)]
    while stack:
        node, field = stack.pop()
        stack += [(element, f"{field}[{index}]") for index, element in enumerate(elements(node))]
        held = fields(node)
        if held:
            yield field, held
        stack += [
            (value, step(field, name)) for name, value in held.items() if not is_scalar(value)
        ]


class LocatedScalar(NamedTuple):
    """A scalar, its path, and the fields of the mapping that it is in."""

    scalar: Scalar
    path: FieldPath
    around: Dict[str, Node]


def unread_text(node: Node) -> str | None:
    """Return the text of a mapping that has no nodes yet; None for any other node.

    It has each word of its values as it is.
    """
    return getattr(node, "unread_text", None)


def scalars(
    root: Node, says_nothing: Callable[[str], bool] = lambda _: False
) -> Iterator[LocatedScalar]:
    """Yield every scalar in a tree, in the order of the text. Names of fields are none.

    `says_nothing`: whether the text of a mapping without nodes tells that none is wanted.
    """
    stack: list[tuple[Node, FieldPath, Dict[str, Node]]] = [(root, (), {})]
    while stack:
        node, path, around = stack.pop()
        if is_scalar(node):
            yield LocatedScalar(node, path, around)
        elif node.id == "sequence":
            stack += [
                (element, (*path, index), {})
                for index, element in reversed([*enumerate(node.value)])
            ]
        elif (unread := unread_text(node)) is None or not says_nothing(unread):
            held = fields(node)
            stack += [(value, (*path, name), held) for name, value in reversed([*held.items()])]


def is_merge(key: Node) -> bool:
    """Tell whether a key is `<<`, by which every Kubernetes tool merges other fields in.

    YAML 1.1 has it. In quotes, or with a tag of text, it is a name like any other; with its own tag
    it always merges.
    """
    if not is_scalar(key) or key.value != "<<":
        return False
    return key.tag == "tag:yaml.org,2002:merge" if key.tag else not key.style


def _with_merged(node: Node) -> dict[str, Node]:
    """Merge: own fields win over merged ones, earlier merges over later ones."""
    own = {key.value: value for key, value in node.value if is_scalar(key) and not is_merge(key)}
    merges = [value for key, value in node.value if is_merge(key)]
    for merge in merges:
        sources = merge.value if is_sequence(merge) else [merge]
        for source in sources:
            own = {**fields(source), **own}
    return own


def get(node: Node | None, *path: str) -> Node | None:
    """Return the node at a path of field names, or None."""
    for name in path:
        node = _get_field(node, name)
    return node


def _get_field(node: Node | None, name: str) -> Node | None:
    """Return the field that `fields` has under a name, in half of the time.

    Most callers want one field of a mapping.
    """
    if node is None or node.id != "mapping":
        return None
    found = None
    for key, value in node.value:
        if key.value == name:  # a key that is no scalar has a list there
            found = value
        elif key.value == "<<":
            return fields(node).get(name)
    return found


def text(node: Node | None) -> str:
    """Return a scalar's raw text; `""` for a missing field, null, and any other node."""
    if node is None or node.id != "scalar":
        return ""
    value: str = node.value
    return "" if (value in _NULLS or node.tag) and is_null(node) else value


def texts(node: Node | None) -> dict[str, str]:
    """Return the scalar fields of a mapping, such as annotations or labels, as raw text."""
    return {key: text(value) for key, value in fields(node).items()}


def describe(node: Node) -> str:
    """Name the type of a node to people."""
    return {"scalar": "text", "mapping": "a mapping", "sequence": "a list"}[node.id]


def spell(path: Iterable[str | int]) -> str:
    """Write a whole path: `spec.templates[0].name`."""
    field = ""
    for one in path:
        field = f"{field}[{one}]" if isinstance(one, int) else step(field, one)
    return field


def spell_path(path: Path) -> str:
    """Write the steps of a walk as a field."""
    return spell(steps_of(path))


def steps_of(path: Path) -> FieldPath:
    """Return the steps of a walk, the outermost first."""
    steps: list[str | int] = []
    while path is not None:
        path, one = path
        steps.append(one)
    return tuple(reversed(steps))


def step(field: str, name: str) -> str:
    """Append a name to a path: in brackets if it contains a dot or slash."""
    if "." in name or "/" in name:
        return f"{field}[{name}]"
    return f"{field}.{name}" if field else name


@lru_cache(maxsize=1024)
def read_path(field: str) -> FieldPath:
    """Read a path as people write it: the reverse of `spell`."""
    # To look for the end of each bracket that has none would take the square of their number.
    inside, bracket, behind = field.rpartition("]")
    return tuple(
        int(found["index"]) if found["index"] else found["quoted"] or found["name"]
        for found in re.finditer(_STEP, inside + bracket + behind.replace("[", "."))
    )


def descend(node: Node | None, path: FieldPath) -> Node | None:
    """Return the node at a path of field names and positions, or None."""
    for name in path:
        if isinstance(name, str):
            node = get(node, name)
        else:
            node = node.value[name] if is_sequence(node) and name < len(node.value) else None
    return node


def mark_of(node: Node, path: FieldPath) -> Mark:
    """Return where a field begins, as `Marks` does for many."""
    return Marks().of(node, path)


class Marks:
    """The places where fields begin. Each mapping is read once: many problems may be about one."""

    def __init__(self) -> None:
        self._fields: dict[Node, dict[str, tuple[Node, Node]]] = {}

    def of(self, node: Node, path: FieldPath) -> Mark:
        """Return where a field begins, as `first_of` does."""
        return self.first_of(node, path).start_mark

    def first_of(self, node: Node, path: FieldPath) -> Node:
        """Return what a field begins with: its name; an element of a list with itself.

        A field that is missing would be in the deepest one above it that exists, and begins where
        that begins.
        """
        first = node
        for name in path:
            if isinstance(name, str):
                below = self._fields_of(node).get(name)
            else:
                element = descend(node, (name,))
                below = None if element is None else (element, element)
            if below is None:
                break
            first, node = below
        return first

    def _fields_of(self, node: Node) -> dict[str, tuple[Node, Node]]:
        if node not in self._fields:
            names: dict[str, Node] = {}
            if is_mapping(node):
                for key, _ in node.value:
                    names.setdefault(key.value if is_scalar(key) else "", key)
            self._fields[node] = {
                name: (names.get(name, value), value) for name, value in fields(node).items()
            }
        return self._fields[node]


def children(node: Node) -> Iterator[Node]:
    """Yield the nodes right below a node, keys included."""
    if node.id == "mapping":
        for key, value in node.value:
            yield key
            yield value
    elif node.id == "sequence":
        yield from node.value


def walk(roots: list[Node], *, into_unread: bool = True) -> Iterator[Node]:
    """Yield every node once. `into_unread`: also those inside of mappings that have no nodes yet."""
    seen: set[Node] = set()
    stack = list(roots)
    while stack:
        node = stack.pop()
        if node not in seen:
            seen.add(node)
            if into_unread or unread_text(node) is None:
                stack.extend(children(node))
            yield node


# Values, with scalars as a person reads a configuration.

Plain: TypeAlias = "str | bool | int | float | list[Plain] | dict[str, Plain] | None"

# Texts: few configurations hold numbers, and `re` keeps what it has compiled.
_INTEGER = r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+"
_OCTAL = r"[-+]?0[0-7]+"
_FLOAT = r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?|[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)"
_BOOLEANS = {
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_NUMERIC = frozenset("+-.0123456789")
"""The first characters of numbers."""


def plain_value(node: Node) -> Plain:
    """Return the value of a node. A field that is null is left out, as it means the default.

    Scalars follow the core schema of YAML 1.2, as a person reads a configuration: `1_000` and
    `2020-01-02` are text. (`base.go_yaml` reads them as kustomize's hasher does, which a
    configuration need not agree with.)
    """
    if is_scalar(node):
        return _scalar(node)
    if is_mapping(node):
        return {
            key: plain_value(value) for key, value in fields(node).items() if not is_null(value)
        }
    return [plain_value(child) for child in node.value]


def _scalar(node: Scalar) -> Plain:
    if is_null(node):
        return None
    if node.style or (node.tag is not None and node.tag.endswith(":str")):
        return node.value
    if node.value in _BOOLEANS:
        return _BOOLEANS[node.value]
    number = _number(node.value)
    return node.value if number is None else number


def _number(text: str) -> int | float | None:
    if text[:1] not in _NUMERIC:
        return None
    # Not in YAML 1.2, but Kubernetes' tools read it, and people write file modes so.
    if re.fullmatch(_OCTAL, text):
        return int(text, 8)
    if re.fullmatch(_INTEGER, text):
        return int(text, 0) if text[:2] in ("0o", "0x") else int(text)
    if re.fullmatch(_FLOAT, text):
        return float(text.replace(".inf", "inf").replace(".nan", "nan"))
    return None
