"""Bring our part of a list to what is wanted, with as little change as it takes."""

from collections.abc import Mapping, Sequence

from krm_fn.model.edit import ListPatch, Patch, Value
from krm_fn.model.node import Node, fields, is_mapping, is_null, is_scalar, is_sequence
from krm_fn.model.pod_spec import elements
from krm_fn.stages.mount_elements import Element
from krm_fn.stages.read_mounted import Held

_NAMES = ("name", "secretName")


def refill(held: Held, wanted: Sequence[Element]) -> ListPatch | None:
    """Our elements in the order in which they are wanted, behind the author's; None where all is as it should be.

    An element that says what is wanted, but for the name of a revision, stays where it is and its name follows. What
    is out of order goes and comes back at the end, so that the outcome is that of a first run.
    """
    change: dict[int, Patch] = {}
    drop: list[int] = []
    kept = 0
    for position in sorted(held.ours):
        element = elements(held.node)[position]
        if kept < len(wanted) and _says(element, wanted[kept]):
            patch = _renamed(element, wanted[kept])
            change |= {position: patch} if patch else {}
            kept += 1
        else:
            drop.append(position)
    add = tuple(wanted[kept:])
    return ListPatch(change, tuple(drop), add) if change or drop or add else None


def _says(node: Node, wanted: Value, *, at_name: bool = False) -> bool:
    """Whether a node says what is wanted; any text does where an object, or the volume of a mount, is named."""
    if isinstance(wanted, Mapping):
        held = fields(node)
        return (
            is_mapping(node)
            and held.keys() == wanted.keys()
            and all(_says(held[key], value, at_name=_is_name(key, wanted)) for key, value in wanted.items())
        )
    if isinstance(wanted, str | bool | int):
        if not is_scalar(node) or is_null(node):
            return False
        return at_name or node.value == (str(wanted).lower() if isinstance(wanted, bool) else str(wanted))
    if not is_sequence(node) or len(node.value) != len(wanted):
        return False
    return all(map(_says, node.value, wanted))


def _renamed(node: Node, wanted: Element) -> Patch:
    """The names that differ, in an element that says what is wanted otherwise."""
    patch: dict[str, str | bool | Patch | ListPatch | None] = {}
    for key, held in fields(node).items():
        value = wanted[key]
        if isinstance(value, Mapping):
            below = _renamed(held, value)
            patch |= {key: below} if below else {}
        elif isinstance(value, str):
            patch |= {key: value} if held.value != value else {}
        elif not isinstance(value, bool | int):
            pairs = [(place, element) for place, element in enumerate(value) if isinstance(element, Mapping)]
            change = {place: _renamed(elements(held)[place], element) for place, element in pairs}
            change = {place: below for place, below in change.items() if below}
            patch |= {key: ListPatch(change)} if change else {}
    return patch


def _is_name(key: str, mapping: Mapping[str, Value]) -> bool:
    """Whether a field names something else; the volume's own name stands beside what the volume is."""
    return key in _NAMES and not any(isinstance(value, Mapping) for value in mapping.values())
