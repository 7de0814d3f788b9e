"""The same work for many packages, side by side in processes.

A rendering runs programs, and only the main thread of a process can hold the signals for that
(decision 24): threads would not do. No answer depends on how many processes there are. A package
that none of them answers is rendered here when they have ended, as if there had been none: it needs
more memory than its share, or something has killed the process.
"""

import gc
import os
import resource
import signal
import sys
import time
from collections import deque
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager, suppress
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from pathlib import Path
from types import FrameType
from typing import Any, TypeAlias, TypeVar, cast

from krm_fn.base.problem import count
from krm_fn.report.status_line import StatusLine
from krm_fn.tools.common.files import Limits, NeedsMore
from krm_fn.tools.common.program import TICK, held_signals

_SHARE = 10_000_000
"""Bytes that a process should have at least, more than most packages need."""

_CONTEXT = get_context("fork") if sys.platform == "linux" else get_context("spawn")
"""How a process is started.

A fork has imported everything, but libraries of macOS may not survive one.
"""

_LOOK = 1.0
"""Seconds between two looks at whether the process that has started this one is still there."""

_PATIENCE = 2.0
"""Seconds for a process to end in order, before it is killed."""

_SPARE = 24
"""File descriptors that a process needs, beside those of the pipes to the others: a program alone takes eight."""

_OF_THE_TERMINAL = (signal.SIGINT, signal.SIGHUP, signal.SIGQUIT)
"""The signals that a terminal sends to all processes at once. The one that has started the others ends them."""

_Answer = TypeVar("_Answer")
_Pipe: TypeAlias = "Connection[Any, Any]"

Work: TypeAlias = Callable[[str, str, Limits], _Answer]
"""The work on a package: with its path, its place in the repository, and the limits of its rendering."""


def default_jobs(max_bytes: int) -> int:
    """Return the number of processors that may be used, but not so many that the shares of the bytes get small."""
    # macOS does not say which ones a process may use.
    processors = (
        len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    )
    return max(1, min(processors, max_bytes // _SHARE))


def answer_all(
    packages: Mapping[str, str], work: Work[_Answer], limits: Limits, jobs: int, status: StatusLine
) -> dict[str, _Answer]:
    """Return what the work answers about each package, in their order."""
    jobs = min(jobs, len(packages))
    found = _answer_side_by_side(packages, work, limits, jobs, status) if jobs > 1 else {}
    with status.shown():
        for package, place in packages.items():
            if package not in found:
                status.show(_describe(len(found), packages, package))
                found[package] = work(package, place, limits)
    return {package: found[package] for package in packages}


def _answer_side_by_side(
    packages: Mapping[str, str], work: Work[_Answer], limits: Limits, jobs: int, status: StatusLine
) -> dict[str, _Answer]:
    """Return the answers that processes give.

    When this process is told to end, they end, and then it does.
    """
    share = limits._replace(max_bytes=limits.max_bytes // jobs, is_share=True)
    found: dict[str, _Answer] = {}
    waiting = deque(packages.items())
    busy: dict[_Pipe, str] = {}
    # The signal is raised behind all of it, once nothing is left of the processes and the line.
    with held_signals() as received, status.shown(), _started(jobs, work, share) as pipes:
        ready = pipes
        while True:
            for pipe in ready:
                # Something has killed the process, so nobody asks it again.
                with suppress(EOFError, OSError):
                    if pipe in busy:
                        package = busy.pop(pipe)
                        found.update((package, answer) for answer in pipe.recv())
                    if waiting:
                        pipe.send(waiting[0])
                        busy[pipe], _ = waiting.popleft()
            if not busy:
                return found
            longest, *_ = busy.values()
            status.show(_describe(len(found), packages, longest))
            ready = cast("list[_Pipe]", wait(busy, TICK))
            if received:
                raise KeyboardInterrupt


def _describe(done: int, packages: Collection[str], package: str) -> str:
    return f"{done} of {count(len(packages), 'package')}, {package}"


@contextmanager
def _started(jobs: int, work: Work[_Answer], limits: Limits) -> Iterator[list[_Pipe]]:
    """Start processes, and end them when the block is left.

    Fewer start if the system allows no more, of processes or of open files.
    """
    processes: list[BaseProcess] = []
    pipes: list[_Pipe] = []
    try:
        with suppress(OSError):
            while len(pipes) < jobs and _has_room(_SPARE):
                ours, theirs = _CONTEXT.Pipe()
                with theirs:
                    process = _CONTEXT.Process(target=_serve, args=(theirs, work, limits))
                    process.start()
                processes.append(process)
                pipes.append(ours)
        yield pipes
    finally:
        _end(processes)


def _has_room(number: int) -> bool:
    """Tell whether this process may open so many files more."""
    most, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    with Path(os.devnull).open("rb") as opened:  # it has the lowest number that is free
        return most == resource.RLIM_INFINITY or opened.fileno() + number <= most


def _end(processes: list[BaseProcess]) -> None:
    """End processes, in order if they can: then they end their programs.

    One that somebody has stopped hears of nothing before it goes on.
    """
    deadline = time.monotonic() + _PATIENCE
    # Asked again until it has: a process that has just started may not know the signal yet.
    while running := [one for one in processes if one.is_alive()]:
        for one in running:
            if time.monotonic() > deadline:
                one.kill()
            else:
                one.terminate()
                os.kill(cast("int", one.pid), signal.SIGCONT)
        running[0].join(TICK)


def _serve(pipe: _Pipe, work: Work[_Answer], limits: Limits) -> None:
    """Answer until the other end of the pipe is closed."""
    gc.disable()  # as in the process that has started this one
    # A program in Go, as kustomize is, takes a fifth more time of the processors where it uses
    # several.
    os.environ.setdefault("GOMAXPROCS", "1")
    for number in _OF_THE_TERMINAL:
        signal.signal(number, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    _end_with(os.getppid())
    with suppress(EOFError, ConnectionError):
        while True:
            package, place = pipe.recv()
            answers: tuple[_Answer, ...] = ()
            with suppress(NeedsMore, MemoryError):
                answers = (work(package, place, limits),)
            pipe.send(answers)


def _end_with(parent: int) -> None:
    """End this process soon after the one that has started it: what is killed can tell nobody to end."""

    def look(_number: int, _frame: FrameType | None) -> None:
        if os.getppid() != parent:
            signal.raise_signal(signal.SIGTERM)

    signal.signal(signal.SIGALRM, look)
    signal.setitimer(signal.ITIMER_REAL, _LOOK, _LOOK)
