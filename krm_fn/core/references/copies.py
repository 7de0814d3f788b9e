"""Find the objects that programs copy elsewhere.

Copies have the name of the original, or know it by that name. Their readers are out of sight.
"""

from collections.abc import Iterable, Iterator, Mapping
from functools import cache

from krm_fn.base.item import Item
from krm_fn.base.named_tuple import NamedTuple
from krm_fn.base.node import (
    elements,
    entries,
    fields,
    get,
    mappings,
    step,
    text,
    texts,
)
from krm_fn.base.reference import (
    By,
    ResolvedReference,
)
from krm_fn.core.names.names import authored_id
from krm_fn.facts.annotations import COPIED


class Copy(NamedTuple):
    """A sign that a program copies an object, or what it makes: as a clause, and its place."""

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
        return (
            is_there and item.id.kind in self.kinds and self.labels.items() <= item.labels.items()
        )


class Copies:
    """The objects that programs copy to other namespaces, by annotations, references and labels.

    Copies have the name of the original, or know it by that name. Their readers are out of sight.
    """

    def __init__(self, items: Iterable[Item], references: Iterable[ResolvedReference]) -> None:
        self.find = cache(self._find)  # several hints ask
        self._lists: list[_CloneList] = []
        for item in items:
            self._lists += _read_clone_lists(item)
        self._named: dict[Item, ResolvedReference] = {}
        for one in references:
            if one.reference.rule.by is By.COPY:
                for target in one.targets:
                    self._named.setdefault(target, one)

    def _find(self, item: Item) -> Copy | None:
        """Find the first sign that a program copies an object; None if there is none."""
        for annotation, field in _list_annotations(item):
            clause = f"{COPIED[annotation]} copies it elsewhere under this name ({annotation})"
            return Copy(clause, item, field)
        named = self._named.get(item)
        if named is not None:
            clause = (
                f"{named.reference.rule.reason} by this name, as {authored_id(named.referrer)} says"
            )
            return Copy(clause, named.referrer, named.reference.field)
        for one in self._lists:
            if one.covers(item):
                clause = (
                    f"Kyverno copies it elsewhere under this name, as {authored_id(one.item)} says"
                )
                return Copy(clause, one.item, one.field)
        return None


def _list_annotations(item: Item) -> Iterator[tuple[str, str]]:
    """Yield each annotation by which a program copies that is not `false`, and its field.

    The annotations that a controller copies to a Secret are among them.
    """
    own = [("metadata", fields(get(item.node, "metadata")))]
    for field, mapping in own if item.is_config else mappings(item.node, ""):
        for annotation, value in entries(mapping.get("annotations")):
            if annotation in COPIED and text(value).lower() != "false":
                yield annotation, step(step(field, "annotations"), annotation)


def _read_clone_lists(item: Item) -> Iterator[_CloneList]:
    """Find the lists of a policy. Source: kyverno/kyverno, api/kyverno/v1/common_types.go."""
    if (
        item.id.group != "kyverno.io"
        or item.id.kind not in ("ClusterPolicy", "Policy")
        or item.is_local
    ):
        return
    for position, rule in enumerate(elements(get(item.node, "spec", "rules"))):
        generate, field = get(rule, "generate"), f"spec.rules[{position}].generate"
        each = [
            (one, f"{field}.foreach[{index}]")
            for index, one in enumerate(elements(get(generate, "foreach")))
        ]
        for pattern, place in [(generate, field), *each]:
            listed = get(pattern, "cloneList")
            # `v1/Secret` or `Secret`
            kinds = frozenset(
                text(one).rpartition("/")[2] for one in elements(get(listed, "kinds"))
            )
            labels = texts(get(listed, "selector", "matchLabels"))
            if kinds:
                yield _CloneList(
                    item, f"{place}.cloneList", text(get(listed, "namespace")), kinds, labels
                )
