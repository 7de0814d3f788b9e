"""Edits to text: every edit becomes a splice, and all splices are applied to the original text once."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from krm_fn.model.edit import SetFields, SetText, Value
from krm_fn.model.node import Mapping, Node, Sequence, is_mapping, is_scalar
from krm_fn.wire import layout
from krm_fn.wire.write_value import write_block, write_block_item, write_flow, write_scalar


class Splice(NamedTuple):
    """Put `text` in place of the characters from `start` to `end`."""

    start: int
    end: int
    text: str


def apply_splices(text: str, splices: Iterable[Splice]) -> str:
    """The text after all splices. Two at the same place are applied in the order given; overlapping ones raise."""
    pieces = []
    position = 0
    for splice in sorted(splices, key=lambda splice: splice[:2]):
        if splice.start < position:
            raise AssertionError(f"two edits of the same place, at character {splice.start}")
        pieces += [text[position : splice.start], splice.text]
        position = splice.end
    return "".join([*pieces, text[position:]])


def splice_edit(text: str, change: SetText | SetFields) -> Iterator[Splice]:
    """The splices of one edit."""
    if isinstance(change, SetText):
        yield _set_text(text, change)
    elif not is_mapping(change.node):
        yield _fill_empty(text, change)
    elif change.node.flow_style:
        yield from _edit_flow(text, change.node, change)
    else:
        yield from _edit_block(text, change.node, change)


def append_items(text: str, sequence: Sequence, items: list[Value]) -> Splice:
    """Add items at the end of a list."""
    if not sequence.flow_style:
        end, line_break = layout.line_after(text, layout.node_end(text, sequence))
        indent = layout.indentation(text, sequence)
        lines = [line for item in items for line in write_block_item(item, indent)]
        return _insert_lines(text, end, line_break, lines)
    opening, closing = layout.flow_span(text, sequence)
    style = '"' if '"' in text[opening:closing] else None
    added = ", ".join(write_flow(item, style=style) for item in items)
    if not sequence.value:
        return Splice(opening + 1, closing, added)
    end = layout.node_end(text, sequence.value[-1])
    return Splice(end, end, ", " + added)


def _set_text(text: str, change: SetText) -> Splice:
    start, end = layout.scalar_span(text, change.node)
    gap = " " if start == end and text[start - 1 : start] in (":", "-", "?") else ""
    return Splice(start, end, gap + write_scalar(change.text, style=change.node.style))


def _fill_empty(text: str, change: SetFields) -> Splice:
    """Fields where there is nothing, or only a null."""
    node, key, parent = change.node, change.key, change.parent
    start, end = node.start_mark.index, node.end_mark.index
    assert key is not None
    assert parent is not None
    between = text[key.end_mark.index : start]
    if not parent.flow_style and between.strip(" ") == ":" and text[start : start + 1] not in ("&", "!"):
        return _nest(text, Splice(key.end_mark.index + 1, end, ""), parent, dict(change.add))
    start = layout.content_start(text, node)
    gap = " " if start == end and text[start - 1 : start] in (":", "?") else ""
    return Splice(start, end, gap + write_flow(dict(change.add), style=_key_style(key)))


def _nest(text: str, place: Splice, parent: Mapping, fields: dict[str, Value]) -> Splice:
    """Fields below their key, as a block of their own."""
    indent = layout.indentation(text, parent) + 2
    lines = [line for name, value in fields.items() for line in write_block(name, value, indent)]
    line_break = layout.line_break(text)
    return Splice(place.start, place.end, "".join(line_break + line for line in lines))


def _edit_block(text: str, node: Mapping, change: SetFields) -> Iterator[Splice]:
    indent = layout.indentation(text, node)
    lines = [line for name, value in change.add for line in write_block(name, value, indent)]
    gone = _entries_named(node, change.drop)
    if len(gone) == len(node.value):
        yield _replace_block(text, node, lines, indent)
        return
    for index in gone:
        yield _drop_from_block(text, node, index)
    if lines:
        yield _append_to_block(text, node, lines, indent)


def _append_to_block(text: str, node: Mapping, lines: list[str], indent: int) -> Splice:
    key, value = node.value[-1]
    end, line_break = layout.line_after(text, layout.value_end(text, key, value))
    if not line_break and _ends_in_block_scalar(node):
        # A line break here would become part of that scalar: go in front of the first key instead.
        start = node.value[0][0].start_mark.index
        first, *rest = [line.removeprefix(" " * indent) for line in lines]
        break_ = layout.line_break(text) + " " * indent
        return Splice(start, start, break_.join([first, *rest]) + break_)
    return _insert_lines(text, end, line_break, lines)


def _insert_lines(text: str, position: int, line_break: str, lines: list[str]) -> Splice:
    if line_break:
        return Splice(position, position, "".join(line + line_break for line in lines))
    return Splice(position, position, "".join(layout.line_break(text) + line for line in lines))


def _ends_in_block_scalar(node: Node) -> bool:
    while not is_scalar(node):
        if not node.value or node.flow_style:  # type: ignore[attr-defined]  # collections have one
            return False
        node = node.value[-1][1] if node.id == "mapping" else node.value[-1]
    return node.style in ("|", ">")


def _drop_from_block(text: str, node: Mapping, index: int) -> Splice:
    key, value = node.value[index]
    start = key.start_mark.index
    line = layout.line_start(text, start)
    if text[line:start].strip(" "):  # behind a `- `: what follows moves up to its place
        return Splice(start, node.value[index + 1][0].start_mark.index, "")
    end, _ = layout.line_after(text, layout.value_end(text, key, value))
    return Splice(line, end, "")


def _replace_block(text: str, node: Mapping, lines: list[str], indent: int) -> Splice:
    """All entries go: the new ones take their place, or `{}` does."""
    start = node.value[0][0].start_mark.index
    end = layout.value_end(text, *node.value[-1])
    tail = layout.line_break(text) if text[end - 1 : end] in ("\n", "\r") else ""
    kept = [line[indent:] for line in lines] or ["{}"]
    return Splice(start, end, (layout.line_break(text) + " " * indent).join(kept) + tail)


def _edit_flow(text: str, node: Mapping, change: SetFields) -> Iterator[Splice]:
    opening, closing = layout.flow_span(text, node)
    gone = _entries_named(node, change.drop)
    kept = [pair for index, pair in enumerate(node.value) if index not in gone]
    style = _key_style(node.value[0][0]) if node.value else _style_around(text, change)
    added = [write_flow({name: value}, style=style)[1:-1] for name, value in change.add]
    if not kept:
        yield Splice(opening + 1, closing, ", ".join(added))
        return
    for index in gone:
        yield _drop_from_flow(text, node, index, opening, closing)
    if added:
        yield _append_to_flow(text, node, added, closing)


def _append_to_flow(text: str, node: Mapping, added: list[str], closing: int) -> Splice:
    key, value = node.value[-1]
    end = layout.value_end(text, key, value)
    before = text[: key.start_mark.index]
    gap = before[len(before.rstrip()) :] or ("" if text[key.end_mark.index :][:2] in (':"', ":{", ":[") else " ")
    trailing_comma = "," in layout.without_comments(text[end:closing])
    if trailing_comma:
        return Splice(end, end, "," + gap + ("," + gap).join(added))
    return Splice(end, end, "".join("," + gap + entry for entry in added))


def _drop_from_flow(text: str, node: Mapping, index: int, opening: int, closing: int) -> Splice:
    """An entry and one comma beside it."""
    key, value = node.value[index]
    if index + 1 < len(node.value):
        return Splice(key.start_mark.index, node.value[index + 1][0].start_mark.index, "")
    end = layout.value_end(text, key, value)
    start = layout.value_end(text, *node.value[index - 1]) if index else opening + 1
    return Splice(start, end, "")


def _entries_named(node: Mapping, names: tuple[str, ...]) -> list[int]:
    return [index for index, (key, _) in enumerate(node.value) if is_scalar(key) and key.value in names]


def _key_style(key: Node) -> str | None:
    return '"' if is_scalar(key) and key.style == '"' else None


def _style_around(text: str, change: SetFields) -> str | None:
    """How to write into `{}`: as JSON where the text is JSON."""
    if change.key is not None:
        return _key_style(change.key)
    return '"' if text.lstrip()[:1] == "{" and '"' in text[:40] else None
