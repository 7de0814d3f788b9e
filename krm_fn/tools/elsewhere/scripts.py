"""Lines of a repository's scripts and pages that name an object to kubectl, oc or helm.

No rendering shows them: a person or a job types such a name, long after the package was rendered.
"""

import os
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import cache, cached_property
from pathlib import Path
from typing import NamedTuple

from krm_fn.base import keys
from krm_fn.base.problem import Problem, Rejected, ResourceId, Severity, listing
from krm_fn.base.settings import Strategy
from krm_fn.tools.common.files import Allowance, Files, Limits, real_path

_MOST_FILES = 2_000
_MOST_FOLDERS = 2_000
_MOST_BYTES = 20_000_000
_LONGEST = 1_000_000
"""In bytes, of one file. Files that people write by hand are far smaller."""

MOST_LINES = 3
"""Lines that a message names."""

_SUFFIXES = (".sh", ".bash", ".md", ".py", ".mk")
_NAMES = frozenset({"makefile", "justfile", "jenkinsfile", ".gitlab-ci.yml", "taskfile.yml"})
_OF_CI = frozenset({".github", ".gitlab", ".circleci", ".tekton"})
"""Folders whose YAML holds scripts. All other hidden folders are passed over."""

_OF_OTHERS = frozenset({"node_modules", "vendor", "third_party"})
"""Folders that a repository copies from elsewhere."""

_PROGRAMS = frozenset({"kubectl", "oc", "helm"})
_KINDS = {
    "ConfigMap": frozenset({"configmap", "configmaps", "cm"}),
    "Secret": frozenset({"secret", "secrets"}),
}
_ALL_KINDS = frozenset().union(*_KINDS.values())
_TELLING = re.compile(r"configmap|\bcm\b|secret", re.IGNORECASE)
_ENDS_A_COMMAND = re.compile(r"&&|\|\|?|;|\$\(")
_BETWEEN_WORDS = re.compile(r"[\s`'\"()\[\],*]+")
_TYPES_OF_SECRETS = frozenset({"generic", "tls", "docker-registry"})
_TAKE_A_VALUE = frozenset(
    {
        *("-n", "--namespace", "--context", "--kubeconfig", "-f", "--filename", "-l", "--selector"),
        *("-o", "--output", "-p", "--patch", "--type", "--field-manager", "--key", "--cert"),
        *("--from-file", "--from-literal", "--from-env-file"),
    }
)
"""Options of kubectl whose value is the next word, and no name of an object."""

_PATH_OF_A_VALUE = re.compile(r"[\w.\[\]]+")
_KIND_IN_A_PATH = re.compile("secret|config_?map", re.IGNORECASE)
"""As in `--set auth.existingSecret=NAME`. One pattern for both would look at a long word again from each place."""

_BUILDS = re.compile(
    r"\bkustomize\s+build\b|\A(?>.*?\b(?:kubectl|oc)\s)(?:.*\s)?(?:-k|(?:--)?kustomize)\b"
)
_RUNS_FUNCTIONS = "--enable-alpha-plugins"
_LONGEST_NAME = 200
_MOST_LINKS = 40
"""Links that a path leads through, as on Linux."""

_BEGINS_WITH_A_VARIABLE = re.compile(r"(?:\$\{\w[^}]*\}|\$\w+|\{\w+\}|<[\w-]+>)-(?P<rest>.+)")


class _Named(NamedTuple):
    """A word of a command that names an object of a kind, and its place."""

    place: str
    kind: str
    word: str


class _Build(NamedTuple):
    """A command that builds something with kustomize, its words, and the folder of its script."""

    place: str
    words: list[str]
    folder: Path


class _Commands(NamedTuple):
    """The commands of all scripts that name an object, and those that build something with kustomize."""

    named: list[_Named]
    builds: list[_Build]


class ScriptsOfRepository:
    """The scripts and pages around a path: in its repository or, with `is_everywhere`, in the path itself.

    Nothing outside of the root that the limits set is read. The search ends silently after some
    thousand files: it is an advice, and proves nothing.
    """

    def __init__(self, path: Path, limits: Limits, *, is_everywhere: bool = False) -> None:
        self._top = find_top(path, limits, is_everywhere=is_everywhere)

    def find(self, renamed: Iterable[ResourceId]) -> Iterator[Problem]:
        """Find lines that name one of these objects, which are the renamed ones, by their base names."""
        find_lines = cache(self._find_lines)  # many namespaces may have an object of one name
        for who in renamed:
            found = find_lines(who.kind, who.name)
            if found:
                message = (
                    f"named in {found}: a command there finds no object, as the name changes "
                    f"with the content; change that, or annotate the {who.kind} with {keys.STRATEGY}: {Strategy.IGNORE}"
                )
                yield Problem(message, who, severity=Severity.WARNING)

    def _find_lines(self, kind: str, name: str) -> str:
        """List the lines that name objects; "" if there are none."""
        order = sorted(self._find_meant(kind, name))
        found = dict.fromkeys(self._named[one].place for one in order)
        return listing(found, MOST_LINES) if found else ""

    def _find_meant(self, kind: str, name: str) -> Iterator[int]:
        """Yield the positions in `_named` of what means such an object."""
        for one in _KINDS.get(kind, ()):
            yield from self._whole.get((one, name), ())
            for dash in re.finditer("-", name):
                yield from self._behind_variables.get((one, name[dash.end() :]), ())

    @cached_property
    def _whole(self) -> dict[tuple[str, str], list[int]]:
        """The positions of each kind and name."""
        found: dict[tuple[str, str], list[int]] = defaultdict(list)
        for position, one in enumerate(self._named):
            found[one.kind, one.word].append(position)
        return found

    @cached_property
    def _behind_variables(self) -> dict[tuple[str, str], list[int]]:
        """The positions of each kind and end of a name: the variable in front is a release's name, most often.

        A single word behind it would be that of many packages.
        """
        found: dict[tuple[str, str], list[int]] = defaultdict(list)
        for position, one in enumerate(self._named):
            variable = _BEGINS_WITH_A_VARIABLE.fullmatch(one.word)
            if variable and "-" in variable["rest"]:
                found[one.kind, variable["rest"]].append(position)
        return found

    def find_builds(self, directory: Path) -> list[str]:
        """Find the lines that build a directory with kustomize, and let it run no functions.

        A line that names other folders of the repository, and not this one, builds those. One that
        names none may build any.
        """
        if self._top is None:
            return []
        real = real_path(directory)
        found: dict[str, None] = {}
        for one in self._commands.builds:
            named = _find_folders(one.words, self._top, one.folder)
            if not named or real in named:
                found[one.place] = None
        # What runs comes before what people read.
        return sorted(found, key=_is_page)

    @property
    def _named(self) -> list[_Named]:
        return self._commands.named

    @cached_property
    def _commands(self) -> "_Commands":
        """All that is looked for in the scripts, which are read once."""
        commands = _Commands([], [])
        if self._top is None:
            return commands
        for shown, text in read_texts(self._top, _is_script):
            commands.named.extend(_read(shown, text))
            commands.builds.extend(_read_builds(self._top / shown, shown, text))
        return commands


def _is_page(place: str) -> bool:
    return place.rpartition(":")[0].lower().endswith(".md")


def _find_folders(words: Iterable[str], top: Path, start: Path) -> set[Path]:
    """Find the folders of a repository that words of a command name, from its top or from `start`.

    Nothing outside of the repository is looked up: it says nothing about the repository.
    """
    found: set[Path] = set()
    for word in {*words}:
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


def find_top(path: Path, limits: Limits, *, is_everywhere: bool) -> Path | None:
    """Return the top of the repository around a path, or the path itself, below the root of the limits."""
    start = real_path(path)
    above = (start, *start.parents)
    repository = next((one for one in above if os.path.lexists(one / ".git")), None)
    top = repository or (start if is_everywhere and start.is_dir() else None)
    if top is not None and limits.root is not None:
        return _inner(top, real_path(limits.root))
    return top


def _inner(top: Path, root: Path) -> Path | None:
    """Return which of two folders is in the other; None if neither is."""
    if root.is_relative_to(top):
        return root
    return top if top.is_relative_to(root) else None


def read_texts(top: Path, is_wanted: Callable[[Path, str], bool]) -> Iterator[tuple[str, str]]:
    """Yield the files that are wanted by their folder and name, each as its path below `top` and its text.

    It ends silently where there is more than is searched.
    """
    files = Files(top, Allowance(Limits(max_bytes=_MOST_BYTES)))
    with suppress(OSError, Rejected):
        for file in _find_files(top, files, is_wanted):
            if file.stat().st_size > _LONGEST:
                continue
            try:
                text = files.read(file).decode(errors="replace")
            except Rejected:
                if not file.is_file():
                    continue  # a pipe, or what is gone
                raise
            yield file.relative_to(top).as_posix(), text


def _find_files(top: Path, files: Files, is_wanted: Callable[[Path, str], bool]) -> Iterator[Path]:
    found = 0
    for seen, (folder, folders, names) in enumerate(files.walk(top), 1):
        # A link may lead to what is read where it is, or out of the repository.
        folders[:] = [
            one for one in folders if _is_searched(one) and not (folder / one).is_symlink()
        ]
        for name in names:
            if is_wanted(folder.relative_to(top), name) and not (folder / name).is_symlink():
                found += 1
                yield folder / name
        if seen >= _MOST_FOLDERS or found >= _MOST_FILES:
            return


def _is_searched(folder: str) -> bool:
    return folder in _OF_CI or not (folder.startswith(".") or folder in _OF_OTHERS)


def _is_script(folder: Path, name: str) -> bool:
    lower = name.lower()
    is_of_ci = not _OF_CI.isdisjoint(folder.parts) and lower.endswith((".yml", ".yaml"))
    return is_of_ci or lower in _NAMES or lower.endswith(_SUFFIXES)


def _read(shown: str, text: str) -> Iterator[_Named]:
    if not _TELLING.search(text):
        return
    for number, command in _join_lines(text):
        if _TELLING.search(command):
            for kind, word in _find_named(command):
                yield _Named(f"{shown}:{number}", kind, word)


def _read_builds(file: Path, shown: str, text: str) -> Iterator[_Build]:
    """Yield the commands that let kustomize build something, and run no functions."""
    if not ("kustomize" in text or "-k" in text):
        return
    for number, command in _join_lines(text):
        if _BUILDS.search(command) is not None and _RUNS_FUNCTIONS not in command:
            yield _Build(f"{shown}:{number}", _BETWEEN_WORDS.split(command), file.parent)


def _join_lines(text: str) -> Iterator[tuple[int, str]]:
    """Yield each command with the number of its first line: a line that ends in a backslash goes on."""
    number, lines = 0, list[str]()
    for position, line in enumerate(text.splitlines(), 1):
        number = number if lines else position
        if line.endswith("\\"):
            lines.append(line[:-1])
            continue
        yield number, " ".join([*lines, line])
        lines = []


def _find_named(line: str) -> Iterator[tuple[str, str]]:
    """Yield each kind and name in a line: `kubectl get cm NAME`, `secret/NAME`, `--set existingSecret=NAME`."""
    for command in _ENDS_A_COMMAND.split(line):
        words = [word.rstrip(".:") for word in _BETWEEN_WORDS.split(command)]
        for word in words:
            kind, slash, name = word.partition("/")
            if slash and kind.lower() in _ALL_KINDS:
                yield kind.lower(), name
        programs = [word.rsplit("/", 1)[-1] in _PROGRAMS for word in words]
        if any(programs):
            yield from _find_arguments(words[programs.index(True) + 1 :])


def _find_arguments(words: list[str]) -> Iterator[tuple[str, str]]:
    """Yield the names behind a kind, without the options between them, and those in values of options."""
    kinds: set[str] = set()
    is_behind_kind = is_value = False
    for word in words:
        path, _, name = word.partition("=")
        told = _KIND_IN_A_PATH.findall(path) if name and _PATH_OF_A_VALUE.fullmatch(path) else []
        if told:
            yield told[-1].lower().replace("_", ""), name
        if is_value or word in _TAKE_A_VALUE:
            is_value = not is_value
        elif word.lower() in _ALL_KINDS:
            kinds = {*kinds, word.lower()} if is_behind_kind else {word.lower()}
        elif word and not word.startswith("-") and word not in _TYPES_OF_SECRETS:
            yield from ((kind, word) for kind in kinds)
        is_behind_kind = word.lower() in _ALL_KINDS
