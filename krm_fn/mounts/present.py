"""Tell what an earlier run has mounted from what the author wrote."""

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from krm_fn.model.item import Item
from krm_fn.model.node import Node, get, is_null, text
from krm_fn.model.pods import Container, elements
from krm_fn.mounts.mark import EnvSource, MountMark
from krm_fn.mounts.plan import Site
from krm_fn.naming.names import HASH, names_of
from krm_fn.references.resolve import Index, Meant, find_targets

_REFERENCES = {"configMapRef": "ConfigMap", "secretRef": "Secret"}


class Held(NamedTuple):
    """A list of a pod template, if it is there, and the places of those elements that an earlier run put into it."""

    node: Node | None
    field: str
    ours: frozenset[int]

    def others(self) -> Iterator[tuple[str, Node]]:
        """What the author wrote, each with its path."""
        for position, element in enumerate(elements(self.node)):
            if position not in self.ours:
                yield f"{self.field}[{position}]", element


class MountedContainer(NamedTuple):
    """A container and two of its lists."""

    container: Container
    field: str
    mounts: Held
    sources: Held


class Mounted(NamedTuple):
    """A pod template as mounting looks at it."""

    site: Site
    volumes: Held
    containers: tuple[MountedContainer, ...]

    def our_scalars(self) -> Iterator[int]:
        """`id` of every text in what an earlier run put there."""
        lists = [self.volumes, *(held for each in self.containers for held in (each.mounts, each.sources))]
        for held in lists:
            for position in held.ours:
                yield from _scalars(elements(held.node)[position])


def read_mounted(site: Site, index: Index) -> Mounted:
    """The lists of a pod template. What carries no mark is the author's, whatever it is called."""
    volumes = get(site.pod.node, "volumes")
    ours = _places(volumes, lambda node: text(get(node, "name")) in site.mark.volumes)
    containers = tuple(_read_container(site, container, index) for container in site.pod.containers)
    return Mounted(site, Held(volumes, f"{site.pod.field}.volumes", ours), containers)


def _read_container(site: Site, container: Container, index: Index) -> MountedContainer:
    field = f"{site.pod.field}.{container.list_name}[{container.position}]"
    mounts, sources = get(container.node, "volumeMounts"), get(container.node, "envFrom")
    our_mounts = _places(mounts, lambda node: _is_our_mount(node, container, site.mark))
    our_sources = _our_sources(sources, container, site, index)
    return MountedContainer(
        container,
        field,
        Held(mounts, f"{field}.volumeMounts", our_mounts),
        Held(sources, f"{field}.envFrom", our_sources),
    )


def read_source(node: Node) -> tuple[Meant, str] | None:
    """What an element of `envFrom` names, and its prefix."""
    for field, kind in _REFERENCES.items():
        name = get(node, field, "name")
        if not is_null(name):
            return Meant(kind, text(name)), text(get(node, "prefix"))
    return None


def _places(node: Node | None, is_ours: Callable[[Node], bool]) -> frozenset[int]:
    return frozenset(position for position, element in enumerate(elements(node)) if is_ours(element))


def _is_our_mount(node: Node, container: Container, mark: MountMark) -> bool:
    place = (container.name, text(get(node, "mountPath")))
    return text(get(node, "name")) in mark.volumes and place in mark.mounts


def _our_sources(node: Node | None, container: Container, site: Site, index: Index) -> frozenset[int]:
    """One element for each mark: the last that fits, as ours are added at the end."""
    ours = set()
    for marked in site.mark.sources:
        if marked.container == container.name:
            fits = [place for place, one in enumerate(elements(node)) if _fits(one, marked, site.item, index)]
            ours |= set(fits[-1:])
    return frozenset(ours)


def _fits(node: Node, marked: EnvSource, item: Item, index: Index) -> bool:
    """Whether this is the source that was marked, under whatever name it goes now."""
    found = read_source(node)
    if found is None or (found[0].kind, found[1]) != (marked.kind, marked.prefix):
        return False
    if re.fullmatch(f"{re.escape(marked.name)}(-{HASH})?", found[0].target):
        return True
    return any(marked.name in names_of(target) for target in find_targets(item, found[0], index))


def _scalars(node: Node) -> Iterator[int]:
    stack = [node]
    while stack:
        one = stack.pop()
        if one.id == "scalar":
            yield id(one)
        elif one.id == "sequence":
            stack += one.value
        else:
            stack += [value for _, value in one.value]
