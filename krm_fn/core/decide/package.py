"""The objects of one run, sorted by what this function may do with them."""

import re
from collections.abc import Collection, Iterable, Mapping
from types import MappingProxyType
from typing import NamedTuple

from krm_fn.base import keys
from krm_fn.base.item import Item
from krm_fn.base.kind import Kinds
from krm_fn.base.problem import ResourceId
from krm_fn.base.settings import configures
from krm_fn.core.decide.reason import Reason, ReasonCode
from krm_fn.core.names.names import is_emitted, is_revision
from krm_fn.core.references.generated import versioned

FIXED_NAMES = frozenset({"kptfile.kpt.dev", "kube-root-ca.crt", "openshift-service-ca.crt"})
"""ConfigMaps that programs look up by this very name."""

MANAGED_BY = "app.kubernetes.io/managed-by"
_CHART = r".+-v?[0-9]+\.[0-9].*"
"""The label `chart` of older charts: name and version. The label `release` alone is also a selector of Prometheus."""

_EMITTED = Reason(ReasonCode.EMITTED, "an earlier run has emitted it for the linker")
_CONFIGURATION = Reason(ReasonCode.CONFIGURATION, "it is the configuration")


class Package(NamedTuple):
    """`authored`: what users wrote; `emitted`: the linker's objects.

    `configs`: the ConfigMaps and Secrets among `authored`, and the producers of Secrets whose kinds are handled.

    `config_id` is the functionConfig, None where there is none. `namespace` is where objects without a namespace will
    be applied, `""` if nobody knows. `generated` says of objects from Helm charts whether each rendering of the chart
    makes another one; objects of which that is not known are missing. `set_aside` are ConfigMaps and Secrets that are
    not to be chosen, and why.
    """

    authored: list[Item]
    configs: list[Item]
    emitted: list[Item]
    kinds: Kinds
    config_id: ResourceId | None
    namespace: str
    generated: Mapping[Item, bool]
    set_aside: Mapping[Item, Reason]

    def namespace_of(self, item: Item) -> str:
        """Return the namespace that an object will be applied to; `""` if nobody knows."""
        return item.id.namespace or self.namespace

    def namespaces_like(self, namespace: str) -> frozenset[str] | None:
        """Return all that may be the same namespace as this one, as written; None for all namespaces."""
        known = namespace or self.namespace
        if not known:
            return None
        return frozenset({known, ""} if self.namespace in ("", known) else {known})


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


def is_of_chart(item: Item) -> bool:
    """Tell whether labels, an annotation, or the comment in front of an object say that it is from a Helm chart."""
    return (
        item.is_of_template
        or "helm.sh/chart" in item.labels
        or item.labels.get(MANAGED_BY) == "Helm"
        or item.labels.get("heritage") in {"Helm", "Tiller"}
        or re.fullmatch(_CHART, item.labels.get("chart", "")) is not None
        or "meta.helm.sh/release-name" in item.annotations
    )


def _why_set_aside(item: Item, config_id: ResourceId | None) -> Reason | None:
    """Say why a ConfigMap or Secret is not to be chosen; None where it may be."""
    if item.is_local:
        field = f"metadata.annotations[{keys.LOCAL_CONFIG}]"
        return Reason(ReasonCode.LOCAL, f"it is for tools, and never applied ({keys.LOCAL_CONFIG})", item, field)
    return _CONFIGURATION if item.id == config_id or configures(item) else None
