"""Read what git stores of a repository, and what is in its working tree, without a change to either."""

import os
import re
import shutil
import subprocess
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from itertools import chain
from pathlib import Path, PurePosixPath
from types import MappingProxyType
from typing import IO

from krm_fn.base.named_tuple import NamedTuple
from krm_fn.base.problem import Problem, Rejected
from krm_fn.base.suggest import nearest
from krm_fn.tools.builds.builds import find_ways_out
from krm_fn.tools.common.files import KUSTOMIZATIONS, Allowance, prove_below
from krm_fn.tools.common.program import (
    Ended,
    Program,
    end_with_output,
    run_program,
    tell_everything,
    temporary_folder,
)

__all__ = ["LINK", "CheckedOut", "GitTree", "Repository"]

_SETTINGS = (
    *("core.hooksPath=/dev/null", "core.fsmonitor=false"),  # no program of the repository runs
    "safe.bareRepository=explicit",  # a folder of the tree may look like a repository
    "protocol.allow=never",  # older versions of git do not know GIT_NO_LAZY_FETCH
    # All files count, and nothing is fetched.
    *(
        "core.sparseCheckout=false",
        "submodule.recurse=false",
    ),
)

_VARIABLES = {
    "GIT_OPTIONAL_LOCKS": "0",  # `status` does not write the index of the repository
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_LITERAL_PATHSPECS": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_NO_LAZY_FETCH": "1",
    "LC_ALL": "C",
}

_KEPT = frozenset(
    {"GIT_CONFIG_COUNT", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM"}
)
_KEPT_PREFIXES = ("GIT_CONFIG_KEY_", "GIT_CONFIG_VALUE_")
"""Variables of git that a caller may set, as for safe.directory.

A hook of git sets others, such as GIT_DIR.
"""

_LEFT_OUT = "S"
"""The tag of a file in the index that git does not write into the working tree."""

_CHUNK = 1 << 20

_STORED_BY_FILTERS = (b"version https://git-lfs.github.com/spec/", b"\0GITCRYPT\0")
"""How a file begins that git-lfs or git-crypt has stored."""

_COMMIT = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_NAMES = ("for-each-ref", "--count=2000", "--format=%(refname:short)")
"""Lists names among which one is looked for: to compare a hundred thousand takes half a minute."""

_BATCH = ("cat-file", "--batch", "--buffer")
_CHANGES = (
    *("log", "--exclude=refs/stash", "--all", "--full-history"),
    *("--format=%H %P", "--no-color", "--no-show-signature"),
    *("--raw", "--no-abbrev", "--no-renames", "--diff-merges=first-parent"),
)
"""Prints of each commit that changes a file its id, those of its parents, and what it changes: `:mode mode old new`."""
_SEARCH = ("grep", "--files-with-matches", "-z", "-I", "--fixed-strings", "--no-textconv")
_HEADER = re.compile(rb"(?P<object>[0-9a-f]+) [a-z]+ (?P<size>[0-9]+)\n")
"""The line that git prints before each object of a batch."""


LINK, SUBMODULE = "120000", "160000"
"""Types of entries in a tree of git."""


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


class CheckedOut(NamedTuple):
    """A revision of a repository as files in `folder`.

    `submodules` are the paths of those, which are empty, `filtered` the files that git-lfs or
    git-crypt has stored.
    """

    folder: Path
    submodules: list[str]
    filtered: list[str]


class Repository:
    """The repository around a path. Raises Rejected where git fails.

    Whoever writes the tree cannot make git run a program: the repository is found once, from its
    own `.git`, and of a revision only objects are read. Attributes, filters and hooks have no say
    in that.
    """

    def __init__(self, path: Path, allowance: Allowance) -> None:
        self._allowance = allowance
        if shutil.which("git") is None:
            raise Rejected(Problem("krm-fn needs git on PATH to read a revision"))
        # No tree of git contains a `.git`, so this one is the user's. git checks whose it is.
        top = next(
            (parent for parent in (path, *path.parents) if os.path.lexists(parent / ".git")), None
        )
        if top is None:
            raise Rejected(Problem("is in no repository of git", file=str(path)))
        self.folder = self.git_folder = top
        command = ("rev-parse", "--show-toplevel", "--absolute-git-dir")
        found = self._read(command, self._end(["-C", str(top)], command)).splitlines()
        if len(found) != len(command[1:]):
            raise _cut(command)
        folder, git_folder = found
        self.folder, self.git_folder = Path(folder), Path(git_folder)
        self._place = ["-C", folder, f"--git-dir={git_folder}", f"--work-tree={folder}"]

    def find(self, path: str) -> str | None:
        """Return a path from the top of the repository, `.` for itself; None for one that is not in it.

        It is found in the text of the path: links may have led elsewhere in another revision.
        """
        for absolute in (Path(os.path.normpath(Path(path).absolute())), Path(path).resolve()):
            if "://" not in path and absolute.is_relative_to(self.folder):
                return absolute.relative_to(self.folder).as_posix()
        return None

    def resolve(self, revision: str) -> str:
        """Return the commit that a revision means."""
        command = ("rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")
        ended = self._end(self._place, command)
        # git is quiet about what is not there, and about nothing else.
        if ended.code and not ended.stderr.strip():
            names = self._ask(*_NAMES).splitlines()
            near = nearest(revision, names)
            question = f'did you mean "{near}"? ' if near else ""
            message = f'--against: "{revision}" is no revision of this repository'
            is_shallow = self._ask("rev-parse", "--is-shallow-repository").strip() == "true"
            advice = "this clone is shallow: run git fetch --unshallow" if is_shallow else _FETCH
            raise Rejected(Problem(f"{message}; {question}{advice}"))
        found = self._read(command, ended).strip()
        if _COMMIT.fullmatch(found) is None:
            raise _cut(command)
        return found

    def find_commits(self, names: Iterable[str]) -> list[str]:
        """Return the commits that some names mean, as far as they are there."""
        with temporary_folder() as folder:
            answers = self._look_up([f"{name}^{{commit}}" for name in names], folder)
        return [*dict.fromkeys(name for name, what, *_ in answers if what == "commit")]

    def find_bases(self, ours: str, theirs: str) -> list[str]:
        """Return the commits from which two branches have parted."""
        command = ("merge-base", "--all", ours, theirs)
        ended = self._end(self._place, command)
        if ended.code == 1 and not ended.stdout:  # they have nothing in common
            return []
        bases = self._read(command, ended).split()
        if not bases or not all(map(_COMMIT.fullmatch, bases)):
            raise _cut(command)
        return bases

    def find_changes(self, path: str, one: Path, other: Path) -> list[tuple[str, str]]:
        """Find the commits of all branches that turn one content of a file into another, or back.

        Return for each a commit with the one content, and one with the other: itself and the
        commit before it. Files hold the contents.
        """
        contents = self._ask("hash-object", "--no-filters", "--", str(one), str(other)).split()
        found: list[tuple[str, str]] = []
        commit, parents = "", list[str]()
        for line in self._ask(*_CHANGES, "--", path).splitlines():
            if line.startswith(":"):
                before_and_after = line.split()[2:4]
                if before_and_after == contents:
                    found.append((parents[0], commit))
                elif before_and_after == contents[::-1]:
                    found.append((commit, parents[0]))
            elif line:
                commit, *parents = line.split()
        return found

    def read_files(
        self, commit: str, paths: Iterable[str], is_read: Callable[[str], bool] = bool
    ) -> dict[str, bytes]:
        """Read the files at some paths of a commit and below, all without one, as git stores them.

        Links are none.
        """
        tree = GitTree(self._ask("ls-tree", "-r", "-z", "--full-tree", commit, "--", *paths))
        with temporary_folder() as folder:
            entries = tree.find_files(is_read)
            return dict(
                zip((one.path for one in entries), self._read_files(entries, folder), strict=True)
            )

    def find_uncommitted(self) -> list[str]:
        """Find the files of the working tree that differ from the last commit, untracked ones included."""
        filters = self._ask("config", "--name-only", "-z", "--list").split("\0")
        off: list[str] = []
        required: list[str] = []
        for name in filters:
            if name.startswith("filter.") and name.endswith((".clean", ".process")):
                off.append(name)
                required.append(f"{name.rpartition('.')[0]}.required")
        status = self._ask(
            *(
                "status",
                "--porcelain",
                "-z",
                "--untracked-files=normal",
                "--no-renames",
                "--ignore-submodules=dirty",
            ),
            settings={**dict.fromkeys(off, ""), **dict.fromkeys(required, "false")},
        )
        return [entry[3:] for entry in status.split("\0") if entry]

    def find_left_out(self) -> frozenset[str]:
        """Find the files that a sparse checkout leaves out of the working tree, and the folders that they are in."""
        listed = (entry.partition(" ") for entry in self._ask("ls-files", "-t", "-z").split("\0"))
        files = [PurePosixPath(file) for tag, _, file in listed if tag == _LEFT_OUT]
        absent = [file for file in files if not os.path.lexists(self.folder / file)]
        return frozenset(map(str, absent)).union(*(map(str, file.parents) for file in absent))

    def find_texts(self, words: Iterable[str]) -> list[str]:
        """Find the tracked text files of the working tree that contain one of some words, links apart."""
        with temporary_folder() as folder:
            asked = folder / "asked"
            asked.write_text("".join(f"{word}\n" for word in words))
            command = (*_SEARCH, "-f", str(asked))
            ended = self._end(self._place, command)
        if ended.code == 1 and not ended.stderr:  # there are none
            return []
        return self._read(command, ended).split("\0")[:-1]

    def list_tree(self, commit: str) -> GitTree:
        return GitTree(self._ask("ls-tree", "-r", "-z", "--full-tree", commit))

    @contextmanager
    def check_out(self, commit: str, paths: list[str]) -> Iterator[CheckedOut]:
        """Write the files of a commit into a temporary folder, as git stores them.

        At least those are there that are needed to render the paths, which begin at the top of the
        repository.
        """
        tree = self.list_tree(commit)
        with temporary_folder() as folder:
            written = folder / "tree"
            written.mkdir()
            try:
                needed = tree.find_needed(paths, lambda entries: self._read_files(entries, folder))
                filtered = self._write(needed, written, folder)
            except OSError as error:  # a full disk, or two names that are one to this file system
                name = os.path.relpath(error.filename or written, written)
                raise Rejected(
                    Problem(f"cannot write {name} of the revision: {error.strerror}")
                ) from error
            yield CheckedOut(written, tree.submodules, filtered)

    def _look_up(self, names: Iterable[str], folder: Path) -> list[list[str]]:
        """Return for each name what git says of it: an id, a type and a size, or that it is missing."""
        asked = folder / "asked"
        lines = [os.fsencode(name) for name in names]
        asked.write_bytes(b"".join(line + b"\n" for line in lines))
        command = ("cat-file", "--batch-check")
        answers = [
            answer.split(" ") for answer in self._ask(*command, stdin=asked).split("\n")[:-1]
        ]
        if len(answers) != len(lines) or not all(answer[1:] for answer in answers):
            raise _cut(command)
        return answers

    def _answer(self, entries: list[TreeEntry], folder: Path) -> Path:
        """Return a file with what git stores of some files, one after the other."""
        found = self._look_up((entry.object for entry in entries), folder)
        if any(one[1:] == ["missing"] for one in found):
            raise Rejected(Problem(_PARTIAL))
        answered = folder / "answered"
        self._ask(*_BATCH, stdin=folder / "asked", stdout=answered)
        return answered

    def _read_files(self, entries: list[TreeEntry], folder: Path) -> list[bytes]:
        """Read files of no great number and size."""
        with self._answer(entries, folder).open("rb") as answer:
            read = []
            for entry in entries:
                size = _read_size(answer, entry)
                self._allowance.take(size, entry.path)
                read.append(b"".join(_read_content(answer, size)))
        return read

    def _write(self, entries: list[TreeEntry], target: Path, folder: Path) -> list[str]:
        """Write files, and return those that a filter has stored."""
        entries = [entry for entry in entries if entry.type != SUBMODULE]
        links: list[tuple[Path, bytes]] = []
        filtered = []
        with self._answer(entries, folder).open("rb") as answer:
            for entry in entries:
                content = _read_content(answer, _read_size(answer, entry))
                file = prove_below(target / entry.path, target)
                file.parent.mkdir(parents=True, exist_ok=True)
                if entry.type == LINK:
                    links.append((file, b"".join(content)))
                else:
                    start = _write_new(file, content)
                    if start.startswith(_STORED_BY_FILTERS):
                        filtered += [entry.path]
        # Last: no file is written through a link.
        for file, leads_to in links:
            prove_below(file, target).symlink_to(os.fsdecode(leads_to))
        return filtered

    def _ask(
        self,
        *arguments: str,
        settings: Mapping[str, str] = MappingProxyType({}),
        stdin: Path | None = None,
        stdout: Path | None = None,
    ) -> str:
        return self._read(arguments, self._end(self._place, arguments, settings, stdin, stdout))

    def _end(
        self,
        place: Sequence[str],
        arguments: Sequence[str],
        settings: Mapping[str, str] = MappingProxyType({}),
        stdin: Path | None = None,
        stdout: Path | None = None,
    ) -> Ended:
        """Run git to its end, whatever that is."""
        fixed = chain.from_iterable(("-c", setting) for setting in _SETTINGS)
        command = ["git", *place, *fixed, *arguments]
        with ExitStack() as files:
            return run_program(
                Program(f"git {arguments[0]}", command, _environment(settings)),
                self._allowance,
                files.enter_context(stdin.open("rb")) if stdin else subprocess.DEVNULL,
                files.enter_context(stdout.open("wb")) if stdout else subprocess.PIPE,
            )

    def _read(self, arguments: Sequence[str], ended: Ended) -> str:
        """Return what git printed.

        Raises Rejected if it failed, and where its last line or entry has no end.
        """
        if ended.code:
            said = os.fsdecode(ended.stderr).strip()
            *_, last = ["", *said.splitlines()]
            everything = (
                tell_everything(f"git {arguments[0]}", said)
                if self._allowance.limits.is_verbose
                else []
            )
            said_last = end_with_output(last.removeprefix("fatal: "), self.folder)
            message = _PARTIAL if "promisor remote" in last else f"git {arguments[0]}{said_last}"
            raise Rejected(*everything, Problem(message))
        if ended.stdout and not ended.stdout.endswith(b"\0" if "-z" in arguments else b"\n"):
            raise _cut(arguments)
        return os.fsdecode(ended.stdout)


_FETCH = "if it is on a remote, run git fetch"

_PARTIAL = (
    "this clone lacks objects of the revision, and krm-fn fetches nothing; run git fetch --refetch --no-filter, or "
    "clone without --filter"
)


def _environment(settings: Mapping[str, str]) -> dict[str, str]:
    """Return the variables of git, with settings in whose names any character may be."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("GIT_") or name in _KEPT or name.startswith(_KEPT_PREFIXES)
    }
    count = int(kept.get("GIT_CONFIG_COUNT") or 0)
    for number, (name, value) in enumerate(settings.items(), start=count):
        kept |= {f"GIT_CONFIG_KEY_{number}": name, f"GIT_CONFIG_VALUE_{number}": value}
    return {**kept, **_VARIABLES, "GIT_CONFIG_COUNT": str(count + len(settings))}


def _cut(arguments: Sequence[str]) -> Rejected:
    """Return the error for an answer that cannot be all that git has to say, whatever its exit code is."""
    return Rejected(Problem(f"git {arguments[0]} has printed only a part of its answer"))


def _read_size(answer: IO[bytes], entry: TreeEntry) -> int:
    """Read what git says before the content of a file: its id, its type and its size."""
    line = answer.readline()
    found = _HEADER.fullmatch(line)
    if found is None or found["object"].decode() != entry.object:
        raise _cut(_BATCH)
    return int(found["size"])


def _read_content(answer: IO[bytes], size: int) -> Iterator[bytes]:
    """Yield the content of a file in chunks, and read the line break behind it."""
    while size:
        chunk = answer.read(min(size, _CHUNK))
        if not chunk:
            raise _cut(_BATCH)
        size -= len(chunk)
        yield chunk
    if answer.read(1) != b"\n":
        raise _cut(_BATCH)


def _write_new(file: Path, chunks: Iterable[bytes]) -> bytes:
    """Write a new file, and return how it begins."""
    start = b""
    with file.open("xb") as opened:
        for chunk in chunks:
            start = start or chunk
            opened.write(chunk)
    return start
