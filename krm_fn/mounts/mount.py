"""Mount revisions into pod templates, and remove what an earlier run mounted and no entry asks for any more."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from krm_fn.model import keys
from krm_fn.model.changes import Changes, ListPatch, Patch, patch_at
from krm_fn.model.item import Item
from krm_fn.model.node import NewValue, Node, elements, fields, is_mapping, is_null, is_scalar, is_sequence
from krm_fn.model.problem import Problem, ResourceId
from krm_fn.model.settings import Settings
from krm_fn.mounts.desired import DesiredElement, DesiredMounts, Element, desired_mounts, find_collisions
from krm_fn.mounts.mark import MountMark
from krm_fn.mounts.plan import plan_mounts
from krm_fn.mounts.present import PresentList, PresentMounts, read_present
from krm_fn.references.reference import ResolvedReference
from krm_fn.references.resolve import Index


class Mounts(NamedTuple):
    """The pod templates with mounts: what is configured for them, and what an earlier run mounted."""

    templates: tuple[PresentMounts, ...] = ()
    problems: tuple[Problem, ...] = ()

    @property
    def references(self) -> list[ResolvedReference]:
        """The references that these mounts add."""
        return [reference for present in self.templates for reference in present.plan.references()]

    @property
    def own_texts(self) -> set[Node]:
        """The scalars that an earlier run wrote, references among them."""
        return {text for present in self.templates for text in present.own_texts()}


def read_mounts(items: Collection[Item], index: Index, settings: Settings, config_id: ResourceId | None) -> Mounts:
    """Find out what is to be mounted where. `config_id` is the functionConfig."""
    mark = keys.MOUNTS + settings.set
    if not settings.mounts and not any(mark in item.annotations for item in items):
        return Mounts()
    plan = plan_mounts(items, index, settings, config_id)
    return Mounts(tuple(read_present(template, index) for template in plan.templates), plan.problems)


def update_mounts(mounts: Mounts, names: Mapping[Item, str], index: Index, set_name: str) -> Changes:
    """Change every pod template to what is configured. `names`: the new names of the objects that are renamed."""
    changes = Changes(problems=mounts.problems)
    if not mounts.templates:
        return changes
    return changes + patch_templates(mounts.templates, names, index, set_name)


_NAMES = ("name", "secretName")


def patch_templates(
    templates: Iterable[PresentMounts], names: Mapping[Item, str], index: Index, set_name: str
) -> Changes:
    """Change every pod template to what is configured, and mark its workload with what was done.

    `names`: the new names of the objects that are renamed.
    """
    problems: list[Problem] = []
    patches: list[tuple[Item, Patch]] = []
    by_workload: dict[Item, list[DesiredMounts]] = defaultdict(list)
    for present in templates:
        desired = desired_mounts(present, set_name, names)
        by_workload[desired.item].append(desired)
        patch = _patch_pod_spec(desired)
        if patch:
            patches.append((desired.item, patch_at(present.plan.pod.path, patch)))
        problems += find_collisions(desired, index, names)
    patches += [(item, _mark(several, item, set_name)) for item, several in by_workload.items()]
    return Changes(patches=tuple(patches), problems=tuple(problems))


def _patch_pod_spec(desired: DesiredMounts) -> Patch:
    """Return the patch of a pod spec; empty if it is as it should be."""
    lists: dict[str, dict[int, Patch]] = defaultdict(dict)
    for present, mounts, sources in desired.containers:
        patch = {**_patch_field("volumeMounts", present.mounts, mounts)}
        patch |= _patch_field("envFrom", present.sources, sources)
        if patch:
            lists[present.container.list_name][present.container.position] = patch
    containers = {name: ListPatch(change) for name, change in lists.items()}
    return {**containers, **_patch_field("volumes", desired.present.volumes, desired.volumes.values())}


def _patch_field(field: str, present: PresentList, desired: Iterable[DesiredElement]) -> dict[str, ListPatch]:
    patch = patch_list(present, [element for _, element in desired])
    return {field: patch} if patch else {}


def patch_list(present: PresentList, desired: Sequence[Element]) -> ListPatch | None:
    """Bring our elements of a list to what is desired, with as few changes as possible; None for no change.

    Our elements come in the desired order, behind the author's. One that differs only in the name of a revision stays
    and gets the name. One out of order is dropped and appended again, so that the result is that of a first run.
    """
    change: dict[int, Patch] = {}
    drop: list[int] = []
    kept = 0
    for position in sorted(present.own):
        element = elements(present.node)[position]
        if kept < len(desired) and _equals(element, desired[kept]):
            patch = _rename(element, desired[kept])
            change |= {position: patch} if patch else {}
            kept += 1
        else:
            drop.append(position)
    add = tuple(desired[kept:])
    return ListPatch(change, tuple(drop), add) if change or drop or add else None


def _equals(node: Node, desired: NewValue, *, at_name: bool = False) -> bool:
    """Tell whether a node has the desired value. At the name of an object, or of a mount's volume, any text will do."""
    if isinstance(desired, Mapping):
        present = fields(node)
        return (
            is_mapping(node)
            and present.keys() == desired.keys()
            and all(_equals(present[key], value, at_name=_is_name(key, desired)) for key, value in desired.items())
        )
    if isinstance(desired, str | bool | int):
        if not is_scalar(node) or is_null(node):
            return False
        return at_name or node.value == (str(desired).lower() if isinstance(desired, bool) else str(desired))
    if not is_sequence(node) or len(node.value) != len(desired):
        return False
    return all(map(_equals, node.value, desired))


def _rename(node: Node, desired: Element) -> Patch:
    """Return the patch of the names that differ, in an element that is as desired otherwise."""
    patch: dict[str, str | bool | Patch | ListPatch | None] = {}
    for key, present in fields(node).items():
        value = desired[key]
        if isinstance(value, Mapping):
            below = _rename(present, value)
            patch |= {key: below} if below else {}
        elif isinstance(value, str):
            patch |= {key: value} if present.value != value else {}
        elif not isinstance(value, bool | int):
            pairs = [(place, element) for place, element in enumerate(value) if isinstance(element, Mapping)]
            change = {place: _rename(elements(present)[place], element) for place, element in pairs}
            change = {place: below for place, below in change.items() if below}
            patch |= {key: ListPatch(change)} if change else {}
    return patch


def _is_name(key: str, mapping: Mapping[str, NewValue]) -> bool:
    """Tell whether a field names another object. The volume's own name is beside a mapping, which says what it is."""
    return key in _NAMES and not any(isinstance(value, Mapping) for value in mapping.values())


def _mark(templates: Iterable[DesiredMounts], item: Item, set_name: str) -> Patch:
    """Return the patch of the annotation that records our elements; it removes the annotation where there are none."""
    marks = [template.mark() for template in templates]
    mark = MountMark(
        tuple(one for mark in marks for one in mark.volumes),
        tuple(one for mark in marks for one in mark.mounts),
        tuple(one for mark in marks for one in mark.sources),
    )
    key = keys.MOUNTS + set_name
    if str(mark) == item.annotations.get(key, ""):
        return {}
    return {"metadata": {"annotations": {key: str(mark) or None}}}
