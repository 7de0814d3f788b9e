"""What is to change in the text, as values. Stages make them, the writer applies them all at once."""

from collections.abc import Mapping as Dict
from collections.abc import Sequence
from types import MappingProxyType
from typing import NamedTuple, TypeAlias

from krm_fn.model.item import Item
from krm_fn.model.node import Mapping, Node, Scalar

Value: TypeAlias = "str | bool | int | Sequence[Value] | Dict[str, Value]"
Patch: TypeAlias = Dict[str, "str | bool | Patch | ListPatch | None"]
"""A JSON merge patch (RFC 7386): None removes a field, a mapping descends, and so does what is said of a list."""


class ListPatch(NamedTuple):
    """What to do with a list, which a merge patch could only replace: elements counted as they stand."""

    change: Dict[int, Patch] = MappingProxyType({})
    drop: tuple[int, ...] = ()
    add: tuple[Dict[str, Value], ...] = ()


class SetText(NamedTuple):
    """Give a scalar other text, in its own style."""

    node: Scalar
    text: str | bool


class SetFields(NamedTuple):
    """Add fields to a mapping, or to an empty or null place where one belongs, and drop others.

    `key` is the field name of `node` in the mapping above, None for a whole document.
    """

    node: Node
    add: tuple[tuple[str, Value], ...]
    drop: tuple[str, ...] = ()
    key: Node | None = None
    parent: Mapping | None = None


class SetItems(NamedTuple):
    """Add elements at the end of a list, or to an empty or null place where one belongs, and drop others.

    `drop` counts the elements there are. `key` is the field name of `node` in the mapping above.
    """

    node: Node
    add: tuple[Dict[str, Value], ...] = ()
    drop: tuple[int, ...] = ()
    key: Node | None = None
    parent: Mapping | None = None


Change: TypeAlias = SetText | SetFields | SetItems


class Edit(NamedTuple):
    """A change, who asks for it, and the path of the field for people."""

    change: Change
    item: Item
    field: str
