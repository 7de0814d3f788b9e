"""krm-fn as a process."""

import functools
import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryFile
from threading import Lock

KRM_FN = [sys.executable, "-P", "-m", "krm_fn"]

_TIMEOUT = 300


def krm_fn(
    *arguments: str, cwd: Path, stdin: str = "", **environment: str
) -> subprocess.CompletedProcess[str]:
    variables = {**os.environ, **environment}
    # An interpreter reads them when it starts.
    if any(name.startswith(("LC_", "PYTHON")) for name in environment):
        command = [*KRM_FN, *arguments]
        return subprocess.run(
            command,
            cwd=cwd,
            input=stdin,
            env=variables,
            capture_output=True,
            text=True,
            check=False,
        )
    return fork(arguments, cwd, variables, stdin)


def fork(
    arguments: Sequence[str], folder: Path, environment: Mapping[str, str], stdin: str = ""
) -> subprocess.CompletedProcess[str]:
    """Run krm-fn in a process with exactly this environment."""
    return start(arguments, folder, environment, stdin).wait()


def start(  # noqa: PLR0913  # the parts of a process
    arguments: Sequence[str],
    folder: Path,
    environment: Mapping[str, str],
    stdin: str = "",
    *,
    constants: Mapping[str, float] | None = None,
    program: Path | None = None,
) -> "Running":
    """Start krm-fn likewise. `constants`: other values for some, as in `{"krm_fn.linker.link.GRACE": 0}`.

    `program`: the folder of another `krm_fn`, which stays until all tests have ended.
    """
    is_for_a_cluster = not {"history", "link", "--live"}.isdisjoint(arguments)
    server = _server(is_for_a_cluster=is_for_a_cluster or program is not None, program=program)
    request = [[*arguments], os.fspath(folder), dict(environment), constants or {}]
    return Running(arguments, server, json.dumps(request), stdin)


class Running:
    """A fork of krm-fn that runs, beside others. `process_id` is its own."""

    def __init__(
        self, arguments: Sequence[str], server: "_Server", request: str, stdin: str
    ) -> None:
        self._command = [*KRM_FN, *arguments]
        with ExitStack() as stack:
            files = [stack.enter_context(TemporaryFile("w+")) for _ in range(4)]
            for file, text in zip(files[:2], (request, stdin), strict=True):
                file.write(text)
                file.flush()
                file.seek(0)
            ours, theirs = socket.socketpair()
            self._socket = stack.enter_context(ours)
            self._answers = stack.enter_context(ours.makefile("rb"))
            with theirs:
                server.send([theirs.fileno(), *(file.fileno() for file in files)])
            self.process_id = self._answer(_TIMEOUT)
            self._output = files[2:]
            self._open = stack.pop_all()

    def wait(self, seconds: float = _TIMEOUT) -> subprocess.CompletedProcess[str]:
        """Wait for its end, once. The exit code is negative for a signal.

        After so many seconds it is killed, and `TimeoutError` raised.
        """
        with self._open:
            try:
                code = self._answer(seconds)
            except TimeoutError:
                os.kill(self.process_id, signal.SIGKILL)
                raise
            for file in self._output:
                file.seek(0)
            stdout, stderr = (file.read() for file in self._output)
        return subprocess.CompletedProcess(self._command, code, stdout, stderr)

    def _answer(self, seconds: float) -> int:
        self._socket.settimeout(seconds)
        return int(self._answers.readline())


class _Server:
    """A process that forks, from the first request on."""

    def __init__(self, options: Sequence[str], program: Path | None) -> None:
        self._options = options
        self._environment = {"PYTHONPATH": os.fspath(program)} if program else {}
        self._lock = Lock()
        self._requests: socket.socket | None = None
        self._process: subprocess.Popen[bytes] | None = None

    def send(self, descriptors: list[int]) -> None:
        with self._lock:
            socket.send_fds(self._requests or self._start(), [b"\0"], descriptors)

    def _start(self) -> socket.socket:
        ours, theirs = socket.socketpair()
        script = str(Path(__file__).with_name("fork_server.py"))
        with theirs:
            command = [sys.executable, "-P", script, str(theirs.fileno()), *self._options]
            # Ctrl-C is for pytest, with which the server ends.
            self._process = subprocess.Popen(
                command,
                env={**os.environ, **self._environment},
                pass_fds=[theirs.fileno()],
                start_new_session=True,
            )
        self._requests = ours
        return ours

    def stop(self) -> None:
        if self._requests and self._process:
            self._requests.close()
            self._process.wait()


_servers: list[_Server] = []


@functools.cache
def _server(*, is_for_a_cluster: bool, program: Path | None) -> _Server:
    _servers.append(_Server(["cluster"] if is_for_a_cluster else [], program))
    return _servers[-1]


def stop_servers() -> None:
    for server in _servers:
        server.stop()


HOSTILE = "a\x1b[2J\u202e\nerror: b"
SHOWN = r"a\x1b[2J\u202e\nerror: b"
"""A name that would change what a terminal shows, and how messages show it."""
