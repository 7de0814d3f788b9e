"""The programs that are measured: an installed copy of krm-fn, as users have it, and a Go function.

A checkout is not what users run: it may have no bytecode yet, and an editable install finds its
modules in its own way.
"""

import hashlib
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
NOOP = Path(__file__).parent / "noop"
CACHE = Path(os.environ.get("KRM_FN_CACHE") or Path.home() / ".cache" / "krm-fn")


def install(folder: Path, commit: str = "") -> Path:
    """Install a commit into a new virtual environment below a folder, and return its `krm-fn`.

    Without a commit: what git knows of this checkout, with all changes of it.
    """
    source, environment = folder / "source", folder / "environment"
    source.mkdir(parents=True)
    # In memory, it would be a floor under the memory of all that is measured.
    archive = folder / "source.tar"
    _git("archive", f"--output={archive}", commit or _git("stash", "create") or "HEAD")
    subprocess.run(["tar", "-xf", str(archive), "-C", str(source)], check=True)
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
    subprocess.run([*pip, "install", "--compile", str(source)], check=True)
    return environment / "bin" / "krm-fn"


def _git(*arguments: str) -> str:
    return subprocess.check_output(["git", "-C", str(ROOT), *arguments], text=True).strip()


def site_packages(krm_fn: Path) -> Path:
    """Return where the packages of an installed copy are."""
    return next(krm_fn.parent.parent.glob("lib/python*/site-packages"))


def go_version() -> str:
    return subprocess.check_output(["go", "env", "GOVERSION"], cwd=NOOP, text=True).strip()


def build_noop() -> Path:
    """Build the Go function, once for each state of its sources and each version of Go, which has its own collector."""
    sources = b"".join((NOOP / name).read_bytes() for name in ("go.mod", "go.sum", "main.go"))
    program = (
        CACHE
        / "benchmarks"
        / hashlib.sha256(sources + go_version().encode()).hexdigest()[:16]
        / "noop"
    )
    if not program.exists():
        # Which commit it is built from is of no interest here, and Go fails where git may not tell.
        subprocess.run(
            ["go", "build", "-C", str(NOOP), "-buildvcs=false", "-o", str(program), "."], check=True
        )
    return program
