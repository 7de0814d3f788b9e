"""An installed copy, as users have it.

A checkout is not what they run: it may have no bytecode yet, and an editable install finds its
modules in its own way.
"""

import subprocess
import sys
from pathlib import Path

from tests.integration.build_image import copy_sources


def install(folder: Path) -> Path:
    """Install this checkout into a new virtual environment below a folder, and return its `krm-fn`."""
    source, environment = folder / "source", folder / "environment"
    source.mkdir()
    # To build in a checkout leaves files behind, which the next build takes for sources.
    copy_sources(source)
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", environment], check=True)
    pip = [
        sys.executable,
        "-m",
        "pip",
        "--quiet",
        "--disable-pip-version-check",
        "--python",
        str(environment),
    ]
    subprocess.run([*pip, "install", str(source)], check=True)
    return environment / "bin" / "krm-fn"
