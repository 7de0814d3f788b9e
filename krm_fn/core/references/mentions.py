"""Find what names objects in ways that no rule follows.

Such a mention is an option, a variable or a file of a program, a field of a custom resource whose
text is a name of the package, or an annotation by which a program copies an object. krm-fn rewrites
none of them: each is a reason to leave its object alone, or a warning. Each is looked for at the
first question.
"""

from collections.abc import Collection
from functools import cached_property

from krm_fn.base.item import Item
from krm_fn.base.reference import (
    EmbeddedReference,
    ResolvedReference,
)
from krm_fn.core.references.copies import Copies
from krm_fn.core.references.find import (
    read_releases,
)
from krm_fn.core.references.names_in_texts import (
    TextMention,
    find_in_texts,
    find_in_variables,
)
from krm_fn.core.references.program_options import ProgramOptions
from krm_fn.core.references.resolve import Index
from krm_fn.core.references.unfollowed import NearMiss, find_unfollowed


class Mentions:
    """Options, fields of custom resources, values of charts, other texts, and copied objects.

    Each is searched at the first question, as few packages have any.
    """

    def __init__(
        self,
        items: Collection[Item],
        authored: Collection[ResolvedReference],
        index: Index,
        embedded: Collection[EmbeddedReference] = (),
    ) -> None:
        self._items = items
        self._authored = authored
        self._index = index
        self._embedded = embedded

    @cached_property
    def options(self) -> ProgramOptions:
        """Names that programs get on their command line, in a variable or in a file."""
        return ProgramOptions(self._items)

    @cached_property
    def unfollowed(self) -> list[NearMiss]:
        """Fields of custom resources that seem to name an object."""
        return find_unfollowed(self._items, self._authored, self._index)

    @cached_property
    def in_texts(self) -> list[TextMention]:
        """Names in other texts: annotations, expressions, patches, data."""
        followed = {(one.reference.name, one.reference.target) for one in self._authored}
        followed |= {(one.scalar, one.reference.target) for one in self._embedded}
        return find_in_texts(self._items, followed, self._index)

    @cached_property
    def in_variables(self) -> list[TextMention]:
        """Variables whose value is a name that nothing else has. It may be one from outside."""
        return find_in_variables(self._items, self._index)

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
        """The objects that programs copy elsewhere."""
        return Copies(self._items, self._authored)


def _is_in_values(miss: NearMiss) -> bool:
    """Tell whether a field is in the values of a chart whose pods may read these objects."""
    releases = read_releases(miss.referrer.node, miss.referrer.id)
    return any(release.holds(miss.field) and release.excluded is None for release in releases)
