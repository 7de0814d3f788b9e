"""A history as Markdown, for an incident channel or an issue."""

import re
from collections.abc import Iterator

from krm_fn.diff.to_markdown import write_block
from krm_fn.history.history import History, SetHistory
from krm_fn.history.rows import TITLES, write_cells
from krm_fn.history.statements import find_notes
from krm_fn.history.to_json import write_time
from krm_fn.model.printable import printable

_ACTIVE = re.compile(r"[^\w .,:;/()-]|_", re.ASCII)
"""Characters that mean something in Markdown, or mention a person, or could. Names of objects have none of them."""


def write_markdown(history: History) -> str:
    """Write a table for each set, and then what else one has to know."""
    return "\n".join(_write(history)) + "\n"


def _write(history: History) -> Iterator[str]:
    for one in history.sets:
        where = f"set {_code(printable(one.name))} in namespace {_code(printable(history.namespace))}"
        yield f"Revisions of {where} at {write_time(history.now)}:"
        yield ""
        yield from _write_set(one, history.now)
        yield ""
        for entry in one.entries:
            if entry.change is not None:
                yield from write_block(entry.change, is_open=False)
    for note in find_notes(history):
        command = f" {_code(note.command)}" if note.command else ""
        yield f"- {_escape(note.sentence)}{command}"


def _write_set(one: SetHistory, now: float) -> Iterator[str]:
    yield f"| {' | '.join(title.capitalize() for title in TITLES)} |"
    yield f"|{'---|' * len(TITLES)}"
    for entry in one.entries:
        base, revision, age, referrers, state = write_cells(entry, now)
        cells = [base, revision, age, " ".join(referrers), " ".join(state)]
        yield f"| {' | '.join(map(_escape, cells))} |"


def _escape(text: str) -> str:
    return _ACTIVE.sub(lambda found: f"&#{ord(found[0])};", text)


def _code(text: str) -> str:
    """Write code, whose fence is longer than any in it."""
    fence = "`" * (max([0, *map(len, re.findall("`+", text))]) + 1)
    return f"{fence} {text} {fence}" if "`" in text else f"{fence}{text}{fence}"
