"""The folders and files that are there now, without those of git."""

import os
from pathlib import Path

NEVER = ".git"
"""No tree of git contains one, and no package does."""


class WorkingTree:
    """The folders and files that are there now. A link is no folder: it might lead out of the repository."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def list(self, path: str) -> tuple[list[str], list[str]]:
        """Return the names of folders and of files; nothing for what is no folder."""
        try:
            with os.scandir(self._folder / path) as found:
                kinds = [(entry.name, entry.is_dir(follow_symlinks=False)) for entry in found if entry.name != NEVER]
        except OSError:
            return [], []
        return [name for name, is_dir in kinds if is_dir], [name for name, is_dir in kinds if not is_dir]
