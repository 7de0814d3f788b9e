"""A history that is shown again and again, until somebody stops it."""

import time
from collections.abc import Callable
from itertools import accumulate
from typing import NoReturn

from krm_fn.base.named_tuple import NamedTuple
from krm_fn.base.problem import count
from krm_fn.linker.read import write_time
from krm_fn.report.colour import SEQUENCE
from krm_fn.report.table import Screen, columns
from krm_fn.tools.common.revision_history import History, NoAnswer

_PAUSE = 2.0


_SHARE = 4.0
"""The least pause in seconds, and in times of what reading took: a large namespace is read less often."""


_HOME, _CLEAR_LINE, _CLEAR_REST = "\x1b[H", "\x1b[K", "\x1b[J"


_CLEAR = "\x1b[2J"


class ScreenSize(NamedTuple):
    """Where a history is shown.

    `width` and `height` are those of a terminal, 0 for anything else.
    """

    screen: Screen
    width: int
    height: int


class Output(NamedTuple):
    """How a history is shown: `put` prints, and `say` tells what has gone wrong.

    A terminal may change its size.

    `is_in_lines`: each history is one line, so that nothing has to separate them.
    """

    write: Callable[[History, Screen], str]
    find_place: Callable[[], ScreenSize]
    put: Callable[[str], None]
    say: Callable[[str], None]
    is_in_lines: bool = False


def watch(
    ask: Callable[[], History], output: Output, sleep: Callable[[float], None] = time.sleep
) -> NoReturn:
    """Show what `ask` returns, until an exception ends it.

    Raises NoAnswer only for the first question.
    """
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
        # To watch a dozen kinds would need a verb that not everybody has who may list them
        # (decision 28).
        sleep(max(_PAUSE, _SHARE * (time.monotonic() - started)))


def _show(history: History, shown: History | None, output: Output) -> None:
    place = output.find_place()
    text = output.write(history, place.screen)
    if place.width and place.height and not output.is_in_lines:
        # Drawn each time, even if nothing has changed: ages have, and the terminal may have another
        # size.
        output.put(("" if shown else _CLEAR) + _draw(text, place))
    elif shown is None or history._replace(now=0) != shown._replace(now=0):
        separator = (
            "" if shown is None or output.is_in_lines else f"--- {write_time(history.now)}\n"
        )
        output.put(separator + text)


def _draw(text: str, place: ScreenSize) -> str:
    """Write over what is on the terminal, line by line: it does not flicker then."""
    lines = text.splitlines()
    # A line that is wider than the terminal takes several of its rows.
    rows_of_lines = (max(1, -(-columns(SEQUENCE.sub("", line)) // place.width)) for line in lines)
    used = [*accumulate(rows_of_lines)]
    room = place.height - 1  # the cursor is in the last row
    if used and used[-1] > room:
        fitting = sum(rows < room for rows in used)
        lines[fitting:] = [
            f"... {count(len(lines) - fitting, 'more line')}: use a larger terminal, --set or NAME"
        ]
    return _HOME + "".join(f"{line}{_CLEAR_LINE}\n" for line in lines) + _CLEAR_REST
