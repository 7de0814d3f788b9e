"""Every wait of the tests, and how long each time limit is. A failure shows the last state.

A wait is for an event of the program that must act. No test may fail because a machine is busy:
`repository/test_waits.py` refuses other waits.
"""

import http.client
import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from tests.on_linux import state_of, threads_of

State = TypeVar("State")
PAUSE = 0.05
LONGEST_PAUSE = 0.5

PATIENCE = 120
"""Seconds until what must happen has happened, on a busy machine too. Only a test that fails needs them."""

FOREVER = 1000
"""Seconds of what never ends, if nobody ends it: far more than the patience of any test."""

SHORT = 1
"""Seconds of a time limit that must be reached: what it waits for never comes, so a slow machine reaches it too."""

ROOMY = 10
"""Seconds of a time limit that one has to reach and others must not: those need a hundredth of it."""

A_MOMENT = 0.2
"""Seconds in which somebody else usually goes on. The result is the same if they do not."""

SLOWLY = 0.6
"""Seconds between two steps of a program that has to be slow. A busy machine makes it slower still."""


class WaitTimeout(AssertionError):
    """The state was not reached in time."""

    def __init__(self, what: str, within: float, seen: str) -> None:
        super().__init__(f"waited {within:g} s: {what}\nlast seen: {seen}")


def until(
    what: str,
    look: Callable[[], State],
    holds: Callable[[State], object] = bool,
    *,
    within: float = PATIENCE,
) -> State:
    """Wait until `holds` is true of a state, and return it.

    Connection errors are waited out too, and errors with a true `is_temporary`. The look that
    decides begins after the deadline: this process may have had no processor until then.
    """
    start = time.monotonic()
    while True:
        passed = time.monotonic() - start
        try:
            state = look()
            if holds(state):
                return state
            seen = show(state)
        except (OSError, http.client.HTTPException) as error:
            seen = repr(error)
        except Exception as error:
            if not getattr(error, "is_temporary", False):
                raise
            seen = str(error)
        if passed > within:
            raise WaitTimeout(what, within, seen)
        # What takes long need not be noticed at once, and several tests ask the same server.
        time.sleep(min(max(PAUSE, passed / 20), LONGEST_PAUSE))


def throughout(
    what: str,
    look: Callable[[], State],
    holds: Callable[[State], object] = bool,
    *,
    seconds: float,
) -> None:
    """Check that `holds` stays true for this long: proves that nothing happens."""
    start = time.monotonic()
    while (passed := time.monotonic() - start) < seconds:
        state = look()
        assert holds(state), (
            f"after {passed:.1f} of {seconds:g} s no longer: {what}\nlast seen: {show(state)}"
        )
        time.sleep(PAUSE)


def show(state: Any) -> str:
    """Format a state for a message. Of an object it shows metadata and status, never data."""
    if isinstance(state, list):
        return "nothing" if not state else "".join(f"\n- {show(item)}" for item in state)
    if isinstance(state, dict) and "metadata" in state:
        hidden = {"managedFields", "creationTimestamp", "annotations", "namespace", "uid"}
        metadata = {key: value for key, value in state["metadata"].items() if key not in hidden}
        shown = {"kind": state.get("kind"), "metadata": metadata, "status": state.get("status")}
        return json.dumps({key: value for key, value in shown.items() if value})
    return "nothing" if state is None else repr(state)


# Processes and files


def until_asleep(process: subprocess.Popen[Any]) -> None:
    """Wait until all threads wait for something, before the process gets a signal.

    Before that, a signal may come after Python's last look for signals, and too early to end what
    it waits in. Such a signal is noticed with the next event only.
    """

    def is_asleep() -> bool:
        assert process.poll() is None, f"{process.args!r} has ended"
        return {state_of(thread) for thread in threads_of(process.pid)} == {"S"}

    until(f"{process.args!r} waits", is_asleep)


def until_there(file: Path, process: subprocess.Popen[Any]) -> None:
    """Wait until a process, or what it has started, has made a file, and the process waits."""
    until(f"{file} is there", lambda: file.exists() or process.poll() is not None)
    assert file.exists(), f"{process.args!r} has ended without it"
    until_asleep(process)


def until_dead(*processes: int) -> None:
    """Wait for the end of processes of others. Who inherits them may not have collected them yet."""
    until("all have ended", lambda: [*filter(_runs, processes)], lambda left: not left)


def _runs(process: int) -> bool:
    try:
        return state_of(process) != "Z"
    except ProcessLookupError:
        return False


def until_empty(folder: Path) -> None:
    """Wait until another process has removed all that is in a folder."""
    until(f"{folder} is empty", lambda: [*folder.iterdir()], lambda found: not found)


# Time itself


def linger(seconds: float) -> None:
    """Do nothing, where that is what the test is about or what a server asks for. `seconds` is a name that says why."""
    time.sleep(seconds)


def grow_older() -> None:
    """Let what is there reach an age of a second: Kubernetes counts whole ones. On a busy machine it gets older."""
    time.sleep(1.1)


@contextmanager
def lasting(least: float = 0) -> Iterator[None]:
    """Check that a block takes at least so many seconds, and not nearly as long as what never ends."""
    start = time.monotonic()
    yield
    assert least <= time.monotonic() - start < FOREVER / 2


def seconds_to(act: Callable[[], object]) -> float:
    """Return how long something takes here and now, as a measure for time limits."""
    start = time.monotonic()
    act()
    return time.monotonic() - start


_CLOCK = """
import os, sys, time
limit, file = int(sys.argv.pop(1)), sys.argv.pop(1)
time.monotonic = lambda: (limit + 0.5) * os.path.exists(file)
from krm_fn.__main__ import main
main()
"""


def out_of_time_with(file: Path, limit: int = FOREVER) -> list[str]:
    """Return krm-fn with a clock that stands still until a file is there. Then a limit of seconds is just over.

    Make the file when all that the limit is for has begun, and waits.
    """
    return [sys.executable, "-P", "-c", _CLOCK, str(limit), str(file)]
