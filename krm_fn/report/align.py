"""The parts in which two sequences differ.

`difflib` would be less code. It is quadratic where many elements are equal, as brackets and blank
lines are: 50 changes in a ConfigMap of 20,000 lines take it 22 s, and this 8 ms. Its `autojunk`
calls just such elements junk, and shows a dashboard as replaced as a whole.
"""

from collections.abc import Hashable, Sequence

from krm_fn.base.named_tuple import NamedTuple

_MOST_STEPS = 1_000_000
"""Less than a second, for a thousand changes. Texts that take more are shown as replaced as a whole."""


class Hunk(NamedTuple):
    """A part of the old sequence, and what is in its place in the new one.

    One of them may be empty.
    """

    old_start: int
    old_end: int
    new_start: int
    new_end: int


def align(old: Sequence[Hashable], new: Sequence[Hashable]) -> list[Hunk]:
    """Return the parts that differ, in order, by Myers: An O(ND) Difference Algorithm."""
    start, longest = 0, min(len(old), len(new))
    while start < longest and old[start] == new[start]:
        start += 1
    end = 0
    while end < longest - start and old[-1 - end] == new[-1 - end]:
        end += 1
    inner_old, inner_new = old[start : len(old) - end], new[start : len(new) - end]
    if not inner_old and not inner_new:
        return []
    rounds = _search(inner_old, inner_new) if inner_old and inner_new else None
    if rounds is None:
        return [Hunk(start, len(old) - end, start, len(new) - end)]
    return [
        Hunk(*(place + start for place in hunk))
        for hunk in _walk_back(rounds, len(inner_old), len(inner_new))
    ]


def _search(old: Sequence[Hashable], new: Sequence[Hashable]) -> list[dict[int, int]] | None:
    """Return how far one gets on each diagonal before change 0, 1, 2...; None if it takes too long."""
    rounds: list[dict[int, int]] = [{1: 0}]
    steps = 0
    for changes in range(len(old) + len(new) + 1):
        reached: dict[int, int] = {}
        for diagonal in range(-changes, changes + 1, 2):
            # One enters a diagonal from the one above by an insertion, or from the one below by a
            # deletion.
            is_inserted = _is_inserted(rounds[-1], diagonal, changes)
            x = before = rounds[-1][diagonal + 1] if is_inserted else rounds[-1][diagonal - 1] + 1
            y = x - diagonal
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


def _is_inserted(reached: dict[int, int], diagonal: int, changes: int) -> bool:
    return diagonal == -changes or (
        diagonal != changes and reached[diagonal - 1] < reached[diagonal + 1]
    )


def _walk_back(rounds: list[dict[int, int]], x: int, y: int) -> list[Hunk]:
    """Return the insertions and deletions in order, neighbours as one."""
    hunks: list[Hunk] = []
    for changes in range(len(rounds) - 1, 0, -1):
        reached, diagonal = rounds[changes], x - y
        is_inserted = _is_inserted(reached, diagonal, changes)
        if is_inserted:
            x = reached[diagonal + 1]
            y = x - diagonal - 1
            hunk = Hunk(x, x, y, y + 1)
        else:
            x = reached[diagonal - 1]
            y = x - diagonal + 1
            hunk = Hunk(x, x + 1, y, y)
        if hunks and (hunk.old_end, hunk.new_end) == (hunks[-1].old_start, hunks[-1].new_start):
            behind = hunks.pop()
            hunk = hunk._replace(old_end=behind.old_end, new_end=behind.new_end)
        hunks.append(hunk)
    return hunks[::-1]
