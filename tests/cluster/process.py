"""A program of the bench: started, stopped, held and started again, by its own process id."""

import contextlib
import os
import signal
import subprocess
from collections.abc import Sequence
from pathlib import Path

START_TICKS = 19  # the fields of /proc/PID/stat after the name: proc(5) calls it starttime, number 22


class Process:
    """Its id is certain to be its own for as long as nobody has waited for it, which only `stop` does."""

    def __init__(self, name: str, command: Sequence[str | Path], folder: Path) -> None:
        self.name = name
        self.log = folder / f"{name}.log"
        self._command = command
        self._folder = folder
        self._child: subprocess.Popen[bytes] | None = None

    def start(self) -> int:
        """Its process id."""
        assert not self.runs, f"{self.name} runs already"
        environment = {"PATH": os.environ["PATH"], "HOME": str(self._folder)}
        with self.log.open("ab") as log:
            self._child = subprocess.Popen(
                self._command,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                cwd=self._folder,
                env=environment,
                # Ctrl-C in the terminal is for the tests, which then end it in order.
                start_new_session=True,
            )
        return self._child.pid

    @property
    def runs(self) -> bool:
        return self._child is not None and self._child.poll() is None

    def ask_to_end(self) -> None:
        """And be back at once; `stop` waits."""
        self._signal(signal.SIGTERM)

    def stop(self, *, patience: float = 5) -> None:
        """In order, or after so many seconds by force."""
        if self._child is None:
            return
        self.resume()
        self.ask_to_end()
        try:
            self._child.wait(patience)
        except subprocess.TimeoutExpired:
            self._signal(signal.SIGKILL)
            self._child.wait()

    def kill(self) -> None:
        """As a machine that loses its power."""
        self._signal(signal.SIGKILL)
        self.stop()

    def pause(self) -> None:
        """It stands still and keeps its connections, as on a machine that has stalled."""
        self._signal(signal.SIGSTOP)

    def resume(self) -> None:
        self._signal(signal.SIGCONT)

    def memory(self) -> int:
        """Resident, in MiB."""
        assert self._child is not None
        status = Path(f"/proc/{self._child.pid}/status").read_text()
        return next(int(line.split()[1]) // 1024 for line in status.splitlines() if line.startswith("VmRSS"))

    def last_words(self) -> str:
        """The end of its log, for a failure to show."""
        return "\n".join(self.log.read_text(errors="replace").splitlines()[-8:])

    def _signal(self, number: signal.Signals) -> None:
        if self.runs:
            assert self._child is not None
            self._child.send_signal(number)


def start_ticks(process_id: int) -> str:
    """When the kernel started it, in its own measure: tells it from a later process with the same id. "" if gone."""
    with contextlib.suppress(OSError):
        return Path(f"/proc/{process_id}/stat").read_text().rpartition(")")[2].split()[START_TICKS]
    return ""
