"""What git stores of a repository, without a change to it."""

import os
import shutil
import subprocess
from bisect import bisect_left
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from krm_fn.model.problem import Problem, Rejected
from krm_fn.naming.suggest import nearest
from krm_fn.render.kustomization import KUSTOMIZATIONS
from krm_fn.render.limits import Allowance
from krm_fn.render.program import Ended, run_program

_SETTINGS = (
    *("core.hooksPath=/dev/null", "core.fsmonitor=false"),  # no program of the repository runs
    "core.splitIndex=false",  # the index has no second part in the repository
    *("core.sparseCheckout=false", "submodule.recurse=false"),  # all files are written, and nothing is fetched
)

_LINK, _SUBMODULE = "120000", "160000"
"""Types of entries in the index of git."""

# POSIX has no mktemp, but every system has. The name is printed without a line break.
_KEEP_A_FOLDER = """
folder=$(mktemp -d "${TMPDIR:-/tmp}/krm-fn.XXXXXXXX") && printf '%s' "$folder" && exec >&- && cat > /dev/null
rm -rf -- "$folder"
"""


class CheckedOut(NamedTuple):
    """A revision of a repository as files in `folder`. `submodules` are the paths of those, which are empty."""

    folder: Path
    submodules: list[str]


class Repository:
    """The repository around a path. Raises Rejected where git fails."""

    def __init__(self, path: Path, allowance: Allowance) -> None:
        self._allowance = allowance
        if shutil.which("git") is None:
            raise Rejected(Problem("--against needs git on PATH"))
        where = next(parent for parent in (path, *path.parents) if parent.is_dir())
        self.folder = Path(self._run(where, "rev-parse", "--show-toplevel").removesuffix("\n"))
        self._git_folder = self._run(where, "rev-parse", "--absolute-git-dir").removesuffix("\n")

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
        ended = self._end(self.folder, *command)
        if ended.code and not ended.stderr.strip():  # it is quiet about what is not there, and about nothing else
            names = self._run(self.folder, "for-each-ref", "--format=%(refname:short)").splitlines()
            near = nearest(revision, names)
            question = f'did you mean "{near}"? ' if near else ""
            message = f'--against: "{revision}" is no revision of this repository'
            raise Rejected(Problem(f"{message}; {question}if it is on a remote, run git fetch"))
        return _read(command[0], ended).strip()

    def find_uncommitted(self) -> list[str]:
        """Find the files of the working tree that differ from the last commit, untracked ones included."""
        status = self._run(self.folder, "status", "--porcelain", "-z", "--untracked-files=normal", "--no-renames")
        return [entry[3:] for entry in status.split("\0") if entry]

    @contextmanager
    def check_out(self, commit: str, paths: list[str]) -> Iterator[CheckedOut]:
        """Write the files of a commit into a temporary folder, as a checkout would: with filters and line ends.

        At least those are there that are needed to render the paths, which begin at the top of the repository.
        """
        with temporary_folder() as folder:
            tree = folder / "tree"
            tree.mkdir()
            variables = {
                "GIT_INDEX_FILE": str(folder / "index"),
                "GIT_WORK_TREE": str(tree),
                "GIT_DIR": self._git_folder,
            }
            self._run(tree, "read-tree", commit, **variables)
            index = _Index(self._run(tree, "ls-files", "--stage", "-z", **variables))
            needed = index.find_needed(paths)
            if needed:
                self._run(tree, "checkout", "--quiet", "--", *needed, **variables)
            yield CheckedOut(tree, index.submodules)

    def _run(self, where: Path, *arguments: str, **variables: str) -> str:
        return _read(arguments[0], self._end(where, *arguments, **variables))

    def _end(self, where: Path, *arguments: str, **variables: str) -> Ended:
        """Run git to its end, whatever that is."""
        settings = [part for setting in _SETTINGS for part in ("-c", setting)]
        command = ["git", "-C", str(where), *settings, *arguments]
        # Without the lock, `status` does not write the index of the repository.
        environment = {
            **os.environ,
            "GIT_OPTIONAL_LOCKS": "0",
            "GIT_TERMINAL_PROMPT": "0",
            "GIT_LITERAL_PATHSPECS": "1",
        }
        ended = run_program(command, {**environment, "LC_ALL": "C", **variables}, self._allowance)
        if ended.too_slow:
            limit = f"{self._allowance.limits.timeout:g} s"
            raise Rejected(Problem(f"git {arguments[0]} was stopped: it may take {limit}; --timeout sets the limit"))
        if len(ended.stdout) > self._allowance.bytes:
            raise Rejected(self._allowance.too_large(f"git {arguments[0]}"))
        return ended


def _read(what: str, ended: Ended) -> str:
    """Return what git printed. Raises Rejected if it failed."""
    if ended.code:
        *_, last = ["", *os.fsdecode(ended.stderr).strip().splitlines()]
        raise Rejected(Problem(f"git {what}: {last.removeprefix('fatal: ')}"))
    return os.fsdecode(ended.stdout)


class _Index:
    """The files of a commit, from the output of `git ls-files --stage -z`."""

    def __init__(self, listed: str) -> None:
        entries = (entry.partition("\t") for entry in listed.split("\0") if entry)
        self._types = {path: what.partition(" ")[0] for what, _, path in entries}
        self._paths = sorted(self._types)

    @property
    def submodules(self) -> list[str]:
        return [path for path in self._paths if self._types[path] == _SUBMODULE]

    def find_needed(self, paths: list[str]) -> list[str]:
        """Return the paths that are there, or everything if more than these may be needed.

        The bases of a kustomization may be anywhere, and so may what a link leads to.
        """
        needed = [path for path in paths if path in self._types or self._below(path)]
        return ["."] if self._paths and any(map(self._may_lead_out, paths)) else needed

    def _may_lead_out(self, path: str) -> bool:
        above = [str(parent) for parent in PurePosixPath(path).parents]
        files = [path, *above, *self._below(path)]
        is_linked = any(self._types.get(file) == _LINK for file in files)
        return is_linked or path == "." or any(f"{path}/{name}" in self._types for name in KUSTOMIZATIONS)

    def _below(self, path: str) -> list[str]:
        start = bisect_left(self._paths, f"{path}/")
        return self._paths[start : bisect_left(self._paths, f"{path}0")]  # the character behind the slash


@contextmanager
def temporary_folder() -> Iterator[Path]:
    """Make a folder that is removed in the end, also if this process is killed.

    Another process makes it, and removes it when the pipe between them closes. Whatever ends this process closes it.
    """
    with subprocess.Popen(  # noqa: S603  # no part of the script is anybody's
        ["/bin/sh", "-c", _KEEP_A_FOLDER],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    ) as keeper:
        assert keeper.stdout is not None, "it is a pipe"  # noqa: S101  # for the type checker
        name = os.fsdecode(keeper.stdout.read())
        if not name:
            raise Rejected(Problem("cannot make a temporary folder; set TMPDIR to a folder with room in it"))
        yield Path(os.path.realpath(name))
