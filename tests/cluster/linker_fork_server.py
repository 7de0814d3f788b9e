"""Start linkers fast, for tests that need hundreds: fork them from a process that has imported everything.

`python -m tests.cluster.linker_fork_server` reads one command a line. For each it prints the process id, and later the
exit code.
"""

import importlib
import json
import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from pathlib import Path
from typing import Self

from tests.cluster.linker_job import ROOT, LinkerRun, ended


class LinkerForkServer:
    """A context manager. `environment` is the environment of every linker, from `linker_environment`."""

    def __init__(self, environment: Mapping[str, str], folder: Path) -> None:
        self._folder = folder
        self._fork_server = subprocess.Popen(
            [sys.executable, "-m", __name__],
            env=environment,
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self._process_id: Future[int] = Future()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._fork_server.communicate()

    def run(self, arguments: Sequence[str]) -> LinkerRun:
        """Run a linker to its end. The exit code is negative for a signal."""
        output = {name: self._folder / name for name in ("stdout", "stderr")}
        command = {"arguments": [*arguments], **{name: str(path) for name, path in output.items()}}
        assert self._fork_server.stdin is not None
        assert self._fork_server.stdout is not None
        print(json.dumps(command), file=self._fork_server.stdin, flush=True)
        self._process_id.set_result(int(self._fork_server.stdout.readline()))
        exit_code = int(self._fork_server.stdout.readline())
        self._process_id = Future()
        return ended(exit_code, **{name: path.read_text() for name, path in output.items()})

    def signal(self, number: signal.Signals) -> None:
        """Send a signal to the running linker, from another thread, while one of its calls is pending."""
        os.kill(self._process_id.result(timeout=10), number)


def main() -> None:
    # Above all the Kubernetes client, which reads the environment when it is imported.
    for name in ("krm_fn.cli.main", "krm_fn.linker.link_set", "tests.cluster.quick_linker"):
        importlib.import_module(name)
    for line in sys.stdin:
        command = json.loads(line)
        process_id = os.fork()
        if process_id == 0:
            _become_linker(command)
        print(process_id, flush=True)
        print(os.waitstatus_to_exitcode(os.waitpid(process_id, 0)[1]), flush=True)


def _become_linker(command: dict[str, str]) -> None:
    for name, descriptor in (("stdout", 1), ("stderr", 2)):
        os.dup2(os.open(command[name], os.O_WRONLY | os.O_CREAT | os.O_TRUNC), descriptor)
    os.close(0)
    sys.argv = ["krm-fn", *command["arguments"]]
    sys.exit(importlib.import_module("tests.cluster.quick_linker").main())


if __name__ == "__main__":
    main()
