"""Find the object of a package that a reference means.

Where several have the name, it is chosen as kustomize and kpt choose. Thousands of objects may
share a name, each with a referrer of its own. So no question looks at all of them: each way to
choose sorts them once, when it is first asked for.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from functools import cached_property
from types import MappingProxyType
from typing import TypeAlias

from krm_fn.base.item import Item
from krm_fn.base.keys import PACKAGE_PATH
from krm_fn.base.kind import Kinds
from krm_fn.base.named_tuple import NamedTuple
from krm_fn.base.reference import By, Reference, ResolvedReference
from krm_fn.core.names.names import KnownNames, affixes, base_name
from krm_fn.core.references.generated import find_generated
from krm_fn.core.references.lookups import Lookup, Lookups

Affixes: TypeAlias = tuple[list[str], list[str]]
"""Prefixes and suffixes, innermost first."""


MoreNames: TypeAlias = Mapping[Item, Collection[tuple[str, str]]]
"""Kinds and names that mean an object beside those that it has."""

_NO_NAMES: MoreNames = MappingProxyType({})


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


class _Reach(StrEnum):
    """Where a reference looks for an object."""

    ANYWHERE = "anywhere"
    """The referrer has no namespace, names none, and means every object of the name."""

    NOWHERE = "nowhere"
    """The referrer has no namespace, names none, and nobody knows where it looks."""

    HERE = "here"
    """In its own."""

    NAMED = "named"
    """In the one that it names."""


class _Position(NamedTuple):
    """Kind, name, and the namespace in which a reference looks; `""` for anywhere, or nobody knows."""

    kind: str
    name: str
    reach: _Reach
    namespace: str


class _Rank(NamedTuple):
    """How well an object has a name; the lowest is the best.

    A name of an earlier rendering is the weakest, however many names the object has.
    """

    is_stale: bool
    position: int


class Index:
    """Objects by every name that a reference may use, and by the namespace that it looks into.

    `kinds` tells which referrers have no namespace. `namespace` is that of objects that set none,
    `""` if nobody knows it: then no namespace is one of its own. `stale` are kinds and names of
    earlier renderings, or of this one, that mean an object too. `lookups` tell where referrers
    without a namespace look; without it, the facts about their kinds alone do. `names` are those of
    the objects of this run.
    """

    def __init__(
        self,
        items: Iterable[Item],
        kinds: Kinds,
        namespace: str = "",
        stale: MoreNames = _NO_NAMES,
        lookups: Lookups | None = None,
    ) -> None:
        self.kinds = kinds
        self._lookups = lookups or Lookups((), kinds)
        self._items = tuple(items)
        self._stale = stale
        self.names = KnownNames()
        self._namespace = namespace
        self._by_name: dict[tuple[str, str], list[Item]] = defaultdict(list)
        self._by_position: dict[_Position, list[Item]] = defaultdict(list)
        self._candidates: dict[_Position, Candidates] = {}
        for item in self._items:
            for kind, name in self._names_of(item):
                self._by_name[kind, name].append(item)
                for reach, looked_into in self._places_of(item, name):
                    self._by_position[_Position(kind, name, reach, looked_into)].append(item)

    def namespace_of(self, item: Item) -> str:
        """Return the namespace that an object will be applied to; `""` if nobody knows."""
        return item.id.namespace or self._namespace

    def with_names(self, more: MoreNames) -> "Index":
        """Return an index of the same objects, where these stale names mean them too."""
        stale = {
            item: {*self._stale.get(item, ()), *more.get(item, ())}
            for item in {**self._stale, **more}
        }
        # A new index, because this one keeps what it has found by a name.
        return Index(self._items, self.kinds, self._namespace, stale, self._lookups)

    def _names_of(self, item: Item) -> Iterator[tuple[str, str]]:
        """Yield every kind and name of an object, and of the objects that it makes, each once."""
        for name in self.names.all(item):
            yield item.id.kind, name
        generated = find_generated(item)
        yield from dict.fromkeys((one.kind, name) for one in generated for name in one.names)
        yield from self._stale.get(item, ())

    def is_stale(self, item: Item, kind: str, name: str) -> bool:
        """Tell whether a reference only means an object by a name of an earlier rendering."""
        return (kind, name) in self._stale.get(item, ())

    def _rank_of(self, item: Item, kind: str, name: str) -> _Rank:
        """Rank a name by how many names of the object, or of what it makes, take precedence."""
        if self.is_stale(item, kind, name):
            return _Rank(is_stale=True, position=0)
        if kind == item.id.kind:
            return _Rank(is_stale=False, position=self.names.all(item)[name])
        positions: list[int] = []
        for one in find_generated(item):
            if one.kind == kind and name in one.names:
                positions.append(one.names.index(name))
        return _Rank(is_stale=False, position=min(positions))

    def _places_of(self, item: Item, name: str) -> Iterator[tuple[_Reach, str]]:
        """Yield the namespaces in which references find an object by this name."""
        there = self.namespace_of(item)
        # kustomize records names and namespaces together: a transformer may have changed either.
        formers = self.names.former_namespaces(item, name)
        yield _Reach.ANYWHERE, ""
        yield _Reach.HERE, there
        # A reference may say the namespace that the author wrote, or the one that it goes to.
        yield from ((_Reach.NAMED, namespace) for namespace in {item.id.namespace, there, *formers})

    def __bool__(self) -> bool:
        return bool(self._by_name)

    @property
    def named(self) -> Iterator[tuple[Item, str]]:
        """Yield every object under each of its names."""
        for (kind, name), items in self._by_name.items():
            for item in items:
                if not self.is_stale(item, kind, name):
                    yield item, name

    def resolve(self, referrer: Item, reference: Reference) -> ResolvedReference:
        wanted = reference.kind, reference.target, reference.target_namespace
        targets = self.find(referrer, *wanted)
        if not targets and self._says_more(referrer, reference):
            targets = self.find_anywhere_near(reference.kind, reference.target, "")
        return ResolvedReference(referrer, reference, targets)

    def _says_more(self, referrer: Item, reference: Reference) -> bool:
        """Tell whether a cluster-scoped object means what has the name wherever it is.

        An object that a controller writes or copies must keep its name in each namespace. The
        author says of a field of `spec.references` that it is followed, so that one object of the
        name is meant.
        """
        lookup = None if reference.target_namespace is not None else self._lookups.find(referrer)
        if lookup is None or lookup.namespace is not None:
            return False
        is_kept = reference.is_output or reference.rule.by is By.COPY
        is_asked_for = reference.rule.by is By.REFERENCES and not lookup.where
        return is_kept or (
            is_asked_for and len(self._by_name.get((reference.kind, reference.target), ())) == 1
        )

    def find_unclear(self, one: ResolvedReference) -> tuple[Lookup, tuple[Item, ...]]:
        """Find what a reference may mean whose referrer looks in a namespace that nobody knows.

        Where the project of the referrer's controller says where to install it, an object of that
        namespace is meant.
        """
        reference = one.reference
        is_clear = one.targets or reference.is_output or reference.target_namespace is not None
        lookup = None if is_clear else self._lookups.find(one.referrer)
        if lookup is None or lookup.anywhere or lookup.namespace is not None:
            return Lookup(""), ()
        found = self.find_anywhere_near(reference.kind, reference.target, "")
        at_home = [item for item in found if lookup.home and self.namespace_of(item) == lookup.home]
        return lookup, tuple(at_home) or found

    def find(
        self, referrer: Item, kind: str, name: str, namespace: str | None = None
    ) -> tuple[Item, ...]:
        """Find the objects that `referrer` may mean by a name, and by a namespace where it gives one."""
        # Most names of a package mean nothing in it, and to sift takes long.
        if (kind, name) not in self._by_name:
            return ()
        *_, (_, left) = self._sift(referrer, kind, name, namespace)
        return left.items

    def find_anywhere_near(self, kind: str, name: str, namespace: str) -> tuple[Item, ...]:
        """Find the objects of a name that may be in a namespace: also those that set none.

        `""`: all of the name.
        """
        if not namespace:
            return tuple(self._by_position.get(_Position(kind, name, _Reach.ANYWHERE, ""), ()))
        # Where nobody knows the namespace of objects that set none, it may be this one.
        near = (namespace,) if self._namespace else (namespace, "")
        positions = (_Position(kind, name, _Reach.NAMED, one) for one in near)
        found: dict[Item, None] = {}  # in order, each once
        for position in positions:
            found |= dict.fromkeys(self._by_position.get(position, ()))
        return tuple(found)

    def why_passed_over(
        self, referrer: Item, item: Item, kind: str, name: str, namespace: str | None = None
    ) -> PassedOver | None:
        """Say why `referrer` does not mean an object of this name by it; None if it does."""
        sifted = self._sift(referrer, kind, name, namespace)
        return next((reason for reason, left in sifted if item not in left), None)

    def _sift(
        self, referrer: Item, kind: str, name: str, namespace: str | None
    ) -> Iterator[tuple[PassedOver, "Candidates"]]:
        """Yield what is left after each way to choose, in their order."""
        candidates = self._in_reach(referrer, kind, name, namespace)
        yield PassedOver.NAMESPACE, candidates
        for reason, sieve in _SIEVES.items():
            if len(candidates) > 1:
                candidates = sieve(candidates, referrer)
                yield reason, candidates

    def find_passed_over(self, resolved: ResolvedReference) -> Iterator[tuple[Item, PassedOver]]:
        """Yield the objects of a name that a reference does not mean, and why not.

        Where it means one, others of the name are of no interest, unless they had the name before.
        """
        reference = resolved.reference
        wanted = reference.kind, reference.target, reference.target_namespace
        if resolved.targets:
            possible = self._in_reach(resolved.referrer, *wanted).items
        else:
            possible = tuple(self._by_name.get((reference.kind, reference.target), ()))
        for item in possible:
            reason = self.why_passed_over(resolved.referrer, item, *wanted)
            # Under a former name, somebody may still mean the object that has lost it.
            if reason is not None and (reason is PassedOver.NAME or not resolved.targets):
                yield item, reason

    def _in_reach(
        self, referrer: Item, kind: str, name: str, namespace: str | None
    ) -> "Candidates":
        """Return the objects of a name that are in the namespace which the reference looks into."""
        position = self._position_of(referrer, kind, name, namespace)
        if position not in self._candidates:
            found = self._by_position.get(position, ())
            self._candidates[position] = Candidates(
                found, lambda item: self._rank_of(item, kind, name)
            )
        return self._candidates[position]

    def _position_of(
        self, referrer: Item, kind: str, name: str, namespace: str | None
    ) -> _Position:
        # The words of the reference win over whatever is known of its referrer.
        if namespace is not None:
            return _Position(kind, name, _Reach.NAMED, namespace)
        lookup = self._lookups.find(referrer)
        if lookup is None:
            return _Position(kind, name, _Reach.HERE, self.namespace_of(referrer))
        if lookup.namespace is not None:
            return _Position(kind, name, _Reach.NAMED, lookup.namespace or self._namespace)
        if lookup.anywhere or self._is_content_name(kind, name):
            return _Position(kind, name, _Reach.ANYWHERE, "")
        return _Position(kind, name, _Reach.NOWHERE, "")

    def _is_content_name(self, kind: str, name: str) -> bool:
        """Tell whether a name has the hash of one object. Then it means this one, wherever it is."""
        found = self._by_name.get((kind, name), ())
        return len(found) == 1 and found[0].id.name == name != base_name(found[0])

    def find_in_other_namespaces(
        self, referrer: Item, kind: str, name: str, namespace: str | None
    ) -> Iterator[Item]:
        """Yield the objects of this name that are not in the namespace that the referrer looks into."""
        here = (referrer.id.namespace if namespace is None else namespace) or self._namespace
        for item in self._by_name.get((kind, name), ()):
            if self.namespace_of(item) != here:
                yield item

    def find_with(self, kind: str, name: str, *, has_namespace: bool) -> list[Item]:
        """Find the objects of this name that set a namespace, or those that set none."""
        return [
            item
            for item in self._by_name.get((kind, name), ())
            if bool(item.id.namespace) == has_namespace
        ]


class Candidates:
    """Objects of one name. `rank_of` ranks an object by how well it has the name."""

    def __init__(self, items: Iterable[Item], rank_of: Callable[[Item], _Rank]) -> None:
        self.items = tuple(items)
        self._rank_of = rank_of
        self._chosen: dict[tuple[str, str], Candidates] = {}

    def __len__(self) -> int:
        return len(self.items)

    def __contains__(self, item: Item) -> bool:
        return item in self._set

    @cached_property
    def _set(self) -> frozenset[Item]:
        return frozenset(self.items)

    def nearest_to(self, package: str) -> "Candidates":
        """Return those in the deepest kpt package that holds both: subpackages may repeat names.

        Where packages have as many folders in common, it is the one with the fewest steps down from
        there.
        """
        folder = self._folders
        for name in package.split("/"):
            if name not in folder.below:
                break
            folder = folder.below[name]
        if folder.candidates is None:
            folder.candidates = Candidates(folder.items, self._rank_of)
        return folder.candidates

    @cached_property
    def _folders(self) -> "_Folder":
        root = _Folder()
        for item in self.items:
            path = item.annotations.get(PACKAGE_PATH, "").split("/")
            folder = root
            folder.add(item, len(path))
            for name in path:
                folder = folder.below.setdefault(name, _Folder())
                folder.add(item, len(path))
        return root

    def with_affixes_of(self, referrer: Item) -> "Candidates":
        """Return those with the same prefixes and suffixes.

        By these kustomize tells bases with equal names apart. Objects without affixes match any
        referrer. If that leaves several, affixes must be equal; if that leaves none, the reference
        is to something outside the package.
        """
        mine = affixes(referrer)
        key = ",".join(mine[0]), ",".join(mine[1])
        if key not in self._chosen:
            self._chosen[key] = Candidates(self._choose_by_affixes(mine), self._rank_of)
        return self._chosen[key]

    def _choose_by_affixes(self, mine: Affixes) -> list[Item]:
        possible: list[Sequence[int]] = [range(len(self.items))]
        for positions, own in zip(self._by_outermost, mine, strict=True):
            if own:
                possible.append(sorted([*positions.get(own[-1], ()), *positions.get("", ())]))
        # Each list holds all that can match, so the shortest will do: thousands of objects may have
        # one name, as of one base in many overlays.
        near = [self.items[position] for position in min(possible, key=len)]
        # As kustomize does: first leniently, then strictly where that leaves more than one.
        lenient = [item for item in near if all(map(_silent_or_alike, affixes(item), mine))]
        if len(lenient) == 1:
            return lenient
        return [item for item in lenient if all(map(_end_alike, affixes(item), mine))]

    @cached_property
    def _by_outermost(self) -> tuple[dict[str, list[int]], dict[str, list[int]]]:
        """Positions by the outermost prefix, and by the outermost suffix; `""` for none."""
        tables: tuple[dict[str, list[int]], dict[str, list[int]]] = (
            defaultdict(list),
            defaultdict(list),
        )
        for position, item in enumerate(self.items):
            for table, own in zip(tables, affixes(item), strict=True):
                table[own[-1] if own else ""].append(position)
        return tables

    @cached_property
    def strongest(self) -> "Candidates":
        """Those that have the name now, rather than before."""
        ranks = [self._rank_of(item) for item in self.items]
        best = min(ranks)
        strongest = [item for item, rank in zip(self.items, ranks, strict=True) if rank == best]
        return Candidates(strongest, self._rank_of)


class _Folder:
    """A folder, and of the objects in it or below those that are the fewest steps down."""

    def __init__(self) -> None:
        self.below: dict[str, _Folder] = {}
        self.items: list[Item] = []
        self.candidates: Candidates | None = None
        self._depth = 0

    def add(self, item: Item, depth: int) -> None:
        if not self.items or depth < self._depth:
            self.items, self._depth = [], depth
        if depth == self._depth:
            self.items.append(item)


def _silent_or_alike(one: list[str], other: list[str]) -> bool:
    return not one or not other or _end_alike(one, other)


def _end_alike(one: list[str], other: list[str]) -> bool:
    if not one or not other:
        return one == other
    length = min(len(one), len(other))
    return one[-length:] == other[-length:]


def _nearest_package(candidates: Candidates, referrer: Item) -> Candidates:
    here = referrer.annotations.get(PACKAGE_PATH)
    return candidates if here is None else candidates.nearest_to(here)


def _with_present_name(candidates: Candidates, _referrer: Item) -> Candidates:
    return candidates.strongest


_SIEVES: dict[PassedOver, Callable[[Candidates, Item], Candidates]] = {
    PassedOver.PACKAGE: _nearest_package,
    PassedOver.AFFIXES: Candidates.with_affixes_of,
    PassedOver.NAME: _with_present_name,
}
"""In the order in which they are used, each where more than one object is left.

To kustomize a former name is a name like the present one, so which of them it is decides last.
"""
