"""Whole objects: added, replaced and removed."""

from collections.abc import Iterable, Iterator
from typing import Any

from krm_fn.model import keys
from krm_fn.model.changes import Changes, Object, SetItems
from krm_fn.model.item import Item
from krm_fn.model.node import Mapping, Node, Sequence, get, is_mapping, is_sequence
from krm_fn.wire import layout
from krm_fn.wire.envelope import Envelope, end_last_line, split_documents
from krm_fn.wire.splice import Splice
from krm_fn.wire.splice_change import replace_lines, splice_change
from krm_fn.wire.write_value import write_block, write_document, write_flow

_PATH = "internal.config.kubernetes.io/path"
_INDEX = "internal.config.kubernetes.io/index"


def splice_objects(envelope: Envelope, changes: Changes) -> Iterator[Splice]:
    """Yield the splices that replace and remove objects, and those that add objects to a ResourceList."""
    for item, wanted in changes.replace:
        yield _replace(envelope.document.text, item.node, wanted)
    removed: set[Node] = {item.node for item in changes.remove}
    if not removed.isdisjoint(envelope.document.roots):
        parts = split_documents(envelope.document)
        yield from (Splice(part.start, part.end, "") for part in parts if part.root in removed)
    added = changes.add if envelope.resource_list is not None else ()
    if removed or added:
        yield from _edit_lists(envelope, removed, added)


def add_documents(text: str, added: Iterable[Object]) -> str:
    """Append documents to a stream."""
    documents = "".join(map(write_document, added))
    return end_last_line(text) + documents if documents else text


def _replace(text: str, node: Mapping, wanted: Object) -> Splice:
    if node.flow_style:
        opening, closing = layout.flow_span(text, node)
        return Splice(opening, closing + 1, write_flow(wanted, style=layout.key_style(node.value[0][0])))
    start, end = layout.entry_start(text, node.value[0][0]), layout.node_end(text, node)
    indent = layout.indentation(text, node)
    lines = [line for key, value in wanted.items() for line in write_block(key, value, indent)]
    return replace_lines(text, start, end, lines, indent)


def _edit_lists(envelope: Envelope, removed: set[Node], added: tuple[Object, ...]) -> Iterator[Splice]:
    """Remove objects from the lists they are in, and add others to that of the ResourceList."""
    for root in envelope.document.roots:
        for parent, items in _lists(root):
            drop = tuple(index for index, item in enumerate(items.value) if item in removed)
            add = added if parent is envelope.resource_list else ()
            if drop or add:
                key = next(key for key, value in parent.value if value is items)
                yield from splice_change(envelope.document.text, SetItems(items, add, drop, key, parent))


def _lists(node: Node) -> Iterator[tuple[Mapping, Sequence]]:
    """Yield each List or ResourceList of a document with its `items`. A List may hold other Lists."""
    items = get(node, "items")
    if is_mapping(node) and is_sequence(items):
        yield node, items
        for item in items.value:
            yield from _lists(item)


def place_in_files(added: Iterable[Object], items: Iterable[Item]) -> tuple[Object, ...]:
    """Annotate new objects with their file and their index in it, both of which kpt requires.

    Only where the other objects have these annotations: kpt sets them, kustomize does not.
    """
    last_index: dict[str, int] = {}
    for item in items:
        if item.file:
            last_index[item.file] = max(item.file_index, last_index.get(item.file, -1))
    if not last_index:
        return tuple(added)
    placed = []
    for one in added:
        file = f"{_set_of(one)}-linker.yaml"
        last_index[file] = last_index.get(file, -1) + 1
        placed.append(_annotate(one, {_PATH: file, _INDEX: str(last_index[file])}))
    return tuple(placed)


def _set_of(one: Any) -> str:
    return str(one["metadata"]["labels"][keys.SET])


def _annotate(one: Any, annotations: dict[str, str]) -> Object:
    metadata = one["metadata"]
    return {**one, "metadata": {**metadata, "annotations": {**metadata.get("annotations", {}), **annotations}}}
