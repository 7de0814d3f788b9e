"""What names objects in ways that no rule follows."""

from collections.abc import Collection
from functools import cached_property

from krm_fn.base.item import Item
from krm_fn.core.references.copies import Copies
from krm_fn.core.references.near_misses import NearMiss, find_unfollowed
from krm_fn.core.references.program_options import ProgramOptions
from krm_fn.core.references.reference import ResolvedReference
from krm_fn.core.references.releases import read_releases
from krm_fn.core.references.resolve import Index


class Mentions:
    """Options of programs, fields of custom resources, values of charts, and what is copied.

    Each is searched at the first question, as few packages have any.
    """

    def __init__(self, items: Collection[Item], authored: Collection[ResolvedReference], index: Index) -> None:
        self._items = items
        self._authored = authored
        self._index = index

    @cached_property
    def options(self) -> ProgramOptions:
        """Names that programs get on their command line, in a variable or in a file."""
        return ProgramOptions(self._items)

    @cached_property
    def unfollowed(self) -> list[NearMiss]:
        """Fields of custom resources that seem to name an object."""
        return find_unfollowed(self._items, self._authored, self._index)

    @cached_property
    def in_values(self) -> frozenset[Item]:
        """The objects that values of a chart reference, or name in a field that no rule follows."""
        named: set[Item] = set()
        for one in self._authored:
            if one.reference.installed_in is not None:
                named.update(one.targets)
        if any(read_releases(item.node, item.id) for item in self._items):
            named.update(miss.target for miss in self.unfollowed if _is_in_values(miss))
        return frozenset(named)

    @cached_property
    def copies(self) -> Copies:
        """What programs copy elsewhere."""
        return Copies(self._items, self._authored)


def _is_in_values(miss: NearMiss) -> bool:
    """Tell whether a field is in the values of a chart whose pods may read objects of the package."""
    releases = read_releases(miss.referrer.node, miss.referrer.id)
    return any(release.holds(miss.field) and release.excluded is None for release in releases)
