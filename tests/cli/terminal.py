"""Run a program whose stdin is a real terminal, and type into it."""

import os
import pty
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from tests.wait import PATIENCE

CTRL_C, CTRL_D = b"\x03", b"\x04"

_TAKE = """
import fcntl, os, sys, termios
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
os.execvp(sys.argv[1], sys.argv[1:])
"""
"""Gives the new session the terminal on stdin, and becomes the program."""


class Done(NamedTuple):
    """How a program has ended, and what it has printed since it was last read from."""

    stdout: str
    stderr: str
    exit_code: int


class AtTerminal:
    """A program that runs. Its stdout and stderr are pipes, so that a test can tell them apart."""

    def __init__(self, process: subprocess.Popen[str], keyboard: int) -> None:
        self.process = process
        self._keyboard = keyboard

    def type(self, keys: bytes) -> None:
        os.write(self._keyboard, keys)

    def read_error_line(self) -> str:
        """Wait for the next line on stderr."""
        assert self.process.stderr
        return self.process.stderr.readline()

    def finish(self) -> Done:
        """Wait for the end."""
        stdout, stderr = self.process.communicate(timeout=PATIENCE)
        return Done(stdout, stderr, self.process.returncode)


@contextmanager
def at_terminal(
    command: Sequence[str], cwd: Path, environment: Mapping[str, str] | None = None
) -> Iterator[AtTerminal]:
    """Start a program in a session of its own.

    Ctrl-C reaches it as from a keyboard, and only it.
    """
    keyboard, terminal = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-c", _TAKE, *command],
        cwd=cwd,
        env={**os.environ, **(environment or {})},
        stdin=terminal,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
        text=True,
    )
    os.close(terminal)
    try:
        with process:
            try:
                yield AtTerminal(process, keyboard)
            finally:
                process.kill()  # does nothing if it has ended
    finally:
        os.close(keyboard)
