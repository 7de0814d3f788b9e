"""Find the name that somebody may have meant by one that does not exist.

Names of different objects are alike as well: `app-a` and `app-b`, `web-1` and `web-2`, `db-reader`
and `db-writer`, `config` and `configs`. So a name counts as misspelled only if one word of it has
one letter too many, too few, wrong or in another place; if the word is long, and has no digit; and
if its first letter and, unless letters are swapped, its last one are right. Or if only the
separators, the case or blanks differ, as in a block of text whose last line ends.
"""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from itertools import takewhile
from typing import TypeAlias

_CUTOFF = 0.66
"""Of the letters of both names, how many must agree: of three letters, two."""

_SHORTEST_PREFIX = 3

_FEW = 2_000
"""Pairs of a wrong name and a known one that are few enough to compare each."""

_WORD = r"[A-Z]?[a-z0-9]+|[A-Z]+"

_LONG_WORD = r"(?<![a-z0-9])[a-z]{5,63}(?![a-z0-9])"
_LONGEST = 253
"""Characters that the API server allows. Longer texts are no names, and would cost time."""

_SEPARATORS = str.maketrans("", "", "-._ \t\r\n")

_Words: TypeAlias = dict[tuple[str, str], set[str]]
"""The words that are between the same beginning and end of a name."""


def suggest(found: str, allowed: Iterable[str], elsewhere: str = "") -> str:
    """Write `; did you mean "rename"? allowed: rename, adopt, checksum, ignore`.

    The question is there only for a near miss.
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


def find_meant(wrong: Collection[str], known: Collection[str]) -> dict[str, str]:
    """Return the known name that is like each wrong one, if any.

    Among many names only a slip of the hand is found.
    """
    if len(wrong) * len(known) > _FEW:
        return find_near(wrong, known)
    names = sorted(known)
    return {name: nearest(name, names) for name in wrong}


def nearest(found: str, names: Iterable[str]) -> str:
    """Return the name that has all words of `found`, else is most like it, else begins with it."""
    names = list(names)
    wanted, start = _words(found), found.lower()
    longer = [name for name in names if wanted and wanted <= _words(name)]
    if longer:
        return min(longer, key=len)
    from difflib import get_close_matches

    close = get_close_matches(found, names, n=1, cutoff=_CUTOFF)
    begun = [
        name for name in names if len(start) >= _SHORTEST_PREFIX and name.lower().startswith(start)
    ]
    return min(close or begun, key=len, default="")


def _words(name: str) -> set[str]:
    """Return the words of `minimumAgeSeconds`, or of `linker.image`."""
    return {word.lower() for word in re.findall(_WORD, name)}


def find_near(unknown: Iterable[str], known: Iterable[str]) -> dict[str, str]:
    """Return the known name that is near each unknown one, if any.

    Only words between the same beginning and end are compared, and those by what is left of them
    without a letter. So the time grows with the number of names, not with that of their pairs.
    """
    known = _possible(known)
    unknown = _possible(set(unknown).difference(known))
    if not unknown:
        return {}
    joined = {_join(name): name for name in reversed(known)}
    near = {name: joined[one] for name in unknown if (one := _join(name)) in joined}
    wrong, right = _words_by_place(unknown), _words_by_place(known)
    for place in sorted(wrong.keys() & right.keys()):
        before, after = place
        for word, meant in _find_slips(wrong[place], right[place]):
            near.setdefault(before + word + after, before + meant + after)
    return near


def find_near_word(word: str, words: Iterable[str]) -> str:
    """Return the kind or field that is near `word`; `""` if none is.

    These differ in case, and have no plural.
    """
    return find_near_words([word], words)[word]


def find_near_words(several: Iterable[str], words: Iterable[str]) -> dict[str, str]:
    """Return the same for each of several."""
    by_lower = {one.lower(): one for one in words}
    lowers = {word: word.lower() for word in several}
    near = find_near(lowers.values(), by_lower)
    found = {}
    for word, lower in lowers.items():
        possible = (lower, lower.removesuffix("s"), near.get(lower, ""))
        found[word] = next((by_lower[one] for one in possible if one in by_lower), "")
    return found


def differ_by_a_letter(one: str, other: str) -> bool:
    """Tell whether one letter is too many, too few or wrong, wherever it is: of two content names none is right."""
    half = len(other) // 2
    # Most names differ by more, and this is soon seen.
    if abs(len(one) - len(other)) > 1:
        return False
    if not (one.startswith(other[:half]) or one.endswith(other[-half:])):
        return False
    before = _count_equal(one, other)
    after = _count_equal(one[before:][::-1], other[before:][::-1])
    return max(len(one), len(other)) - before - after == 1


def _count_equal(one: str, other: str) -> int:
    """Return with how many letters both begin."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


def _join(name: str) -> str:
    return name.translate(_SEPARATORS).lower()


def _possible(names: Iterable[str]) -> list[str]:
    """Sort the names, without texts that can be none."""
    return sorted({name for name in names if len(name) <= _LONGEST})


def _words_by_place(names: Iterable[str]) -> _Words:
    words: _Words = defaultdict(set)
    for name in names:
        for found in re.finditer(_LONG_WORD, name):
            words[name[: found.start()], name[found.end() :]].add(found[0])
    return words


def _find_slips(wrong: Iterable[str], right: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield each word with the one that was meant, in the order of those."""
    traces: dict[str, list[str]] = defaultdict(list)
    for word in wrong:
        for trace in _traces(word):
            traces[trace].append(word)
    for meant in sorted(right):
        for trace in _traces(meant):
            for word in traces.get(trace, ()):
                if word != meant and _begins_and_ends_alike(word, meant):
                    yield word, meant


def _traces(word: str) -> set[str]:
    """Return the word, and what is left of it without each of its letters.

    A slip leaves one of them as it was.
    """
    return {word, *(word[:position] + word[position + 1 :] for position in range(len(word)))}


def _begins_and_ends_alike(one: str, other: str) -> bool:
    return one[0] == other[0] and (one[-1] == other[-1] or sorted(one) == sorted(other))
