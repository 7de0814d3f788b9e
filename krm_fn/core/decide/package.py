"""The objects of one run, sorted by what this function may do with them."""

import re
from collections.abc import Mapping
from typing import NamedTuple

from krm_fn.base.item import Item
from krm_fn.base.kind import Kinds
from krm_fn.base.problem import ResourceId
from krm_fn.core.decide.reason import Reason

FIXED_NAMES = frozenset({"kptfile.kpt.dev", "kube-root-ca.crt", "openshift-service-ca.crt"})
"""ConfigMaps that programs look up by this very name."""

MANAGED_BY = "app.kubernetes.io/managed-by"
_CHART = r".+-v?[0-9]+\.[0-9].*"
"""The label `chart` of older charts: name and version. The label `release` alone is also a selector of Prometheus."""


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
