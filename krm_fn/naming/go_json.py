"""JSON exactly as Go's `json.Marshal` writes it."""

import math
from json.encoder import encode_basestring
from typing import TypeAlias

JsonValue: TypeAlias = bool | float | str | list["JsonValue"] | dict[str, "JsonValue"] | None
"""Go decodes every JSON number to a float."""

# Go makes its JSON safe inside HTML and JavaScript. None of these occurs outside a string.
_ESCAPES = tuple((character, f"\\u{ord(character):04x}") for character in "<>&\u2028\u2029")


def go_json(value: JsonValue) -> str:
    """Write JSON without blanks. Keys are sorted by code points, which is the order of their UTF-8 bytes."""
    text = _encode(value)
    for character, escape in _ESCAPES:
        text = text.replace(character, escape)
    return text


def _encode(value: JsonValue) -> str:
    # No comprehensions: this takes one frame for each level of nesting.
    if isinstance(value, str):
        return encode_basestring(value)
    if isinstance(value, dict):
        members = []
        for name, member in sorted(value.items()):
            text = encode_basestring(member) if isinstance(member, str) else _encode(member)
            members.append(f"{encode_basestring(name)}:{text}")
        return f"{{{','.join(members)}}}"
    if isinstance(value, list):
        return f"[{','.join(map(_encode, value))}]"
    if isinstance(value, float):
        return _number(value)
    return "null" if value is None else "true" if value else "false"


def _number(value: float) -> str:
    """Write the shortest digits that read back as this float, with an exponent only below 1e-6 and from 1e21."""
    if value == 0:
        return "-0" if math.copysign(1, value) < 0 else "0"
    shortest = repr(value)
    if 1e-6 <= abs(value) < 1e21:  # noqa: PLR2004  # the docstring names them
        from decimal import Decimal

        return format(Decimal(shortest).normalize(), "f")
    return shortest.replace("e-0", "e-")
