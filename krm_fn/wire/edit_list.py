"""Edits of lists: elements added at the end, in the style of the list, and elements dropped."""

import re
from collections.abc import Iterator

from krm_fn.model.changes import SetItems
from krm_fn.model.node import Sequence, is_mapping
from krm_fn.wire import layout
from krm_fn.wire.edit_mapping import insert_lines, runs_of
from krm_fn.wire.splice import Splice
from krm_fn.wire.write_value import write_block_item, write_flow

_DASH = re.compile(r"#[^\r\n]*|(-)")


def edit_list(text: str, node: Sequence, change: SetItems) -> Iterator[Splice]:
    """Yield the splices of one edit of a list that is not empty."""
    edit = _edit_flow if node.flow_style else _edit_block
    yield from edit(text, node, change, runs_of(change.drop))


def _edit_flow(text: str, node: Sequence, change: SetItems, runs: list[tuple[int, int]]) -> Iterator[Splice]:
    opening, closing = layout.flow_span(text, node)
    spans = layout.element_spans(text, node)
    style = _style(node)
    added = [write_flow(item, style=style) for item in change.add]
    if runs == [(0, len(spans))]:
        yield Splice(opening + 1, closing, ", ".join(added))
        return
    for first, behind in runs:
        start, end = (spans[first][0], spans[behind][0]) if behind < len(spans) else (spans[first - 1][1], spans[-1][1])
        yield Splice(start, end, "")
    if added:
        start, end = spans[-1]
        gap = layout.gap_before(text, start) or (" " if len(spans) == 1 else "")
        yield Splice(end, end, ("," + gap).join(["", *added]))


def _style(node: Sequence) -> str:
    """Return the quotes of the texts in this list, or of the field names in it."""
    texts = [element.value[0][0] if is_mapping(element) and element.value else element for element in node.value]
    return layout.key_style(texts[0]) if texts else ""


def _edit_block(text: str, node: Sequence, change: SetItems, runs: list[tuple[int, int]]) -> Iterator[Splice]:
    indent = layout.indentation(text, node)
    lines = [line for item in change.add for line in write_block_item(item, indent)]
    # The long lists only grow, so their elements need no closer look.
    if not runs and not layout.ends_in_block_scalar(node.value[-1]):
        yield insert_lines(text, *layout.line_after(text, layout.node_end(text, node)), lines)
        return
    dashes, ends = _block_spans(text, node)
    if runs == [(0, len(ends))]:
        yield _replace(text, dashes[0], ends[-1], lines or [" " * (indent + 1) + "[]"], indent)
        return
    for first, behind in runs:
        keep_break = layout.ends_in_block_scalar(node.value[first - 1])
        yield _drop(text, dashes, ends, (first, behind), keep_break=keep_break)
    if lines:
        end, line_break = layout.line_after(text, ends[-1])
        kept = [index for index in range(len(ends)) if index not in change.drop]
        if not line_break and layout.ends_in_block_scalar(node.value[kept[-1]]):
            yield _insert_first(text, dashes[kept[0]], lines, indent)
        else:
            yield insert_lines(text, end, line_break, lines)


def _block_spans(text: str, node: Sequence) -> tuple[list[int], list[int]]:
    """Return the position of each element's dash, and that of its end."""
    dashes, ends = [], []
    behind = layout.content_start(text, node)
    for start, end in layout.element_spans(text, node):
        dashes += [found.start() for found in _DASH.finditer(text, behind, start) if found.group(1)][:1]
        ends.append(end)
        behind = end
    return dashes, ends


def _drop(text: str, dashes: list[int], ends: list[int], run: tuple[int, int], *, keep_break: bool) -> Splice:
    """Drop the lines of a run of elements. `keep_break`: the line break before them belongs to a block scalar."""
    first, behind = run
    start = layout.line_start(text, dashes[first])
    if text[start : dashes[first]].strip(" "):  # the dash is behind another one or a `:`: what follows moves up
        return Splice(dashes[first], dashes[behind], "")
    end, line_break = layout.line_after(text, ends[behind - 1])
    if not line_break and not keep_break:  # the text ends here without a line break, and must still do so
        start = len(text[:start].removesuffix("\n").removesuffix("\r"))
    return Splice(start, end, "")


def _replace(text: str, start: int, end: int, lines: list[str], indent: int) -> Splice:
    tail = layout.line_break(text) if layout.is_break(text, end - 1) else ""
    return Splice(start, end, (layout.line_break(text) + " " * indent).join(line[indent:] for line in lines) + tail)


def _insert_first(text: str, start: int, lines: list[str], indent: int) -> Splice:
    """Insert before the first element that stays: at the end, a line break would become part of a block scalar."""
    break_ = layout.line_break(text) + " " * indent
    return Splice(start, start, "".join(line[indent:] + break_ for line in lines))
