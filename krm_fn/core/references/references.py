"""Find and resolve all references of a package, once.

A value in the data of a ConfigMap or Secret may be YAML: the references in it are embedded ones.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import cached_property
from typing import TypeAlias

from krm_fn.base.item import CONFIG_KINDS, Item, about, data_keys, data_texts, is_revision
from krm_fn.base.kind import BUILT_IN_GROUPS, ROLES
from krm_fn.base.named_tuple import NamedTuple
from krm_fn.base.node import Node, elements, entries, get, is_scalar, text
from krm_fn.base.problem import Rejected, ResourceId
from krm_fn.base.reference import EmbeddedReference, Reference, ResolvedReference
from krm_fn.base.settings import FieldSpec
from krm_fn.core.names.names import CONTENT_NAME, base_name, is_hashed_by_kustomize
from krm_fn.core.references.chart_releases import read_charts
from krm_fn.core.references.find import (
    ExcludedReference,
    SpecsByKind,
    find_params,
    find_references,
    read_kinds_of_params,
)
from krm_fn.core.references.resolve import Index, MoreNames
from krm_fn.core.references.shapes import find_by_shape
from krm_fn.facts.annotations import FOLLOWED_BY_KUSTOMIZE

# Embedded references.

ReadYaml: TypeAlias = Callable[[str], list[Node]]
"""Reads the documents of a text; none where it is not YAML."""

_HINTS = ("onfigMap", "onfigmap", "onfig_map", "ecret")
"""Every field that names a ConfigMap or Secret by its shape contains one of these."""


def find_embedded(
    configs: Iterable[Item], index: Index, read_yaml: ReadYaml
) -> list[EmbeddedReference]:
    """Find the references in the data of these objects that match an object of the package.

    A name with a hash may match one later, as the name of an earlier rendering. It is found without
    a target. Raises Rejected where `read_yaml` does, at the value.
    """
    found: list[EmbeddedReference] = []
    for item in configs:
        for value in data_texts(item):
            try:
                for reference, namespace in _find_in(value.text, read_yaml):
                    unresolved = EmbeddedReference(
                        item, value.scalar, value.field, reference, (), namespace, value.is_encoded
                    )
                    one = _resolve(unresolved, index)
                    if one.targets or CONTENT_NAME.fullmatch(reference.target):
                        found.append(one)
            except Rejected as rejected:
                raise Rejected(
                    *(about(item, one.message, value.field) for one in rejected.problems)
                ) from rejected
    return found


def _resolve(one: EmbeddedReference, index: Index) -> EmbeddedReference:
    """Return it with the objects that it means."""
    reference = one.reference
    targets = index.find(one.item, reference.kind, reference.target, one.namespace)
    return one._replace(targets=targets)


def _find_in(value: str, read_yaml: ReadYaml) -> Iterator[tuple[Reference, str | None]]:
    """Yield each reference in a text, and the namespace that it says."""
    # To read YAML takes far longer than to look for words, and most values hold none.
    if ":" not in value or not any(hint in value for hint in _HINTS):
        return
    for root in read_yaml(value):
        for document in _documents(root):
            # The value may be a manifest: then it means objects of the namespace that it sets.
            namespace = text(get(document, "metadata", "namespace")) or None
            who = ResourceId(text(get(document, "apiVersion")), text(get(document, "kind")), "", "")
            for reference in find_by_shape(document, who):
                if not reference.is_output:
                    yield reference, reference.target_namespace or namespace


def _documents(root: Node) -> Iterator[Node]:
    """Return the objects of a List, or what else there is."""
    items = get(root, "items")
    if items is not None and text(get(root, "kind")).endswith("List"):
        yield from elements(items)
    elif not is_scalar(root):
        yield root


class Authored(NamedTuple):
    """References that authors wrote, and fields that only look like one, each with its object.

    `keyed` are mappings of a name and a key, of which only the whole package tells whether they
    reference something.
    """

    references: list[ResolvedReference]
    lookalikes: list[tuple[Item, ExcludedReference]]
    keyed: list[tuple[Item, Reference]]


class MadeForPods(NamedTuple):
    """An object that pods read, and that `writer` writes in the cluster.

    The field of `reference` has its name. `namespace` is None for a writer of the whole cluster.
    """

    writer: Item
    reference: Reference
    namespace: str | None
    reader: Item


class References:
    """The references that authors wrote, and those that configured mounts add.

    `authored` have a text in the referrer that may change; `mounted` will be written by this run;
    `embedded` are inside the data of ConfigMaps and Secrets.
    """

    def __init__(
        self,
        index: Index,
        authored: Authored,
        mounted: Iterable[ResolvedReference] = (),
        embedded: Iterable[EmbeddedReference] = (),
    ) -> None:
        self.index = index
        self.authored = [*authored.references, *_settle_all(authored, index)]
        self.lookalikes = authored.lookalikes
        self.mounted = [*mounted]
        self._in_data = [*embedded]
        self.embedded = [one for one in self._in_data if one.targets]
        self._as_read = authored

    def __iter__(self) -> Iterator[ResolvedReference]:
        yield from self.authored
        yield from self.mounted

    def with_mounted(
        self, mounted: Iterable[ResolvedReference], own_texts: Collection[Node]
    ) -> "References":
        """Return the same with what is to be mounted in the place of what an earlier run has mounted."""
        authored = [one for one in self.authored if one.reference.name not in own_texts]
        return References(self.index, Authored(authored, [], []), mounted, self.embedded)

    def with_targets(self, meant: Mapping[tuple[str, str, str], Item]) -> "References":
        """Return the same, where kind, namespace and name of what is not here mean an object."""
        if not meant:
            return self
        references: list[ResolvedReference] = []
        for one in self._as_read.references:
            who = (one.reference.kind, one.namespace_meant, one.reference.target)
            is_meant = not one.targets and who in meant
            references.append(one._replace(targets=(meant[who],)) if is_meant else one)
        authored = self._as_read._replace(references=references)
        return References(self.index, authored, self.mounted, self._in_data)

    def without(self, left_out: Collection[ResolvedReference]) -> "References":
        """Return the same without these references of authors."""
        if not left_out:
            return self
        places = {(one.referrer, one.reference.field, one.reference.target) for one in left_out}
        references = [
            one
            for one in self._as_read.references
            if (one.referrer, one.reference.field, one.reference.target) not in places
        ]
        authored = self._as_read._replace(references=references)
        return References(self.index, authored, self.mounted, self._in_data)

    def with_names(self, more: MoreNames) -> "References":
        """Return the same references, where objects have these kinds and names as well.

        A name that has a target already keeps it: what is added is the weakest of an object's
        names.
        """
        if not more:
            return self
        added = {kind_and_name for several in more.values() for kind_and_name in several}
        index = self.index.with_names(more)
        references: list[ResolvedReference] = []
        for one in self._as_read.references:
            is_meant = not one.targets and (one.reference.kind, one.reference.target) in added
            references.append(index.resolve(one.referrer, one.reference) if is_meant else one)
        in_data: list[EmbeddedReference] = []
        for each in self._in_data:
            is_meant = not each.targets and (each.reference.kind, each.reference.target) in added
            in_data.append(_resolve(each, index) if is_meant else each)
        return References(
            index, self._as_read._replace(references=references), self.mounted, in_data
        )

    @cached_property
    def read_by_pods(self) -> frozenset[Item]:
        """The objects that a pod template of the package references.

        The pods of a chart are not in the package.
        """
        read: set[Item] = set()
        for one in self:
            if (
                one.reference.in_pod
                and not one.reference.is_output
                and one.reference.installed_in is None
            ):
                read.update(one.targets)
        return frozenset(read)

    @cached_property
    def read_by_others(self) -> dict[Item, ResolvedReference]:
        """Objects named by their content, with the first reference of what may be no pod.

        kustomize or an earlier run has named them. A chart may make an object of the name that its
        values say.
        """
        read: dict[Item, ResolvedReference] = {}
        for one in self.authored:
            is_reader = not one.reference.is_output and one.reference.installed_in is None
            if is_reader and len(one.targets) == 1 and one.referrer.id.kind not in ROLES:
                (target,) = one.targets
                if is_revision(target) or is_hashed_by_kustomize(target):
                    read.setdefault(target, one)
        return read

    @cached_property
    def written_by_controllers(self) -> dict[Item, ResolvedReference]:
        """The objects that a controller writes, and the first field that says so."""
        written: dict[Item, ResolvedReference] = {}
        for one in self:
            if one.reference.is_output:
                for target in one.targets:
                    if target is not one.referrer:
                        written.setdefault(target, one)
        return written

    @cached_property
    def shared(self) -> dict[Item, ResolvedReference]:
        """The objects whose controllers write an object of the package, or of another namespace."""
        return {one.referrer: one for one in self if one.reference.is_output and not one.is_own}

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
    def made_for_pods(self) -> list[MadeForPods]:
        """The objects that the package makes in the cluster and that its pods read."""
        written = [one for one in self if one.reference.is_output]
        if not written:
            return []
        # Writers of the whole cluster say no namespace that counts: each read is kept without its
        # namespace as well.
        read: dict[tuple[str, str | None, str], Item] = {}
        for referrer, reference, _ in self:
            if reference.in_pod and not reference.is_output:
                namespace = reference.target_namespace or self.index.namespace_of(referrer)
                for known in (namespace, None):
                    read.setdefault((reference.kind, known, reference.target), referrer)
        found: list[MadeForPods] = []
        for writer, reference, _ in written:
            is_anywhere = self.index.kinds.is_cluster_scoped(writer.id)
            place = reference.target_namespace or self.index.namespace_of(writer)
            where = None if is_anywhere else place
            reader = read.get((reference.kind, where, reference.target), writer)
            if reader is not writer:
                found.append(MadeForPods(writer, reference, where, reader))
        return found


def is_left_behind(one: ResolvedReference, target: Item) -> bool:
    """Tell whether a reference keeps the base name of what kustomize names by its content."""
    if not is_hashed_by_kustomize(target):
        return False
    reference, field = one.reference, one.reference.field
    if target.id.name != base_name(target):
        return reference.target != target.id.name
    # kustomize gives it the name later, in fields of pods and in some others.
    is_listed = not reference.before and re.sub(r"\[\d+\]", "", field) in FOLLOWED_BY_KUSTOMIZE
    is_known = is_listed or (reference.in_pod and "annotations[" not in field)
    return one.referrer.id.group not in BUILT_IN_GROUPS or not is_known


def find_authored(
    items: Collection[Item], index: Index, extra: tuple[FieldSpec, ...], but: Collection[Node]
) -> Authored:
    """Find and resolve the references that these objects hold.

    `extra` are the paths of `spec.references`. `but` are texts that an earlier run of this function
    wrote for mounts.
    """
    authored = Authored([], [], [])
    kinds_of_params = read_kinds_of_params(items)
    charts = read_charts(items)
    specs = SpecsByKind(extra)
    for item in items:
        if item.is_local:
            continue
        found, lookalikes = find_references(item.node, item.id, specs.matching(item.id), charts)
        found += find_params(item.node, item.id, kinds_of_params)
        authored.lookalikes.extend((item, one) for one in lookalikes)
        for one in found:
            if one.name in but:
                continue
            if one.kind:
                authored.references.append(index.resolve(item, one))
            elif item.id.group not in BUILT_IN_GROUPS:
                authored.keyed.append((item, one))
    return authored


def _settle_all(authored: Authored, index: Index) -> Iterator[ResolvedReference]:
    if not authored.keyed:
        return
    # Once all others are known: they tell what else makes an object of the name (decision 48).
    written = {(one.kind, one.target) for _, one, _ in authored.references if one.is_output}
    for item, reference in authored.keyed:
        yield from _settle(item, reference, index, written)


def _settle(
    item: Item, reference: Reference, index: Index, written: Collection[tuple[str, str]]
) -> Iterator[ResolvedReference]:
    """Yield the reference that a mapping of `name` and `key` is, if the package leaves no doubt.

    One object has the name, it has the key as well, and nothing makes another one of the name.
    Parameters, headers and label selectors are written as `{name, key}` too: a name alone may be
    there by chance.
    """
    possible: list[ResolvedReference] = []
    for kind in CONFIG_KINDS:
        resolved = index.resolve(item, reference._replace(kind=kind))
        if resolved.targets or (kind, reference.target) in written:
            possible.append(resolved)
    if len(possible) == 1 and len(possible[0].targets) == 1 and text(reference.around["key"]):
        (target,) = possible[0].targets
        if target is not item and _has_key(target, text(reference.around["key"])):
            yield possible[0]


def _has_key(item: Item, key: str) -> bool:
    """Tell whether an object has a key, or a field or a text of its spec says it."""
    return key in data_keys(item) if item.is_config else _says(get(item.node, "spec"), key)


def _says(node: Node | None, word: str) -> bool:
    if is_scalar(node):
        return node.value == word
    return any(name == word or _says(value, word) for name, value in entries(node)) or any(
        _says(element, word) for element in elements(node)
    )
