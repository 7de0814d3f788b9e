"""Which names were probably meant by several that do not exist."""

from collections.abc import Collection

from krm_fn.naming.near_names import find_near
from krm_fn.naming.suggest import nearest

_FEW = 2_000
"""Pairs of a wrong name and a known one that are few enough to compare each."""


def find_meant(wrong: Collection[str], known: Collection[str]) -> dict[str, str]:
    """Return the known name that is like each wrong one, if any. Among many names only a slip of the hand is found."""
    if len(wrong) * len(known) > _FEW:
        return find_near(wrong, known)
    names = sorted(known)
    return {name: nearest(name, names) for name in wrong}
