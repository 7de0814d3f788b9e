"""Install what reads diagrams in tests, Mermaid and Graphviz, at the versions that diagrams/package-lock.json pins.

They are installed once, into a folder of the cache whose name contains a hash of all files here. Without npm this
prints a message and succeeds; the tests then say what they need.
"""

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

FOLDER = Path(__file__).parent / "diagrams"
FILES = ("package.json", "package-lock.json", "read.mjs", "browse.mjs")


def install() -> None:
    if shutil.which("npm") is None or shutil.which("node") is None:
        print("Node.js and npm are not installed, so tests do not read diagrams with Mermaid and Graphviz")
        return
    done = _folder()
    if done.exists():
        return
    print("installing Mermaid and Graphviz with npm; this takes a minute, but only once", flush=True)
    done.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=done.parent, prefix=".diagrams-") as unfinished:
        whole = Path(unfinished) / "whole"
        whole.mkdir()
        for name in FILES:
            shutil.copy(FOLDER / name, whole)
        # --ignore-scripts: no package runs anything of its own while it is installed.
        options = ("--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error")
        subprocess.run(["npm", "ci", *options], cwd=whole, check=True)
        # Only a complete installation gets the final name. Another process may have finished first.
        if not done.exists():
            whole.rename(done)


def installed() -> Path | None:
    """Return the folder with read.mjs and what it imports; None if it is not installed."""
    folder = _folder()
    return folder if shutil.which("node") is not None and folder.exists() else None


def _folder() -> Path:
    decisive = hashlib.sha256(b"".join((FOLDER / name).read_bytes() for name in FILES))
    cache = os.environ.get("KRM_FN_CACHE") or Path.home() / ".cache" / "krm-fn"
    return Path(cache) / "tools" / f"diagrams-{decisive.hexdigest()[:16]}"


if __name__ == "__main__":
    try:
        install()
    except subprocess.CalledProcessError:
        sys.exit("npm ci failed; see its output above")
