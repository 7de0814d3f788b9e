"""What is said of data is what a real API server does with it, sent by kubectl."""

import subprocess
from pathlib import Path

import pytest

from tests.cluster.control_plane import ControlPlane
from tests.lint.test_refused_data import ACCEPTED, REFUSED
from tests.tools.require import require


@pytest.mark.parametrize(
    ("kind", "data", "is_accepted"),
    [
        *(pytest.param(*one.values[:2], False, id=str(one.id)) for one in REFUSED),
        *(pytest.param(*one.values[:2], True, id=str(one.id)) for one in ACCEPTED),
    ],
)
def test_the_api_server_agrees(
    kind: str, data: str, is_accepted: bool, cluster: ControlPlane, tmp_path: Path
) -> None:
    admin = cluster.folder / "admin.kubeconfig"
    manifest = tmp_path / "a.yaml"
    manifest.write_text(f"apiVersion: v1\nkind: {kind}\nmetadata: {{name: a}}\n{data}\n")
    command = [
        str(require("kubectl")),
        "--kubeconfig",
        str(admin),
        "create",
        "--dry-run=server",
        "-f",
        str(manifest),
    ]
    answer = subprocess.run(command, check=False, capture_output=True, text=True)
    assert (answer.returncode == 0) is is_accepted, answer.stderr
