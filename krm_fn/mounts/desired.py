"""What a pod template must have for its mounts, list by list."""

import re
from collections.abc import Mapping, Sequence
from json import dumps
from typing import NamedTuple, TypeAlias

from krm_fn.model.changes import Value
from krm_fn.model.item import Item
from krm_fn.model.pods import Container
from krm_fn.model.settings import Mount, Source
from krm_fn.mounts.mark import EnvSource, MountMark
from krm_fn.mounts.plan import PlannedMount
from krm_fn.mounts.present import PresentContainer, PresentMounts
from krm_fn.naming.content_hash import short_digest
from krm_fn.references.made import name_meant

Element: TypeAlias = Mapping[str, Value]

_IN_VOLUME = {"ConfigMap": ("configMap", "name"), "Secret": ("secret", "secretName")}
_PROJECTED = {"ConfigMap": "configMap", "Secret": "secret"}
_IN_ENVIRONMENT = {"ConfigMap": "configMapRef", "Secret": "secretRef"}

_VOLUME_PREFIX = "krm-fn-"
_MAX_LABEL = 63
_DIGEST_LENGTH = 8


class DesiredElement(NamedTuple):
    """An element of a list, and the entry of `spec.mounts` that asks for it."""

    planned: PlannedMount
    element: Element


class DesiredContainer(NamedTuple):
    """The volume mounts and the `envFrom` elements of a container."""

    present: PresentContainer
    mounts: list[DesiredElement]
    sources: list[DesiredElement]


class DesiredMounts(NamedTuple):
    """All that one pod template must have. The key of a volume is its name."""

    present: PresentMounts
    volumes: dict[str, DesiredElement]
    containers: tuple[DesiredContainer, ...]

    @property
    def item(self) -> Item:
        """The workload."""
        return self.present.plan.item

    def mark(self) -> MountMark:
        """Return what a later run must know to recognise these elements."""
        mounts, sources = [], []
        for one in self.containers:
            name = one.present.container.name
            mounts += [(name, desired.planned.mount.path) for desired in one.mounts]
            for desired in one.sources:
                mount = desired.planned.mount
                sources += [EnvSource(name, source.kind, source.name, mount.prefix) for source in mount.sources]
        return MountMark(tuple(self.volumes), tuple(mounts), tuple(sources))


def desired_mounts(present: PresentMounts, set_name: str, names: Mapping[Item, str]) -> DesiredMounts:
    """Build the elements. `names`: the new names of the objects that are renamed."""
    desired = DesiredMounts(present, {}, tuple(DesiredContainer(one, [], []) for one in present.containers))
    containers = {_place(one.present.container): one for one in desired.containers}
    for planned in present.plan.mounts:
        mount = planned.mount
        source_names = [_new_name(*pair, names) for pair in zip(mount.sources, planned.targets, strict=True)]
        name = volume_name(set_name, mount)
        if mount.path:
            desired.volumes.setdefault(name, DesiredElement(planned, _volume(name, mount, source_names)))
        for container in planned.containers:
            one = containers[_place(container)]
            if mount.path:
                one.mounts.append(DesiredElement(planned, _volume_mount(name, mount)))
            else:
                one.sources.append(DesiredElement(planned, _env_from(mount, source_names[0])))
    return desired


def _place(container: Container) -> tuple[str, int]:
    return container.list_name, container.position


def _new_name(source: Source, targets: tuple[Item, ...], names: Mapping[Item, str]) -> str:
    """Return the name of the object. An optional one that is not in the package has the name that was configured."""
    return name_meant(source.kind, source.name, targets[0], names) if targets else source.name


def volume_name(set_name: str, mount: Mount) -> str:
    """Return a DNS label that depends on what the volume says, and on the set.

    It does not depend on content, so that it stays when a revision changes, nor on path and containers, so that mounts
    of the same volume share it. It depends on the set, so that two functions in one pipeline do not take each other's.
    Another name would roll every pod: what enters the digest must never change with the function's version.
    """
    names = [source.name for source in mount.sources]
    content = dumps([set_name, _volume("", mount, names)], sort_keys=True)
    digest = short_digest(content)[:_DIGEST_LENGTH]
    readable = re.sub("[^a-z0-9]+", "-", "-".join(names).lower()).strip("-")
    room = _MAX_LABEL - len(_VOLUME_PREFIX) - len(digest) - 1
    return f"{_VOLUME_PREFIX}{readable[:room].rstrip('-')}-{digest}"


def _volume(name: str, mount: Mount, source_names: Sequence[str]) -> Element:
    mode: dict[str, Value] = {} if mount.default_mode is None else {"defaultMode": mount.default_mode}
    if mount.projected:
        sources = [
            {_PROJECTED[source.kind]: {"name": source_name, **_details(source)}}
            for source, source_name in zip(mount.sources, source_names, strict=True)
        ]
        return {"name": name, "projected": {**mode, "sources": sources}}
    (source,) = mount.sources
    field, key = _IN_VOLUME[source.kind]
    return {"name": name, field: {key: source_names[0], **mode, **_details(source)}}


def _volume_mount(name: str, mount: Mount) -> Element:
    sub_path: dict[str, Value] = {"subPath": mount.sub_path} if mount.sub_path else {}
    return {"name": name, "mountPath": mount.path, **sub_path, "readOnly": True}


def _env_from(mount: Mount, source_name: str) -> Element:
    (source,) = mount.sources
    prefix: dict[str, Value] = {"prefix": mount.prefix} if mount.prefix else {}
    return {**prefix, _IN_ENVIRONMENT[source.kind]: {"name": source_name, **_details(source)}}


def _details(source: Source) -> dict[str, Value]:
    items: list[Element] = [
        {"key": item.key, "path": item.path, **({} if item.mode is None else {"mode": item.mode})}
        for item in source.items
    ]
    return {**({"items": items} if items else {}), **({"optional": True} if source.optional else {})}
