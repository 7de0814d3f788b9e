"""Edits of mappings: fields added at the end, in the style of the mapping, and fields dropped."""

from collections.abc import Iterable, Iterator

from krm_fn.model.changes import SetFields
from krm_fn.model.node import Mapping, is_scalar
from krm_fn.wire import layout
from krm_fn.wire.splice import Splice
from krm_fn.wire.write_value import write_block, write_flow


def edit_mapping(text: str, node: Mapping, change: SetFields) -> Iterator[Splice]:
    """Yield the splices of one edit of a mapping. One in block style is not empty."""
    edit = _edit_flow if node.flow_style else _edit_block
    runs = runs_of(index for index, (key, _) in enumerate(node.value) if is_scalar(key) and key.value in change.drop)
    yield from edit(text, node, change, runs)


def _edit_block(text: str, node: Mapping, change: SetFields, runs: list[tuple[int, int]]) -> Iterator[Splice]:
    indent = layout.indentation(text, node)
    offset = layout.list_offset(text, node) if change.add else 0
    lines = [line for name, value in change.add for line in write_block(name, value, indent, offset=offset)]
    if runs == [(0, len(node.value))]:
        yield _replace_block(text, node, lines, indent)
        return
    for first, behind in runs:
        yield _drop_from_block(text, node, first, behind)
    if lines:
        first_kept = runs[0][1] if runs and runs[0][0] == 0 else 0
        yield _append_to_block(text, node, lines, indent, first_kept)


def _replace_block(text: str, node: Mapping, lines: list[str], indent: int) -> Splice:
    """Put new lines, or `{}`, in the place of all fields."""
    start = layout.entry_start(text, node.value[0][0])
    end = layout.value_end(text, *node.value[-1])
    tail = layout.line_break(text) if layout.is_break(text, end - 1) else ""
    new = [line[indent:] for line in lines] or ["{}"]
    return Splice(start, end, (layout.line_break(text) + " " * indent).join(new) + tail)


def _drop_from_block(text: str, node: Mapping, first: int, behind: int) -> Splice:
    """Drop the lines of the fields from `first` to the one before `behind`."""
    start = layout.entry_start(text, node.value[first][0])
    line = layout.line_start(text, start)
    if text[line:start].strip(" "):  # it is behind a `- `: what follows moves up to its place
        return Splice(start, layout.entry_start(text, node.value[behind][0]), "")
    end, _ = layout.line_after(text, layout.value_end(text, *node.value[behind - 1]))
    return Splice(line, end, "")


def _append_to_block(text: str, node: Mapping, lines: list[str], indent: int, first_kept: int) -> Splice:
    end, line_break = layout.line_after(text, layout.value_end(text, *node.value[-1]))
    if not line_break and layout.ends_in_block_scalar(node):
        # A line break here would become part of that scalar: go in front of the first field instead.
        start = layout.entry_start(text, node.value[first_kept][0])
        first, *rest = [line.removeprefix(" " * indent) for line in lines]
        break_ = layout.line_break(text) + " " * indent
        return Splice(start, start, break_.join([first, *rest]) + break_)
    return insert_lines(text, end, line_break, lines)


def _edit_flow(text: str, node: Mapping, change: SetFields, runs: list[tuple[int, int]]) -> Iterator[Splice]:
    opening, closing = layout.flow_span(text, node)
    style = layout.key_style(node.value[0][0]) if node.value else ""
    added = [write_flow({name: value}, style=style)[1:-1] for name, value in change.add]
    if runs == [(0, len(node.value))] or not node.value:
        yield Splice(opening + 1, closing, ", ".join(added))
        return
    for first, behind in runs:
        yield _drop_from_flow(text, node, first, behind)
    if added:
        yield _append_to_flow(text, node, added, closing)


def _drop_from_flow(text: str, node: Mapping, first: int, behind: int) -> Splice:
    """Drop the fields from `first` to the one before `behind`, and as many commas."""
    if behind < len(node.value):
        return Splice(node.value[first][0].start, node.value[behind][0].start, "")
    return Splice(layout.value_end(text, *node.value[first - 1]), layout.value_end(text, *node.value[-1]), "")


def _append_to_flow(text: str, node: Mapping, added: list[str], closing: int) -> Splice:
    key, value = node.value[-1]
    end = layout.value_end(text, key, value)
    compact = text[key.end : key.end + 2] in (':"', ":{", ":[")
    gap = layout.gap_before(text, key.start) or ("" if compact else " ")
    # A comma behind `a:` or `a: !!str` would belong to the key or to the tag.
    is_nothing = is_scalar(value) and not value.value and not value.style and not layout.is_alias(key, value)
    apart = " " if is_nothing and end > key.end and not text[end - 1].isspace() else ""
    trailing_comma = "," in layout.without_comments(text[end:closing])
    if trailing_comma:
        return Splice(end, end, apart + "," + gap + ("," + gap).join(added))
    return Splice(end, end, apart + "".join("," + gap + entry for entry in added))


def insert_lines(text: str, position: int, line_break: str, lines: list[str]) -> Splice:
    """Insert lines at the start of a line. `line_break` ends the line before; `""` where the text ends without one."""
    if line_break:
        return Splice(position, position, "".join(line + line_break for line in lines))
    return Splice(position, position, "".join(layout.line_break(text) + line for line in lines))


def runs_of(indices: Iterable[int]) -> list[tuple[int, int]]:
    """Group rising numbers into runs without a gap, each as (first, behind the last)."""
    runs: list[tuple[int, int]] = []
    for index in indices:
        start = runs.pop()[0] if runs and runs[-1][1] == index else index
        runs.append((start, index + 1))
    return runs
