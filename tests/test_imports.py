"""An ordinary run imports what it needs, and nothing else."""

import os
import re
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from benchmarks.inputs import resource_list

ROOT = Path(__file__).parent.parent
LIST = Path("tests/data/imports_of_a_run.txt")
LISTED = frozenset(line for line in (ROOT / LIST).read_text().splitlines() if line and not line.startswith("#"))
OTHERS = sorted(name for name in LISTED if name.partition(".")[0] != "krm_fn")
IMPORTED = re.compile(r"^import time: .*\| +(\S+)$", re.MULTILINE)


def test_a_run_imports_only_what_is_listed(imported: frozenset[str]) -> None:
    """What the listed modules of others import themselves depends on the release of Python, and is allowed."""
    new = sorted(imported - LISTED - read_imports("-c", f"import {', '.join(OTHERS)}"))
    assert not new, f"every start now imports {', '.join(new)}: import it where it is needed, or add it to {LIST}"


def test_a_run_imports_all_that_is_listed(imported: frozenset[str]) -> None:
    unused = sorted(LISTED - imported)
    assert not unused, f"no start imports {', '.join(unused)} any more: remove it from {LIST}"


@pytest.fixture(scope="module")
def imported() -> frozenset[str]:
    """Run the function on a ConfigMap, a Deployment that reads it, two other objects and a configuration."""
    return read_imports("-m", "krm_fn")


def read_imports(*arguments: str) -> frozenset[str]:
    """Return the modules that Python imports. Without `site`: what an environment adds there is not ours."""
    environment = {**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{sysconfig.get_path('purelib')}"}
    command = [sys.executable, "-S", "-X", "importtime", *arguments]
    done = subprocess.run(command, input=resource_list(4), capture_output=True, check=True, env=environment)
    return frozenset(IMPORTED.findall(done.stderr.decode()))
