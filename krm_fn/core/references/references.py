"""Everything in a package that names ConfigMaps and Secrets, found and resolved once."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cache, cached_property
from typing import NamedTuple

from krm_fn.base.item import CONFIG_KINDS, Item, data_keys
from krm_fn.base.kind import BUILT_IN_GROUPS
from krm_fn.base.node import Node, elements, entries, get, is_scalar, mappings, step, text, texts
from krm_fn.base.settings import FieldSpec
from krm_fn.core.names.names import authored_id
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
from krm_fn.core.references.reference import By, Reference, ResolvedReference
from krm_fn.core.references.releases import read_charts, read_releases
from krm_fn.core.references.resolve import Index
from krm_fn.facts.annotations import COPIED


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


class Copy(NamedTuple):
    """What says that a program copies an object, or what it makes: as a clause, and where it is written."""

    text: str
    item: Item
    field: str


class _CloneList(NamedTuple):
    """A `cloneList` in a policy of Kyverno: all objects of these kinds and labels in this namespace.

    Only `matchLabels` are read. Other conditions may select less, never more.
    """

    item: Item
    field: str
    namespace: str
    kinds: frozenset[str]
    labels: Mapping[str, str]

    def covers(self, item: Item) -> bool:
        is_there = item.id.namespace in (self.namespace, "")
        return is_there and item.id.kind in self.kinds and self.labels.items() <= item.labels.items()


class Copies:
    """What programs of a cluster copy to other namespaces, by annotations, by references and by labels.

    Copies have the name of the original, or know it by that name. Their readers are out of sight.
    """

    def __init__(self, items: Iterable[Item], references: Iterable[ResolvedReference]) -> None:
        self.find = cache(self._find)  # several hints ask
        self._lists = [one for item in items for one in _find_clone_lists(item)]
        self._named: dict[Item, ResolvedReference] = {}
        for one in references:
            for target in one.targets if one.reference.rule.by is By.COPY else ():
                self._named.setdefault(target, one)

    def _find(self, item: Item) -> Copy | None:
        """Find what says that a program copies an object, the first if several do; None if nothing does."""
        for annotation, field in _find_annotations(item):
            if annotation in COPIED:
                return Copy(f"{COPIED[annotation]} copies it elsewhere under this name ({annotation})", item, field)
        named = self._named.get(item)
        if named is not None:
            clause = f"{named.reference.rule.reason} by this name, as {authored_id(named.referrer)} says"
            return Copy(clause, named.referrer, named.reference.field)
        for one in self._lists:
            if one.covers(item):
                clause = f"Kyverno copies it elsewhere under this name, as {authored_id(one.item)} says"
                return Copy(clause, one.item, one.field)
        return None


def _find_annotations(item: Item) -> Iterator[tuple[str, str]]:
    """Yield each annotation that is not `false`, and its field; also those that its controller copies to a Secret."""
    start = "metadata" if item.is_config else ""
    for field, held in mappings(get(item.node, start) if start else item.node, start):
        for annotation, said in entries(held.get("annotations")):
            if text(said).lower() != "false":
                yield annotation, step(step(field, "annotations"), annotation)


def _find_clone_lists(item: Item) -> Iterator[_CloneList]:
    """Find the lists of a policy. Source: kyverno/kyverno, api/kyverno/v1/common_types.go."""
    if item.id.group != "kyverno.io" or item.id.kind not in ("ClusterPolicy", "Policy") or item.is_local:
        return
    for position, rule in enumerate(elements(get(item.node, "spec", "rules"))):
        generate, field = get(rule, "generate"), f"spec.rules[{position}].generate"
        each = [(one, f"{field}.foreach[{index}]") for index, one in enumerate(elements(get(generate, "foreach")))]
        for pattern, place in [(generate, field), *each]:
            listed = get(pattern, "cloneList")
            # `v1/Secret` or `Secret`
            kinds = frozenset(text(one).rpartition("/")[2] for one in elements(get(listed, "kinds")))
            labels = texts(get(listed, "selector", "matchLabels"))
            if kinds:
                yield _CloneList(item, f"{place}.cloneList", text(get(listed, "namespace")), kinds, labels)
