"""A line that counts what is done: when it is written, and that it goes."""

from collections.abc import Callable

import pytest

from krm_fn.report.status_line import StatusLine

_LINE = "12 of 60 packages, apps/web/overlays/prod"


class Terminal:
    """A line of a terminal, of which a text shows what is on it."""

    def __init__(self) -> None:
        self.line = ""
        self.writes = 0
        self.now = 100.0

    def write(self, text: str) -> None:
        self.writes += 1
        for part in text.split("\r")[1:]:
            self.line = part + self.line[len(part) :]

    def clock(self) -> float:
        return self.now


def shown(width: int, seconds: float, *lines: str) -> str:
    terminal = Terminal()
    status = StatusLine(terminal.write, width, terminal.clock)
    terminal.now += seconds
    for line in lines:
        status.show(line)
    found = terminal.line.rstrip()
    with status.shown():
        status.show(_LINE)
    assert terminal.line.strip() == ""
    return found


LINES = [
    pytest.param(80, 1, [_LINE], _LINE, id="after a second"),
    pytest.param(80, 0.9, [_LINE], "", id="in the first second"),
    pytest.param(0, 60, [_LINE], "", id="where there is no terminal"),
    pytest.param(
        80,
        1,
        [_LINE, "13 of 60 packages, a"],
        "13 of 60 packages, a",
        id="a shorter line after a longer one",
    ),
    pytest.param(30, 1, [_LINE], "12 of 60 packages, a... (+21)", id="one that has no room is cut"),
    pytest.param(
        80,
        1,
        ["1 of 2 packages, \x1b[2Ja"],
        r"1 of 2 packages, \x1b[2Ja",
        id="a name that would clear it",
    ),
    pytest.param(
        30,
        1,
        ["9 of 9 packages, \u5b57\u5b57\u5b57"],
        "9 of 9 packages, \u5b57\u5b57\u5b57",
        id="wide ones",
    ),
]


@pytest.mark.parametrize(("width", "seconds", "lines", "expected"), LINES)
def test_what_is_on_the_line(width: int, seconds: float, lines: list[str], expected: str) -> None:
    assert shown(width, seconds, *lines) == expected


def test_the_line_fits() -> None:
    for width in range(20, 60):
        assert len(shown(width, 1, _LINE)) < width


def test_what_has_not_changed_is_not_written_again() -> None:
    terminal = Terminal()
    status = StatusLine(terminal.write, 80, terminal.clock)
    terminal.now += 1
    for _ in range(10):
        status.show(_LINE)
    assert terminal.writes == 1


def fail() -> None:
    raise KeyboardInterrupt


@pytest.mark.parametrize("end", [lambda: None, fail], ids=["at the end", "after Ctrl-C"])
def test_it_goes(end: Callable[[], None]) -> None:
    terminal = Terminal()
    status = StatusLine(terminal.write, 80, terminal.clock)
    terminal.now += 1
    try:
        with status.shown():
            status.show(_LINE)
            assert terminal.line == _LINE
            end()
    except KeyboardInterrupt:
        pass
    assert terminal.line.strip() == ""


def test_nothing_is_written_where_nothing_was_shown() -> None:
    terminal = Terminal()
    with StatusLine(terminal.write, 80, terminal.clock).shown():
        pass
    assert terminal.writes == 0
