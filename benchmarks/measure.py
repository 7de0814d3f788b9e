"""A command as a whole process: wall time from start to end, and its peak of resident memory."""

import os
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import NamedTuple


class Run(NamedTuple):
    """Seconds and MiB."""

    seconds: float
    mebibytes: float


class Figures(NamedTuple):
    """Several runs of one command."""

    runs: list[Run]

    @property
    def seconds(self) -> float:
        return median(run.seconds for run in self.runs)

    @property
    def mebibytes(self) -> float:
        return median(run.mebibytes for run in self.runs)

    @property
    def spread(self) -> str:
        return f"{min(run.seconds for run in self.runs):.2f}-{max(run.seconds for run in self.runs):.2f}"


def measure_in_turn(commands: Sequence[Sequence[str]], stdin: Path, rounds: int) -> list[Figures]:
    """A B A B ..., so that a machine that slows down slows both; one round before is not counted."""
    rows = [[measure(command, stdin) for command in commands] for _ in range(rounds + 1)]
    return [Figures(list(runs)) for runs in zip(*rows[1:], strict=True)]


def measure(command: Sequence[str], stdin: Path) -> Run:
    """Raises CalledProcessError if the command fails."""
    with stdin.open("rb") as source:
        started = time.perf_counter()
        process = subprocess.Popen(command, stdin=source, stdout=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - started
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, command)
    return Run(seconds, usage.ru_maxrss / 1024)
