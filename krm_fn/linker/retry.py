"""Repeat requests until the API server has processed one, the deadline is over, or the run is told to stop."""

import time
from collections.abc import Callable, Iterator, Mapping
from threading import Event
from typing import Any, NamedTuple

_FORBIDDEN, _TOO_MANY_REQUESTS, _SERVER_ERROR = 403, 429, 500

_STARTUP = 10.0
"""Seconds in which a restarted API server may answer 403 to permitted requests: it has not read its roles yet."""


OVERTIME = 30.0
"""Seconds after the deadline in which a run may still do what needs no waiting."""


class Stopped(Exception):
    """The process was asked to terminate."""


class OutOfTime(Exception):
    """The deadline and the overtime are over."""


class Deadline:
    """The end of a run: of its retries and of everything else it waits for.

    `seconds` is the time that is left now; `stop` is set to end the run after the current request; `clock` returns
    seconds.
    """

    def __init__(self, seconds: float, stop: Event, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._end = clock() + seconds
        self._stop = stop

    def left(self) -> float:
        """Return the seconds that are left; negative after the deadline."""
        return self._end - self._clock()

    def check(self) -> None:
        """Raise Stopped if the run has been told to stop, OutOfTime if the overtime is over."""
        if self._stop.is_set():
            raise Stopped
        if self.left() <= -OVERTIME:
            raise OutOfTime

    def sleep(self, seconds: float) -> None:
        """Wait, but not beyond the deadline. Raises Stopped as soon as the run is told to stop, and OutOfTime."""
        self._stop.wait(max(0.0, min(seconds, self.left())))
        self.check()


class Response(NamedTuple):
    """A response of the API server: its JSON, and the bytes of that. Names of headers are in lower case."""

    status: int
    headers: Mapping[str, str]
    content: Any = None
    size: int = 0


class NoResponse(Exception):
    """The connection failed or timed out; the message says how."""


def pauses(first: float = 0.2, longest: float = 10.0, factor: float = 2.0) -> Iterator[float]:
    """Yield the seconds to wait before each new attempt, without end."""
    pause = first
    while True:
        yield pause
        pause = min(pause * factor, longest)


def retry(send: Callable[[], Response], deadline: Deadline) -> Response:
    """Send until the response is about the request and not about the state of the server.

    After the deadline, returns the last response, or raises NoResponse if the last attempt had none. Makes at least
    one attempt, even after the deadline. Raises Stopped and OutOfTime.
    """
    back_off = pauses()
    startup_ends = float("inf")  # as seconds left
    while True:
        deadline.check()
        requested_pause = 0.0
        try:
            response = send()
        except NoResponse:
            if deadline.left() <= 0:
                raise
            startup_ends = deadline.left() - _STARTUP
        else:
            is_startup_refusal = response.status == _FORBIDDEN and deadline.left() > startup_ends
            is_overloaded = response.status == _TOO_MANY_REQUESTS or response.status >= _SERVER_ERROR
            if not (is_overloaded or is_startup_refusal) or deadline.left() <= 0:
                return response
            requested_pause = _retry_after(response)
        deadline.sleep(max(next(back_off), requested_pause))


def _retry_after(response: Response) -> float:
    """Return the seconds of the Retry-After header. The header may also hold a date, which Kubernetes never sends."""
    header = response.headers.get("retry-after", "")
    return float(header) if header.isdecimal() else 0.0
