"""Two renderings, and which object of one is which of the other: by what its author calls it, not by its content."""

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Hashable, Iterator
from functools import cached_property
from typing import Final, NamedTuple

from krm_fn.diff.difference import LinkerChange
from krm_fn.model import keys
from krm_fn.model.item import Item
from krm_fn.model.settings import Settings
from krm_fn.naming.content_digest import content_digest, read_content
from krm_fn.naming.names import HASH, base_name, is_revision
from krm_fn.references.generated import find_generated, versioned
from krm_fn.references.reference import ResolvedReference
from krm_fn.stages.package import Package, read_package
from krm_fn.verify.rendering import find_namespace, read_written

_JOB_HASH = re.compile(f"(-link)-{HASH}")


class Release:
    """The objects of a rendering, and the references among them."""

    def __init__(self, package: Package, references: list[ResolvedReference]) -> None:
        self.package: Final = package
        self.references: Final = references

    @cached_property
    def by_referrer(self) -> dict[Item, list[ResolvedReference]]:
        """The references of each object, without those that say what a controller is to write."""
        found: dict[Item, list[ResolvedReference]] = defaultdict(list)
        for one in self.references:
            if not one.reference.written:
                found[one.referrer].append(one)
        return found

    @cached_property
    def by_target(self) -> dict[Item, list[ResolvedReference]]:
        """The references to each object."""
        found: dict[Item, list[ResolvedReference]] = defaultdict(list)
        for references in self.by_referrer.values():
            for one in references:
                for target in one.targets:
                    found[target].append(one)
        return found

    @cached_property
    def linked_sets(self) -> frozenset[tuple[str, str]]:
        """The sets that have a linker, each with its namespace."""
        return frozenset(
            (item.labels[keys.SET], self.package.namespace_of(item))
            for item in self.package.emitted
            if keys.SET in item.labels and item.labels.get(keys.COMPONENT) == keys.LINKER
        )


def read_release(items: Collection[Item], settings: Settings | None, namespace: str) -> Release:
    """Read the objects. `settings`: those of the configuration, if there was one.

    `namespace` is that of objects that set none. If it is empty, the configuration or the linker's objects may say it.
    """
    configured = [settings] if settings else []
    package = read_package(items, None, namespace or find_namespace(items, configured))
    _, authored = read_written(package, configured)
    return Release(package, authored.references)


def is_versioned(item: Item) -> bool:
    """Tell whether others read it, or what it makes: a ConfigMap, a Secret, or a producer that is a revision."""
    return item.is_config or (versioned(item.id) is not None and is_revision(item))


def set_of(item: Item) -> str:
    """Return the set of a revision; `""` for any other object."""
    return item.labels[keys.SET] if is_revision(item) else ""


def is_named_by_content(item: Item) -> bool:
    """Tell whether the name changes with the content."""
    return base_name(item) != item.id.name


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


def pair_emitted(old: Release, new: Release) -> tuple[LinkerChange, list[Pair]]:
    """Pair the objects of the linkers that are on both sides.

    What is told in another way is in no pair: a whole linker, a Job that runs, a tracker that comes or goes with its
    Secret.
    """
    jobs = {(item.id.namespace, item.id.name) for item in old.package.emitted if item.id.kind == "Job"}
    runs = [item for item in new.package.emitted if item.id.kind == "Job" and item.id[2:] not in jobs]
    linker = LinkerChange(
        len(runs),
        tuple(map(_spell, sorted(new.linked_sets - old.linked_sets))),
        tuple(map(_spell, sorted(old.linked_sets - new.linked_sets))),
    )
    kept = old.linked_sets & new.linked_sets
    matcher = Matcher(*([item for item in one.package.emitted if _linker_of(item, one) in kept] for one in (old, new)))
    matcher.match(lambda item, release: (*_linker_of(item, release), item.id.kind, item.id.name), old, new)
    matcher.match(_key, old, new)
    removed = [Pair(item, None) for item in matcher.old if not _comes_with_secret(item, old, new)]
    added = [Pair(None, item) for item in matcher.new if not _comes_with_secret(item, new, old)]
    return linker, [*matcher.pairs, *removed, *(pair for pair in added if pair.new not in runs)]


def emitted_base(item: Item) -> str:
    """Return what stays of the name of a linker's object."""
    return _JOB_HASH.sub(r"\1", base_name(item))


def _spell(linker: tuple[str, str]) -> str:
    name, namespace = linker
    return f"{namespace}/{name}" if namespace else name


def _linker_of(item: Item, release: Release) -> tuple[str, str]:
    return item.labels.get(keys.SET, ""), release.package.namespace_of(item)


def _key(item: Item, release: Release) -> Hashable:
    return (*_linker_of(item, release), item.id.kind, emitted_base(item))


def _comes_with_secret(item: Item, here: Release, there: Release) -> bool:
    """Tell whether this is a tracker whose Secret is on one side only."""
    if item.labels.get(keys.COMPONENT) not in keys.TRACKERS:
        return False
    secret = _secret_of(item, here)
    return secret in _secrets(here) and secret not in _secrets(there)


def _secret_of(tracker: Item, release: Release) -> tuple[str, str]:
    return release.package.namespace_of(tracker), base_name(tracker)


def _secrets(release: Release) -> set[tuple[str, str]]:
    """Return namespace and base name of what trackers stand for: Secrets, and producers under all their names."""
    tracked = [item for item in release.package.configs if item.id.kind != "ConfigMap"]
    made = {(release.package.namespace_of(item), one.base_name) for item in tracked for one in find_generated(item)}
    return made | {_secret_of(item, release) for item in tracked}
