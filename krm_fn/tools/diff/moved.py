"""Find new packages that were elsewhere before: by their files, as git finds that a file was renamed."""

from collections.abc import Collection, Mapping
from difflib import SequenceMatcher
from itertools import takewhile
from pathlib import Path, PurePosixPath
from typing import TypeAlias

from krm_fn.base.named_tuple import NamedTuple
from krm_fn.base.problem import Rejected
from krm_fn.tools.common.files import Allowance, Files
from krm_fn.tools.common.patterns import NEVER

_LEAST = 0.5
"""How much alike two packages are at least, as two files are for `git diff --find-renames`."""

_MOST_PAIRS = 10_000
"""Packages that are compared with one another. Above, only equal files tell."""

Contents: TypeAlias = Mapping[str, bytes]
"""The files of a package, by their paths within it."""


class _Likeness(NamedTuple):
    """How much two packages are alike: in their files, and then in their paths."""

    files: float
    path: int


def read_files(folder: Path, allowance: Allowance) -> Contents:
    """Read all files of a folder; none where one of them cannot be read."""
    files = Files(folder, allowance)
    found: dict[str, bytes] = {}
    try:
        for here, folders, names in files.walk(folder):
            folders[:] = [name for name in folders if name != NEVER]
            for name in names:
                file = here / name
                found[str(file.relative_to(folder))] = files.read(file)
    except (OSError, Rejected):
        # What cannot be read has been said where it was rendered.
        return {}
    return found


def find_moved(removed: Mapping[str, Contents], added: Mapping[str, Contents]) -> dict[str, str]:
    """Return for each package that is new the one that it was, where there is one; each once.

    Those that are most alike come first. Of equal ones, as overlays of one application may be, the
    paths tell.
    """
    is_close = len(removed) * len(added) <= _MOST_PAIRS
    alike: list[tuple[_Likeness, str, str]] = []
    for new, files in added.items():
        for old, before in removed.items():
            likeness = _compare(old, before, new, files, is_close=is_close)
            if likeness.files >= _LEAST:
                alike.append((likeness, new, old))
    alike.sort(key=lambda one: (-one[0].files, -one[0].path, one[1:]))
    found: dict[str, str] = {}
    for _, new, old in alike:
        if new not in found and old not in found.values():
            found[new] = old
    return found


def _compare(old: str, before: Contents, new: str, files: Contents, *, is_close: bool) -> _Likeness:
    size = sum(map(len, before.values())) + sum(map(len, files.values()))
    common = 0.0
    rest = dict(before)
    # Equal files first, under whatever name.
    by_content = {data: name for name, data in before.items()}
    unequal: list[str] = []
    for name, data in files.items():
        twin = by_content.get(data)
        if twin is not None and rest.pop(twin, None) is not None:
            common += 2 * len(data)
        else:
            unequal.append(name)
    for name in unequal:
        if is_close and name in rest:
            common += _share(rest[name], files[name]) * (len(rest[name]) + len(files[name]))
    likeness = round(common / size, 2) if size else 0
    return _Likeness(likeness, _count_common(old, new))


def _share(before: bytes, after: bytes) -> float:
    """Return the part of two texts that they have in common, by words: a renamed service has its name in most lines."""
    return SequenceMatcher(None, before.split(), after.split(), autojunk=False).ratio()


def _count_common(old: str, new: str) -> int:
    """Count the folders at the end, and at the beginning, that two paths have in common."""
    before, after = PurePosixPath(old).parts, PurePosixPath(new).parts
    behind = _count_equal(before[::-1], after[::-1])
    return behind * 100 + _count_equal(before, after)


def _count_equal(first: Collection[str], second: Collection[str]) -> int:
    pairs = zip(first, second, strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
