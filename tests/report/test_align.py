"""The parts that differ: as few as possible, and found in time whatever they are."""

import time
from difflib import SequenceMatcher
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from krm_fn.report.align import Hunk, align

words = st.lists(st.sampled_from("abc"), max_size=12)

ALIGNED = [
    pytest.param("", "", [], id="nothing"),
    pytest.param("abc", "abc", [], id="equal"),
    pytest.param("", "ab", [Hunk(0, 0, 0, 2)], id="all added"),
    pytest.param("ab", "", [Hunk(0, 2, 0, 0)], id="all removed"),
    pytest.param("abc", "axc", [Hunk(1, 2, 1, 2)], id="one replaced"),
    pytest.param("abcd", "xbcy", [Hunk(0, 1, 0, 1), Hunk(3, 4, 3, 4)], id="both ends"),
    pytest.param("abab", "abxab", [Hunk(2, 2, 2, 3)], id="one in the middle"),
]


@pytest.mark.parametrize(("old", "new", "expected"), ALIGNED)
def test_align(old: str, new: str, expected: list[Hunk]) -> None:
    assert align(old, new) == expected


@given(words, words)
def test_the_hunks_turn_one_into_the_other(old: list[str], new: list[str]) -> None:
    result: list[str] = []
    place = 0
    for hunk in align(old, new):
        result += old[place : hunk.old_start] + new[hunk.new_start : hunk.new_end]
        place = hunk.old_end
    assert result + old[place:] == new


@given(words, words)
def test_no_other_way_is_shorter_than_the_standard_librarys(old: list[str], new: list[str]) -> None:
    ours = sum(
        hunk.old_end - hunk.old_start + hunk.new_end - hunk.new_start for hunk in align(old, new)
    )
    blocks = SequenceMatcher(None, old, new, autojunk=False).get_matching_blocks()
    assert ours <= len(old) + len(new) - 2 * sum(block.size for block in blocks)


_RANDOM = Random(1)
LARGE = [
    pytest.param(range(100_000), range(100_000, 200_000), id="all different"),
    pytest.param(["x"] * 300_000 + ["y"], ["z"] + ["x"] * 290_000, id="all equal"),
    pytest.param(
        _RANDOM.choices("ab", k=100_000), _RANDOM.choices("ab", k=100_000), id="much in common"
    ),
]


@pytest.mark.parametrize(("old", "new"), LARGE)
def test_what_takes_too_long_is_one_hunk(old: list[str], new: list[str]) -> None:
    start = time.process_time()
    assert len(align(list(old), list(new))) == 1
    assert time.process_time() - start < 20  # hours, if all were tried
