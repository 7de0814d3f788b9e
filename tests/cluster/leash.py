"""Ends the programs of a bench whose tests are gone, however they went: `python -m tests.cluster.leash FOLDER`.

Reads a process id and its start time from each line of its input, which ends with the process of the tests. What
still runs then is killed, unless a stranger has the id by now; and the bench's folder is removed.
"""

import contextlib
import os
import shutil
import signal
import sys
from pathlib import Path

from tests.cluster.process import start_ticks


def main() -> None:
    # All of it before the first is killed: the input ends when the tests have.
    programs = [line.split() for line in sys.stdin]
    for process_id, ticks in programs:
        if start_ticks(int(process_id)) == ticks:
            with contextlib.suppress(ProcessLookupError):
                os.kill(int(process_id), signal.SIGKILL)
    shutil.rmtree(Path(sys.argv[1]), ignore_errors=True)


if __name__ == "__main__":
    main()
