"""Print the tables: real packages beside a Go function that does nothing, `diff` beside a run, goals beside figures.

With `--beside`, print one table instead: this checkout beside a commit.
"""

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from benchmarks.beside import compare_with, for_the_page_beside
from benchmarks.inputs import KINDS, resource_list
from benchmarks.install import build_noop, go_version, install
from benchmarks.measure import (
    Command,
    Figures,
    describe_machine,
    measure_in_turn,
    on_one_processor,
    ratio,
)
from benchmarks.page import PAGE, keep_columns, write_part
from benchmarks.real_shapes import LARGE, MEDIUM, PACKAGES
from benchmarks.shape_packages import SHAPES, Shape, write_package

OTHERS_HEADER = "| beside a run of the function | of its time | run | the other | MiB |"
SHAPES_HEADER = "| what there is many of | MB | of Go's time | krm-fn | Go no-op |"
ON_THE_PAGE = 5
"""How many shapes the page shows: the slowest."""

SHAPE_BYTES = 1_000_000
"""The least size of a package of some shape that is compared."""

GOALS = {
    "12 objects: seconds of processor time": 0.05,
    **{
        f"{one.what}: time, of the Go no-op's": one.most for one in PACKAGES if one.most is not None
    },
    "20,000 objects: memory, of the Go no-op's": 0.27,
    "20,000 objects: time, times that of 2,000": 11,
    "20,000 objects: time with checksums, of that with names": 1.15,
    "2,000 objects, compared: time, of a run's": 1.15,
    "2,000 objects, rendered again and compared: time, of a run's": 2,
    "20,000 objects, compared: seconds": 5,
    "20,000 objects, compared: MiB": 400,
    "the slowest shape of 1 MB: time, of the Go no-op's": 2.5,
}
"""The most that each figure may be."""


class Programs(NamedTuple):
    """What is measured, how often, and a folder for what it reads."""

    krm_fn: Path
    noop: Path
    rounds: int
    folder: Path

    def in_turn(self, *commands: tuple[list[str], str], fewer: bool = False) -> list[Figures]:
        """Measure commands, each with the file in the folder that it reads."""
        rounds = (self.rounds + 1) // 2 if fewer else self.rounds
        return measure_in_turn(
            [Command(words, self.folder / stdin) for words, stdin in commands], rounds
        )


def main() -> None:
    """Install what is measured, measure it in turn, print Markdown."""
    options = parse_options()
    program = "python -m benchmarks"
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if options.beside:
            program += f" --beside {options.beside}"
            table = compare_with(options.beside, folder, options.runs, options.only)
        else:
            programs = Programs(install(folder), build_noop(), options.runs, folder)
            table = tables(programs, options.only)
        lines = []
        for line in table:
            print(line, flush=True)
            lines.append(line)
    if options.write:
        write_part(program, for_the_page_beside(lines) if options.beside else for_the_page(lines))


def for_the_page(lines: list[str]) -> list[str]:
    """Keep ratios of packages and the slowest shapes alone, and no goals: they are for those who change the code."""
    others, shapes = lines.index(OTHERS_HEADER), lines.index(SHAPES_HEADER) + 2
    end = lines.index("", shapes)
    slowest = sorted(lines[shapes:end], key=lambda row: -float(row.split(" | ")[2]))
    return [
        *keep_columns(lines[:others], range(4)),
        *lines[others:shapes],
        *slowest[:ON_THE_PAGE],
    ]


def parse_options() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument(
        "--beside", metavar="COMMIT", default="", help="compare this checkout with a commit"
    )
    parser.add_argument(
        "--runs",
        type=int,
        default=5,
        help="for each size, half of it for the slower comparisons (default: 5)",
    )
    parser.add_argument(
        "--only", default="", help="only the shapes, or inputs, whose name contains this"
    )
    parser.add_argument(
        "--write", action="store_true", help=f"write the tables into docs/{PAGE.name} too"
    )
    options = parser.parse_args()
    if options.runs < 1:
        parser.error("--runs: at least 1")
    if options.write and options.only:
        parser.error("--write: the page has all of them")
    return options


def tables(programs: Programs, part: str = "") -> Iterator[str]:
    """Yield the lines of all tables. The goals come last, as they need all figures."""
    figures: list[float] = []
    yield f"Measured on {describe_machine()}, {go_version()}."
    yield ""
    yield from compare_packages(programs, figures)
    yield from compare_others(programs, figures)
    yield from compare_shapes(programs, part, figures)
    missed = 0
    yield "| goal | at most | measured | |"
    yield "|---|---|---|---|"
    for (what, most), figure in zip(GOALS.items(), figures, strict=True):
        missed += figure > most
        yield f"| {what} | {most:g} | {figure:.3g} | {'met' if figure <= most else 'missed'} |"
    yield ""
    yield f"{missed} of {len(GOALS)} goals are missed."


def compare_packages(programs: Programs, figures: list[float]) -> Iterator[str]:
    """Compare packages with a Go function, on one processor: its collector would use a second one."""
    yield (
        "| package | MB | of Go's time | of Go's memory | krm-fn | Go no-op | krm-fn | Go no-op "
        "| page faults: krm-fn | Go no-op |"
    )
    yield "|---|---|---|---|---|---|---|---|---|---|"
    measured: list[tuple[Figures, Figures]] = []
    for package in PACKAGES:
        given = programs.folder / "package.yaml"
        given.write_bytes(package.make())
        commands = ([str(programs.krm_fn)], given.name), ([str(programs.noop)], given.name)
        with on_one_processor():
            mine, go = programs.in_turn(*commands)
        measured.append((mine, go))
        yield (
            f"| {package.what} | {given.stat().st_size / 1e6:.2f} | {ratio(mine, go):.2f} "
            f"| {share_of_memory(mine, go)} | {mine.time} | {go.time} | {mine.memory} | {go.memory} "
            f"| {mine.page_faults:,} | {go.page_faults:,} |"
        )
    yield ""
    (medium, _), (large, go_large) = measured[-2:]
    figures += [measured[0][0].processor]
    figures += [
        ratio(*pair) for package, pair in zip(PACKAGES, measured, strict=True) if package.most
    ]
    figures += [large.mebibytes / go_large.mebibytes, large.seconds / medium.seconds]


def share_of_memory(mine: Figures, go: Figures) -> str:
    hidden = mine.has_hidden_memory or go.has_hidden_memory
    return "" if hidden else f"{mine.mebibytes / go.mebibytes:.2f}"


def compare_others(programs: Programs, figures: list[float]) -> Iterator[str]:
    """Compare a run with names, and one with checksums or a diff of what two runs have rendered."""
    yield OTHERS_HEADER
    yield "|---|---|---|---|---|"
    run = [str(programs.krm_fn)]
    for strategy in ("rename", "checksum"):
        (programs.folder / f"{strategy}.yaml").write_bytes(resource_list(LARGE, strategy))
    names, checksums = programs.in_turn((run, "rename.yaml"), (run, "checksum.yaml"), fewer=True)
    figures += [ratio(checksums, names)]
    yield other_row(f"a checksum for each of {LARGE // KINDS:,} workloads", names, checksums)
    for objects in (MEDIUM, LARGE):
        given = f"{objects}.yaml"
        (programs.folder / given).write_bytes(resource_list(objects))
        stored, whole = (
            [*run, "diff", *render(programs, objects, way)] for way in (["render", "-"], [])
        )
        run_, diff, again = programs.in_turn(
            (run, given), (stored, given), (whole, given), fewer=objects == LARGE
        )
        figures += (
            [ratio(diff, run_), ratio(again, run_)]
            if objects == MEDIUM
            else [diff.seconds, diff.mebibytes]
        )
        yield other_row(f"diff of {objects:,} objects, every ConfigMap changed", run_, diff)
        yield other_row(f"diff of {objects:,} objects that it renders again, as above", run_, again)
    yield ""


def other_row(what: str, run: Figures, other: Figures) -> str:
    return f"| {what} | {ratio(other, run):.2f} | {run.time} | {other.time} | {other.memory} |"


def render(programs: Programs, objects: int, way: list[str]) -> list[str]:
    """Render the package twice, each time with another value in each ConfigMap.

    Return the two files.

    What the function writes has its configuration, so `diff` renders it again; what `render` writes
    has none.
    """
    files = []
    for level in (b"info", b"debug"):
        given = resource_list(objects).replace(b"LOG_LEVEL: info", b"LOG_LEVEL: " + level)
        outcome = subprocess.run(
            [str(programs.krm_fn), *way], input=given, stdout=subprocess.PIPE, check=True
        )
        files.append(programs.folder / f"{'-'.join([*way[:1], level.decode()])}.yaml")
        files[-1].write_bytes(outcome.stdout)
    return [*map(str, files)]


def compare_shapes(programs: Programs, part: str, figures: list[float]) -> Iterator[str]:
    """Compare packages that have many of one thing, one pair for each: a slow one stands out."""
    yield SHAPES_HEADER
    yield "|---|---|---|---|---|"
    slowest = 0.0
    for shape in SHAPES:
        if shape.run != "transform" or part not in shape.what:
            continue
        data = large_package(shape)
        (programs.folder / "shape.yaml").write_bytes(data)
        commands = ([str(programs.krm_fn)], "shape.yaml"), ([str(programs.noop)], "shape.yaml")
        try:
            mine, go = programs._replace(rounds=1).in_turn(*commands)
        except subprocess.CalledProcessError:
            print(f"{shape.what}: refused", file=sys.stderr)
            continue
        times = ratio(mine, go)
        slowest = max(slowest, times)
        yield f"| {shape.what} | {len(data) / 1e6:.2f} | {times:.2f} | {mine.seconds:.3g} s | {go.seconds:.3g} s |"
    yield ""
    figures += [slowest]


def large_package(shape: Shape) -> bytes:
    """Write a package of this shape with at least so many bytes."""
    size = 1_000
    while len(data := write_package(shape.make(size))) < SHAPE_BYTES:
        size = max(size * SHAPE_BYTES // len(data), size * 11 // 10)
    return data


if __name__ == "__main__":
    main()
