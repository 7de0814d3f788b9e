"""A name on the command line, and the objects that it means."""

from collections.abc import Collection, Iterable, Mapping

from krm_fn.base.item import Item
from krm_fn.base.kind import plural_of
from krm_fn.base.named_tuple import NamedTuple
from krm_fn.base.problem import NotFound, Problem
from krm_fn.base.suggest import did_you_mean, nearest
from krm_fn.core.names.names import base_name
from krm_fn.core.references.generated import known_names
from krm_fn.facts.kinds import SHORT_NAMES

_ASKED_FOR = (*SHORT_NAMES, "Job", "Secret")


class Wanted(NamedTuple):
    """A name, and the kinds and namespaces in front of it. No name stands for all."""

    name: str
    above: tuple[str, ...]

    def matches(self, kind: str, namespace: str, names: Collection[str]) -> bool:
        """Tell whether it means an object that has one of these names."""
        kinds = _spellings(kind)
        is_there = all(one == namespace or one.lower() in kinds for one in self.above)
        return is_there and (not self.name or self.name in names)

    def find(self, configs: Collection[Item], new_names: Mapping[Item, str]) -> list[Item]:
        """Find the ConfigMaps and Secrets that it means.

        It may use any name that a reference may use, or their new names.
        """
        found: list[Item] = []
        for item in configs:
            names = [*known_names(item), (item.id.kind, new_names.get(item, item.id.name))]
            if any(self.matches(kind, item.id.namespace, {name}) for kind, name in names):
                found.append(item)
        return found

    def not_found(self, items: Iterable[Item], kinds: str = "ConfigMap or Secret") -> NotFound:
        """Return the error for a name that no object of these kinds has in the package."""
        near = nearest(self.name, sorted({base_name(item) for item in items}))
        return NotFound(Problem(f"the package has no {kinds} {self}{did_you_mean(near)}"))

    def __str__(self) -> str:
        return "/".join((*self.above, self.name))


EVERYTHING = Wanted("", ())


def _spellings(kind: str) -> set[str]:
    """Return what kubectl takes for a kind."""
    return {kind.lower(), plural_of(kind), SHORT_NAMES.get(kind, kind.lower())}


def read_wanted(text: str) -> Wanted:
    """Read `name`, `kind/name`, `namespace/name` or `kind/namespace/name`; `namespace/` for all that is there."""
    *above, name = text.split("/")
    return Wanted(name, tuple(above))


def begins_with_a_kind(text: str) -> bool:
    """Tell whether it is `kind/name`, of a kind that people ask for, spelled as kubectl takes it."""
    kind, slash, _ = text.lower().partition("/")
    spelled = {spelling for one in _ASKED_FOR for spelling in _spellings(one)}
    return bool(slash) and kind in spelled
