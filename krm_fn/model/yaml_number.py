"""Which plain texts are numbers to go-yaml v3, and which numbers they are."""

import math
import re

_DECIMAL = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_POINT_FIRST = re.compile(r"\.[0-9]+(?:_[0-9]+)*(?:[eE][-+]?[0-9]+(?:_[0-9]+)*)?")
_INTEGERS = (
    (10, re.compile(r"([-+]?)(0|[1-9][0-9]{0,19})")),
    (8, re.compile(r"([-+]?)0[oO]?([0-7]+)")),
    (16, re.compile(r"([-+]?)0[xX]([0-9a-fA-F]+)")),
    (2, re.compile(r"([-+]?)0[bB]([01]+)")),
    # Its fallback for the prefixes of YAML 1.2 lets a sign through behind them.
    (8, re.compile(r"0o([-+])([0-7]+)")),
    (2, re.compile(r"0b([-+])([01]+)")),
)
_RANGES = {"": range(2**64), "+": range(2**63), "-": range(2**63 + 1)}


def read_number(text: str) -> int | float | None:
    """The number a text is that starts with a sign, a digit or a point; None if it is none.

    An integer beyond 64 bits is a float if it is decimal, else no number. Neither is a float beyond 64 bits.
    """
    if text.startswith("."):
        return _finite(text.replace("_", "")) if _POINT_FIRST.fullmatch(text) else None
    digits = text.replace("_", "")
    integer = _integer(digits)
    if integer is not None:
        return integer
    return _finite(digits) if _DECIMAL.fullmatch(digits) else None


def _integer(digits: str) -> int | None:
    for base, pattern in _INTEGERS:
        if found := pattern.fullmatch(digits):
            sign, magnitude = found[1], int(found[2], base)
            if magnitude in _RANGES[sign]:
                return -magnitude if sign == "-" else magnitude
    return None


def _finite(digits: str) -> float | None:
    number = float(digits)
    return number if math.isfinite(number) else None
