"""Wait until a program sleeps, before it gets a signal."""

import subprocess
import time
from typing import Any

from tests.on_linux import state_of

_PATIENCE = 30.0


def wait_until_asleep(process: subprocess.Popen[Any]) -> None:
    """Wait until the main thread waits for something.

    Before that, a signal may come after Python's last look for signals, and too early to end what
    it waits in. Such a signal is noticed with the next event only.
    """
    end = time.monotonic() + _PATIENCE
    while state_of(process.pid) != "S":
        assert time.monotonic() < end, f"{process.args!r} waits for nothing"
        time.sleep(0.01)
