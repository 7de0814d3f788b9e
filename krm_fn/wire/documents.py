"""The documents of a YAML stream: split it into them, join texts to one stream, turn a List into documents."""

import re
from bisect import bisect_right
from collections.abc import Iterator
from typing import NamedTuple

from krm_fn.model.node import Mapping, Node, Sequence, get, is_null, is_scalar, is_sequence
from krm_fn.wire import layout
from krm_fn.wire.reader import Document, read_yaml

# At the start of a line these always end a document, whatever scalar or bracket is open.
_BORDER = re.compile(
    r"(?:(?<=[\r\n\x85\u2028\u2029])|\A)(?:(?=---(?:\s|\Z))|\.\.\.(?=\s|\Z)[^\r\n]*(?:\r\n|[\r\n]|\Z))"
)
_MARKER = re.compile(r"---(?:\s|\Z)")

# What may be in front of the first document: blank lines, comments, `%YAML` and `%TAG`.
_PROLOGUE = re.compile(r"(?:(?:[ \t]*(?:#[^\r\n]*)?|%[^\r\n]*)(?:\r\n|[\r\n]))+")
_DIRECTIVE = re.compile(r"^%", re.MULTILINE)

_BLOCK_HEADER = re.compile(r"([|>])[+-]?([1-9]?)[+-]?")


class Part(NamedTuple):
    """One document and its span, with its marker and the comments around it."""

    start: int
    end: int
    root: Node


def split_documents(document: Document) -> Iterator[Part]:
    """Yield every document that is not empty."""
    borders = sorted({0, *(match.end() for match in _BORDER.finditer(document.text)), len(document.text)})
    for root in document.roots:
        if not is_null(root):
            index = bisect_right(borders, root.start)
            yield Part(borders[index - 1], borders[index], root)


def join_streams(texts: list[str]) -> str:
    """Join streams to one, with a marker in front of each. One alone stays as it is.

    The first of several needs a marker too: kubectl reads a stream that begins with a brace as JSON to its end.
    """
    plain = [*map(_comment_directives, texts)]
    if len(plain) == 1:
        return plain[0]
    return "".join(_with_marker(text) for text in [*map(end_last_line, plain[:-1]), *plain[-1:]])


def _comment_directives(text: str) -> str:
    """Turn directives into comments: kubectl and Argo CD split a stream before they parse it, and fail at `%YAML`."""
    prologue = _PROLOGUE.match(text)
    head = prologue.group() if prologue else ""
    return _DIRECTIVE.sub("#", head) + text[len(head) :]


def _with_marker(text: str) -> str:
    return text if _MARKER.match(text) else "---\n" + text


def end_last_line(text: str) -> str:
    """Add the line break that the last line lacks, without changing any value.

    A block scalar that ends with the file, without a line break, has none in its value; with one it would.
    """
    if not text or text[-1] in "\r\n":
        return text
    scalar = _last_block_scalar(text)
    if scalar is None:
        return text + layout.line_break(text)
    if str(scalar.value).endswith("\n"):  # its last line is only spaces
        return text.rstrip(" ")
    start = layout.content_start(text, scalar)
    return text[:start] + _BLOCK_HEADER.sub(r"\1\2-", text[start:], count=1) + layout.line_break(text)


def _last_block_scalar(text: str) -> Node | None:
    """Return the block scalar that the text ends in; None if it ends in anything else."""
    roots = read_yaml(text.encode(), may_repeat=True).roots
    node = roots[-1] if roots else None
    while node is not None and node.value and not is_scalar(node):
        node = node.value[-1][1] if node.id == "mapping" else node.value[-1]
    ends_here = is_scalar(node) and node.style in ("|", ">") and not text[node.end :].strip(" ")
    return node if ends_here else None


def open_list(text: str, wrapper: Mapping) -> str:
    """Turn the objects in `items` into documents, each as it is written, but moved to the left margin."""
    items = get(wrapper, "items")
    if not is_sequence(items):
        return ""
    key = next((key for key, value in wrapper.value if value is items), items)
    objects = _in_brackets(text, items) if items.flow_style else _in_lines(text, key, items)
    return "".join(f"---\n{_with_line_break(item)}" for item in objects)


def _in_brackets(text: str, items: Sequence) -> Iterator[str]:
    return (text[item.start : item.end] for item in items.value if not is_null(item))


def _in_lines(text: str, key: Node, items: Sequence) -> Iterator[str]:
    """Yield each object with the comments above it. Those of the first begin behind `key`, but not for an alias."""
    dash = layout.indentation(text, items)
    first = layout.line_start(text, layout.content_start(text, items))
    start = min(first, layout.line_after(text, key.end)[0])
    for item in items.value:
        end, _ = layout.line_after(text, layout.node_end(text, item))
        lines = text[start:end].splitlines(keepends=True)
        if not is_null(item):
            yield "".join(_to_the_left(_without_dash(lines, dash), _column(text, item)))
        start = end


def _column(text: str, item: Node) -> int:
    """Return the column at which the lines of an object begin."""
    is_flow = item.id == "scalar" or item.flow_style  # type: ignore[attr-defined]  # only scalars have none
    return item.column if is_flow else layout.indentation(text, item)


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
