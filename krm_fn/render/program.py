"""Run a program of others: with limits on its output and its time, and with nothing left running after it."""

import os
import selectors
import signal
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import IO, NamedTuple, cast

from krm_fn.render.files import Allowance

_STDERR = 64 * 1024
"""Bytes of stderr that are kept. The rest is read and forgotten."""

_CHUNK = 64 * 1024

_TICK = 0.1
"""Seconds until a signal is noticed."""

_SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT)
"""What ends this process. Argo CD sends SIGTERM when it has waited for too long."""


class Ended(NamedTuple):
    """What a program printed, and its exit code; negative for a signal. `too_slow`: it was killed for its time."""

    code: int
    stdout: bytes
    stderr: bytes
    too_slow: bool


def run_program(
    command: list[str],
    environment: Mapping[str, str],
    allowance: Allowance,
    stdin: int | IO[bytes] = subprocess.DEVNULL,
    stdout: int | IO[bytes] = subprocess.PIPE,
) -> Ended:
    """Run a program until it ends, or until it has used up its time or printed too much.

    It gets a process group of its own, no terminal, and no stdin but a file that is given. The whole group is killed
    when the program has ended, and when this process is told to end. What it prints into a file `stdout` is not in the
    answer.
    """
    with held_signals() as received, allowance.timed():
        process = subprocess.Popen(  # noqa: S603  # no shell
            command,
            stdin=stdin,
            stdout=stdout,
            stderr=subprocess.PIPE,
            env=environment,
            start_new_session=True,
        )
        with process:
            try:
                ended = _read(process, allowance, received)
            finally:
                _kill_group(process)
    return ended


@contextmanager
def held_signals() -> Iterator[list[int]]:
    """Hold what would end this process until the block is left, so that the block can clean up. May be nested."""
    received: list[int] = []
    handlers = {number: signal.getsignal(number) for number in _SIGNALS}
    followed = {number: handler for number, handler in handlers.items() if handler not in (signal.SIG_IGN, None)}
    for number in followed:
        signal.signal(number, lambda number, _frame: received.append(number))
    try:
        yield received
    finally:
        for number, handler in followed.items():
            signal.signal(number, handler)
        if received:
            signal.raise_signal(received[0])


def _read(process: subprocess.Popen[bytes], allowance: Allowance, received: list[int]) -> Ended:
    """Read until the program has ended. What runs on in the background is not waited for."""
    stdout, stderr = bytearray(), bytearray()
    deadline = time.monotonic() + allowance.seconds
    is_over = False
    with selectors.DefaultSelector() as selector:
        if process.stdout:
            selector.register(process.stdout, selectors.EVENT_READ, (stdout, allowance.bytes + 1))
        selector.register(cast("IO[bytes]", process.stderr), selectors.EVENT_READ, (stderr, _STDERR))
        while not is_over and not received and len(stdout) <= allowance.bytes:
            tick = min(_TICK, deadline - time.monotonic())
            if tick <= 0:
                return Ended(0, b"", bytes(stderr), too_slow=True)
            is_over = _read_for(tick, selector) == 0 and _has_ended(process, 0 if selector.get_map() else tick)
    return Ended(process.returncode or 0, bytes(stdout), bytes(stderr), too_slow=False)


def _read_for(seconds: float, selector: selectors.BaseSelector) -> int:
    """Read once from each pipe that has something, and return how many have. Keep as much as its owner wants."""
    ready = selector.select(seconds) if selector.get_map() else []
    for key, _ in ready:
        kept, most = key.data
        chunk = os.read(key.fd, _CHUNK)
        kept += chunk[: most - len(kept)]
        if not chunk:
            selector.unregister(key.fileobj)
    return len(ready)


def _has_ended(process: subprocess.Popen[bytes], seconds: float) -> bool:
    with suppress(subprocess.TimeoutExpired):
        process.wait(seconds)
    return process.returncode is not None


def _kill_group(process: subprocess.Popen[bytes]) -> None:
    # Some systems answer with EPERM where only a dead process is left.
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
