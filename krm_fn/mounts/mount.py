"""Mount revisions into pod templates, and take away what an earlier run has mounted and nobody asks for any more."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from krm_fn.model import keys
from krm_fn.model.changes import ListPatch, Patch, Value, patch_at
from krm_fn.model.item import Item
from krm_fn.model.node import Node, fields, is_mapping, is_null, is_scalar, is_sequence
from krm_fn.model.pods import elements
from krm_fn.model.problem import Problem
from krm_fn.mounts.collisions import find_collisions
from krm_fn.mounts.desired import Element, Filling, Placed, fill
from krm_fn.mounts.mark import MountMark
from krm_fn.mounts.present import Held, Mounted
from krm_fn.references.resolve import Index


class Mounting(NamedTuple):
    """Patches of workloads; each pod's spec that changes, with its object; and what is in the way."""

    patches: list[tuple[Item, Patch]]
    changed: list[tuple[Item, str]]
    problems: list[Problem]


def mount(templates: Iterable[Mounted], names: Mapping[int, str], index: Index, set_name: str) -> Mounting:
    """Every pod template as it should be, and on its workload the mark of what was done."""
    fillings = [fill(mounted, set_name, names) for mounted in templates]
    patches, changed = [], []
    marks: dict[int, list[Filling]] = defaultdict(list)
    for filling in fillings:
        item, pod = filling.mounted.site.item, filling.mounted.site.pod
        marks[id(item.node)].append(filling)
        patch = _patch(filling)
        if patch:
            patches.append((item, patch_at(pod.path, patch)))
            changed.append((item, pod.field))
    for same in marks.values():
        item = same[0].mounted.site.item
        patches.append((item, _mark(same, item, set_name)))
    problems = [problem for filling in fillings for problem in find_collisions(filling, index, names)]
    return Mounting(patches, changed, problems)


def _patch(filling: Filling) -> Patch:
    """The patch of a pod's spec; empty where all is as it should be."""
    lists: dict[str, dict[int, Patch]] = defaultdict(dict)
    for held, mounts, sources in filling.containers:
        patch = {**_refill("volumeMounts", held.mounts, mounts), **_refill("envFrom", held.sources, sources)}
        if patch:
            lists[held.container.list_name][held.container.position] = patch
    containers = {name: ListPatch(change) for name, change in lists.items()}
    return {**containers, **_refill("volumes", filling.mounted.volumes, filling.volumes.values())}


def _refill(field: str, held: Held, wanted: Iterable[Placed]) -> dict[str, ListPatch]:
    patch = refill(held, [element for _, element in wanted])
    return {field: patch} if patch else {}


def _mark(fillings: Iterable[Filling], item: Item, set_name: str) -> Patch:
    """The annotation, or its end."""
    marks = [filling.mark() for filling in fillings]
    told = MountMark(
        tuple(one for mark in marks for one in mark.volumes),
        tuple(one for mark in marks for one in mark.mounts),
        tuple(one for mark in marks for one in mark.sources),
    )
    key = keys.MOUNTS + set_name
    if str(told) == item.annotations.get(key, ""):
        return {}
    return {"metadata": {"annotations": {key: str(told) or None}}}


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
