"""What only Linux has. A test that depends on it says so with a mark from here."""

import subprocess
from pathlib import Path

import pytest

_WHY = "needs Linux"
needs_full_device = pytest.mark.skipif(not Path("/dev/full").exists(), reason=_WHY)
"""`/dev/full` takes no byte: it is a full disk."""

needs_proc = pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason=_WHY)
"""`/proc` shows the environment of other processes."""


def state_of(pid: int) -> str:
    """Return the letter of a process's state: `S` where it waits for something, `Z` where it is dead.

    Raises ProcessLookupError if there is no such process.
    """
    file = Path(f"/proc/{pid}/stat")
    if file.parent.parent.joinpath("self").exists():
        try:
            return file.read_text().rpartition(")")[2].split()[0]
        except FileNotFoundError as error:
            raise ProcessLookupError(pid) from error
    done = subprocess.run(
        ["ps", "-o", "state=", "-p", str(pid)], capture_output=True, text=True, check=False
    )
    if not done.stdout.strip():
        raise ProcessLookupError(pid)
    return done.stdout.strip()[0]


def threads_of(pid: int) -> list[int]:
    """Return the threads of a process, or the process where only Linux would tell."""
    return [int(one.name) for one in Path(f"/proc/{pid}/task").glob("*")] or [pid]
