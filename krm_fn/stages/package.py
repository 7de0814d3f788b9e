"""The objects of one run, sorted by what this function may do with them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from krm_fn.model.item import Item
from krm_fn.model.kinds import Kinds
from krm_fn.model.problem import ResourceId
from krm_fn.naming.emitted import is_emitted


@dataclass(frozen=True, kw_only=True, slots=True)
class Package:
    """`authored`: what users wrote; `configs`: the ConfigMaps and Secrets among it; `emitted`: the linker's objects.

    `config_id` is the functionConfig, None where there is none. `namespace` is where objects without a namespace will
    be applied, `""` if nobody knows. `generated` says of objects from Helm charts whether each rendering of the chart
    makes another one; objects of which that is not known are missing.
    """

    authored: list[Item]
    configs: list[Item]
    emitted: list[Item]
    kinds: Kinds
    config_id: ResourceId | None
    namespace: str
    generated: Mapping[Item, bool]

    def namespace_of(self, item: Item) -> str:
        """Return the namespace that an object will be applied to; `""` if nobody knows."""
        return item.id.namespace or self.namespace

    def may_share_namespace(self, one: str, other: str) -> bool:
        """Tell whether two namespaces, as written, may be the same one."""
        one, other = one or self.namespace, other or self.namespace
        return one == other or not one or not other


def read_package(
    items: Iterable[Item],
    config_id: ResourceId | None,
    namespace: str,
    generated: Mapping[Item, bool] = MappingProxyType({}),
) -> Package:
    """Sort the objects."""
    authored: list[Item] = []
    emitted: list[Item] = []
    for item in items:
        (emitted if is_emitted(item) else authored).append(item)
    configs = [item for item in authored if item.is_config and not item.is_local and item.id != config_id]
    return Package(
        authored=authored,
        configs=configs,
        emitted=emitted,
        kinds=Kinds(authored),
        config_id=config_id,
        namespace=namespace,
        generated=generated,
    )
