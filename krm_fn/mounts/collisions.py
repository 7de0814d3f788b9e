"""Find what is in the way of a mount: nothing that is there is ever overwritten."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import TypeAlias

from krm_fn.model.item import Item, about
from krm_fn.model.node import fields, get, text
from krm_fn.model.pods import elements
from krm_fn.model.problem import Problem
from krm_fn.mounts.desired import ContainerFilling, Filling
from krm_fn.mounts.present import read_source
from krm_fn.references.resolve import Index, find_targets

Sentence: TypeAlias = tuple[str, str]
"""The field it is about, and what there is to say."""

_MANY = 3
"""So many names are worth naming."""


def find_collisions(filling: Filling, index: Index, names: Mapping[int, str]) -> list[Problem]:
    """Sentences that name both sides. `names`: what objects are called from now on, by `id(item.node)`."""
    sentences = [*_ambiguous(filling, names), *_volumes(filling)]
    for container in filling.containers:
        sentences += [*_paths(container), *_lost_volumes(container, filling)]
        sentences += [*_variables(container, filling.mounted.site.item, index), *_twice(container)]
    return [about(filling.mounted.site.item, message, field) for field, message in sentences]


def _ambiguous(filling: Filling, names: Mapping[int, str]) -> Iterator[Sentence]:
    for wanted in filling.mounted.site.wanted:
        for source, targets in zip(wanted.mount.sources, wanted.targets, strict=True):
            if len({names.get(id(item.node), item.id.name) for item in targets}) > 1:
                found = " and ".join(map(_locate, targets))
                message = f"{wanted.entry} mounts {source}, which may mean {found}; give them different names"
                yield filling.mounted.site.pod.field, message


def _locate(item: Item) -> str:
    return f"{item.id} in {item.file}" if item.file else f"{item.id} on line {item.node.start_mark.line + 1}"


def _volumes(filling: Filling) -> Iterator[Sentence]:
    for field, node in filling.mounted.volumes.others():
        name = text(get(node, "name"))
        if name in filling.volumes:
            wanted = filling.volumes[name].wanted
            message = f"{name!r} is what the volume of {wanted.entry} ({wanted.mount}) is called; rename this one"
            yield f"{field}.name", message


def _lost_volumes(container: ContainerFilling, filling: Filling) -> Iterator[Sentence]:
    """Mounts by the author of a volume that is ours and goes."""
    gone = set(filling.mounted.site.mark.volumes) - filling.volumes.keys()
    for field, node in container.held.mounts.others():
        name = text(get(node, "name"))
        if name in gone:
            message = f"{name!r} was mounted by an entry that is no longer there; give this mount a volume of its own"
            yield f"{field}.name", message


def _paths(container: ContainerFilling) -> Iterator[Sentence]:
    others = [(field, text(get(node, "mountPath"))) for field, node in container.held.mounts.others()]
    taken = {_normal(path): (field, path) for field, path in others if path}
    ours: dict[str, str] = {}
    for wanted, _ in container.mounts:
        path = _normal(wanted.mount.path)
        if path in taken:
            field, found = taken[path]
            message = f"{found!r} is where {wanted.entry} mounts {wanted.mount}; give one of them another path"
            yield f"{field}.mountPath", message
        if path in ours:
            message = f"{ours[path]} and {wanted.entry} both mount at {path!r}; give one of them another path"
            yield container.held.field, message
        ours[path] = wanted.entry


def _normal(path: str) -> str:
    return "/" + "/".join(part for part in path.split("/") if part not in ("", "."))


def _variables(container: ContainerFilling, item: Item, index: Index) -> Iterator[Sentence]:
    taken = dict(_variables_of_others(container, item, index))
    ours: dict[str, str] = {}
    for wanted, _ in container.sources:
        (targets,) = wanted.targets
        mine = [wanted.mount.prefix + key for key in _keys(targets)]
        for field, same in _group(mine, taken):
            message = f"sets {same}, and so does {wanted.entry} ({wanted.mount}); give one of them another prefix"
            yield field, message
        for entry, same in _group(mine, ours):
            message = f"{entry} and {wanted.entry} both set {same}; give one of them another prefix"
            yield container.held.field, message
        ours |= dict.fromkeys(mine, wanted.entry)


def _variables_of_others(container: ContainerFilling, item: Item, index: Index) -> Iterator[tuple[str, str]]:
    """Each variable the author sets, as far as the package tells, and where."""
    for field, node in container.held.sources.others():
        found = read_source(node)
        if found:
            meant, prefix = found
            yield from ((prefix + key, field) for key in _keys(find_targets(item, meant, index)))
    for position, node in enumerate(elements(get(container.held.container.node, "env"))):
        yield text(get(node, "name")), f"{container.held.field}.env[{position}]"


def _keys(targets: Iterable[Item]) -> list[str]:
    held = [get(item.node, name) for item in targets for name in ("data", "stringData")]
    return list(dict.fromkeys(key for node in held for key in fields(node)))


def _group(variables: Iterable[str], taken: Mapping[str, str]) -> list[tuple[str, str]]:
    """Who has taken some of these, and which."""
    by_owner: dict[str, list[str]] = defaultdict(list)
    for variable in sorted(variables):
        if variable in taken:
            by_owner[taken[variable]].append(variable)
    return [(owner, _list(found)) for owner, found in by_owner.items()]


def _list(names: list[str]) -> str:
    more = f" and {len(names) - _MANY} more" if len(names) > _MANY else ""
    return ", ".join(names[:_MANY]) + more


def _twice(container: ContainerFilling) -> Iterator[Sentence]:
    """Sources without a variable that could clash, and yet the same: no later run could tell them apart."""
    first: dict[tuple[str, str, str], str] = {}
    for wanted, _ in container.sources:
        (source,), (targets,) = wanted.mount.sources, wanted.targets
        name = targets[0].id.name if targets else source.name
        before = first.setdefault((source.kind, name, wanted.mount.prefix), wanted.entry)
        if before != wanted.entry and not _keys(targets):
            yield container.held.field, f"{before} and {wanted.entry} both read {source}; remove one of them"
