"""Run a program of others, within limits and with nothing left running, and tell what may be shown of its messages.

kustomize, helm and git quote what they cannot read: a Secret of the package, a literal, a line of variables. What they
may quote is not known, but what they usually say is. So only that is shown.
"""

import errno
import json
import os
import re
import selectors
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from typing import IO, cast

from krm_fn.base.named_tuple import NamedTuple
from krm_fn.base.problem import Problem, Rejected, Severity
from krm_fn.facts.phrases import PHRASES
from krm_fn.tools.common.files import Allowance

_STDERR = 64 * 1024
"""Bytes of stderr that are kept. The rest is read and forgotten."""

_CHUNK = 64 * 1024

TICK = 0.1
"""Seconds until a signal is noticed."""

_SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT)
"""What ends this process. Argo CD sends SIGTERM when it has waited for too long."""

# They read what never comes, until the other end of the pipe is closed. A program that this process
# has started, and that runs on for a moment, may still write.
_KEEPERS = (
    ("/bin/sh", "-c", 'read -r never; rm -rf -- "$1" || { sleep 1; exec rm -rf -- "$1"; }', "sh"),
    (sys.executable, "-ISc", "import shutil, sys; open(0).read(); shutil.rmtree(sys.argv[1])"),
)
"""Commands that remove the folder whose name follows.

An image may have no shell, which starts in a tenth of the time.
"""

_NO_ROOM = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS}
"""Errors of writing alone."""

_CHARACTER_OF_PATH = r"[^\s'\"`:{}\[\](),;?&=@<>]"
_SLOTS = {
    # What is shown: paths and addresses without a token, names, and words of the program.
    "path": rf"(?:https?://[\w.-]+(?::\d+)?/[\w./-]*(?:\?ref=[\w./-]+)?|{_CHARACTER_OF_PATH}+)",
    "file": rf"{_CHARACTER_OF_PATH}*\.[A-Za-z][A-Za-z0-9]{{0,10}}",
    "name": r"[\w.-]+",
    "names": r"[\w.-]+(?:,? [\w.-]+)*",
    "quoted": r"'[\w.-]+'(?:, '[\w.-]+')*",
    "field": r"[\w.$/\[\]=*~-]+",
    "pointer": r"[\w./~-]*",
    "id": r"[\w.\[\]/|~-]+",
    "ids": r"[\w.\[\]/|~ -]+",
    "number": r"-?\d+",
    "word": r"[A-Za-z]+",
    "words": r"[A-Za-z]+(?:,? [A-Za-z]+)*",
    "type": r"[\w.*\[\]]+(?: \{\})?",
    "versions": r"[\w.<>=~^*|, -]+?",
    "code": r"(?:[\w.$|() :=-]+|([\s\S]{1,4000}?))(?=>: )",  # no code with texts in it
    "repeated": r"(?P<repeated>[\w./-]+)",
    "same": r"(?P=repeated)",
    "opening": r"(?:<(?=\n))?",
    "blanks": r"\s*",
    "findings": r"(?=:\n- at )",
    "grammar": r"(?:'.' indicator|',' or '[\]}]'|'?<document start>'?|key|node content|alphabetic or numeric [a-z]+)",
    # What is not shown.
    "any": r"([\s\S]{0,4000}?)",
    "text": r"([^\n]{0,4000}?)",
    "line": r"([^\n]*)",
    "rest": r"([\s\S]*)",
    # kustomize says behind it which program it has run.
    "literal": r"(?P<literal>(?:\s*+\S)*?)(?=\s*+(?:: unable to run: '|\Z))",
}

_SLOT = re.compile(r"\\\{(\w+)\\\}")
_PREFIXES = ("Error", "error", "fatal", "Error:", "error:", "fatal:")
_BETWEEN = " \t\r\n'\":;,.)`]>"
_OPENING = " \t\r\n'\":;,"
_MOST = 16_384
"""Characters that are looked at: no message is longer, but what it quotes."""


class Ended(NamedTuple):
    """The output of a program that has ended by itself: all of its stdout, and the beginning of its stderr."""

    code: int
    stdout: bytes
    stderr: bytes


class Program(NamedTuple):
    """A program, its arguments, and what messages call it.

    `about`: the file or the folder that it is run for.
    """

    called: str
    command: list[str]
    environment: Mapping[str, str]
    about: str = ""

    def problem(self, message: str) -> Problem:
        return Problem(f"{self.called} {message}", file=self.about)


def run_program(
    program: Program,
    allowance: Allowance,
    stdin: int | IO[bytes] = subprocess.DEVNULL,
    stdout: int | IO[bytes] = subprocess.PIPE,
) -> Ended:
    """Run a program until it ends, and return its whole answer. Raises Rejected if there is none.

    So nobody can read half an answer: of a program that does not start, that somebody kills, that
    uses up the time or prints too much. When this process is told to end, it raises
    KeyboardInterrupt.

    The program gets a process group of its own, no terminal, and no stdin but a file that is given.
    The whole group is killed when the program has ended, and when this process is told to end. What
    it prints into a file `stdout` is not in the answer.
    """
    with held_signals() as received, allowance.timed():
        try:
            process = subprocess.Popen(  # noqa: S603  # no shell
                program.command,
                stdin=stdin,
                stdout=stdout,
                stderr=subprocess.PIPE,
                env=program.environment,
                start_new_session=True,
            )
        except OSError as error:
            raise Rejected(program.problem(f"cannot be run: {error.strerror}")) from error
        with process:
            try:
                printed, said = _read(program, process, allowance, received)
            finally:
                _kill_group(process)
    if process.returncode < 0:
        raise Rejected(program.problem(f"was killed by {_name_of_signal(-process.returncode)}"))
    return Ended(process.returncode, printed, said)


def _name_of_signal(number: int) -> str:
    """Return the name of a signal. Those for real time have none."""
    return {int(one): one.name for one in signal.Signals}.get(number, f"signal {number}")


@contextmanager
def held_signals() -> Iterator[list[int]]:
    """Hold what would end this process until the block is left, so that the block can clean up.

    May be nested.
    """
    received: list[int] = []
    handlers = {number: signal.getsignal(number) for number in _SIGNALS}
    followed = {
        number: handler
        for number, handler in handlers.items()
        if handler not in (signal.SIG_IGN, None)
    }
    for number in followed:
        # Noted, not raised: an exception could strike before the program that was started can be
        # killed (decision 24).
        signal.signal(number, lambda number, _frame: received.append(number))
    try:
        yield received
    finally:
        for number, handler in followed.items():
            signal.signal(number, handler)
        if received:
            signal.raise_signal(received[0])


@contextmanager
def temporary_folder() -> Iterator[Path]:
    """Make a folder that is removed in the end, also if this process is killed.

    Another process removes it when the pipe between them closes. Whatever ends this process closes
    it.
    """
    with held_signals():
        try:
            # Not where `tempfile` looks: its last choice is the working directory of the user.
            around = os.environ.get("TMPDIR") or "/tmp"  # noqa: S108
            folder = Path(os.path.realpath(mkdtemp(prefix="krm-fn.", dir=around)))
        except OSError as error:
            raise Rejected(
                Problem("cannot make a temporary folder; set TMPDIR to a folder with room in it")
            ) from error
        keeper = _start_keeper(folder)
    with keeper:
        try:
            yield folder
        except OSError as error:
            if error.errno not in _NO_ROOM:
                raise
            message = f"cannot write temporary files: {error.strerror}; set TMPDIR to a folder with room in it"
            raise Rejected(Problem(message)) from error


def _start_keeper(folder: Path) -> subprocess.Popen[bytes]:
    for command in _KEEPERS:
        with suppress(OSError):
            return subprocess.Popen(  # noqa: S603  # no part of the script is anybody's
                [*command, str(folder)],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
    folder.rmdir()
    raise Rejected(Problem("cannot start a process that removes temporary files"))


def _read(
    program: Program, process: subprocess.Popen[bytes], allowance: Allowance, received: list[int]
) -> tuple[bytes, bytes]:
    """Return all of stdout, and the beginning of stderr.

    What runs on in the background is not waited for.
    """
    stdout, stderr = bytearray(), bytearray()
    deadline = time.monotonic() + allowance.seconds
    has_ended = False
    with selectors.DefaultSelector() as selector:
        if process.stdout:
            selector.register(process.stdout, selectors.EVENT_READ, (stdout, allowance.bytes + 1))
        selector.register(
            cast("IO[bytes]", process.stderr), selectors.EVENT_READ, (stderr, _STDERR)
        )
        while True:
            tick = min(TICK, deadline - time.monotonic())
            if tick <= 0:
                raise Rejected(allowance.too_slow(program.about, program.called))
            ready = _read_for(0 if has_ended else tick, selector)
            if received:
                raise KeyboardInterrupt  # not Rejected: nobody is to go on with something else in its place
            if len(stdout) > allowance.bytes:
                allowance.refuse(" ".join(filter(None, [program.called, program.about])))
            if has_ended and not ready:
                return bytes(stdout), bytes(stderr)
            if not ready:
                # With all pipes closed, only the program itself is left to wait for. And it may
                # have printed and ended between the last look at its pipes and this one, so they
                # are looked at once more.
                has_ended = _has_ended(process, 0 if selector.get_map() else tick)


def _read_for(seconds: float, selector: selectors.BaseSelector) -> int:
    """Read once from each pipe that has something, and return how many have.

    Keep as much as its owner wants.
    """
    ready = selector.select(seconds) if selector.get_map() else []
    for key, _ in ready:
        kept, most = key.data
        chunk = os.read(key.fd, _CHUNK)
        kept += chunk[: most - len(kept)]
        if not chunk:
            selector.unregister(key.fileobj)
    return len(ready)


def _has_ended(process: subprocess.Popen[bytes], seconds: float) -> bool:
    with suppress(subprocess.TimeoutExpired):
        process.wait(seconds)
    return process.returncode is not None


def _kill_group(process: subprocess.Popen[bytes]) -> None:
    # Some systems answer with EPERM where only a dead process is left.
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)


class Known(NamedTuple):
    """The known beginning of a text, with `...` for each value in it.

    `is_whole`: there is nothing else.
    """

    text: str
    is_whole: bool


def known_part(said: str, is_literal: Callable[[str], bool]) -> Known:
    """Return what is known of a message.

    `is_literal` tells whether the message of a template's `fail` is written in that template, not
    built from values.
    """
    shown, position = "", 0
    while position < min(len(said), _MOST):
        found = next(
            filter(None, (shape.match(said, position) for shape in _compile_shapes())), None
        )
        if found:
            shown += _without_values(found, is_literal)
            position = found.end()
        elif said[position] in _BETWEEN:
            shown += said[position]
            position += 1
        else:
            break
    is_whole = position == len(said)
    shown = " ".join((shown if is_whole else shown.rstrip(_OPENING)).split())
    return Known("" if shown in _PREFIXES else shown, is_whole)


def _without_values(found: re.Match[str], is_literal: Callable[[str], bool]) -> str:
    """Return the text of a match with `...` for what is in its groups, but for those with a name."""
    shown, behind = "", found.start()
    named = {
        number
        for name, number in found.re.groupindex.items()
        if name != "literal" or is_literal(found[name])
    }
    for number in range(1, found.re.groups + 1):
        if number not in named and found[number]:
            shown += found.string[behind : found.start(number)] + "..."
            behind = found.end(number)
    return shown + found.string[behind : found.end()]


@cache
def _compile_shapes() -> list[re.Pattern[str]]:
    end = rf"(?:(?<==)|(?=[{re.escape(_BETWEEN)}]|\Z))"  # a program's `err=` introduces more
    shapes = [re.escape(line.replace("\\n", "\n")) for line in PHRASES.strip().splitlines()]
    return [
        re.compile(_SLOT.sub(lambda slot: _SLOTS.get(slot[1], slot[0]), shape) + end)
        for shape in shapes
    ]


_PRIVATE = 0xE000
"""The first of the characters that mean nothing by themselves."""


_LEFT_OUT = " ... (the rest may show a value; --verbose prints it)"


_ALL_LEFT_OUT = "its message may show a value, so it is left out; run it yourself, or add --verbose"


def tell_everything(program: str, said: str, file: str = "") -> list[Problem]:
    """Return all that a program said, for those who ask for it."""
    if not said:
        return []
    lines = [
        "all that it says follows, and may show values of Secrets",
        *filter(str.strip, said.splitlines()),
    ]
    return [Problem(f"{program}: {line}", severity=Severity.WARNING, file=file) for line in lines]


def end_with_output(said: str, directory: Path) -> str:
    """Return the end of a sentence about a program: what it said, without what may be a value."""
    if not said:
        return ": no output on stderr"
    known = _known_part(said, directory)
    if not known.text:
        return f"; {_ALL_LEFT_OUT}"
    return f": {known.text}{'' if known.is_whole else _LEFT_OUT}"


def _known_part(said: str, directory: Path) -> Known:
    """Return what is known. The folders above the directory may have any names, with blanks too."""
    *above, _ = map(str, (directory.absolute(), *directory.absolute().parents))
    stand_ins = {folder: f"/{chr(_PRIVATE + number)}" for number, folder in enumerate(above)}
    for folder, stand_in in stand_ins.items():
        said = said.replace(folder, stand_in)
    known = known_part(said, lambda text: _is_in_template(text, directory))
    shown = known.text
    for folder, stand_in in stand_ins.items():
        shown = shown.replace(stand_in, folder)
    return known._replace(text=shown)


def _is_in_template(said: str, directory: Path) -> bool:
    """Tell whether a template of the chart contains a text in quotes: then it holds no values."""
    written = (json.dumps(said, ensure_ascii=False), f"`{said}`")
    for file in directory.rglob("templates/**/*"):
        if not file.is_file():
            continue
        template = file.read_text(errors="replace")
        if any(text in template for text in written):
            return True
    return False
