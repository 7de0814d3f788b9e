"""Scalars as go-yaml v3 reads them, which kustomize's hasher uses. The values are those of JSON.

Its rules are neither YAML 1.1's nor 1.2's: `yes` and `12:30:45` are text, `0777` and `0o17` are
octal, `1_000` is a number and `2020-01-02` a date. Quoted and block scalars are text unless they
have an explicit tag. A functionConfig is read by other rules: `base.node`.

kustomize hands what go-yaml has read to `encoding/json`, which compares the names of fields.
"""

import math
import re
from base64 import b64decode
from types import NoneType
from typing import Final, TypeAlias, TypeGuard

from krm_fn.base.node import Node, Scalar, is_scalar

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
_BOOLEANS = "y|Y|yes|Yes|YES|on|On|ON|n|N|no|No|NO|off|Off|OFF"
_BOOLEAN_WORDS = frozenset(_BOOLEANS.split("|"))
_NUMERIC = frozenset("+-.0123456789")
"""The first characters of numbers and dates."""

_STANDARD: Final = "tag:yaml.org,2002:"
_TYPES: dict[str, tuple[type, ...]] = {
    f"{_STANDARD}null": (NoneType,),
    f"{_STANDARD}bool": (bool,),
    f"{_STANDARD}int": (int,),
    f"{_STANDARD}float": (float, int),
}

# Patterns are texts here: few packages hold such scalars, and `re` keeps what it has compiled.
_BASE64 = r"[A-Za-z0-9+/]*={0,2}"

_DECIMAL = r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?"
_POINT_FIRST = r"\.[0-9]+(?:_[0-9]+)*(?:[eE][-+]?[0-9]+(?:_[0-9]+)*)?"
_INTEGERS = (
    (10, r"([-+]?)(0|[1-9][0-9]{0,19})"),
    (8, r"([-+]?)0[oO]?([0-7]+)"),
    (16, r"([-+]?)0[xX]([0-9a-fA-F]+)"),
    (2, r"([-+]?)0[bB]([01]+)"),
    # go-yaml's fallback for the prefixes of YAML 1.2 accepts a sign behind them.
    (8, r"0o([-+])([0-7]+)"),
    (2, r"0b([-+])([01]+)"),
)
# Go tries an integer with a sign of 64 bits, then one without, whose text may not have a sign
# either.
_RANGES = {"": range(2**64), "+": range(2**63), "-": range(2**63 + 1)}

_FORMAT = (
    r"(?P<year>[0-9]{4})-(?P<month>[0-9]{1,2})-(?P<day>[0-9]{1,2})"
    r"(?:(?:[Tt]|(?P<blank> +))"
    r"(?P<hour>[0-9]{1,2}):(?P<minute>[0-9]{1,2}):(?P<second>[0-9]{1,2})(?:[.,](?P<fraction>[0-9]+))?"
    r"(?(blank)|(?:Z|(?P<sign>[-+])(?P<zone_hours>[0-9]{2}):(?P<zone_minutes>[0-9]{2}))))?"
)
_LIMITS = (
    ("month", range(1, 13)),
    ("hour", range(24)),
    ("minute", range(60)),
    ("second", range(60)),
    # One more than a clock shows: Go accepts both.
    ("zone_hours", range(25)),
    ("zone_minutes", range(61)),
)
_NANOSECONDS = 9
_DAY = 24 * 60
"""In minutes."""


def read_scalar(scalar: Scalar) -> ScalarValue:
    """Return text, float, bool or None.

    Raises ValueError, without the text in it, where kustomize fails too.
    """
    if is_plainly_text(scalar):
        return scalar.value
    value = (
        _read_plain(scalar.value) if scalar.tag is None else _read_tagged(scalar.tag, scalar.value)
    )
    if isinstance(value, float) and not math.isfinite(value):
        message = "infinity and NaN cannot be hashed; quote the value"
        raise ValueError(message)
    return float(value) if type(value) is int else value


def is_plainly_text(node: Node) -> TypeGuard[Scalar]:
    """Tell whether a node is text at first sight.

    Nearly all are, so this saves the time for a closer look.
    """
    if not is_scalar(node) or node.tag is not None:
        return False
    text = node.value
    return bool(node.style) or (text not in _WORDS and text[0] not in _NUMERIC)


def is_text(scalar: Scalar) -> bool:
    """Tell whether a scalar is text in YAML already, not a date, which only JSON writes as text."""
    if scalar.tag is not None:
        return scalar.tag == f"{_STANDARD}str"
    return is_plainly_text(scalar) or _read_plain(scalar.value) is scalar.value


def is_boolean_word(scalar: Scalar) -> bool:
    """Tell whether sigs.k8s.io/yaml reads it as a boolean, and the YAML of kustomize and kpt as text."""
    return not scalar.style and scalar.value in _BOOLEAN_WORDS


def is_read_as(node: Node, wanted: str | bool | int) -> bool:
    """Tell whether a node is read as this value, and as one of its type."""
    if is_plainly_text(node):
        return node.value == wanted
    if not is_scalar(node):
        return False
    try:
        value = read_scalar(node)
    except ValueError:
        return False
    return value == wanted and isinstance(value, bool | str) == isinstance(wanted, bool | str)


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
    elif tag not in _TYPES:  # `!!str`, and any tag that go-yaml does not know
        return text
    elif type(value := _read_undated(text)) in _TYPES[tag]:
        return value
    message = f"does not match its tag !!{name}"
    raise ValueError(message)


def _read_binary(text: str) -> str:
    """Return the decoded bytes as text; each byte that is not UTF-8 becomes one U+FFFD."""
    if not is_base64(text):
        message = "does not match its tag !!binary: not base64"
        raise ValueError(message)
    return re.sub(
        "[\udc80-\udcff]", "\ufffd", b64decode(unfold(text)).decode("utf-8", "surrogateescape")
    )


def is_base64(text: str) -> bool:
    """Tell whether Go reads a text as base64: with padding, and line breaks anywhere."""
    digits = unfold(text)
    return len(digits) % 4 == 0 and re.fullmatch(_BASE64, digits) is not None


def unfold(text: str) -> str:
    return text.replace("\n", "").replace("\r", "")


def read_number(text: str) -> int | float | None:
    """Read a text that begins with a sign, a digit or a point as a number; None if it is not one.

    An integer beyond 64 bits is a float if it is decimal, else text. A float beyond 64 bits is
    text.
    """
    if text.startswith("."):
        return _finite(text.replace("_", "")) if re.fullmatch(_POINT_FIRST, text) else None
    digits = text.replace("_", "")
    integer = _integer(digits)
    if integer is not None:
        return integer
    return _finite(digits) if re.fullmatch(_DECIMAL, digits) else None


def _integer(digits: str) -> int | None:
    for base, pattern in _INTEGERS:
        if found := re.fullmatch(pattern, digits):
            sign, magnitude = found[1], int(found[2], base)
            if magnitude in _RANGES[sign]:
                return -magnitude if sign == "-" else magnitude
    return None


def _finite(digits: str) -> float | None:
    number = float(digits)
    return number if math.isfinite(number) else None


def read_timestamp(text: str) -> str | None:
    """Read a text as a date, and write it in RFC 3339 without trailing zeros; None if it is not one.

    Raises ValueError for a time zone offset of a whole day, which Go can read but not write.
    """
    found = re.fullmatch(_FORMAT, text) if text[4:5] == "-" else None
    if found is None or not _exists(found):
        return None
    year, month, day, hour, minute, second = (
        int(found[name] or 0) for name in ("year", "month", "day", "hour", "minute", "second")
    )
    fraction = (found["fraction"] or "")[:_NANOSECONDS].rstrip("0")
    time = f"{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}"
    if fraction:
        time += f".{fraction}"
    return time + _offset(found)


def _exists(found: re.Match[str]) -> bool:
    """Tell whether this day and time exist."""
    if any(int(found[name] or limit[0]) not in limit for name, limit in _LIMITS):
        return False
    from calendar import monthrange

    _, last_day = monthrange(int(found["year"]), int(found["month"]))
    return 1 <= int(found["day"]) <= last_day


def _offset(found: re.Match[str]) -> str:
    minutes = int(found["zone_hours"] or 0) * 60 + int(found["zone_minutes"] or 0)
    if minutes >= _DAY:
        message = "a time zone offset must be less than 24 hours"
        raise ValueError(message)
    return f"{found['sign']}{minutes // 60:02}:{minutes % 60:02}" if minutes else "Z"


_ANY_CASE: dict[int, int | str] = {
    **{code: code + 32 for code in range(ord("A"), ord("Z") + 1)},
    0x17F: "s",
    0x212A: "k",
}
"""Characters that Go folds into ASCII. Python folds more: the ligature of `fi`, for one."""


def fold_name(name: str) -> str:
    """Return the name of a field as kustomize compares it: `Resources` is `resources`."""
    return name.translate(_ANY_CASE)
