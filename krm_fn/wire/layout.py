"""Where things begin and end in YAML text, and how they are written.

The parser's marks tell where tokens are. An editor also needs to know where the *line* of a field ends (comments
below it stay), where the braces of a flow mapping are, and where a scalar begins behind its anchor and tag.
"""

import re

from krm_fn.model.node import Mapping, Node, Scalar, Sequence, is_scalar, is_sequence

_PROPERTIES = re.compile(r"(?:[&!][^\s,\[\]{}]*(?:[ \t]+|(?=[\[{\"'])|$)|(?:\s|#[^\r\n]*[\r\n])+)*")
_REST_OF_LINE = re.compile(r"[^\r\n\x85\u2028\u2029]*(\r\n|[\r\n\x85\u2028\u2029]|\Z)")
_ALIAS = re.compile(r"(?:\s|#[^\r\n]*|[-:?,])*\*[^\s,\[\]{}]+")
_COMMENT = re.compile(r"(?:(?<=\s)|^)#[^\r\n]*")


def content_start(text: str, node: Node) -> int:
    """Return where a node begins behind its anchor and tag, if it has any."""
    start = node.start_mark.index
    if text[start : start + 1] not in ("&", "!"):
        return start
    match = _PROPERTIES.match(text, start, node.end_mark.index)
    return match.end() if match else start


def scalar_span(text: str, node: Scalar) -> tuple[int, int]:
    """Return the span of a scalar without its anchor, its tag, and the line break that ends a block scalar."""
    start, end = content_start(text, node), node.end_mark.index
    return start, max(start, len(text[:end].rstrip()) if node.style in ("|", ">") else end)


def flow_span(text: str, node: Mapping | Sequence) -> tuple[int, int]:
    """Return the positions of the opening and the closing bracket."""
    return content_start(text, node), node.end_mark.index - 1


def value_end(text: str, key: Node, value: Node) -> int:
    """Return where the value of a field ends: for an alias, where the alias is written, not its anchor."""
    return _alias_end(text, key.end_mark.index) if is_alias(key, value) else node_end(text, value)


def is_alias(before: Node, node: Node) -> bool:
    """Tell whether `node`, which follows `before`, is an alias: then its marks are those of its anchor."""
    return node.start_mark.index < before.end_mark.index


def node_end(text: str, node: Node) -> int:
    """Return where a node ends, without the comments behind it."""
    if node.id == "scalar" or node.flow_style:  # type: ignore[attr-defined]  # only scalars have none
        return node.end_mark.index
    if is_sequence(node):
        *others, last = node.value
        if last.start_mark.index <= max([node.start_mark.index, *(other.end_mark.index for other in others)]):
            return element_spans(text, node)[-1][1]  # it is an alias: its marks are those of its anchor
        return node_end(text, last)
    key, value = node.value[-1]
    return value_end(text, key, value)


def element_spans(text: str, node: Sequence) -> list[tuple[int, int]]:
    """Return where each element of a list begins and ends: for an alias, where the alias is written."""
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
    """Return the start of the next line, and the line break before it (`""` where the text ends without one)."""
    if position and text[position - 1] in "\r\n":  # a block scalar ends behind its last line break
        return position, line_break(text)
    match = _REST_OF_LINE.match(text, position)
    return (match.end(), match.group(1)) if match else (position, "")


def line_break(text: str) -> str:
    """Return the line break that the text uses."""
    first = text.find("\n")
    return "\r\n" if first > 0 and text[first - 1] == "\r" else "\n"


def gap_before(text: str, position: int) -> str:
    """Return the white space in front of a position."""
    start = position
    while start and text[start - 1].isspace():
        start -= 1
    return text[start:position]


def line_start(text: str, position: int) -> int:
    line_feed = text.rfind("\n", 0, position)
    return max(line_feed, text.rfind("\r", line_feed + 1, position)) + 1


def entry_start(text: str, key: Node) -> int:
    """Return where a field begins: at its key, or at the `?` in front of it."""
    start = key.start_mark.index
    line = text[line_start(text, start) : start].rstrip(" ")
    return start - (start - line_start(text, start) - len(line)) - 1 if line.endswith("?") else start


def indentation(text: str, node: Node) -> int:
    """Return the column at which the entries of a block collection begin: a key, a `?` or a `-`."""
    if node.id == "sequence":
        dash = text.index("-", content_start(text, node))
        return dash - line_start(text, dash)
    start = entry_start(text, node.value[0][0])
    return start - line_start(text, start)


def list_offset(text: str, node: Mapping) -> int:
    """Return how far the lists in a block mapping are indented below their keys; 0 if it has none."""
    own = indentation(text, node)
    for key, value in node.value:
        if is_sequence(value) and not value.flow_style and not is_alias(key, value):
            return max(0, indentation(text, value) - own)
    return 0


def ends_in_block_scalar(node: Node) -> bool:
    """Tell whether the last thing in a node is a block scalar, which a line break behind it would become part of."""
    while not is_scalar(node):
        if not node.value or node.flow_style:  # type: ignore[attr-defined]  # only scalars have none
            return False
        node = node.value[-1][1] if node.id == "mapping" else node.value[-1]
    return node.style in ("|", ">")


def key_style(key: Node) -> str:
    """Return the quotes that new keys beside this one get: `"` in JSON, else none."""
    return '"' if is_scalar(key) and key.style == '"' else ""


def without_comments(text: str) -> str:
    return _COMMENT.sub("", text)
