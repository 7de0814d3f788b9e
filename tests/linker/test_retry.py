"""Which requests are repeated, after which pauses, and until when."""

import gc
from collections.abc import Callable
from contextlib import suppress
from random import uniform
from threading import Event
from weakref import ref

import pytest

from krm_fn.linker.retry import (
    OVERTIME,
    Deadline,
    NoResponse,
    OutOfTime,
    Response,
    Stopped,
    retry,
    within,
)
from tests.wait import FOREVER

OK = Response(200, {}, b"{}")
BUSY = Response(429, {}, b"")
FORBIDDEN = Response(403, {}, b"")
REFUSED = NoResponse("connection refused")


@pytest.fixture(autouse=True)
def _without_spread(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let pauses be as short as they may be."""
    monkeypatch.setattr("krm_fn.linker.retry.uniform", lambda least, _most: least)


class Clock(Event):
    """An Event whose `wait` advances the time, and records the pauses."""

    def __init__(self) -> None:
        super().__init__()
        self.now = 0.0
        self.pauses: list[float] = []

    def wait(self, timeout: float | None = None) -> bool:
        self.pauses.append(timeout or 0.0)
        self.now += timeout or 0.0
        return self.is_set()


def server(
    clock: Clock, *answers: Response | NoResponse, seconds: float = 0.0
) -> Callable[[], Response]:
    """Return the answers in turn, the last one for ever, each after this many seconds."""
    left = list(answers)

    def send() -> Response:
        clock.now += seconds
        answer = left.pop(0) if len(left) > 1 else left[0]
        if isinstance(answer, NoResponse):
            raise answer
        return answer

    return send


def after(seconds: str) -> Response:
    return Response(429, {"retry-after": seconds}, b"")


@pytest.mark.parametrize(
    ("answers", "pauses"),
    [
        pytest.param([OK], [], id="success"),
        *(
            pytest.param([Response(status, {}, b""), OK], [], id=f"{status} is not repeated")
            for status in (403, 404, 409, 422)
        ),
        *(
            pytest.param([Response(status, {}, b""), OK], [0.2], id=f"{status} is repeated")
            for status in (429, 500, 503)
        ),
        pytest.param([REFUSED, OK], [0.2], id="no connection"),
        pytest.param([BUSY, REFUSED, BUSY, REFUSED, OK], [0.2, 0.4, 0.8, 1.6], id="pauses double"),
        pytest.param(
            [BUSY] * 9 + [OK],
            [0.2, 0.4, 0.8, 1.6, 3.2, 6.4, 10, 10, 10],
            id="pauses grow up to ten seconds",
        ),
        pytest.param([REFUSED, FORBIDDEN, OK], [0.2, 0.4], id="403 after a restart is repeated"),
        pytest.param(
            [REFUSED] + [FORBIDDEN] * 9,
            [0.2, 0.4, 0.8, 1.6, 3.2, 6.4],
            id="403 is repeated for ten seconds",
        ),
        pytest.param([BUSY, FORBIDDEN], [0.2], id="403 without a restart is not repeated"),
        pytest.param(
            [after("3"), after("3"), after("0"), OK],
            [3, 3, 0.2],
            id="Retry-After in seconds, as often as it is sent",
        ),
        pytest.param(
            [after("Mon, 01 Jun 2026 12:00:00 GMT"), OK],
            [0.2],
            id="Retry-After with a date is ignored",
        ),
    ],
)
def test_pauses_between_attempts(answers: list[Response | NoResponse], pauses: list[float]) -> None:
    clock = Clock()
    answer = retry(server(clock, *answers), Deadline(300, clock, lambda: clock.now))
    assert (answer, clock.pauses) == (answers[len(pauses)], pauses)


@pytest.mark.parametrize("answer", [BUSY, after("7")])
def test_pauses_are_spread_up_to_half_as_long_again(
    answer: Response, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("krm_fn.linker.retry.uniform", uniform)
    clock = Clock()
    deadline = Deadline(3_600, clock, lambda: clock.now)
    for _ in range(50):
        retry(server(clock, answer, OK), deadline)
    found = clock.pauses
    least = 7 if answer.headers else 0.2
    assert all(least <= pause <= 1.5 * least for pause in found)
    assert max(found) > 1.2 * least > min(found)
    assert len({*found}) == 50


@pytest.mark.parametrize(
    ("answer", "pauses"),
    [
        pytest.param(BUSY, [0.2, 0.4, 0.8, 0.6], id="the last response is returned"),
        pytest.param(after("60"), [2.0], id="no pause goes beyond it"),
    ],
)
def test_retries_end_at_the_deadline(answer: Response, pauses: list[float]) -> None:
    clock = Clock()
    assert retry(server(clock, answer), Deadline(2, clock, lambda: clock.now)) == answer
    assert clock.pauses == pytest.approx(pauses)


def test_no_response_until_the_deadline_is_an_error() -> None:
    clock = Clock()
    with pytest.raises(NoResponse, match="connection refused"):
        retry(server(clock, REFUSED, seconds=1), Deadline(2, clock, lambda: clock.now))


def test_one_attempt_is_made_after_the_deadline() -> None:
    clock = Clock()
    deadline = Deadline(2, clock, lambda: clock.now)
    clock.now = 10
    assert retry(server(clock, OK), deadline) == OK


@pytest.mark.parametrize("answer", [BUSY, REFUSED], ids=["after a response", "without a response"])
def test_stop_ends_the_pause(answer: Response | NoResponse) -> None:
    clock = Clock()

    def send() -> Response:
        clock.set()
        return server(clock, answer)()

    with pytest.raises(Stopped):
        retry(send, Deadline(300, clock, lambda: clock.now))
    assert clock.pauses == [0.2]


def test_a_wait_that_is_stopped_does_not_go_on() -> None:
    """As that between mark and deletion."""

    class Terminated(Clock):
        def wait(self, timeout: float | None = None) -> bool:
            self.set()
            return super().wait(timeout)

    clock = Terminated()
    with pytest.raises(Stopped):
        Deadline(300, clock, lambda: clock.now).sleep(10, ["the grace to be over"])


def test_no_request_is_sent_after_stop() -> None:
    clock = Clock()
    clock.set()
    with pytest.raises(Stopped):
        retry(server(clock, OK), Deadline(300, clock, lambda: clock.now))


def test_the_overtime_after_the_deadline_has_an_end() -> None:
    clock = Clock()
    deadline = Deadline(2, clock, lambda: clock.now)
    clock.now = 2 + OVERTIME
    with pytest.raises(OutOfTime):
        retry(server(clock, OK), deadline)


AWAITED = [
    pytest.param([REFUSED, OK], [], id="a pause that nobody notices"),
    pytest.param([REFUSED] * 3 + [OK], [], id="three of them"),
    pytest.param(
        [REFUSED] * 9 + [OK],
        ["waiting for https://api, which does not respond: connection refused (up to 299 s)"],
        id="a server that is down, once",
    ),
    pytest.param(
        [REFUSED] * 4 + [BUSY] * 2 + [REFUSED, OK],
        [
            "waiting for https://api, which does not respond: connection refused (up to 299 s)",
            "waiting for https://api, which answers 429 (up to 297 s)",
            "waiting for https://api, which does not respond: connection refused (up to 287 s)",
        ],
        id="again when its state changes",
    ),
    pytest.param(
        [after("5"), OK],
        ["waiting for https://api, which answers 429 (up to 300 s)"],
        id="a pause that it asks for",
    ),
    pytest.param(
        [NoResponse("a\x1b[2J\nb")] * 4 + [OK],
        [r"waiting for https://api, which does not respond: a\x1b[2J\nb (up to 299 s)"],
        id="control characters are escaped",
    ),
]


@pytest.mark.parametrize(("answers", "lines"), AWAITED)
def test_a_person_is_told_which_server_does_not_answer(
    answers: list[Response | NoResponse], lines: list[str]
) -> None:
    clock = Clock()
    said: list[str] = []
    retry(
        server(clock, *answers), Deadline(300, clock, lambda: clock.now, said.append), "https://api"
    )
    assert said == lines


SAID = [
    pytest.param([["a"]] * 3, ["a"], id="the same is said once"),
    pytest.param([["a"], ["a", "b"], ["b"]], ["a", "a; b", "b"], id="every change is said"),
    pytest.param([["a"], ["b"], ["a"]], ["a", "b", "a"], id="also a change back"),
    pytest.param(
        [[f"w{number}" for number in range(500)]] * 2,
        ["w0; w1; w2, and 497 more"],
        id="three of many are listed",
    ),
]


@pytest.mark.parametrize(("pauses", "lines"), SAID)
def test_what_a_pause_is_for_is_said_before_it(pauses: list[list[str]], lines: list[str]) -> None:
    clock = Clock()
    said: list[str] = []
    deadline = Deadline(300, clock, lambda: 0, said.append)
    for awaited in pauses:
        deadline.sleep(1, awaited)
    assert said == [f"waiting for {line} (up to 300 s)" for line in lines]


def test_nothing_is_said_at_the_deadline_and_a_shorter_wait_tells_its_own_end() -> None:
    clock = Clock()
    said: list[str] = []
    deadline = Deadline(8, clock, lambda: clock.now, said.append)
    deadline.sleep(5, ["a"], 5)
    deadline.sleep(3, ["b"], 5)
    deadline.sleep(5, ["c"], 5)
    assert said == ["waiting for a (up to 5 s)", "waiting for b (up to 3 s)"]


def test_an_error_does_not_hold_on_to_what_was_read() -> None:
    """A run looks for cycles seldom: after so many errors, it would have many megabytes of pages that are too long."""
    read: list[ref[object]] = []

    class Page:
        """A page that is too long."""

    def fail() -> None:
        page = Page()
        read.append(ref(page))
        raise NoResponse

    gc.disable()
    try:
        with suppress(NoResponse):
            within(FOREVER, fail)
        assert [one() for one in read] == [None]
    finally:
        gc.enable()
