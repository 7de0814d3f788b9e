"""An index of entries leaves out only what cannot match."""

from fnmatch import fnmatchcase

import pytest
from hypothesis import given
from hypothesis import strategies as st

from krm_fn.model.settings import literal_parts


@pytest.mark.parametrize(
    ("pattern", "parts"),
    [
        pytest.param("web-*", ["web-", ""], id="what stands before a star"),
        pytest.param("?eb-*-config", ["", "eb-", "-config"], id="what stands between and behind"),
        pytest.param("web-[a-z]x", ["web-", "x"], id="a set of letters is no text"),
        pytest.param("web-[!]a]x", ["web-", "x"], id="a bracket may be in a set"),
        pytest.param("web-[ax", ["web-", "ax"], id="a bracket that is not closed"),
        pytest.param("web-a]x", ["web-a", "x"], id="a bracket that is not opened"),
    ],
)
def test_what_every_name_contains(pattern: str, parts: list[str]) -> None:
    assert literal_parts(pattern) == parts


@given(st.text("ab[]!-*?", max_size=10), st.text("ab[]!-", max_size=10))
def test_a_name_that_matches_contains_each_part(pattern: str, name: str) -> None:
    assert not fnmatchcase(name, pattern) or all(part in name for part in literal_parts(pattern))
