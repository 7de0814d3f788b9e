"""Where things begin and end in YAML text, and how they are written.

The parser's marks tell where tokens are. An editor also needs to know where the *line* of a field
ends (comments below it stay), where the braces of a flow mapping are, and where a scalar begins
behind its anchor and tag.
"""

import re
from bisect import bisect_right
from collections.abc import Callable

from krm_fn.base.item import HASH
from krm_fn.base.node import Mapping, Node, Scalar, Sequence, is_scalar, is_sequence

_PROPERTIES = r"(?:[&!][^\s,\[\]{}]*(?:[ \t]+|(?=[\[{\"'])|$)|(?:\s|#[^\r\n]*[\r\n])+)*"
_BLANKS = r"[ \t]*(?!#)"  # a comment needs one in front of it
_ANCHOR = r"(?<!\S)&\S+"
_REST_OF_LINE = re.compile(r"[^\r\n\x85\u2028\u2029]*(\r\n|\r|\n|\x85|\u2028|\u2029|\Z)")
_ALIAS = r"(?:\s|#[^\r\n]*+|[-:?,])*+\*[^\s,\[\]{}]+"
_COLON = r"(?:\s++(?:#[^\r\n]*+)?)*+:"
_OTHER_BREAKS = ("\r", "\x85", "\u2028", "\u2029")
_COMMENT = r"(?:(?<=\s)|^)#[^\r\n]*"

# Text that every YAML 1.1 and 1.2 parser reads as a string, in block and in flow style.
_PLAIN = re.compile(r"[A-Za-z/][A-Za-z0-9_./=-]*(?: [A-Za-z0-9_./=-]+)*")
_KEYWORDS = frozenset({"y", "n", "yes", "no", "on", "off", "true", "false", "null"})
# A content name needs no quotes, even if it begins with a digit: it ends in a dash and ten
# characters, and no number or date does.
_CONTENT_NAME = re.compile(f"[A-Za-z0-9][A-Za-z0-9.-]*-{HASH}")


def content_start(text: str, node: Node) -> int:
    """Return where a node begins behind its anchor and tag, if it has any."""
    start = node.start
    if text[start : start + 1] not in ("&", "!"):
        return start
    match = re.compile(_PROPERTIES).match(text, start, node.end)
    return match.end() if match else start


def anchor(text: str, node: Node) -> str:
    """Return the anchor of a node as it is written; `""` if it has none."""
    found = re.search(_ANCHOR, without_comments(text[node.start : content_start(text, node)]))
    return found[0] if found else ""


def scalar_span(text: str, node: Scalar) -> tuple[int, int]:
    """Return the span of a scalar without anchor, tag, and the line break behind a block."""
    start, end = content_start(text, node), node.end
    # Nothing else that looks like white space: in a block, a tab or U+00A0 is text.
    return start, start + len(text[start:end].rstrip(" \r\n")) if node.style in ("|", ">") else max(
        start, end
    )


class NotLiteral(Exception):
    """A value that its text does not show as it is: with escapes, folded, or on several lines."""


def value_places(text: str, node: Scalar) -> Callable[[int], int]:
    """Return where each character of a scalar's value is in the text.

    Raises NotLiteral where value and text differ by more than the indentation of a literal block.
    """
    start, end = scalar_span(text, node)
    if node.style == "|":
        return _literal_places(text, start, end, node.value)
    quote = 1 if node.style in ("'", '"') else 0
    if text[start + quote : end - quote] != node.value:
        raise NotLiteral
    return lambda position: start + quote + position


def _literal_places(text: str, start: int, end: int, value: str) -> Callable[[int], int]:
    """Match the lines of a literal block with those of its value, which lack the indentation."""
    lines = iter(_REST_OF_LINE.finditer(text, start, end))
    next(lines)  # the header
    value_starts, text_starts = [], []
    position = 0
    for content, line in zip(value.split("\n"), lines, strict=False):
        if not text[line.start() : line.start(1)].endswith(content):
            break
        value_starts.append(position)
        text_starts.append(line.start(1) - len(content))
        position += len(content) + 1

    def place(index: int) -> int:
        if index >= position:
            raise NotLiteral
        row = bisect_right(value_starts, index) - 1
        return text_starts[row] + index - value_starts[row]

    return place


def flow_span(text: str, node: Mapping | Sequence) -> tuple[int, int]:
    """Return the positions of the opening and the closing bracket."""
    return content_start(text, node), node.end - 1


def value_end(text: str, key: Node, value: Node) -> int:
    """Return where the value of a field ends: for an alias, where the alias itself does."""
    if is_alias(key, value):
        return _alias_end(text, key.end)
    if value.start == value.end:  # the mark of a null may be that of what follows
        behind = behind_colon(text, key, value)
        blanks = None if behind is None else re.compile(_BLANKS).match(text, behind)
        return blanks.end() if blanks else key.end
    return node_end(text, value)


def is_alias(before: Node, node: Node) -> bool:
    """Tell whether `node`, which follows `before`, is an alias: it has the marks of its anchor."""
    return node.start < before.end


def node_end(text: str, node: Node) -> int:
    """Return where a node ends, without the comments behind it."""
    if node.id == "scalar" or node.flow_style:  # type: ignore[attr-defined]  # only scalars have none
        return node.end
    if is_sequence(node):
        *others, last = node.value
        if last.start <= max([node.start, *(other.end for other in others)]):
            # It is an alias: its marks are those of its anchor.
            return element_spans(text, node)[-1][1]
        return node_end(text, last)
    key, value = node.value[-1]
    return value_end(text, key, value)


def element_spans(text: str, node: Sequence) -> list[tuple[int, int]]:
    """Return where each element of a list begins and ends: for an alias, where it itself does."""
    spans = []
    behind = content_start(text, node) + node.flow_style  # the alias behind a bracket, or at a dash
    for element in node.value:
        start, end = element.start, node_end(text, element)
        if start < behind:
            end = _alias_end(text, behind)
            start = text.rindex("*", behind, end)
        spans.append((start, end))
        behind = end
    return spans


def _alias_end(text: str, start: int) -> int:
    match = re.compile(_ALIAS).match(text, start)
    return match.end() if match else start


def line_after(text: str, position: int) -> tuple[int, str]:
    """Return the start of the next line, and the line break before it; `""` at the end."""
    if position and is_break(text, position - 1):  # a block scalar ends behind its last line break
        return position, line_break(text)
    match = _REST_OF_LINE.match(text, position)
    return (match.end(), match.group(1)) if match else (position, "")


def is_break(text: str, position: int) -> bool:
    return text[position] == "\n" or text[position] in _OTHER_BREAKS


def line_break(text: str) -> str:
    first = text.find("\n")
    if first < 0:
        return "\r" if "\r" in text else "\n"
    return "\r\n" if first > 0 and text[first - 1] == "\r" else "\n"


def gap_before(text: str, position: int) -> str:
    start = position
    while start and text[start - 1].isspace():
        start -= 1
    return text[start:position]


def line_start(text: str, position: int) -> int:
    start = text.rfind("\n", 0, position) + 1
    before = text[start:position]
    if not before.strip(" "):  # as it is in front of nearly all keys
        return start
    return start + max(map(before.rfind, _OTHER_BREAKS)) + 1


def entry_start(text: str, key: Node) -> int:
    """Return where a field begins: at its key, or at the `?` in front of it."""
    start = key.start
    line = line_start(text, start)
    before = text[line:start].rstrip(" \t")
    if before.endswith("?"):
        return line + len(before) - 1
    mark = line - len(gap_before(text, line)) - 1
    is_alone = (
        not before
        and text[mark : mark + 1] == "?"
        and not text[line_start(text, mark) : mark].strip(" -")
    )
    return mark if is_alone else start


def behind_colon(text: str, key: Node, value: Node) -> int | None:
    """Return the position behind the colon of a field; None for a null without a colon."""
    match = re.compile(_COLON).match(text, key.end, max(key.end, value.start))
    return match.end() if match else None


def indentation(text: str, node: Node) -> int:
    """Return the column at which the entries of a block collection begin: a key, a `?` or a `-`."""
    if node.id == "sequence":
        dash = text.index("-", content_start(text, node))
        return dash - line_start(text, dash)
    start = entry_start(text, node.value[0][0])
    return start - line_start(text, start)


def list_offset(text: str, node: Mapping) -> int:
    """Return how far the lists in a block mapping are indented below their keys; 0 for none."""
    own = indentation(text, node)
    for key, value in node.value:
        if is_sequence(value) and not value.flow_style and not is_alias(key, value):
            return max(0, indentation(text, value) - own)
    return 0


def ends_in_block_scalar(node: Node) -> bool:
    """Tell whether a node ends in a block scalar, which a line break behind it would join."""
    while not is_scalar(node):
        if not node.value or node.flow_style:  # type: ignore[attr-defined]  # only scalars have none
            return False
        node = node.value[-1][1] if node.id == "mapping" else node.value[-1]
    return node.style in ("|", ">")


def key_style(key: Node) -> str:
    """Return the quotes that new keys beside this one get: `"` in JSON, else none."""
    return '"' if is_scalar(key) and key.style == '"' else ""


def without_comments(text: str) -> str:
    return re.sub(_COMMENT, "", text)


def is_text_to_all(value: str) -> bool:
    """Tell whether every parser reads it as text, also without quotes."""
    if _CONTENT_NAME.fullmatch(value):
        return True
    return bool(_PLAIN.fullmatch(value)) and value.lower() not in _KEYWORDS
