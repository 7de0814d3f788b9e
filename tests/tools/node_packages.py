"""Install what tests run with Node.js, at the versions that the package-lock.json of each folder here pins.

`diagrams` reads diagrams with Mermaid and Graphviz and opens pages in Chromium; `editor` is the YAML language server.
Each is installed once, into a folder of the cache whose name contains a hash of its files here. Without npm this prints
a message and succeeds; the tests then say what they need.
"""

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
FOLDERS = ("diagrams", "editor")


def install(name: str) -> None:
    done = _folder(name)
    if done.exists():
        return
    print(f"installing tests/tools/{name} with npm; this takes a minute, but only once", flush=True)
    done.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=done.parent, prefix=f".{name}-") as unfinished:
        whole = Path(unfinished) / "whole"
        shutil.copytree(HERE / name, whole, ignore=shutil.ignore_patterns("node_modules"))
        # --ignore-scripts: no package runs anything of its own while it is installed.
        options = ("--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error")
        subprocess.run(["npm", "ci", *options], cwd=whole, check=True)
        # Only a complete installation gets the final name. Another process may have finished first.
        if not done.exists():
            whole.rename(done)


def installed(name: str) -> Path | None:
    """Return the folder with the scripts and what they import; None if it is not installed."""
    folder = _folder(name)
    return folder if shutil.which("node") is not None and folder.exists() else None


def _folder(name: str) -> Path:
    files = sorted(file for file in (HERE / name).iterdir() if file.is_file())
    decisive = hashlib.sha256(b"".join(file.read_bytes() for file in files))
    cache = os.environ.get("KRM_FN_CACHE") or Path.home() / ".cache" / "krm-fn"
    return Path(cache) / "tools" / f"{name}-{decisive.hexdigest()[:16]}"


if __name__ == "__main__":
    if shutil.which("npm") is None or shutil.which("node") is None:
        print(
            "Node.js and npm are not installed, so tests read no diagrams, open no pages and ask no language server"
        )
        sys.exit()
    try:
        for folder in FOLDERS:
            install(folder)
    except subprocess.CalledProcessError:
        sys.exit("npm ci failed; see its output above")
