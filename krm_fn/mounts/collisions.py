"""Find what collides with a mount. Nothing that the author wrote is ever overwritten."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import TypeAlias

from krm_fn.model.item import Item, about, locate
from krm_fn.model.node import elements, fields, get, text
from krm_fn.model.problem import Problem
from krm_fn.mounts.desired import DesiredContainer, DesiredMounts
from krm_fn.mounts.present import read_env_from
from krm_fn.references.made import name_meant
from krm_fn.references.resolve import Index

Sentence: TypeAlias = tuple[str, str]
"""A field, and what is wrong with it."""

_LISTED = 3
"""How many variables a message names."""


def find_collisions(desired: DesiredMounts, index: Index, names: Mapping[Item, str]) -> list[Problem]:
    """Report what collides, with both sides. `names`: the new names of the objects that are renamed."""
    sentences = [*_ambiguous_sources(desired, names), *_volume_names(desired)]
    removed = set(desired.present.plan.mark.volumes) - desired.volumes.keys()
    for container in desired.containers:
        sentences += [*_mount_paths(container), *_lost_volumes(container, removed)]
        sentences += [*_variables(container, desired.item, index), *_equal_sources(container)]
    return [about(desired.item, message, field) for field, message in sentences]


def _ambiguous_sources(desired: DesiredMounts, names: Mapping[Item, str]) -> Iterator[Sentence]:
    plan = desired.present.plan
    for planned in plan.mounts:
        for source, targets in zip(planned.mount.sources, planned.targets, strict=True):
            if len({name_meant(source.kind, source.name, item, names) for item in targets}) > 1:
                found = " and ".join(map(locate, targets))
                message = f"{planned.entry} mounts {source}, which matches {found}; give them different names"
                yield plan.pod.field, message


def _volume_names(desired: DesiredMounts) -> Iterator[Sentence]:
    for field, node in desired.present.volumes.authored():
        name = text(get(node, "name"))
        if name in desired.volumes:
            planned = desired.volumes[name].planned
            message = f"{planned.entry} ({planned.mount}) needs a volume named {name!r}; rename this one"
            yield f"{field}.name", message


def _lost_volumes(container: DesiredContainer, removed: Collection[str]) -> Iterator[Sentence]:
    """Report the author's mounts of a volume that an earlier run added and this one removes."""
    for field, node in container.present.mounts.authored():
        name = text(get(node, "name"))
        if name in removed:
            message = f"the entry of spec.mounts that added volume {name!r} is gone; add a volume of your own"
            yield f"{field}.name", message


def _mount_paths(container: DesiredContainer) -> Iterator[Sentence]:
    authored = [(field, text(get(node, "mountPath"))) for field, node in container.present.mounts.authored()]
    taken = {_normal(path): (field, path) for field, path in authored if path}
    configured: dict[str, str] = {}
    for planned, _ in container.mounts:
        path = _normal(planned.mount.path)
        if path in taken:
            field, found = taken[path]
            message = f"{planned.entry} mounts {planned.mount} at {found!r} too; give one of them another path"
            yield f"{field}.mountPath", message
        if path in configured:
            message = f"{configured[path]} and {planned.entry} both mount at {path!r}; give one of them another path"
            yield container.present.field, message
        configured[path] = planned.entry


def _normal(path: str) -> str:
    return "/" + "/".join(part for part in path.split("/") if part not in ("", "."))


def _variables(container: DesiredContainer, item: Item, index: Index) -> Iterator[Sentence]:
    taken = dict(_authored_variables(container, item, index))
    configured: dict[str, str] = {}
    for planned, _ in container.sources:
        (targets,) = planned.targets
        variables = [planned.mount.prefix + key for key in _keys(targets)]
        for field, same in _group(variables, taken):
            message = f"{planned.entry} ({planned.mount}) sets {same} too; give one of them another prefix"
            yield field, message
        for entry, same in _group(variables, configured):
            message = f"{entry} and {planned.entry} both set {same}; give one of them another prefix"
            yield container.present.field, message
        configured |= dict.fromkeys(variables, planned.entry)


def _authored_variables(container: DesiredContainer, item: Item, index: Index) -> Iterator[tuple[str, str]]:
    """Return each variable that the author sets, as far as the package tells, and its field."""
    for field, node in container.present.sources.authored():
        found = read_env_from(node)
        if found:
            targets = index.find(item, found.kind, found.name)
            yield from ((found.prefix + key, field) for key in _keys(targets))
    for position, node in enumerate(elements(get(container.present.container.node, "env"))):
        yield text(get(node, "name")), f"{container.present.field}.env[{position}]"


def _keys(targets: Iterable[Item]) -> list[str]:
    data = [get(item.node, name) for item in targets for name in ("data", "stringData")]
    return list(dict.fromkeys(key for node in data for key in fields(node)))


def _group(variables: Iterable[str], taken: Mapping[str, str]) -> list[tuple[str, str]]:
    """Return who sets some of these already, and which."""
    by_owner: dict[str, list[str]] = defaultdict(list)
    for variable in sorted(variables):
        if variable in taken:
            by_owner[taken[variable]].append(variable)
    return [(owner, _list(found)) for owner, found in by_owner.items()]


def _list(names: list[str]) -> str:
    more = f" and {len(names) - _LISTED} more" if len(names) > _LISTED else ""
    return ", ".join(names[:_LISTED]) + more


def _equal_sources(container: DesiredContainer) -> Iterator[Sentence]:
    """Report equal sources without variables. No other message shows them, and no later run tells them apart."""
    first: dict[tuple[str, str, str], str] = {}
    for planned, _ in container.sources:
        (source,), (targets,) = planned.mount.sources, planned.targets
        name = name_meant(source.kind, source.name, targets[0], {}) if targets else source.name
        before = first.setdefault((source.kind, name, planned.mount.prefix), planned.entry)
        if before != planned.entry and not _keys(targets):
            yield container.present.field, f"{before} and {planned.entry} both read {source}; remove one of them"
