"""All tests in two processes: those of the cluster wait for others most of the time, and need not be waited for."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

CLUSTER = "tests/cluster"
PYTEST = [sys.executable, "-m", "pytest"]


def main() -> int:
    """The others are shown as they run, those of the cluster after them. 1 if any of them failed."""
    with tempfile.TemporaryFile() as output:
        environment = {**os.environ, "PY_COLORS": "1"} if sys.stdout.isatty() else None
        cluster = subprocess.Popen([*PYTEST, CLUSTER], env=environment, stdout=output, stderr=subprocess.STDOUT)
        try:
            others = subprocess.run([*PYTEST, "--ignore", CLUSTER], check=False).returncode
            print("waiting for the tests of the cluster", flush=True)
            failed = cluster.wait()
        finally:
            cluster.terminate()
        output.seek(0)
        sys.stdout.buffer.write(output.read())
    return int(bool(others or failed))


if __name__ == "__main__":
    os.chdir(Path(__file__).parent.parent)
    sys.exit(main())
