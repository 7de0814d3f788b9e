"""An object as plain values that can be compared: every scalar with what may be shown of it."""

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

from krm_fn.diff.difference import Value
from krm_fn.diff.names import Names
from krm_fn.look.secrets import is_hidden
from krm_fn.model.item import Item
from krm_fn.model.node import FieldPath, Node, Scalar, fields, is_mapping, is_scalar
from krm_fn.model.printable import count
from krm_fn.naming.go_yaml import is_text, read_number

_OLD_BOOLEANS = frozenset({"y", "n", "yes", "no", "on", "off"})
"""Words that kubectl reads as true or false, as YAML 1.1 says, and kustomize as text."""

_WORDS = _OLD_BOOLEANS | {"true", "false", "null", "~"}


class Leaf(NamedTuple):
    """A scalar. `value` and `is_text` are compared, and never leave the comparison; `shown` is what people see.

    In `shown`, base names stand for names that are made from content. `written` has these too.
    """

    value: str
    shown: str
    written: str
    is_text: bool = True


Tree: TypeAlias = Leaf | dict[str, "Tree"] | list["Tree"]

LeftOut: TypeAlias = Callable[[FieldPath, Node], bool]
"""Tells whether a field is left out."""


class TreeReader:
    """Reads objects of one rendering, except for the fields that are `left_out`."""

    def __init__(self, names: Names, left_out: LeftOut) -> None:
        self._names = names
        self._left_out = left_out

    def read_item(self, item: Item) -> Tree:
        """Read a whole object."""
        return self._read(item.node, (), item.id.kind, hidden=False)

    def _read(self, node: Node, path: FieldPath, kind: str, *, hidden: bool) -> Tree:
        # No comprehensions: each takes a frame for each level of nesting.
        if is_scalar(node):
            return self._read_scalar(node, hidden=hidden)
        if is_mapping(node):
            values: dict[str, Tree] = {}
            around = fields(node)
            for name, child in around.items():
                below = (*path, name)
                if not self._left_out(below, child):
                    is_secret = hidden or is_hidden(kind, below, around)
                    value = self._read(child, below, kind, hidden=is_secret)
                    if value or not child.value:  # what is empty because all in it is left out, is left out too
                        values[name] = value
            return values
        elements: list[Tree] = []
        for index, child in enumerate(node.value):
            below = (*path, index)
            if not self._left_out(below, child):
                elements.append(self._read(child, below, kind, hidden=hidden))
        return elements

    def _read_scalar(self, node: Scalar, *, hidden: bool) -> Leaf:
        if hidden:
            size = f"({count(len(node.value.encode()), 'byte')})"
            return Leaf(node.value, size, size, _is_text(node))
        folded = self._names.fold(node)
        shown, written = self._names.hide(folded.shown), self._names.hide(node.value)
        if _is_text(node):
            return Leaf(folded.value, _quoted(shown), _quoted(written))
        return Leaf(folded.value, shown or "null", written or "null", is_text=False)


def _is_text(node: Scalar) -> bool:
    is_old_boolean = not node.tag and not node.style and node.value.lower() in _OLD_BOOLEANS
    return is_text(node) and not is_old_boolean


def _quoted(text: str) -> str:
    """Add quotes to text that is empty, or means something else without them."""
    is_typed = not text or text.lower() in _WORDS or (text[0] in "+-.0123456789" and read_number(text) is not None)
    return f'"{text}"' if is_typed else text


def show(tree: Tree) -> Value:
    """Return what may be shown."""
    if isinstance(tree, Leaf):
        return tree.shown
    if isinstance(tree, dict):
        values: dict[str, Value] = {}
        for name, child in tree.items():
            values[name] = show(child)
        return values
    elements: list[Value] = []
    for child in tree:
        elements.append(show(child))  # noqa: PERF401  # a comprehension is a frame more for each level of nesting
    return elements
