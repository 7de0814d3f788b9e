"""The programs of earlier versions, from the history of the repository."""

import subprocess
from pathlib import Path

from tests.tools.require import require_commit

COMMITS = {
    "0.2.0": "5bf3f24ebb3797e51b5c856ff6a59d16f0279962",
    # Between 0.2.0 and the next.
    "fab4b14": "fab4b14fddbd77e7ea83b0f5ba5b1f89cb6409d2",
}
"""No tag marks them."""


def unpack(commit: str, folder: Path) -> Path:
    """Write the program into this folder, which `PYTHONPATH` can name, unless it is there."""
    if (folder / "krm_fn").exists():
        return folder
    folder.mkdir(exist_ok=True)
    archive = require_commit(commit, "krm_fn", "schemas")
    subprocess.run(["tar", "--extract"], cwd=folder, input=archive, check=True)
    # A part of the package, as pyproject.toml says. Python would find the schemas of this checkout
    # otherwise.
    (folder / "schemas").rename(folder / "krm_fn" / "schemas")
    return folder
