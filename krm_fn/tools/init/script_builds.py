"""Find the lines of a repository's scripts and pages that build a directory with kustomize, and of jobs that name it.

A line that lets kustomize run functions is none of them.
"""

import os
import re
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path, PurePosixPath

from krm_fn.base.settings import PROGRAM
from krm_fn.tools.common.files import real_path
from krm_fn.tools.elsewhere.elsewhere import TextsOfRepository, is_of_ci

_SUFFIXES = (".sh", ".bash", ".md", ".py", ".mk")
_NAMES = frozenset({"makefile", "justfile", "jenkinsfile"})

_BETWEEN_WORDS = re.compile(r"[\s`'\"()\[\],*]+")
_BUILDS = re.compile(
    r"\bkustomize\s+build\b|\A(?>.*?\b(?:kubectl|oc)\s)(?:.*\s)?(?:-k|(?:--)?kustomize)\b"
)
_RUNS_FUNCTIONS = "--enable-alpha-plugins"
_LONGEST_NAME = 200
_MOST_LINKS = 40
"""Links that a path leads through, as on Linux."""


def find_builds(texts: TextsOfRepository, directory: Path) -> list[str]:
    """Find the lines that build a directory with kustomize, and let it run no functions.

    A line that names other folders of the repository, and not this one, builds those. One that
    names none may build any. A job may name it in one line, and build it in another.
    """
    if texts.top is None:
        return []
    real = real_path(directory)
    found: dict[str, None] = {}
    find_folders = cache(_find_folders)  # a script may repeat a command many times
    for path, text in texts.find(("kustomize", "-k", real.name), _is_script):
        name = real.name if is_of_ci(path) and PROGRAM not in text else ""
        for number, command in _find_commands(text, name):
            words = frozenset(_BETWEEN_WORDS.split(command))
            named = find_folders(words, texts.top, (texts.top / path).parent)
            if real in named or not (named or _BUILDS.search(command) is None):
                found[f"{path}:{number}"] = None
    # What runs comes before what people read.
    return sorted(found, key=_is_page)


def _is_page(place: str) -> bool:
    return place.rpartition(":")[0].lower().endswith(".md")


def _find_folders(words: frozenset[str], top: Path, start: Path) -> set[Path]:
    """Find the folders of a repository that words of a command name, from its top or from `start`.

    Nothing outside of the repository is looked up: it says nothing about the repository.
    """
    found: set[Path] = set()
    for word in words:
        if word in ("", "/") or len(Path(word).name) >= _LONGEST_NAME:
            continue
        for path in (top / word, start / word):
            # A word of a page may be longer than any path, or hold what no path does.
            with suppress(OSError, ValueError):
                folder = _locate_within(top, path)
                if folder is not None and folder.is_dir():
                    found.add(folder)
    return found


def _locate_within(top: Path, path: Path) -> Path | None:
    """Return where a path leads through all its links; None if that is not in a folder."""
    for _ in range(_MOST_LINKS):
        plain = Path(os.path.normpath(path))
        if not plain.is_relative_to(top):
            return None
        link = _find_link(top, plain)
        if link is None:
            return plain
        path = link.parent / link.readlink() / plain.relative_to(link)
    return None


def _find_link(top: Path, path: Path) -> Path | None:
    """Return the first link on the way from a folder to what is below it."""
    here = top
    for part in path.relative_to(top).parts:
        here /= part
        if here.is_symlink():
            return here
        if not here.exists():
            break
    return None


def _is_script(path: PurePosixPath) -> bool:
    lower = path.name.lower()
    is_job = is_of_ci(path) and lower.endswith((".yml", ".yaml"))
    return is_job or lower in _NAMES or lower.endswith(_SUFFIXES)


def _find_commands(text: str, name: str) -> Iterator[tuple[int, str]]:
    """Yield the commands that let kustomize build something, and run no functions; with a name, all that have it."""
    if not ("kustomize" in text or "-k" in text or name):
        return
    for number, command in _join_continued(text):
        is_told = _BUILDS.search(command) is not None or (name and name in command)
        if is_told and _RUNS_FUNCTIONS not in command:
            yield number, command


def _join_continued(text: str) -> Iterator[tuple[int, str]]:
    """Yield each command with the number of its first line: a line that ends in a backslash goes on."""
    number, lines = 0, list[str]()
    for position, line in enumerate(text.splitlines(), 1):
        number = number if lines else position
        if line.endswith("\\"):
            lines.append(line[:-1])
            continue
        yield number, " ".join([*lines, line])
        lines = []
