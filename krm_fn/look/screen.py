"""Where a text for people goes: its width, and whether it may have colours."""

from collections.abc import Mapping
from typing import NamedTuple

WIDTH = 80
"""Columns of a text that goes into a file or a pipe. A terminal may be wider."""

_RESET = "\x1b[0m"


class Screen(NamedTuple):
    """Its columns, and whether it shows colours."""

    width: int = WIDTH
    has_colour: bool = False

    def removed(self, text: str) -> str:
        return self._paint(text, "\x1b[31m")

    def added(self, text: str) -> str:
        return self._paint(text, "\x1b[32m")

    def strong(self, text: str) -> str:
        return self._paint(text, "\x1b[1m")

    def warning(self, text: str) -> str:
        return self._paint(text, "\x1b[33m")

    def _paint(self, text: str, colour: str) -> str:
        return f"{colour}{text}{_RESET}" if self.has_colour and text else text


def find_screen(terminal_width: int, environment: Mapping[str, str]) -> Screen:
    """Return the screen of a terminal; with a width of 0, that of anything else.

    A variable NO_COLOR that is not empty turns colours off: https://no-color.org
    """
    is_plain = not terminal_width or environment.get("NO_COLOR") or environment.get("TERM", "dumb") == "dumb"
    return Screen(max(WIDTH, terminal_width), has_colour=not is_plain)
