"""Compare two renderings, and say what differs."""

from enum import StrEnum

from krm_fn.diff.compare import compare
from krm_fn.diff.difference import Difference
from krm_fn.diff.sides import Compared, Way, open_sides, read_sides
from krm_fn.diff.text import write_text
from krm_fn.diff.to_json import write_json
from krm_fn.diff.to_markdown import write_markdown
from krm_fn.look.table import Screen
from krm_fn.model.problem import Outcome, Problem, Rejected, Severity
from krm_fn.wire.results import stderr_lines

SAME, DIFFERENT, FAILED, NO_BASE = 0, 1, 2, 3
"""Exit codes, as those of the program `diff`; the last one if a revision of git alone cannot be rendered."""


class Form(StrEnum):
    """How to write a difference."""

    TEXT = "text"
    MARKDOWN = "markdown"
    JSON = "json"


def diff(compared: Compared, way: Way, form: Form, screen: Screen, context: int = 0) -> Outcome:
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


def _write(difference: Difference, form: Form, screen: Screen, key: str, context: int) -> str:
    match form:
        case Form.TEXT:
            return write_text(difference, screen, context)
        case Form.MARKDOWN:
            return write_markdown(difference, key, context)
        case Form.JSON:
            return write_json(difference)
