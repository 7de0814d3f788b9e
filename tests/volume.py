"""How much is tried where more is better: the whole at night, with a fresh seed; a part in each run, with a fixed one.

`make test` and `make check` try a hundredth, CI a twentieth. `make night` and `make fuzz` set KRM_FN_VOLUME=1, and
`make fuzz` KRM_FN_SEED, which it prints.
"""

import os
from collections.abc import Sequence
from random import Random
from typing import TypeVar

Way = TypeVar("Way")

VOLUME = float(os.environ.get("KRM_FN_VOLUME", "0.01"))
SEED = os.environ.get("KRM_FN_SEED")
IS_WHOLE = VOLUME >= 1
IS_QUICK = VOLUME < 0.05
"""A person waits: `make test` and `make check`, and not CI."""


def part_of(whole: int) -> int:
    return max(1, round(whole * VOLUME))


def examples_of(whole: int) -> int:
    """Return how many examples hypothesis tries.

    Few find most: CI takes a third, a person waits for a sixth.
    """
    return whole if IS_WHOLE else max(whole // (6 if IS_QUICK else 3), 30)


def in_turn(ways: Sequence[Way], number: int) -> Sequence[Way]:
    """Return what to try of several ways: each run takes another one for the next number, the night all."""
    return ways if IS_WHOLE else [ways[number % len(ways)]]


def one_of(ways: Sequence[Way], whose: str) -> Sequence[Way]:
    """Return what to try of several ways that are alike: each run one, for each name another, the night all."""
    return ways if IS_WHOLE or not ways else [Random(whose).choice(ways)]


def seed_of(number: int) -> str:
    """Return a seed for `random.Random`: the number of a test, and of the run where it has one."""
    return f"{SEED or 0} {number}"
