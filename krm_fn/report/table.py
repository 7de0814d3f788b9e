"""A table for a terminal: its width, its colours, and lines that break and never cut a name."""

import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import accumulate, chain
from unicodedata import east_asian_width

from krm_fn.base.named_tuple import NamedTuple
from krm_fn.report.colour import Style, has_colour, paint

_GAP = 2
"""Columns between two cells."""

_INDENT = 2
"""Columns in front of the rows of a group whose title is a line of its own."""

_ROOM = 40
"""Columns that both cells with line breaks need together, to be readable."""

WIDTH = 80
"""The least columns for which a text is laid out at a terminal. A terminal may be wider."""

_NARROWEST = 40
"""The least that COLUMNS may ask for: names would take more anyway."""

_WHOLE = sys.maxsize
"""Columns of what is no terminal: the lines that a program reads, or that somebody searches, are whole."""

_ELLIPSIS = "..."
_BEFORE = 20
"""Columns of equal text that stay in front of a difference."""

_LONGEST = 400
"""A kind, a namespace and a name have at most 63, 63 and 253 characters."""


def _plain(text: str) -> str:
    return text


class Row(NamedTuple):
    """Cells of one line each, and then two whose parts may be on several lines.

    `paint` is for the last one.
    """

    short: tuple[str, ...]
    long: tuple[Sequence[str], Sequence[str]]
    paint: Callable[[str], str] = _plain


class Group(NamedTuple):
    """Rows with a title in the first column, or in a line of its own if it is too long."""

    title: str
    rows: Sequence[Row]


def write_table(titles: Sequence[str], groups: Sequence[Group], width: int) -> Iterator[str]:
    """Yield the lines of a table. Its first column is that of the groups."""
    rows = [*chain.from_iterable(group.rows for group in groups)]
    short_cells = [titles[1:-2], *(row.short for row in rows)]
    short = [max(map(columns, column)) for column in zip(*short_cells, strict=True)]
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
        for index, row in enumerate(group.rows):
            title = [group.title] if has_first and index == 0 else []
            *between, last = [
                _fold(parts, size) for parts, size in zip(row.long, sizes[-2:], strict=True)
            ]
            yield from _lay(
                [title, *([text] for text in row.short), *between, [*map(row.paint, last)]], starts
            )


class GridCell(NamedTuple):
    """Lines of a cell, which are never broken."""

    lines: Sequence[str] = ()
    paint: Callable[[str], str] = _plain


def write_grid(rows: Sequence[Sequence[GridCell]], width: int) -> Iterator[str]:
    """Yield the lines of a table with any number of columns. The first row are the titles.

    Columns that do not fit follow in another table below, behind the first column again.
    """
    sizes = [_widest_line(column) for column in zip(*rows, strict=True)]
    start = 1
    while start < len(sizes):
        ends = [*accumulate(size + _GAP for size in [sizes[0], *sizes[start:]])]
        fitting = max(1, sum(end - _GAP <= width for end in ends[1:]))
        shown = [0, *range(start, min(start + fitting, len(sizes)))]
        yield from [""] if start > 1 else []
        for row in rows:
            yield from _write_grid_row([row[one] for one in shown], [sizes[one] for one in shown])
        start += fitting


def _widest_line(cells: Sequence[GridCell]) -> int:
    lines = chain.from_iterable(cell.lines for cell in cells)
    return max(map(columns, lines), default=0)


def _write_grid_row(cells: Sequence[GridCell], sizes: Sequence[int]) -> Iterator[str]:
    for number in range(max(len(cell.lines) for cell in cells)):
        line, gap = "", 0
        for cell, size in zip(cells, sizes, strict=True):
            text = cell.lines[number] if number < len(cell.lines) else ""
            if text:
                line += " " * gap + cell.paint(text)
                gap = 0
            gap += size + _GAP - columns(text)
        yield line


def _share(
    cells: Sequence[tuple[Sequence[str], Sequence[str]]], titles: Sequence[str], room: int
) -> tuple[int, int]:
    """Share the columns among the two cells with line breaks: half, or fewer if one needs no more."""
    left, right, longest = columns(titles[0]), columns(titles[1]), 0
    for parts_on_left, parts_on_right in cells:
        text = " ".join(parts_on_left)
        left = max(left, columns(text))
        right = max(right, columns(" ".join(parts_on_right)))
        longest = max([longest, *map(columns, text.split(" "))])
    if left + right > room:
        left = min(left, max(room // 2, room - right))
        left = longest if left < longest <= room - _ROOM // 2 else left
    return left, room - left


def _fold(parts: Sequence[str], width: int) -> list[str]:
    """Break a cell into lines. A part that does not fit is broken at its blanks."""
    words: list[str] = []
    for part in parts:
        words += [part] if columns(part) <= width else part.split(" ")
    return fold(words, width, "") if words else []


def _lay(cells: Sequence[Sequence[str]], starts: Sequence[int]) -> Iterator[str]:
    """Yield the lines of cells that begin in these columns.

    A cell that is too wide pushes its neighbours to the next line.
    """
    left = [[*cell] for cell in cells]
    while any(left):
        line = ""
        for start, cell in zip(starts, left, strict=True):
            if line and columns(line) + _GAP > start:
                break
            if cell:
                line += " " * (start - columns(line)) + cell.pop(0)
        yield line


class Screen(NamedTuple):
    """Its columns, and whether it shows colours."""

    width: int = WIDTH
    has_colour: bool = False

    def removed(self, text: str) -> str:
        return self.paint(text, Style.REMOVED)

    def added(self, text: str) -> str:
        return self.paint(text, Style.ADDED)

    def strong(self, text: str) -> str:
        return self.paint(text, Style.HEADING)

    def warning(self, text: str) -> str:
        return self.paint(text, Style.WARNING)

    def paint(self, text: str, style: Style) -> str:
        return paint(text, style) if self.has_colour else text


def find_screen(
    terminal_width: int, environment: Mapping[str, str], *, wants_colour: bool = False
) -> Screen:
    """Return the screen of a terminal; with a width of 0, that of anything else.

    The variable COLUMNS sets the width, as for other programs.
    """
    is_in_colour = has_colour(environment, is_terminal=terminal_width > 0, is_wanted=wants_colour)
    return Screen(_choose_width(terminal_width, environment.get("COLUMNS", "")), is_in_colour)


def _choose_width(terminal_width: int, wanted: str) -> int:
    asked = int(wanted[:9]) if wanted.isdecimal() else 0
    if asked:
        return max(_NARROWEST, asked)
    return max(WIDTH, terminal_width) if terminal_width else _WHOLE


def columns(text: str) -> int:
    """Return how many columns a terminal needs for the text."""
    return len(text) if text.isascii() else sum(map(_columns_of, text))


def cut(text: str, width: int) -> str:
    """Cut text that is too long at its end: `registry.example/a... (+31)`."""
    if columns(text) <= width:
        return text
    room = max(width - len(f"{_ELLIPSIS} (+{len(text)})"), 1)
    kept = _fitting(text, room)
    return f"{text[:kept]}{_ELLIPSIS} (+{len(text) - kept})"


def cut_within(text: str, width: int) -> str:
    """Cut long text within, as the cause comes last: `error: ap... (+31) ...no such file`."""
    if columns(text) <= width:
        return text
    room = max(width - len(f"{_ELLIPSIS} (+{len(text)}) {_ELLIPSIS}"), 2)
    start, end = _fitting(text, room // 3), _fitting(text[::-1], room - room // 3)
    return f"{text[:start]}{_ELLIPSIS} (+{len(text) - start - end}) {_ELLIPSIS}{text[len(text) - end :]}"


def cut_both(old: str, new: str, width: int) -> tuple[str, str]:
    """Cut two versions of a text so that their first difference is in view."""
    if max(columns(old), columns(new)) <= width:
        return old, new
    start = max(common_length(old, new) - _BEFORE, 0)
    # Where the difference is in view anyway, the beginning is worth more.
    if columns(old[:start]) + _BEFORE * 2 <= width // 2:
        start = 0
    gap = _ELLIPSIS if start else ""
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


def fold_lines(text: str, terminal_width: int, environment: Mapping[str, str]) -> str:
    """Break the lines that are too wide for a terminal at their blanks, which it would break within words.

    A line that is drawn over, or has more than one blank in a row, stays as it is.
    """
    width = find_screen(terminal_width, environment).width
    shown: list[str] = []
    for line in text.split("\n"):
        is_prose = line.isprintable() and "  " not in line
        if is_prose and columns(line) > width:
            shown += _fold_line(line, width)
        else:
            shown.append(line)
    return "\n".join(shown)


_ADDRESSED = re.compile(r"(error: |warning: )([A-Z]\w*/.*?|(?:kustomize build )?\S+:\d+:\d+): (.+)")


def _fold_line(line: str, width: int) -> Iterator[str]:
    """Break a line, and cut nothing: who reads an error wants all of it, and first the reason."""
    found = _ADDRESSED.fullmatch(line)
    if found:
        severity, address, reason = found.groups()
        yield from _fold_line(severity + reason, width)
        line = f"  at {address}"
    shown, *words = line.split(" ")
    for word in words:
        if columns(shown) + 1 + columns(word) <= width:
            shown += f" {word}"
        else:
            yield shown
            shown = f"  {word}"
    yield shown


def common_length(old: Sequence[str], new: Sequence[str]) -> int:
    """Return how many characters, or words, at the beginning are equal."""
    pairs = enumerate(zip(old, new, strict=False))
    return next((place for place, (one, other) in pairs if one != other), min(len(old), len(new)))


def _columns_of(character: str) -> int:
    # One that combines with the last counts too: else a line of them would never be too long.
    return 2 if east_asian_width(character) in {"W", "F"} else 1


def _fitting(text: str, room: int) -> int:
    """Return how many characters fit."""
    if text[:room].isascii():
        return room
    return sum(used <= room for used in accumulate(map(_columns_of, text[: room + 1])))
