"""Wait until a program sleeps, before it gets a signal."""

import subprocess
import time
from pathlib import Path
from typing import Any

_PATIENCE = 30.0


def wait_until_asleep(process: subprocess.Popen[Any]) -> None:
    """Wait until the main thread waits for something.

    Before that, a signal may come after Python's last look for signals, and too early to end what it waits in. Such a
    signal is noticed with the next event only.
    """
    status = Path(f"/proc/{process.pid}/stat")
    end = time.monotonic() + _PATIENCE
    while status.read_text().rpartition(")")[2].split()[0] != "S":
        assert time.monotonic() < end, f"{process.args!r} waits for nothing"
        time.sleep(0.01)
