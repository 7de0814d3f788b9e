"""One limit over everything a run does, and one place where it can be told to stop."""

import time
from collections.abc import Callable, Mapping
from threading import Event
from typing import NamedTuple


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


_FIRST_PAUSE, _LONGEST_PAUSE = 0.2, 10.0
_FORBIDDEN, _BUSY, _BROKEN = 403, 429, 500

_STARTUP = 10.0
"""Seconds for which a server that was away may refuse what it allows: until it has read the roles it serves."""


class Response(NamedTuple):
    """An answer of the API server. Names of headers are in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class NoAnswer(Exception):
    """The connection failed, or took too long; says how."""


def with_retries(send: Callable[[], Response], deadline: Deadline) -> Response:
    """The first answer that is about the request and not about the server; after the deadline the last one.

    Raises NoAnswer if there was none by then. At least one attempt is made, however late it is.
    """
    pause = _FIRST_PAUSE
    doubted_until = float("inf")  # in seconds that are left
    while True:
        deadline.check()
        wanted = 0.0
        try:
            response = send()
        except NoAnswer:
            if deadline.left() <= 0:
                raise
            doubted_until = deadline.left() - _STARTUP
        else:
            is_doubted = response.status == _FORBIDDEN and deadline.left() > doubted_until
            if not (response.status == _BUSY or response.status >= _BROKEN or is_doubted) or deadline.left() <= 0:
                return response
            wanted = _retry_after(response)
        deadline.sleep(max(pause, wanted))
        pause = min(pause * 2, _LONGEST_PAUSE)


def _retry_after(response: Response) -> float:
    """Seconds that the server asks to wait. A date, which the header may hold too, Kubernetes never sends."""
    said = response.headers.get("retry-after", "")
    return float(said) if said.isdecimal() else 0.0
