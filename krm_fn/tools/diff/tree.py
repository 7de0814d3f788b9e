"""Objects as trees in which names made from content are base names, and the differences of two such trees."""

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping
from itertools import chain
from typing import Any, TypeAlias

from krm_fn.base.go_yaml import is_text, read_number
from krm_fn.base.item import HASH, WORD, Item
from krm_fn.base.kind import ROLES
from krm_fn.base.named_tuple import NamedTuple
from krm_fn.base.node import (
    FieldPath,
    Node,
    Path,
    Scalar,
    fields,
    is_mapping,
    is_scalar,
    step,
    steps_of,
    unread_text,
)
from krm_fn.base.problem import count
from krm_fn.core.names.names import base_name
from krm_fn.core.references.generated import find_generated
from krm_fn.report.align import Hunk, align
from krm_fn.report.object_change import FieldChange, ShownValue
from krm_fn.report.secrets import Masks, is_hidden
from krm_fn.tools.common.made_anew import MADE_ANEW
from krm_fn.tools.diff.pair import Pair, Release, is_named_by_content, is_spelled_anew

_HASH = re.compile(HASH)
_SECRET = "Secret"  # noqa: S105  # the name of a kind

_FOLDED = "\0"
"""A character that no text of YAML begins with."""


class Folded(NamedTuple):
    """A text in which labels stand for names.

    `value` is equal to no text that just contains the label.

    `plain`: the text as it is written, which is equal to itself whatever it names. None for a
    reference to what only another environment calls otherwise: there, the same text is another
    object.
    """

    value: str
    shown: str
    plain: str | None = None


class StableNames:
    """The names of one rendering.

    `labels`: what stands for each name that is made from content. The label is the same for a
    revision and its predecessor. `references`: in each object, the texts that reference one by any
    name, and the text with the label. A node may be in several objects. `whole`: labels of names
    that only another environment calls otherwise. They count where they are the whole text.
    """

    def __init__(
        self,
        labels: Mapping[str, str],
        references: Mapping[Item, Mapping[Node, str]],
        masks: Masks,
        whole: Mapping[str, str],
    ) -> None:
        self._labels = labels
        self._whole = whole
        self._elsewhere = frozenset(whole.values())
        self._references = references
        self._masks = masks

    def __contains__(self, name: str) -> bool:
        """Tell whether the name is made from content."""
        return name in self._labels

    def references_of(self, item: Item) -> Mapping[Node, str]:
        """Return the texts of an object that reference one, with the label."""
        return self._references.get(item, {})

    @property
    def has_elsewhere(self) -> bool:
        """Tell whether any name is called otherwise in another environment."""
        return bool(self._whole)

    def elsewhere(self, text: str) -> str | None:
        """Return what stands for a text that is a name, if only another environment calls it otherwise."""
        return self._whole.get(text)

    def fold(self, scalar: Scalar, item: Item) -> Folded:
        """Replace each name in a text of an object by its label."""
        label = self.references_of(item).get(scalar)
        if label is not None:
            return Folded(
                _FOLDED + label, label, None if label in self._elsewhere else scalar.value
            )
        elsewhere = self.elsewhere(scalar.value)
        if elsewhere is not None:
            return Folded(_FOLDED + elsewhere, elsewhere, scalar.value)
        if not _HASH.search(scalar.value):
            return Folded(scalar.value, scalar.value)
        shown = WORD.sub(lambda found: self._labels.get(found[0], found[0]), scalar.value)
        return Folded(shown if shown == scalar.value else _FOLDED + shown, shown, scalar.value)

    def hide(self, text: str) -> str:
        """Mask the names of Secrets."""
        return self._masks.hide(text)


def read_stable_names(
    pairs: Collection[Pair], releases: tuple[Release, Release]
) -> tuple[StableNames, StableNames]:
    """Return the names of the old and of the new rendering."""
    by_item: dict[Item, str] = {}
    by_name: tuple[dict[str, str], dict[str, str]] = ({}, {})
    whole: tuple[dict[str, str], dict[str, str]] = ({}, {})
    secrets: list[Item] = []
    pinned = _find_pinned(pairs, releases)
    for pair in pairs:
        newer = next(item for item in reversed(pair) if item is not None)
        label = base_name(newer) if pinned.isdisjoint(pair) else newer.id.name
        is_elsewhere = is_spelled_anew(pair, *releases)
        for item, labels, others in zip(pair, by_name, whole, strict=True):
            if item is None:
                continue
            # A reference to what is there on one side only, and has kept its name, is the same text
            # on both.
            if None not in pair or is_named_by_content(item):
                by_item[item] = label
            if is_elsewhere:
                others[base_name(item)] = label
            if is_named_by_content(item):
                labels[item.id.name] = label
                if item.id.kind == _SECRET:
                    secrets.append(item)
                for made in find_generated(item):
                    labels[made.reference.target] = made.base_name
    masks = Masks(secrets)
    old, new = (
        StableNames(labels, _label_references(release, by_item), masks, others)
        for labels, release, others in zip(by_name, releases, whole, strict=True)
    )
    return old, new


def _find_pinned(pairs: Iterable[Pair], releases: tuple[Release, Release]) -> frozenset[Item]:
    """Return what has the same base name as another object beside it: who moves from one to the other, rolls.

    Such are two revisions, or a revision and an object that keeps its base name because nobody reads it.
    """
    by_base: dict[Hashable, list[Item]] = defaultdict(list)
    for pair in pairs:
        for side, item in enumerate(pair):
            if item is not None and (item.is_config or is_named_by_content(item)):
                by_base[
                    side, item.id.kind, releases[side].namespace_of(item), base_name(item)
                ].append(item)
    return frozenset(chain.from_iterable(items for items in by_base.values() if len(items) > 1))


def _label_references(release: Release, labels: Mapping[Item, str]) -> dict[Item, dict[Node, str]]:
    """Return the labels of references.

    A rule of a Role has base names and others, and one text may be of two kinds.
    """
    found: dict[Item, dict[Node, str]] = {}
    for item, references in release.by_referrer.items():
        if item.id.kind in ROLES:
            continue
        texts: dict[Node, str] = {}
        for _, reference, targets in references:
            if len(targets) == 1 and targets[0] in labels:
                (target,) = targets
                if reference.target == target.id.name:
                    texts[reference.name] = reference.renamed(labels[target])
        found[item] = texts
    return found


_OLD_BOOLEANS = frozenset({"y", "n", "yes", "no", "on", "off"})
"""Words that kubectl reads as true or false, as YAML 1.1 says, and kustomize as text."""

_WORDS = _OLD_BOOLEANS | {"true", "false", "null", "~"}


class Leaf(NamedTuple):
    """A scalar. `value` and `is_text` are compared, and never leave the comparison; `shown` is what people see.

    In `shown`, base names stand for names that are made from content. `written` has these too. `plain`: as of Folded.
    """

    value: str
    shown: str
    written: str
    is_text: bool = True
    plain: str | None = None


_ANEW = Leaf(f"{_FOLDED}{MADE_ANEW}", MADE_ANEW, MADE_ANEW)

Tree: TypeAlias = Leaf | dict[str, "Tree"] | list["Tree"]

LeftOut: TypeAlias = Callable[[FieldPath, Node], bool]
"""Tells whether a field is left out."""


class TreeReader:
    """Reads objects of one rendering, except for the fields that are `left_out`.

    The values of the places that are `made_anew` on every rendering are all one. `kind`: that by
    which values are hidden.
    """

    def __init__(
        self,
        names: StableNames,
        left_out: LeftOut,
        made_anew: Collection[FieldPath],
        kind: str,
    ) -> None:
        self._kind = kind
        self._names = names
        self._left_out = left_out
        self._made_anew = made_anew

    def read_item(self, item: Item) -> Tree:
        return self._read(item.node, (), item, hidden=False)

    def read_at(self, item: Item, path: FieldPath) -> Tree | None:
        """Read what is at a place of an object; None if it is left out, or in something that is."""
        node: Node = item.node
        hidden = False
        for depth, name in enumerate(path):
            below = path[: depth + 1]
            if isinstance(name, str):
                around = fields(node)
                node = around[name]
                hidden = hidden or is_hidden(self._kind, below, around)
            else:
                node = node.value[name]
            if self._left_out(below, node):
                return None
            if below in self._made_anew:
                return _ANEW
        return self._read(node, path, item, hidden=hidden)

    def _read(self, node: Node, path: FieldPath, item: Item, *, hidden: bool) -> Tree:
        if self._made_anew and path in self._made_anew:
            return _ANEW
        # No comprehensions: each takes a frame for each level of nesting.
        if is_scalar(node):
            return self._read_scalar(node, item, hidden=hidden)
        if is_mapping(node):
            values: dict[str, Tree] = {}
            around = fields(node)
            for name, child in around.items():
                below = (*path, name)
                if not self._left_out(below, child):
                    is_secret = hidden or is_hidden(self._kind, below, around)
                    value = self._read(child, below, item, hidden=is_secret)
                    # What is empty because all in it is left out, is left out too.
                    if value or not child.value:
                        values[name] = value
            return values
        elements: list[Tree] = []
        for index, child in enumerate(node.value):
            below = (*path, index)
            if not self._left_out(below, child):
                elements.append(self._read(child, below, item, hidden=hidden))
        return elements

    def _read_scalar(self, node: Scalar, item: Item, *, hidden: bool) -> Leaf:
        if hidden:
            size = f"({count(len(node.value.encode()), 'byte')})"
            return Leaf(node.value, size, size, _is_text(node))
        folded = self._names.fold(node, item)
        shown, written = self._names.hide(folded.shown), self._names.hide(node.value)
        if _is_text(node):
            return Leaf(folded.value, _quoted(shown), _quoted(written), plain=folded.plain)
        return Leaf(folded.value, shown or "null", written or "null", is_text=False)


def _is_text(node: Scalar) -> bool:
    is_old_boolean = not node.tag and not node.style and node.value.lower() in _OLD_BOOLEANS
    return is_text(node) and not is_old_boolean


def _quoted(text: str) -> str:
    """Add quotes to text that is empty, or means something else without them."""
    is_typed = (
        not text
        or text.lower() in _WORDS
        or (text[0] in "+-.0123456789" and read_number(text) is not None)
    )
    return f'"{text}"' if is_typed else text


def show(tree: Tree) -> ShownValue:
    if isinstance(tree, Leaf):
        return tree.shown
    if isinstance(tree, dict):
        return {name: show(child) for name, child in tree.items()}
    elements: list[ShownValue] = []
    for child in tree:
        elements.append(show(child))  # a comprehension is a frame more for each level of nesting
    return elements


def is_same(old: Tree | None, new: Tree | None) -> bool:
    """Tell whether two scalars do not differ, or both sides are left out.

    Only `compare_trees` can tell of more.
    """
    if old is _ANEW:
        return False
    if isinstance(old, Leaf) and isinstance(new, Leaf):
        return _is_equal(old, new)
    return old is None and new is None


def find_unlike(
    old: Item, new: Item, names: tuple[StableNames, StableNames]
) -> Iterator[FieldPath]:
    """Yield the places at which two objects are written in different ways, or hold what may be a name from content.

    Everywhere else they say the same. At these places they may too: only who reads both can tell.
    """
    labels = names[0].references_of(old), names[1].references_of(new)
    elsewhere = [one for one in names if one.has_elsewhere]
    stack: list[tuple[Node, Node, Path]] = [(old.node, new.node, None)]
    while stack:
        before, after, path = stack.pop()
        if before.id == after.id == "scalar":
            if not _is_alike(before, after, labels, elsewhere):
                yield steps_of(path)
        elif not elsewhere and _is_same_text(before, after):
            continue
        elif before.id == after.id == "mapping" and _has_names(before, after):
            for (name, value), (_, other) in zip(before.value, after.value, strict=True):
                stack.append((value, other, (path, name.value)))
        elif before.id == after.id == "sequence" and len(before.value) == len(after.value):
            for index, value in enumerate(before.value):
                stack.append((value, after.value[index], (path, index)))
        else:
            yield steps_of(path)


def _is_alike(
    old: Any,
    new: Any,
    labels: tuple[Mapping[Node, str], Mapping[Node, str]],
    elsewhere: Collection[StableNames],
) -> bool:
    return bool(
        old.value == new.value
        and old.style == new.style
        and old.tag == new.tag
        and labels[0].get(old) == labels[1].get(new)
        and not (elsewhere and len({one.elsewhere(old.value) for one in elsewhere} - {None}) > 1)
        and not _HASH.search(old.value)
    )


def _is_same_text(old: Node, new: Node) -> bool:
    """Tell of two mappings without nodes whether they are the same, and name nothing."""
    text = unread_text(old)
    return text is not None and text == unread_text(new) and not _HASH.search(text)


def _has_names(old: Node, new: Node) -> bool:
    """Tell whether two mappings have fields of the same names in the same order, and all of them are written here."""
    keys = [key.value if key.id == "scalar" else "<<" for key, _ in old.value]
    return "<<" not in keys and keys == [key.value for key, _ in new.value]


MERGE_KEYS = (
    "name",
    "mountPath",
    "devicePath",
    "containerPort",
    "port",
    "ip",
    "topologyKey",
    "key",
    "type",
)
"""Fields that identify an element of a list, the first that fits.

Most are a `patchMergeKey` in Kubernetes.
"""


class _Pair(NamedTuple):
    """A field on both sides; None on the side that lacks it."""

    path: str
    old: Tree | None
    new: Tree | None


def compare_trees(old: Tree, new: Tree) -> Iterator[FieldChange]:
    """Yield the fields that differ, or would if the chart were rendered again, by name."""
    stack = [_Pair("", old, new)]  # no recursion: objects may be nested deeper than generators
    while stack:
        place = stack.pop()
        if isinstance(place.old, dict) and isinstance(place.new, dict):
            stack += reversed([*_compare_named(place.old, place.new, place.path)])
        elif isinstance(place.old, list) and isinstance(place.new, list):
            stack += reversed([*_compare_lists(place.old, place.new, place.path)])
        elif not (isinstance(place.old, Leaf) and isinstance(place.new, Leaf)):
            yield FieldChange(
                place.path, *(None if tree is None else show(tree) for tree in place[1:])
            )
        elif place.old is _ANEW or not _is_equal(place.old, place.new):
            yield FieldChange(place.path, *_show_both(place.old, place.new))


def is_made_anew(change: FieldChange) -> bool:
    """Tell whether the author has changed nothing: every rendering on both sides makes the field anew."""
    return change.old == change.new == MADE_ANEW


def _is_equal(old: Leaf, new: Leaf) -> bool:
    """Tell whether two scalars are equal: they stand for the same, or are written alike.

    A name is written alike where one side lacks the object, so that it is only text there. And a
    container may be called as the workload is in one environment only.
    """
    is_alike = _written(old) == _written(new) and old.is_text == new.is_text
    return is_alike or _identity(old) == _identity(new)


def _written(leaf: Leaf) -> str:
    return leaf.value if leaf.plain is None else leaf.plain


def _identity(leaf: Leaf) -> tuple[str, bool]:
    return leaf.value, leaf.is_text


def _show_both(old: Leaf, new: Leaf) -> tuple[str, str]:
    """Show what differs, be it only the hash in a name."""
    return (old.shown, new.shown) if old.shown != new.shown else (old.written, new.written)


def _compare_named(old: dict[str, Tree], new: dict[str, Tree], path: str) -> Iterator[_Pair]:
    return (
        _Pair(step(path, name), old.get(name), new.get(name))
        for name in sorted(old.keys() | new.keys())
    )


def _compare_lists(old: list[Tree], new: list[Tree], path: str) -> Iterator[_Pair]:
    key = next((key for key in MERGE_KEYS if _identifies(key, old) and _identifies(key, new)), None)
    if key is None or not (old and new):
        yield from _compare_in_order(old, new, path)
        return
    before, after = _by_key(old, key, _by_key(new, key)), _by_key(new, key, _by_key(old, key))
    for name in sorted(before.keys() | after.keys()):
        yield _Pair(f"{path}[{name}]", before.get(name), after.get(name))
    yield _Pair(f"{path} (order)", _order(before, after), _order(after, before))


def _order(names: Iterable[str], others: Collection[str]) -> Leaf:
    """Return the names that are on both sides, in the order of one of them."""
    order = ", ".join(name for name in names if name in others)
    return Leaf(order, order, order)


def _identifies(key: str, elements: list[Tree]) -> bool:
    names = [element.get(key) if isinstance(element, dict) else None for element in elements]
    texts = {name.shown for name in names if isinstance(name, Leaf)}
    return len(texts) == len(elements)


def _by_key(elements: list[Tree], key: str, others: Collection[str] = ()) -> dict[str, Tree]:
    """Return elements by what identifies them.

    A text that may be no name is one only if the `others` have it too.
    """
    named: dict[str, Tree] = {}
    for element in elements:
        name = element[key] if isinstance(element, dict) else None
        if isinstance(name, Leaf):
            is_no_name = name.plain is not None and others and name.shown not in others
            named[name.written if is_no_name else name.shown] = element
    return named


def _compare_in_order(old: list[Tree], new: list[Tree], path: str) -> Iterator[_Pair]:
    """Compare elements that nothing identifies: those between equal ones, one after the other."""
    done = 0
    ends = Hunk(len(old), len(old), len(new), len(new))
    for hunk in [*align(_freeze_all(old), _freeze_all(new)), ends]:
        moved = hunk.new_start - hunk.old_start
        for place in range(done, hunk.old_start):  # equal, but something in it may be made anew
            yield _Pair(f"{path}[{place + moved}]", old[place], new[place + moved])
        done = hunk.old_end
        removed, added = old[hunk.old_start : hunk.old_end], new[hunk.new_start : hunk.new_end]
        common = min(len(removed), len(added))
        for place in range(common):
            yield _Pair(f"{path}[{hunk.new_start + place}]", removed[place], added[place])
        for place in range(common, len(removed)):
            yield _Pair(f"{path}[{hunk.old_start + place}]", removed[place], None)
        for place in range(common, len(added)):
            yield _Pair(f"{path}[{hunk.new_start + place}]", None, added[place])


def _freeze_all(trees: Iterable[Tree]) -> list[Hashable]:
    return [_freeze(tree) for tree in trees]


def _freeze(tree: Tree) -> Hashable:
    """Return a value that is equal if and only if nothing differs."""
    if isinstance(tree, Leaf):
        return _identity(tree)
    frozen: list[Hashable] = []
    if isinstance(tree, dict):
        for name in sorted(tree):
            frozen.append((name, _freeze(tree[name])))  # a frame more for each level of nesting
        return ("mapping", *frozen)
    for child in tree:
        frozen.append(_freeze(child))  # as above
    return ("list", *frozen)
