"""Everything in a package that names ConfigMaps and Secrets, found and resolved once."""

from collections import defaultdict
from collections.abc import Collection, Iterator
from functools import cached_property
from typing import NamedTuple

from krm_fn.base.item import CONFIG_KINDS, Item, data_keys
from krm_fn.base.kind import BUILT_IN_GROUPS
from krm_fn.base.node import Node, elements, entries, get, is_scalar, text
from krm_fn.base.settings import FieldSpec
from krm_fn.core.references.copies import Copies
from krm_fn.core.references.embedded import EmbeddedReference
from krm_fn.core.references.find import (
    ExcludedReference,
    SpecsByKind,
    find_params,
    find_references,
    read_kinds_of_params,
)
from krm_fn.core.references.near_misses import NearMiss, find_unfollowed
from krm_fn.core.references.program_options import ProgramOptions
from krm_fn.core.references.reference import Reference, ResolvedReference
from krm_fn.core.references.releases import read_charts, read_releases
from krm_fn.core.references.resolve import Index


class Authored(NamedTuple):
    """The references that authors wrote, and the fields that only look like one, each with its object."""

    references: list[ResolvedReference]
    lookalikes: list[tuple[Item, ExcludedReference]]


class References:
    """The references that authors wrote, and those that configured mounts add.

    `authored` have a text in the referrer that may change; `mounted` will be written by this run; `embedded` are
    inside the data of ConfigMaps and Secrets. `options`, `unfollowed`, `copies` and `lookalikes` name objects in ways
    that nothing follows. They are searched at the first question, as few packages have any.
    """

    def __init__(
        self,
        items: Collection[Item],
        index: Index,
        *,
        authored: Authored,
        mounted: list[ResolvedReference],
        embedded: list[EmbeddedReference],
    ) -> None:
        self.index = index
        self.authored = authored.references
        self.lookalikes = authored.lookalikes
        self.mounted = mounted
        self.embedded = embedded
        self.options = ProgramOptions(items)
        self._items = items

    def __iter__(self) -> Iterator[ResolvedReference]:
        yield from self.authored
        yield from self.mounted

    @cached_property
    def read_by_pods(self) -> frozenset[Item]:
        """The objects that a pod template of the package references. The pods of a chart are not in the package."""
        return frozenset(
            target
            for one in self
            if one.reference.in_pod and not one.reference.written and one.reference.installed_in is None
            for target in one.targets
        )

    @cached_property
    def named_in_values(self) -> frozenset[Item]:
        """The objects that values of a chart reference, or name in a field that no rule follows."""
        followed = {target for one in self.authored if one.reference.installed_in is not None for target in one.targets}
        return frozenset(followed | {miss.target for miss in self.unfollowed if _is_in_values(miss)})

    @cached_property
    def written_by_controllers(self) -> dict[Item, ResolvedReference]:
        """The objects that a controller writes, and the first field that says so."""
        written: dict[Item, ResolvedReference] = {}
        for one in self:
            if one.reference.written:
                for target in one.targets:
                    if target is not one.referrer:
                        written.setdefault(target, one)
        return written

    @cached_property
    def shared(self) -> dict[Item, ResolvedReference]:
        """The objects whose controllers write what is in the package as well, or in another namespace."""
        return {one.referrer: one for one in self if one.reference.written and not one.is_own}

    @cached_property
    def pod_referrers(self) -> dict[Item, dict[Item, list[Reference]]]:
        """The objects whose pods read an object, in order, and their references to it."""
        referrers: dict[Item, dict[Item, list[Reference]]] = defaultdict(lambda: defaultdict(list))
        for one in self:
            if one.reference.in_pod:
                for target in one.targets:
                    referrers[target][one.referrer].append(one.reference)
        return referrers

    @cached_property
    def unfollowed(self) -> list[NearMiss]:
        """Fields of custom resources that seem to name an object, and that no rule follows."""
        return find_unfollowed(self._items, self.authored, self.index)

    @cached_property
    def copies(self) -> "Copies":
        """What programs copy elsewhere."""
        return Copies(self._items, self.authored)


def _is_in_values(miss: NearMiss) -> bool:
    """Tell whether a field is in the values of a chart whose pods may read objects of the package."""
    releases = read_releases(miss.referrer.node, miss.referrer.id)
    return any(release.holds(miss.field) and release.excluded is None for release in releases)


def find_authored(
    items: Collection[Item], index: Index, extra: tuple[FieldSpec, ...], but: Collection[Node]
) -> Authored:
    """Find and resolve the references that these objects hold.

    `extra` are the paths of `spec.references`. `but` are texts that an earlier run of this function wrote for mounts.
    """
    authored = Authored([], [])
    keyed: list[tuple[Item, Reference]] = []
    kinds_of_params = read_kinds_of_params(items)
    charts = read_charts(items)
    specs = SpecsByKind(extra)
    for item in items:
        if not item.is_local:
            found, lookalikes = find_references(item.node, item.id, specs.matching(item.id), charts)
            found += find_params(item.node, item.id, kinds_of_params)
            authored.references.extend(index.resolve(item, one) for one in found if one.kind and one.name not in but)
            authored.lookalikes.extend((item, one) for one in lookalikes)
            if item.id.group not in BUILT_IN_GROUPS:
                keyed += ((item, one) for one in found if not one.kind and one.name not in but)
    # Once all others are known: they tell what else makes an object of the name (decision 48).
    written = {(one.kind, one.target) for _, one, _ in authored.references if one.written} if keyed else set()
    for item, reference in keyed:
        authored.references.extend(_settle(item, reference, index, written))
    return authored


def _settle(
    item: Item, reference: Reference, index: Index, written: Collection[tuple[str, str]]
) -> Iterator[ResolvedReference]:
    """Yield the reference that a mapping of `name` and `key` is, if the package leaves no doubt.

    One object has the name, it has the key as well, and nothing makes another one of the name. Parameters, headers and
    label selectors are written as `{name, key}` too: a name alone may be there by chance.
    """
    resolved = [index.resolve(item, reference._replace(kind=kind)) for kind in CONFIG_KINDS]
    possible = [one for one in resolved if one.targets or (one.reference.kind, reference.target) in written]
    if len(possible) == 1 and len(possible[0].targets) == 1 and text(reference.around["key"]):
        (target,) = possible[0].targets
        if target is not item and _has_key(target, text(reference.around["key"])):
            yield possible[0]


def _has_key(item: Item, key: str) -> bool:
    """Tell whether an object has a key. Of what makes it, whether a field or a text says it."""
    return key in data_keys(item) if item.is_config else _says(get(item.node, "spec"), key)


def _says(node: Node | None, word: str) -> bool:
    if is_scalar(node):
        return node.value == word
    return any(name == word or _says(value, word) for name, value in entries(node)) or any(
        _says(element, word) for element in elements(node)
    )
