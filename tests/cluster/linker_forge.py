"""Linkers that start at once, for tests that need hundreds: forked from a process that has loaded what they need.

`python -m tests.cluster.linker_forge` reads one command a line, and says of each its process id, then how it ended.
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

from tests.cluster.linker_job import ROOT, LinkerRun


class Forge:
    """A context. `environment` is that of every linker, as `linker_environment` makes it."""

    def __init__(self, environment: Mapping[str, str], folder: Path) -> None:
        self._folder = folder
        self._forge = subprocess.Popen(
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
        self._forge.communicate()

    def run(self, arguments: Sequence[str]) -> LinkerRun:
        """From its start to its end; the exit code is negative for a signal."""
        output = {name: self._folder / name for name in ("stdout", "stderr")}
        command = {"arguments": [*arguments], **{name: str(path) for name, path in output.items()}}
        assert self._forge.stdin is not None
        assert self._forge.stdout is not None
        print(json.dumps(command), file=self._forge.stdin, flush=True)
        self._process_id.set_result(int(self._forge.stdout.readline()))
        exit_code = int(self._forge.stdout.readline())
        self._process_id = Future()
        texts = {name: path.read_text() for name, path in output.items()}
        return LinkerRun(exit_code=exit_code, pod="", **texts)

    def signal(self, number: signal.Signals) -> None:
        """To the linker that runs, for other threads: only while a call of its own keeps it, so that it does run."""
        os.kill(self._process_id.result(timeout=10), number)


def main() -> None:
    # The Kubernetes client above all, which reads its environment while it is loaded.
    for name in ("krm_fn.cli", "krm_fn.linker.run"):
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
    sys.exit(importlib.import_module("krm_fn.__main__").main())


if __name__ == "__main__":
    main()
