"""Run the tests: those that need little time and no other program (`fast`), or what these have left over (`rest`).

Of the rest, the tests on a cluster run in one process, because they share it, and beside it first the others on all
processors, then those of deployers, which have a cluster of their own. Those on a cluster spend most of their time
waiting. `loadfile`: one worker runs all of a file, as some look at what only they may leave. xdist 3.8 cannot group in
another way with pytest 9.2: it writes the group into `_nodeid`, which is `_id` now.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.left_over import FAST, LEFT_OVER, WITH_PROGRAMS, count_collected, read_left_over

ON_A_CLUSTER = "tests/cluster"
WITH_DEPLOYERS = "tests/gitops"
PYTEST = [sys.executable, "-m", "pytest"]
WORKERS = (os.cpu_count() or 1) * 3 // 2
"""More than processors: while one waits, for a deadline, a child or a server, another works."""


def run_fast() -> int:
    """Run what needs Python and git alone, and a few minutes.

    Say behind it how many tests are left over, and what they need.
    """
    # The folders are counted while the tests run: to collect them takes seconds.
    collecting = subprocess.Popen(
        [*PYTEST, "--collect-only", "--quiet", *WITH_PROGRAMS], stdout=-1, text=True
    )
    ignored = [f"--ignore={folder}" for folder in WITH_PROGRAMS]
    command = [
        *PYTEST,
        "--quiet",
        "-rfE",
        f"--numprocesses={WORKERS}",
        "--dist=worksteal",
        *ignored,
    ]
    done = subprocess.run(command, env={**os.environ, FAST: "1"}, check=False)
    collected, _ = collecting.communicate()
    if collecting.returncode:
        print(collected)
        return collecting.returncode
    needing = {"a cluster or another program": count_collected(collected), **read_left_over()}
    number_in_all = sum(needing.values())
    print(f"Left to make test-all: {number_in_all:,} tests")
    for what, number in needing.items():
        print(f"  {number:>5,} need {what}")
    return done.returncode


def run_rest() -> int:
    """Show the other tests while they run, then the output of those on a cluster.

    Return 1 if any test failed.
    """
    with tempfile.TemporaryFile() as output:
        environment = {**os.environ, "PY_COLORS": "1"} if sys.stdout.isatty() else None
        cluster = subprocess.Popen(
            [*PYTEST, ON_A_CLUSTER], env=environment, stdout=output, stderr=subprocess.STDOUT
        )
        try:
            ignored = [f"--ignore={folder}" for folder in (ON_A_CLUSTER, WITH_DEPLOYERS)]
            others = [*PYTEST, "--numprocesses=auto", "--dist=loadfile", LEFT_OVER, *ignored]
            in_turn = [others, [*PYTEST, WITH_DEPLOYERS]]
            failed = [subprocess.run(command, check=False).returncode for command in in_turn]
            print("waiting for the tests on a cluster", flush=True)
            failed.append(cluster.wait())
        finally:
            cluster.terminate()
        output.seek(0)
        sys.stdout.buffer.write(output.read())
    return int(any(failed))


if __name__ == "__main__":
    os.chdir(Path(__file__).parent.parent)
    sys.exit({"fast": run_fast, "rest": run_rest}[sys.argv[1]]())
