"""One limit over everything a run does, and one place where it can be told to stop."""

import time
from collections.abc import Callable
from threading import Event


class Stopped(Exception):
    """Somebody asked the process to end."""


class Deadline:
    """Seconds that are left. `clock` counts seconds; `stop` is set to end the run after the call in hand."""

    def __init__(self, seconds: float, stop: Event, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._end = clock() + seconds
        self._stop = stop

    def left(self) -> float:
        return self._end - self._clock()

    def check(self) -> None:
        """Raises Stopped once the run has been told to stop."""
        if self._stop.is_set():
            raise Stopped

    def sleep(self, seconds: float) -> None:
        """Wait, though not beyond the end. Raises Stopped when told to."""
        self._stop.wait(max(0.0, min(seconds, self.left())))
        self.check()
