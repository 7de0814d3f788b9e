"""Kill the programs of a control plane after its tests: `python -m tests.cluster.process_cleanup FOLDER`.

Each line of its input is a process id and a start time. The input ends when the process of the tests ends, even if that
was killed. Then every program that still runs is killed, unless another process has the id by now, and the folder is
removed.
"""

import contextlib
import os
import shutil
import signal
import sys
from pathlib import Path

from tests.cluster.process import start_ticks


def main() -> None:
    # Read all lines before the first kill: the input ends with the tests.
    programs = [line.split() for line in sys.stdin]
    for process_id, ticks in programs:
        if start_ticks(int(process_id)) == ticks:
            with contextlib.suppress(ProcessLookupError):
                os.kill(int(process_id), signal.SIGKILL)
    shutil.rmtree(Path(sys.argv[1]), ignore_errors=True)


if __name__ == "__main__":
    main()
