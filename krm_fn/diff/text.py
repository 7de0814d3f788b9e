"""A difference as text for people, at most as wide as their screen."""

from collections.abc import Iterator

from krm_fn.diff.difference import Change, Difference
from krm_fn.diff.lines import ADDED, CHANGED, REMOVED, STATEMENT, WARNING, Line, write_lines
from krm_fn.diff.titles import summarize, write_title
from krm_fn.look.table import Screen, fold

_INDENT = 4
"""Columns in front of a line: two blanks, its sign, and a blank."""


def write_text(difference: Difference, screen: Screen, context: int = 0) -> str:
    """Write every change, and then one line that sums them up. `context` is that of `write_lines`."""
    changes = (*difference.revisions, *difference.objects)
    lines = [line for change in changes for line in write_change(change, screen, context)]
    lines += [screen.strong(line) for line in fold(_words(summarize(difference)), screen.width)]
    return "".join(f"{line}\n" for line in lines)


def _words(summary: str) -> list[str]:
    clauses = summary.split("; ")
    return [f"{clause};" for clause in clauses[:-1]] + clauses[-1:]


def write_change(change: Change, screen: Screen, context: int = 0) -> Iterator[str]:
    """Yield the lines about one object, its title first."""
    paint = screen.removed if change.new is None else screen.added if change.old is None else screen.strong
    yield from map(paint, fold(write_title(change), screen.width))
    yield from (f"  {_paint(line, screen)}" for line in write_lines(change, screen.width - _INDENT, context))


def _paint(line: Line, screen: Screen) -> str:
    if line.sign in (CHANGED, STATEMENT):
        return line.text
    text = f"{line.sign} {line.text}"
    paints = {REMOVED: screen.removed, ADDED: screen.added, WARNING: screen.warning}
    return paints[line.sign](text) if line.sign in paints else text
