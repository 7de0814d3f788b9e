"""A checkout beside a commit: instructions, time, times the limit, and whether the bytes are equal.

The limit of an input is what benchmarks/limit.py takes: the start of Python, and libyaml's events of
what is read, as Python objects.
"""

import os
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

from benchmarks.alternatives import SIZES, write_configured
from benchmarks.inputs import resource_list
from benchmarks.install import install, site_packages
from benchmarks.measure import (
    PROCESSOR_TIME,
    Command,
    Counted,
    Figures,
    count,
    describe_machine,
    measure_in_turn,
    ratio,
    require_valgrind,
)
from benchmarks.page import keep_columns
from benchmarks.real_shapes import MEDIUM, PACKAGES

QUIET = 2
"""The load under which times are worth something."""

RUN = f"{MEDIUM:,} objects"
OF_A_RUN = {"diff": 1.15, "verify": 0.83, "explain": None}
"""The most that a command over the same objects may take of a run."""


class Input(NamedTuple):
    """What krm-fn is to do: its arguments, what it reads on stdin or in files, and its goal in times of the limit."""

    what: str
    words: Sequence[str]
    stdin: Path = Path(os.devnull)
    files: Sequence[Path] = ()
    most: float | None = None

    def command(self, krm_fn: Path) -> Command:
        return Command([str(krm_fn), *self.words], self.stdin)

    def limit(self, krm_fn: Path) -> Command:
        """Return what takes as long as the limit, with the Python and the libyaml of an installed copy."""
        python, script = krm_fn.with_name("python"), Path(__file__).with_name("limit.py")
        paths = (script, site_packages(krm_fn), *(self.files or [self.stdin]))
        return Command([str(python), "-I", "-S", *map(str, paths)])


class Times(NamedTuple):
    """Three commands in turn."""

    limit: Figures
    before: Figures
    here: Figures


class Compared(NamedTuple):
    """An input, and what it takes. A busy machine gives no times."""

    input: Input
    before: Counted
    here: Counted
    times: Times | None

    @property
    def row(self) -> str:
        what, most = self.input.what, str(self.input.most or "")
        return f"| {' | '.join([what, *self._cells(), most])} |"

    def _cells(self) -> list[str]:
        _, before, here, times = self
        counted = [
            f"{before.instructions / 1e6:,.0f}",
            f"{here.instructions / 1e6:,.0f}",
            f"{here.instructions / before.instructions:.3f}",
        ]
        if times is None:
            return [*counted, *[""] * 6]
        return [
            *counted,
            *(f"{one.processor:.3g}" for one in times),
            f"{ratio(times.here, times.before, PROCESSOR_TIME):.2f}",
            f"{ratio(times.before, times.limit, PROCESSOR_TIME):.1f}",
            f"{ratio(times.here, times.limit, PROCESSOR_TIME):.1f}",
        ]


def compare_with(commit: str, folder: Path, runs: int, part: str = "") -> Iterator[str]:
    """Yield the lines of a table: a row for each input whose name contains `part`."""
    require_valgrind()
    # These folders have names of one length, as a start reads its own path.
    before, here = install(folder / "then", commit), install(folder / "here")
    inputs = [one for one in write_inputs(folder, before) if part in one.what]
    found = [*measure(inputs, before, here, runs)]
    yield f"Measured on {describe_machine()}."
    yield ""
    of_both = f"{commit} | here"
    yield (
        f"| input | million instructions: {of_both} | of instructions | seconds: limit | {of_both} | of time "
        f"| times the limit: {of_both} | at most |"
    )
    yield f"|{'---|' * 11}"
    yield from (one.row for one in found)
    yield ""
    yield from compare_with_run(commit, {one.input.what: one for one in found})
    differ = [one.input.what for one in found if one.before.stdout != one.here.stdout]
    yield f"Other bytes: {', '.join(differ)}." if differ else "All write the same bytes."
    left_out = sum(one.times is None for one in found)
    if left_out:
        yield f"Without time: {left_out} of {len(found)} inputs, as the load was not under {QUIET}."


def for_the_page_beside(lines: list[str]) -> list[str]:
    """Keep ratios and times the limit, and no goals."""
    end = lines.index("", 2)
    return [*keep_columns(lines[:end], (0, 3, 7, 8, 9)), *keep_columns(lines[end:], range(3))]


def measure(inputs: Sequence[Input], before: Path, here: Path, runs: int) -> Iterator[Compared]:
    """Measure all times, then count all instructions: that makes load, and load does not change it."""
    times = [measure_times(one, before, here, runs) for one in inputs]
    commands = [one.command(krm_fn) for krm_fn in (before, here) for one in inputs]
    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        counted = [*pool.map(count, commands)]
    return map(Compared, inputs, counted[: len(inputs)], counted[len(inputs) :], times)


def measure_times(one: Input, before: Path, here: Path, runs: int) -> Times | None:
    if os.getloadavg()[0] >= QUIET:
        return None
    commands = [one.limit(here), one.command(before), one.command(here)]
    return Times(*measure_in_turn(commands, runs))


def compare_with_run(commit: str, found: Mapping[str, Compared]) -> Iterator[str]:
    """Compare the commands with a run, by instructions."""
    if RUN not in found:
        return
    yield f"| instructions, of those of a run over {RUN} | {commit} | here | at most |"
    yield "|---|---|---|---|"
    for what, most in OF_A_RUN.items():
        if what in found:
            one, run = found[what], found[RUN]
            before = one.before.instructions / run.before.instructions
            here = one.here.instructions / run.here.instructions
            yield f"| {what} | {before:.2f} | {here:.2f} | {most or ''} |"
    yield ""


def write_inputs(folder: Path, before: Path) -> Iterator[Input]:
    """Write what is read. The older copy has rendered what commands read, as it has for users."""
    for number, package in enumerate(PACKAGES[:-1]):  # the largest would take a quarter of an hour
        given = folder / f"{number}.yaml"
        given.write_bytes(package.make())
        yield Input(package.what, [], given, most=package.of_limit)
    for number in SIZES:
        place = folder / f"alone-{number}"
        place.mkdir()
        write_configured(place, number)
        yield Input(f"N = {number}, alone", [f"{place}/krm-fn.yaml"], place / "objects.yaml")
    given, info, debug = (folder / f"{name}.yaml" for name in ("given", "info", "debug"))
    given.write_bytes(resource_list(MEDIUM))
    for file in (info, debug):
        level = b"LOG_LEVEL: " + file.stem.encode()
        text = given.read_bytes().replace(b"LOG_LEVEL: info", level)
        file.write_bytes(
            subprocess.run(
                [str(before), "render", "-"], input=text, capture_output=True, check=True
            ).stdout
        )
    for command, files in (("diff", (info, debug)), ("verify", (info,)), ("explain", (given,))):
        yield Input(command, [command, *map(str, files)], files=files)
