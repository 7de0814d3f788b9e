"""What a scalar's raw text means to go-yaml v3, in the values that JSON has.

Its rules are neither YAML 1.1's nor 1.2's: `yes` and `12:30:45` are text, `0777` and `0o17` are octal, `1_000` is
a number and `2020-01-02` a date. Quoted and block scalars are text unless an explicit tag says otherwise.
"""

import math
import re
from base64 import b64decode
from types import NoneType
from typing import Final, TypeAlias, TypeGuard

from krm_fn.model.node import Node, Scalar, is_scalar
from krm_fn.model.yaml_number import read_number
from krm_fn.model.yaml_timestamp import read_timestamp

ScalarValue: TypeAlias = str | float | bool | None

_WORDS: dict[str, ScalarValue] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
    **dict.fromkeys((".nan", ".NaN", ".NAN"), math.nan),
    **dict.fromkeys((".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"), math.inf),
    **dict.fromkeys(("-.inf", "-.Inf", "-.INF"), -math.inf),
    "<<": "<<",
}
_NUMERIC = frozenset("+-.0123456789")
"""How numbers and dates begin."""

_STANDARD: Final = "tag:yaml.org,2002:"
_TYPES: dict[str, tuple[type, ...]] = {
    f"{_STANDARD}null": (NoneType,),
    f"{_STANDARD}bool": (bool,),
    f"{_STANDARD}int": (int,),
    f"{_STANDARD}float": (float, int),
}
_BASE64 = re.compile(r"[A-Za-z0-9+/]*={0,2}")


def read_scalar(scalar: Scalar) -> ScalarValue:
    """Text, float, bool or None. ValueError, which does not quote the text, where kustomize fails too."""
    if is_plainly_text(scalar):
        return scalar.value
    value = _read_plain(scalar.value) if scalar.tag is None else _read_tagged(scalar.tag, scalar.value)
    if isinstance(value, float) and not math.isfinite(value):
        message = "neither infinity nor NaN can be hashed; quote it"
        raise ValueError(message)
    return float(value) if type(value) is int else value


def is_plainly_text(node: Node) -> TypeGuard[Scalar]:
    """Whether it is text at first sight. Nearly everything is, so nearly everything is done with here."""
    if not is_scalar(node) or node.tag is not None:
        return False
    text = node.value
    return bool(node.style) or (text not in _WORDS and text[0] not in _NUMERIC)


def is_text(scalar: Scalar) -> bool:
    """Whether it is text to begin with, not a number or a date that JSON has only as text."""
    if scalar.tag is not None:
        return scalar.tag == f"{_STANDARD}str"
    return is_plainly_text(scalar) or _read_plain(scalar.value) is scalar.value


def _read_plain(text: str) -> ScalarValue:
    date = read_timestamp(text) if text[:1] in _NUMERIC else None
    return _read_undated(text) if date is None else date


def _read_undated(text: str) -> ScalarValue:
    if text in _WORDS:
        return _WORDS[text]
    number = read_number(text) if text[:1] in _NUMERIC else None
    return text if number is None else number


def _read_tagged(tag: str, text: str) -> ScalarValue:
    name = tag.removeprefix(_STANDARD)
    if tag == f"{_STANDARD}binary":
        return _read_binary(text)
    if tag == f"{_STANDARD}timestamp":
        date = read_timestamp(text)
        if date is not None:
            return date
    elif tag not in _TYPES:  # `!!str`, and any tag it does not know
        return text
    elif type(value := _read_undated(text)) in _TYPES[tag]:
        return value
    message = f"not what its tag !!{name} says"
    raise ValueError(message)


def _read_binary(text: str) -> str:
    """The decoded bytes as text; each byte that is not UTF-8 becomes a U+FFFD of its own."""
    digits = text.replace("\n", "").replace("\r", "")
    if not _BASE64.fullmatch(digits) or len(digits) % 4:
        message = "not the base64 that its tag !!binary says"
        raise ValueError(message)
    return re.sub("[\udc80-\udcff]", "\ufffd", b64decode(digits).decode("utf-8", "surrogateescape"))
