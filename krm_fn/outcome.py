"""How a run ends."""

from typing import NamedTuple


class Outcome(NamedTuple):
    """What the process is to print, and its exit code."""

    stdout: bytes
    stderr: str
    exit_code: int
