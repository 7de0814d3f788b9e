"""What several stages want of the same object, as one patch."""

from collections.abc import Iterable

from krm_fn.model.edit import ListPatch, Patch
from krm_fn.model.item import Item


def combine_patches(patches: Iterable[tuple[Item, Patch]]) -> list[tuple[Item, Patch]]:
    """One patch for each object, in the order in which they were first named.

    Annotations that would all go take their mapping along.
    """
    combined: dict[int, tuple[Item, Patch]] = {}
    for item, patch in patches:
        _, before = combined.get(id(item.node), (item, {}))
        combined[id(item.node)] = (item, _combine(before, patch))
    return [(item, _without_empty_annotations(item, patch)) for item, patch in combined.values() if patch]


def _combine(first: Patch, second: Patch) -> Patch:
    patch = dict(first)
    for name, wanted in second.items():
        before = patch.get(name)
        if isinstance(before, ListPatch) and isinstance(wanted, ListPatch):
            patch[name] = _combine_lists(before, wanted)
        elif isinstance(before, dict) and isinstance(wanted, dict):
            patch[name] = _combine(before, wanted)
        else:
            patch[name] = wanted
    return patch


def _combine_lists(first: ListPatch, second: ListPatch) -> ListPatch:
    places = first.change.keys() | second.change.keys()
    change = {place: _combine(first.change.get(place, {}), second.change.get(place, {})) for place in sorted(places)}
    return ListPatch(change, tuple(sorted({*first.drop, *second.drop})), (*first.add, *second.add))


def _without_empty_annotations(item: Item, patch: Patch) -> Patch:
    metadata = patch.get("metadata")
    annotations = metadata.get("annotations") if isinstance(metadata, dict) else None
    if not isinstance(metadata, dict) or not isinstance(annotations, dict):
        return patch
    if annotations.keys() != item.annotations.keys() or any(value is not None for value in annotations.values()):
        return patch
    return {**patch, "metadata": {**metadata, "annotations": None}}
