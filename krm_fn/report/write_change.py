"""One change as text for a terminal, as a block of Markdown, and as JSON."""

from collections.abc import Iterator

from krm_fn.base.problem import count
from krm_fn.report.change_lines import (
    ADDED,
    CHANGED,
    REMOVED,
    STATEMENT,
    WARNING,
    Line,
    write_lines,
    write_title,
)
from krm_fn.report.colour import Style
from krm_fn.report.markup import WIDTH, Forms, code_block, html_code
from krm_fn.report.object_change import ComparedObject, ObjectChange
from krm_fn.report.secrets import Shown
from krm_fn.report.table import Screen, fold

_INDENT = 4
"""Columns in front of a line: two blanks, its sign, and a blank."""


_MOST_LINES = 150
"""The most lines of one change."""

_SIGNS = {CHANGED: "!", WARNING: "!", STATEMENT: " "}
"""The signs in a block of the language `diff` for those that it does not know."""


def write_change(
    change: ObjectChange, screen: Screen, context: int = 0, title: list[str] | None = None
) -> Iterator[str]:
    """Yield the lines about one object. `title`: that of several with this change."""
    paint = screen.strong
    if change.new is None:
        paint = screen.removed
    elif change.old is None:
        paint = screen.added
    yield from map(paint, fold(title or write_title(change), screen.width))
    yield from (
        f"  {_paint(line, screen)}" for line in write_lines(change, screen.width - _INDENT, context)
    )


_STYLES = {
    REMOVED: (Style.REMOVED, (Style.DIFFERENT,)),
    ADDED: (Style.ADDED, (Style.DIFFERENT,)),
    CHANGED: (None, (Style.REMOVED, Style.ADDED)),
    WARNING: (Style.WARNING, ()),
}
"""By sign: the style of a line, and those of its parts."""


def _paint(line: Line, screen: Screen) -> str:
    style, styles_of_parts = _STYLES.get(line.sign, (None, ()))
    text = "" if line.sign in (CHANGED, STATEMENT) else f"{line.sign} "
    done = 0
    for (start, end), style_of_part in zip(line.parts, styles_of_parts, strict=False):
        text += line.text[done:start] + screen.paint(line.text[start:end], style_of_part)
        done = end
    text += line.text[done:]
    return screen.paint(text, style) if style else text


def write_change_block(
    change: ObjectChange, context: int = 0, words: list[str] | None = None, *, is_open: bool
) -> Iterator[str]:
    """Yield a block of lines about one object. `words`: the title of several with this change."""
    title = html_code(" ".join(words or write_title(change)))
    lines = [
        f"{_SIGNS.get(line.sign, line.sign)} {line.text}"
        for line in write_lines(change, WIDTH, context)
    ]
    if not lines:
        yield f"<p>{title}</p>"
        yield ""
        return
    if len(lines) > _MOST_LINES:
        lines[_MOST_LINES:] = [f"  ... {count(len(lines) - _MOST_LINES, 'more line')}"]
    yield f"<details{' open' * is_open}><summary>{title}</summary>"
    yield ""
    yield from code_block("diff", lines)
    yield ""
    yield "</details>"
    yield ""


CHANGE_FORMS: Forms = {
    ObjectChange: (
        *("kind=who.kind", "namespace=who.namespace", "old", "new", "has_new_name"),
        *("keys", "fields", "rolls", "fate", "hazards", "missing", "refusal", "edits"),
    ),
    ComparedObject: ("api_version", "name", "baseName=base", "set"),
    Shown: ("bytes=size", "text"),
}
