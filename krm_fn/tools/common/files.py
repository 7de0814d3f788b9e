"""Read files of a tree that somebody else wrote: within its root, regular ones only, and not more than is allowed."""

import os
import posixpath
import stat
import time
import unicodedata
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path, PurePosixPath
from typing import BinaryIO, NoReturn

from krm_fn.base.named_tuple import NamedTuple
from krm_fn.base.problem import Problem, Rejected
from krm_fn.base.settings import KIND

MAX_LEVELS = 100
"""The most folders in folders; real repositories stay under 20."""

MANIFESTS = (".yaml", ".yml", ".json")
"""How the names of files with manifests end."""

KUSTOMIZATIONS = ("kustomization.yaml", "kustomization.yml", "Kustomization")

SHARED = "krm"
"""The folder of a package that leads to a shared configuration."""

CHART = "Chart.yaml"

_LONGEST_NAME = 100
"""In bytes. Files have names of two such names, as of a chart and its version, and of 255 bytes at most."""

_CHUNK = 64 * 1024

_OTHER_TYPES = (
    (stat.S_ISDIR, "a directory"),
    (stat.S_ISFIFO, "a FIFO"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)

# What the shell has opened, as in `krm-fn render <(make-manifests)`. It is the caller's, and in no
# tree.
_OPENED_BY_THE_CALLER = ("/dev/stdin", "/dev/fd/", "/proc/self/fd/")


class Limits(NamedTuple):
    """The limits of a rendering, whatever the trees contain that it reads.

    `root`: nothing outside of it is read. Without one, a link must lead to the directory of its
    PATH. `no_remote`: nothing is fetched. `is_verbose`: all that the programs say is shown, values
    too. `are_fixed`: the command has no options that set them. `enable_helm`: kustomize may give
    charts to helm. `reads_anywhere`: it may read files below the root that are not in the folder of
    their kustomization. `is_share`: the bytes are only a part of those that are allowed, and other
    renderings have the rest. `named`: files of the command line that are read wherever they are, as
    nobody has set this root.
    """

    root: Path | None = None
    max_bytes: int = 100_000_000
    timeout: float = 300
    no_remote: bool = False
    is_verbose: bool = False
    are_fixed: bool = False
    enable_helm: bool = False
    reads_anywhere: bool = False
    is_share: bool = False
    named: frozenset[str] = frozenset()


DEFAULT_LIMITS = Limits()


class NeedsMore(Exception):
    """A rendering needs more than its share of the bytes. It may still be allowed."""


class Allowance:
    """The limits, and what is left of the bytes and seconds.

    One for all that a rendering reads and runs.

    `drafts` are files that are not written yet, by their real paths. They are read as if they were.
    """

    def __init__(self, limits: Limits, drafts: Mapping[Path, bytes] | None = None) -> None:
        self.limits = limits
        self.drafts = drafts or {}
        self.bytes = limits.max_bytes
        self.seconds = limits.timeout

    def take(self, size: int, name: str) -> None:
        """Subtract what was read. Raises Rejected if it was too much."""
        self.bytes -= size
        if self.bytes < 0:
            self.refuse(name)

    @contextmanager
    def timed(self) -> Iterator[None]:
        """Subtract the time that the block takes."""
        start = time.monotonic()
        try:
            yield
        finally:
            self.seconds -= time.monotonic() - start

    def refuse(self, name: str) -> NoReturn:
        """Raise Rejected, because more is to be read than there is left."""
        if self.limits.is_share:
            raise NeedsMore
        message = f"more than {self.limits.max_bytes} bytes are to be read"
        raise Rejected(Problem(f"{message}{self._advice('--max-bytes')}", file=name))

    def too_slow(self, name: str, program: str) -> Problem:
        message = f"{program} was stopped: all programs may take {self.limits.timeout:g} s together"
        return Problem(f"{message}{self._advice('--timeout')}", file=name)

    def _advice(self, option: str) -> str:
        return "" if self.limits.are_fixed else f"; {option} sets the limit"


def find_root(working: Path, source_path: str) -> Path:
    """Return the directory from which the path of the application leads to the working directory.

    A plugin runs in the directory of the application. If the path leads elsewhere, only that
    directory is the root.
    """
    parts = PurePosixPath(posixpath.normpath(source_path)).parts
    is_below = bool(parts) and working.parts[1:][-len(parts) :] == parts
    return working.parents[len(parts) - 1] if is_below else working


def read_named(name: str, allowance: Allowance) -> bytes:
    """Read a file that the command line names.

    Without a root that somebody has set, it may be a link to a file in its own directory.
    """
    if not name.startswith(_OPENED_BY_THE_CALLER):
        return _files_of(name, allowance).read(Path(name))
    try:
        with Path(name).open("rb") as opened:
            return read_all(opened, name, allowance)
    except OSError as error:
        raise Rejected(unreadable(name, error)) from error


def check_named(name: str, allowance: Allowance) -> None:
    """Check a file that the command line names, and that a program will read."""
    _files_of(name, allowance).check(Path(name))


def _files_of(name: str, allowance: Allowance) -> "Files":
    limits = allowance.limits
    root = None if name in limits.named else limits.root
    return Files(root or Path(name).parent, allowance)


def read_all(opened: BinaryIO, name: str, allowance: Allowance) -> bytes:
    """Read to the end, but not much more than is allowed."""
    chunks = []
    while chunk := opened.read(_CHUNK):
        allowance.take(len(chunk), name)
        chunks.append(chunk)
    return b"".join(chunks)


class Files:
    """The files that may be read.

    Every method raises Rejected with the path of a file that may not.
    """

    def __init__(self, root: Path, allowance: Allowance) -> None:
        self._root = root
        self._real_root = Path(os.path.realpath(root))
        self._allowance = allowance

    def read(self, file: Path) -> bytes:
        """Read a file, and count its bytes."""
        if self.is_draft(file):
            return self._allowance.drafts[real_path(file)]
        with self._open(file) as opened:
            return read_all(opened, str(file), self._allowance)

    def check(self, file: Path) -> None:
        """Check a file that a program will read, and count its bytes."""
        if self.is_draft(file):
            return
        with self._open(file) as opened:
            self._allowance.take(os.fstat(opened.fileno()).st_size, str(file))

    def is_draft(self, file: Path) -> bool:
        """Tell whether a file is read as it is going to be written."""
        drafts = self._allowance.drafts
        return bool(drafts) and real_path(file) in drafts

    def locate(self, path: Path) -> Path:
        """Return where a path leads through all its links, which is inside of the root."""
        real = Path(os.path.realpath(path, strict=True))
        if not real.is_relative_to(self._real_root):
            self._refuse_outside(path, real)
        return real

    def walk(self, folder: Path) -> Iterator[tuple[Path, list[str], list[str]]]:
        """Yield each folder, with the names of its folders and files, as `os.walk` does; linked folders too.

        The caller may remove names of folders that it does not want. A folder that is reached twice is read once: its
        objects would be applied twice, and links could make few folders look like millions. Links come last, so that
        what is in the tree is read where it is.
        """
        reached: set[Path] = set()
        pending = [folder]
        linked: list[Path] = []
        while pending or linked:
            here = pending.pop() if pending else linked.pop(0)
            real = self.locate(here)
            if real in reached:
                continue
            reached.add(real)
            if len(here.relative_to(folder).parts) > MAX_LEVELS:
                raise Rejected(
                    Problem(f"has more than {MAX_LEVELS} levels of folders", file=str(folder))
                )
            folders, names = _list(here)
            yield here, folders, names
            for below in (here / name for name in folders):
                (linked if below.is_symlink() else pending).append(below)

    @contextmanager
    def _open(self, file: Path) -> Iterator[BinaryIO]:
        try:
            real = self.locate(file)
            # Before it is opened: to open a device may have effects.
            _refuse_irregular(file, os.lstat(real))
            with open(real, "rb", opener=_open_at_once) as opened:  # Path.open has no `opener`
                # It may have been replaced since.
                _refuse_irregular(file, os.fstat(opened.fileno()))
                yield opened
        except OSError as error:
            raise Rejected(unreadable(str(file), error)) from error

    def _refuse_outside(self, path: Path, real: Path) -> NoReturn:
        way = "is" if real == path.absolute() else f"leads to {real},"
        message = (
            f"{way} outside of the root {self._root}; --root sets the directory that may be read"
        )
        raise Rejected(Problem(message, file=str(path)))


def _list(folder: Path) -> tuple[list[str], list[str]]:
    """Return the names of folders and of all else. Raises OSError if they cannot be listed."""
    with os.scandir(folder) as entries:
        kinds = sorted((entry.name, entry.is_dir()) for entry in entries)
    return [name for name, is_dir in kinds if is_dir], [
        name for name, is_dir in kinds if not is_dir
    ]


def real_path(path: Path) -> Path:
    """Return where a path leads through all its links. Nothing has to be there, nor be possible there."""
    with suppress(ValueError):  # a null byte
        return Path(os.path.realpath(path))
    return path


def without_dots(path: Path) -> Path:
    """Resolve `..` in the text of an absolute path, as Go does: two slashes at its beginning are one."""
    return Path("/", os.path.normpath(path).lstrip("/"))


def is_name(text: str) -> bool:
    """Tell whether a text of a tree can only name one file or folder, to any program, whatever it makes of Unicode."""
    plain = unicodedata.normalize("NFKC", text)
    is_one = {text, plain}.isdisjoint(("", ".", "..")) and not any(
        one in text + plain for one in "/\\"
    )
    return is_one and text.isprintable() and len(text.encode()) <= _LONGEST_NAME


def prove_below(path: Path, folder: Path) -> Path:
    """Return a path that leads below a folder.

    Raises Rejected for one that does not: nothing else may be changed.
    """
    if not real_path(path).is_relative_to(real_path(folder)):
        raise Rejected(
            Problem(f"leads out of {folder}, the only folder that may be changed", file=str(path))
        )
    return path


def _open_at_once(path: str, flags: int) -> int:
    """Open a file without waiting for the other end of a FIFO, and not through a link."""
    return os.open(path, flags | os.O_NONBLOCK | os.O_NOFOLLOW)


def _refuse_irregular(file: Path, status: os.stat_result) -> None:
    for is_type, name in _OTHER_TYPES:
        if is_type(status.st_mode):
            raise Rejected(Problem(f"is {name}; only regular files are read", file=str(file)))


def unreadable(name: str, error: OSError) -> Problem:
    return Problem((error.strerror or str(error)).lower(), file=name)


def built_from(directory: Path) -> str:
    """Return the file that a directory is built from; `""` for a plain folder of manifests."""
    return next((name for name in (*KUSTOMIZATIONS, CHART) if (directory / name).is_file()), "")


def is_sharing_folder(folder: Path) -> bool:
    """Tell whether a folder is that of a package which leads to a shared configuration.

    Another folder of this name is anything. What is wrong with this one, kustomize says when it builds it.
    """
    file = folder / KUSTOMIZATIONS[0]
    if folder.name != SHARED or not file.is_file():
        return False
    with suppress(OSError), file.open("rb") as opened:
        return KIND.encode() in opened.read(_CHUNK)
    return True  # who builds it says what cannot be read
