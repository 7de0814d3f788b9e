"""Text that fits into a number of columns, and always says how much of it is left out."""

from itertools import accumulate
from unicodedata import east_asian_width

_GAP = "..."
_BEFORE = 20
"""Columns of equal text that stay in front of a difference."""

_LONGEST = 400
"""A kind, a namespace and a name have at most 63, 63 and 253 characters."""


def columns(text: str) -> int:
    """Return how many columns a terminal needs for the text."""
    return len(text) if text.isascii() else sum(map(_columns_of, text))


def cut(text: str, width: int) -> str:
    """Cut text that is too long at its end: `registry.example/a... (+31)`."""
    if columns(text) <= width:
        return text
    room = max(width - len(f"{_GAP} (+{len(text)})"), 1)
    kept = _fitting(text, room)
    return f"{text[:kept]}{_GAP} (+{len(text) - kept})"


def cut_both(old: str, new: str, width: int) -> tuple[str, str]:
    """Cut two versions of a text so that their first difference is in view."""
    if max(columns(old), columns(new)) <= width:
        return old, new
    start = max(_common_length(old, new) - _BEFORE, 0)
    # Where the difference is in view anyway, the beginning is worth more.
    if columns(old[:start]) + _BEFORE * 2 <= width // 2:
        start = 0
    gap = _GAP if start else ""
    room = width - len(gap)
    return gap + cut(old[start:], room), gap + cut(new[start:], room)


def fold(parts: list[str], width: int, indent: str = "  ") -> list[str]:
    """Join parts with blanks, and begin another line where the next part does not fit.

    A part may be wider: names are not cut, unless they are longer than any that Kubernetes accepts.
    """
    lines = [cut(parts[0], _LONGEST)]
    for part in (cut(part, _LONGEST) for part in parts[1:]):
        if columns(lines[-1]) + 1 + columns(part) <= width:
            lines[-1] += f" {part}"
        else:
            lines.append(indent + part)
    return lines


def _common_length(old: str, new: str) -> int:
    """Return how many characters at the beginning are equal."""
    pairs = enumerate(zip(old, new, strict=False))
    return next((place for place, (one, other) in pairs if one != other), min(len(old), len(new)))


def _columns_of(character: str) -> int:
    # One that combines with the last counts too: else a line of them would never be too long.
    return 1 + (east_asian_width(character) in {"W", "F"})


def _fitting(text: str, room: int) -> int:
    """Return how many characters fit."""
    if text[:room].isascii():
        return room
    return sum(used <= room for used in accumulate(map(_columns_of, text[: room + 1])))
