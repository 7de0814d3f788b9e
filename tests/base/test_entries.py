"""Entries by name leave out only what cannot match, and keep their order."""

from collections.abc import Collection
from fnmatch import fnmatchcase

from hypothesis import given
from hypothesis import strategies as st

from krm_fn.base.settings import Entries, Selector

NAMES = st.text("ab-", min_size=1, max_size=2)
PATTERNS = st.text("ab-*?", min_size=1, max_size=2)


@given(st.lists(PATTERNS, max_size=8), st.lists(NAMES, max_size=2))
def test_each_entry_that_matches_is_found_in_its_place(
    patterns: list[str], names: Collection[str]
) -> None:
    found = Entries(map(_named, patterns)).that_may_match(names)
    matching = [
        place
        for place, pattern in enumerate(patterns)
        if any(fnmatchcase(name, pattern) for name in names)
    ]
    assert [one.position for one in found] == sorted({one.position for one in found})
    assert {*matching} <= {one.position for one in found}
    assert all(patterns[one.position] == one.entry.name for one in found)


@given(st.lists(NAMES), NAMES)
def test_of_literal_names_only_the_same_are_found(entries: list[str], name: str) -> None:
    found = Entries(map(_named, entries)).that_may_match([name, name])
    assert [one.position for one in found] == [
        place for place, entry in enumerate(entries) if entry == name
    ]


def _named(pattern: str) -> Selector:
    return Selector(name=pattern)
