"""Whole objects put in, exchanged and taken out."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from krm_fn.model.emission import Emission, Object
from krm_fn.model.node import Mapping, Node, Sequence, get, is_mapping, is_sequence
from krm_fn.wire import layout
from krm_fn.wire.edit_flow import key_style
from krm_fn.wire.edit_text import append_items
from krm_fn.wire.envelope import Package
from krm_fn.wire.last_line import end_last_line
from krm_fn.wire.new_files import with_file
from krm_fn.wire.splice import Splice
from krm_fn.wire.split_documents import split_documents
from krm_fn.wire.write_value import write_block, write_document, write_flow


class _List(NamedTuple):
    """A list of objects, and the mapping it is a field of."""

    parent: Mapping
    items: Sequence


def splice_items(package: Package, emission: Emission) -> Iterator[Splice]:
    """What is exchanged and taken out, and what is put into a ResourceList; a stream gets `added_documents`."""
    own = {id(item.node) for item in package.items}
    for item, wanted in emission.replace:
        if id(item.node) in own:
            yield _replace(package.document.text, item.node, wanted)
    removed = {id(item.node) for item in emission.remove} & own
    yield from _remove(package, removed)
    if package.resource_list is not None and emission.add:
        items = get(package.resource_list, "items")
        assert is_sequence(items)  # noqa: S101  # what is added is about objects in there
        added = with_file(emission.add, package.items)
        yield append_items(package.document.text, package.resource_list, items, added)


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


def _remove(package: Package, removed: set[int]) -> Iterator[Splice]:
    text = package.document.text
    for part in split_documents(package.document) if removed else ():
        if id(part.root) in removed:
            yield Splice(part.start, part.end, "")
        for one in _lists(part.root):
            yield from _remove_from_list(text, one, removed)


def _lists(node: Node) -> Iterator[_List]:
    """The lists of objects in a document, Lists in Lists included."""
    items = get(node, "items")
    if is_mapping(node) and is_sequence(items):
        yield _List(node, items)
        for item in items.value:
            yield from _lists(item)


def _remove_from_list(text: str, one: _List, removed: set[int]) -> Iterator[Splice]:
    entries = one.items.value
    going = [id(entry) in removed for entry in entries]
    if not any(going):
        return
    if all(going):
        yield _empty(text, one)
        return
    for index, goes in enumerate(going):
        if goes and one.items.flow_style:
            yield _cut_entry(text, entries, index, last=all(going[index:]))
        elif goes:
            start = layout.line_start(text, entries[index].start_mark.index)
            yield Splice(start, layout.line_after(text, layout.node_end(text, entries[index]))[0], "")


def _cut_entry(text: str, entries: list[Node], index: int, *, last: bool) -> Splice:
    """Between brackets an entry goes with the comma behind it, or with the one before if nothing stays behind it."""
    if last:
        return Splice(layout.node_end(text, entries[index - 1]), layout.node_end(text, entries[index]), "")
    return Splice(entries[index].start_mark.index, entries[index + 1].start_mark.index, "")


def _empty(text: str, one: _List) -> Splice:
    key = next(key for key, value in one.parent.value if value is one.items)
    colon = text.index(":", key.end_mark.index)
    return Splice(colon + 1, layout.node_end(text, one.items), " []")
