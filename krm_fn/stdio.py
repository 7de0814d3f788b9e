"""The standard streams of the process.

No other module reads stdin, or writes to stdout or stderr.
"""

import errno
import os
import stat
import sys
from contextlib import suppress
from typing import NoReturn, TextIO

_NO_TERMINAL = os.terminal_size((0, 0))

_COLUMNS = 80
"""Of a terminal that does not say how many it has."""


class StreamError(Exception):
    """A stream cannot be used. The message says which, and why."""


class ClosedPipe(StreamError):
    """Who reads stdout has ended, or wants no more."""


def read_stdin(awaited: str, limit: int = -1) -> bytes:
    """Read stdin to its end, or up to this number of bytes.

    At a terminal, say first what is awaited, as nothing else shows that the program waits.
    """
    try:
        descriptor = _descriptor(sys.__stdin__)
        if os.isatty(descriptor):
            write_stderr(
                f"waiting for {awaited} on stdin: add `< FILE`, or type it and press Ctrl-D at the end\n"
                "for help: krm-fn --help\n"
            )
        with os.fdopen(descriptor, "rb", closefd=False) as stdin:
            return stdin.read(limit)
    except OSError as error:
        message = f"cannot read stdin: {error.strerror}"
        raise StreamError(message) from error


def can_hold_input() -> bool:
    """Tell whether stdin can hold input that a program passes: it is neither a terminal nor /dev/null."""
    try:
        return not stat.S_ISCHR(os.fstat(_descriptor(sys.__stdin__)).st_mode)
    except OSError:
        return False


def has_input() -> bool:
    """Tell whether stdin holds bytes now. A pipe may stay open for ever, so nothing is waited for."""
    import fcntl  # noqa: PLC0415  # only a command that has failed asks
    import termios  # noqa: PLC0415  # the same

    try:
        return any(fcntl.ioctl(_descriptor(sys.__stdin__), termios.FIONREAD, bytes(4)))
    except OSError:  # as of /dev/null
        return False


def terminal_size() -> os.terminal_size:
    """Return the columns and lines of the terminal that stdout is; both are 0 if it is none."""
    return _size_of(sys.__stdout__)


def stderr_columns() -> int:
    """Return the columns of the terminal that stderr is; 0 if it is none."""
    return _size_of(sys.__stderr__).columns


def _size_of(stream: TextIO | None) -> os.terminal_size:
    try:
        descriptor = _descriptor(stream)
        if not os.isatty(descriptor):
            return _NO_TERMINAL
        columns, lines = os.get_terminal_size(descriptor)
    except OSError:
        return _NO_TERMINAL
    # Some have none, such as those of containers.
    return os.terminal_size((columns or _COLUMNS, lines))


def write_stdout(data: bytes) -> None:
    """Write everything or fail: a deployer would delete the objects that are missing in half an answer."""
    try:
        descriptor = _descriptor(sys.__stdout__)
        _write_all(descriptor, data)
        # Some file systems report a failed write only on close. The interpreter still needs the
        # descriptor itself.
        os.close(os.dup(descriptor))
    except OSError as error:
        message = f"cannot write the output: {error.strerror}"
        failed = ClosedPipe if isinstance(error, BrokenPipeError) else StreamError
        raise failed(message) from error


def write_stderr(text: str) -> None:
    """Write at once. If nobody can read it, the exit code has to be enough."""
    stderr = sys.__stderr__
    if stderr is not None:
        with suppress(OSError):
            descriptor = stderr.fileno()
            if os.isatty(descriptor):
                text = _painted(text)
            _write_all(descriptor, text.encode(stderr.encoding, "backslashreplace"))


def _painted(text: str) -> str:
    from krm_fn.report.colour import has_colour, paint_labels  # noqa: PLC0415  # most runs have no terminal
    from krm_fn.report.table import fold_lines  # noqa: PLC0415  # the same

    folded = fold_lines(text, stderr_columns(), os.environ)
    return paint_labels(folded) if has_colour(os.environ, is_terminal=True) else folded


def end_process(exit_code: int) -> NoReturn:
    """End the process at once. The interpreter would first free all memory, object by object.

    Nothing is left to do at the end: all output has been written, and no file, thread or child
    waits for it. What a library may have printed is written first; if that fails, the interpreter
    ends as usual and says so.
    """
    try:
        for stream in filter(None, (sys.stdout, sys.stderr)):
            stream.flush()
    except (OSError, ValueError):
        sys.exit(exit_code)
    os._exit(exit_code)


def _descriptor(stream: TextIO | None) -> int:
    if stream is None:  # closed before the process was started
        raise OSError(errno.EBADF, os.strerror(errno.EBADF))
    return stream.fileno()


def _write_all(descriptor: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]
