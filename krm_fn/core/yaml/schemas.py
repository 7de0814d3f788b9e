"""Find the schemas of CustomResourceDefinitions that need no nodes.

They are nine tenths of the text of many packages, and hardly anyone reads a field of them. So they
are parsed, and get nodes only when somebody looks. This module knows only their text. It takes a
schema only if nodes could show no error that the parser does not: a key that is there twice, an
alias, or too many levels. If in doubt, it leaves the schema to the one way to read YAML.
"""

import re
from typing import cast

from krm_fn.base.named_tuple import NamedTuple

FIELD = "openAPIV3Schema"
KIND = "CustomResourceDefinition"

_LINE = f"{FIELD}:\n"

# To pass over fewer characters takes longer than to read them.
_LEAST = 500
_MOST_COLUMNS = 380
"""Each level of a block begins in a later column than the one that is two levels further out."""

_COMMENT = "# Source:"
"""How Helm begins one that says of what follows where it is from."""

# What a tag may say that the reader of names refuses.
_ENCODED = r"(?<!\S)[^\s!]*+!\S*(?:binary|%)"

# An element in a line below its dash, in the column that it has.
_DASH = r"\n( *+)- (?=[^ \n])"

_NAME = r"[\w$./][\w$./-]*+|'[^'\\\n]*+'|\"[^\"\\\n]*+\""
_WHOLE = r"(?:'[^']*+(?:''[^']*+)*+'|\"[^\"\\]*+(?:\\[\s\S][^\"\\]*+)*+\"|\[[\w .,-]*+\]|\{\}) *+\n"
_BELOW = r"[^\n]*+\n(?:\1 [^\n]*+\n| *+\n)*+"
_PLAIN = r"(?!-[ \n])[^\s'\"\[\]{}&*!%@`?#,:]"
_NO_KEY = r"(?=[^\n:]*+(?::(?=[^ \n])[^\n:]*+)*+\n)"
_TEXT = rf"(?:[|>]|(?![|>]){_PLAIN}{_NO_KEY}){_BELOW}"
_ENTRY = (
    r"( *+)(?:"
    rf"({_NAME}):(?: ++(?:{_WHOLE}|{_PLAIN}{_BELOW})| *+\n(?:\1 ++{_TEXT})?+)"
    rf"|(-)\n(?:\1  {_TEXT})?+"
    rf"|{_WHOLE}|(?:#[^\n]*+)?\n"
    r"|([\s\S]*+))"
)
"""A key with its value if that is a text, a dash with such an element, or a line that is neither.

The last group has all that begins with none of them, and so is in doubt. A text ends where a line is no further to
the right than the key or the dash.
"""


class SchemaLines(NamedTuple):
    """The lines of a schema: `start` is its first key, `end` is behind its last line feed."""

    start: int
    end: int


def find_schemas(text: str) -> list[SchemaLines]:
    """Find the schemas in a text that seem to be some, and that may stay without nodes."""
    spans: list[SchemaLines] = []
    position = text.find(_LINE)
    while position >= 0:
        behind = position + len(_LINE)
        before = text[text.rfind("\n", 0, position) + 1 : position]
        column = indented(text, behind) - behind
        is_field = not before.replace("- ", "", 1).strip(" ") and column > len(before)
        if is_field and text[behind + column : behind + column + 1] not in ("", "\n", "#"):
            end = _end_below(column - 1, text, behind)
            if end - behind >= _LEAST and _is_plain(text[behind:end]):
                spans.append(SchemaLines(behind + column, end))
            behind = end
        position = text.find(_LINE, behind)
    return spans


def without(text: str, spans: list[SchemaLines]) -> bytes:
    """Return the text with a space for each character of a schema, so that all else is where it was."""
    pieces: list[bytes] = []
    position = 0
    for start, end in spans:
        pieces += (text[position:start].encode(), b" " * (end - start - 1), b"\n")
        position = end
    return b"".join([*pieces, text[position:].encode()])


def whole_lines(text: str, span: SchemaLines) -> str:
    """Return a schema with the indentation of its first line."""
    return text[text.rfind("\n", 0, span.start) + 1 : span.end]


def indented(text: str, line: int) -> int:
    """Return where the text of a line begins, behind its spaces."""
    return cast("re.Match[str]", re.compile(" *").match(text, line)).end()


def _end_below(column: int, text: str, start: int) -> int:
    """Return the end of the lines that are further to the right than a column, or empty."""
    pattern = re.compile(rf"(?: {{{column + 1}}}[^\n]*\n| *\n)*+")
    return cast("re.Match[str]", pattern.match(text, start)).end()


def _is_plain(text: str) -> bool:
    """Tell whether a schema that can be parsed surely has no alias, no key twice, and no deep level."""
    if "\t" in text or _COMMENT in text or ("!" in text and re.search(_ENCODED, text)):
        return False
    # Those of each mapping around a line, by the column in which they begin.
    columns: list[int] = [-1]
    names: list[set[str]] = [set()]
    for entry in re.finditer(_ENTRY, re.sub(_DASH, r"\n\1-\n\1  ", text)):
        indent, name, dash, doubt = entry.groups()
        column = len(indent)
        if doubt or column > _MOST_COLUMNS:
            return False
        if name or dash:
            while columns[-1] > column:
                columns.pop()
                names.pop()
        if name:
            if columns[-1] < column:
                columns.append(column)
                names.append(set())
            before = len(names[-1])
            names[-1].add(name.strip("'\""))
            if len(names[-1]) == before:
                return False
    return True
