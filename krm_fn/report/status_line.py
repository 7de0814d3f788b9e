"""A line that counts what is done, for somebody who waits at a terminal."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic

from krm_fn.base.problem import printable
from krm_fn.report.table import columns, cut

_PATIENCE = 1.0
"""Seconds that nobody needs to be told about."""


class StatusLine:
    """Rewrites its line in place.

    `width`: the columns of the terminal; without any, it writes nothing.
    """

    def __init__(
        self,
        write: Callable[[str], None] = lambda _text: None,
        width: int = 0,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self._write = write
        self._room = width - 1  # in the last column, a terminal may go on to the next line
        self._clock = clock
        self._start = clock()
        self._shown = ""

    def show(self, line: str) -> None:
        if self._room > 0 and self._clock() - self._start >= _PATIENCE:
            self._rewrite(cut(printable(line), self._room))

    @contextmanager
    def shown(self) -> Iterator[None]:
        """Remove the line when the block is left."""
        try:
            yield
        finally:
            self._rewrite("")

    def _rewrite(self, line: str) -> None:
        """Write over the line before.

        Every terminal knows blanks, and not every one how to clear a line.
        """
        if line == self._shown:
            return
        rest = " " * max(0, columns(self._shown) - columns(line))
        self._write(f"\r{line}{rest}" if line else f"\r{rest}\r")
        self._shown = line
