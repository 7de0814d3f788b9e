"""A table for a terminal. It breaks lines in its cells, and never cuts a name: people copy them."""

from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple

from krm_fn.look.cut import columns, fold

_GAP = 2
"""Columns between two cells."""

_INDENT = 2
"""Columns in front of the rows of a group whose title is a line of its own."""

_ROOM = 40
"""Columns that both cells with line breaks need together, to be readable."""


def _plain(text: str) -> str:
    return text


class Row(NamedTuple):
    """Cells of one line each, and then two whose parts may be on several lines. `paint` is for the last one."""

    short: tuple[str, ...]
    long: tuple[Sequence[str], Sequence[str]]
    paint: Callable[[str], str] = _plain


class Group(NamedTuple):
    """Rows with a title, which is in the first column, or in a line of its own if it is too long for that."""

    title: str
    rows: Sequence[Row]


def write_table(titles: Sequence[str], groups: Sequence[Group], width: int) -> Iterator[str]:
    """Yield the lines of a table. Its first column is that of the groups."""
    rows = [row for group in groups for row in group.rows]
    short = [max(map(columns, column)) for column in zip(titles[1:-2], *(row.short for row in rows), strict=True)]
    first = max(map(columns, [titles[0], *(group.title for group in groups)])) + _GAP
    room = width - sum(size + _GAP for size in short)
    has_first = room - first >= _ROOM
    indent = first if has_first else _INDENT
    sizes = [*short, *_share([row.long for row in rows], titles[-2:], room - indent - _GAP)]
    starts = [0, *accumulate([indent, *(size + _GAP for size in sizes[:-1])])]
    yield from _lay([[titles[0]] if has_first else [], *([title] for title in titles[1:])], starts)
    for group in groups:
        if not has_first:
            yield group.title
        for place, row in enumerate(group.rows):
            title = [group.title] if has_first and place == 0 else []
            *between, last = [_fold(parts, size) for parts, size in zip(row.long, sizes[-2:], strict=True)]
            yield from _lay([title, *([text] for text in row.short), *between, [*map(row.paint, last)]], starts)


def _share(cells: Sequence[tuple[Sequence[str], Sequence[str]]], titles: Sequence[str], room: int) -> tuple[int, int]:
    """Share the columns among the two cells with line breaks: half of them, or fewer if one needs no more."""
    wholes = [[columns(" ".join(cell[side])) for cell in cells] for side in (0, 1)]
    words = [columns(word) for cell in cells for part in cell[0] for word in part.split(" ")]
    left, right = (max([columns(title), *sizes]) for title, sizes in zip(titles, wholes, strict=True))
    if left + right > room:
        longest = max(words)
        left = min(left, max(room // 2, room - right))
        left = longest if left < longest <= room - _ROOM // 2 else left
    return left, room - left


def _fold(parts: Sequence[str], width: int) -> list[str]:
    """Break a cell into lines. A part that does not fit is broken at its blanks."""
    words = [word for part in parts for word in ([part] if columns(part) <= width else part.split(" "))]
    return fold(words, width, "") if words else []


def _lay(cells: Sequence[Sequence[str]], starts: Sequence[int]) -> Iterator[str]:
    """Yield the lines of cells that begin in these columns. What is too wide pushes its neighbours to the next line."""
    left = [[*cell] for cell in cells]
    while any(left):
        line = ""
        for start, cell in zip(starts, left, strict=True):
            if line and columns(line) + _GAP > start:
                break
            if cell:
                line += " " * (start - columns(line)) + cell.pop(0)
        yield line
