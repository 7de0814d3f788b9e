"""A command as a whole process: wall time from start to end, its peak of resident memory, its instructions."""

import os
import platform
import re
import resource
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from operator import attrgetter
from pathlib import Path
from statistics import median
from typing import NamedTuple


class Run(NamedTuple):
    """Seconds, MiB, and the MiB below which Linux tells nothing: a child starts with its parent's peak as its own.

    `processor`: the seconds without those in which other processes ran. `page_faults`: how often the kernel gave it a
    page of memory.
    """

    seconds: float
    mebibytes: float
    floor: float
    processor: float
    page_faults: int


class Figures(NamedTuple):
    """Several runs of one command."""

    runs: list[Run]

    @property
    def seconds(self) -> float:
        return median(run.seconds for run in self.runs)

    @property
    def processor(self) -> float:
        return median(run.processor for run in self.runs)

    @property
    def page_faults(self) -> int:
        return round(median(run.page_faults for run in self.runs))

    @property
    def mebibytes(self) -> float:
        return median(run.mebibytes for run in self.runs)

    @property
    def time(self) -> str:
        low, high = min(run.seconds for run in self.runs), max(run.seconds for run in self.runs)
        return f"{self.seconds:.3g} s ({low:.3g}-{high:.3g})"

    @property
    def memory(self) -> str:
        if self.has_hidden_memory:
            return f"under {self.mebibytes:.0f} MiB"
        low, high = min(run.mebibytes for run in self.runs), max(run.mebibytes for run in self.runs)
        return f"{self.mebibytes:.0f} MiB ({low:.0f}-{high:.0f})"

    @property
    def has_hidden_memory(self) -> bool:
        """Tell whether the real figure lies below what can be told."""
        return any(run.mebibytes <= run.floor for run in self.runs)


_WALL_TIME: Callable[[Run], float] = attrgetter("seconds")
PROCESSOR_TIME: Callable[[Run], float] = attrgetter("processor")


def ratio(one: Figures, other: Figures, time_of: Callable[[Run], float] = _WALL_TIME) -> float:
    """Return the median of the ratios of times, pair by pair: what slows down both leaves them as they are."""
    pairs = zip(map(time_of, one.runs), map(time_of, other.runs), strict=True)
    return median(mine / theirs for mine, theirs in pairs)


class Command(NamedTuple):
    """A program with its arguments, and the file that it reads."""

    words: Sequence[str]
    stdin: Path = Path(os.devnull)


@contextmanager
def on_one_processor() -> Iterator[None]:
    """Keep what is started inside on one processor, as a container of a repo-server often has no more."""
    allowed = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {max(allowed)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, allowed)


def describe_machine() -> str:
    """Return what a figure depends on beside the programs: processors, their load, and the size of pages."""
    processor = re.search(r"^model name\s*: (.+)$", Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    model = processor[1] if processor else "unknown"
    pages = re.search(r"\[(\w+)\]", Path("/sys/kernel/mm/transparent_hugepage/enabled").read_text())
    huge = pages[1] if pages else "unknown"
    number, load = len(os.sched_getaffinity(0)), os.getloadavg()[0]
    return f"{number} processors ({model}), load {load:.1f}, huge pages {huge}, Python {platform.python_version()}"


def measure_in_turn(commands: Sequence[Command], rounds: int) -> list[Figures]:
    """Measure A B A B ..., so that a slower machine slows down both.

    A first round is not counted.
    """
    rows = [[measure(command) for command in commands] for _ in range(rounds + 1)]
    return [Figures(list(runs)) for runs in zip(*rows[1:], strict=True)]


def measure(command: Command) -> Run:
    """Run a command once. Raises CalledProcessError if it fails."""
    with command.stdin.open("rb") as source:
        started = time.perf_counter()
        process = subprocess.Popen(
            command.words, stdin=source, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - started
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, command.words)
    floor = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return Run(
        seconds,
        usage.ru_maxrss / 1024,
        floor / 1024,
        usage.ru_utime + usage.ru_stime,
        usage.ru_minflt,
    )


class Counted(NamedTuple):
    instructions: int
    stdout: bytes


_COUNTED_IN = {"LC_ALL": "C.UTF-8", "PATH": os.defpath, "PYTHONHASHSEED": "0"}
"""The whole environment of a command whose instructions are counted: Python reads each variable when it starts."""

_COLLECTED = re.compile(rb"^==\d+== Collected : (\d+)$", re.MULTILINE)


def count(command: Command, *options: str) -> Counted:
    """Run a command once, and count its instructions: 50 times slower, and nothing else on the machine matters.

    `options`: of callgrind, which counts the process alone, without those that it starts. Raises
    CalledProcessError if it fails.
    """
    words = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", *options]
    with command.stdin.open("rb") as source:
        done = subprocess.run(
            [*words, *command.words], stdin=source, capture_output=True, env=_COUNTED_IN, check=True
        )
    found = _COLLECTED.search(done.stderr)
    assert found, done.stderr.decode()
    return Counted(int(found[1]), done.stdout)


def require_valgrind() -> None:
    if shutil.which("valgrind") is None:
        sys.exit("counts instructions with valgrind, which is not here: apt-get install valgrind")
