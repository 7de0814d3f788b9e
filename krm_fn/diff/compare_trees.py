"""The fields in which two objects differ. Elements of a list are compared by what identifies them, not by position."""

from collections.abc import Hashable, Iterable, Iterator
from typing import NamedTuple

from krm_fn.diff.align import align
from krm_fn.diff.difference import FieldChange
from krm_fn.diff.tree import Leaf, Tree, show
from krm_fn.model.node import step

_MERGE_KEYS = ("name", "mountPath", "devicePath", "containerPort", "port", "ip", "topologyKey", "key", "type")
"""Fields that identify an element of a list, the first that fits. Most are a `patchMergeKey` in Kubernetes."""


class _Place(NamedTuple):
    """A field on both sides; None on the side that lacks it."""

    path: str
    old: Tree | None
    new: Tree | None


def compare_trees(old: Tree, new: Tree) -> Iterator[FieldChange]:
    """Yield the fields that differ, by name."""
    stack = [_Place("", old, new)]  # no recursion: objects may be nested deeper than generators
    while stack:
        place = stack.pop()
        if isinstance(place.old, dict) and isinstance(place.new, dict):
            stack += reversed([*_compare_named(place.old, place.new, place.path)])
        elif isinstance(place.old, list) and isinstance(place.new, list):
            stack += reversed([*_compare_lists(place.old, place.new, place.path)])
        elif not (isinstance(place.old, Leaf) and isinstance(place.new, Leaf)):
            yield FieldChange(place.path, *(None if tree is None else show(tree) for tree in place[1:]))
        elif _identity(place.old) != _identity(place.new):
            yield FieldChange(place.path, *_show_both(place.old, place.new))


def _identity(leaf: Leaf) -> tuple[str, bool]:
    return leaf.value, leaf.is_text


def _show_both(old: Leaf, new: Leaf) -> tuple[str, str]:
    """Show what differs, be it only the hash in a name."""
    return (old.shown, new.shown) if old.shown != new.shown else (old.written, new.written)


def _compare_named(old: dict[str, Tree], new: dict[str, Tree], path: str) -> Iterator[_Place]:
    return (_Place(step(path, name), old.get(name), new.get(name)) for name in sorted(old.keys() | new.keys()))


def _compare_lists(old: list[Tree], new: list[Tree], path: str) -> Iterator[_Place]:
    key = next((key for key in _MERGE_KEYS if _identifies(key, old) and _identifies(key, new)), None)
    if key is None or not (old and new):
        yield from _compare_in_order(old, new, path)
        return
    before, after = _by_key(old, key), _by_key(new, key)
    for name in sorted(before.keys() | after.keys()):
        yield _Place(f"{path}[{name}]", before.get(name), after.get(name))
    orders = [", ".join(name for name in names if name in before and name in after) for names in (before, after)]
    yield _Place(f"{path} (order)", *(Leaf(order, order, order) for order in orders))


def _identifies(key: str, elements: list[Tree]) -> bool:
    names = [element.get(key) if isinstance(element, dict) else None for element in elements]
    texts = {name.shown for name in names if isinstance(name, Leaf)}
    return len(texts) == len(elements)


def _by_key(elements: list[Tree], key: str) -> dict[str, Tree]:
    named: dict[str, Tree] = {}
    for element in elements:
        name = element[key] if isinstance(element, dict) else None
        if isinstance(name, Leaf):
            named[name.shown] = element
    return named


def _compare_in_order(old: list[Tree], new: list[Tree], path: str) -> Iterator[_Place]:
    """Compare elements that nothing identifies: those between equal ones, one after the other."""
    for hunk in align(_freeze_all(old), _freeze_all(new)):
        removed, added = old[hunk.old_start : hunk.old_end], new[hunk.new_start : hunk.new_end]
        common = min(len(removed), len(added))
        for place in range(common):
            yield _Place(f"{path}[{hunk.new_start + place}]", removed[place], added[place])
        for place in range(common, len(removed)):
            yield _Place(f"{path}[{hunk.old_start + place}]", removed[place], None)
        for place in range(common, len(added)):
            yield _Place(f"{path}[{hunk.new_start + place}]", None, added[place])


def _freeze_all(trees: Iterable[Tree]) -> list[Hashable]:
    return [_freeze(tree) for tree in trees]


def _freeze(tree: Tree) -> Hashable:
    """Return a value that is equal if and only if nothing differs."""
    if isinstance(tree, Leaf):
        return _identity(tree)
    frozen: list[Hashable] = []
    if isinstance(tree, dict):
        for name in sorted(tree):
            frozen.append((name, _freeze(tree[name])))  # noqa: PERF401  # a frame more for each level of nesting
        return ("mapping", *frozen)
    for child in tree:
        frozen.append(_freeze(child))  # noqa: PERF401  # as above
    return ("list", *frozen)
