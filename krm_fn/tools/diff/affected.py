"""Find the packages, and those that a change can affect, without rendering one.

A rendering comes from files. If no file that it may read differs, the rendering does not. So a
package is looked at as `GitTree.find_needed` does: all below its folder, and all below what its
kustomizations may name. Where more may be read than that, as through a link, the package counts as
affected. All paths begin at the top of the repository.
"""

import os
import re
from collections.abc import Iterable, Iterator
from functools import cache
from hashlib import new as new_digest
from pathlib import Path, PurePosixPath

from krm_fn.base.problem import Rejected
from krm_fn.base.settings import KPTFILE
from krm_fn.tools.builds.builds import find_ways_out
from krm_fn.tools.common.files import KUSTOMIZATIONS, Allowance, Files, is_sharing_folder
from krm_fn.tools.common.patterns import NEVER, WorkingTree, match
from krm_fn.tools.git.git import LINK, GitTree

_DIGESTS = {40: "sha1", 64: "sha256"}
"""By the length of its text, how git computes the id of an object."""


def find_packages(pattern: str, folder: Path, tree: GitTree) -> list[str]:
    """Find the packages that a pattern matches, here or in the revision, in order.

    They are folders with a kustomization, a chart, a configuration or manifests directly in them.
    Only a pattern that says the ending of manifests, as `rendered/*.yaml` does, matches files.
    """
    parts = PurePosixPath(pattern).parts
    here = set(match(parts, ".", WorkingTree(folder)))
    there = set(match(parts, ".", _Revision(tree)))
    return sorted(one for one in here | there if not is_sharing_folder(folder / one))


class _Revision:
    """The folders and files of a revision. A link is a file there."""

    def __init__(self, tree: GitTree) -> None:
        self._tree = tree

    def list(self, path: str) -> tuple[list[str], list[str]]:
        start = 0 if path == "." else len(path) + 1
        first = {file[start:].partition("/")[:2] for file in self._tree.below(path)}
        return [name for name, slash in first if slash], [
            name for name, slash in first if not slash
        ]


class FileSearch:
    """Looks for something in the files that packages read: in each once, however many packages lead there.

    This one finds nothing, and so tells all places that a package reads.
    """

    def __init__(self, folder: Path, allowance: Allowance) -> None:
        self._folder = folder
        self._files = Files(folder, allowance)
        self._look_once = cache(self._look)

    def follow(self, package: str, others: Iterable[str] = ()) -> Iterator[tuple[str, bool]]:
        """Yield each place that a package reads, and whether what is looked for is there, or may be.

        `others` are more paths that it reads. Only the working tree is followed.
        """
        around = [str(parent / KPTFILE) for parent in PurePosixPath(package).parents]
        pending = [package, *others, *around]
        reached: set[str] = set()
        while pending:
            path = pending.pop()
            if path not in reached:
                reached.add(path)
                ways = self._look_once(path)
                yield path, ways is None
                pending += ways or []

    def _look(self, path: str) -> list[str] | None:
        """Return where the kustomizations at a path lead; None if what is looked for is there, or may be."""
        ways: list[str] = []
        try:
            found = self._list(path)
            if found is None:
                return None
            for file in found:
                data = self._files.read(self._folder / file)
                if self._is_found(file, data):
                    return None
                if PurePosixPath(file).name in KUSTOMIZATIONS:
                    ways += find_ways_out(file, data)
        except (
            OSError,
            Rejected,
        ):
            # What cannot be read, is too much, or hides a path: the rendering says it.
            return None
        return ways

    def _list(self, path: str) -> list[str] | None:
        """Return the files at and below a path; None if they alone tell."""
        return sorted(self._walk(path))

    def _is_found(self, file: str, data: bytes) -> bool:  # noqa: ARG002  # for those who look for something
        return False

    def _walk(self, path: str) -> Iterator[str]:
        """Yield the files at and below a path. A link is one of them, and is read as none."""
        top = self._folder / path
        if top.is_symlink() or not top.is_dir():
            yield from [path] if os.path.lexists(top) else []
            return
        for here, folders, names in self._files.walk(top):
            links = [name for name in folders if (here / name).is_symlink()]
            folders[:] = [name for name in folders if name != NEVER and name not in links]
            shown = here.relative_to(self._folder)
            yield from (str(shown / name) for name in (*names, *links) if name != NEVER)


class ChangedFiles(FileSearch):
    """The files that differ between a revision and the working tree, looked up only where it is asked for.

    The content of files is compared, and neither times nor what git remembers of them: a file that
    git ignores, or that somebody has told it to take as unchanged, is rendered like any other.
    """

    def __init__(self, folder: Path, tree: GitTree, allowance: Allowance) -> None:
        super().__init__(folder, allowance)
        self._tree = tree

    def can_affect(self, package: str, others: Iterable[str] = ()) -> bool:
        """Tell whether a package may render to something else than before.

        `others` are more paths that it reads.

        As long as nothing differs on the way, the way was the same before.
        """
        return any(differs for _, differs in self.follow(package, others))

    def _list(self, path: str) -> list[str] | None:
        above = [str(parent) for parent in PurePosixPath(path).parents][:-1]
        if path.startswith(".."):
            return None
        if any(self._tree.get(one) or (self._folder / one).is_symlink() for one in above):
            return None
        found = sorted(self._walk(path))
        return (
            found
            if found == sorted([path] if self._tree.get(path) else self._tree.below(path))
            else None
        )

    def _is_found(self, file: str, data: bytes) -> bool:
        entry = self._tree.get(file)
        if entry is None or len(entry.object) not in _DIGESTS:
            return True
        if entry.type == LINK or (self._folder / file).is_symlink():
            return True
        digest = new_digest(
            _DIGESTS[len(entry.object)], b"blob %d\0" % len(data), usedforsecurity=False
        )
        digest.update(data)
        return digest.hexdigest() != entry.object


class FilesWithNames(FileSearch):
    """Finds packages that have one of some names in their files, whatever it names there."""

    def __init__(self, folder: Path, names: Iterable[str], allowance: Allowance) -> None:
        super().__init__(folder, allowance)
        # A name within a longer one is another name.
        pattern = "|".join(map(re.escape, sorted(names)))
        self._names = re.compile(rf"(?<![a-z0-9.-])(?:{pattern})(?![a-z0-9.-])".encode())

    def can_name(self, package: str) -> bool:
        return any(names for _, names in self.follow(package))

    def _is_found(self, file: str, data: bytes) -> bool:  # noqa: ARG002  # the name of a file names no object
        return self._names.search(data) is not None
