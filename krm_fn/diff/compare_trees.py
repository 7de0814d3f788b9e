"""The fields in which two objects differ. Elements of a list are compared by what identifies them, not by position."""

import json
from collections.abc import Iterator

from krm_fn.diff.align import align
from krm_fn.diff.difference import FieldChange, Value
from krm_fn.diff.tree import Leaf, Tree, show
from krm_fn.model.node import step

_MERGE_KEYS = ("name", "mountPath", "devicePath", "containerPort", "port", "ip", "topologyKey", "key", "type")
"""Fields that identify an element of a list, the first that fits. Most are a `patchMergeKey` in Kubernetes."""


def compare_trees(old: Tree, new: Tree, path: str = "") -> Iterator[FieldChange]:
    """Yield the fields that differ, by name."""
    if isinstance(old, dict) and isinstance(new, dict):
        for name in sorted(old.keys() | new.keys()):
            below = step(path, name)
            if name in old and name in new:
                yield from compare_trees(old[name], new[name], below)
            else:
                yield FieldChange(below, _show(old.get(name)), _show(new.get(name)))
    elif isinstance(old, list) and isinstance(new, list):
        yield from _compare_lists(old, new, path)
    elif not _are_equal(old, new):
        yield FieldChange(path, show(old), show(new))


def _are_equal(old: Tree, new: Tree) -> bool:
    return isinstance(old, Leaf) and isinstance(new, Leaf) and old[:2] == new[:2]


def _show(tree: Tree | None) -> Value | None:
    return None if tree is None else show(tree)


def _compare_lists(old: list[Tree], new: list[Tree], path: str) -> Iterator[FieldChange]:
    key = next((key for key in _MERGE_KEYS if _identifies(key, old) and _identifies(key, new)), None)
    if key is None or not (old and new):
        yield from _compare_in_order(old, new, path)
        return
    before, after = _by_key(old, key), _by_key(new, key)
    for name in sorted(before.keys() | after.keys()):
        below = f"{path}[{name}]"
        if name in before and name in after:
            yield from compare_trees(before[name], after[name], below)
        else:
            yield FieldChange(below, _show(before.get(name)), _show(after.get(name)))
    order_before = [name for name in before if name in after]
    order_after = [name for name in after if name in before]
    if order_before != order_after:
        yield FieldChange(f"{path} (order)", ", ".join(order_before), ", ".join(order_after))


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


def _compare_in_order(old: list[Tree], new: list[Tree], path: str) -> Iterator[FieldChange]:
    """Compare elements that nothing identifies: those between equal ones, one after the other."""
    for hunk in align([json.dumps(element) for element in old], [json.dumps(element) for element in new]):
        removed, added = old[hunk.old_start : hunk.old_end], new[hunk.new_start : hunk.new_end]
        common = min(len(removed), len(added))
        for place in range(common):
            yield from compare_trees(removed[place], added[place], f"{path}[{hunk.new_start + place}]")
        for place in range(common, len(removed)):
            yield FieldChange(f"{path}[{hunk.old_start + place}]", show(removed[place]), None)
        for place in range(common, len(added)):
            yield FieldChange(f"{path}[{hunk.new_start + place}]", None, show(added[place]))
