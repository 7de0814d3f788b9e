"""Replacements of parts of a text, applied all at once."""

from collections.abc import Iterable
from typing import NamedTuple


class Splice(NamedTuple):
    """Replace the characters from `start` to `end` by `text`."""

    start: int
    end: int
    text: str


def apply_splices(text: str, splices: Iterable[Splice]) -> str:
    """Return the text after all splices. Insertions at one position keep their order; an overlap raises, as a bug."""
    pieces = []
    position = 0
    for splice in sorted(splices, key=lambda splice: splice[:2]):
        if splice.start < position:
            bug = f"two edits of the same place, at character {splice.start}"
            raise AssertionError(bug)
        pieces += [text[position : splice.start], splice.text]
        position = splice.end
    return "".join([*pieces, text[position:]])
