"""What is asked again, when, and until when."""

from collections.abc import Callable
from threading import Event

import pytest

from krm_fn.linker.retry import Deadline, NoAnswer, Response, Stopped, with_retries

OK = Response(200, {}, b"{}")
BUSY = Response(429, {}, b"")
FORBIDDEN = Response(403, {}, b"")
REFUSED = NoAnswer("connection refused")


class Clock(Event):
    """Waiting moves it, and is remembered."""

    def __init__(self) -> None:
        super().__init__()
        self.now = 0.0
        self.pauses: list[float] = []

    def wait(self, timeout: float | None = None) -> bool:
        self.pauses.append(timeout or 0.0)
        self.now += timeout or 0.0
        return self.is_set()


def server(clock: Clock, *answers: Response | NoAnswer, seconds: float = 0.0) -> Callable[[], Response]:
    """Answers in turn, the last one for ever, each after so many seconds."""
    left = list(answers)

    def send() -> Response:
        clock.now += seconds
        answer = left.pop(0) if len(left) > 1 else left[0]
        if isinstance(answer, NoAnswer):
            raise answer
        return answer

    return send


def after(seconds: str) -> Response:
    return Response(429, {"retry-after": seconds}, b"")


@pytest.mark.parametrize(
    ("answers", "pauses"),
    [
        pytest.param([OK], [], id="an answer"),
        *(pytest.param([Response(status, {}, b""), OK], [], id=f"{status} is one") for status in (403, 404, 409, 422)),
        *(pytest.param([Response(status, {}, b""), OK], [0.2], id=f"{status} is none") for status in (429, 500, 503)),
        pytest.param([REFUSED, OK], [0.2], id="no connection"),
        pytest.param([BUSY, REFUSED, BUSY, REFUSED, OK], [0.2, 0.4, 0.8, 1.6], id="pauses double"),
        pytest.param([BUSY] * 9 + [OK], [0.2, 0.4, 0.8, 1.6, 3.2, 6.4, 10, 10, 10], id="up to ten seconds"),
        pytest.param([REFUSED, FORBIDDEN, OK], [0.2, 0.4], id="403 of a server that was away, and has no roles yet"),
        pytest.param([REFUSED] + [FORBIDDEN] * 9, [0.2, 0.4, 0.8, 1.6, 3.2, 6.4], id="403 for more than ten seconds"),
        pytest.param([BUSY, FORBIDDEN], [0.2], id="403 of a server that was there"),
        pytest.param([after("3"), after("0"), OK], [3, 0.4], id="longer where the server says so"),
        pytest.param([after("Mon, 01 Jun 2026 12:00:00 GMT"), OK], [0.2], id="not where it gives a date"),
    ],
)
def test_pauses(answers: list[Response | NoAnswer], pauses: list[float]) -> None:
    clock = Clock()
    answer = with_retries(server(clock, *answers), Deadline(300, clock, lambda: clock.now))
    assert (answer, clock.pauses) == (answers[len(pauses)], pauses)


@pytest.mark.parametrize(
    ("answer", "pauses"),
    [
        pytest.param(BUSY, [0.2, 0.4, 0.8, 0.6], id="the last answer after the deadline"),
        pytest.param(after("60"), [2.0], id="no pause beyond it, whatever the server wants"),
    ],
)
def test_the_deadline(answer: Response, pauses: list[float]) -> None:
    clock = Clock()
    assert with_retries(server(clock, answer), Deadline(2, clock, lambda: clock.now)) == answer
    assert clock.pauses == pytest.approx(pauses)


def test_no_answer_until_the_deadline() -> None:
    clock = Clock()
    with pytest.raises(NoAnswer, match="connection refused"):
        with_retries(server(clock, REFUSED, seconds=1), Deadline(2, clock, lambda: clock.now))


def test_one_attempt_is_made_however_late_it_is() -> None:
    clock = Clock()
    deadline = Deadline(2, clock, lambda: clock.now)
    clock.now = 10
    assert with_retries(server(clock, OK), deadline) == OK


@pytest.mark.parametrize("answer", [BUSY, REFUSED], ids=["while it waits", "while nobody answers"])
def test_told_to_stop(answer: Response | NoAnswer) -> None:
    clock = Clock()

    def send() -> Response:
        clock.set()
        return server(clock, answer)()

    with pytest.raises(Stopped):
        with_retries(send, Deadline(300, clock, lambda: clock.now))
    assert clock.pauses == [0.2]


def test_told_to_stop_before_it_begins() -> None:
    clock = Clock()
    clock.set()
    with pytest.raises(Stopped):
        with_retries(server(clock, OK), Deadline(300, clock, lambda: clock.now))
