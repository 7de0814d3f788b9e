"""The names of objects in places that no rule follows, however they are said.

krm-fn rewrites none of them: each is a reason to leave its object alone, or a warning. They are
searched at the first question, as few packages ask.
"""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from functools import cached_property

from krm_fn.base.item import Item
from krm_fn.base.reference import EmbeddedReference, ResolvedReference
from krm_fn.core.references.chart_releases import read_releases
from krm_fn.core.references.copies import Copies
from krm_fn.core.references.hits import NameSearch
from krm_fn.core.references.names_in_texts import sight_texts, sight_variables
from krm_fn.core.references.program_options import sight_options
from krm_fn.core.references.resolve import Index
from krm_fn.core.references.sighting import FIELD, Sighting
from krm_fn.core.references.unfollowed import sight_fields

READERS = (sight_options, sight_fields, sight_texts, sight_variables)
"""They judge each text with a name. What several find, the first of them says."""


class Mentions:
    """What the readers have sighted, and the objects that programs copy.

    `search`: the texts with names, and what else the readers judge by.
    """

    def __init__(
        self,
        items: Collection[Item],
        authored: Collection[ResolvedReference],
        index: Index,
        embedded: Collection[EmbeddedReference] = (),
    ) -> None:
        self.search = NameSearch(items, index, authored, embedded)

    @cached_property
    def sightings(self) -> list[Sighting]:
        """The names that something may read, each way by itself."""
        found: dict[tuple[Item, str, Item], Sighting] = {}
        for read in READERS:
            for one in read(self.search):
                found.setdefault((one.item, one.field, one.target), one)
        return [*found.values()]

    def find_rest(self, targets: Collection[Item]) -> Iterator[Sighting]:
        """Find all other texts that mention one of these objects. None is a reason for anything."""
        # Only `krm-fn explain` asks.
        from krm_fn.core.references.other_texts import sight_rest

        return sight_rest(self.search, targets)

    @cached_property
    def of(self) -> Mapping[str, Mapping[Item, Sighting]]:
        """By the code of a way: the first sighting of each object that is a reason to keep its name."""
        first: dict[str, dict[Item, Sighting]] = defaultdict(dict)
        for one in self.sightings:
            if one.way.because is not None:
                first[one.way.code].setdefault(one.target, one)
        return first

    @cached_property
    def in_values(self) -> frozenset[Item]:
        """The objects that values of a chart reference, or name in a field that no rule follows."""
        named: set[Item] = set()
        for one in self.search.references:
            if one.reference.installed_in is not None:
                named.update(one.targets)
        if any(read_releases(item.node, item.id) for item in self.search.items):
            fields = [one for one in self.sightings if one.way.code == FIELD.code]
            named.update(one.target for one in fields if _is_in_values(one))
        return frozenset(named)

    @cached_property
    def copies(self) -> Copies:
        """The objects that programs copy elsewhere."""
        return Copies(self.search.items, self.search.references)


def _is_in_values(one: Sighting) -> bool:
    """Tell whether a field is in the values of a chart whose pods may read these objects."""
    releases = read_releases(one.item.node, one.item.id)
    return any(release.holds(one.field) and release.excluded is None for release in releases)
