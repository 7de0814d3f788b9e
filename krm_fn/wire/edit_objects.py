"""Whole objects put in, exchanged and taken out."""

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from krm_fn.model import keys
from krm_fn.model.changes import Changes, Object, SetItems
from krm_fn.model.item import Item
from krm_fn.model.node import Mapping, Node, Sequence, get, is_mapping, is_sequence
from krm_fn.wire import layout
from krm_fn.wire.apply import splice_edit
from krm_fn.wire.documents import end_last_line, split_documents
from krm_fn.wire.edit_mapping import key_style
from krm_fn.wire.envelope import Package
from krm_fn.wire.splice import Splice
from krm_fn.wire.write_value import write_block, write_document, write_flow


class _List(NamedTuple):
    """A list of objects, and the mapping it is a field of."""

    parent: Mapping
    items: Sequence


def splice_objects(package: Package, emission: Changes) -> Iterator[Splice]:
    """What is exchanged and taken out, and what is put into a ResourceList; a stream gets `added_documents`."""
    text = package.document.text
    own = {id(item.node) for item in package.items}
    for item, wanted in emission.replace:
        if id(item.node) in own:
            yield _replace(text, item.node, wanted)
    removed = {id(item.node) for item in emission.remove} & own
    added = with_file(emission.add, package.items) if package.resource_list is not None else []
    if any(id(root) in removed for root in package.document.roots):
        for part in split_documents(package.document):
            if id(part.root) in removed:
                yield Splice(part.start, part.end, "")
    for root in package.document.roots if removed or added else ():
        for parent, items in _lists(root):
            drop = tuple(index for index, item in enumerate(items.value) if id(item) in removed)
            add = tuple(added) if parent is package.resource_list else ()
            if drop or add:
                key = next(key for key, value in parent.value if value is items)
                yield from splice_edit(text, SetItems(items, add, drop, key, parent))


def added_documents(text: str, added: Iterable[Object]) -> str:
    """A stream with more documents at its end."""
    documents = "".join(map(write_document, added))
    return end_last_line(text) + documents if documents else text


def _replace(text: str, node: Mapping, wanted: Object) -> Splice:
    if node.flow_style:
        opening, closing = layout.flow_span(text, node)
        return Splice(opening, closing + 1, write_flow(wanted, style=key_style(node.value[0][0])))
    start, end = layout.entry_start(text, node.value[0][0]), layout.node_end(text, node)
    lines = [line for key, value in wanted.items() for line in write_block(key, value, 0)]
    line_break = layout.line_break(text)
    tail = line_break if text[end - 1 : end] in ("\n", "\r") else ""  # behind a block scalar
    return Splice(start, end, (line_break + " " * layout.indentation(text, node)).join(lines) + tail)


def _lists(node: Node) -> Iterator[_List]:
    """The lists of objects in a document, Lists in Lists included."""
    items = get(node, "items")
    if is_mapping(node) and is_sequence(items):
        yield _List(node, items)
        for item in items.value:
            yield from _lists(item)


_PATH = "internal.config.kubernetes.io/path"
_INDEX = "internal.config.kubernetes.io/index"


def with_file(added: Iterable[Object], items: Iterable[Item]) -> list[Object]:
    """The objects with the file they go to and their places in it, both of which kpt asks for.

    Only where the other objects have files, which kustomize's have not.
    """
    taken = {(item.file, item.file_index) for item in items if item.file}
    if not taken:
        return list(added)
    placed = []
    for one in added:
        file = f"{_set_of(one)}-linker.yaml"
        index = max((index for name, index in taken if name == file), default=-1) + 1
        taken.add((file, index))
        placed.append(_annotate(one, {_PATH: file, _INDEX: str(index)}))
    return placed


def _set_of(one: Any) -> str:
    return str(one["metadata"]["labels"][keys.SET])


def _annotate(one: Any, annotations: dict[str, str]) -> Object:
    metadata = one["metadata"]
    return {**one, "metadata": {**metadata, "annotations": {**metadata.get("annotations", {}), **annotations}}}
