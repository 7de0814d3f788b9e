"""Edits of flow mappings, JSON among them: entries and commas, spaced as the entries around them."""

from collections.abc import Iterator

from krm_fn.model.edit import SetFields
from krm_fn.model.node import Mapping, Node, is_scalar
from krm_fn.wire import layout
from krm_fn.wire.runs import runs_of
from krm_fn.wire.splice import Splice
from krm_fn.wire.write_value import write_flow


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
