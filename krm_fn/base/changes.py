"""The changes of a run, as values.

Every stage returns Changes, they add up, and the writer applies them all at once.
"""

import operator
from collections.abc import Iterable
from collections.abc import Mapping as Dict
from types import MappingProxyType
from typing import TypeAlias

from krm_fn.base.item import Item
from krm_fn.base.named_tuple import NamedTuple
from krm_fn.base.node import FieldPath, Mapping, NewValue, Node, Scalar
from krm_fn.base.problem import Problem

Object: TypeAlias = dict[str, NewValue]
"""A whole object that this project writes itself."""

Patch: TypeAlias = Dict[str, "str | bool | Patch | ListPatch | None"]
"""A JSON merge patch (RFC 7386): None removes a field, a mapping descends, a ListPatch changes a list in place."""


class ListPatch(NamedTuple):
    """Change a list, which a merge patch could only replace.

    Positions are those of the list before the change.
    """

    change: Dict[int, Patch] = MappingProxyType({})
    drop: tuple[int, ...] = ()
    add: tuple[Dict[str, NewValue], ...] = ()


class SetText(NamedTuple):
    """Give a scalar another text, in its own style.

    `key` is the field name of a null, which may lack its colon.
    """

    node: Scalar
    text: str | bool
    key: Node | None = None


class SetParts(NamedTuple):
    """Give parts of a scalar another text: from `start` to `end` of its value, in rising order."""

    node: Scalar
    parts: tuple[tuple[int, int, str], ...]

    @property
    def text(self) -> str:
        """The scalar's value after the change."""
        pieces = []
        position = 0
        for start, end, text in self.parts:
            pieces += [self.node.value[position:start], text]
            position = end
        return "".join([*pieces, self.node.value[position:]])


class SetFields(NamedTuple):
    """Add fields to a mapping, or to an empty or null place where one belongs, and drop others.

    `key` is the field name of `node` in the mapping above, None for a whole document.
    """

    node: Node
    add: tuple[tuple[str, NewValue], ...]
    drop: tuple[str, ...] = ()
    key: Node | None = None
    parent: Mapping | None = None


class SetItems(NamedTuple):
    """Append elements to a list, or fill an empty or null place where one belongs, and drop others.

    `drop` holds positions in the present list. `key` is the field name of `node` in the mapping
    above.
    """

    node: Node
    add: tuple[NewValue, ...] = ()
    drop: tuple[int, ...] = ()
    key: Node | None = None
    parent: Mapping | None = None


Change: TypeAlias = SetText | SetParts | SetFields | SetItems


class Edit(NamedTuple):
    """Change the text in one place. `item` is the object around it, `field` the path for people."""

    change: Change
    item: Item
    field: str


class Changes(NamedTuple):
    """The changes of a stage: patches, edits of single places, whole objects, and problems.

    `replace` and `remove` are about objects that an earlier run of this project added.
    """

    patches: tuple[tuple[Item, Patch], ...] = ()
    edits: tuple[Edit, ...] = ()
    replace: tuple[tuple[Item, Object], ...] = ()
    remove: tuple[Item, ...] = ()
    add: tuple[Object, ...] = ()
    problems: tuple[Problem, ...] = ()

    def __add__(self, more: "Changes") -> "Changes":  # type: ignore[override]  # nobody adds fields to a tuple of them
        """Join two; what belongs to `more` comes last."""
        return Changes._make(map(operator.add, self, more))


def patch_at(path: FieldPath, patch: Patch) -> Patch:
    """Return the patch of a whole object that patches the mapping at `path`."""
    if not path:
        return patch
    name, *rest = path
    if rest and isinstance(rest[0], int):
        return {str(name): ListPatch({rest[0]: patch_at(tuple(rest[1:]), patch)})}
    return {str(name): patch_at(tuple(rest), patch)}


def combine_patches(patches: Iterable[tuple[Item, Patch]]) -> list[tuple[Item, Patch]]:
    """Return one patch for each object, in the order in which objects first occur.

    Where every annotation is removed, the mapping of annotations goes as well.
    """
    combined: dict[Item, Patch] = {}
    for item, patch in patches:
        combined[item] = _combine(combined.get(item, {}), patch)
    return [
        (item, _without_empty_annotations(item, patch)) for item, patch in combined.items() if patch
    ]


def combine_edits(edits: Iterable[Edit]) -> list[Edit]:
    """Return one edit for all that change the same list, every other one as it is."""
    # Several rules of a role may add to one list, and to the writer two splices of one place are a
    # bug (decision 1).
    others: list[Edit] = []
    lists: dict[tuple[Item, str], SetItems] = {}
    for edit in edits:
        place, change = (edit.item, edit.field), edit.change
        if isinstance(change, SetItems):
            first = lists.get(place, SetItems(change.node))
            drop = tuple(sorted({*first.drop, *change.drop}))
            lists[place] = change._replace(add=(*first.add, *change.add), drop=drop)
        else:
            others.append(edit)
    return [*others, *(Edit(change, item, field) for (item, field), change in lists.items())]


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
    change = {
        place: _combine(first.change.get(place, {}), second.change.get(place, {}))
        for place in sorted(places)
    }
    return ListPatch(change, tuple(sorted({*first.drop, *second.drop})), (*first.add, *second.add))


def _without_empty_annotations(item: Item, patch: Patch) -> Patch:
    metadata = patch.get("metadata")
    annotations = metadata.get("annotations") if isinstance(metadata, dict) else None
    if not isinstance(metadata, dict) or not isinstance(annotations, dict):
        return patch
    has_values = any(value is not None for value in annotations.values())
    if has_values or annotations.keys() != item.annotations.keys():
        return patch
    return {**patch, "metadata": {**metadata, "annotations": None}}
