"""Cost grows with a package, and not with its square: counted, not timed, so that it holds on every machine."""

import pytest

from benchmarks.operations import lines_per_pair
from benchmarks.shape_packages import SHAPES, Shape
from benchmarks.shape_runs import prepare
from tests.volume import IS_WHOLE

_NEARLY_NONE = 0.5
"""Less than a line for each pair: a step at some size, not a loop in a loop."""

_LONG_CHAIN = 2_000
"""Longer than Python's stack is high."""


@pytest.mark.volume
@pytest.mark.parametrize("shape", [pytest.param(shape, id=shape.what) for shape in SHAPES])
def test_cost_is_linear_in(shape: Shape) -> None:
    assert lines_per_pair(shape, times=2 if IS_WHOLE else 1) < _NEARLY_NONE


@pytest.mark.parametrize("run", ["transform", "verify", "explain", "graph"])
def test_a_chain_of_configmaps_may_have_any_length(run: str) -> None:
    (chain,) = (shape for shape in SHAPES if shape.what == "references in data, all in one chain")
    outcome = prepare(chain._replace(run=run), _LONG_CHAIN)()
    assert outcome.exit_code == 0, outcome.stderr
