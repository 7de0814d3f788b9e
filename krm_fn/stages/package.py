"""The objects of one run, sorted by what this function may do with them."""

from collections.abc import Iterable
from typing import NamedTuple

from krm_fn.model.item import Item
from krm_fn.model.kinds import Kinds
from krm_fn.model.problem import ResourceId
from krm_fn.naming.emitted import is_emitted


class Package(NamedTuple):
    """`authored`: what users wrote; `configs`: the ConfigMaps and Secrets among it; `emitted`: the linker's objects.

    `config_id` is the functionConfig, None where there is none.
    """

    authored: list[Item]
    configs: list[Item]
    emitted: list[Item]
    kinds: Kinds
    config_id: ResourceId | None


def read_package(items: Iterable[Item], config_id: ResourceId | None) -> Package:
    """Sort the objects."""
    authored: list[Item] = []
    emitted: list[Item] = []
    for item in items:
        (emitted if is_emitted(item) else authored).append(item)
    configs = [item for item in authored if item.is_config and not item.is_local and item.id != config_id]
    return Package(authored, configs, emitted, Kinds(authored), config_id)
