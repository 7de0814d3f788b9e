"""The versions of a package that git merges: found by the file that a merge driver gets, in the commits being merged.

git tells a driver the contents of one file, and since version 2.45 what it calls the sides. So commits are guessed from
that, from git's variables and from its notes of a rebase, and one counts if the file in it is the one of the driver.
"""

import os
import re
import secrets
import shutil
from collections.abc import Iterable, Iterator
from hashlib import sha256
from pathlib import Path, PurePosixPath

from krm_fn.base.item import HASH
from krm_fn.base.named_tuple import NamedTuple
from krm_fn.base.problem import Outcome, Problem, Rejected, Severity
from krm_fn.base.settings import CONFIG_FILE, KPTFILE, Environment
from krm_fn.report.secrets import stderr_lines
from krm_fn.tools.common.files import MANIFESTS, Allowance, Limits, unreadable
from krm_fn.tools.common.program import Program, run_program, temporary_folder
from krm_fn.tools.git.git import Repository
from krm_fn.tools.merge.merge_package import (
    Merged,
    NotOurs,
    PackageFiles,
    Versions,
    find_in_package,
    merge,
)

__all__ = [
    "DriverCall",
    "Versions",
    "drive",
]

_MOST_CONFLICTS = 127
"""The most conflicts of a file, in the exit code of git."""

_FAILED = 129
"""Ends the whole merge from version 2.42 of git on.

Before that, it is a conflict, as every other exit code but 0.
"""

_LABEL = re.compile(r"(?P<parent>parent of )?(?P<commit>\S+)(?: \(.*\))?", re.DOTALL)
"""The name of a side in git: a commit with its subject, or what somebody has typed.

For a patch it is a subject alone.
"""

_MARKER_SIZE = 7
_REVISION = re.compile(rb"(?<![\w.-])([\w.-]*)-" + HASH.encode() + rb"(?![\w-])")
"""A name with a hash. It is found in the text, of which nothing more than that needs to be known."""

_VARIABLE = "GITHEAD_"
"""How a variable begins that `git merge` sets for each commit; the rest is the commit."""

_HEADS = ("MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "REBASE_HEAD")
_REBASE = "rebase-merge/done"
"""Where git notes the commits of a rebase before it takes them over, the present one last."""

_PATCHES = "rebase-apply/applying"
"""The file that is there while `git am` applies patches. No commit holds what these say."""

_OPTIONS = "rebase-merge/strategy_opts"
_IN_REBASE = "GIT_CHERRY_PICK_HELP"
"""The option of `git rebase -X`, and a variable that it sets while it takes over commits itself."""

_FAVOURED = re.compile(r"(?:^|[\s'\"]|--)(ours|theirs)(?=[\s'\"]|$)")

_MOST_CHANGES = 20
"""Commits that make one content of a file into the other, of which each package is read."""

_SOON = 10
"""Seconds."""

_LOCK = "index.lock"
"""git holds it while it merges, and each merge makes another one."""

_SAID = "krm-fn-said"
"""Beside it: which lock that was, and digests of the warnings that were printed for it."""

_MERGES = (["merge"], ["m"])
"""How a note of a rebase begins that merges."""


class DriverCall(NamedTuple):
    """The arguments that git passes to a merge driver: files with the versions of one file, its path, and more.

    `labels` are what git calls the versions, the base first. A version of git that does not know a
    placeholder passes it as it is. `favoured`: the side that wins in a conflict, `ours` or
    `theirs`, if git says so anywhere.
    """

    files: Versions[Path]
    path: str = ""
    marker_size: str = ""
    labels: tuple[str, ...] = ()
    favoured: str = ""


def drive(call: DriverCall, environment: Environment, limits: Limits) -> Outcome:
    """Merge a file, and write the answer where git expects it. The exit code is 1 for a conflict.

    What belongs to no package of this function is merged as git does, and whatever goes wrong is a
    reason to do so.
    """
    try:
        texts = Versions(*(file.read_bytes() for file in call.files))
        # From here on the file holds both sides, whatever ends this process: git may take the file
        # for the answer.
        _replace(call.files.ours, both_sides(texts).data)
        git_folder = _find_git_folder(limits)
        favoured = _find_favoured(git_folder)
        merged, remarks = _merge(call._replace(favoured=favoured), texts, environment, limits)
        _replace(call.files.ours, merged.data)
    except OSError as error:
        name = error.filename or call.files.ours  # a full disk has no name
        return Outcome(b"", stderr_lines([unreadable(str(name), error)]), _FAILED)
    return Outcome(b"", stderr_lines(_find_unsaid(remarks, git_folder)), int(merged.has_conflict))


def _find_git_folder(limits: Limits) -> Path | None:
    """Return the folder of git; None where that is not soon to be found.

    The merge itself may take longer.
    """
    try:
        allowance = Allowance(limits._replace(timeout=min(limits.timeout, _SOON)))
        return Repository(Path.cwd(), allowance).git_folder
    except Rejected:
        return None


def _find_favoured(git_folder: Path | None) -> str:
    """Return the side that `git rebase -X` favours. git says of no other command what its -X was.

    Its note stays where the rebase stops, and then it is not about what somebody merges or picks in
    between.
    """
    is_rebase = _IN_REBASE in os.environ and not _merged()
    notes = git_folder / _OPTIONS if git_folder and is_rebase else None
    if notes is None or not notes.is_file():
        return ""
    favoured: list[str] = _FAVOURED.findall(os.fsdecode(notes.read_bytes()))
    return favoured[-1] if favoured else ""


def _find_unsaid(remarks: list[Problem], git_folder: Path | None) -> list[Problem]:
    """Leave out what this merge has said of the same folder already: git runs the driver once for each file."""
    warnings = [one for one in remarks if one.severity is Severity.WARNING]
    if git_folder is None or not warnings:
        return remarks
    try:
        lock = (git_folder / _LOCK).stat()
        identity = f"{lock.st_ino} {lock.st_mtime_ns}"
        said = git_folder / _SAID
        before = said.read_text().splitlines() if said.is_file() else []
        known = before[1:] if before[:1] == [identity] else []
        digests = {
            one: _digest(f"{PurePosixPath(one.file).parent}: {one.message}") for one in warnings
        }
        said.write_text("\n".join([identity, *known, *digests.values()]))
    except (OSError, ValueError):  # nobody knows which merge this is, or it cannot be noted
        return remarks
    return [one for one in remarks if digests.get(one) not in known]


def _digest(warning: str) -> str:
    return sha256(os.fsencode(warning)).hexdigest()


def _replace(file: Path, data: bytes) -> None:
    """Write a file as a whole, or leave it."""
    new = file.with_name(f"{file.name}.krm-fn")
    try:
        new.touch(mode=0o600)  # there may be Secrets in it
        shutil.copymode(file, new)
        new.write_bytes(data)
        new.replace(file)
    except OSError:
        new.unlink(missing_ok=True)
        raise


def _merge(
    call: DriverCall, texts: Versions[bytes], environment: Environment, limits: Limits
) -> tuple[Merged, list[Problem]]:
    allowance = Allowance(limits)

    def merge_texts(versions: Versions[bytes]) -> Merged:
        return merge_as_git(versions, allowance, call)

    try:
        path, packages = _find_packages(call, texts, allowance)
        merged = merge(path, packages, merge_texts, environment)
    except NotOurs:
        return _merge_alone(call, texts, limits)
    except Rejected as rejected:
        return _merge_blindly(call, texts, limits, str(rejected.problems[0]))
    if not merged.unrendered:
        return merged, []
    message = (
        f"merged, but not rendered: {merged.unrendered}; render the package before you deploy it"
    )
    return merged, [Problem(message, severity=Severity.WARNING, file=call.path)]


def _merge_blindly(
    call: DriverCall, texts: Versions[bytes], limits: Limits, reason: str
) -> tuple[Merged, list[Problem]]:
    """Merge a file without its package. That is a conflict, unless the package has no say in it.

    Where both sides name the same revisions as before, each name has changed on one side at most,
    with its content: the other side would have changed it too. But a name that one side has added
    may be that of a content which the other side has changed.
    """
    merged, problems = _merge_alone(call, texts, limits)
    names = {tuple(sorted(_REVISION.findall(text))) for text in texts}
    is_safe = merged.has_conflict or len(names) == 1
    hint = (
        ""
        if is_safe
        else "; a side adds or removes names of revisions, so look at them, and render the package"
    )
    warning = Problem(
        f"merged as git does: {reason}{hint}", severity=Severity.WARNING, file=call.path
    )
    return merged._replace(has_conflict=not is_safe or merged.has_conflict), [warning, *problems]


def _merge_alone(
    call: DriverCall, texts: Versions[bytes], limits: Limits
) -> tuple[Merged, list[Problem]]:
    """Merge a file as git does, with all of the time, and with room for all of the text."""
    allowance = Allowance(limits._replace(max_bytes=limits.max_bytes + sum(map(len, texts))))
    try:
        return merge_as_git(texts, allowance, call), []
    except Rejected as rejected:
        message = f"not merged, so both sides are in the file: {rejected.problems[0]}"
        return both_sides(texts), [Problem(message, file=call.path)]


def both_sides(texts: Versions[bytes]) -> Merged:
    """Return both texts as one conflict."""
    parts = []
    for marker, name, text in ((b"<", b" ours", texts.ours), (b"=", b"", texts.theirs)):
        end = b"" if _ends_with_a_line(text) else b"\n"
        parts.append(marker * _MARKER_SIZE + name + b"\n" + text + end)
    return Merged(b"".join(parts) + b">" * _MARKER_SIZE + b" theirs\n", has_conflict=True)


def _ends_with_a_line(text: bytes) -> bool:
    return not text or text.endswith(b"\n")


def merge_as_git(texts: Versions[bytes], allowance: Allowance, call: DriverCall) -> Merged:
    """Merge three texts as git does, with its markers around a conflict, or with the lines of the favoured side."""
    if shutil.which("git") is None:
        raise Rejected(Problem("a merge needs git on PATH"))
    size = ("--marker-size", call.marker_size) if call.marker_size.isdecimal() else ()
    side = (f"--{call.favoured}",) if call.favoured else ()
    labels = ("-L", "ours", "-L", "base", "-L", "theirs")
    # A last line that all have in common shows that the answer is whole. Without a line break it
    # would be another line.
    end = f"# {secrets.token_hex(16)}\n".encode() if all(map(_ends_with_a_line, texts)) else b""
    with temporary_folder() as folder:
        for name, data in texts._asdict().items():
            (folder / name).write_bytes(data + end)
        files = [str(folder / name) for name in ("ours", "base", "theirs")]
        command = ["git", "merge-file", "-p", *size, *side, *labels, "--", *files]
        ended = run_program(Program("git merge-file", command, os.environ), allowance)
    if ended.code > _MOST_CONFLICTS:
        raise Rejected(Problem(f"git merge-file failed with exit code {ended.code}"))
    if not ended.stdout.endswith(end):
        raise Rejected(Problem("git merge-file has printed only a part of its answer"))
    return Merged(ended.stdout.removesuffix(end), bool(ended.code))


def _find_packages(
    call: DriverCall, texts: Versions[bytes], allowance: Allowance
) -> tuple[str, Versions[PackageFiles]]:
    """Find the path of the file in its package, and the package.

    Raises Rejected if the commits are not to be found.
    """
    if not call.path:
        raise Rejected(Problem("the driver gets no path; add %P to its command"))
    repository = Repository(Path.cwd(), allowance)
    merged = _merged()
    # A subject that looks like the name of a branch must not make it one of the sides.
    is_patch = not merged and (repository.git_folder / _PATCHES).exists()
    guessed = (
        []
        if is_patch
        else [*_labelled(call.labels[2:]), *_find_picked(repository.git_folder), *_HEADS]
    )
    head, *theirs = repository.find_commits(["HEAD", *(merged or guessed)])
    folder = next(
        filter(None, (_find_folder(repository, one, call.path) for one in (head, *theirs))), None
    )
    if folder is None:
        raise NotOurs
    bases: list[str] = []
    for one in theirs:
        bases += repository.find_bases(head, one)
    if merged and len(bases) > 1:
        # git merges them first, and asks about that too: what is the base is in no commit.
        raise Rejected(Problem("the branches have parted in several commits"))
    parents = repository.find_commits(f"{one}^" for one in theirs)
    # A file may be the same in several, but the rest of the package is not: a cherry-pick and a
    # rebase begin at the parent of a commit.
    bases = [*bases, *parents] if merged else [*parents, *bases]
    bases = [*repository.find_commits(_labelled(call.labels[:1])), *bases]
    path = str(PurePosixPath(call.path).relative_to(folder))
    package = _Package(repository, folder, path)
    found = package.find(texts, Versions([*bases, *theirs], [head, *theirs], theirs))
    if found is None and not merged and not is_patch:
        found = _find_by_content(call, texts, package, repository)
    if found is None:
        raise Rejected(Problem("the commits are not to be found that git merges"))
    return path, found


class _Package:
    """A package of a repository, of which `path` is merged: its files in each commit."""

    def __init__(self, repository: Repository, folder: str, path: str) -> None:
        self._repository, self._folder, self._path = repository, folder, path
        self._read: dict[str, PackageFiles] = {}

    def find(
        self, texts: Versions[bytes], guesses: Versions[list[str]]
    ) -> Versions[PackageFiles] | None:
        """Find for each side the first commit in which the file is the one of the driver."""
        found: list[PackageFiles] = []
        for text, commits in zip(texts, guesses, strict=True):
            fitting = (files for files in map(self._files, commits) if self._has(files, text))
            files = next(fitting, None)
            if files is None:
                return None
            found.append(files)
        return Versions(*found)

    def _files(self, commit: str) -> PackageFiles:
        if commit not in self._read:
            self._read[commit] = _read_package(self._repository, commit, self._folder)
        return self._read[commit]

    def _has(self, files: PackageFiles, text: bytes) -> bool:
        return files.get(self._path, b"") == text


def _find_by_content(
    call: DriverCall, texts: Versions[bytes], package: _Package, repository: Repository
) -> Versions[PackageFiles] | None:
    """Find what is picked, reverted or popped by what it makes of the file.

    `git stash` tells a driver nothing, nor do `git cherry-pick` and `git revert` before version
    2.45. None is found where several commits do the same to the file, and not to the package.
    """
    head, *stashed = repository.find_commits(["HEAD", "refs/stash^", "refs/stash"])
    pairs = repository.find_changes(call.path, call.files.base, call.files.theirs)
    if stashed:
        pairs.append((stashed[0], stashed[-1]))
    if len(pairs) > _MOST_CHANGES:
        return None
    found: list[Versions[PackageFiles]] = []
    for base, theirs in pairs:
        versions = package.find(texts, Versions([base], [head], [theirs]))
        if versions is not None and versions not in found:
            found.append(versions)
    return found[0] if len(found) == 1 else None


def _labelled(labels: Iterable[str]) -> Iterator[str]:
    for found in filter(None, map(_LABEL.fullmatch, labels)):
        yield f"{found['commit']}^" if found["parent"] else found["commit"]


def _merged() -> list[str]:
    """Return the commits that git says it merges with what the branches have in common."""
    return [name.removeprefix(_VARIABLE) for name in os.environ if name.startswith(_VARIABLE)]


def _find_picked(git_folder: Path) -> list[str]:
    """Find the commit that a rebase takes over, with what its parent has in common."""
    notes = git_folder / _REBASE
    if not notes.is_file():
        return []
    *_, last = ["", *os.fsdecode(notes.read_bytes()).splitlines()]
    words = [word for word in last.split() if not word.startswith("-")]
    return [] if words[:1] in _MERGES else words[1:2]


def _find_folder(repository: Repository, commit: str, path: str) -> str | None:
    """Find the nearest folder around a file where something configures krm-fn."""
    parents = [*map(str, PurePosixPath(path).parents)]
    wanted: list[str] = []
    for parent in parents:
        wanted += [_below(parent, KPTFILE), _below(parent, CONFIG_FILE)]
    files = repository.read_files(commit, wanted)
    for parent in parents:
        beside = {
            name: files[_below(parent, name)]
            for name in (KPTFILE, CONFIG_FILE)
            if _below(parent, name) in files
        }
        if CONFIG_FILE in beside or find_in_package(beside) is not None:
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
