"""Build what is published, and install it as users do, without a network."""

import os
import subprocess
import sys
import venv
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parent.parent.parent


class Dist(NamedTuple):
    """What is published for Python."""

    wheel: Path
    sdist: Path


def make_dist(folder: Path) -> Dist:
    """Build both at a fixed time."""
    command = [sys.executable, str(ROOT / "release/build_dist.py"), str(folder)]
    subprocess.run(
        command,
        check=True,
        env={**os.environ, "SOURCE_DATE_EPOCH": "1700000000"},
        capture_output=True,
    )
    return find_dist(folder)


def find_dist(folder: Path) -> Dist:
    (wheel,), (sdist,) = folder.glob("*.whl"), folder.glob("*.tar.gz")
    return Dist(wheel, sdist)


def install(archive: Path, wheels: Path, folder: Path) -> Path:
    """Install a wheel or an sdist into an empty environment, and return the folder of its programs."""
    venv.create(folder, symlinks=True)
    pip = [
        sys.executable,
        "-m",
        "pip",
        "--python",
        str(folder / "bin/python"),
        "--disable-pip-version-check",
    ]
    subprocess.run(
        [*pip, "install", "--quiet", str(archive)], check=True, env=without_network(wheels)
    )
    return folder / "bin"


def without_network(wheels: Path) -> dict[str, str]:
    """Return an environment in which pip, pipx and uv find nothing but these wheels."""
    for_pip = {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(wheels)}
    for_uv = {
        "UV_NO_INDEX": "1",
        "UV_FIND_LINKS": str(wheels),
        "UV_OFFLINE": "1",
        "UV_PYTHON_DOWNLOADS": "never",
    }
    return {**os.environ, **for_pip, **for_uv}
