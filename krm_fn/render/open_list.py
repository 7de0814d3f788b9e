"""The objects of a List or ResourceList as documents of their own."""

from collections.abc import Iterator

from krm_fn.model.node import Mapping, Node, Sequence, get, is_null, is_sequence
from krm_fn.wire import layout


def open_list(text: str, wrapper: Mapping) -> str:
    """A stream of the objects in `items`, each as it is written, moved to the left margin."""
    items = get(wrapper, "items")
    if not is_sequence(items):
        return ""
    key = next((key for key, value in wrapper.value if value is items), items)
    objects = _in_brackets(text, items) if items.flow_style else _in_lines(text, key, items)
    return "".join(f"---\n{_with_line_break(item)}" for item in objects)


def _in_brackets(text: str, items: Sequence) -> Iterator[str]:
    return (text[item.start_mark.index : item.end_mark.index] for item in items.value if not is_null(item))


def _in_lines(text: str, key: Node, items: Sequence) -> Iterator[str]:
    """Each with the comments above it; behind `key` begin those of the first, unless the list is an alias."""
    dash = layout.indentation(text, items)
    first = layout.line_start(text, layout.content_start(text, items))
    start = min(first, layout.line_after(text, key.end_mark.index)[0])
    for item in items.value:
        end, _ = layout.line_after(text, layout.node_end(text, item))
        lines = text[start:end].splitlines(keepends=True)
        if not is_null(item):
            yield "".join(_to_the_left(_without_dash(lines, dash), _column(text, item)))
        start = end


def _column(text: str, item: Node) -> int:
    """Where the object's own lines begin."""
    is_flow = item.id == "scalar" or item.flow_style  # type: ignore[attr-defined]  # only scalars have none
    return item.start_mark.column if is_flow else layout.indentation(text, item)


def _without_dash(lines: list[str], column: int) -> Iterator[str]:
    found = False
    for line in lines:
        is_dash = not found and line[column : column + 1] == "-" and not line[:column].strip()
        found = found or is_dash
        yield line[:column] + " " + line[column + 1 :] if is_dash else line


def _to_the_left(lines: Iterator[str], columns: int) -> Iterator[str]:
    for line in lines:
        indented = len(line) - len(line.lstrip(" "))
        yield line[min(columns, indented) :]


def _with_line_break(item: str) -> str:
    return item if item.endswith(("\n", "\r")) else item + "\n"
