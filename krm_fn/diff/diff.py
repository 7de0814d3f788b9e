"""Compare two renderings, and say what differs."""

import json
from collections.abc import Iterator
from enum import StrEnum

from krm_fn.diff.compare import compare
from krm_fn.diff.difference import ComparedObject, Difference, ObjectChange
from krm_fn.diff.lines import ADDED, CHANGED, REMOVED, STATEMENT, WARNING, Line, write_lines
from krm_fn.diff.sides import DiffInput, RenderOptions, open_sides, read_sides
from krm_fn.diff.statements import summarize, write_title
from krm_fn.diff.to_markdown import write_markdown
from krm_fn.model.problem import Outcome, Problem, Rejected, Severity
from krm_fn.report.secrets import Shown
from krm_fn.report.table import Screen, fold
from krm_fn.wire.results import stderr_lines

SAME, DIFFERENT, FAILED, NO_BASE = 0, 1, 2, 3
"""Exit codes, as those of the program `diff`; the last one if a revision of git alone cannot be rendered."""


class DiffFormat(StrEnum):
    """How to write a difference."""

    TEXT = "text"
    MARKDOWN = "markdown"
    JSON = "json"


def diff(compared: DiffInput, way: RenderOptions, form: DiffFormat, screen: Screen, context: int = 0) -> Outcome:
    """Compare two paths, or all paths with what they were in a revision of git.

    `context` is the number of equal lines around those that differ.
    """
    try:
        sides = open_sides(compared, way)
        old, new, errors = read_sides(sides, way, is_against=compared.against is not None)
    except Rejected as rejected:
        return Outcome(b"", stderr_lines(rejected.problems), FAILED)
    name = sides.old.name
    if errors:
        message = "cannot be rendered, so everything is shown as new"
        errors.append(Problem(message, file=name, severity=Severity.WARNING))
        name += " (cannot be rendered)"
    difference = compare(old, new, (name, sides.new.name))
    text = _write(difference, form, screen, " ".join(compared.paths), context)
    code = NO_BASE if errors else DIFFERENT if difference else SAME
    return Outcome(text.encode(), stderr_lines([*errors, *sides.notes]), code)


def _write(difference: Difference, form: DiffFormat, screen: Screen, key: str, context: int) -> str:
    match form:
        case DiffFormat.TEXT:
            return write_text(difference, screen, context)
        case DiffFormat.MARKDOWN:
            return write_markdown(difference, key, context)
        case DiffFormat.JSON:
            return write_json(difference)


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


VERSION = 1
"""A later version 1 may add fields. What is there keeps its name and meaning."""


def write_json(difference: Difference) -> str:
    """Write everything that the text says, and whole values."""
    return json.dumps(_difference(difference), indent=2) + "\n"


def _difference(difference: Difference) -> dict[str, object]:
    return {
        "version": VERSION,
        "old": difference.old,
        "new": difference.new,
        "summary": summarize(difference),
        "unchangedRevisions": difference.unchanged,
        "revisions": [change_as_json(change) for change in difference.revisions],
        "objects": [change_as_json(change) for change in difference.objects],
        "linker": difference.linker._asdict(),
    }


def change_as_json(change: ObjectChange) -> dict[str, object]:
    """Write one object that differs."""
    return {
        "kind": change.who.kind,
        "namespace": change.who.namespace,
        "old": change.old and _who(change.old),
        "new": change.new and _who(change.new),
        "hasNewName": change.has_new_name,
        "keys": [{"key": one.key, "old": _shown(one.old), "new": _shown(one.new)} for one in change.keys],
        "fields": [one._asdict() for one in change.fields],
        "rolls": [one._asdict() for one in change.rolls],
        "fate": change.fate and change.fate._asdict(),
        "hazards": change.hazards,
    }


def _who(who: ComparedObject) -> dict[str, object]:
    return {"apiVersion": who.api_version, "name": who.name, "baseName": who.base, "set": who.set}


def _shown(shown: Shown | None) -> dict[str, object] | None:
    return shown and {"bytes": shown.size, "text": shown.text}
