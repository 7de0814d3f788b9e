"""What git stores of a repository, without a change to it."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from krm_fn.model.problem import Problem, Rejected
from krm_fn.render.limits import Allowance
from krm_fn.render.program import run_program

_SETTINGS = ("core.hooksPath=/dev/null", "core.fsmonitor=false", "core.splitIndex=false")
"""No program of the repository runs, and the index that git writes has no second part in the repository."""

_SUBMODULE = "160000"

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

    def resolve(self, revision: str) -> str:
        """Return the commit that a revision means."""
        return self._run(self.folder, "rev-parse", "--verify", "--end-of-options", f"{revision}^{{commit}}").strip()

    def find_uncommitted(self) -> list[str]:
        """Find the files of the working tree that differ from the last commit, untracked ones included."""
        status = self._run(self.folder, "status", "--porcelain", "-z", "--untracked-files=normal", "--no-renames")
        return [entry[3:] for entry in status.split("\0") if entry]

    @contextmanager
    def check_out(self, commit: str) -> Iterator[CheckedOut]:
        """Write the files of a commit into a temporary folder, as a checkout would: with filters and line ends."""
        with temporary_folder() as folder:
            tree = folder / "tree"
            tree.mkdir()
            index = {"GIT_INDEX_FILE": str(folder / "index"), "GIT_WORK_TREE": str(tree), "GIT_DIR": self._git_folder}
            self._run(tree, "read-tree", commit, **index)
            self._run(tree, "checkout-index", "--all", "--quiet", **index)
            entries = self._run(tree, "ls-files", "--stage", "-z", **index).split("\0")
            submodules = [entry.partition("\t")[2] for entry in entries if entry.startswith(_SUBMODULE)]
            yield CheckedOut(tree, submodules)

    def _run(self, where: Path, *arguments: str, **variables: str) -> str:
        settings = [part for setting in _SETTINGS for part in ("-c", setting)]
        command = ["git", "-C", str(where), *settings, *arguments]
        # Without the lock, `status` does not write the index of the repository.
        environment = {**os.environ, "GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C", **variables}
        ended = run_program(command, environment, self._allowance)
        if ended.too_slow:
            raise Rejected(self._allowance.too_slow(str(where), "git"))
        if ended.code:
            *_, last = ["", *os.fsdecode(ended.stderr).strip().splitlines()]
            raise Rejected(Problem(f"git {arguments[0]}: {last.removeprefix('fatal: ')}"))
        return os.fsdecode(ended.stdout)


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
