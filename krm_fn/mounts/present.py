"""What an earlier run has mounted into a pod template, told from what the author wrote."""

from collections.abc import Callable, Collection, Iterator
from typing import NamedTuple

from krm_fn.model.item import Item
from krm_fn.model.node import Node, elements, get, is_null, text
from krm_fn.model.pods import Container
from krm_fn.mounts.plan import TemplatePlan
from krm_fn.naming.names import without_hash
from krm_fn.references.generated import known_names
from krm_fn.references.resolve import Index

_REFERENCES = {"configMapRef": "ConfigMap", "secretRef": "Secret"}


class PresentList(NamedTuple):
    """A list of a pod template, None where it is missing, and the positions of what an earlier run added."""

    node: Node | None
    field: str
    own: frozenset[int]

    def authored(self) -> Iterator[tuple[str, Node]]:
        """Return the author's elements, each with its path."""
        for position, element in enumerate(elements(self.node)):
            if position not in self.own:
                yield f"{self.field}[{position}]", element


class PresentContainer(NamedTuple):
    """A container and the two lists of it that mounts change."""

    container: Container
    field: str
    mounts: PresentList
    sources: PresentList


class PresentMounts(NamedTuple):
    """A pod template as mounting sees it."""

    plan: TemplatePlan
    volumes: PresentList
    containers: tuple[PresentContainer, ...]

    def own_texts(self) -> Iterator[Node]:
        """Return every scalar in what an earlier run added."""
        lists = [self.volumes]
        for one in self.containers:
            lists += [one.mounts, one.sources]
        for present in lists:
            for position in present.own:
                yield from _scalars(elements(present.node)[position])


def read_present(plan: TemplatePlan, index: Index) -> PresentMounts:
    """Read the lists of a pod template. What the mark does not hold is the author's, whatever its name."""
    volumes = get(plan.pod.node, "volumes")
    marked = frozenset(plan.mark.volumes)
    own = _positions(volumes, lambda node: text(get(node, "name")) in marked)
    containers = tuple(_read_container(plan, container, index) for container in plan.pod.containers)
    return PresentMounts(plan, PresentList(volumes, f"{plan.pod.field}.volumes", own), containers)


def _read_container(plan: TemplatePlan, container: Container, index: Index) -> PresentContainer:
    field = f"{plan.pod.field}.{container.list_name}[{container.position}]"
    mounts, sources = get(container.node, "volumeMounts"), get(container.node, "envFrom")
    marked = frozenset(plan.mark.volumes), frozenset(plan.mark.mounts)
    own_mounts = _positions(mounts, lambda node: _is_own_mount(node, container, *marked))
    own_sources = _own_sources(sources, container, plan, index)
    return PresentContainer(
        container,
        field,
        PresentList(mounts, f"{field}.volumeMounts", own_mounts),
        PresentList(sources, f"{field}.envFrom", own_sources),
    )


class EnvFrom(NamedTuple):
    """What an element of `envFrom` says."""

    kind: str
    name: str
    prefix: str


def read_env_from(node: Node) -> EnvFrom | None:
    """Read an element of `envFrom`; None if it names nothing."""
    for field, kind in _REFERENCES.items():
        name = get(node, field, "name")
        if not is_null(name):
            return EnvFrom(kind, text(name), text(get(node, "prefix")))
    return None


def _positions(node: Node | None, is_own: Callable[[Node], bool]) -> frozenset[int]:
    return frozenset(position for position, element in enumerate(elements(node)) if is_own(element))


def _is_own_mount(
    node: Node, container: Container, volumes: Collection[str], mounts: Collection[tuple[str, str]]
) -> bool:
    place = (container.name, text(get(node, "mountPath")))
    return text(get(node, "name")) in volumes and place in mounts


def _own_sources(node: Node | None, container: Container, plan: TemplatePlan, index: Index) -> frozenset[int]:
    """Find one element for each marked source: the last that matches, because a run appends."""
    marked = [one for one in plan.mark.sources if one.container == container.name]
    last: dict[tuple[str, str, str], int] = {}
    for position, element in enumerate(elements(node) if marked else ()):
        found = read_env_from(element)
        if found is not None:
            for name in _marked_names(found, plan.item, index):
                last[found.kind, name, found.prefix] = position
    places = (last.get((one.kind, one.name, one.prefix)) for one in marked)
    return frozenset(place for place in places if place is not None)


def _marked_names(found: EnvFrom, item: Item, index: Index) -> Iterator[str]:
    """Yield the names by which a mark may mean this element: the element follows the name of a revision."""
    yield from (found.name, without_hash(found.name))
    for target in index.find(item, found.kind, found.name):
        yield from (name for kind, name in known_names(target) if kind == found.kind)


def _scalars(node: Node) -> Iterator[Node]:
    stack = [node]
    while stack:
        one = stack.pop()
        if one.id == "scalar":
            yield one
        elif one.id == "sequence":
            stack += one.value
        else:
            stack += [value for _, value in one.value]
