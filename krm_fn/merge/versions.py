"""The versions of a package that git merges: found by the file that a merge driver gets, in the commits being merged.

git tells a driver the contents of one file, and since version 2.45 what it calls the sides. So commits are guessed from
that, from git's variables and from its notes of a rebase, and one counts if the file in it is the one of the driver.
"""

import os
import re
import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from krm_fn.diff.git import Repository, temporary_folder
from krm_fn.merge.merge import Merged, NotOurs, PackageFiles, Versions, find_configuration, merge
from krm_fn.model.problem import Outcome, Problem, Rejected, Severity
from krm_fn.model.settings import CONFIG_FILE, KPTFILE, Environment
from krm_fn.render.files import MANIFESTS, Allowance, unreadable
from krm_fn.render.program import run_program
from krm_fn.wire.results import stderr_lines

_MOST_CONFLICTS = 127
"""Of a file, in the exit code of git. Higher ones are errors, which end the whole merge."""

_LABEL = re.compile(r"(?P<parent>parent of )?(?P<commit>\S+)")
_VARIABLE = "GITHEAD_"
"""How a variable begins that `git merge` sets for each commit; the rest is the commit."""

_HEADS = ("MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "REBASE_HEAD")
_REBASE = "rebase-merge/done"
"""Where git notes the commits of a rebase before it takes them over, the present one last."""


class DriverCall(NamedTuple):
    """What git passes to a merge driver: files with the versions of one file, its path, and more.

    `labels` are what git calls the versions. A version of git that does not know a placeholder passes it as it is.
    """

    files: Versions[Path]
    path: str = ""
    marker_size: str = ""
    labels: tuple[str, ...] = ()


def drive(call: DriverCall, environment: Environment, allowance: Allowance) -> Outcome:
    """Merge a file, and write the answer where git expects it. The exit code is 1 for a conflict.

    What belongs to no package of this function is merged as git does, and whatever goes wrong is a reason to do so.
    """
    try:
        texts = Versions(*(file.read_bytes() for file in call.files))
        merged, remarks = _merge(call, texts, environment, allowance)
        call.files.ours.write_bytes(merged.data)
    except OSError as error:
        return Outcome(b"", stderr_lines([unreadable(str(error.filename), error)]), _MOST_CONFLICTS + 2)
    except Rejected as rejected:
        return Outcome(b"", stderr_lines(rejected.problems), _MOST_CONFLICTS + 2)
    return Outcome(b"", stderr_lines(remarks), int(merged.has_conflict))


def _merge(
    call: DriverCall, texts: Versions[bytes], environment: Environment, allowance: Allowance
) -> tuple[Merged, list[Problem]]:
    def merge_texts(versions: Versions[bytes]) -> Merged:
        return merge_as_git(versions, allowance, call.marker_size)

    try:
        path, packages = _find_packages(call, texts, allowance)
        merged = merge(path, packages, merge_texts, environment)
    except NotOurs:
        return merge_texts(texts), []
    except Rejected as rejected:
        message = f"merged as git does: {rejected.problems[0]}"
        return merge_texts(texts), [Problem(message, severity=Severity.WARNING, file=call.path)]
    if not merged.unrendered:
        return merged, []
    message = f"merged, but not rendered: {merged.unrendered}; render the package before you deploy it"
    return merged, [Problem(message, severity=Severity.WARNING, file=call.path)]


def merge_as_git(texts: Versions[bytes], allowance: Allowance, marker_size: str = "") -> Merged:
    """Merge three texts as git does, with its markers around a conflict."""
    if shutil.which("git") is None:
        raise Rejected(Problem("a merge needs git on PATH"))
    size = ("--marker-size", marker_size) if marker_size.isdecimal() else ()
    labels = [part for name in ("ours", "base", "theirs") for part in ("-L", name)]
    with temporary_folder() as folder:
        for name, data in texts._asdict().items():
            (folder / name).write_bytes(data)
        files = [str(folder / name) for name in ("ours", "base", "theirs")]
        ended = run_program(["git", "merge-file", "-p", *size, *labels, *files], os.environ, allowance)
    if not 0 <= ended.code <= _MOST_CONFLICTS:
        raise Rejected(Problem(f"git merge-file failed with exit code {ended.code}"))
    return Merged(ended.stdout, bool(ended.code))


def _find_packages(
    call: DriverCall, texts: Versions[bytes], allowance: Allowance
) -> tuple[str, Versions[PackageFiles]]:
    """Find the path of the file in its package, and the package. Raises Rejected if the commits are not to be found."""
    if not call.path:
        raise Rejected(Problem("the driver gets no path; add %P to its command"))
    repository = Repository(Path.cwd(), allowance)
    head, *theirs = repository.find_commits(["HEAD", *_guess(call.labels, repository.git_folder)])
    folder = next(filter(None, (_find_folder(repository, one, call.path) for one in (head, *theirs))), None)
    if folder is None:
        raise NotOurs
    bases = [base for one in theirs for base in repository.find_bases(head, one)]
    bases += repository.find_commits(f"{one}^" for one in theirs)  # of a cherry-pick and a rebase
    path = str(PurePosixPath(call.path).relative_to(folder))
    packages = {one: _read_package(repository, one, folder) for one in dict.fromkeys((head, *theirs, *bases))}
    found = [
        next((packages[one] for one in guesses if packages[one].get(path, b"") == text), None)
        for text, guesses in zip(texts, (bases + theirs, [head, *theirs], theirs), strict=True)
    ]
    known = [one for one in found if one is not None]
    if len(known) < len(found):
        raise Rejected(Problem("the commits are not to be found that git merges"))
    return path, Versions(*known)


def _guess(labels: Iterable[str], git_folder: Path) -> Iterator[str]:
    """Yield names of commits that may be merged."""
    for found in filter(None, map(_LABEL.match, labels)):
        yield f"{found['commit']}^" if found["parent"] else found["commit"]
    yield from (name.removeprefix(_VARIABLE) for name in os.environ if name.startswith(_VARIABLE))
    notes = git_folder / _REBASE
    if notes.is_file():
        yield from notes.read_text().splitlines()[-1].split()[1:2]
    yield from _HEADS


def _find_folder(repository: Repository, commit: str, path: str) -> str | None:
    """Find the nearest folder around a file where something configures krm-fn."""
    parents = [*map(str, PurePosixPath(path).parents)]
    files = repository.read_files(commit, [_below(one, name) for one in parents for name in (KPTFILE, CONFIG_FILE)])
    for parent in parents:
        beside = {name: files[_below(parent, name)] for name in (KPTFILE, CONFIG_FILE) if _below(parent, name) in files}
        if CONFIG_FILE in beside or find_configuration(beside) is not None:
            return parent
    return None


def _read_package(repository: Repository, commit: str, folder: str) -> PackageFiles:
    def is_read(path: str) -> bool:
        name = path.rpartition("/")[2]
        return name == KPTFILE or (name.endswith(MANIFESTS) and not name.startswith("."))

    found = repository.read_files(commit, [] if folder == "." else [folder], is_read)
    return {str(PurePosixPath(path).relative_to(folder)): data for path, data in found.items()}


def _below(folder: str, name: str) -> str:
    return str(PurePosixPath(folder, name))
