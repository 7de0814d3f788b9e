"""A difference as text for a terminal, as Markdown for a pull request, and as JSON in the form of schemas/diff-v1.json.

Markdown has names and values of somebody whom nobody trusts. They are only in blocks of code and in `<code>`, where
neither Markdown nor a mention of a person means anything.
"""

import re
from collections.abc import Iterable, Iterator

from krm_fn.diff.difference import ComparedObject, Difference, Effect, ObjectChange
from krm_fn.diff.lines import (
    ADDED,
    CHANGED,
    REMOVED,
    STATEMENT,
    WARNING,
    Line,
    find_statements,
    summarize,
    write_lines,
    write_place,
    write_title,
)
from krm_fn.model.words import count, listing, printable
from krm_fn.report.markup import Forms, code_block, html_code, html_comment, mermaid_label, write_forms
from krm_fn.report.secrets import Shown
from krm_fn.report.table import Screen, fold

_INDENT = 4
"""Columns in front of a line: two blanks, its sign, and a blank."""


def write_text(difference: Difference, screen: Screen, context: int = 0) -> str:
    """Write every change, and then one line that sums them up. `context` is that of `write_lines`."""
    lines = [line for change in difference.changes for line in write_change(change, screen, context)]
    lines += (line for note in difference.notes for line in fold(printable(f"note: {note}").split(), screen.width))
    lines += map(screen.strong, fold(re.split("(?<=;) ", summarize(difference)), screen.width))
    return "".join(f"{line}\n" for line in lines)


def write_change(change: ObjectChange, screen: Screen, context: int = 0) -> Iterator[str]:
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


FORMS: Forms = {
    Difference: (
        *("old", "new", ("summary", summarize), "unchangedRevisions=unchanged"),
        *("revisions", "objects", "linker", "notes"),
    ),
    ObjectChange: (
        *("kind=who.kind", "namespace=who.namespace", "old", "new", "has_new_name"),
        *("keys", "fields", "rolls", "fate", "hazards", "edits"),
    ),
    ComparedObject: ("api_version", "name", "baseName=base", "set"),
    Shown: ("bytes=size", "text"),
}


def write_json(difference: Difference) -> str:
    """Write everything that the text says, and whole values."""
    return write_forms(difference, FORMS)


MARK = "<!-- krm-fn diff"
"""The beginning of a comment by which a program finds its own."""

_MOST = 65_000
"""GitHub refuses a comment of more than 65,536 characters."""

_TAIL = 500
"""Room for what is said about the rest."""

_WIDTH = 300
_MOST_LINES = 150
"""Of one change."""

_MOST_ROLLS = 10
_MOST_WARNINGS = 5

_FEW = 3
"""Changes that are shown at once. More are folded."""

_SIGNS = {CHANGED: "!", WARNING: "!", STATEMENT: " "}
"""What a block of the language `diff` has for signs that it does not know."""

_MOST_ARROWS = 12
_LABEL_WIDTH = 50


def write_markdown(difference: Difference, key: str, context: int = 0) -> str:
    """Write a verdict, a picture of what rolls, and each change in a block of its own.

    `key` tells the comment about one comparison from those about others. It is hidden in the text.
    `context` is that of `write_lines`.
    """
    changes = difference.changes
    text = "\n".join([f"{MARK} {html_comment(key)} -->", *_verdict(difference), *_draw(changes)])
    left_out = 0
    for change in changes:
        block = "\n".join(write_block(change, context, is_open=len(changes) <= _FEW))
        # A smaller change behind one that is left out may still fit.
        if _length(text) + _length(block) + _TAIL <= _MOST:
            text += block
        else:
            left_out += 1
    if left_out:
        rest = f"{count(left_out, 'change')}, which the first line counts too"
        text += f"<p>Left out, as there is no room in a comment: {rest}.</p>\n"
    return text


def _verdict(difference: Difference) -> Iterator[str]:
    yield f"<p><strong>{summarize(difference, html_code)}</strong></p>"
    rolls = [roll for change in difference.changes for roll in change.rolls if roll.effect == Effect.ROLLS]
    names = sorted({"/".join(filter(None, [roll.kind, roll.namespace, roll.name])) for roll in rolls})
    rolling = f"; rolls {listing(map(html_code, names), _MOST_ROLLS)}" if names else ""
    yield f"<p>{html_code(difference.new)} against {html_code(difference.old)}{rolling}</p>"
    warnings = [
        f"{html_code(write_place(change))}: {html_code(' '.join(statement.words))}"
        for change in difference.changes
        for statement in find_statements(change)
        if statement.is_warning
    ]
    yield from (f"<p><strong>Warning:</strong> {warning}</p>" for warning in warnings[:_MOST_WARNINGS])
    yield from (f"<p>Note: {html_code(note)}</p>" for note in difference.notes[:_MOST_WARNINGS])
    if len(warnings) > _MOST_WARNINGS:
        yield f"<p>{count(len(warnings) - _MOST_WARNINGS, 'more warning')}</p>"
    yield ""


def _draw(changes: Iterable[ObjectChange]) -> Iterator[str]:
    """Yield the lines of a picture: an arrow from each ConfigMap or Secret to what it rolls. None if nothing does."""
    arrows = [
        (f"{change.who.kind} {change.who.base}", f"{roll.kind} {roll.name}")
        for change in changes
        for roll in change.rolls
        if (roll.kind, roll.name) != (change.who.kind, change.who.base)
    ]
    if not arrows:
        return
    shown = arrows[:_MOST_ARROWS]
    ids = {name: f"n{place}" for place, name in enumerate(dict.fromkeys(name for arrow in shown for name in arrow))}
    yield "```mermaid"
    yield "graph LR"
    yield from (f'  {ids[name]}["{mermaid_label(name, _LABEL_WIDTH)}"]' for name in ids)
    yield from (f"  {ids[source]} --> {ids[target]}" for source, target in dict.fromkeys(shown))
    if len(arrows) > len(shown):
        yield f'  more["{len(arrows) - len(shown)} more"]'
    yield "```"
    yield ""


def write_block(change: ObjectChange, context: int = 0, *, is_open: bool) -> Iterator[str]:
    """Yield the lines about one object, in a block of its own."""
    title = html_code(" ".join(write_title(change)))
    lines = [f"{_SIGNS.get(line.sign, line.sign)} {line.text}" for line in write_lines(change, _WIDTH, context)]
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


def _length(text: str) -> int:
    """Count as JavaScript does, for which some characters are two."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2
