"""Lists that end before they are long."""

import pytest

from krm_fn.base.problem import listing, with_commas

LISTED = [
    pytest.param(listing([]), "", id="nothing"),
    pytest.param(listing(["a"], is_sentence=True), "a", id="one"),
    pytest.param(listing(["a", "b", "c"]), "a, b, c", id="all"),
    pytest.param(listing(["a", "b", "c"], is_sentence=True), "a, b and c", id="a sentence"),
    pytest.param(listing("abcd", 3), "a, b, c and 1 more", id="too many"),
    pytest.param(
        listing("abcd", 3, is_sentence=True), "a, b, c and 1 more", id="too many for a sentence"
    ),
    pytest.param(listing("abcd", 2, "; ", ","), "a; b, and 2 more", id="too many, behind a comma"),
]


@pytest.mark.parametrize(("written", "expected"), LISTED)
def test_listing(written: str, expected: str) -> None:
    assert written == expected


def test_a_line_may_break_behind_each_comma() -> None:
    assert with_commas("abc") == ["a,", "b,", "c"]
