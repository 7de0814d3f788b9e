"""Where things begin and end in YAML text.

The parser's marks say where tokens are; what an editor needs on top is where a *line* of a block mapping ends
(comments after it stay), where the braces of a flow mapping stand, and where a scalar's text begins behind its
anchor and tag.
"""

import re

from krm_fn.model.node import Mapping, Node, Scalar, Sequence, is_sequence

_PROPERTIES = re.compile(r"(?:[&!][^\s,\[\]{}]*(?:[ \t]+|(?=[\[{\"'])|$)|(?:\s|#[^\r\n]*[\r\n])+)*")
_REST_OF_LINE = re.compile(r"[^\r\n\x85\u2028\u2029]*(\r\n|[\r\n\x85\u2028\u2029]|\Z)")
_ALIAS = re.compile(r"(?:\s|#[^\r\n]*|[-:?,])*\*[^\s,\[\]{}]+")
_COMMENT = re.compile(r"(?:(?<=\s)|^)#[^\r\n]*")


def content_start(text: str, node: Node) -> int:
    """Behind the anchor and tag, if there are any."""
    start = node.start_mark.index
    if text[start : start + 1] not in ("&", "!"):
        return start
    match = _PROPERTIES.match(text, start, node.end_mark.index)
    return match.end() if match else start


def scalar_span(text: str, node: Scalar) -> tuple[int, int]:
    """A scalar as written, without anchor, tag, and the line break that ends a block scalar."""
    start, end = content_start(text, node), node.end_mark.index
    return start, max(start, len(text[:end].rstrip()) if node.style in ("|", ">") else end)


def flow_span(text: str, node: Mapping | Sequence) -> tuple[int, int]:
    """The places of the opening and the closing bracket."""
    return content_start(text, node), node.end_mark.index - 1


def value_end(text: str, key: Node, value: Node) -> int:
    """Where the value of a field ends; an alias lies where it is written, not where its anchor is."""
    return _alias_end(text, key.end_mark.index) if is_alias(key, value) else node_end(text, value)


def is_alias(before: Node, node: Node) -> bool:
    """Whether `node`, written behind `before`, is an alias: then its marks are those of its anchor."""
    return node.start_mark.index < before.end_mark.index


def node_end(text: str, node: Node) -> int:
    """Behind the last character of a node, comments not counted."""
    if node.id == "scalar" or node.flow_style:  # type: ignore[attr-defined]  # only scalars have none
        return node.end_mark.index
    if node.id == "mapping":
        key, value = node.value[-1]
        return value_end(text, key, value)
    if len(node.value) > 1 and is_alias(node.value[-2], node.value[-1]):
        return _alias_end(text, node_end(text, node.value[-2]))
    if node.value[-1].start_mark.index < node.start_mark.index:
        return _alias_end(text, node.start_mark.index)
    return node_end(text, node.value[-1])


def element_spans(text: str, node: Sequence) -> list[tuple[int, int]]:
    """Where each element of a list begins and ends; an alias lies where it is written."""
    spans = []
    behind = content_start(text, node) + node.flow_style  # the alias behind a bracket, or at a dash
    for element in node.value:
        start, end = element.start_mark.index, node_end(text, element)
        if start < behind:
            end = _alias_end(text, behind)
            start = text.rindex("*", behind, end)
        spans.append((start, end))
        behind = end
    return spans


def _alias_end(text: str, start: int) -> int:
    match = _ALIAS.match(text, start)
    return match.end() if match else start


def line_after(text: str, position: int) -> tuple[int, str]:
    """The start of the next line, and the line break before it (`""` where the text ends without one)."""
    if position and text[position - 1] in "\r\n":  # a block scalar ends behind its last line break
        return position, line_break(text)
    match = _REST_OF_LINE.match(text, position)
    return (match.end(), match.group(1)) if match else (position, "")


def line_break(text: str) -> str:
    """The line break this text uses."""
    first = text.find("\n")
    return "\r\n" if first > 0 and text[first - 1] == "\r" else "\n"


def gap_before(text: str, position: int) -> str:
    """The white space in front of a place."""
    start = position
    while start and text[start - 1].isspace():
        start -= 1
    return text[start:position]


def line_start(text: str, position: int) -> int:
    line_feed = text.rfind("\n", 0, position)
    return max(line_feed, text.rfind("\r", line_feed + 1, position)) + 1


def entry_start(text: str, key: Node) -> int:
    """Where a field begins: at its key, or at the `?` in front of it."""
    start = key.start_mark.index
    line = text[line_start(text, start) : start].rstrip(" ")
    return start - (start - line_start(text, start) - len(line)) - 1 if line.endswith("?") else start


def indentation(text: str, node: Node) -> int:
    """The column of a block collection's entries: of its first key, its `?`, or its `-`."""
    if node.id == "sequence":
        dash = text.index("-", content_start(text, node))
        return dash - line_start(text, dash)
    start = entry_start(text, node.value[0][0])
    return start - line_start(text, start)


def list_offset(text: str, node: Mapping) -> int:
    """How far block lists in a block mapping stand to the right of their keys: as those there do, else not at all."""
    own = indentation(text, node)
    for key, value in node.value:
        if is_sequence(value) and not value.flow_style and not is_alias(key, value):
            return max(0, indentation(text, value) - own)
    return 0


def without_comments(text: str) -> str:
    return _COMMENT.sub("", text)
