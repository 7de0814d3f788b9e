"""What is to change in the text, as values. Stages make them, the writer applies them all at once."""

from collections.abc import Iterable, Sequence
from collections.abc import Mapping as Dict
from types import MappingProxyType
from typing import NamedTuple, TypeAlias

from krm_fn.model.item import Item
from krm_fn.model.node import FieldPath, Mapping, Node, Scalar

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


Object: TypeAlias = dict[str, Value]


class Emission(NamedTuple):
    """Objects to put in the place of earlier ones, earlier ones that go, and new ones."""

    replace: list[tuple[Item, Object]]
    remove: list[Item]
    add: list[Object]


NOTHING = Emission([], [], [])


def patch_at(path: FieldPath, patch: Patch) -> Patch:
    """The patch of what lies at a path."""
    if not path:
        return patch
    name, *rest = path
    if rest and isinstance(rest[0], int):
        return {str(name): ListPatch({rest[0]: patch_at(tuple(rest[1:]), patch)})}
    return {str(name): patch_at(tuple(rest), patch)}


def combine_patches(patches: Iterable[tuple[Item, Patch]]) -> list[tuple[Item, Patch]]:
    """One patch for each object, in the order in which they were first named.

    Annotations that would all go take their mapping along.
    """
    combined: dict[int, tuple[Item, Patch]] = {}
    for item, patch in patches:
        _, before = combined.get(id(item.node), (item, {}))
        combined[id(item.node)] = (item, _combine(before, patch))
    return [(item, _without_empty_annotations(item, patch)) for item, patch in combined.values() if patch]


def _combine(first: Patch, second: Patch) -> Patch:
    patch = dict(first)
    for name, wanted in second.items():
        before = patch.get(name)
        if isinstance(before, ListPatch) and isinstance(wanted, ListPatch):
            patch[name] = _combine_lists(before, wanted)
        elif isinstance(before, dict) and isinstance(wanted, dict):
            patch[name] = _combine(before, wanted)
        else:
            patch[name] = wanted
    return patch


def _combine_lists(first: ListPatch, second: ListPatch) -> ListPatch:
    places = first.change.keys() | second.change.keys()
    change = {place: _combine(first.change.get(place, {}), second.change.get(place, {})) for place in sorted(places)}
    return ListPatch(change, tuple(sorted({*first.drop, *second.drop})), (*first.add, *second.add))


def _without_empty_annotations(item: Item, patch: Patch) -> Patch:
    metadata = patch.get("metadata")
    annotations = metadata.get("annotations") if isinstance(metadata, dict) else None
    if not isinstance(metadata, dict) or not isinstance(annotations, dict):
        return patch
    if annotations.keys() != item.annotations.keys() or any(value is not None for value in annotations.values()):
        return patch
    return {**patch, "metadata": {**metadata, "annotations": None}}
