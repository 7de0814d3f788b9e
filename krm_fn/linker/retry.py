"""Repeat requests until one is processed, the deadline is over, or the run is told to stop."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from random import uniform
from threading import Event, Thread
from typing import Any, TypeVar

from krm_fn.base.named_tuple import NamedTuple
from krm_fn.base.problem import listing, printable

_FORBIDDEN, _TOO_MANY_REQUESTS, _SERVER_ERROR = 403, 429, 500

_STARTUP = 10.0
"""Seconds in which a restarted API server may answer 403 to permitted requests: it has not read its roles yet."""

OVERTIME = 30.0
"""Seconds after the deadline in which a run may still do what needs no waiting."""

_SPREAD = 1.5
"""A pause lasts at least what it has to, and at most this many times as long."""

STEP = 0.5
"""Seconds of a wait without a look at signals: Python may notice one that comes right before a wait only after it."""

_NOTICED = 1.0
"""Seconds from which on people notice a pause."""

_LISTED = 3
"""How many of the things that it waits for a line lists."""


_T = TypeVar("_T")


class Stopped(Exception):
    """The process was asked to terminate."""


class OutOfTime(Exception):
    """The deadline and the overtime are over."""


class Deadline:
    """The end of a run: of its retries and of everything else it waits for.

    `seconds` is the time that is left now; `stop` is set to end the run after the current request;
    `clock` returns seconds; `say` is called with a line that says what the run waits for;
    `overtime`: seconds after that end.
    """

    def __init__(
        self,
        seconds: float,
        stop: Event,
        clock: Callable[[], float] = time.monotonic,
        say: Callable[[str], None] = lambda _: None,
        overtime: float = OVERTIME,
    ) -> None:
        self._clock = clock
        self._overtime = overtime
        self.limit = seconds
        self._end = clock() + seconds
        self._stop = stop
        self._say = say
        self._said = ""

    def left(self) -> float:
        """Return the seconds that are left; negative after the deadline."""
        return self._end - self._clock()

    def check(self) -> None:
        """Raise Stopped if the run has been told to stop, OutOfTime if the overtime is over."""
        if self._stop.is_set():
            raise Stopped
        if self.left() <= -self._overtime:
            raise OutOfTime

    def sleep(self, seconds: float, awaited: Sequence[str], most: float | None = None) -> None:
        """Wait, but not beyond the deadline.

        Raises Stopped as soon as the run is told to stop, and OutOfTime.

        Says first what is awaited, unless that was the last thing it said. `most`: the seconds
        until the caller waits no longer, if these are fewer than until the deadline.
        """
        pause = max(0.0, min(seconds, self.left()))
        what = listing(awaited, _LISTED, "; ", ",")
        if pause >= _NOTICED and what != self._said:
            self._said = what
            left = self.left() if most is None else min(most, self.left())
            self._say(f"waiting for {printable(what)} (up to {left:.0f} s)")
        self._stop.wait(pause)
        self.check()


class Response(NamedTuple):
    """A response of the API server: its JSON, and the bytes of that.

    Names of headers are in lower case.
    """

    status: int
    headers: Mapping[str, str]
    content: Any = None
    size: int = 0


class NoResponse(Exception):
    """The connection failed or timed out; the message says how."""


def within(seconds: float, act: Callable[[], _T], late: str = "") -> _T:
    """Return what a function returns, or raise NoResponse if that takes longer, which says `late` if that is given.

    Timeouts of a socket are not enough: each byte of a slow response starts them again.
    """
    outcome: list[_T | BaseException] = []

    def run() -> None:
        try:
            outcome.append(act())
        except Exception as error:  # noqa: BLE001  # raised again below
            outcome.append(error)

    thread = Thread(target=run, daemon=True)
    thread.start()
    end = time.monotonic() + seconds
    while thread.is_alive() and (left := end - time.monotonic()) > 0:
        thread.join(min(left, STEP))
    if not outcome:
        raise NoResponse(late or f"incomplete after {seconds:.0f} s")
    result = outcome.pop()
    if isinstance(result, BaseException):
        try:
            raise result
        finally:
            del result  # a cycle: it holds this frame, and those with what was read
    return result


def pauses(first: float = 0.2, longest: float = 10.0, factor: float = 2.0) -> Iterator[float]:
    """Yield the seconds to wait before each new attempt, without end."""
    pause = first
    while True:
        yield pause
        pause = min(pause * factor, longest)


def retry(
    send: Callable[[], Response], deadline: Deadline, server: str = "the API server"
) -> Response:
    """Send until the response is about the request and not about the state of the server.

    After the deadline, returns the last response, or raises NoResponse if the last attempt had
    none. Makes at least one attempt, even after the deadline. Raises Stopped and OutOfTime.
    """
    back_off = pauses()
    startup_ends = float("inf")  # as seconds left
    while True:
        deadline.check()
        requested_pause = 0.0
        try:
            response = send()
        except NoResponse as error:
            if deadline.left() <= 0:
                raise
            # It may be about to start: see _STARTUP.
            startup_ends = deadline.left() - _STARTUP
            state = f"does not respond: {error}"
        else:
            is_startup_refusal = response.status == _FORBIDDEN and deadline.left() > startup_ends
            is_overloaded = (
                response.status == _TOO_MANY_REQUESTS or response.status >= _SERVER_ERROR
            )
            if not (is_overloaded or is_startup_refusal) or deadline.left() <= 0:
                return response
            # The header may also hold a date, which Kubernetes never sends.
            header = response.headers.get("retry-after", "")
            requested_pause = float(header) if header.isdecimal() else 0.0
            state = f"answers {response.status}"
        pause = requested_pause or next(back_off)
        # Those that a server has refused at one moment must not come back at one moment.
        spread = uniform(1, _SPREAD)  # noqa: S311  # nobody gains by guessing it
        deadline.sleep(pause * spread, [f"{server}, which {state}"])
