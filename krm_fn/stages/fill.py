"""What a pod template is to have, list by list."""

from collections.abc import Mapping
from typing import NamedTuple

from krm_fn.model.item import Item
from krm_fn.model.mount import Source
from krm_fn.model.mount_mark import EnvSource, MountMark
from krm_fn.stages.mount_elements import Element, env_source, volume, volume_mount
from krm_fn.stages.plan_mounts import Wanted
from krm_fn.stages.read_mounted import Mounted, MountedContainer
from krm_fn.stages.volume_name import volume_name


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
