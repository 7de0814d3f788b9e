"""Entries of the configuration by what they ask for: of many entries, few are about an object."""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from operator import itemgetter
from types import MappingProxyType
from typing import Generic, NamedTuple, Protocol, TypeAlias, TypeVar

from krm_fn.model.item import Item
from krm_fn.model.settings import is_pattern, literal_parts

Condition: TypeAlias = tuple[str, str, str]
"""A field of the metadata, a name in it, and a value: `("labels", "tier", "web")`. A namespace has no name."""

_NAME = "name"
"""The field of a condition that asks for this very name."""

_NONE: Mapping[str, str] = MappingProxyType({})


def conditions(
    namespace: str | None, labels: Mapping[str, str], annotations: Mapping[str, str] = _NONE
) -> list[Condition]:
    """Return what an entry asks of metadata, or what an object has."""
    said = [] if namespace is None else [("namespace", "", namespace)]
    said += [("labels", name, value) for name, value in labels.items()]
    return [*said, *(("annotations", name, value) for name, value in annotations.items())]


class Entry(Protocol):
    """An entry with a shell pattern of names."""

    @property
    def name(self) -> str: ...


_Entry = TypeVar("_Entry", bound=Entry)


class Numbered(NamedTuple, Generic[_Entry]):
    """An entry, and its position among all of them."""

    position: int
    entry: _Entry


class Entries(Generic[_Entry]):
    """Each entry under the rarest thing that it asks for: its name, a part of its names, or a condition.

    `conditions_of` returns those that an object must meet, all of them.
    """

    def __init__(self, entries: Iterable[_Entry], conditions_of: Callable[[_Entry], list[Condition]]) -> None:
        numbered = [Numbered(position, entry) for position, entry in enumerate(entries)]
        asked = [dict.fromkeys([*_asked_of_names(one.entry.name), *conditions_of(one.entry)]) for one in numbered]
        frequency = Counter(each for several in asked for each in several)
        self._by_rarest: dict[Condition | str, list[Numbered[_Entry]]] = defaultdict(list)
        self._others: list[Numbered[_Entry]] = []
        for one, several in zip(numbered, asked, strict=True):
            of_one = self._by_rarest[min(several, key=frequency.__getitem__)] if several else self._others
            of_one.append(one)
        self._lengths = {len(part) for part in self._by_rarest if isinstance(part, str)}
        self._has_conditions = any(map(_is_of_metadata, self._by_rarest))

    def __bool__(self) -> bool:
        return bool(self._by_rarest or self._others)

    def that_may_match(self, item: Item, names: Collection[str]) -> Sequence[Numbered[_Entry]]:
        """Return the entries that may match an object with these names, in their order. No other one does."""
        found = {one.position: one for one in self._find(item, names)}
        return sorted([*found.values(), *self._others], key=itemgetter(0)) if found else self._others

    def _find(self, item: Item, names: Iterable[str]) -> Iterator[Numbered[_Entry]]:
        for name in dict.fromkeys(names):
            yield from self._by_rarest.get((_NAME, "", name), ())
            for length in self._lengths:
                for start in range(len(name) - length + 1):
                    yield from self._by_rarest.get(name[start : start + length], ())
        if self._has_conditions:
            for condition in conditions(item.id.namespace, item.labels, item.annotations):
                yield from self._by_rarest.get(condition, ())


def _asked_of_names(pattern: str) -> list[Condition | str]:
    """Return the whole name, or the parts that every name has which the pattern matches, the longest first."""
    if not is_pattern(pattern):
        return [(_NAME, "", pattern)]
    return sorted(filter(None, literal_parts(pattern)), key=len, reverse=True)


def _is_of_metadata(asked: Condition | str) -> bool:
    return not isinstance(asked, str) and asked[0] != _NAME
