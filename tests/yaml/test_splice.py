"""Splices are applied in the order of the text; they never overlap."""

import pytest

from krm_fn.core.yaml.splice import Splice, apply_splices


@pytest.mark.parametrize(
    ("splices", "after"),
    [
        pytest.param([], "abcd", id="none"),
        pytest.param([Splice(3, 4, "x"), Splice(0, 1, "y")], "ybcx", id="in any order"),
        pytest.param(
            [Splice(2, 2, "x"), Splice(2, 2, "y")], "abxycd", id="two insertions keep their order"
        ),
        pytest.param(
            [Splice(1, 3, ""), Splice(1, 1, "x"), Splice(3, 3, "y")],
            "axyd",
            id="insertions at both ends",
        ),
    ],
)
def test_splices(splices: list[Splice], after: str) -> None:
    assert apply_splices("abcd", splices) == after


def test_an_overlap_is_a_bug() -> None:
    with pytest.raises(AssertionError, match="two edits of the same place, at character 1"):
        apply_splices("abcd", [Splice(0, 2, "x"), Splice(1, 3, "y")])
