"""Mount revisions into pod templates, and take away what an earlier run has mounted and nobody asks for any more."""

from collections import defaultdict
from collections.abc import Iterable
from typing import NamedTuple

from krm_fn.model import keys
from krm_fn.model.edit import ListPatch, Patch
from krm_fn.model.item import Item
from krm_fn.model.mount_mark import MountMark
from krm_fn.model.patch_at import patch_at
from krm_fn.model.problem import Problem
from krm_fn.stages.fill import Filling, Placed, fill
from krm_fn.stages.mount_collisions import find_collisions
from krm_fn.stages.name import Revision
from krm_fn.stages.read_mounted import Held, Mounted
from krm_fn.stages.refill import refill
from krm_fn.stages.resolve import Index


class Mounting(NamedTuple):
    """Patches of workloads; each pod's spec that changes, with its object; and what is in the way."""

    patches: list[tuple[Item, Patch]]
    changed: list[tuple[Item, str]]
    problems: list[Problem]


def mount(templates: Iterable[Mounted], revisions: Iterable[Revision], index: Index, set_name: str) -> Mounting:
    """Every pod template as it should be, and on its workload the mark of what was done."""
    names = {id(revision.item.node): revision.name for revision in revisions}
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
