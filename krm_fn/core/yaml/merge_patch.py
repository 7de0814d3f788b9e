"""A merge patch of an object as edits of its text."""

from collections.abc import Collection, Iterator

from krm_fn.base.changes import Edit, ListPatch, Patch, SetFields, SetItems, SetText
from krm_fn.base.item import Item, about
from krm_fn.base.node import (
    Mapping,
    NewValue,
    Node,
    describe,
    fields,
    is_mapping,
    is_merge,
    is_null,
    is_scalar,
    is_sequence,
    step,
)
from krm_fn.base.problem import Problem, Rejected
from krm_fn.core.names.go_yaml import is_read_as


def plan_patch(item: Item, patch: Patch) -> Iterator[Edit]:
    """Plan the edits that make `item` say what `patch` says; none for what it already says."""
    return _plan(item, item.node, patch, "")


def _plan(item: Item, node: Mapping, patch: Patch, prefix: str) -> Iterator[Edit]:
    # What `<<` merges in counts as said already, but only a field of its own can be edited here: the other objects
    # that merge the same mapping would change as well.
    own = {key.value: (key, value) for key, value in node.value if is_scalar(key) and not is_merge(key)}
    everything = fields(node)
    add: list[tuple[str, NewValue]] = []
    drop: list[str] = []
    for name, wanted in patch.items():
        field = step(prefix, name)
        current = everything.get(name)
        if wanted is None or _is_emptied(current, wanted):
            drop += _droppable(item, own, name, current, field)
        elif current is None or (is_null(current) and name not in own):
            if not isinstance(wanted, ListPatch) or wanted.add:
                add.append((name, _without_removals(wanted)))
        elif isinstance(wanted, ListPatch):
            yield from _plan_list(item, node, name, wanted, field)
        elif isinstance(wanted, str | bool):
            key = own[name][0] if name in own else None
            yield from _plan_scalar(item, current, key, wanted, field)
        elif name in own and (is_null(current) or (is_mapping(current) and not current.value)):
            new = tuple((key, _without_removals(value)) for key, value in wanted.items() if value is not None)
            yield Edit(SetFields(current, new, key=own[name][0], parent=node), item, field)
        elif is_mapping(current):
            yield from _plan(item, current, wanted, field)
        else:
            raise Rejected(_unexpected(item, field, current, "a mapping"))
    if add or drop:
        yield Edit(SetFields(node, tuple(add), tuple(drop)), item, prefix)


def _droppable(item: Item, own: Collection[str], name: str, current: Node | None, field: str) -> list[str]:
    if current is not None and name not in own:
        message = "must be removed, but comes from a YAML merge key (`<<`); write the fields out instead"
        raise Rejected(problem_at(current, item, field, message))
    return [name] if name in own else []


def _is_emptied(current: Node | None, wanted: str | bool | Patch | ListPatch) -> bool:
    """Tell whether no element of a list stays: then its field is dropped as well."""
    if not isinstance(wanted, ListPatch) or not is_sequence(current) or wanted.add:
        return False
    return bool(wanted.drop) and len(wanted.drop) == len(current.value)


def _plan_list(item: Item, parent: Mapping, name: str, wanted: ListPatch, field: str) -> Iterator[Edit]:
    current = fields(parent)[name]
    key = next((key for key, value in parent.value if value is current), None)
    if is_sequence(current):
        for index, patch in wanted.change.items():
            element = current.value[index]
            if not is_mapping(element):
                raise Rejected(_unexpected(item, f"{field}[{index}]", element, "a mapping"))
            yield from _plan(item, element, patch, f"{field}[{index}]")
    elif not is_null(current):
        raise Rejected(_unexpected(item, field, current, "a list"))
    if wanted.add or wanted.drop:
        yield Edit(SetItems(current, wanted.add, wanted.drop, key, parent), item, field)


def _plan_scalar(item: Item, current: Node, key: Node | None, wanted: str | bool, field: str) -> Iterator[Edit]:
    if not is_scalar(current):
        raise Rejected(_unexpected(item, field, current, "text"))
    if not is_read_as(current, wanted):
        yield Edit(SetText(current, wanted, key if is_null(current) else None), item, field)


def _without_removals(wanted: str | bool | Patch | ListPatch) -> NewValue:
    if isinstance(wanted, str | bool):
        return wanted
    if isinstance(wanted, ListPatch):
        return wanted.add
    return {key: _without_removals(value) for key, value in wanted.items() if value is not None}


def _unexpected(item: Item, field: str, found: Node, expected: str) -> Problem:
    return problem_at(found, item, field, f"expected {expected}, found {describe(found)}")


def problem_at(node: Node, item: Item, field: str, message: str) -> Problem:
    """Return a problem with an object, with the place of a node in the text."""
    mark = node.start_mark
    return about(item, message, field)._replace(line=mark.line + 1, column=mark.column + 1)
