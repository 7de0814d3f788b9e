"""How much is tried where more is better: the whole at night, with a fresh seed; a part in each run, with a fixed one.

`make check` tries a fiftieth, `make test` a twentieth. `make fuzz` sets KRM_FN_VOLUME=1, and KRM_FN_SEED, which it
prints.
"""

import os

VOLUME = float(os.environ.get("KRM_FN_VOLUME", "0.02"))
SEED = os.environ.get("KRM_FN_SEED")
IS_WHOLE = VOLUME >= 1


def part_of(whole: int) -> int:
    return max(1, round(whole * VOLUME))


def seed_of(number: int) -> str:
    """Return a seed for `random.Random`: the number of a test, and of the run where it has one."""
    return f"{SEED or 0} {number}"
