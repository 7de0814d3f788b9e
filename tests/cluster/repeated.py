"""Look at a cluster again and again, in a thread of its own, as a controller does."""

import contextlib
import http.client
import threading
from collections.abc import Callable
from typing import Self

from tests.cluster.server import ApiError


class Repeated:
    """A context manager that takes a turn every `pause` seconds until it ends."""

    def __init__(self, name: str, turn: Callable[[], None], pause: float) -> None:
        self._turn = turn
        self._pause = pause
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._repeat, name=name, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stopping.set()
        self._thread.join()

    def _repeat(self) -> None:
        while not self._stopping.wait(self._pause):
            # The server may be busy; the next turn finds the same objects.
            with contextlib.suppress(ApiError, OSError, http.client.HTTPException):
                self._turn()
