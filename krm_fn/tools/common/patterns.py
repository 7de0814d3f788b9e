"""Patterns of packages, as in `apps/*/overlays/*`: all commands expand them here.

A package is a folder with a kustomization, a chart, a configuration or manifests directly in it.
"""

import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from fnmatch import fnmatchcase
from itertools import chain, product, takewhile
from pathlib import Path, PurePosixPath
from typing import Protocol

from krm_fn.base.problem import Problem, Rejected, listing
from krm_fn.base.settings import CONFIG_FILE
from krm_fn.tools.common.files import (
    CHART,
    KUSTOMIZATIONS,
    MANIFESTS,
    MAX_LEVELS,
    is_sharing_folder,
)

NEVER = ".git"
"""No tree of git contains one, and no package does."""

_PACKAGED = (*KUSTOMIZATIONS, CHART, CONFIG_FILE)

_WILDCARD = re.compile(r"[*?[]")

_MOST_NAMES = 3

_MOST_PARTS = 5
"""The last ones of a path, for which a pattern that is offered may have stars."""


class Folders(Protocol):
    """A tree of folders, here or in a revision of git."""

    def list(self, path: str) -> tuple[list[str], list[str]]:
        """Return the names of folders and of files; nothing for what is no folder."""


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


def stands_for_several(path: str) -> bool:
    """Tell whether a path stands for those that it matches.

    A file of that name, with all its signs, is just a file.
    """
    return _WILDCARD.search(path) is not None and not os.path.lexists(path)


def find_packages_here(paths: Iterable[str], excluded: Sequence[str] = ()) -> dict[str, str]:
    """Return the paths, and in the place of each pattern the packages that it matches, each with what stands for it.

    Raises Rejected for a pattern that matches none, and where all are excluded.
    """
    gone = {*map(os.path.normpath, find_packages_here(excluded))} if excluded else ()
    found: dict[str, str] = {}
    for path in paths:
        every = _match_here(path) if stands_for_several(path) else [path]
        if not every:
            better = listing(find_patterns(_match_here(f"{path}/**")), _MOST_NAMES, " or ")
            hint = f"; did you mean {better}" if better else ""
            message = f"is no directory, and as a pattern it matches no package{hint}"
            raise Rejected(Problem(message, file=path))
        found |= {one: path for one in every if os.path.normpath(one) not in gone}
    if not found and gone:
        raise Rejected(Problem("leaves no package", file=f"--exclude {' '.join(excluded)}"))
    return found


def find_patterns(packages: Iterable[str]) -> dict[str, int]:
    """Return patterns that match these packages and no other, and how many each does; a path stands for itself."""
    wanted = {*packages}
    ours = Counter(chain.from_iterable(map(_widen, wanted)))
    every = Counter(
        one for path in {*_match_here("**"), *wanted} for one in _widen(path) if one in ours
    )
    found: dict[str, int] = {}
    for path in sorted(wanted):
        best = max((one for one in _widen(path) if ours[one] == every[one]), key=ours.__getitem__)
        found[best] = ours[best]
    return found


def _widen(path: str) -> Iterator[str]:
    """Yield the patterns that match a path: itself first, and each with a star for some of its last parts."""
    parts = path.split("/")
    ways = product(*((part, "*") for part in parts[-_MOST_PARTS:]))
    return ("/".join([*parts[:-_MOST_PARTS], *way]) for way in ways)


def _match_here(pattern: str) -> list[str]:
    parts = PurePosixPath(pattern).parts
    named = [*takewhile(lambda part: _WILDCARD.search(part) is None, parts)]
    base = Path(*named)
    matches = sorted(match(parts[len(named) :], ".", WorkingTree(base)))
    return [os.path.normpath(base / one) for one in matches if not is_sharing_folder(base / one)]


def match(parts: tuple[str, ...], here: str, tree: Folders) -> Iterator[str]:
    """Yield what the rest of a pattern matches in a folder."""
    if not parts:
        if _is_package(tree.list(here)[1]):
            yield here
        return
    if here.count("/") >= MAX_LEVELS:
        return
    first, *rest = parts
    folders, files = tree.list(here)
    below = tuple(rest)
    if first == "**":
        yield from match(below, here, tree)
        for name in folders:
            if not name.startswith("."):
                yield from match(parts, _join(here, name), tree)
        return
    for name in folders:
        if _matches(name, first):
            yield from match(below, _join(here, name), tree)
    if not rest and first.endswith(MANIFESTS):
        yield from (_join(here, name) for name in files if _matches(name, first))


def _join(here: str, name: str) -> str:
    return name if here == "." else f"{here}/{name}"


def _is_package(files: Iterable[str]) -> bool:
    return any(
        name in _PACKAGED or (name.endswith(MANIFESTS) and not name.startswith("."))
        for name in files
    )


def _matches(name: str, part: str) -> bool:
    """Tell whether a part of a pattern matches a name.

    As in a shell, hidden ones must be asked for.
    """
    return fnmatchcase(name, part) and (not name.startswith(".") or part.startswith("."))
