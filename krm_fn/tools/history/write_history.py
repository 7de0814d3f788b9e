"""Write a history in the form that was asked for."""

from collections.abc import Iterator
from enum import StrEnum

from krm_fn.base.words import printable
from krm_fn.linker.read import write_time
from krm_fn.report.markup import markdown, markdown_code
from krm_fn.report.table import Screen
from krm_fn.report.write_change import write_change_block
from krm_fn.tools.history.history_json import write_history_json
from krm_fn.tools.history.revision_history import (
    History,
)
from krm_fn.tools.history.text import (
    TITLES,
    find_notes,
    write_cells,
    write_detail,
    write_history_text,
    write_wide,
)


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
