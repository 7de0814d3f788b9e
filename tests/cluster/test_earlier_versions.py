"""An earlier version is imported from where it was unpacked, with its own schemas."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cluster.earlier_versions import COMMITS, unpack
from tests.cluster.linker_job import ROOT, python_path

IMPORTED = "import krm_fn.schemas, tests.cluster; print(krm_fn.__file__, *krm_fn.schemas.__path__, *tests.__path__)"


@pytest.mark.parametrize("commit", COMMITS.values(), ids=COMMITS)
def test_its_modules_are_imported(commit: str, tmp_path: Path) -> None:
    unpack(commit, tmp_path)
    environment = {"PATH": os.environ["PATH"], **python_path(tmp_path)}
    command = [sys.executable, "-c", IMPORTED]
    found = subprocess.run(
        command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True, check=True
    ).stdout
    assert found.split() == [
        f"{tmp_path}/krm_fn/__init__.py",
        f"{tmp_path}/krm_fn/schemas",
        f"{ROOT}/tests",
    ]
