"""The forms in which a history is written."""

from enum import StrEnum

from krm_fn.history.detail import write_detail
from krm_fn.history.history import History
from krm_fn.history.text import write_text
from krm_fn.history.to_json import write_json
from krm_fn.history.to_markdown import write_markdown
from krm_fn.history.wide import write_wide
from krm_fn.look.screen import Screen


class Form(StrEnum):
    """How to write a history. `detail` is the text about one base name or revision, `json-line` JSON in one line."""

    TEXT = "text"
    DETAIL = "detail"
    WIDE = "wide"
    JSON = "json"
    JSON_LINE = "json-line"
    MARKDOWN = "markdown"


def write(history: History, form: Form, screen: Screen) -> str:
    """Write a history."""
    match form:
        case Form.TEXT:
            return write_text(history, screen)
        case Form.DETAIL:
            return write_detail(history, screen)
        case Form.WIDE:
            return write_wide(history, screen)
        case Form.JSON | Form.JSON_LINE:
            return write_json(history, in_one_line=form is Form.JSON_LINE)
        case Form.MARKDOWN:
            return write_markdown(history)
