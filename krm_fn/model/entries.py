"""Entries of the configuration by what they ask for: of many entries, few are about an object."""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from operator import itemgetter
from types import MappingProxyType
from typing import Generic, NamedTuple, Protocol, TypeAlias, TypeVar

from krm_fn.model.item import Item
from krm_fn.model.settings import is_pattern, literal_end, literal_part, literal_start

Condition: TypeAlias = tuple[str, str, str]
"""A field of the metadata, a name in it, and a value: `("labels", "tier", "web")`. A namespace has no name."""

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
    """Each entry under one thing that it asks for: its name, the start or end of its names, or its rarest condition.

    `conditions_of` returns those that an object must meet, all of them.
    """

    def __init__(self, entries: Iterable[_Entry], conditions_of: Callable[[_Entry], list[Condition]]) -> None:
        numbered = [Numbered(position, entry) for position, entry in enumerate(entries)]
        self._by_name: dict[str, list[Numbered[_Entry]]] = defaultdict(list)
        self._by_start: dict[int, dict[str, list[Numbered[_Entry]]]] = defaultdict(lambda: defaultdict(list))
        self._by_end: dict[int, dict[str, list[Numbered[_Entry]]]] = defaultdict(lambda: defaultdict(list))
        self._by_condition: dict[Condition, list[Numbered[_Entry]]] = defaultdict(list)
        self._others: list[tuple[str, Numbered[_Entry]]] = []
        asked = [conditions_of(one.entry) for one in numbered]
        frequency = Counter(condition for several in asked for condition in several)
        for one, several in zip(numbered, asked, strict=True):
            start, end = literal_start(one.entry.name), literal_end(one.entry.name)
            if not is_pattern(one.entry.name):
                self._by_name[one.entry.name].append(one)
            elif start:
                self._by_start[len(start)][start].append(one)
            elif end:
                self._by_end[len(end)][end].append(one)
            elif several:
                self._by_condition[min(several, key=frequency.__getitem__)].append(one)
            else:
                self._others.append((literal_part(one.entry.name), one))

    def __bool__(self) -> bool:
        return any((self._by_name, self._by_start, self._by_end, self._by_condition, self._others))

    def that_may_match(self, item: Item, names: Collection[str]) -> Sequence[Numbered[_Entry]]:
        """Return the entries that may match an object with these names, in their order. No other one does."""
        found = {one.position: one for one in self._find(item, names)}
        text = "\n".join(names)
        others = [one for literal, one in self._others if literal in text]
        return sorted([*found.values(), *others], key=itemgetter(0)) if found else others

    def _find(self, item: Item, names: Iterable[str]) -> Iterator[Numbered[_Entry]]:
        for name in names:
            yield from self._by_name.get(name, ())
            for length, by_start in self._by_start.items():
                yield from by_start.get(name[:length], ())
            for length, by_end in self._by_end.items():
                yield from by_end.get(name[-length:], ())
        if self._by_condition:
            for condition in conditions(item.id.namespace, item.labels, item.annotations):
                yield from self._by_condition.get(condition, ())
