"""Compute the values that nodes must have after all changes: the plan without any text."""

from collections.abc import Iterable, Sequence
from collections.abc import Mapping as Dict
from typing import Any, TypeAlias

from krm_fn.base.changes import (
    Change,
    Changes,
    ListPatch,
    Object,
    Patch,
    SetFields,
    SetItems,
    combine_edits,
    combine_patches,
)
from krm_fn.base.named_tuple import NamedTuple
from krm_fn.base.node import (
    Mapping,
    NewValue,
    Node,
    elements,
    fields,
    get,
    is_mapping,
    is_scalar,
    is_sequence,
)

Expected: TypeAlias = (
    "Node | str | bool | int | Sequence[Expected] | Grown | Dict[str, Expected] | Fields"
)
"""The expected value of a place: what a node said before, but for its own changes, or a value."""

Edits: TypeAlias = Dict[Node, Change]


class Fields(NamedTuple):
    """A mapping that changes: its fields by name, and the entries whose keys are no names.

    Merged fields are among them. `unread` are the fields of which the text was compared and left
    out: they say what they said before. `before` is the mapping that changes, None for a new one.
    """

    named: dict[str, Expected]
    others: list[tuple[Node, Node]]
    unread: dict[str, Node]
    before: Node | None = None


class Grown(NamedTuple):
    """A list that changes: elements that it had, and new ones at its end, or else at its start.

    `unread` are elements that should have changed, by their positions, but of which the text was
    compared and left out. `before` is the list that changes, None for a new one.
    """

    kept: list[Expected]
    added: Sequence[NewValue]
    unread: list[tuple[int, Node, Expected]]
    before: Node | None = None


class Expectation(NamedTuple):
    """The changes of nodes, and the values that they lead to.

    `edits` are the changes of single nodes in each object, under None those outside of objects.
    `kept` has, for each collection of which entries are left out because they do not change, the
    entries that are to be looked at.
    """

    patches: Dict[Node, Patch]
    replaced: Dict[Node, Object]
    removed: frozenset[Node]
    edits: Dict[Node | None, Edits]
    kept: Dict[Node, list[Any]]

    def of(self, node: Node, edits: Edits) -> Expected:
        """Return the value that must be in the place of a node: itself, if it does not change."""
        if node in edits:
            return self._edited(edits[node])
        if node in self.replaced:
            return self.replaced[node]
        if node in self.patches:
            return self._patched(node, self.patches[node])
        return node

    def entries(self, node: Node) -> list[Any]:
        """Return the entries of a collection that are still there, and to be looked at."""
        kept: list[Any] = self.kept.get(node, node.value)
        if self.removed and node.id == "sequence":
            return [one for one in kept if one not in self.removed]
        return kept

    def _edited(self, change: Change) -> Expected:
        if isinstance(change, SetItems):
            return self._grown(change.node, {}, change.drop, change.add)
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
            elif isinstance(wanted, (str, bool)):
                after[name] = wanted
            elif not isinstance(wanted, ListPatch):
                after[name] = self._patched(current, wanted)
            elif wanted.add or len(wanted.drop) < len(elements(current)):
                after[name] = self._grown(current, wanted.change, wanted.drop, wanted.add)
            elif wanted.drop:
                del after[name]
        if not is_mapping(before):
            return Fields(after, [], {})
        kept = self.entries(before)
        others = [pair for pair in kept if pair[0].id != "scalar"]
        if kept is before.value:
            return Fields(after, others, {}, before)
        read = {key for key, _ in kept}
        unread = {
            key.value: value for key, value in before.value if key not in read and is_scalar(key)
        }
        return Fields(after, others, unread, before)

    def _grown(
        self,
        before: Node | None,
        changed: Dict[int, Patch],
        drop: Iterable[int],
        add: Sequence[NewValue],
    ) -> Grown:
        """Return a list after its changes. Positions are those of the list before."""
        dropped = frozenset(drop)
        read = frozenset(self.entries(before) if is_sequence(before) else ())
        kept: list[Expected] = []
        unread: list[tuple[int, Node, Expected]] = []
        for index, element in enumerate(elements(before)):
            wanted = self._patched(element, changed[index]) if index in changed else element
            if element in read:
                if index not in dropped:
                    kept.append(wanted)
            elif index in dropped:
                kept.append(element)  # it is still there, one too many
            elif index in changed:
                unread.append((index, element, wanted))
        return Grown(kept, add, unread, before if is_sequence(before) else None)


def expect(
    resource_list: Mapping | None,
    changes: Changes,
    results: tuple[Object, ...],
    kept: Dict[Node, list[Any]],
) -> Expectation:
    """Collect by node what must become of the objects of a text.

    `resource_list` is the ResourceList around them, if there is one. `results` are appended to
    its own.
    """
    patches: dict[Node, Patch] = {
        item.node: patch for item, patch in combine_patches(changes.patches)
    }
    edits: dict[Node | None, dict[Node, Change]] = {None: {}}
    for edit in combine_edits(changes.edits):
        edits.setdefault(edit.item.node, {})[edit.change.node] = edit.change
    if resource_list is not None:
        items = get(resource_list, "items")
        if items is not None and changes.add:
            edits[None][items] = SetItems(items, changes.add)
        if results:
            patches[resource_list] = {"results": ListPatch(add=results)}
    return Expectation(
        patches=patches,
        replaced={item.node: wanted for item, wanted in changes.replace},
        removed=frozenset(item.node for item in changes.remove),
        edits=edits,
        kept=kept,
    )
