"""Run every shell block of docs/migration.md unchanged, where its comment says, with a file as the cluster."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.integration.names import load
from tests.integration.protected import assert_protected

ROOT = Path(__file__).parent.parent.parent
BLOCKS = re.findall(
    r"^<!-- in (\S+) -->\n```sh\n(.*?)^```$",
    (ROOT / "docs/migration.md").read_text(),
    re.MULTILINE | re.DOTALL,
)

DEPLOYERS = {"from-fixed-names": "argocd", "from-kapp": "kapp", "from-spinnaker": "spinnaker"}
"""The deployer of each migration whose blocks are run."""

KUBECTL = '#!/bin/sh\nexec "{python}" -m tests.integration.kubectl_on_a_file "{kubectl}" "$@"\n'


@pytest.mark.parametrize(
    ("folder", "block"), BLOCKS, ids=[one.rpartition("/")[2] for one, _ in BLOCKS]
)
def test_a_block_runs(
    folder: str, block: str, require_tool: Callable[[str], Path], tmp_path: Path
) -> None:
    shutil.copytree(ROOT / folder, tmp_path / folder)
    shutil.copy(ROOT / folder / "deployed.yaml", tmp_path / folder / "cluster.yaml")
    shim = tmp_path / "bin/kubectl"
    shim.parent.mkdir()
    shim.write_text(KUBECTL.format(kubectl=require_tool("kubectl"), python=sys.executable))
    shim.chmod(0o755)
    path = os.pathsep.join([str(shim.parent), str(Path(sys.executable).parent), os.environ["PATH"]])
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", block],
        cwd=tmp_path / folder,
        env={**os.environ, "PATH": path, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    live = load((tmp_path / folder / "cluster.yaml").read_text())
    assert_protected(live, (DEPLOYERS[folder.rpartition("/")[2]],), linked=False)


def test_there_are_blocks() -> None:
    assert len(BLOCKS) == (ROOT / "docs/migration.md").read_text().count("```sh\n") == 3
