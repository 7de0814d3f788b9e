"""Find the pod templates that get entries of `spec.mounts`, and those that an earlier run changed."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from operator import attrgetter
from typing import TypeAlias

from krm_fn.base import keys
from krm_fn.base.item import Item, about, collect
from krm_fn.base.kind import kind_of, may_refer
from krm_fn.base.named_tuple import NamedTuple
from krm_fn.base.node import Node, is_scalar
from krm_fn.base.pods import Container, PodSpec, find_pod_specs
from krm_fn.base.problem import Problem, Problems, ResourceId, Severity
from krm_fn.base.reference import By, Reference, ResolvedReference, Rule
from krm_fn.base.settings import Entries, Mount, MountSource, Settings, is_pattern, matcher
from krm_fn.base.suggest import did_you_mean, find_meant, find_near, find_near_word
from krm_fn.core.decide.run import MountedSource
from krm_fn.core.names.names import KnownNames
from krm_fn.core.references.generated import read_name
from krm_fn.core.references.resolve import Index
from krm_fn.extras.mounts.present import (
    MountMark,
    PresentContainer,
    PresentList,
    read_container,
    read_mount_mark,
    read_volumes,
)

_ByName: TypeAlias = Mapping[str, Mapping[str, list[Container]]]
"""The containers of a pod, by list and name."""


class PlannedMount(NamedTuple):
    """An entry of `spec.mounts` in one pod template.

    `targets`: the objects that each of its sources matches.
    """

    entry: str
    mount: Mount
    containers: tuple[Container, ...]
    targets: tuple[tuple[Item, ...], ...]


class TemplateMounts(NamedTuple):
    """A pod template with mounts: what is configured for it, and what is there.

    `mark` is what an earlier run wrote down about its own.
    """

    item: Item
    pod: PodSpec
    mark: MountMark
    planned: tuple[PlannedMount, ...]
    volumes: PresentList
    containers: tuple[PresentContainer, ...]

    def references(self) -> Iterator[ResolvedReference]:
        """Return each source that the package holds as a reference.

        The referrer has no text for it yet.
        """
        for one in self.sources():
            kind = one.source.kind
            name = read_name(kind, one.source.name, one.targets[0]) if one.targets else None
            if is_scalar(name):
                rule = Rule(By.MOUNTS, one.entry)
                reference = Reference(
                    kind, name, None, one.field, in_pod=True, is_output=False, rule=rule
                )
                yield ResolvedReference(self.item, reference, one.targets)

    def sources(self) -> Iterator[MountedSource]:
        """Return each source of each entry."""
        field = f"{self.pod.field}.volumes"
        for planned in self.planned:
            for source, targets in zip(planned.mount.sources, planned.targets, strict=True):
                yield MountedSource(self.item, field, planned.entry, source, targets)


class Mounts(NamedTuple):
    """All pod templates with mounts, now or before, and the entries that cannot be mounted."""

    templates: tuple[TemplateMounts, ...] = ()
    problems: tuple[Problem, ...] = ()

    @property
    def references(self) -> list[ResolvedReference]:
        return [*chain.from_iterable(one.references() for one in self.templates)]

    @property
    def sources(self) -> tuple[MountedSource, ...]:
        """The sources that are configured for each pod template."""
        return tuple(chain.from_iterable(one.sources() for one in self.templates))

    @property
    def own_texts(self) -> set[Node]:
        """The scalars that an earlier run wrote, references among them."""
        texts: set[Node] = set()
        for template in self.templates:
            texts.update(template.volumes.own_texts())
            for container in template.containers:
                texts.update(container.mounts.own_texts())
                texts.update(container.sources.own_texts())
        return texts


def read_mounts(
    items: Collection[Item], index: Index, settings: Settings, config_id: ResourceId | None
) -> Mounts:
    """Match workloads against `spec.mounts`.

    `config_id` is the functionConfig, for problems about its entries.
    """
    key = keys.MOUNTS + settings.set
    templates: list[TemplateMounts] = []
    problems: list[Problem] = []
    entries = Entries(settings.mounts)
    used: set[int] = set()
    # A ConfigMap or a tool's own object may have the name of a workload.
    authored = [item for item in items if not item.is_local and may_refer(item.id)]
    for item in authored:
        possible = entries.that_may_match(index.names.all(item)) if entries else []
        matching = [one for one in possible if _matches(item, one.entry, index.names)]
        mounts = [(_spell(position), mount) for position, mount in matching]
        mark = item.annotations.get(key, "")
        if mounts or mark:  # with a mark alone, there is something to remove
            pods = find_pod_specs(item)
            # An entry is used where it matches a workload, even if none of its containers is there.
            used |= {position for position, _ in matching}
            problems += _without_place(item, pods, mounts)
            templates += [
                _read_template(item, pod, mounts, read_mount_mark(mark), index) for pod in pods
            ]
    problems += _missing_sources(templates, index)
    unused = [
        (position, mount) for position, mount in enumerate(settings.mounts) if position not in used
    ]
    for position, hint in _hints(unused, authored, index.names):
        message = f"matches no workload of the package{hint}"
        problems.append(Problem(message, config_id, _spell(position), Severity.WARNING))
    return Mounts(tuple(templates), tuple(problems))


def _spell(position: int) -> str:
    return f"spec.mounts[{position}]"


def _matches(item: Item, mount: Mount, names: KnownNames) -> bool:
    return (
        (_runs_pods(item) if mount.kind is None else item.id.kind == mount.kind)
        and mount.namespace in (None, item.id.namespace)
        and (mount.name == "*" or any(map(matcher(mount.name), names.all(item))))
        and (not mount.labels or mount.labels.items() <= item.labels.items())
    )


def _runs_pods(item: Item) -> bool:
    kind = kind_of(item)
    return kind is not None and bool(kind.pod_spec)


def _read_template(
    item: Item, pod: PodSpec, mounts: Iterable[tuple[str, Mount]], mark: MountMark, index: Index
) -> TemplateMounts:
    by_name: _ByName = {"initContainers": defaultdict(list), "containers": defaultdict(list)}
    for container in pod.containers:
        by_name[container.list_name][container.name].append(container)
    planned = (_plan(item, by_name, entry, mount, index) for entry, mount in mounts)
    in_container = tuple(one for one in planned if one.containers)
    present = tuple(
        read_container(item, pod, container, mark, index) for container in pod.containers
    )
    return TemplateMounts(item, pod, mark, in_container, read_volumes(pod, mark), present)


def _plan(item: Item, by_name: _ByName, entry: str, mount: Mount, index: Index) -> PlannedMount:
    containers = (
        *_find(by_name["initContainers"], mount.init_containers),
        *_find(by_name["containers"], mount.containers),
    )
    targets = tuple(index.find(item, source.kind, source.name) for source in mount.sources)
    return PlannedMount(entry, mount, containers, targets)


def _find(by_name: Mapping[str, list[Container]], patterns: Iterable[str]) -> list[Container]:
    """Return the containers of a list that one of these patterns matches, in their order."""
    names: set[str] = set()
    for pattern in patterns:
        if is_pattern(pattern):
            names.update(filter(matcher(pattern), by_name))
        else:
            names.add(pattern)
    found: list[Container] = []
    for name in names:
        found += by_name.get(name, ())
    return sorted(found, key=attrgetter("position"))


def _without_place(
    item: Item, pods: list[PodSpec], mounts: Iterable[tuple[str, Mount]]
) -> Problems:
    """Report entries that name this kind or a container exactly, where there is no such pod or container."""
    names: dict[str, list[str]] = {"containers": [], "initContainers": []}
    for container in chain.from_iterable(pod.containers for pod in pods):
        names[container.list_name].append(container.name)
    known = {list_name: frozenset(several) for list_name, several in names.items()}
    for entry, mount in mounts:
        if not pods:
            if mount.kind is not None:
                yield about(item, f"{entry} cannot mount {mount} here: there is no pod template")
            continue
        named = {"containers": mount.containers, "initContainers": mount.init_containers}
        for list_name, patterns in named.items():
            for pattern in patterns:
                if not is_pattern(pattern) and pattern not in known[list_name]:
                    found = ", ".join(filter(None, names[list_name])) or "none"
                    message = f"{entry} mounts {mount} into container {pattern!r}; found: {found}"
                    yield about(item, message, f"{pods[0].field}.{list_name}")


def _missing_sources(templates: Iterable[TemplateMounts], index: Index) -> Problems:
    missing: list[tuple[TemplateMounts, str, MountSource]] = []
    for template in templates:
        for entry, mount, _, targets in template.planned:
            for source, found in zip(mount.sources, targets, strict=True):
                if not found and not source.optional:
                    missing.append((template, entry, source))
    near = _find_near({(source.kind, source.name) for _, _, source in missing}, index)
    for template, entry, source in missing:
        item = template.item
        where = f"namespace {item.id.namespace}" if item.id.namespace else "the package"
        question = did_you_mean(near[source.kind].get(source.name, ""))
        action = f"{question} " if question else "; "
        message = f"{entry} mounts {source}, which is not in {where}{action}add it, or set `optional: true`"
        yield about(item, message, template.pod.field)


def _find_near(missing: Iterable[tuple[str, str]], index: Index) -> dict[str, dict[str, str]]:
    """Return, by kind, the name of the package that is near each missing one."""
    wrong = collect((kind, name) for kind, name in missing)
    if not wrong:
        return {}
    known: dict[str, set[str]] = defaultdict(set)
    for config, name in index.named:
        known[config.id.kind].add(name)
    return {kind: find_near(names, known[kind]) for kind, names in wrong.items()}


def _hints(
    unused: list[tuple[int, Mount]], items: Iterable[Item], names: KnownNames
) -> Iterator[tuple[int, str]]:
    """Suggest the name or the kind that was meant by each entry that matches nothing."""
    if not unused:
        return
    meant = _find_meant([mount for _, mount in unused], items, names)
    entries = Entries(mount for _, mount in unused)
    kinds: dict[int, set[str]] = defaultdict(set)
    for item in items:
        for index, mount in entries.that_may_match(names.all(item)):
            if mount.kind and _matches(item, mount._replace(kind=item.id.kind), names):
                kinds[index].add(item.id.kind)
    for index, (position, mount) in enumerate(unused):
        near = (
            f'"{meant[index]}"'
            if meant.get(index)
            else find_near_word(mount.kind or "", kinds[index])
        )
        yield position, did_you_mean(near)


def _find_meant(
    unused: Sequence[Mount], items: Iterable[Item], names: KnownNames
) -> dict[int, str]:
    """Return the name that was meant by each entry, among those of the objects that meet its other conditions."""
    places = collect(
        ((mount.kind, mount.namespace, *sorted(mount.labels.items())), index)
        for index, mount in enumerate(unused)
        if mount.name != "*" and not is_pattern(mount.name)
    )
    if not places:
        return {}
    alike = [unused[same[0]]._replace(name="*") for same in places.values()]
    known: dict[int, set[str]] = defaultdict(set)
    for item in items:
        for group, mount in enumerate(alike):
            if _matches(item, mount, names):
                known[group].add(item.id.name)
    found: dict[int, str] = {}
    for group, same in enumerate(places.values()):
        near = find_meant({unused[index].name for index in same}, known[group])
        found |= {index: near.get(unused[index].name, "") for index in same}
    return found
