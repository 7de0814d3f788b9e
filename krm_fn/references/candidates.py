"""Objects of one name, and the ways in which kustomize and kpt choose among them.

Thousands of objects may share a name, each with a referrer of its own. So no question looks at all of them: each way to
choose sorts them once, when it is first asked for.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import TypeAlias

from krm_fn.model.item import Item
from krm_fn.model.keys import PACKAGE_PATH
from krm_fn.naming.names import affixes

Affixes: TypeAlias = tuple[list[str], list[str]]
"""Prefixes and suffixes, innermost first."""


class Candidates:
    """What a reference may mean. `strength_of` ranks an object by how well it has the name."""

    def __init__(self, items: Iterable[Item], strength_of: Callable[[Item], int]) -> None:
        self.items = tuple(items)
        self._strength_of = strength_of
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

        Of packages that have as many folders in common, the one with the fewest steps down from there.
        """
        folder = self._folders
        for name in package.split("/"):
            if name not in folder.below:
                break
            folder = folder.below[name]
        if folder.candidates is None:
            folder.candidates = Candidates(folder.items, self._strength_of)
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
        """Return those with the same prefixes and suffixes: by these kustomize tells bases with equal names apart.

        Objects without affixes match any referrer. If that leaves several, affixes must be equal; if that leaves none,
        the reference is to something outside the package.
        """
        mine = affixes(referrer)
        key = ",".join(mine[0]), ",".join(mine[1])
        if key not in self._chosen:
            self._chosen[key] = Candidates(self._choose_by_affixes(mine), self._strength_of)
        return self._chosen[key]

    def _choose_by_affixes(self, mine: Affixes) -> list[Item]:
        possible: list[Sequence[int]] = [range(len(self.items))]
        possible += [
            sorted([*places.get(own[-1], ()), *places.get("", ())])
            for places, own in zip(self._by_outermost, mine, strict=True)
            if own
        ]
        near = [self.items[place] for place in min(possible, key=len)]
        lenient = [item for item in near if all(map(_silent_or_alike, affixes(item), mine))]
        return lenient if len(lenient) == 1 else [one for one in lenient if all(map(_end_alike, affixes(one), mine))]

    @cached_property
    def _by_outermost(self) -> tuple[dict[str, list[int]], dict[str, list[int]]]:
        """Positions by the outermost prefix, and by the outermost suffix; `""` for none."""
        tables: tuple[dict[str, list[int]], dict[str, list[int]]] = defaultdict(list), defaultdict(list)
        for place, item in enumerate(self.items):
            for table, own in zip(tables, affixes(item), strict=True):
                table[own[-1] if own else ""].append(place)
        return tables

    @cached_property
    def strongest(self) -> "Candidates":
        """Those that have the name now, rather than before."""
        ranks = [self._strength_of(item) for item in self.items]
        best = min(ranks)
        return Candidates((one for one, rank in zip(self.items, ranks, strict=True) if rank == best), self._strength_of)


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
