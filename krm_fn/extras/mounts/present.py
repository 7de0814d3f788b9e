"""Tell what an earlier run has mounted into a pod template from what the author wrote.

An annotation on the workload records it, in words separated by blanks: `volume`, `container=/path`,
`container=ConfigMap/name=prefix`. Each part is percent-encoded as in a URL, so that a blank or `=`
in it does not separate. All other mounts are the author's, whatever their names.
"""

import re
from collections.abc import Callable, Collection, Iterator

from krm_fn.base.item import Item
from krm_fn.base.named_tuple import NamedTuple
from krm_fn.base.node import Node, elements, get, is_null, is_scalar, is_sequence, text
from krm_fn.base.pods import Container, PodSpec
from krm_fn.core.names.names import without_hash
from krm_fn.core.references.generated import known_names
from krm_fn.core.references.resolve import Index

_REFERENCES = {"configMapRef": "ConfigMap", "secretRef": "Secret"}

# Not urllib: importing it takes longer than all of mounting.
_UNSAFE = r"[^A-Za-z0-9_.~-]"
_ENCODED = "(?:%[0-9A-F]{2})+"


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

    def own_texts(self) -> Iterator[Node]:
        """Return every scalar in what an earlier run added."""
        stack = [elements(self.node)[position] for position in self.own]
        while stack:
            one = stack.pop()
            if is_scalar(one):
                yield one
            elif is_sequence(one):
                stack += one.value
            else:
                stack += [value for _, value in one.value]


class PresentContainer(NamedTuple):
    """A container and the two lists of it that mounts change."""

    container: Container
    field: str
    mounts: PresentList
    sources: PresentList


class EnvSource(NamedTuple):
    """An element of `envFrom`, by its base name: the name in the element follows its revision."""

    container: str
    kind: str
    name: str
    prefix: str


class MountMark(NamedTuple):
    """Names of volumes, containers and paths of volume mounts, elements of `envFrom`."""

    volumes: tuple[str, ...] = ()
    mounts: tuple[tuple[str, str], ...] = ()
    sources: tuple[EnvSource, ...] = ()

    def __str__(self) -> str:
        """Return the annotation's text."""
        mounts = (f"{_quote(container)}={_quote(path, but='/')}" for container, path in self.mounts)
        sources = (
            f"{_quote(one.container)}={one.kind}/{_quote(one.name)}={_quote(one.prefix)}"
            for one in self.sources
        )
        # Several pod templates of a workload may have the same.
        return " ".join(dict.fromkeys([*self.volumes, *mounts, *sources]))


def read_mount_mark(annotation: str) -> MountMark:
    """Read the annotation. Words that this function does not write mark nothing."""
    volumes, mounts, sources = [], [], []
    for word in annotation.split():
        match word.split("="):
            case [volume]:
                volumes.append(volume)
            case [container, path]:
                mounts.append((_unquote(container), _unquote(path)))
            case [container, source, prefix]:
                kind, _, name = source.partition("/")
                sources.append(
                    EnvSource(_unquote(container), kind, _unquote(name), _unquote(prefix))
                )
    return MountMark(tuple(volumes), tuple(mounts), tuple(sources))


def read_volumes(pod: PodSpec, mark: MountMark) -> PresentList:
    node = get(pod.node, "volumes")
    marked = frozenset(mark.volumes)
    own = _positions(node, lambda volume: text(get(volume, "name")) in marked)
    return PresentList(node, f"{pod.field}.volumes", own)


def read_container(
    item: Item, pod: PodSpec, container: Container, mark: MountMark, index: Index
) -> PresentContainer:
    field = f"{pod.field}.{container.list_name}[{container.position}]"
    mounts, sources = get(container.node, "volumeMounts"), get(container.node, "envFrom")
    # The path alone is not enough: the author may have put a volume of their own there since.
    marked = frozenset(mark.volumes), frozenset(mark.mounts)
    own_mounts = _positions(mounts, lambda node: _is_own_mount(node, container, *marked))
    own_sources = _own_sources(
        item, sources, [one for one in mark.sources if one.container == container.name], index
    )
    return PresentContainer(
        container,
        field,
        PresentList(mounts, f"{field}.volumeMounts", own_mounts),
        PresentList(sources, f"{field}.envFrom", own_sources),
    )


def _positions(node: Node | None, is_own: Callable[[Node], bool]) -> frozenset[int]:
    return frozenset(position for position, element in enumerate(elements(node)) if is_own(element))


def _is_own_mount(
    node: Node, container: Container, volumes: Collection[str], mounts: Collection[tuple[str, str]]
) -> bool:
    place = (container.name, text(get(node, "mountPath")))
    return text(get(node, "name")) in volumes and place in mounts


def _own_sources(
    item: Item, node: Node | None, marked: list[EnvSource], index: Index
) -> frozenset[int]:
    """Find one element for each marked source: the last that matches, because a run appends."""
    if not marked:
        return frozenset()
    last: dict[tuple[str, str, str], int] = {}
    for position, element in enumerate(elements(node)):
        found = read_env_from(element)
        if found is not None:
            for name in _marked_names(found, item, index):
                last[found.kind, name, found.prefix] = position
    places = (last.get((one.kind, one.name, one.prefix)) for one in marked)
    return frozenset(place for place in places if place is not None)


class EnvFrom(NamedTuple):
    """An element of `envFrom`, as it is read."""

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


def _marked_names(found: EnvFrom, item: Item, index: Index) -> Iterator[str]:
    """Yield the names by which a mark may mean this element: the element follows the name of a revision."""
    yield from (found.name, without_hash(found.name))
    for target in index.find(item, found.kind, found.name):
        yield from (name for kind, name in known_names(target) if kind == found.kind)


def _quote(text: str, *, but: str = "") -> str:
    return re.sub(_UNSAFE, lambda found: found[0] if found[0] == but else _encode(found[0]), text)


def _encode(character: str) -> str:
    return "".join(f"%{byte:02X}" for byte in character.encode())


def _unquote(text: str) -> str:
    return re.sub(
        _ENCODED,
        lambda found: bytes.fromhex(found[0].replace("%", "")).decode("utf-8", "replace"),
        text,
    )
