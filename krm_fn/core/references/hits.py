"""Find every text of a package that holds a name of a ConfigMap or Secret.

This is the only walk for names. The readers of `mentions.py` judge what it finds, and `krm-fn
explain` lists what none of them has judged.
"""

import re
from collections.abc import Collection, Iterable, Mapping
from collections.abc import Set as AbstractSet
from functools import cache, cached_property
from typing import TypeAlias

from krm_fn.base.item import WORD, Item, data_texts
from krm_fn.base.kind import BUILT_IN_GROUPS, ROLES, kind_of
from krm_fn.base.named_tuple import NamedTuple
from krm_fn.base.node import (
    FieldPath,
    Node,
    Path,
    Scalar,
    entries,
    fields,
    get,
    is_scalar,
    spell,
    steps_of,
    text,
    unread_text,
)
from krm_fn.base.pods import find_containers
from krm_fn.base.reference import EmbeddedReference, ResolvedReference
from krm_fn.core.references.resolve import Index

ANNOTATIONS = ("metadata", "annotations")
HOLDS_EXPRESSIONS = "admissionregistration.k8s.io"
"""The group of Kubernetes itself whose objects hold expressions."""

_ABOUT_ITSELF = (
    r"internal\.config\.kubernetes\.io/|config\.kubernetes\.io/(?:index|path|function|local-config)$|(?:[\w.]+\.)?krm-fn\.io/"
    r"|kustomize\.config\.k8s\.io/|internal\.kpt\.dev/"
    r"|kubectl\.kubernetes\.io/last-applied-configuration$|meta\.helm\.sh/"
    r"|argocd\.argoproj\.io/tracking-id$|(?:[\w.-]+\.)?reloader\.stakater\.com/|wave\.pusher\.com/"
)
"""Annotations that tools write about the object, and those that ask for restarts, where an old name does no harm."""

_ABOVE = r"(?s).*(?:^|[,;{}[\]\n])(?:[^\S\n]|[\"'-])*+([A-Za-z][\w.-]*)[\"']?[^\S\n]*[:=][\"' \t\r-]*(?: #|[,;{}[\]\n])"
"""The text above a line, up to the last key without a value, as `read_setting` reads it."""

_NOT_SEARCHED = ("apiVersion", "kind", "metadata", "status")
_FEW, _MANY = 20, 100
"""Characters of a text for each name, and names: to look for fewer in a longer text is quicker than to read it."""


class Hit(NamedTuple):
    """A scalar of `item` that holds names as words.

    `text`: what the scalar says, in data of a Secret decoded. `around`: the fields of the mapping
    that it is in; none in a list. `is_key`: it is the key of the field.
    """

    item: Item
    path: FieldPath
    scalar: Scalar
    text: str
    around: Mapping[str, Node]
    is_key: bool = False

    @property
    def field(self) -> str:
        return spell(self.path)

    @property
    def key(self) -> str:
        """The name of the field or list that it is in."""
        return next(step for step in reversed(self.path) if isinstance(step, str))

    @property
    def words(self) -> dict[str, int]:
        """Each word in `text`, with where it begins first. A key has but its last."""
        if self.is_key:
            return {split_key(self.text)[1]: max(map(self.text.rfind, "./")) + 1}
        return {word[0]: word.start() for word in reversed([*WORD.finditer(self.text)])}


Hits: TypeAlias = dict[Item, list[Hit]]


class NameSearch:
    """The texts with names in a package, and what the readers judge them by.

    `references` are those that rules have found; `embedded` those in texts.
    """

    def __init__(
        self,
        items: Collection[Item],
        index: Index,
        references: Collection[ResolvedReference] = (),
        embedded: Collection[EmbeddedReference] = (),
    ) -> None:
        self.items = items
        self.index = index
        self.references = references
        self.embedded = embedded

    @cached_property
    def names(self) -> set[str]:
        """Every name by which something may mean an object, or what it makes."""
        return {name for _, name in self.index.named}

    @cached_property
    def hits(self) -> Hits:
        """The texts of each object with one of these names."""
        return find_hits(self.items, self.names)

    @cached_property
    def applied(self) -> Hits:
        """The same without objects for tools."""
        return {item: hits for item, hits in self.hits.items() if not item.is_local}

    @cached_property
    def config_names(self) -> set[str]:
        """The names of ConfigMaps and Secrets."""
        return {name for item, name in self.index.named if item.is_config}

    @cached_property
    def names_of_others(self) -> set[str]:
        """Names of other objects and of containers, and values of labels."""
        others: set[str] = set()
        for item in self.items:
            others.update(item.labels.values())
            if not item.is_config:
                others.add(item.id.name)
                others.update(text(get(one, "name")) for _, one in find_containers(item))
        return others


def find_hits(items: Iterable[Item], names: AbstractSet[str]) -> Hits:
    """Find the texts with one of these names, in the order of the text. Most objects have none."""
    if not names:
        return {}
    walk = _Walk(names)
    found = ((item, walk.find(item)) for item in items)
    return {item: hits for item, hits in found if hits}


def _holds_texts(item: Item) -> bool:
    """Tell whether fields hold texts. The tables know every field of a kind of Kubernetes itself.

    Only its pods, rules and expressions say names elsewhere.
    """
    if item.id.group not in BUILT_IN_GROUPS or item.id.kind in ROLES:
        return True
    kind = kind_of(item)
    return item.id.group == HOLDS_EXPRESSIONS or (kind is not None and bool(kind.pod_spec))


@cache  # most objects have the same annotations
def is_about_itself(annotation: str) -> bool:
    """Tell whether an annotation is about its object alone, and needs no name of another."""
    return re.match(_ABOUT_ITSELF, annotation) is not None


def split_key(key: str) -> tuple[str, str]:
    """Return what is in front of the last word of a key, and this word: `driver.secrets`, `web`."""
    at = max(map(key.rfind, "./"))
    return key[: max(at, 0)], key[at + 1 :]


def find_lines(names: Collection[str], text: str) -> list[tuple[int, int]]:
    """Return where each line with one of these names begins and ends: one line for all that is quickly read."""
    if len(text) < _FEW * len(names) or len(names) > _MANY:
        return [(0, len(text))]
    text += "\n"
    lines: set[tuple[int, int]] = set()
    for name in names:
        at = text.find(name)
        while at >= 0:
            end = text.index("\n", at)
            lines.add((text.rfind("\n", 0, at) + 1, end))
            at = text.find(name, end + 1)
    return sorted(lines)


def excerpt(names: Collection[str], text: str) -> str:
    """Return the lines with one of these names, each below the last key above it that has no value."""
    find_key = re.compile(_ABOVE).match
    kept, behind = [], 0
    for start, end in find_lines(names, text):
        above = find_key(text, behind, start)
        kept.append(f"{above[1]}:\n{text[start:end]}" if above else text[start:end])
        behind = end
    return "\n".join(kept)


class _Walk:
    """Collects the texts of one object after the other that hold one of these names."""

    def __init__(self, names: AbstractSet[str]) -> None:
        self._names = names
        self._shortest = min(map(len, names))
        self._hits: list[Hit] = []

    def find(self, item: Item) -> list[Hit]:
        self._item, self._hits = item, []
        if not all(map(is_about_itself, item.annotations)):
            self.enter(get(item.node, *ANNOTATIONS), ((None, "metadata"), "annotations"))
        if item.is_config:
            for value in data_texts(item):
                field = "stringData" if value.field.startswith("stringData") else "data"
                self.read(value.scalar, ((None, field), value.key), {}, value.text)
        elif _holds_texts(item):
            for name, node in entries(item.node):
                if name not in _NOT_SEARCHED:
                    self.enter(node, (None, name))
        return self._hits

    def enter(self, node: Node | None, path: Path) -> None:
        """Look at what is below a path, and at a text that is there itself."""
        if node is None:
            return
        if node.id == "scalar":
            if len(node.value) >= self._shortest:
                self.read(node, path, {}, node.value)
        elif node.id == "sequence":
            for index, element in enumerate(node.value):
                self.enter(element, (path, index))
        elif not self._is_without(unread_text(node)):
            around = fields(node)
            self.read_keys(node, path)
            for name, value in around.items():
                if value.id != "scalar":
                    self.enter(value, (path, name))
                elif len(value.value) >= self._shortest:
                    self.read(value, (path, name), around, value.value)

    def read_keys(self, node: Node, path: Path) -> None:
        """Look at the names of fields: one may be that of an object, or end with it behind a dot.

        A mapping with a `name` has fields, and no keys that are names.
        """
        shortest = self._shortest
        keys = [key for key, _ in node.value if key.id == "scalar" and len(key.value) >= shortest]
        for key in () if keys and get(node, "name") else keys:
            name = split_key(key.value)[1]
            if name in self._names and is_scalar(key):
                steps = steps_of((path, key.value))
                self._hits.append(Hit(self._item, steps, key, key.value, {}, is_key=True))

    def read(self, node: Node, path: Path, around: Mapping[str, Node], text: str) -> None:
        if not self._is_without(text) and is_scalar(node):
            self._hits.append(Hit(self._item, steps_of(path), node, text, around))

    def _is_without(self, text: str | None) -> bool:
        """Tell whether a text holds no name. Of what is not a text yet, nobody knows."""
        if text is None:
            return False
        for start, end in find_lines(self._names, text):
            words = WORD.findall(text, start, end)
            if "." in text:
                words += [part for word in words for part in word.split(".")]
            if not self._names.isdisjoint(words):
                return False
        return True
