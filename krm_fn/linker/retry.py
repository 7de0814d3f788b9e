"""Ask again what a busy or absent API server did not answer."""

from collections.abc import Callable, Mapping
from typing import NamedTuple

from krm_fn.linker.deadline import Deadline

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
