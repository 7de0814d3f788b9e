"""Measure how cost grows with what a package may have many of: `python -m benchmarks.shapes [PART OF A NAME]`."""

import argparse
import gc
import time

from benchmarks.shape_packages import SHAPES, Shape
from benchmarks.shape_runs import prepare

_LIMIT = 2.2
"""What doubling may cost, times."""


def main() -> None:
    """Print a table in Markdown."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.shapes", description=__doc__)
    parser.add_argument(
        "part", nargs="?", default="", help="only the shapes whose name contains this"
    )
    parser.add_argument("--size", type=int, default=1_000, help="the smallest n (default: 1000)")
    arguments = parser.parse_args()
    gc.disable()  # as for the function: nodes hold no cycles
    size = arguments.size
    print(
        f"| what there is n of | {size:,} | {2 * size:,} | {4 * size:,} | from {2 * size:,} to {4 * size:,} | |"
    )
    print("|---|---|---|---|---|---|")
    for shape in SHAPES:
        if arguments.part in shape.what:
            seconds = [measure(shape, count * size) for count in (1, 2, 4)]
            growth = seconds[2] / seconds[1]
            times = " | ".join(f"{one:.2f} s" for one in seconds)
            print(
                f"| {shape.what} | {times} | {growth:.2f} | {'met' if growth <= _LIMIT else 'missed'} |",
                flush=True,
            )


def measure(shape: Shape, size: int) -> float:
    """Return the seconds of processor time that the work takes, without what prepares it."""
    work = prepare(shape, size)
    started = time.process_time()
    work()
    return time.process_time() - started


if __name__ == "__main__":
    main()
