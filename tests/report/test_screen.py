"""Colours are for terminals, unless somebody does not want them."""

import sys

import pytest

from krm_fn.report.table import Screen, find_screen

SCREENS = [
    pytest.param(0, {"TERM": "xterm"}, Screen(sys.maxsize), id="a file gets whole lines"),
    pytest.param(0, {"COLUMNS": "60"}, Screen(60), id="a file of some width"),
    pytest.param(0, {"COLUMNS": "1"}, Screen(40), id="a file that is too narrow"),
    pytest.param(0, {"COLUMNS": ""}, Screen(sys.maxsize), id="an empty width"),
    pytest.param(0, {"COLUMNS": "0"}, Screen(sys.maxsize), id="no width"),
    pytest.param(0, {"COLUMNS": "wide"}, Screen(sys.maxsize), id="a width that is no number"),
    pytest.param(
        120,
        {"COLUMNS": "100", "TERM": "xterm"},
        Screen(100, has_colour=True),
        id="a terminal of some width",
    ),
    pytest.param(120, {"TERM": "xterm"}, Screen(120, has_colour=True), id="a terminal"),
    pytest.param(40, {"TERM": "xterm"}, Screen(80, has_colour=True), id="a narrow terminal"),
    pytest.param(80, {"TERM": "xterm", "NO_COLOR": "1"}, Screen(80), id="no colours"),
    pytest.param(
        80, {"TERM": "xterm", "NO_COLOR": ""}, Screen(80, has_colour=True), id="an empty variable"
    ),
    pytest.param(80, {"TERM": "dumb"}, Screen(80), id="a dumb terminal"),
    pytest.param(80, {}, Screen(80), id="a terminal that nobody knows"),
]


@pytest.mark.parametrize(("width", "environment", "expected"), SCREENS)
def test_screens(width: int, environment: dict[str, str], expected: Screen) -> None:
    assert find_screen(width, environment) == expected


def test_a_pipe_gets_colours_if_somebody_wants_them() -> None:
    assert find_screen(0, {"NO_COLOR": "1"}, wants_colour=True) == Screen(
        sys.maxsize, has_colour=True
    )


def test_a_screen_without_colours_shows_the_words() -> None:
    assert (Screen(has_colour=True).added("a"), Screen().added("a")) == ("\x1b[32ma\x1b[39m", "a")
