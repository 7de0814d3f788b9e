"""How much work is done, as a number that is the same on every machine: the lines of krm_fn that are executed."""

import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import krm_fn
from benchmarks.shape_packages import Shape
from benchmarks.shape_runs import prepare

_CODE = str(Path(krm_fn.__file__).parent)


def lines_per_pair(shape: Shape, times: int = 1) -> float:
    """Return how many lines are executed for each pair of what a package has many of: 0 where cost is linear.

    It is found from n, 2n and 3n, which need not be large: what a run does once, and for each one, cancels out. n is
    the least that the shape needs, or some `times` of it.
    """
    size = shape.least * times
    prepare(shape, size)()  # some tables are filled at first use
    first, second, third = (_count_lines(prepare(shape, count * size)) for count in (1, 2, 3))
    return (third - 2 * second + first) / (2 * size * size)


def _count_lines(work: Callable[[], object]) -> int:
    """Return how many lines are executed. Each step of a loop counts, also of one within a line."""
    lines = 0

    def in_function(_frame: FrameType, event: str, _argument: Any) -> Any:
        nonlocal lines
        lines += event == "line"
        return in_function

    def at_call(frame: FrameType, _event: str, _argument: Any) -> Any:
        return in_function if frame.f_code.co_filename.startswith(_CODE) else None

    before = sys.gettrace()
    sys.settrace(at_call)
    try:
        work()
    finally:
        sys.settrace(before)
    return lines
