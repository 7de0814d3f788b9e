"""Write several files as one transaction: after a failure all are as before.

Each file is written beside its place first, under a hidden name that no tool takes for a manifest,
so that a full disk and a folder that cannot be written to are found before anything changes. Then
each is put in its place at once, in the order of the list. Who kills the process in between leaves
the first of them, and hidden files. So the order matters: nothing may need a file that comes later.
"""

import errno
import os
import secrets
import stat
from collections.abc import Collection, Iterable
from contextlib import suppress
from io import RawIOBase
from pathlib import Path

from krm_fn.base.named_tuple import NamedTuple
from krm_fn.base.problem import Problem, Rejected
from krm_fn.tools.common.files import real_path
from krm_fn.tools.common.program import held_signals

_NO_LINKS = frozenset({errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK})
"""The errors of file systems without hard links."""


class NewContent(NamedTuple):
    """The new content of a file, and the present one; `before` is None where there is no file.

    `data` is None where the file goes, and each folder that is empty without it but for those that
    are kept.
    """

    file: Path
    before: bytes | None
    data: bytes | None


def write_all(contents: Iterable[NewContent], kept: Collection[Path] = ()) -> None:
    """Write all files, or none.

    Raises OSError with the name of the file, and Rejected where one has changed.
    """
    transaction = _Transaction()
    with held_signals():
        try:
            for content in contents:
                transaction.prepare(content)
            transaction.commit()
        except BaseException:
            transaction.undo()
            raise
        finally:
            transaction.clean_up()
        transaction.remove_empty_folders({real_path(one) for one in kept})


class _Staged(NamedTuple):
    """A file with the new content beside its place, and one with the old content, to go back."""

    content: NewContent
    new: Path | None
    old: Path | None


class _Transaction:
    def __init__(self) -> None:
        self._folders: list[Path] = []
        self._temporary: list[Path] = []
        self._prepared: list[_Staged] = []
        self._done: list[_Staged] = []

    def prepare(self, content: NewContent) -> None:
        self._make_folder(content.file.parent)
        old, new = (
            None if data is None else self._write_beside(content.file, data)
            for data in (content.before, content.data)
        )
        self._prepared.append(_Staged(content, new, old))

    def commit(self) -> None:
        for one in self._prepared:
            _check_unchanged(one.content)
        for one in self._prepared:
            _put_in_place(one)
            self._done.append(one)
        for folder in dict.fromkeys(one.content.file.parent for one in self._prepared):
            _flush(folder)

    def undo(self) -> None:
        for one in reversed(self._done):
            if one.old:
                one.old.replace(one.content.file)
            else:
                one.content.file.unlink()
        self.clean_up()
        for folder in reversed(self._folders):
            # Nor does a folder that somebody has put something into meanwhile.
            with suppress(OSError):
                folder.rmdir()
        self._folders = []

    def clean_up(self) -> None:
        for file in self._temporary:
            with suppress(OSError):  # a hidden file that stays harms nobody
                file.unlink(missing_ok=True)

    def remove_empty_folders(self, kept: Collection[Path]) -> None:
        """Remove what the files that went leave empty, as git does, which knows no empty folders."""
        for one in self._prepared:
            folder = real_path(one.content.file.parent)
            with suppress(OSError):  # as it is not empty
                while one.new is None and folder not in kept:
                    folder.rmdir()
                    folder = folder.parent

    def _make_folder(self, folder: Path) -> None:
        if not folder.exists():
            self._make_folder(folder.parent)
            folder.mkdir()
            self._folders.append(folder)

    def _write_beside(self, file: Path, data: bytes) -> Path:
        # No tool takes the name for a manifest.
        beside = file.with_name(f".{file.name}.{secrets.token_hex(8)}.tmp")
        self._temporary.append(beside)
        try:
            with beside.open("xb", buffering=0) as opened:
                _write_whole(opened, data)
                if file.exists():
                    _copy_owner(file.stat(), opened.fileno())
                os.fsync(opened.fileno())
        except OSError as error:
            raise OSError(error.errno, error.strerror, str(file)) from error
        return beside


def _write_whole(opened: RawIOBase, data: bytes) -> None:
    # A disk that becomes full takes a part.
    if opened.write(data) != len(data):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def _put_in_place(one: _Staged) -> None:
    file = one.content.file
    try:
        if one.new is None:
            file.unlink()
            return
        if one.old:
            one.new.replace(file)
            return
        try:
            os.link(one.new, file)  # unlike a rename, it replaces nothing that has come meanwhile
        except OSError as error:
            if error.errno not in _NO_LINKS or os.path.lexists(file):
                raise
            one.new.rename(file)
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(file)) from error


def _check_unchanged(content: NewContent) -> None:
    now = content.file.read_bytes() if os.path.lexists(content.file) else None
    if now != content.before:
        raise Rejected(
            Problem("has changed while krm-fn was running; run it again", file=str(content.file))
        )


def _copy_owner(status: os.stat_result, descriptor: int) -> None:
    # Only root gives files away, and an owner changes the mode below.
    with suppress(PermissionError):
        os.fchown(descriptor, status.st_uid, status.st_gid)
    os.fchmod(descriptor, stat.S_IMODE(status.st_mode))


def _flush(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
