"""Run all tests in two processes, because the cluster tests spend most of their time waiting."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

CLUSTER = "tests/cluster"
PYTEST = [sys.executable, "-m", "pytest"]


def main() -> int:
    """Show the other tests while they run, then the output of the cluster tests. Return 1 if any test failed."""
    with tempfile.TemporaryFile() as output:
        environment = {**os.environ, "PY_COLORS": "1"} if sys.stdout.isatty() else None
        cluster = subprocess.Popen([*PYTEST, CLUSTER], env=environment, stdout=output, stderr=subprocess.STDOUT)
        try:
            others = subprocess.run([*PYTEST, "--ignore", CLUSTER], check=False).returncode
            print("waiting for the cluster tests", flush=True)
            failed = cluster.wait()
        finally:
            cluster.terminate()
        output.seek(0)
        sys.stdout.buffer.write(output.read())
    return int(bool(others or failed))


if __name__ == "__main__":
    os.chdir(Path(__file__).parent.parent)
    sys.exit(main())
