"""Edits as splices of the text, in the style of the place they change."""

from collections.abc import Iterable, Iterator

from krm_fn.model.edit import SetFields, SetText, Value
from krm_fn.model.node import Mapping, Node, Sequence, is_mapping
from krm_fn.wire import layout
from krm_fn.wire.edit_block import edit_block, insert_lines
from krm_fn.wire.edit_flow import edit_flow, key_style
from krm_fn.wire.splice import Splice
from krm_fn.wire.write_value import write_block, write_block_item, write_flow, write_scalar


def splice_edit(text: str, change: SetText | SetFields) -> Iterator[Splice]:
    """The splices of one edit."""
    if isinstance(change, SetText):
        yield _set_text(text, change)
    elif change.key is not None and change.parent is not None:
        yield _fill_empty(text, change.node, change.key, change.parent, dict(change.add))
    elif is_mapping(change.node) and change.node.flow_style:
        yield from edit_flow(text, change.node, change)
    elif is_mapping(change.node):
        yield from edit_block(text, change.node, change)


def append_items(text: str, parent: Mapping, sequence: Sequence, items: Iterable[dict[str, Value]]) -> Splice:
    """Add items at the end of a list that is a field of `parent`."""
    if not sequence.flow_style:
        end, line_break = layout.line_after(text, layout.node_end(text, sequence))
        indent = layout.indentation(text, sequence)
        lines = [line for item in items for line in write_block_item(item, indent)]
        return insert_lines(text, end, line_break, lines)
    opening, closing = layout.flow_span(text, sequence)
    added = ", ".join(write_flow(item, style=key_style(parent.value[0][0])) for item in items)
    if not sequence.value:
        return Splice(opening + 1, closing, added)
    end = layout.node_end(text, sequence.value[-1])
    return Splice(end, end, ", " + added)


def _set_text(text: str, change: SetText) -> Splice:
    start, end = layout.scalar_span(text, change.node)
    gap = " " if start == end and text[start - 1 : start] in (":", "-", "?") else ""
    return Splice(start, end, gap + write_scalar(change.text, style=change.node.style))


def _fill_empty(text: str, node: Node, key: Node, parent: Mapping, fields: dict[str, Value]) -> Splice:
    """Fields where there is nothing, only a null, or an empty mapping."""
    start, end = node.start_mark.index, node.end_mark.index
    between = text[key.end_mark.index : start]
    if not parent.flow_style and between.strip(" ") == ":" and text[start : start + 1] not in ("&", "!"):
        return _nest(text, Splice(key.end_mark.index + 1, end, ""), parent, fields)
    start = layout.content_start(text, node)
    gap = " " if start == end and text[start - 1 : start] in (":", "?") else ""
    return Splice(start, end, gap + write_flow(fields, style=key_style(key)))


def _nest(text: str, place: Splice, parent: Mapping, fields: dict[str, Value]) -> Splice:
    """Fields below their key, as a block of their own."""
    indent = layout.indentation(text, parent) + 2
    lines = [line for name, value in fields.items() for line in write_block(name, value, indent)]
    line_break = layout.line_break(text)
    return Splice(place.start, place.end, "".join(line_break + line for line in lines))
