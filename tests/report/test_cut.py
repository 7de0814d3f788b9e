"""Texts that are cut say how much is missing, and fit."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from krm_fn.report.table import columns, cut, cut_both, cut_within, fold, fold_lines

CUT = [
    pytest.param("short", "short", id="what fits"),
    pytest.param("x" * 20, "x" * 20, id="what just fits"),
    pytest.param("x" * 21, "xxxxxxxxxxx... (+10)", id="what does not"),
    pytest.param("\u754c" * 11, "\u754c" * 5 + "... (+6)", id="wide characters take two columns"),
]


@pytest.mark.parametrize(("text", "expected"), CUT)
def test_cut(text: str, expected: str) -> None:
    assert cut(text, 20) == expected
    assert columns(expected) <= 20


WITHIN = [
    pytest.param("x" * 30, "x" * 30, id="what just fits"),
    pytest.param(
        "error: a/b: " + "x" * 40 + ": no such file",
        "error... (+49) ...no such file",
        id="what does not",
    ),
    pytest.param(
        "a" + "\u754c" * 30, "a\u754c\u754c... (+22) ..." + "\u754c" * 6, id="wide characters"
    ),
]


@pytest.mark.parametrize(("text", "expected"), WITHIN)
def test_cut_within(text: str, expected: str) -> None:
    assert cut_within(text, 30) == expected
    assert columns(expected) <= 30


BOTH = [
    pytest.param("a", "b", ("a", "b"), id="what fits"),
    pytest.param(
        "x" * 100 + "A" + "y" * 9,
        "x" * 100 + "B",
        ("...xxxxxxxxxxxxxxxxxxxxAyyyyyyyyy", "...xxxxxxxxxxxxxxxxxxxxB"),
        id="a difference far behind",
    ),
    pytest.param(
        "A" + "x" * 100,
        "B" + "x" * 100,
        ("A" + "x" * 29 + "... (+71)", "B" + "x" * 29 + "... (+71)"),
        id="a difference in front",
    ),
    pytest.param("x" * 100, "x" * 101, ("..." + "x" * 20, "..." + "x" * 21), id="only the length"),
]


@pytest.mark.parametrize(("old", "new", "expected"), BOTH)
def test_cut_both(old: str, new: str, expected: tuple[str, str]) -> None:
    assert cut_both(old, new, 40) == expected


@given(st.text(max_size=200), st.text(max_size=200), st.text(max_size=200), st.integers(60, 100))
def test_a_difference_stays_in_view(same: str, old: str, new: str, width: int) -> None:
    shown = cut_both(same + old, same + new, width)
    assert max(map(columns, shown)) <= width
    if old[:1] != new[:1] and old[:1].isascii() and new[:1].isascii() and same.isascii():
        assert shown[0] != shown[1]


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        pytest.param(["a:", "b", "c"], ["a: b c"], id="one line"),
        pytest.param(["a:", "b" * 15, "c" * 5], ["a: " + "b" * 15, "  ccccc"], id="two lines"),
        pytest.param(["a" * 30, "b"], ["a" * 30, "  b"], id="a part that never fits"),
        pytest.param(["a" * 1000], ["a" * 389 + "... (+611)"], id="a part that is no name"),
    ],
)
def test_fold(parts: list[str], expected: list[str]) -> None:
    assert fold(parts, 20) == expected


LONG = "x" * 50
FOLDED = [
    pytest.param("error: fits\n", "error: fits\n", id="a line that fits"),
    pytest.param(
        f"error: {LONG}: no such file\nwarning: b\n",
        f"error:\n  {LONG}:\n  no such file\nwarning: b\n",
        id="a name that is longer than a line is whole",
    ),
    pytest.param(
        "error: " + "word " * 9 + "end\n",
        "error: word word word word word word\n  word word word end\n",
        id="words stay whole",
    ),
    pytest.param("error: " + "  wide" * 9, "error: " + "  wide" * 9, id="a table"),
    pytest.param("\r" + "part " * 20, "\r" + "part " * 20, id="what is drawn over"),
]


ADDRESSED = [
    pytest.param(
        "error: ConfigMap/shop/web data.a (web.yaml:1:1): is too long for one line",
        "error: is too long for one line\n  at ConfigMap/shop/web data.a\n  (web.yaml:1:1)",
        id="an object, its field and its place",
    ),
    pytest.param(
        "warning: kustomize build apps/web:13:3: found: something",
        "warning: found: something\n  at kustomize build apps/web:13:3",
        id="a line of an output",
    ),
    pytest.param(
        "error: web.yaml:7:3: duplicate key",
        "error: web.yaml:7:3: duplicate key",
        id="what fits stays one line",
    ),
    pytest.param(
        "error: cannot read what is asked for: no such file",
        "error: cannot read what is asked for: no\n  such file",
        id="words before a colon are no address",
    ),
]


@pytest.mark.parametrize(("text", "expected"), ADDRESSED)
def test_at_a_terminal_the_reason_stands_before_the_address(text: str, expected: str) -> None:
    assert fold_lines(text, 40, {"COLUMNS": "40"}) == expected


@pytest.mark.parametrize(("text", "expected"), FOLDED)
def test_a_line_for_a_terminal_breaks_between_words(text: str, expected: str) -> None:
    assert fold_lines(text, 40, {"COLUMNS": "40"}) == expected
    assert "".join(expected.split()) == "".join(text.split())
