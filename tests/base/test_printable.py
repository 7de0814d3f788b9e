"""What a name may do to the terminal of a person: nothing."""

import os
import sys
import unicodedata

import pytest

from krm_fn.base.problem import count, printable

UNCHANGED = [
    pytest.param("", id="nothing"),
    pytest.param("web-config-5t7h9k2b4c", id="the name of an object"),
    pytest.param("web config/größe/設定.yaml", id="a path in any script"),
    pytest.param("👍", id="an emoji"),
    pytest.param(r"C:\x1b", id="a backslash that somebody wrote"),
]


@pytest.mark.parametrize("text", UNCHANGED)
def test_what_people_can_read_stays(text: str) -> None:
    assert printable(text) == text


ESCAPED = [
    pytest.param("a\x1b[2Jb", r"a\x1b[2Jb", id="an escape sequence that clears the screen"),
    pytest.param("a\x9b2Jb", r"a\x9b2Jb", id="the same in one character of C1"),
    pytest.param("a\nerror: b", r"a\nerror: b", id="a line that looks like ours"),
    pytest.param("a\rerror: b", r"a\rerror: b", id="a return to the start of the line"),
    pytest.param("a\x08\x7f\0", r"a\x08\x7f\x00", id="backspace, delete and null"),
    pytest.param("a\tb", r"a\tb", id="a tab"),
    pytest.param("a\x85b\u2028c\u2029", r"a\x85b\u2028c\u2029", id="line breaks of Unicode"),
    pytest.param("\u202egpj.exe\u2066", r"\u202egpj.exe\u2066", id="text in the reverse direction"),
    pytest.param("a\u200bb\ufeff", r"a\u200bb\ufeff", id="characters without a width"),
    pytest.param("a\xa0b", r"a\xa0b", id="a space that is none"),
    pytest.param(
        os.fsdecode(b"\xff\x1b.yaml"), r"\xff\x1b.yaml", id="the name of a file that is not UTF-8"
    ),
    pytest.param("\ud800", r"\ud800", id="half a character"),
    pytest.param("\U000e0041", r"\U000e0041", id="a tag"),
]


@pytest.mark.parametrize(("text", "escaped"), ESCAPED)
def test_what_hides_or_moves_is_escaped(text: str, escaped: str) -> None:
    assert printable(text) == escaped


def test_no_character_gets_through_that_controls_or_cannot_be_encoded() -> None:
    every = "".join(map(chr, range(sys.maxunicode + 1)))
    shown = printable(every)
    assert {unicodedata.category(character) for character in shown} & {
        "Cc",
        "Cf",
        "Cs",
        "Zl",
        "Zp",
    } == set()
    assert shown.encode().decode() == shown


@pytest.mark.parametrize(
    ("number", "expected"), [(0, "0 pods"), (1, "1 pod"), (2, "2 pods"), (1200, "1,200 pods")]
)
def test_one_thing_is_singular(number: int, expected: str) -> None:
    assert count(number, "pod") == expected
