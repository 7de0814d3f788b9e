"""Run the tests of a tier: `python -m tests.run submission`. What a tier is, tests/tiers.py says.

`python -m tests.run changed` runs those of `make test` that all concerns that differs from main.

Each processor runs a share of the files of tests in a plain process: to pass 12,000 results between
processes takes as long as a tenth of the tests. Beside them, one process runs those on a cluster,
because they share it, and those of deployers: they spend most of their time waiting.
"""

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager

from tests.changed import find_changed, tests_of
from tests.entered import ROOT
from tests.once import SHARED
from tests.tiers import OPTION, TIERS

ON_A_CLUSTER = ("tests/cluster", "tests/gitops")
WITH_PROGRAMS = ("tests/integration", *ON_A_CLUSTER)


def run(tier: str) -> int:
    """Return 1 if any test failed."""
    with tempfile.TemporaryDirectory(prefix="krm-fn-shared-") as folder:
        os.environ[SHARED] = folder
        if tier == "changed":
            changed = find_changed()
            files = tests_of(changed)
            print(f"{len(changed)} files differ from main: {len(files)} files of tests", flush=True)
            return run_shares("test", files) if files else 0
        if tier == "test":
            failed = run_shares(tier, find_files(WITH_PROGRAMS))
            print(f"{', '.join(WITH_PROGRAMS)} need programs: make test-all")
            return failed
        with started(tier, ON_A_CLUSTER) as cluster:
            failed = run_shares(tier, find_files(ON_A_CLUSTER))
            print("waiting for the tests on a cluster", flush=True)
            failed |= cluster.wait()
        return int(bool(failed))


def find_files(but_for: tuple[str, ...]) -> list[str]:
    """Return the files of tests that are in none of these folders, the largest first."""
    files = sorted(
        (ROOT / "tests").rglob("test_*.py"), key=lambda file: (-file.stat().st_size, file)
    )
    names = (str(file.relative_to(ROOT)) for file in files)
    return [name for name in names if not name.startswith(but_for)]


def run_shares(tier: str, files: Sequence[str]) -> int:
    """Deal out the files, and show the first share while it runs, then the others. Return 1 if any test failed."""
    number = min(os.cpu_count() or 1, len(files))
    first, *others = (files[place::number] for place in range(number))
    with ExitStack() as stack:
        processes = [stack.enter_context(started(tier, share)) for share in others]
        failed = subprocess.run(command_of(tier, first), check=False).returncode
        return int(any([failed, *(process.wait() for process in processes)]))


@contextmanager
def started(tier: str, files: Iterable[str]) -> Iterator["subprocess.Popen[bytes]"]:
    """Run tests, and print what they say at the end of the block."""
    with tempfile.TemporaryFile() as output:
        environment = {**os.environ, "PY_COLORS": "1"} if sys.stdout.isatty() else None
        process = subprocess.Popen(
            command_of(tier, files), env=environment, stdout=output, stderr=subprocess.STDOUT
        )
        try:
            yield process
        finally:
            process.terminate()
            process.wait()
            output.seek(0)
            sys.stdout.flush()
            sys.stdout.buffer.write(output.read())
            sys.stdout.flush()


def command_of(tier: str, files: Iterable[str]) -> list[str]:
    return [sys.executable, "-m", "pytest", "--quiet", "-rfE", f"{OPTION}={tier}", *files]


if __name__ == "__main__":
    os.chdir(ROOT)
    (name,) = (one for one in (*TIERS, "changed") if one == sys.argv[1])
    sys.exit(run(name))
