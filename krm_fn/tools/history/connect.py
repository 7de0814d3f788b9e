"""Connect to an API server for a person who waits, and say what to do if there is no answer."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event

from krm_fn.linker.api import Api, ApiError, Forbidden, Unreachable
from krm_fn.linker.credentials import Access
from krm_fn.linker.retry import Deadline, OutOfTime
from krm_fn.tools.history.revision_history import NoAnswer

_PATIENCE = 10.0
"""Seconds in which requests without an answer are repeated: a person waits."""

TIMEOUT = 40
"""Seconds for all requests together. An API server that answers may be slow."""


def connect(access: Access, say: Callable[[str], None], timeout: float = TIMEOUT) -> Api:
    """Load the credentials. `say` is called with what the connection waits for. Raises NoAnswer if there are none."""
    try:
        return Api(Deadline(timeout, Event(), say=say), access)
    except ApiError as error:
        raise NoAnswer(str(error)) from error


def patience(say: Callable[[str], None], timeout: float = TIMEOUT) -> Deadline:
    """Return how long one question may take, in seconds. The overtime is for a last try, which says why it fails."""
    seconds = min(_PATIENCE, timeout / 2)
    return Deadline(seconds, Event(), say=say, overtime=timeout - seconds)


@contextmanager
def explained(where: str) -> Iterator[None]:
    """Say what to do about what an API server does not answer, `in namespace shop`. Raises NoAnswer."""
    try:
        yield
    except Unreachable as error:
        message = f"{error}; are --context and --kubeconfig right?"
        raise NoAnswer(message) from error
    except Forbidden as error:
        message = f"you may not list ConfigMaps {where}: you need the rule {error.rule}"
        raise NoAnswer(message) from error
    except ApiError as error:
        raise NoAnswer(str(error)) from error
    except OutOfTime as error:
        message = f"{where.removeprefix('in ')}: the API server is too slow"
        raise NoAnswer(message) from error
