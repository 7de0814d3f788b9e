"""Where a text for people goes: its width, and whether it may have colours."""

import sys
from collections.abc import Mapping
from typing import NamedTuple

WIDTH = 80
"""The least columns for which a text is laid out at a terminal. A terminal may be wider."""

_NARROWEST = 40
"""The least that COLUMNS may ask for: names would take more anyway."""

_WHOLE = sys.maxsize
"""Columns of what is no terminal: the lines that a program reads, or that somebody searches, are whole."""

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

    The variable COLUMNS sets the width, as for other programs. A variable NO_COLOR that is not empty turns colours off:
    https://no-color.org
    """
    is_plain = not terminal_width or environment.get("NO_COLOR") or environment.get("TERM", "dumb") == "dumb"
    return Screen(_find_width(terminal_width, environment.get("COLUMNS", "")), has_colour=not is_plain)


def _find_width(terminal_width: int, wanted: str) -> int:
    asked = int(wanted[:9]) if wanted.isdecimal() else 0
    if asked:
        return max(_NARROWEST, asked)
    return max(WIDTH, terminal_width) if terminal_width else _WHOLE
