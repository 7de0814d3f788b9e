"""Names with the namespaces they are in, where either side may not say which."""

from collections import defaultdict
from collections.abc import Iterable

from krm_fn.model.resource import ResourceId


class NamesByPlace:
    """Objects by kind and name. No namespace may be any: of what is rendered only the deployer knows where it goes."""

    def __init__(self, ids: Iterable[ResourceId]) -> None:
        self._namespaces: dict[tuple[str, str], set[str]] = defaultdict(set)
        for who in ids:
            self._namespaces[who.kind, who.name].add(who.namespace)

    def __contains__(self, who: ResourceId) -> bool:
        namespaces = self._namespaces.get((who.kind, who.name), set())
        return bool(namespaces) and (not who.namespace or not namespaces.isdisjoint(("", who.namespace)))
