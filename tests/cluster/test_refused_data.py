"""What is said of data is what a real API server does with it, sent by kubectl."""

import subprocess
from pathlib import Path

import pytest

from tests.cluster.control_plane import ControlPlane
from tests.lint.test_refused_data import ACCEPTED, REFUSED
from tests.tools.require import require

ROWS = [*REFUSED, *ACCEPTED]


@pytest.fixture(scope="module")
def answer(
    cluster: ControlPlane, tmp_path_factory: pytest.TempPathFactory
) -> subprocess.CompletedProcess[str]:
    """Send all at once, each in a file of its number: kubectl goes on after what is refused."""
    folder = tmp_path_factory.mktemp("rows")
    for number, (kind, data) in enumerate(row.values[:2] for row in ROWS):
        text = f"apiVersion: v1\nkind: {kind}\nmetadata: {{name: row-{number}}}\n{data}\n"
        Path(folder, f"{number}.yaml").write_text(text)
    command: list[str | Path] = [require("kubectl"), "create", "--dry-run=server", "-f", folder]
    command += ["--kubeconfig", cluster.folder / "admin.kubeconfig"]
    return subprocess.run(command, check=False, capture_output=True, text=True)


@pytest.mark.parametrize("number", range(len(ROWS)), ids=[str(row.id) for row in ROWS])
def test_the_api_server_agrees(number: int, answer: subprocess.CompletedProcess[str]) -> None:
    is_accepted = number >= len(REFUSED)
    assert (f"/row-{number} created" in answer.stdout) is is_accepted, answer.stderr
    assert (f"/{number}.yaml" in answer.stderr) is not is_accepted, answer.stderr
