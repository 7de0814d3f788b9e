"""Styles emphasise what the words say.

They are never all that says it, and nothing of others begins one.
"""

import json
import re
from collections.abc import Callable, Iterator
from functools import partial
from itertools import product

import pytest
from hypothesis import given

from krm_fn.report.colour import SEQUENCE, Style, has_colour, paint, paint_labels
from krm_fn.report.object_change import ComparedObject, FieldChange, ObjectChange
from krm_fn.report.secrets import KeyChange, Shown
from krm_fn.report.table import Screen, columns
from krm_fn.report.write_change import write_change
from krm_fn.tools.diff.difference import Difference, LinkerChange
from krm_fn.tools.diff.write_difference import write_text
from krm_fn.tools.explain.explain import write_explanation
from krm_fn.tools.fleet.build_fleet import build_fleet
from krm_fn.tools.fleet.fleet import FleetFormat, write_fleet
from krm_fn.tools.fleet.reports import read_reports
from tests.cases import FIXTURES
from tests.diff.generated import differences
from tests.diff.read_json import read_json as read_difference
from tests.explain.read_json import read_json as read_explanation

BASIC = {"31", "32", "33", "39", "1", "22", "7", "27", "1;31", "22;39"}
"""Red, green, yellow, bold and reverse, each with its end.

No black and no white: one of them is the background.
"""

SCREENS = [
    pytest.param({"TERM": "xterm"}, True, True, id="a terminal"),
    pytest.param({"TERM": "xterm"}, False, False, id="a pipe"),
    pytest.param(
        {"TERM": "xterm", "NO_COLOR": "1"}, True, False, id="a terminal of somebody who wants none"
    ),
    pytest.param({"TERM": "xterm", "NO_COLOR": ""}, True, True, id="an empty variable"),
    pytest.param({"TERM": "dumb"}, True, False, id="a terminal that has none"),
    pytest.param({}, True, False, id="a terminal of which nothing is known"),
    pytest.param({"CLICOLOR_FORCE": "1"}, False, True, id="a log that shows them"),
    pytest.param({"CLICOLOR_FORCE": "1", "TERM": "dumb"}, True, True, id="somebody knows better"),
    pytest.param({"CLICOLOR_FORCE": "0"}, False, False, id="a force of zero"),
    pytest.param({"CLICOLOR_FORCE": ""}, False, False, id="an empty force"),
    pytest.param({"FORCE_COLOR": "1"}, False, True, id="the other name of the force"),
    pytest.param({"FORCE_COLOR": "0"}, False, False, id="a zero under the other name"),
    pytest.param(
        {"FORCE_COLOR": "3", "NO_COLOR": "1"},
        True,
        False,
        id="who wants none, under the other name",
    ),
    pytest.param(
        {"CLICOLOR_FORCE": "1", "NO_COLOR": "1"}, True, False, id="who wants none is stronger"
    ),
]


@pytest.mark.parametrize(("environment", "is_terminal", "expected"), SCREENS)
def test_who_gets_colours(
    environment: dict[str, str], *, is_terminal: bool, expected: bool
) -> None:
    assert has_colour(environment, is_terminal=is_terminal) == expected
    assert has_colour(environment, is_terminal=is_terminal, is_wanted=True)


def test_only_basic_colours_are_used() -> None:
    """A number of 30 or 37, of the bright ones or of backgrounds is readable on light or on dark, and not on both."""
    assert {code for style in Style for code in style.value} == BASIC


def test_a_style_may_be_within_another() -> None:
    inner = paint("b", Style.DIFFERENT)
    assert paint(f"a{inner}c", Style.ADDED) == "\x1b[32ma\x1b[7mb\x1b[27mc\x1b[39m"


def test_nothing_has_no_style() -> None:
    assert paint("", Style.ADDED) == ""


LABELS = [
    pytest.param("error: a\n", "\x1b[1;31merror\x1b[22;39m: a\n", id="an error"),
    pytest.param("warning: a\n", "\x1b[33mwarning\x1b[39m: a\n", id="a warning"),
    pytest.param(
        "verified: 1 revision\n", "\x1b[32mverified\x1b[39m: 1 revision\n", id="that all is well"
    ),
    pytest.param("3 renamed\n", "3 renamed\n", id="no problem"),
    pytest.param("a: error: b\n", "a: error: b\n", id="a word within a line"),
    pytest.param("errors: a\n", "errors: a\n", id="another word"),
]


@pytest.mark.parametrize(("text", "expected"), LABELS)
def test_the_word_before_a_problem_is_emphasised(text: str, expected: str) -> None:
    assert paint_labels(text) == expected
    assert paint_labels(paint_labels(text)) == expected


WEB = ComparedObject("v1", "ConfigMap", "shop", "web", "web")
PARTS = [
    pytest.param("info", "debug", ["- A: «info»", "+ A: «debug»"], id="a value"),
    pytest.param(
        "5s", "10s", ["- A: «5s»", "+ A: «10s»"], id="whole words, though letters are the same"
    ),
    pytest.param(
        "a=1 b=2 c=3",
        "a=1 b=4 c=3",
        ["- A: a=1 b=«2» c=3", "+ A: a=1 b=«4» c=3"],
        id="a word within a value",
    ),
    pytest.param("a", "a b", ["- A: a", "+ A: a« b»"], id="a word more"),
    pytest.param("a", "a ", ["- A: a", "+ A: a« »"], id="a blank, which nobody would see"),
    pytest.param(
        "x\na: 1\nb: 2\n",
        "x\na: 3\nb: 4\n",
        ["  A: |", "-   a: «1»", "-   b: «2»", "+   a: «3»", "+   b: «4»"],
        id="lines",
    ),
    pytest.param(
        "x\na b\n",
        "x\nc d\n",
        ["  A: |", "-   a b", "+   c d"],
        id="lines that have no word in common",
    ),
    pytest.param("x\n", "x\ny\n", ["  A: |", "+   y"], id="a line that stands opposite none"),
    pytest.param(
        "\x1b[7ma b",
        "\x1b[7ma c",
        [r"- A: \x1b[7ma «b»", r"+ A: \x1b[7ma «c»"],
        id="what would be a style",
    ),
]


def shown(change: ObjectChange) -> list[str]:
    """Return the lines below the title, with marks around what is emphasised within a line."""
    _, *lines = write_change(change, Screen(80, has_colour=True))
    marked = (line.replace("\x1b[7m", "«").replace("\x1b[27m", "»") for line in lines)
    return [SEQUENCE.sub("", line).removeprefix("  ") for line in marked]


@pytest.mark.parametrize(("old", "new", "expected"), PARTS)
def test_what_differs_within_a_line_is_emphasised(old: str, new: str, expected: list[str]) -> None:
    key = KeyChange("A", Shown(1, old), Shown(1, new))
    assert shown(ObjectChange(WEB, WEB, keys=(key,))) == expected


def test_nothing_is_emphasised_in_what_is_added_as_a_whole() -> None:
    assert shown(ObjectChange(WEB, WEB, keys=(KeyChange("A", None, Shown(1, "a")),))) == ["+ A: a"]


def test_a_field_has_its_old_value_in_red_and_its_new_one_in_green() -> None:
    change = ObjectChange(WEB, WEB, fields=(FieldChange("spec.a", "x -> y", "z"),))
    _, line = write_change(change, Screen(80, has_colour=True))
    assert line == "  spec.a: \x1b[31mx -> y\x1b[39m -> \x1b[32mz\x1b[39m"


def find_writers() -> Iterator[tuple[str, Callable[[Screen], str]]]:
    """Yield what writes each recorded text. tests/history/test_properties.py knows those of histories."""
    for path in sorted(FIXTURES.glob("diffs/*/diff.json")):
        difference = read_difference(json.loads(path.read_text()))
        yield path.parent.name, partial(write_text, difference)
    for path in sorted(FIXTURES.glob("explanations/*/explanation.json")):
        if recorded := path.read_text():
            yield (
                path.parent.name,
                partial(write_explanation, read_explanation(json.loads(recorded))),
            )
    for path in sorted(FIXTURES.glob("fleets/*/reports")):
        fleet = build_fleet(read_reports((f"{path}/*.json",), None))
        yield path.parent.name, partial(write_fleet, fleet, FleetFormat.TEXT)


def test_colours_change_no_character_of_any_fixture() -> None:
    """So no width is computed with them, and who sees none misses nothing."""
    found = [*find_writers()]
    assert len(found) > 80
    used: set[str] = set()
    for (name, write), width in product(found, [40, 80, 200]):
        plain, coloured = write(Screen(width)), write(Screen(width, has_colour=True))
        assert SEQUENCE.sub("", coloured) == plain, name
        assert "\x1b" not in plain, name
        used.update(re.findall("\x1b\\[([0-9;]*)m", coloured))
    assert BASIC - {"1;31", "22;39"} == used


@given(differences())
def test_no_text_of_others_gets_a_sequence_onto_the_terminal(difference: Difference) -> None:
    plain = write_text(difference, Screen(80))
    coloured = write_text(difference, Screen(80, has_colour=True))
    assert all(line.isprintable() for line in plain.splitlines())
    assert SEQUENCE.sub("", coloured) == plain


def test_a_line_of_a_megabyte_is_written_at_once() -> None:
    """It is not searched for what differs: nobody could see that."""
    texts = [f"{letter}{' word' * 200_000}" for letter in "ab"]
    old, new = (Shown(1, text) for text in texts)
    difference = Difference(
        "a",
        "b",
        (ObjectChange(WEB, WEB, keys=(KeyChange("A", old, new),)),),
        (),
        LinkerChange(0, (), ()),
        0,
    )
    written = write_text(difference, Screen(10_000_000, has_colour=True))
    assert "\x1b[7m" not in written
    assert max(map(columns, written.splitlines())) > 1_000_000
