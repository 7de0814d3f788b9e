"""Start, stop, suspend and restart one program of the control plane, by its own process id."""

import contextlib
import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

START_TICKS = (
    19  # the fields of /proc/PID/stat after the name: proc(5) calls it starttime, number 22
)
USER_TICKS, SYSTEM_TICKS = 11, 12  # utime and stime, numbers 14 and 15


class Process:
    """A program. Its process id cannot be reused until `stop` has waited for it.

    `environment` is added to PATH and HOME. `executable` is the program's file if the command
    starts with another name.
    """

    def __init__(
        self,
        name: str,
        command: Sequence[str | Path],
        folder: Path,
        *,
        environment: Mapping[str, str] | None = None,
        executable: Path | None = None,
    ) -> None:
        self.name = name
        self.log = folder / f"{name}.log"
        self._command = command
        self._folder = folder
        self._environment = environment or {}
        self._executable = executable
        self._child: subprocess.Popen[bytes] | None = None

    def start(self) -> int:
        """Start the program. Returns the process id."""
        assert not self.runs, f"{self.name} runs already"
        environment = {"PATH": os.environ["PATH"], "HOME": str(self._folder), **self._environment}
        with self.log.open("ab") as log:
            self._child = subprocess.Popen(
                self._command,
                executable=self._executable,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                cwd=self._folder,
                env=environment,
                # Ctrl-C in the terminal stops the tests, which then stop the program.
                start_new_session=True,
            )
        return self._child.pid

    @property
    def runs(self) -> bool:
        return self._child is not None and self._child.poll() is None

    def ask_to_end(self) -> None:
        """Send SIGTERM without waiting."""
        self._signal(signal.SIGTERM)

    def stop(self, *, patience: float = 5) -> None:
        """Send SIGTERM and wait; after this many seconds send SIGKILL."""
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
        """Send SIGKILL, as if the machine lost power."""
        self._signal(signal.SIGKILL)
        self.stop()

    def pause(self) -> None:
        """Suspend the program. It keeps its connections, as on a stalled machine.

        On a busy machine its threads go on for a tenth of a second after the signal: this waits
        until all of them stand still, or the program has ended.
        """
        if self.runs:
            assert self._child is not None
            self._signal(signal.SIGSTOP)
            os.waitid(os.P_PID, self._child.pid, os.WSTOPPED | os.WEXITED | os.WNOWAIT)

    def resume(self) -> None:
        self._signal(signal.SIGCONT)

    def memory(self) -> int:
        """Return the resident memory in MiB."""
        assert self._child is not None
        status = Path(f"/proc/{self._child.pid}/status").read_text()
        return next(
            int(line.split()[1]) // 1024 for line in status.splitlines() if line.startswith("VmRSS")
        )

    def processor_seconds(self) -> float:
        """Return the seconds that it has had a processor."""
        assert self._child is not None
        fields = _stat(self._child.pid)
        ticks = int(fields[USER_TICKS]) + int(fields[SYSTEM_TICKS])
        return ticks / os.sysconf("SC_CLK_TCK")

    def log_tail(self) -> str:
        """Return the end of the log, for messages of failures."""
        return "\n".join(self.log.read_text(errors="replace").splitlines()[-8:])

    def _signal(self, number: signal.Signals) -> None:
        if self.runs:
            assert self._child is not None
            self._child.send_signal(number)


def start_ticks(process_id: int) -> str:
    """Return the start time in clock ticks, `""` if it is gone.

    It tells apart processes with the same id.
    """
    with contextlib.suppress(OSError):
        return _stat(process_id)[START_TICKS]
    return ""


def _stat(process_id: int) -> list[str]:
    return Path(f"/proc/{process_id}/stat").read_text().rpartition(")")[2].split()
