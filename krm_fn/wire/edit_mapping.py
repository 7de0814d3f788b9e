"""Edits of block mappings: whole lines, indented as the lines around them."""

from collections.abc import Iterable, Iterator

from krm_fn.model.changes import SetFields
from krm_fn.model.node import Mapping, Node, is_scalar
from krm_fn.wire import layout
from krm_fn.wire.splice import Splice
from krm_fn.wire.write_value import write_block, write_flow


def edit_block(text: str, node: Mapping, change: SetFields) -> Iterator[Splice]:
    indent = layout.indentation(text, node)
    offset = layout.list_offset(text, node) if change.add else 0
    lines = [line for name, value in change.add for line in write_block(name, value, indent, offset=offset)]
    runs = runs_of(node, change.drop)
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
    if not line_break and ends_in_block_scalar(node):
        # A line break here would become part of that scalar: go in front of the first key instead.
        start = layout.entry_start(text, first_key)
        first, *rest = [line.removeprefix(" " * indent) for line in lines]
        break_ = layout.line_break(text) + " " * indent
        return Splice(start, start, break_.join([first, *rest]) + break_)
    return insert_lines(text, end, line_break, lines)


def insert_lines(text: str, position: int, line_break: str, lines: list[str]) -> Splice:
    if line_break:
        return Splice(position, position, "".join(line + line_break for line in lines))
    return Splice(position, position, "".join(layout.line_break(text) + line for line in lines))


def ends_in_block_scalar(node: Node) -> bool:
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


def edit_flow(text: str, node: Mapping, change: SetFields) -> Iterator[Splice]:
    opening, closing = layout.flow_span(text, node)
    runs = runs_of(node, change.drop)
    style = key_style(node.value[0][0]) if node.value else ""
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


def key_style(key: Node) -> str:
    return '"' if is_scalar(key) and key.style == '"' else ""


def runs_of(node: Mapping, names: tuple[str, ...]) -> list[tuple[int, int]]:
    """The entries with these names, as (first, behind the last) of those that follow one another."""
    return runs_in(index for index, (key, _) in enumerate(node.value) if is_scalar(key) and key.value in names)


def runs_in(indices: Iterable[int]) -> list[tuple[int, int]]:
    """Rising numbers, as (first, behind the last) of those that follow one another."""
    runs: list[tuple[int, int]] = []
    for index in indices:
        start = runs.pop()[0] if runs and runs[-1][1] == index else index
        runs.append((start, index + 1))
    return runs
