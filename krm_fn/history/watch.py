"""Show a history again and again: on a terminal in place, elsewhere one block after the other."""

import re
import time
from collections.abc import Callable
from itertools import accumulate
from typing import NamedTuple, NoReturn

from krm_fn.history.ask import NoAnswer
from krm_fn.history.history import History
from krm_fn.history.to_json import write_time
from krm_fn.look.cut import columns
from krm_fn.look.screen import Screen
from krm_fn.model.printable import count

_PAUSE = 2.0
_SHARE = 4.0
"""The least pause in seconds, and in times of what reading took: a large namespace is read less often."""

_HOME, _CLEAR_LINE, _CLEAR_REST = "\x1b[H", "\x1b[K", "\x1b[J"
_CLEAR = "\x1b[2J"
_COLOUR = re.compile("\x1b\\[[0-9;]*m")


class Place(NamedTuple):
    """Where a history is shown. `width` and `height` are those of a terminal, 0 for anything else."""

    screen: Screen
    width: int
    height: int


class Output(NamedTuple):
    """How a history is shown: `put` prints, and `say` tells what has gone wrong. A terminal may change its size.

    `is_in_lines`: each history is one line, so that nothing has to separate them.
    """

    write: Callable[[History, Screen], str]
    find_place: Callable[[], Place]
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
        sleep(max(_PAUSE, _SHARE * (time.monotonic() - started)))


def _show(history: History, shown: History | None, output: Output) -> None:
    place = output.find_place()
    text = output.write(history, place.screen)
    if place.width and place.height and not output.is_in_lines:
        output.put(("" if shown else _CLEAR) + _draw(text, place))
    elif shown is None or history._replace(now=0) != shown._replace(now=0):
        separator = "" if shown is None or output.is_in_lines else f"--- {write_time(history.now)}\n"
        output.put(separator + text)


def _draw(text: str, place: Place) -> str:
    """Write over what is on the terminal, line by line: it does not flicker then."""
    lines = text.splitlines()
    used = [*accumulate(_rows(line, place.width) for line in lines)]
    room = place.height - 1  # the cursor is in the last row
    if used and used[-1] > room:
        fitting = sum(rows < room for rows in used)
        lines[fitting:] = [f"... {count(len(lines) - fitting, 'more line')}: use a larger terminal, --set or NAME"]
    return _HOME + "".join(f"{line}{_CLEAR_LINE}\n" for line in lines) + _CLEAR_REST


def _rows(line: str, width: int) -> int:
    """Return how many rows of a terminal a line takes."""
    return max(1, -(-columns(_COLOUR.sub("", line)) // width))
