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
            bug = f"two edits of the same place, at character {splice.start}"
            raise AssertionError(bug)
        pieces += [text[position : splice.start], splice.text]
        position = splice.end
    return "".join([*pieces, text[position:]])


def splice_edit(text: str, change: SetText | SetFields) -> Iterator[Splice]:
    """The splices of one edit."""
    if isinstance(change, SetText):
        yield _set_text(text, change)
    elif change.key is not None and change.parent is not None:
        yield _fill_empty(text, change.node, change.key, change.parent, dict(change.add))
    elif is_mapping(change.node) and change.node.flow_style:
        yield from _edit_flow(text, change.node, change)
    elif is_mapping(change.node):
        yield from _edit_block(text, change.node, change)


def append_items(text: str, parent: Mapping, sequence: Sequence, items: Iterable[Value]) -> Splice:
    """Add items at the end of a list that is a field of `parent`."""
    if not sequence.flow_style:
        end, line_break = layout.line_after(text, layout.node_end(text, sequence))
        indent = layout.indentation(text, sequence)
        lines = [line for item in items for line in write_block_item(item, indent)]
        return _insert_lines(text, end, line_break, lines)
    opening, closing = layout.flow_span(text, sequence)
    added = ", ".join(write_flow(item, style=_key_style(parent.value[0][0])) for item in items)
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
    return Splice(start, end, gap + write_flow(fields, style=_key_style(key)))


def _nest(text: str, place: Splice, parent: Mapping, fields: dict[str, Value]) -> Splice:
    """Fields below their key, as a block of their own."""
    indent = layout.indentation(text, parent) + 2
    lines = [line for name, value in fields.items() for line in write_block(name, value, indent)]
    line_break = layout.line_break(text)
    return Splice(place.start, place.end, "".join(line_break + line for line in lines))


def _edit_block(text: str, node: Mapping, change: SetFields) -> Iterator[Splice]:
    indent = layout.indentation(text, node)
    lines = [line for name, value in change.add for line in write_block(name, value, indent)]
    runs = _runs(node, change.drop)
    if runs == [(0, len(node.value))]:
        yield _replace_block(text, node, lines, indent)
        return
    for first, behind in runs:
        yield _drop_from_block(text, node, first, behind)
    if lines:
        first_kept = runs[0][1] if runs and runs[0][0] == 0 else 0
        yield _append_to_block(text, node, lines, indent, node.value[first_kept][0])


def _append_to_block(text: str, node: Mapping, lines: list[str], indent: int, first_key: Node) -> Splice:
    key, value = node.value[-1]
    end, line_break = layout.line_after(text, layout.value_end(text, key, value))
    if not line_break and _ends_in_block_scalar(node):
        # A line break here would become part of that scalar: go in front of the first key instead.
        start = layout.entry_start(text, first_key)
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


def _drop_from_block(text: str, node: Mapping, first: int, behind: int) -> Splice:
    """The lines of some entries in a row, `behind` being the first that stays."""
    start = layout.entry_start(text, node.value[first][0])
    line = layout.line_start(text, start)
    if text[line:start].strip(" "):  # it stands behind a `- `: what follows moves up to its place
        return Splice(start, layout.entry_start(text, node.value[behind][0]), "")
    end, _ = layout.line_after(text, layout.value_end(text, *node.value[behind - 1]))
    return Splice(line, end, "")


def _replace_block(text: str, node: Mapping, lines: list[str], indent: int) -> Splice:
    """All entries go: the new ones take their place, or `{}` does."""
    start = layout.entry_start(text, node.value[0][0])
    end = layout.value_end(text, *node.value[-1])
    tail = layout.line_break(text) if text[end - 1 : end] in ("\n", "\r") else ""
    kept = [line[indent:] for line in lines] or ["{}"]
    return Splice(start, end, (layout.line_break(text) + " " * indent).join(kept) + tail)


def _edit_flow(text: str, node: Mapping, change: SetFields) -> Iterator[Splice]:
    opening, closing = layout.flow_span(text, node)
    runs = _runs(node, change.drop)
    style = _key_style(node.value[0][0]) if node.value else ""
    added = [write_flow({name: value}, style=style)[1:-1] for name, value in change.add]
    if runs == [(0, len(node.value))] or not node.value:
        yield Splice(opening + 1, closing, ", ".join(added))
        return
    for first, behind in runs:
        yield _drop_from_flow(text, node, first, behind)
    if added:
        yield _append_to_flow(text, node, added, closing)


def _append_to_flow(text: str, node: Mapping, added: list[str], closing: int) -> Splice:
    key, value = node.value[-1]
    end = layout.value_end(text, key, value)
    compact = text[key.end_mark.index : key.end_mark.index + 2] in (':"', ":{", ":[")
    gap = layout.gap_before(text, key.start_mark.index) or ("" if compact else " ")
    trailing_comma = "," in layout.without_comments(text[end:closing])
    if trailing_comma:
        return Splice(end, end, "," + gap + ("," + gap).join(added))
    return Splice(end, end, "".join("," + gap + entry for entry in added))


def _drop_from_flow(text: str, node: Mapping, first: int, behind: int) -> Splice:
    """Some entries in a row, and as many commas."""
    if behind < len(node.value):
        return Splice(node.value[first][0].start_mark.index, node.value[behind][0].start_mark.index, "")
    return Splice(layout.value_end(text, *node.value[first - 1]), layout.value_end(text, *node.value[-1]), "")


def _runs(node: Mapping, names: tuple[str, ...]) -> list[tuple[int, int]]:
    """The entries with these names, as (first, behind the last) of those that follow one another."""
    runs: list[tuple[int, int]] = []
    for index, (key, _) in enumerate(node.value):
        if is_scalar(key) and key.value in names:
            start = runs.pop()[0] if runs and runs[-1][1] == index else index
            runs.append((start, index + 1))
    return runs


def _key_style(key: Node) -> str:
    return '"' if is_scalar(key) and key.style == '"' else ""
