"""Run all tests: those on a cluster in one process, because they share it, and beside it the others on all processors.

The tests on a cluster spend most of their time waiting. `loadfile`: one worker runs all of a file, as some look at what
only they may leave. xdist 3.8 cannot group in another way with pytest 9.2: it writes the group into `_nodeid`, which is
`_id` now.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

ON_A_CLUSTER = ("tests/cluster", "tests/gitops")
PYTEST = [sys.executable, "-m", "pytest"]
ON_ALL_PROCESSORS = ["--numprocesses=auto", "--dist=loadfile"]


def main() -> int:
    """Show the other tests while they run, then the output of those on a cluster. Return 1 if any test failed."""
    with tempfile.TemporaryFile() as output:
        environment = {**os.environ, "PY_COLORS": "1"} if sys.stdout.isatty() else None
        cluster = subprocess.Popen([*PYTEST, *ON_A_CLUSTER], env=environment, stdout=output, stderr=subprocess.STDOUT)
        try:
            ignored = [f"--ignore={folder}" for folder in ON_A_CLUSTER]
            others = subprocess.run([*PYTEST, *ON_ALL_PROCESSORS, *ignored], check=False).returncode
            print("waiting for the tests on a cluster", flush=True)
            failed = cluster.wait()
        finally:
            cluster.terminate()
        output.seek(0)
        sys.stdout.buffer.write(output.read())
    return int(bool(others or failed))


if __name__ == "__main__":
    os.chdir(Path(__file__).parent.parent)
    sys.exit(main())
