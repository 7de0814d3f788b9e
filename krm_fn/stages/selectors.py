"""Which entries of `select` and `exclude` match an object."""

from collections.abc import Container, Iterable, Iterator, Sequence
from functools import cache

from krm_fn.model.entries import Entries, Numbered, conditions
from krm_fn.model.item import Item
from krm_fn.model.settings import Selector, Settings, matcher
from krm_fn.naming.names import KnownNames


class Selectors:
    """The entries of a configuration. `names` are those of the objects of this run."""

    def __init__(self, settings: Settings, names: KnownNames) -> None:
        self._select = _index(settings.select or ())
        self._exclude = _index(settings.exclude)
        # The same is asked of an object several times, and there may be thousands of entries.
        self._find = cache(lambda entries, item: [*_find(entries, item, names)])

    def select(self, item: Item) -> Sequence[Numbered[Selector]]:
        """Return the entries of `select` that match, in their order."""
        return self._find(self._select, item)

    def exclude(self, item: Item) -> Sequence[Numbered[Selector]]:
        """Return the entries of `exclude` that match, in their order."""
        return self._find(self._exclude, item)


def find_first(items: Iterable[Item], selectors: Iterable[Selector], names: KnownNames) -> dict[int, Item]:
    """Return the first object that each entry matches, by the position of the entry. Some match none."""
    entries = _index(selectors)
    first: dict[int, Item] = {}
    for item in items if entries else ():
        for position, _ in _find(entries, item, names, but=first):
            first[position] = item
    return first


def _index(selectors: Iterable[Selector]) -> Entries[Selector]:
    return Entries(selectors, lambda one: conditions(one.namespace, one.labels, one.annotations))


def _find(
    entries: Entries[Selector], item: Item, names: KnownNames, but: Container[int] = ()
) -> Iterator[Numbered[Selector]]:
    if not entries:
        return
    own = (item.id.name, names.base(item))
    for one in entries.that_may_match(item, own):
        if one.position not in but and _matches(item, own, one.entry):
            yield one


def _matches(item: Item, names: Iterable[str], selector: Selector) -> bool:
    return (
        selector.kind in (None, item.id.kind)
        and selector.namespace in (None, item.id.namespace)
        and any(map(matcher(selector.name), names))
        and (not selector.labels or selector.labels.items() <= item.labels.items())
        and selector.annotations.items() <= item.annotations.items()
    )
