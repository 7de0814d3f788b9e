"""What a pod template is to have, list by list."""

import re
from collections.abc import Mapping, Sequence
from json import dumps
from typing import NamedTuple, TypeAlias

from krm_fn.model.changes import Value
from krm_fn.model.item import Item
from krm_fn.model.settings import Mount, Source
from krm_fn.mounts.mark import EnvSource, MountMark
from krm_fn.mounts.plan import Wanted
from krm_fn.mounts.present import Mounted, MountedContainer
from krm_fn.naming.content_hash import short_digest

Element: TypeAlias = Mapping[str, Value]


class Placed(NamedTuple):
    """An element, and the entry of `spec.mounts` that asks for it."""

    wanted: Wanted
    element: Element


class ContainerFilling(NamedTuple):
    """Mounts and sources of variables of a container."""

    held: MountedContainer
    mounts: list[Placed]
    sources: list[Placed]


class Filling(NamedTuple):
    """All that is wanted in one pod template. The key of a volume is its name."""

    mounted: Mounted
    volumes: dict[str, Placed]
    containers: tuple[ContainerFilling, ...]

    def mark(self) -> MountMark:
        """How a later run will know it."""
        names = [(each.held.container.name, each) for each in self.containers]
        return MountMark(
            tuple(self.volumes),
            tuple((name, placed.wanted.mount.path) for name, each in names for placed in each.mounts),
            tuple(
                EnvSource(name, source.kind, source.name, placed.wanted.mount.prefix)
                for name, each in names
                for placed in each.sources
                for source in placed.wanted.mount.sources
            ),
        )


def fill(mounted: Mounted, set_name: str, names: Mapping[int, str]) -> Filling:
    """The elements. `names`: what objects are called from now on, by `id(item.node)`."""
    filling = Filling(mounted, {}, tuple(ContainerFilling(held, [], []) for held in mounted.containers))
    for wanted in mounted.site.wanted:
        mount = wanted.mount
        called = [_name(*pair, names) for pair in zip(mount.sources, wanted.targets, strict=True)]
        name = volume_name(set_name, mount)
        if mount.path:
            filling.volumes.setdefault(name, Placed(wanted, volume(name, mount, called)))
        for each in filling.containers:
            if each.held.container in wanted.containers and mount.path:
                each.mounts.append(Placed(wanted, volume_mount(name, mount)))
            elif each.held.container in wanted.containers:
                each.sources.append(Placed(wanted, env_source(mount, called[0])))
    return filling


def _name(source: Source, targets: tuple[Item, ...], names: Mapping[int, str]) -> str:
    """The target's name from now on; what is optional and not in the package keeps the name it was given."""
    return names.get(id(targets[0].node), targets[0].id.name) if targets else source.name


_IN_VOLUME = {"ConfigMap": ("configMap", "name"), "Secret": ("secret", "secretName")}
_PROJECTED = {"ConfigMap": "configMap", "Secret": "secret"}
_IN_ENVIRONMENT = {"ConfigMap": "configMapRef", "Secret": "secretRef"}


def volume(name: str, mount: Mount, called: Sequence[str]) -> Element:
    """The volume; `called` are the names of its sources."""
    mode: dict[str, Value] = {} if mount.default_mode is None else {"defaultMode": mount.default_mode}
    if mount.projected:
        sources = [
            {_PROJECTED[source.kind]: {"name": now, **_details(source)}}
            for source, now in zip(mount.sources, called, strict=True)
        ]
        return {"name": name, "projected": {**mode, "sources": sources}}
    (source,) = mount.sources
    field, key = _IN_VOLUME[source.kind]
    return {"name": name, field: {key: called[0], **mode, **_details(source)}}


def volume_mount(name: str, mount: Mount) -> Element:
    """Where a container finds the volume."""
    below: dict[str, Value] = {"subPath": mount.sub_path} if mount.sub_path else {}
    return {"name": name, "mountPath": mount.path, **below, "readOnly": True}


def env_source(mount: Mount, called: str) -> Element:
    """A source of variables."""
    (source,) = mount.sources
    prefix: dict[str, Value] = {"prefix": mount.prefix} if mount.prefix else {}
    return {**prefix, _IN_ENVIRONMENT[source.kind]: {"name": called, **_details(source)}}


def _details(source: Source) -> dict[str, Value]:
    items: list[Element] = [
        {"key": item.key, "path": item.path, **({} if item.mode is None else {"mode": item.mode})}
        for item in source.items
    ]
    return {**({"items": items} if items else {}), **({"optional": True} if source.optional else {})}


PREFIX = "krm-fn-"
_MAX_LABEL = 63
_DIGEST_LENGTH = 8


def volume_name(set_name: str, mount: Mount) -> str:
    """A DNS label that tells volumes apart by what they say, and by nothing else.

    Not by content, so that it stays when a revision changes; nor by path and containers, so that mounts of the same
    volume share it. By the set, so that two functions in a chain do not take each other's. Another name rolls every
    pod: what is digested is what manifests hold, and may not change with the function.
    """
    names = [source.name for source in mount.sources]
    told = dumps([set_name, volume("", mount, names)], sort_keys=True)
    digest = short_digest(told)[:_DIGEST_LENGTH]
    readable = re.sub("[^a-z0-9]+", "-", "-".join(names).lower()).strip("-")
    room = _MAX_LABEL - len(PREFIX) - len(digest) - 1
    return f"{PREFIX}{readable[:room].rstrip('-')}-{digest}"
