"""Write a history as text, Markdown or JSON (schemas/history-v1.json), and draw it again while it changes."""

import re
import time
from collections.abc import Callable, Iterator
from enum import StrEnum
from itertools import accumulate
from typing import NamedTuple, NoReturn

from krm_fn.base.words import count, printable
from krm_fn.linker.read import write_time
from krm_fn.report.markup import FieldSource, Forms, as_json, markdown, markdown_code, write_forms
from krm_fn.report.table import Screen, columns
from krm_fn.tools.diff.write_difference import FORMS, write_change_block
from krm_fn.tools.history.revision_history import (
    History,
    LinkerJob,
    NoAnswer,
    Referrer,
    RevisionHistory,
    SetHistory,
    Template,
    WayBack,
    WorkloadHistory,
)
from krm_fn.tools.history.text import (
    TITLES,
    find_notes,
    write_cells,
    write_detail,
    write_history_text,
    write_state,
    write_wide,
)


def write_history_json(history: History, *, in_one_line: bool = False) -> str:
    """Write everything that the text says, and more."""
    # The state of a revision says how long it still stays, so it depends on the time of the history around it.
    state: FieldSource = ("state", lambda entry: ", ".join(write_state(entry, history.now)))
    revision = [state if source == "state" else source for source in _FORMS[RevisionHistory]]
    return write_forms(history, {**_FORMS, RevisionHistory: revision}, in_one_line=in_one_line)


def time_field(name: str, attribute: str = "") -> FieldSource:
    """Return the source of a field that is a time, or null."""

    def compute(value: object) -> str | None:
        seconds = getattr(value, attribute or name)
        return None if seconds is None else write_time(seconds)

    return name, compute


def _write_notes(history: History) -> list[str]:
    return [" ".join(filter(None, [note.sentence, note.command])) for note in find_notes(history)]


def _write_change(entry: RevisionHistory) -> dict[str, object] | None:
    """Write what differs from the next older revision, in the form of `krm-fn diff`."""
    change = entry.change
    return change and {"from": change.old and change.old.name, "keys": as_json(change.keys, FORMS)}


_NUMBER: FieldSource = ("number", lambda one: one.number or None)

_FORMS: Forms = {
    History: (
        ("*cluster", lambda history: {"cluster": history.cluster} if history.cluster else {}),
        *("namespace", time_field("time", "now"), "sets", ("notes", _write_notes), "unseen"),
    ),
    SetHistory: ("set=name", "has_inventory", "job", "revisions=entries", "workloads"),
    LinkerJob: ("name", time_field("created"), time_field("ended"), "failure"),
    RevisionHistory: (
        *("kind", "name", "baseName=base", time_field("created"), "state", "fate", "is_rendered", "is_linked"),
        *("isMarkedForDeletion=is_marked", "pods", "referencedBy=referrers"),
        ("lastReferencedBy", lambda entry: tuple(map(str, entry.last))),
        *(time_field("due"), "owners", "foreignOwners=foreign", "nextRunAdds=to_link", ("change", _write_change)),
        ("*madeBy", lambda entry: {"madeBy": entry.made_by} if entry.made_by else {}),
    ),
    Referrer: (
        *(
            "kind",
            "name",
            time_field("created"),
            "is_current",
            ("workload", lambda one: one.of or None),
            "role",
            _NUMBER,
        ),
        *("rollouts_left", "pods"),
    ),
    WorkloadHistory: ("kind", "name", "is_done", "situation", "reason", "templates", "way_back"),
    Template: ("name", _NUMBER, "role", "revisions", "absent", "pods"),
    WayBack: ("to=to.name", "revisions=to.revisions", "command"),
}


_PAUSE = 2.0
_SHARE = 4.0
"""The least pause in seconds, and in times of what reading took: a large namespace is read less often."""

_HOME, _CLEAR_LINE, _CLEAR_REST = "\x1b[H", "\x1b[K", "\x1b[J"
_CLEAR = "\x1b[2J"
_COLOUR = re.compile("\x1b\\[[0-9;]*m")


class HistoryFormat(StrEnum):
    """How to write a history. `detail` is the text about one base name or revision, `json-line` JSON in one line."""

    TEXT = "text"
    DETAIL = "detail"
    WIDE = "wide"
    JSON = "json"
    JSON_LINE = "json-line"
    MARKDOWN = "markdown"


_TEXTS = {HistoryFormat.TEXT: write_history_text, HistoryFormat.DETAIL: write_detail, HistoryFormat.WIDE: write_wide}


def write_history(history: History, form: HistoryFormat, screen: Screen) -> str:
    match form:
        case HistoryFormat.JSON | HistoryFormat.JSON_LINE:
            return write_history_json(history, in_one_line=form is HistoryFormat.JSON_LINE)
        case HistoryFormat.MARKDOWN:
            return write_history_markdown(history)
    return _TEXTS[form](history, screen)


def write_history_markdown(history: History) -> str:
    """Write a table for each set, and then what else one has to know."""
    return "\n".join(_write(history)) + "\n"


def _write(history: History) -> Iterator[str]:
    for one in history.sets:
        where = f"set {markdown_code(printable(one.name))} in namespace {markdown_code(printable(history.namespace))}"
        yield f"Revisions of {where} at {write_time(history.now)}:"
        yield ""
        yield f"| {' | '.join(title.capitalize() for title in TITLES)} |"
        yield f"|{'---|' * len(TITLES)}"
        for entry in one.entries:
            base, revision, age, referrers, state = write_cells(entry, history.now)
            cells = [base, revision, age, " ".join(referrers), " ".join(state)]
            yield f"| {' | '.join(map(markdown, cells))} |"
        yield ""
        for entry in one.entries:
            if entry.change is not None:
                yield from write_change_block(entry.change, is_open=False)
    for note in find_notes(history):
        command = f" {markdown_code(note.command)}" if note.command else ""
        yield f"- {markdown(note.sentence)}{command}"


class ScreenSize(NamedTuple):
    """Where a history is shown. `width` and `height` are those of a terminal, 0 for anything else."""

    screen: Screen
    width: int
    height: int


class Output(NamedTuple):
    """How a history is shown: `put` prints, and `say` tells what has gone wrong. A terminal may change its size.

    `is_in_lines`: each history is one line, so that nothing has to separate them.
    """

    write: Callable[[History, Screen], str]
    find_place: Callable[[], ScreenSize]
    put: Callable[[str], None]
    say: Callable[[str], None]
    is_in_lines: bool = False


def watch(ask: Callable[[], History], output: Output, sleep: Callable[[float], None] = time.sleep) -> NoReturn:
    """Show what `ask` returns, until an exception ends it. Raises NoAnswer only for the first question."""
    shown: History | None = None
    while True:
        started = time.monotonic()
        try:
            history = ask()
        except NoAnswer as error:
            if shown is None:
                raise
            output.say(f"warning: {error}; trying again")
        else:
            _show(history, shown, output)
            shown = history
        # To watch a dozen kinds would need a verb that not everybody has who may list them (decision 28).
        sleep(max(_PAUSE, _SHARE * (time.monotonic() - started)))


def _show(history: History, shown: History | None, output: Output) -> None:
    place = output.find_place()
    text = output.write(history, place.screen)
    if place.width and place.height and not output.is_in_lines:
        # Drawn each time, even if nothing has changed: ages have, and the terminal may have another size.
        output.put(("" if shown else _CLEAR) + _draw(text, place))
    elif shown is None or history._replace(now=0) != shown._replace(now=0):
        separator = "" if shown is None or output.is_in_lines else f"--- {write_time(history.now)}\n"
        output.put(separator + text)


def _draw(text: str, place: ScreenSize) -> str:
    """Write over what is on the terminal, line by line: it does not flicker then."""
    lines = text.splitlines()
    # A line that is wider than the terminal takes several of its rows.
    rows_of_lines = (max(1, -(-columns(_COLOUR.sub("", line)) // place.width)) for line in lines)
    used = [*accumulate(rows_of_lines)]
    room = place.height - 1  # the cursor is in the last row
    if used and used[-1] > room:
        fitting = sum(rows < room for rows in used)
        lines[fitting:] = [f"... {count(len(lines) - fitting, 'more line')}: use a larger terminal, --set or NAME"]
    return _HOME + "".join(f"{line}{_CLEAR_LINE}\n" for line in lines) + _CLEAR_REST
