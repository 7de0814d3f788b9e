"""How much a rendering may read, and how long the programs that it runs may take."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from krm_fn.model.problem import Problem, Rejected


class Limits(NamedTuple):
    """The limits of a rendering, whatever the trees contain that it reads.

    `root`: nothing outside of it is read. Without one, a link must lead to the directory of its PATH. `no_remote`:
    nothing is fetched. `is_verbose`: all that the programs say is shown, values too.
    """

    root: Path | None = None
    max_bytes: int = 100_000_000
    timeout: float = 300
    no_remote: bool = False
    is_verbose: bool = False


DEFAULT_LIMITS = Limits()


class Allowance:
    """The limits, and what is left of the bytes and seconds. One for all that a rendering reads and runs."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.bytes = limits.max_bytes
        self.seconds = limits.timeout

    def take(self, size: int, name: str) -> None:
        """Subtract what was read. Raises Rejected if it was too much."""
        self.bytes -= size
        if self.bytes < 0:
            raise Rejected(self.too_large(name))

    @contextmanager
    def timed(self) -> Iterator[None]:
        """Subtract the time that the block takes."""
        start = time.monotonic()
        try:
            yield
        finally:
            self.seconds -= time.monotonic() - start

    def too_large(self, name: str) -> Problem:
        message = f"more than {self.limits.max_bytes} bytes are to be read; --max-bytes sets the limit"
        return Problem(message, file=name)

    def too_slow(self, name: str, program: str) -> Problem:
        limit = f"{self.limits.timeout:g} s"
        message = f"{program} was stopped: kustomize and helm may take {limit} in all; --timeout sets the limit"
        return Problem(message, file=name)
