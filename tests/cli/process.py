"""krm-fn as a process."""

import json
import os
import socket
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryFile

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
            capture_output=True,
            text=True,
            check=False,
            env=variables,
        )
    return fork(arguments, cwd, variables, stdin)


def fork(
    arguments: Sequence[str], folder: Path, environment: Mapping[str, str], stdin: str = ""
) -> subprocess.CompletedProcess[str]:
    """Run krm-fn in a process with exactly this environment."""
    is_for_a_cluster = not {"history", "link", "--live"}.isdisjoint(arguments)
    return _servers[is_for_a_cluster].fork(arguments, folder, environment, stdin)


class _Server:
    """A process that forks, from the first request on."""

    def __init__(self, *options: str) -> None:
        self._options = options
        self._requests: socket.socket | None = None
        self._process: subprocess.Popen[bytes] | None = None

    def fork(
        self, arguments: Sequence[str], folder: Path, environment: Mapping[str, str], stdin: str
    ) -> subprocess.CompletedProcess[str]:
        requests = self._requests or self._start()
        with ExitStack() as stack:
            files = [stack.enter_context(TemporaryFile("w+")) for _ in range(4)]
            request, given, stdout, stderr = files
            json.dump([arguments, os.fspath(folder), dict(environment)], request)
            given.write(stdin)
            for file in (request, given):
                file.flush()
                file.seek(0)
            socket.send_fds(requests, [b"\0"], [file.fileno() for file in files])
            with requests.makefile("rb") as answers:
                code = int(answers.readline())
            for file in (stdout, stderr):
                file.seek(0)
            return subprocess.CompletedProcess(
                [*KRM_FN, *arguments], code, stdout.read(), stderr.read()
            )

    def _start(self) -> socket.socket:
        ours, theirs = socket.socketpair()
        ours.settimeout(_TIMEOUT)
        script = str(Path(__file__).with_name("fork_server.py"))
        with theirs:
            command = [sys.executable, "-P", script, str(theirs.fileno()), *self._options]
            # Ctrl-C is for pytest, with which the server ends.
            self._process = subprocess.Popen(
                command, pass_fds=[theirs.fileno()], start_new_session=True
            )
        self._requests = ours
        return ours

    def stop(self) -> None:
        if self._requests and self._process:
            self._requests.close()
            self._process.wait()


_servers = {False: _Server(), True: _Server("cluster")}


def stop_servers() -> None:
    for server in _servers.values():
        server.stop()


HOSTILE = "a\x1b[2J\u202e\nerror: b"
SHOWN = r"a\x1b[2J\u202e\nerror: b"
"""A name that would change what a terminal shows, and how messages show it."""
