"""New values as YAML text: in block style, or in flow style inside of braces and brackets."""

import json
import re
from collections.abc import Iterator, Mapping
from functools import lru_cache

from krm_fn.model.node import NewValue
from krm_fn.naming.names import HASH

# Text that every YAML 1.1 and 1.2 parser reads as a string, in block and in flow style.
_PLAIN = re.compile(r"[A-Za-z/][A-Za-z0-9_./=-]*(?: [A-Za-z0-9_./=-]+)*")
_KEYWORDS = frozenset({"y", "n", "yes", "no", "on", "off", "true", "false", "null"})
# A content name needs no quotes, even if it begins with a digit: it ends in a dash and ten characters, and no number
# or date does.
_CONTENT_NAME = re.compile(f"[A-Za-z0-9][A-Za-z0-9.-]*-{HASH}")

# JSON writes these as they are. In YAML they are line breaks, or allowed nowhere.
_NOT_PLAIN = {*map(chr, range(0x7F, 0xA0)), "\u2028", "\u2029", "\ufeff", "\ufffe", "\uffff"}
_ESCAPES = str.maketrans({character: f"\\u{ord(character):04x}" for character in _NOT_PLAIN})


def write_scalar(value: str | bool | int, *, style: str = "") -> str:
    """Write one scalar. `style` is that of the text it replaces, or `"` for JSON."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if style == "'" and value.isprintable():
        return "'" + value.replace("'", "''") + "'"
    if style == '"' or not _is_plain(value):
        return json.dumps(value, ensure_ascii=False).translate(_ESCAPES)
    return value


def _is_plain(value: str) -> bool:
    if _CONTENT_NAME.fullmatch(value):
        return True
    return bool(_PLAIN.fullmatch(value)) and value.lower() not in _KEYWORDS


def write_flow(value: NewValue, *, style: str = "") -> str:
    """Write `{a: b, c: [d]}`, or JSON where `style` is `"`."""
    if isinstance(value, str | bool | int):
        return write_scalar(value, style=style)
    if not isinstance(value, Mapping):
        return "[" + ", ".join(write_flow(item, style=style) for item in value) + "]"
    return "{" + ", ".join(f"{_key(key, style)}: {write_flow(item, style=style)}" for key, item in value.items()) + "}"


def write_block(key: str, value: NewValue, indent: int, *, offset: int = 0) -> Iterator[str]:
    """Yield the lines of one field, without line breaks. `offset`: how far lists are indented below their keys."""
    start = " " * indent + _key(key, "") + ":"
    if isinstance(value, str | bool | int) or not value:
        yield f"{start} {write_flow(value)}"
    elif not isinstance(value, Mapping):
        yield start
        for item in value:
            yield from write_block_item(item, indent + offset, offset=offset)
    else:
        yield start
        for name, field in value.items():
            yield from write_block(name, field, indent + 2, offset=offset)


def write_document(value: Mapping[str, NewValue]) -> str:
    """Write an object as a document, with its marker."""
    return "---\n" + "".join(f"{line}\n" for key, field in value.items() for line in write_block(key, field, 0))


def write_block_item(value: NewValue, indent: int, *, offset: int = 0) -> Iterator[str]:
    """Yield the lines of one list element, its `-` at column `indent`."""
    if not isinstance(value, Mapping):
        yield " " * indent + "- " + write_flow(value)
        return
    first, *rest = [
        line for name, field in value.items() for line in write_block(name, field, indent + 2, offset=offset)
    ]
    yield " " * indent + "- " + first.lstrip()
    yield from rest


@lru_cache(maxsize=256)
def _key(key: str, style: str) -> str:
    return write_scalar(key, style=style)
