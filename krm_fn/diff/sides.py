"""The two renderings to compare, from what the command line names."""

import os
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from krm_fn.config.read import parse_config
from krm_fn.diff.git import CheckedOut, Repository
from krm_fn.diff.release import Release, read_release
from krm_fn.model.item import Item
from krm_fn.model.problem import Problem, Rejected, Severity
from krm_fn.model.settings import Environment
from krm_fn.naming.emitted import is_emitted
from krm_fn.naming.names import is_revision
from krm_fn.render.deployable import is_deployed
from krm_fn.render.limits import Allowance, Limits
from krm_fn.render.render import Opened, open_inputs, render_opened
from krm_fn.render.sources import Inputs
from krm_fn.render.tools import HelmOptions
from krm_fn.wire.envelope import open_envelope
from krm_fn.wire.reader import read_yaml

_MOST_NAMES = 3
"""Files that a note names. Of more it gives the number."""


class Way(NamedTuple):
    """How to render, the same for both sides."""

    config: str | None
    helm: HelmOptions
    environment: Environment
    limits: Limits


class Compared(NamedTuple):
    """What the command line names: OLD and NEW, or with a revision of git any number of paths. `stdin`: what it held."""

    paths: tuple[str, ...]
    against: str | None = None
    stdin: bytes | None = None


class Side(NamedTuple):
    """What was read of one rendering; None if there is nothing. `name` is what people call it.

    `has_folder`: a folder is among the paths, so it is not a rendering that somebody has stored.
    """

    name: str
    opened: Opened | None = None
    has_folder: bool = False

    @property
    def has_configuration(self) -> bool:
        return self.opened is not None and self.opened.configuration[1] is not None


class Sides(NamedTuple):
    """The old and the new rendering, and notes about where they come from."""

    old: Side
    new: Side
    notes: list[Problem]


def open_sides(compared: Compared, way: Way) -> Sides:
    """Read both sides. Raises Rejected."""
    if compared.against is not None:
        return _open_against(compared.against, compared.paths, way)
    old, new = (_open(path, Inputs((path,), way.config, compared.stdin), way) for path in compared.paths)
    return Sides(old, new, [])


def _open_against(revision: str, paths: tuple[str, ...], way: Way) -> Sides:
    """Read the paths as they were in a revision of git, and as they are."""
    allowance = Allowance(way.limits)
    repository = Repository(Path(paths[0]).absolute(), allowance)
    commit = repository.resolve(revision)
    name = " ".join(paths)
    with repository.check_out(commit) as checked_out:
        there = _There(repository, checked_out, revision)
        former = [there.locate(path) for path in paths]
        absent = [path for path, before in zip(paths, former, strict=True) if not os.path.lexists(before)]
        if not any(map(os.path.lexists, paths)) and len(absent) == len(paths):
            raise Rejected(Problem(f"exists neither here nor in {revision}", file=name))
        try:
            old = _open_existing(revision, former, there.readdress(way))
        except Rejected as rejected:
            raise Rejected(*map(there.rename, rejected.problems)) from rejected
    new = _open_existing(name, paths, way)
    notes = [_note(f"does not exist in {revision}: all in it is new", file=path) for path in absent]
    notes += [_note("does not exist any more", file=path) for path in paths if not os.path.lexists(path)]
    uncommitted = repository.find_uncommitted()
    if uncommitted:
        notes.append(_note(f"uncommitted changes are compared too: {_name_some(uncommitted)}"))
    if checked_out.submodules:
        notes.append(_note(f"submodules of {revision} are not read: {_name_some(checked_out.submodules)}"))
    return Sides(old, new, notes)


class _There:
    """Another folder that holds the files of the repository as they were."""

    def __init__(self, repository: Repository, checked_out: CheckedOut, revision: str) -> None:
        self._here = repository.folder
        self._there = checked_out.folder
        self._revision = revision

    def locate(self, path: str) -> str:
        """Return where a path of the working tree is there. Raises Rejected for one that git does not hold."""
        relative = self._relative(path)
        if relative is None:
            raise Rejected(Problem(f"is outside of the repository {self._here}", file=path))
        return str(self._there / relative)

    def readdress(self, way: Way) -> Way:
        """Return the way with the files as they were. What is outside of the repository is the same for both."""
        root = way.limits.root and self._relative(str(way.limits.root))
        values = tuple(self._file(path) if "://" not in path else path for path in way.helm.values)
        return way._replace(
            config=way.config and self._file(way.config),
            helm=way.helm._replace(values=values),
            limits=way.limits._replace(root=self._there / root if root else self._there),
        )

    def rename(self, problem: Problem) -> Problem:
        """Say where in the revision a problem is: `main:shop/web.yaml`."""
        return problem._replace(file=self._rename(problem.file), message=self._rename(problem.message))

    def _file(self, path: str) -> str:
        relative = self._relative(path)
        return path if relative is None else str(self._there / relative)

    def _relative(self, path: str) -> Path | None:
        """Return a path from the top of the repository, by its text: links may have led elsewhere then."""
        for absolute in (Path(os.path.normpath(Path(path).absolute())), Path(path).resolve()):
            if absolute.is_relative_to(self._here):
                return absolute.relative_to(self._here)
        return None

    def _rename(self, text: str) -> str:
        for spelled in (str(self._there), os.path.relpath(self._there)):
            text = text.replace(f"{spelled}/", f"{self._revision}:").replace(spelled, self._revision)
        return text


def _open_existing(name: str, paths: Iterable[str], way: Way) -> Side:
    existing = tuple(path for path in paths if os.path.lexists(path))
    config = way.config if way.config is None or os.path.lexists(way.config) else None
    return _open(name, Inputs(existing, config), way) if existing else Side(name)


def _open(name: str, inputs: Inputs, way: Way) -> Side:
    opened = open_inputs(inputs, way.helm, way.environment, Allowance(way.limits))
    return Side(name, opened, any(map(os.path.isdir, inputs.paths)))


def read_side(side: Side, other: Side, way: Way) -> tuple[Release, list[Problem]]:
    """Render a side, unless it is a rendering already. Raises Rejected if it cannot be rendered.

    It is one if it holds revisions and no configuration. A single file without a configuration is one in any case, and
    so is all that has none if the other side has one: then the function was not in use.
    """
    if side.opened is None:
        return read_release([], None, way.environment.namespace), []
    items = [item for _, envelope in side.opened.envelopes for item in envelope.items if is_deployed(item)]
    is_package = side.has_folder and not other.has_configuration and not any(map(_is_made, items))
    if not side.has_configuration and not is_package:
        notes = (
            [_note("has no configuration, so it is compared as it is", file=side.name)]
            if other.has_configuration and side.has_folder
            else []
        )
        return read_release(items, None, way.environment.namespace), notes
    stream, problems = render_opened(side.opened, way.environment)
    if any(problem.severity is Severity.ERROR for problem in problems):
        raise Rejected(*problems)
    settings = parse_config(side.opened.configuration[1], way.environment)
    return read_release(_read(stream), settings, way.environment.namespace), problems


def _read(stream: str) -> list[Item]:
    return open_envelope(read_yaml(stream.encode())).items


def _is_made(item: Item) -> bool:
    """Tell whether the function has made the object what it is."""
    return is_revision(item) or is_emitted(item)


def _note(message: str, file: str = "") -> Problem:
    return Problem(message, file=file, severity=Severity.WARNING)


def _name_some(names: list[str]) -> str:
    return ", ".join(names) if len(names) <= _MOST_NAMES else f"{len(names)} files, such as {names[0]}"
