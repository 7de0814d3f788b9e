"""Pair the objects of two renderings: by what their author calls them, not by content."""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from functools import cached_property
from types import MappingProxyType
from typing import Final, TypeAlias

from krm_fn.base import keys
from krm_fn.base.item import HASH, Item, collect, is_revision
from krm_fn.base.link_plan import PLAN_VERSION, find_container
from krm_fn.base.named_tuple import NamedTuple
from krm_fn.base.node import FieldPath, elements, get, text
from krm_fn.base.problem import listing
from krm_fn.base.producer import RENAMABLE, RENAMABLE_KINDS
from krm_fn.base.reference import ResolvedReference
from krm_fn.base.settings import Settings, version_of
from krm_fn.core.decide.decide import Package, read_package
from krm_fn.core.names.names import base_name, read_content
from krm_fn.core.references.generated import find_generated
from krm_fn.report.object_change import FieldChange
from krm_fn.report.secrets import KeyChange
from krm_fn.tools.common.made_anew import WHOLE, MadeAnew
from krm_fn.tools.common.rendered import find_default_namespace
from krm_fn.tools.diff.difference import LinkerChange

_JOB_HASH = re.compile(f"(-link)-{HASH}")


AffixPairs: TypeAlias = tuple[tuple[str, str], ...]
"""The prefixes and suffixes that names may have."""


class Dialect(NamedTuple):
    """How a rendering spells what is taken as equal to what the other one has.

    `namespaces`: what the new one calls a namespace of this one.
    """

    namespaces: Mapping[str, str] = {}  # of a tuple, whose fields nobody changes
    affixes: AffixPairs = ()

    def core(self, name: str) -> str:
        """Return a name without the longest affixes that fit."""
        shortest = name
        for before, behind in self.affixes:
            if name.startswith(before) and name.endswith(behind):
                core = name[len(before) : len(name) - len(behind)]
                # Something must be left: a name may consist of its affixes.
                if core and len(core) < len(shortest):
                    shortest = core
        return shortest


AS_WRITTEN = Dialect()


class Release:
    """The objects of a rendering, and the references among them."""

    def __init__(
        self,
        package: Package,
        references: list[ResolvedReference],
        dialect: Dialect = AS_WRITTEN,
        made_anew: MadeAnew = MappingProxyType({}),
    ) -> None:
        self.package: Final = package
        self.references: Final = references
        self.dialect: Final = dialect
        self.made_anew: Final = made_anew

    def spelled(self, dialect: Dialect) -> "Release":
        return Release(self.package, self.references, dialect, self.made_anew)

    def knowing(self, made_anew: MadeAnew) -> "Release":
        """Return the release with what every rendering of it makes anew."""
        return Release(self.package, self.references, self.dialect, made_anew)

    def namespace_of(self, item: Item) -> str:
        """Return the namespace of an object, as both renderings call it."""
        namespace = self.package.namespace_of(item)
        return self.dialect.namespaces.get(namespace, namespace)

    @cached_property
    def by_referrer(self) -> dict[Item, list[ResolvedReference]]:
        """The references of each object, without those that say what a controller is to write."""
        return collect(
            (one.referrer, one) for one in self.references if not one.reference.is_output
        )

    @cached_property
    def by_target(self) -> dict[Item, list[ResolvedReference]]:
        found: dict[Item, list[ResolvedReference]] = defaultdict(list)
        for references in self.by_referrer.values():
            for one in references:
                for target in one.targets:
                    found[target].append(one)
        return found

    @cached_property
    def linked_sets(self) -> frozenset[tuple[str, str]]:
        """The sets that have a linker, each with its namespace."""
        found: set[tuple[str, str]] = set()
        for item in self.package.emitted:
            if keys.SET in item.labels and item.labels.get(keys.COMPONENT) == keys.LINKER:
                found.add((item.labels[keys.SET], self.namespace_of(item)))
        return frozenset(found)


def read_release(items: Collection[Item], settings: Settings | None, namespace: str) -> Release:
    """Read the objects. `settings`: those of the configuration, if there was one.

    `namespace` is that of objects that set none. If it is empty, the configuration or the linker's
    objects may say it.
    """
    configured = [settings] if settings else []
    namespace = namespace or find_default_namespace(items, configured)
    # Pods name the Secret, so what makes it is found by that name before it is a revision, too.
    package = read_package(items, None, namespace, kinds=RENAMABLE_KINDS)
    specs = settings.references if settings else ()
    return Release(package, package.read_written(specs).references)


def is_versioned(item: Item) -> bool:
    """Tell whether it is a ConfigMap, a Secret, or a producer whose Secret goes with it."""
    return item.is_config or item.id.group_kind in RENAMABLE


def set_of(item: Item) -> str:
    """Return the set of a revision; `""` for any other object."""
    return item.labels[keys.SET] if is_revision(item) else ""


def is_named_by_content(item: Item) -> bool:
    return base_name(item) != item.id.name


class Pair(NamedTuple):
    """An object before and after; None on the side that lacks it."""

    old: Item | None
    new: Item | None


class ComparedPair(NamedTuple):
    """A pair, and what differs in it. `made_anew`: the fields that every rendering makes anew.

    `unlike`: the places as of `find_unlike`, or the whole where they are many.
    """

    pair: Pair
    fields: tuple[FieldChange, ...]
    made_anew: tuple[FieldChange, ...]
    content: tuple[KeyChange, ...]
    unlike: Sequence[FieldPath]


def pair_items(old: Release, new: Release) -> list[Pair]:
    """Pair the objects that authors wrote.

    An object that is there several times is paired in order.
    """
    matcher = Matcher(old.package.authored, new.package.authored)
    # The closest first: who is paired by a name cannot be taken by a base name any more.
    matcher.match(_by_name_and_set, old, new)
    matcher.match(_by_base_name_and_set, old, new)
    matcher.match(_by_base_name, old, new)
    # What was a revision under the name of a generator's hash, and is none any more.
    matcher.match(_by_name, old, new)
    if old.dialect.affixes or new.dialect.affixes:
        matcher.match(_by_core_name, old, new)
    _match_renamed(matcher, old, new)
    _match_named_anew(matcher, old, new)
    removed = [Pair(item, None) for item in matcher.old]
    added = [Pair(None, item) for item in matcher.new]
    return [*matcher.pairs, *removed, *added]


def _by_name(item: Item, release: Release) -> Hashable:
    return (*scope_of(item, release), item.id.name)


def _by_name_and_set(item: Item, release: Release) -> Hashable:
    return (*scope_of(item, release), item.id.name, set_of(item))


def _by_base_name(item: Item, release: Release) -> Hashable:
    return (*scope_of(item, release), base_name(item))


def _by_base_name_and_set(item: Item, release: Release) -> Hashable:
    return (*scope_of(item, release), base_name(item), set_of(item))


def _by_core_name(item: Item, release: Release) -> Hashable:
    return (*scope_of(item, release), core_name(item, release))


def core_name(item: Item, release: Release) -> str:
    """Return the base name without what is taken as equal."""
    return release.dialect.core(base_name(item))


def is_spelled_anew(pair: Pair, old: Release, new: Release) -> bool:
    """Tell whether only affixes that are taken as equal make the base name another one."""
    if pair.old is None or pair.new is None or base_name(pair.old) == base_name(pair.new):
        return False
    return core_name(pair.old, old) == core_name(pair.new, new)


def spell_alike(
    old: Release, new: Release, affixes: tuple[AffixPairs, AffixPairs], *, namespaces: bool
) -> tuple[Release, Release, tuple[str, ...]]:
    """Let both renderings call things by one name.

    The notes say what is taken as equal, and what might have been.
    """
    of_old, of_new = affixes
    old, new = old.spelled(Dialect({}, of_old)), new.spelled(Dialect({}, of_new))
    equal: list[str] = []
    notes: list[str] = []
    if namespaces:
        here, there = _ids_by_namespace(old), _ids_by_namespace(new)
        matched = _match_namespaces(here, there)
        for namespace, other in matched.items():
            equal.append(f"namespaces {_or_none(namespace)} and {_or_none(other)}")
        only_here = sorted(here.keys() - there.keys() - matched.keys())
        only_there = sorted(there.keys() - here.keys() - {*matched.values()})
        if only_here and only_there:
            apart = " and ".join(map(_list_namespaces, (only_here, only_there)))
            notes.append(
                f"not paired, as nothing tells which of them belong together: namespaces {apart}"
            )
        old = old.spelled(old.dialect._replace(namespaces=matched))
        new = new.spelled(new.dialect._replace(namespaces={one: one for one in matched.values()}))
    if {*of_old} != {*of_new}:
        spelled = map(_spell_affixes, ({*of_old} - {*of_new}, {*of_new} - {*of_old}))
        equal.append(f"names {' and '.join(spelled)}")
    return old, new, (*(f"taken as equal: {one}" for one in equal), *notes)


def _list_namespaces(namespaces: Iterable[str]) -> str:
    return ", ".join(map(_or_none, namespaces))


def _spell_affixes(pairs: Iterable[tuple[str, str]]) -> str:
    return ", ".join(f"{before}*{behind}" for before, behind in sorted(pairs)) or "*"


def _or_none(namespace: str) -> str:
    return namespace or "(none)"


_Content: TypeAlias = frozenset[tuple[str, str, str]]
"""The objects of a namespace: group, kind and name of each."""


def _match_namespaces(
    here: Mapping[str, _Content], there: Mapping[str, _Content]
) -> dict[str, str]:
    """Return which namespace there belongs to one here.

    Those of one name belong together, and of the others the two that have more objects in common
    than each has with any other. If one is left on each side, these two.
    """
    left, right = sorted(here.keys() - there.keys()), sorted(there.keys() - here.keys())
    if len(left) == len(right) == 1:
        return {left[0]: right[0]}
    if not (left and right):
        return {}
    ours, theirs = _by_content(here, left), _by_content(there, right)
    # What all of them have tells nothing, and to count it would be quadratic.
    everywhere = frozenset.intersection(*ours, *theirs)
    closest = _find_closest(ours, theirs, everywhere)
    closest_to_theirs = _find_closest(theirs, ours, everywhere)
    found: dict[str, str] = {}
    for content, names in ours.items():
        other = closest.get(content)
        # Nothing tells those apart that have the same.
        if other is None or closest_to_theirs.get(other) != content:
            continue
        if len(names) == len(theirs[other]) == 1:
            found[names[0]] = theirs[other][0]
    return found


def _by_content(
    side: Mapping[str, _Content], namespaces: Iterable[str]
) -> dict[_Content, list[str]]:
    return collect((side[namespace], namespace) for namespace in namespaces)


def _find_closest(
    ours: Iterable[_Content], theirs: Iterable[_Content], known: _Content
) -> dict[_Content, _Content]:
    """Return which of theirs has the most in common with one of ours, besides the known."""
    holders: dict[tuple[str, str, str], list[_Content]] = defaultdict(list)
    for content in theirs:
        for one in content - known:
            holders[one].append(content)
    found: dict[_Content, _Content] = {}
    for content in ours:
        in_common: Counter[_Content] = Counter()
        for one in content:
            in_common.update(holders.get(one, ()))
        best = in_common.most_common(2)
        # Of two that are equally close, none is the closest.
        if len(best) == 1 or (best and best[0][1] > best[1][1]):
            found[content] = best[0][0]
    return found


def _ids_by_namespace(release: Release) -> dict[str, _Content]:
    found: dict[str, set[tuple[str, str, str]]] = defaultdict(set)
    for item in (*release.package.authored, *release.package.emitted):
        namespace = release.package.namespace_of(item)
        if not release.package.kinds.is_cluster_scoped(item.id):
            found[namespace].add((item.id.group, item.id.kind, core_name(item, release)))
    return {namespace: frozenset(ids) for namespace, ids in found.items()}


class Matcher:
    """The pairs that are found, and the objects of both sides that are not in any."""

    def __init__(self, old: Collection[Item], new: Collection[Item]) -> None:
        self.old = dict.fromkeys(old)
        self.new = dict.fromkeys(new)
        self.pairs: list[Pair] = []

    def match(self, key: Callable[[Item, Release], Hashable], old: Release, new: Release) -> None:
        """Pair the objects with equal keys."""
        by_key = collect((key(item, old), item) for item in reversed(self.old))
        for item in list(self.new):
            same = by_key.get(key(item, new))
            if same:
                self.add(same.pop(), item)

    def add(self, old: Item, new: Item) -> None:
        del self.old[old], self.new[new]
        self.pairs.append(Pair(old, new))


def scope_of(item: Item, release: Release) -> tuple[str, str, str]:
    """Return what a name is unique in: group, kind and namespace."""
    return item.id.group, item.id.kind, release.namespace_of(item)


def _match_renamed(matcher: Matcher, old: Release, new: Release) -> None:
    """Pair ConfigMaps and Secrets that have got another base name.

    Either the content is the same, or the same field references it and they share most of their
    keys.
    """
    copies: dict[Hashable, list[Item]] = defaultdict(list)
    successors: dict[Hashable, list[Item]] = defaultdict(list)
    for item in matcher.new:
        if item.is_config:
            copies[_content(item, new)].append(item)
            for field in _list_referring_fields(item, new):
                successors[field].append(item)
    for before in [item for item in matcher.old if item.is_config]:
        # Many objects have no keys, and are no copies of each other.
        possible = [*copies[_content(before, old)]] if _keys(before) else []
        for field in _list_referring_fields(before, old):
            left = [item for item in successors[field] if item in matcher.new]
            possible += [item for item in left if _share(before, item)]
        after = next((item for item in possible if item in matcher.new), None)
        if after is not None:
            matcher.add(before, after)


def _match_named_anew(matcher: Matcher, old: Release, new: Release) -> None:
    """Pair what every rendering gives another name, in order."""
    successors = collect(
        (scope_of(item, new), item) for item in reversed(matcher.new) if is_named_anew(item, new)
    )
    for before in [item for item in matcher.old if is_named_anew(item, old)]:
        same = successors[scope_of(before, old)]
        if same:
            matcher.add(before, same.pop())


def is_named_anew(item: Item, release: Release) -> bool:
    return WHOLE in release.made_anew.get(item, ())


def _content(item: Item, release: Release) -> Hashable:
    return (*scope_of(item, release), frozenset(read_content(item.node).items()))


def _list_referring_fields(item: Item, release: Release) -> list[Hashable]:
    """Return where an object is referenced: the fields of other objects."""
    own = scope_of(item, release)
    fields: list[Hashable] = []
    for referrer, reference, _ in release.by_target.get(item, ()):
        theirs = scope_of(referrer, release)
        fields.append((*own, *theirs, base_name(referrer), reference.field))
    return fields


def _share(before: Item, after: Item) -> bool:
    """Tell whether two objects share at least half of their keys."""
    keys_before, keys_after = _keys(before), _keys(after)
    return 2 * len(keys_before & keys_after) >= max(len(keys_before | keys_after), 1)


def _keys(item: Item) -> set[str]:
    return set(read_content(item.node))


def pair_emitted(old: Release, new: Release) -> tuple[LinkerChange, list[Pair]]:
    """Pair the objects of the linkers that are on both sides.

    An object that is told in another way is in no pair: a whole linker, a Job that runs, a tracker that comes
    or goes with its Secret.
    """
    runs = _list_runs(old, new)
    linker = LinkerChange(
        # Of another environment, each Job is another one.
        len(runs) if old.dialect == AS_WRITTEN else 0,
        tuple(map(_spell, sorted(new.linked_sets - old.linked_sets))),
        tuple(map(_spell, sorted(old.linked_sets - new.linked_sets))),
    )
    kept = old.linked_sets & new.linked_sets
    before = [item for item in old.package.emitted if _linker_of(item, old) in kept]
    after = [item for item in new.package.emitted if _linker_of(item, new) in kept]
    matcher = Matcher(before, after)
    matcher.match(_by_linker_and_name, old, new)
    matcher.match(_by_linker_and_base_name, old, new)
    # The names of a linker begin with its set, and that may be spelled as an affix.
    matcher.match(_by_linker_and_core_name, old, new)
    removed = [Pair(item, None) for item in matcher.old if not _comes_with_secret(item, old, new)]
    added = [Pair(None, item) for item in matcher.new if not _comes_with_secret(item, new, old)]
    return linker, [*matcher.pairs, *removed, *(pair for pair in added if pair.new not in runs)]


def find_version(release: Release) -> str:
    """Return the version of krm-fn that has rendered the Jobs; `""` where none says it.

    A Job says it where the tag of its image does not (`PLAN_VERSION`).
    """
    found: set[str] = set()
    for item in release.package.emitted:
        if item.id.kind != "Job":
            continue
        container = find_container(item)
        variables = elements(get(container, "env"))
        told = {text(get(one, "name")): text(get(one, "value")) for one in variables}
        found.add(told.get(PLAN_VERSION) or version_of(text(get(container, "image"))))
    return listing(sorted(filter(None, found)), is_sentence=True)


def list_left(old: Release, new: Release) -> list[str]:
    """Return the sets that lose their linker while objects of theirs keep their names.

    No release before has said that this is to come.
    """
    leaving = {
        _linker_of(item, old)
        for item in old.package.emitted
        if item.annotations.get(keys.LEAVING) == "true"
    }
    if old.dialect != AS_WRITTEN:
        return []
    # Another set of the namespace may take over what this one has.
    linked = {namespace for _, namespace in new.linked_sets}
    here = {(*scope_of(item, new), item.id.name) for item in new.package.authored}
    keeping = {
        _linker_of(item, old)
        for item in old.package.configs
        if keys.SET in item.labels and (*scope_of(item, old), item.id.name) in here
    }
    left = sorted((old.linked_sets & keeping) - new.linked_sets - leaving)
    return [_spell(one) for one in left if one[1] not in linked]


def _list_runs(old: Release, new: Release) -> list[Item]:
    """Return the Jobs that the old rendering does not have: a new name is what makes one run."""
    jobs = {
        (item.id.namespace, item.id.name) for item in old.package.emitted if item.id.kind == "Job"
    }
    runs: list[Item] = []
    for item in new.package.emitted:
        if item.id.kind == "Job" and (item.id.namespace, item.id.name) not in jobs:
            runs.append(item)
    return runs


def emitted_base(item: Item) -> str:
    """Return what stays of the name of a linker's object."""
    return _JOB_HASH.sub(r"\1", base_name(item))


def _spell(linker: tuple[str, str]) -> str:
    name, namespace = linker
    return f"{namespace}/{name}" if namespace else name


def _linker_of(item: Item, release: Release) -> tuple[str, str]:
    return item.labels.get(keys.SET, ""), release.namespace_of(item)


def _by_linker_and_name(item: Item, release: Release) -> Hashable:
    return (*_linker_of(item, release), item.id.kind, item.id.name)


def _by_linker_and_base_name(item: Item, release: Release) -> Hashable:
    return (*_linker_of(item, release), item.id.kind, emitted_base(item))


def _by_linker_and_core_name(item: Item, release: Release) -> Hashable:
    return (*_linker_of(item, release), item.id.kind, release.dialect.core(emitted_base(item)))


def _comes_with_secret(item: Item, here: Release, there: Release) -> bool:
    """Tell whether this is a tracker whose Secret is on one side only."""
    if item.labels.get(keys.COMPONENT) != keys.TRACKER:
        return False
    secret = _secret_of(item, here)
    return secret in _secrets(here) and secret not in _secrets(there)


def _secret_of(tracker: Item, release: Release) -> tuple[str, str]:
    return release.namespace_of(tracker), core_name(tracker, release)


def _secrets(release: Release) -> set[tuple[str, str]]:
    """Return namespace and base name of Secrets, and of producers under all their names."""
    tracked = [item for item in release.package.configs if item.id.kind != "ConfigMap"]
    core = release.dialect.core
    found = {_secret_of(item, release) for item in tracked}
    for item in tracked:
        found |= {(release.namespace_of(item), core(one.base_name)) for one in find_generated(item)}
    return found
