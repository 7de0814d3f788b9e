"""The two renderings to compare, from what the command line names."""

import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from krm_fn.config.read import parse_config
from krm_fn.diff.git import CheckedOut, Repository
from krm_fn.diff.release import Release, read_release
from krm_fn.model.item import Item
from krm_fn.model.problem import Problem, Rejected, Severity
from krm_fn.model.settings import Environment
from krm_fn.naming.names import is_emitted, is_revision
from krm_fn.render.deployable import is_deployed
from krm_fn.render.files import Allowance, Limits
from krm_fn.render.render import NoObjects, Opened, decide_opened, open_inputs, render_opened
from krm_fn.render.sources import Inputs
from krm_fn.render.tools import HelmOptions
from krm_fn.wire.envelope import open_envelope
from krm_fn.wire.reader import read_yaml

_MOST_NAMES = 3
"""Files that a note names. Of more it gives the number."""


class RenderOptions(NamedTuple):
    """How to render, the same for both sides."""

    config: str | None
    helm: HelmOptions
    environment: Environment
    limits: Limits


class DiffInput(NamedTuple):
    """What the command line names: OLD and NEW or, with a revision of git, any paths. `stdin`: what it held."""

    paths: tuple[str, ...]
    against: str | None = None
    stdin: bytes | None = None


class Side(NamedTuple):
    """What was read of one rendering; None if there is nothing. `name` is what people call it.

    `has_folder`: a folder is among the paths, so it is not a rendering that somebody has stored. `rename` says where a
    problem is, for people. `errors`: why a revision of git cannot be read. `is_empty`: its files have no object.
    """

    name: str
    opened: Opened | None = None
    has_folder: bool = False
    rename: Callable[[Problem], Problem] = lambda problem: problem
    errors: tuple[Problem, ...] = ()
    is_empty: bool = False

    @property
    def has_configuration(self) -> bool:
        return self.opened is not None and self.opened.configuration[1] is not None


class Sides(NamedTuple):
    """The old and the new rendering, and notes about where they come from."""

    old: Side
    new: Side
    notes: list[Problem]


def open_sides(compared: DiffInput, way: RenderOptions) -> Sides:
    """Read both sides. Raises Rejected."""
    if compared.against is not None:
        return _open_against(compared.against, compared.paths, way)
    old, new = (_open(path, Inputs((path,), way.config, compared.stdin), way) for path in compared.paths)
    return Sides(old, new, [*_find_empty(old, new)])


def _find_empty(old: Side, new: Side) -> Iterator[Problem]:
    for side, what in ((old, "new"), (new, "gone")):
        if side.is_empty:
            yield _note(f"is empty: everything is {what}", file=side.name)


def _open_against(revision: str, paths: tuple[str, ...], way: RenderOptions) -> Sides:
    """Read the paths as they were in a revision of git, and as they are."""
    repository = Repository(Path(os.path.normpath(Path(paths[0]).absolute())), Allowance(way.limits))
    commit = repository.resolve(revision)
    name = " ".join(paths)
    outside = [path for path in paths if repository.find(path) is None]
    if outside:
        raise Rejected(*(Problem(f"is outside of the repository {repository.folder}", file=path) for path in outside))
    named = [*paths, *filter(None, [way.config]), *way.helm.values]
    needed = [found for path in named if (found := repository.find(path)) is not None]
    with repository.check_out(commit, ["."] if way.limits.root else needed) as checked_out:
        there = _There(repository, checked_out, revision)
        former = [there.locate(path) for path in paths]
        absent = [path for path, before in zip(paths, former, strict=True) if not os.path.lexists(before)]
        if not any(map(os.path.lexists, paths)) and len(absent) == len(paths):
            raise Rejected(Problem(f"exists neither here nor in {revision}", file=name))
        try:
            old = _open_existing(revision, former, there.readdress(way))._replace(rename=there.rename)
        except Rejected as rejected:
            old = Side(revision, rename=there.rename, errors=rejected.problems)
    try:
        new = _open_existing(name, paths, way)
    except Rejected as rejected:
        raise Rejected(*map(old.rename, old.errors), *rejected.problems) from rejected
    notes = [_note(f"does not exist in {revision}: all in it is new", file=path) for path in absent]
    notes += [_note("does not exist any more", file=path) for path in paths if not os.path.lexists(path)]
    odd = [side for side, other in ((old, new), (new, old)) if other.has_configuration and not side.has_configuration]
    notes += [_note("has no configuration, so it is compared as it is", file=side.name) for side in odd if side.opened]
    notes += _find_empty(old, new)
    uncommitted = repository.find_uncommitted()
    if uncommitted:
        notes.append(_note(f"uncommitted changes are compared too: {_name_some(uncommitted)}"))
    if checked_out.submodules:
        notes.append(_note(f"submodules of {revision} are not read: {_name_some(checked_out.submodules)}"))
    notes += _note_filters(checked_out, revision)
    return Sides(old, new, notes)


def _note_filters(checked_out: CheckedOut, revision: str) -> list[Problem]:
    if not checked_out.filtered:
        return []
    message = f"filters of git are off, so files of {revision} are read as git-lfs or git-crypt stores them"
    return [_note(f"{message}: {_name_some(checked_out.filtered)}")]


class _There:
    """Another folder that holds the files of the repository as they were."""

    def __init__(self, repository: Repository, checked_out: CheckedOut, revision: str) -> None:
        self._repository = repository
        self._folder = checked_out.folder
        self._revision = revision

    def locate(self, path: str) -> str:
        """Return where a path of the working tree is there; a path outside of the repository as it is."""
        found = self._repository.find(path)
        return path if found is None else str(self._folder / found)

    def readdress(self, way: RenderOptions) -> RenderOptions:
        """Return the way with the files as they were. What is outside of the repository is the same for both."""
        root = way.limits.root
        return way._replace(
            config=way.config and self.locate(way.config),
            helm=way.helm._replace(values=tuple(map(self.locate, way.helm.values))),
            limits=way.limits._replace(root=Path(self.locate(str(root))) if root else self._folder),
        )

    def rename(self, problem: Problem) -> Problem:
        """Say where in the revision a problem is: `main:shop/web.yaml`."""
        return problem._replace(file=self._rename(problem.file), message=self._rename(problem.message))

    def _rename(self, text: str) -> str:
        for spelled in (str(self._folder), os.path.relpath(self._folder)):
            text = text.replace(f"{spelled}/", f"{self._revision}:").replace(spelled, self._revision)
        return text


def _open_existing(name: str, paths: Iterable[str], way: RenderOptions) -> Side:
    existing = tuple(path for path in paths if os.path.lexists(path))
    config = way.config if way.config is None or os.path.lexists(way.config) else None
    return _open(name, Inputs(existing, config), way) if existing else Side(name)


def _open(name: str, inputs: Inputs, way: RenderOptions) -> Side:
    has_folder = any(map(os.path.isdir, inputs.paths))
    if inputs.paths == (os.devnull,):
        return Side(name, is_empty=True)
    try:
        return Side(name, open_inputs(inputs, way.helm, way.environment, Allowance(way.limits)), has_folder)
    except NoObjects:
        if has_folder:  # a mistake in the package, or of the program that builds it
            raise
        return Side(name, is_empty=True)


class Renderings(NamedTuple):
    """What to compare. `errors`: why the old one, a revision of git, cannot be rendered; it is empty then."""

    old: Release
    new: Release
    errors: list[Problem]


def read_sides(sides: Sides, way: RenderOptions, *, is_against: bool) -> Renderings:
    """Render both sides. Raises Rejected, but not for a revision of git alone: a change may repair it."""
    errors: list[Problem] = []
    old = new = read_release([], None, way.environment.namespace)
    try:
        old = _read_side(sides.old, sides.new, way)
    except Rejected as rejected:
        errors = [*map(sides.old.rename, rejected.problems)]
    try:
        new = _read_side(sides.new, sides.old, way)
    except Rejected as rejected:
        raise Rejected(*errors, *rejected.problems) from rejected
    if errors and not is_against:
        raise Rejected(*errors)
    return Renderings(old, new, errors)


def _read_side(side: Side, other: Side, way: RenderOptions) -> Release:
    """Render a side, unless it is a rendering already. Raises Rejected if it cannot be rendered.

    It is one if it holds revisions and no configuration. A single file without a configuration is one in any case, and
    so is all that has none if the other side has one: then the function was not in use.
    """
    namespace = way.environment.namespace
    if side.errors:
        raise Rejected(*side.errors)
    if side.opened is None:
        return read_release([], None, namespace)
    items = [item for _, envelope in side.opened.envelopes for item in envelope.items if is_deployed(item)]
    is_package = side.has_folder and not other.has_configuration and not any(map(_is_made, items))
    if not side.has_configuration and not is_package:
        return read_release(items, None, namespace)
    stream, problems = render_opened(side.opened, decide_opened(side.opened, way.environment).changes)
    errors = [problem for problem in problems if problem.severity is Severity.ERROR]
    if errors:  # warnings are for those who render
        raise Rejected(*errors)
    return read_release(_read(stream), parse_config(side.opened.configuration[1], way.environment), namespace)


def _read(stream: str) -> list[Item]:
    return open_envelope(read_yaml(stream.encode(), may_repeat=True)).items


def _is_made(item: Item) -> bool:
    """Tell whether the function has made the object what it is."""
    return is_revision(item) or is_emitted(item)


def _note(message: str, file: str = "") -> Problem:
    return Problem(message, file=file, severity=Severity.WARNING)


def _name_some(names: list[str]) -> str:
    return ", ".join(names) if len(names) <= _MOST_NAMES else f"{len(names)} files, such as {names[0]}"
