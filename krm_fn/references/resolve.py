"""Which object of the package a reference matches, chosen as kustomize chooses: a chain of sieves."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from enum import StrEnum

from krm_fn.model.item import Item
from krm_fn.model.keys import PACKAGE_PATH
from krm_fn.model.kinds import Kinds
from krm_fn.naming.names import affixes, former_names
from krm_fn.references.made import known_names
from krm_fn.references.reference import Reference, ResolvedReference


class PassedOver(StrEnum):
    """Why a reference does not mean an object of the name that it says."""

    NAMESPACE = "namespace"
    """It is in another namespace."""

    PACKAGE = "package"
    """Another one is in a nearer package of kpt."""

    AFFIXES = "affixes"
    """kustomize has given the two other prefixes or suffixes."""

    NAME = "name"
    """Another one has the name now; this one had it before."""


class Index:
    """Objects by every name that a reference may use for them.

    `kinds` tells which referrers have no namespace. `namespace` is that of objects that set none, `""` if nobody knows
    it: then no namespace is one of its own.
    """

    def __init__(self, items: Iterable[Item], kinds: Kinds, namespace: str = "") -> None:
        self.kinds = kinds
        self._namespace = namespace
        self._by_name: dict[tuple[str, str], list[Item]] = defaultdict(list)
        for item in items:
            for known in dict.fromkeys(known_names(item)):
                self._by_name[known].append(item)

    def __bool__(self) -> bool:
        return bool(self._by_name)

    @property
    def named(self) -> Iterator[tuple[Item, str]]:
        """Yield every object under each of its names."""
        for (_, name), items in self._by_name.items():
            for item in items:
                yield item, name

    def resolve(self, referrer: Item, reference: Reference) -> ResolvedReference:
        """Resolve a reference."""
        targets = self.find(referrer, reference.kind, reference.target, reference.target_namespace)
        return ResolvedReference(referrer, reference, targets)

    def find(self, referrer: Item, kind: str, name: str, namespace: str | None = None) -> tuple[Item, ...]:
        """Find the objects that `referrer` may mean by a name, and by a namespace where it gives one."""
        known = self._by_name.get((kind, name))
        if known is None:
            return ()
        candidates = [item for item in known if self._is_in_reach(referrer, item, name, namespace)]
        for sieve in _SIEVES.values():
            if len(candidates) > 1:
                candidates = sieve(candidates, referrer, name)
        return tuple(candidates)

    def find_passed_over(
        self, referrer: Item, kind: str, name: str, namespace: str | None = None
    ) -> Iterator[tuple[Item, PassedOver]]:
        """Yield the objects of a name that `referrer` does not mean by it, and why not."""
        known = self._by_name.get((kind, name), [])
        candidates = [item for item in known if self._is_in_reach(referrer, item, name, namespace)]
        yield from ((item, PassedOver.NAMESPACE) for item in known if item not in candidates)
        for reason, sieve in _SIEVES.items():
            if len(candidates) > 1:
                kept = sieve(candidates, referrer, name)
                yield from ((item, reason) for item in candidates if item not in kept)
                candidates = kept

    def _is_in_reach(self, referrer: Item, item: Item, name: str, namespace: str | None) -> bool:
        """Tell whether the reference looks into the object's namespace."""
        there = item.id.namespace or self._namespace
        if namespace is not None:
            return namespace in (item.id.namespace, there) or (namespace, name) in former_names(item)
        return (referrer.id.namespace or self._namespace) == there or self.kinds.is_cluster_scoped(referrer.id)

    def find_in_other_namespaces(self, referrer: Item, kind: str, name: str, namespace: str | None) -> list[Item]:
        """Find objects of this name that are in another namespace than the one that the referrer looks into."""
        here = (referrer.id.namespace if namespace is None else namespace) or self._namespace
        return [item for item in self._by_name.get((kind, name), ()) if (item.id.namespace or self._namespace) != here]

    def find_elsewhere(self, referrer: Item, kind: str, name: str, namespace: str | None) -> list[Item]:
        """Find objects of this name that the referrer would reach if one of the two set its namespace."""
        here = referrer.id.namespace if namespace is None else namespace
        known = self._by_name.get((kind, name), ())
        return [item for item in known if bool(item.id.namespace) != bool(here) and not self._namespace]


def _nearest_package(candidates: list[Item], referrer: Item, _: str) -> list[Item]:
    """Prefer the deepest kpt package that holds both: subpackages may repeat names."""
    here = referrer.annotations.get(PACKAGE_PATH)
    if here is None:
        return candidates
    return _best(candidates, lambda item: _shared_folders(here, item.annotations.get(PACKAGE_PATH, "")))


def _shared_folders(one: str, other: str) -> tuple[int, int]:
    """Rank how close two folders are: more folders in common first, then fewer steps down from there."""
    a, b = one.split("/"), other.split("/")
    common = next((index for index, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))
    return common, -len(b)


def _same_affixes(candidates: list[Item], referrer: Item, _: str) -> list[Item]:
    """Prefer the same prefixes and suffixes: by these kustomize tells bases with equal names apart.

    Objects without affixes match any referrer. If that leaves several, affixes must be equal; if that leaves none,
    the reference is to something outside the package.
    """
    mine = affixes(referrer)
    lenient = [item for item in candidates if all(map(_silent_or_alike, affixes(item), mine))]
    return lenient if len(lenient) == 1 else [item for item in lenient if all(map(_end_alike, affixes(item), mine))]


def _silent_or_alike(one: list[str], other: list[str]) -> bool:
    return not one or not other or _end_alike(one, other)


def _end_alike(one: list[str], other: list[str]) -> bool:
    if not one or not other:
        return one == other
    length = min(len(one), len(other))
    return one[-length:] == other[-length:]


def _strongest_name(candidates: list[Item], _: Item, name: str) -> list[Item]:
    """Prefer an object that has the name now to one that had it before."""
    return _best(candidates, lambda item: -_position_of(name, item))


def _position_of(name: str, item: Item) -> int:
    """Return how many names of the same kind take precedence over this one."""
    names: dict[str, list[str]] = defaultdict(list)
    for kind, one in known_names(item):
        names[kind].append(one)
    return min(of_kind.index(name) for of_kind in names.values() if name in of_kind)


def _best(candidates: list[Item], rank: Callable[[Item], object]) -> list[Item]:
    ranks = [rank(item) for item in candidates]
    best = max(ranks)  # type: ignore[type-var]  # ranks of one sieve are of one type
    return [item for item, its_rank in zip(candidates, ranks, strict=True) if its_rank == best]


_SIEVES = {
    PassedOver.PACKAGE: _nearest_package,
    PassedOver.AFFIXES: _same_affixes,
    PassedOver.NAME: _strongest_name,
}
"""In the order in which they are used, each where more than one object is left."""
