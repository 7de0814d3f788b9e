"""What nodes must say after all changes, as values: the plan without any text."""

from collections.abc import Mapping as Dict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from krm_fn.model.changes import Change, Changes, ListPatch, Object, Patch, SetFields, SetItems, Value, combine_patches
from krm_fn.model.node import Node, elements, fields, get, is_mapping, is_scalar
from krm_fn.wire.envelope import Envelope

Expected: TypeAlias = "Node | str | bool | int | Sequence[Expected] | Grown | Dict[str, Expected] | Fields"
"""What must be in a place: what a node said before, but for its own changes, or a value."""

Edits: TypeAlias = Dict[Node, Change]


class Fields(NamedTuple):
    """A mapping that changes: its fields by name, merged ones included, and the entries whose keys are no names.

    `unread` are the fields of which the text was compared and left out: they say what they said before.
    """

    named: dict[str, Expected]
    others: list[tuple[Node, Node]]
    unread: dict[str, Node]


class Grown(NamedTuple):
    """A list that changes: elements that it had, and new ones at its end or, where that is impossible, its start."""

    kept: list[Expected]
    added: Sequence[Value]


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Expectation:
    """What becomes of nodes.

    `edits` are the changes of single nodes in each object, under None those outside of objects. `left_out` are entries
    that do not change and are not looked at: keys of mappings, and elements of lists.
    """

    patches: Dict[Node, Patch]
    replaced: Dict[Node, Object]
    removed: frozenset[Node]
    edits: Dict[Node | None, Edits]
    left_out: frozenset[Node]

    def of(self, node: Node, edits: Edits) -> Expected:
        """Return what must be in the place of a node: the node itself, if it has no changes of its own."""
        if node in edits:
            return self._edited(edits[node])
        if node in self.replaced:
            return self.replaced[node]
        if node in self.patches:
            return self._patched(node, self.patches[node])
        return node

    def stays(self, node: Node) -> bool:
        """Tell whether an element of a list is still there, and to be looked at."""
        return node not in self.left_out and node not in self.removed

    def _edited(self, change: Change) -> Expected:
        if isinstance(change, SetItems):
            staying = [one for index, one in enumerate(elements(change.node)) if index not in change.drop]
            return Grown([*filter(self.stays, staying)], change.add)
        if isinstance(change, SetFields):
            kept = self._patched(change.node, dict.fromkeys(change.drop))
            return kept._replace(named={**kept.named, **dict(change.add)})
        return change.text

    def _patched(self, before: Node | None, patch: Patch) -> Fields:
        """Return a mapping after a merge patch."""
        present = fields(before)
        after: dict[str, Expected] = dict(present)
        for name, wanted in patch.items():
            current = present.get(name)
            if wanted is None:
                after.pop(name, None)
            elif isinstance(wanted, str | bool):
                after[name] = wanted
            elif not isinstance(wanted, ListPatch):
                after[name] = self._patched(current, wanted)
            elif wanted.add or len(wanted.drop) < len(elements(current)):
                after[name] = self._patched_list(elements(current), wanted)
            elif wanted.drop:
                del after[name]
        pairs = before.value if is_mapping(before) else []
        return Fields(
            after,
            [pair for pair in pairs if not is_scalar(pair[0]) and pair[0] not in self.left_out],
            {key.value: value for key, value in pairs if key in self.left_out and is_scalar(key)},
        )

    def _patched_list(self, present: list[Node], patch: ListPatch) -> Grown:
        kept: list[Expected] = []
        for index, element in enumerate(present):
            if index in patch.change:
                kept.append(self._patched(element, patch.change[index]))
            elif index not in patch.drop and self.stays(element):
                kept.append(element)
        return Grown(kept, patch.add)


def expect(envelope: Envelope, changes: Changes, results: tuple[Object, ...], left_out: frozenset[Node]) -> Expectation:
    """Collect by node what must become of an envelope. `results` are appended to those of the ResourceList."""
    patches: dict[Node, Patch] = {item.node: patch for item, patch in combine_patches(changes.patches)}
    edits: dict[Node | None, dict[Node, Change]] = {None: {}}
    for edit in changes.edits:
        of_object = edits.setdefault(edit.item.node, {})
        of_object[edit.change.node] = _combine(of_object.get(edit.change.node), edit.change)
    if envelope.resource_list is not None:
        items = get(envelope.resource_list, "items")
        if items is not None and changes.add:
            edits[None][items] = SetItems(items, changes.add)
        if results:
            patches[envelope.resource_list] = {"results": ListPatch(add=results)}
    return Expectation(
        patches=patches,
        replaced={item.node: wanted for item, wanted in changes.replace},
        removed=frozenset(item.node for item in changes.remove),
        edits=edits,
        left_out=left_out,
    )


def _combine(first: Change | None, second: Change) -> Change:
    """Return one change for two of the same node: what both add to a list, or else the one that both are."""
    if isinstance(first, SetItems) and isinstance(second, SetItems):
        return second._replace(add=(*first.add, *second.add), drop=(*first.drop, *second.drop))
    return second
