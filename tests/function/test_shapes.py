"""Cost grows with a package, and not with its square: counted, not timed, so that it holds on every machine."""

from collections.abc import Callable
from pathlib import Path

import pytest

from benchmarks.inputs import resource_list
from benchmarks.operations import lines_per_pair
from benchmarks.shape_packages import MARKS, SHAPES, Shape
from benchmarks.shape_runs import prepare
from krm_fn.base.node import Node
from krm_fn.cli.main import main
from krm_fn.core.yaml import reader
from krm_fn.core.yaml.reader import Source
from krm_fn.function import run
from krm_fn.tools.builds.builds import HelmOptions
from krm_fn.tools.opened.sources import STDIN, Inputs
from tests.render.run import render
from tests.volume import IS_QUICK, IS_WHOLE

_NEARLY_NONE = 0.5
"""Less than a line for each pair: a step at some size, not a loop in a loop."""

_LONG_CHAIN = 1_100
"""Longer than Python's stack is high."""


_TRIED = [*SHAPES[::2], *MARKS[::8]] if IS_QUICK else [*SHAPES, *MARKS]


@pytest.mark.rows(test=5)
@pytest.mark.volume
@pytest.mark.parametrize("shape", [pytest.param(shape, id=shape.what) for shape in _TRIED])
def test_cost_is_linear_in(shape: Shape) -> None:
    assert lines_per_pair(shape, times=2 if IS_WHOLE else 1) < _NEARLY_NONE


@pytest.mark.rows(test=1)
@pytest.mark.parametrize("run", ["transform", "verify", "explain", "graph"])
def test_a_chain_of_configmaps_may_have_any_length(run: str) -> None:
    (chain,) = (shape for shape in SHAPES if shape.what == "references in data, all in one chain")
    outcome = prepare(chain._replace(run=run), _LONG_CHAIN)()
    assert outcome.exit_code == 0, outcome.stderr


def rendered(package: bytes) -> bytes:
    return render(Inputs((STDIN,), stdin=package), HelmOptions()).stdout


@pytest.mark.parametrize(
    ("write", "most"),
    [
        pytest.param(rendered, 1.0, id="a rendering"),
        pytest.param(
            lambda package: run(package).stdout, 1.0, id="a rendering with its configuration"
        ),
        # What is edited with the way to it, as the proof reads it, and what is added.
        pytest.param(lambda package: package, 1.7, id="a package, and then what is edited in it"),
    ],
)
def test_diff_reads_each_side_once(
    write: Callable[[bytes], bytes], most: float, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = resource_list(40)
    sides = [write(package), write(package.replace(b"LOG_LEVEL: info", b"LOG_LEVEL: debug"))]
    files = [tmp_path / name for name in ("old.yaml", "new.yaml")]
    for file, side in zip(files, sides, strict=True):
        file.write_bytes(side)
    compose = reader._compose  # noqa: SLF001  # all that is read goes through it
    sizes: list[int] = []

    def count_bytes(source: Source, data: bytes) -> list[Node]:
        sizes.append(len(data))
        return compose(source, data)

    monkeypatch.setattr(reader, "_compose", count_bytes)
    outcome = main(["diff", *map(str, files)])
    assert outcome.stdout.count(b"LOG_LEVEL: debug") == 10
    assert sum(sizes) <= most * sum(map(len, sides)), sizes
