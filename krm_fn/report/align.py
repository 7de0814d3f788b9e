"""Which parts of two sequences differ, with as few changes as possible."""

from collections.abc import Hashable, Iterator, Sequence
from typing import NamedTuple

_MOST_STEPS = 1_000_000
"""Less than a second, for a thousand changes. What takes more is shown as replaced as a whole."""


class Hunk(NamedTuple):
    """A part of the old sequence, and what is in its place in the new one. One of them may be empty."""

    old_start: int
    old_end: int
    new_start: int
    new_end: int


def align(old: Sequence[Hashable], new: Sequence[Hashable]) -> list[Hunk]:
    """Return the parts that differ, in order: the shortest edit script of Myers, An O(ND) Difference Algorithm."""
    start, longest = 0, min(len(old), len(new))
    while start < longest and old[start] == new[start]:
        start += 1
    end = 0
    while end < longest - start and old[-1 - end] == new[-1 - end]:
        end += 1
    inner_old, inner_new = old[start : len(old) - end], new[start : len(new) - end]
    return [Hunk(*(place + start for place in hunk)) for hunk in _align(inner_old, inner_new)]


def _align(old: Sequence[Hashable], new: Sequence[Hashable]) -> list[Hunk]:
    whole = [Hunk(0, len(old), 0, len(new))]
    if not old and not new:
        return []
    if not old or not new:
        return whole
    furthest = _search(old, new)
    return whole if furthest is None else _join(_walk_back(furthest, len(old), len(new)))


def _search(old: Sequence[Hashable], new: Sequence[Hashable]) -> list[dict[int, int]] | None:
    """Return how far one gets on each diagonal before change 0, 1, 2...; None if it takes too long to find the end."""
    rounds: list[dict[int, int]] = [{1: 0}]
    steps = 0
    for changes in range(len(old) + len(new) + 1):
        reached: dict[int, int] = {}
        for diagonal in range(-changes, changes + 1, 2):
            x = _start_of(rounds[-1], diagonal, changes)
            y = x - diagonal
            before = x
            while x < len(old) and y < len(new) and old[x] == new[y]:
                x, y = x + 1, y + 1
            reached[diagonal] = x
            steps += 2 + x - before
            if x >= len(old) and y >= len(new):
                return rounds
        if steps > _MOST_STEPS:
            return None
        rounds.append(reached)
    return None


def _start_of(reached: dict[int, int], diagonal: int, changes: int) -> int:
    """Return where a diagonal is entered: from the one above by an insertion, or from the one below by a deletion."""
    if _is_inserted(reached, diagonal, changes):
        return reached[diagonal + 1]
    return reached[diagonal - 1] + 1


def _is_inserted(reached: dict[int, int], diagonal: int, changes: int) -> bool:
    return diagonal == -changes or (diagonal != changes and reached[diagonal - 1] < reached[diagonal + 1])


def _walk_back(rounds: list[dict[int, int]], x: int, y: int) -> list[Hunk]:
    """Return the single insertions and deletions, in order."""
    hunks: list[Hunk] = []
    for changes in range(len(rounds) - 1, 0, -1):
        reached, diagonal = rounds[changes], x - y
        if _is_inserted(reached, diagonal, changes):
            x = reached[diagonal + 1]
            y = x - diagonal - 1
            hunks.append(Hunk(x, x, y, y + 1))
        else:
            x = reached[diagonal - 1]
            y = x - diagonal + 1
            hunks.append(Hunk(x, x + 1, y, y))
    return hunks[::-1]


def _join(single: list[Hunk]) -> list[Hunk]:
    """Join neighbours."""
    return list(_joined(single))


def _joined(single: list[Hunk]) -> Iterator[Hunk]:
    current = single[0]
    for hunk in single[1:]:
        if (hunk.old_start, hunk.new_start) == (current.old_end, current.new_end):
            current = current._replace(old_end=hunk.old_end, new_end=hunk.new_end)
        else:
            yield current
            current = hunk
    yield current
