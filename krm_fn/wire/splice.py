"""The smallest change of a text, and how all of them are made at once."""

from collections.abc import Iterable
from typing import NamedTuple


class Splice(NamedTuple):
    """Put `text` in place of the characters from `start` to `end`."""

    start: int
    end: int
    text: str


def apply_splices(text: str, splices: Iterable[Splice]) -> str:
    """The text after all splices. Two at the same place are applied in the order given; overlapping ones raise."""
    pieces = []
    position = 0
    for splice in sorted(splices, key=lambda splice: splice[:2]):
        if splice.start < position:
            bug = f"two edits of the same place, at character {splice.start}"
            raise AssertionError(bug)
        pieces += [text[position : splice.start], splice.text]
        position = splice.end
    return "".join([*pieces, text[position:]])
