"""Where in the text a problem is."""

from krm_fn.model.node import Mark
from krm_fn.model.problem import Problem


def at(mark: Mark | None, message: str) -> Problem:
    """A problem at a place in the text."""
    return Problem(message, line=mark.line + 1, column=mark.column + 1) if mark else Problem(message)
