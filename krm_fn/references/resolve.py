"""Which object of the package a reference means, chosen as kustomize chooses: a chain of sieves."""

from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import NamedTuple

from krm_fn.model.item import Item
from krm_fn.model.kinds import Kinds
from krm_fn.model.problem import ResourceId
from krm_fn.naming.names import affixes, former_names, names_of
from krm_fn.references.reference import Reference

_PACKAGE_PATH = "internal.config.kubernetes.io/package-path"


class Link(NamedTuple):
    """A reference, the object that holds it, and the objects it may mean: none, one, or too many."""

    referrer: Item
    reference: Reference
    targets: tuple[Item, ...]


class Index(NamedTuple):
    """ConfigMaps and Secrets by every name they go by. The key is kind and name."""

    by_name: dict[tuple[str, str], list[Item]]


def index_configs(configs: Iterable[Item]) -> Index:
    by_name: dict[tuple[str, str], list[Item]] = defaultdict(list)
    for item in configs:
        for name in names_of(item):
            by_name[item.id.kind, name].append(item)
    return Index(dict(by_name))


class Meant(NamedTuple):
    """What a reference says of its target, wherever it stands: in a text, or in a plan."""

    kind: str
    target: str
    target_namespace: str | None = None


def resolve(referrer: Item, reference: Reference, index: Index) -> Link:
    """Pick what `reference` means out of the package."""
    meant = Meant(reference.kind, reference.target, reference.target_namespace)
    return Link(referrer, reference, find_targets(referrer, meant, index))


def find_targets(referrer: Item, meant: Meant, index: Index) -> tuple[Item, ...]:
    """The objects that somebody who says this in `referrer` may mean."""
    candidates = index.by_name.get((meant.kind, meant.target), [])
    candidates = [item for item in candidates if _in_reach(referrer, meant, item)]
    for sieve in (_nearest_package, _same_affixes, _strongest_name):
        if len(candidates) > 1:
            candidates = sieve(candidates, referrer, meant)
    return tuple(candidates)


def _in_reach(referrer: Item, reference: Meant, item: Item) -> bool:
    """Whether the reference looks into the object's namespace; no namespace is one of its own."""
    namespace = reference.target_namespace
    if namespace is not None:
        return namespace == item.id.namespace or (namespace, reference.target) in former_names(item)
    return is_cluster_scoped(referrer.id) or referrer.id.namespace == item.id.namespace


def is_cluster_scoped(who: ResourceId) -> bool:
    return Kinds().is_cluster_scoped(who)


def _nearest_package(candidates: list[Item], referrer: Item, _: Meant) -> list[Item]:
    """In kpt, subpackages may hold the same names: the deepest package that both lie in wins."""
    here = referrer.annotations.get(_PACKAGE_PATH)
    if here is None:
        return candidates
    return _best(candidates, lambda item: _shared_folders(here, item.annotations.get(_PACKAGE_PATH, "")))


def _shared_folders(one: str, other: str) -> tuple[int, int]:
    """How close two folders are: more in common first, then fewer steps down from there."""
    a, b = one.split("/"), other.split("/")
    common = next((index for index, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))
    return common, -len(b)


def _same_affixes(candidates: list[Item], referrer: Item, _: Meant) -> list[Item]:
    """In kustomize, bases with the same names are told apart by what their overlays put around them.

    As there: first whoever says nothing agrees with everybody; if that leaves several, only with its like; and if
    that leaves nobody, the reference means something outside the package.
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


def _strongest_name(candidates: list[Item], _: Item, reference: Meant) -> list[Item]:
    """A name an object has beats one it had."""
    return _best(candidates, lambda item: -names_of(item).index(reference.target))


def _best(candidates: list[Item], rank: Callable[[Item], object]) -> list[Item]:
    ranks = [rank(item) for item in candidates]
    best = max(ranks)  # type: ignore[type-var]  # ranks of one sieve are of one type
    return [item for item, its_rank in zip(candidates, ranks, strict=True) if its_rank == best]
