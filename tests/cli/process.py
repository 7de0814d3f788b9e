"""krm-fn as a process."""

import os
import subprocess
import sys
from pathlib import Path

KRM_FN = [sys.executable, "-P", "-m", "krm_fn"]


def krm_fn(*arguments: str, cwd: Path, stdin: str = "", **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*KRM_FN, *arguments],
        cwd=cwd,
        input=stdin,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **environment},
    )


HOSTILE = "a\x1b[2J\u202e\nerror: b"
SHOWN = r"a\x1b[2J\u202e\nerror: b"
"""A name that would change what a terminal shows, and how messages show it."""
