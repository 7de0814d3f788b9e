"""What somebody may have meant by a name that does not exist."""

import re
from collections.abc import Collection, Iterable
from itertools import islice

from krm_fn.naming.near_names import find_near

_CUTOFF = 0.66
"""Of the letters of both names, how many must agree: of three letters, two."""

_SHORTEST_PREFIX = 3

_FEW = 2_000
"""Pairs of a wrong name and a known one that are few enough to compare each."""

_SOME = 5
"""Names that a message lists of many."""

_WORD = re.compile(r"[A-Z]?[a-z0-9]+|[A-Z]+")


def suggest(found: str, allowed: Iterable[str], elsewhere: str = "") -> str:
    """Write `; did you mean "rename"? allowed: rename, adopt, checksum, ignore`, the question only for a near miss.

    `elsewhere` is asked about where no allowed name is near.
    """
    names = list(allowed)
    near = nearest(found, names)
    meant = f'"{near}"' if near else elsewhere
    question = f"did you mean {meant}? " if meant else ""
    return f"; {question}allowed: {', '.join(names)}"


def did_you_mean(near: str) -> str:
    """Write `; did you mean X?`, nothing for `""`."""
    return f"; did you mean {near}?" if near else ""


def list_some(names: Collection[str], most: int = _SOME) -> str:
    """Write the first names, and count the others: `a, b and 3 more`."""
    more = len(names) - most
    return ", ".join(islice(names, most)) + (f" and {more} more" if more > 0 else "")


def find_meant(wrong: Collection[str], known: Collection[str]) -> dict[str, str]:
    """Return the known name that is like each wrong one, if any. Among many names only a slip of the hand is found."""
    if len(wrong) * len(known) > _FEW:
        return find_near(wrong, known)
    names = sorted(known)
    return {name: nearest(name, names) for name in wrong}


def nearest(found: str, names: Iterable[str]) -> str:
    """Return the name that has all words of `found` (`minimumAge`), else is most like it, else begins with it."""
    names = list(names)
    wanted, start = _words(found), found.lower()
    longer = [name for name in names if wanted and wanted <= _words(name)]
    if longer:
        return min(longer, key=len)
    from difflib import get_close_matches

    close = get_close_matches(found, names, n=1, cutoff=_CUTOFF)
    begun = [name for name in names if len(start) >= _SHORTEST_PREFIX and name.lower().startswith(start)]
    return min(close or begun, key=len, default="")


def _words(name: str) -> set[str]:
    """Return the words of `minimumAgeSeconds`, or of `linker.image`."""
    return {word.lower() for word in _WORD.findall(name)}
