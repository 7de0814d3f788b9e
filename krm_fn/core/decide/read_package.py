"""Sort the objects of a run by what this function may do with them."""

from collections.abc import Collection, Iterable, Mapping
from types import MappingProxyType

from krm_fn.base import keys
from krm_fn.base.item import Item
from krm_fn.base.kind import Kinds
from krm_fn.base.problem import ResourceId
from krm_fn.base.settings import configures
from krm_fn.core.decide.package import Package
from krm_fn.core.decide.reason import Reason, ReasonCode
from krm_fn.core.names.names import is_emitted, is_revision
from krm_fn.core.references.generated import versioned

_EMITTED = Reason(ReasonCode.EMITTED, "an earlier run has emitted it for the linker")
_CONFIGURATION = Reason(ReasonCode.CONFIGURATION, "it is the configuration")


def read_package(
    items: Iterable[Item],
    config_id: ResourceId | None,
    namespace: str,
    generated: Mapping[Item, bool] = MappingProxyType({}),
    kinds: Collection[str] = (),
) -> Package:
    """Sort the objects. `kinds`: those that are handled. What an earlier run has made a revision is one of any kind."""
    authored: list[Item] = []
    emitted: list[Item] = []
    for item in items:
        (emitted if is_emitted(item) else authored).append(item)
    set_aside = {item: _EMITTED for item in emitted if item.is_config}
    configs = []
    for item in authored:
        is_producer = versioned(item.id) is not None and (item.id.kind in kinds or is_revision(item))
        if item.is_config or is_producer:
            reason = _why_set_aside(item, config_id)
            if reason is None:
                configs.append(item)
            else:
                set_aside[item] = reason
    return Package(
        authored=authored,
        configs=configs,
        emitted=emitted,
        kinds=Kinds(authored),
        config_id=config_id,
        namespace=namespace,
        generated=generated,
        set_aside=set_aside,
    )


def _why_set_aside(item: Item, config_id: ResourceId | None) -> Reason | None:
    """Say why a ConfigMap or Secret is not to be chosen; None where it may be."""
    if item.is_local:
        field = f"metadata.annotations[{keys.LOCAL_CONFIG}]"
        return Reason(ReasonCode.LOCAL, f"it is for tools, and never applied ({keys.LOCAL_CONFIG})", item, field)
    return _CONFIGURATION if item.id == config_id or configures(item) else None
