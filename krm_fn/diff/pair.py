"""Which object of one rendering is which of the other: by what its author calls it, not by its content."""

from collections import defaultdict
from collections.abc import Callable, Collection, Hashable, Iterator
from typing import NamedTuple

from krm_fn.diff.release import Release, set_of
from krm_fn.model.item import Item
from krm_fn.naming.content_digest import content_digest, read_content
from krm_fn.naming.names import base_name


class Pair(NamedTuple):
    """An object before and after; None on the side that lacks it."""

    old: Item | None
    new: Item | None


def pair_items(old: Release, new: Release) -> list[Pair]:
    """Pair the objects that authors wrote. An object that is there several times is paired in order."""
    matcher = Matcher(old.package.authored, new.package.authored)
    matcher.match(lambda item, release: (*_place(item, release), item.id.name, set_of(item)), old, new)
    matcher.match(lambda item, release: (*_place(item, release), base_name(item), set_of(item)), old, new)
    matcher.match(lambda item, release: (*_place(item, release), base_name(item)), old, new)
    matcher.pairs += _find_renamed(matcher, old, new)
    rest = [*(Pair(item, None) for item in matcher.old), *(Pair(None, item) for item in matcher.new)]
    return matcher.pairs + rest


class Matcher:
    """The pairs that are found, and the objects of both sides that are not in any."""

    def __init__(self, old: Collection[Item], new: Collection[Item]) -> None:
        self.old = dict.fromkeys(old)
        self.new = dict.fromkeys(new)
        self.pairs: list[Pair] = []

    def match(self, key: Callable[[Item, Release], Hashable], old: Release, new: Release) -> None:
        """Pair the objects with equal keys."""
        by_key: dict[Hashable, list[Item]] = defaultdict(list)
        for item in reversed(self.old):
            by_key[key(item, old)].append(item)
        for item in list(self.new):
            same = by_key.get(key(item, new))
            if same:
                self.add(same.pop(), item)

    def add(self, old: Item, new: Item) -> None:
        del self.old[old], self.new[new]
        self.pairs.append(Pair(old, new))


def _place(item: Item, release: Release) -> tuple[str, str, str]:
    return item.id.group, item.id.kind, release.package.namespace_of(item)


def _find_renamed(matcher: Matcher, old: Release, new: Release) -> Iterator[Pair]:
    """Pair ConfigMaps and Secrets that have got another base name.

    Either the content is the same, or the same field references it and they share most of their keys.
    """
    copies: dict[Hashable, list[Item]] = defaultdict(list)
    successors: dict[Hashable, list[Item]] = defaultdict(list)
    for item in (item for item in matcher.new if item.is_config):
        copies[_content(item, new)].append(item)
        for place in _find_places(item, new):
            successors[place].append(item)
    for before in [item for item in matcher.old if item.is_config]:
        same = copies[_content(before, old)] if _keys(before) else []
        alike = [item for place in _find_places(before, old) for item in successors[place] if _share(before, item)]
        after = next((item for item in [*same, *alike] if item in matcher.new), None)
        if after is not None:
            del matcher.old[before], matcher.new[after]
            yield Pair(before, after)


def _content(item: Item, release: Release) -> Hashable:
    return (*_place(item, release), content_digest(item.node))


def _find_places(item: Item, release: Release) -> list[Hashable]:
    """Return where an object is referenced: the fields of other objects."""
    return [
        (*_place(item, release), *_place(referrer, release), base_name(referrer), reference.field)
        for referrer, reference, _ in release.by_target.get(item, ())
    ]


def _share(before: Item, after: Item) -> bool:
    """Tell whether two objects share at least half of their keys."""
    keys_before, keys_after = _keys(before), _keys(after)
    return 2 * len(keys_before & keys_after) >= max(len(keys_before | keys_after), 1)


def _keys(item: Item) -> set[str]:
    return set(read_content(item.node))
