"""What is to change in the text, as values. Stages make them, the writer applies them all at once."""

from collections.abc import Mapping as Dict
from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

from krm_fn.model.item import Item
from krm_fn.model.node import Mapping, Node, Scalar

Value: TypeAlias = "str | bool | int | Sequence[Value] | Dict[str, Value]"
Patch: TypeAlias = Dict[str, "str | bool | Patch | None"]
"""A JSON merge patch (RFC 7386): None removes a field, a mapping descends."""


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


class PatchInside(NamedTuple):
    """A merge patch on a mapping deeper down in an object; `field` is the path to it."""

    item: Item
    node: Mapping
    field: str
    patch: Patch


class Edit(NamedTuple):
    """A change, who asks for it, and the path of the field for people."""

    change: SetText | SetFields
    item: Item
    field: str
