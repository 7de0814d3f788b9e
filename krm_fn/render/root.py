"""The copy of the repository in which Argo CD runs a plugin."""

import posixpath
from pathlib import Path, PurePosixPath


def find_root(working: Path, source_path: str) -> Path:
    """Return the directory from which the path of the application leads to the working directory.

    A plugin runs in the directory of the application. If the path leads elsewhere, only that directory is the root.
    """
    parts = PurePosixPath(posixpath.normpath(source_path)).parts
    is_below = bool(parts) and working.parts[1:][-len(parts) :] == parts
    return working.parents[len(parts) - 1] if is_below else working
