"""The files of a commit, those of them that a rendering may read, and the files that are there now."""

import os
from bisect import bisect_left
from collections.abc import Callable
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from krm_fn.base.problem import Problem, Rejected
from krm_fn.tools.render.kustomization import KUSTOMIZATIONS, find_ways_out

LINK, SUBMODULE = "120000", "160000"
"""Types of entries in a tree of git."""


NEVER = ".git"
"""No tree of git contains one, and no package does."""


class TreeEntry(NamedTuple):
    """A file as git stores it: `object` is a digest of its content."""

    type: str
    object: str
    path: str


class GitTree:
    """The files of a commit, from the output of `git ls-tree -r -z`.

    All paths begin at the top of the repository.
    """

    def __init__(self, listed: str) -> None:
        self._entries: dict[str, TreeEntry] = {}
        for entry in filter(None, listed.split("\0")):
            what, _, path = entry.partition("\t")
            mode, _, name = what.split(" ")
            if not {"", ".", "..", ".git"}.isdisjoint(path.lower().split("/")):
                raise Rejected(
                    Problem(f"the revision has a file {path!r}, which git would not check out")
                )
            self._entries[path] = TreeEntry(mode, name, path)
        self._paths = sorted(self._entries)

    def get(self, path: str) -> TreeEntry | None:
        """Return what is at a path, unless that is nothing or a folder."""
        return self._entries.get(path)

    @property
    def submodules(self) -> list[str]:
        return [path for path in self._paths if self._entries[path].type == SUBMODULE]

    def find_files(self, is_wanted: Callable[[str], bool]) -> list[TreeEntry]:
        entries = (self._entries[path] for path in self._paths if is_wanted(path))
        return [entry for entry in entries if entry.type not in {LINK, SUBMODULE}]

    def find_needed(
        self, paths: list[str], read: Callable[[list[TreeEntry]], list[bytes]]
    ) -> list[TreeEntry]:
        """Return the files below the paths, and below what their kustomizations may name, which `read` reads.

        That is everything if more may be needed: what a link leads to, or what a kustomization hides.
        """
        needed: dict[str, TreeEntry] = {}
        reached: set[str] = set()
        pending = list(paths)
        while pending:
            found: list[TreeEntry] = []
            for path in pending:
                if path in reached:
                    continue
                reached.add(path)
                if self._may_lead_anywhere(path):
                    return [self._entries[path] for path in self._paths]
                here = [
                    self._entries[file]
                    for file in (path, *self.below(path))
                    if file in self._entries
                ]
                found += [entry for entry in here if entry.path not in needed]
                needed |= {entry.path: entry for entry in here}
            named = [
                one
                for one in found
                if PurePosixPath(one.path).name in KUSTOMIZATIONS and one.type != SUBMODULE
            ]
            try:
                files = zip(named, read(named) if named else (), strict=True)
                pending = []
                for entry, data in files:
                    pending += find_ways_out(entry.path, data)
            except Rejected:
                return [self._entries[path] for path in self._paths]
        return list(needed.values())

    def _may_lead_anywhere(self, path: str) -> bool:
        above = [str(parent) for parent in PurePosixPath(path).parents]
        files = [path, *above, *self.below(path)]
        return path == "." or any(
            file in self._entries and self._entries[file].type == LINK for file in files
        )

    def below(self, path: str) -> list[str]:
        """Return the paths of all files in a folder; `.` is the whole tree."""
        if path == ".":
            return self._paths
        start = bisect_left(self._paths, f"{path}/")
        # The character behind the slash.
        return self._paths[start : bisect_left(self._paths, f"{path}0")]


class WorkingTree:
    """The folders and files that are there now.

    A link is no folder: it might lead out of the repository.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def list(self, path: str) -> tuple[list[str], list[str]]:
        """Return the names of folders and of files; nothing for what is no folder."""
        try:
            with os.scandir(self._folder / path) as found:
                kinds = [
                    (entry.name, entry.is_dir(follow_symlinks=False))
                    for entry in found
                    if entry.name != NEVER
                ]
        except OSError:
            return [], []
        return [name for name, is_dir in kinds if is_dir], [
            name for name, is_dir in kinds if not is_dir
        ]
