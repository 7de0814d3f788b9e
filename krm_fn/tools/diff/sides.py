"""The two renderings that a command line names, read and compared."""

import os
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping
from enum import StrEnum
from pathlib import Path

from krm_fn.base.changes import Changes
from krm_fn.base.item import is_emitted, is_revision
from krm_fn.base.named_tuple import NamedTuple
from krm_fn.base.problem import Outcome, Problem, Problems, Rejected, Severity, listing
from krm_fn.base.settings import CONFIG_FILE, Environment, Settings
from krm_fn.report.change_lines import write_place
from krm_fn.report.secrets import stderr_lines
from krm_fn.report.status_line import StatusLine
from krm_fn.tools.builds.builds import HelmOptions, find_affixes
from krm_fn.tools.common.files import KUSTOMIZATIONS, Allowance, Limits
from krm_fn.tools.common.made_anew import follow
from krm_fn.tools.common.rendered import is_deployed
from krm_fn.tools.diff.compare import compare
from krm_fn.tools.diff.difference import Difference, Risk
from krm_fn.tools.diff.pair import AffixPairs, Release, read_release, spell_alike
from krm_fn.tools.git.git import CheckedOut, Repository
from krm_fn.tools.opened.opened import Inputs, NoObjects, Opened, decide_opened, open_inputs
from krm_fn.tools.render.render import render_items, render_opened

SAME, DIFFERENT, FAILED, NO_BASE, RISKY = 0, 1, 2, 3, 4
"""Exit codes, as those of the program `diff`.

`NO_BASE`: a revision of git alone cannot be rendered. `RISKY`: a risk was found for which the
difference is to be refused.
"""

MOST_NAMES = 3
"""Files and packages that a note names. It gives the number of more."""


class DiffFormat(StrEnum):
    TEXT = "text"
    MARKDOWN = "markdown"
    JSON = "json"


class RenderOptions(NamedTuple):
    """How to render, the same for both sides.

    `reads_affixes`: what kustomize adds to names is to be ignored.
    """

    config: str | None
    helm: HelmOptions
    environment: Environment
    limits: Limits
    reads_affixes: bool = False

    @property
    def files(self) -> tuple[str, ...]:
        """The files that options name."""
        return (*filter(None, [self.config]), *self.helm.values)

    def list_needed(self, repository: Repository, paths: Iterable[str]) -> list[str]:
        """Return the places in a repository that are needed to render paths."""
        found = map(repository.find, (*paths, *self.files))
        return ["."] if self.limits.root else [*filter(None, found)]


class DiffInput(NamedTuple):
    """The arguments: OLD and NEW or, with a revision of git, any paths.

    `stdin`: what it held. `excluded`: what is left out of patterns.

    `ignores_namespaces`: what differs only by its namespace is equal. `jobs`: so many packages are
    rendered at once. `refused`: the risks for which the difference is refused.
    """

    paths: tuple[str, ...]
    against: str | None = None
    stdin: bytes | None = None
    ignores_namespaces: bool = False
    jobs: int = 1
    status: StatusLine = StatusLine()
    refused: frozenset[Risk] = frozenset()
    excluded: tuple[str, ...] = ()


class Side(NamedTuple):
    """One of the two. `name` is what people call it.

    `opened` is what is to be rendered, and then `release` what it is.

    `has_folder`: a folder is among the paths, so it is not a rendering that somebody has stored.
    `rename` says where a problem is, for people. `errors`: why it cannot be read or rendered.
    `is_empty`: its files have no object. `affixes`: what its kustomizations add to names, if that
    was asked for.
    """

    name: str
    opened: Opened | None = None
    has_folder: bool = False
    has_configuration: bool = False
    rename: Callable[[Problem], Problem] = lambda problem: problem
    errors: tuple[Problem, ...] = ()
    is_empty: bool = False
    release: Release | None = None
    affixes: AffixPairs = ()


class Sides(NamedTuple):
    """The old and the new one, and notes about where they come from."""

    old: Side
    new: Side
    notes: list[Problem]


def list_risks(differences: Iterable[Difference]) -> defaultdict[Risk, list[str]]:
    """Return where differences bring which risk."""
    places: defaultdict[Risk, list[str]] = defaultdict(list)
    for difference in differences:
        for risk, changes in difference.risks.items():
            places[risk] += map(write_place, changes)
    return places


def fail_on(
    outcome: Outcome, places: Mapping[Risk, list[str]], refused: Collection[Risk]
) -> Outcome:
    """Return an outcome that says which of the refused risks were found, and ends with an exit code of its own.

    A failure to compare is the worse news, and its exit code wins.
    """
    found = [risk for risk in Risk if risk in refused and places.get(risk)]
    problems = [
        Problem(f"--fail-on {risk}: {listing(dict.fromkeys(places[risk]), MOST_NAMES)}")
        for risk in found
    ]
    code = RISKY if found and outcome.exit_code != FAILED else outcome.exit_code
    return outcome._replace(stderr=outcome.stderr + stderr_lines(problems), exit_code=code)


class Compared(NamedTuple):
    """The difference, None where that cannot be said.

    `errors`: of the new side or, if it has a difference, the old.

    `release`: what the new side renders to, None where it is not known or holds nothing.
    """

    difference: Difference | None
    errors: list[Problem]
    notes: list[Problem]
    release: Release | None = None

    @property
    def code(self) -> int:
        if self.difference is None:
            return FAILED
        if self.errors:
            return NO_BASE
        return DIFFERENT if self.difference else SAME


def compare_sides(
    sides: Sides, options: RenderOptions, *, may_repair: bool, ignores_namespaces: bool = False
) -> Compared:
    """Render both sides, and compare them.

    `may_repair`: the new one may be a repair of the old one.
    """
    old, new, notes = sides
    del sides  # what is read of a side goes when it is rendered, before the other is
    if new.opened:
        notes = [*notes, *new.opened.shared]
    old = _render(old, new, options)
    new = _render(new, old, options)
    # A change may repair a revision of git. Of two paths, none is compared with nothing because of
    # a mistake.
    if new.errors or (old.errors and not may_repair):
        return Compared(None, [*old.errors, *new.errors], [])
    name = old.name
    if old.errors:
        notes = [remark("cannot be rendered, so everything is shown as new", file=name), *notes]
        name += " (cannot be rendered)"
    nothing = read_release([], None, "")
    before, after, equal = spell_alike(
        old.release or nothing,
        new.release or nothing,
        (old.affixes, new.affixes),
        namespaces=ignores_namespaces,
    )
    difference = compare(before, after, (name, new.name))
    difference = difference._replace(notes=(*equal, *difference.notes))
    return Compared(difference, [*old.errors], notes, new.release)


class LoneRendering(NamedTuple):
    """A rendering that is compared with something else than a rendering.

    `settings`: those of its configuration.
    """

    release: Release
    settings: Settings | None


def render_alone(inputs: Inputs, options: RenderOptions) -> LoneRendering:
    """Render what the paths hold, or read it if it is rendered. Raises Rejected."""
    side = _open(" ".join(inputs.paths), inputs, options)
    release = _read_release(side, side, options) or read_release([], None, "")
    release = release.knowing({})  # to apply what is made anew is a change
    chosen = None if side.opened is None else side.opened.chosen
    return LoneRendering(release, None if chosen is None else chosen.settings)


def open_sides(compared: DiffInput, options: RenderOptions) -> Sides:
    """Read both sides. Raises Rejected."""
    if compared.against is not None:
        return _open_against(compared.against, compared.paths, options)
    old, new = (
        _open(path, Inputs((path,), options.config, compared.stdin), options)
        for path in compared.paths
    )
    return Sides(old, new, [*_report_empty(old, new)])


def _report_empty(old: Side, new: Side) -> Problems:
    for side, what in ((old, "new"), (new, "gone")):
        if side.is_empty:
            yield remark(f"is empty: everything is {what}", file=side.name)


def _open_against(revision: str, paths: tuple[str, ...], options: RenderOptions) -> Sides:
    """Read the paths as they were in a revision of git, and as they are."""
    repository, commit = open_repository(revision, paths, options)
    left_out = repository.find_left_out()
    absent: list[Problem] = []
    for path in paths:
        if is_left_out(path, repository, left_out):
            message = f"{_IS_LEFT_OUT}; run git sparse-checkout add {path}"
            absent.append(Problem(message, file=path))
    if absent:
        raise Rejected(*absent)
    with repository.check_out(commit, options.list_needed(repository, paths)) as checked_out:
        # All is read here: the folder is gone when it is rendered.
        sides = open_both(There(repository, checked_out, revision), paths, options)
    return sides._replace(notes=[*sides.notes, *find_unread(repository, checked_out, revision)])


def render_former(paths: tuple[str, ...], revision: str, options: RenderOptions) -> bytes | None:
    """Render paths as they were in a revision of git; None if it has none of them. Raises Rejected."""
    repository, commit = open_repository(revision, paths, options)
    with repository.check_out(commit, options.list_needed(repository, paths)) as checked_out:
        there = There(repository, checked_out, revision)
        former = tuple(filter(os.path.lexists, map(there.locate, paths)))
        if not former:
            return None
        way = there.readdress(options)
        config = way.config if way.config and os.path.lexists(way.config) else None
        try:
            opened = open_inputs(
                Inputs(former, config), way.helm, way.environment, Allowance(way.limits)
            )
            # Without a configuration, the function was not in use.
            is_plain = opened.configuration[1] is None
            changes = Changes() if is_plain else decide_opened(opened, way.environment).changes
            stream, problems = render_opened(opened, changes)
        except Rejected as rejected:
            raise Rejected(*map(there.rename, rejected.problems)) from rejected
    errors = [problem for problem in problems if problem.severity is Severity.ERROR]
    if errors:
        raise Rejected(*map(there.rename, errors))
    return stream.encode()


_IS_LEFT_OUT = (
    "a sparse checkout leaves files of it out of the working tree, so it cannot be compared"
)


def is_left_out(path: str, repository: Repository, left_out: Collection[str]) -> bool:
    """Tell whether files of a package may be missing only because a sparse checkout leaves them out.

    Files that a kustomization names do not count: kustomize says itself which of them are missing.
    """
    place = repository.find(path) or "."
    is_kustomized = any(os.path.lexists(os.path.join(path, name)) for name in KUSTOMIZATIONS)  # noqa: PTH118  # as given
    return (f"{place}/{CONFIG_FILE}" if is_kustomized else place) in left_out


def open_repository(
    revision: str, paths: tuple[str, ...], options: RenderOptions
) -> tuple[Repository, str]:
    """Return the repository that all paths are in, and the commit that a revision means."""
    repository = Repository(
        Path(os.path.normpath(Path(paths[0]).absolute())), Allowance(options.limits)
    )
    commit = repository.resolve(revision)
    outside: list[Problem] = []
    for path in paths:
        if repository.find(path) is None:
            message = f"is outside of the repository {repository.folder}"
            outside.append(Problem(message, file=path))
    if outside:
        raise Rejected(*outside)
    if options.config is not None and not _is_anywhere(options.config, repository, commit):
        raise Rejected(Problem(f"exists neither here nor in {revision}", file=options.config))
    return repository, commit


def _is_anywhere(file: str, repository: Repository, commit: str) -> bool:
    """Tell whether a file is here, or was there: that side alone has it where it is new or gone."""
    if os.path.lexists(file):
        return True
    found = repository.find(file)
    return found is not None and repository.list_tree(commit).get(found) is not None


def open_both(there: "There", paths: tuple[str, ...], options: RenderOptions) -> Sides:
    """Read paths as they were and as they are."""
    name, revision = " ".join(paths), there.revision
    former = [there.locate(path) for path in paths]
    absent = [
        path for path, before in zip(paths, former, strict=True) if not os.path.lexists(before)
    ]
    if not any(map(os.path.lexists, paths)) and len(absent) == len(paths):
        raise Rejected(Problem(f"exists neither here nor in {revision}", file=name))
    old = _open_existing(revision, former, there.readdress(options))._replace(rename=there.rename)
    new = _open_existing(name, paths, options)
    notes = [
        remark(f"does not exist in {revision}: all in it is new", file=path) for path in absent
    ]
    notes += [
        remark("does not exist any more", file=path) for path in paths if not os.path.lexists(path)
    ]
    for side, other in ((old, new), (new, old)):
        is_alone = bool(side.opened) and not side.has_configuration
        if is_alone and other.has_configuration:
            message = "does not use krm-fn yet, so its names are compared as they are"
            notes.append(remark(message, file=side.name))
    return Sides(old, new, [*notes, *_report_empty(old, new)])


def open_moved(there: "There", former: str, path: str, options: RenderOptions) -> Sides:
    """Read a path as it was, and another one as it is."""
    name = f"{there.revision}:{former}"
    old = _open_existing(name, [there.locate(former)], there.readdress(options))
    return Sides(old._replace(rename=there.rename), _open_existing(path, [path], options), [])


def find_unread(repository: Repository, checked_out: CheckedOut, revision: str) -> Problems:
    """Find what is compared and not committed, and what of the revision is not compared."""
    uncommitted = name_some(repository.find_uncommitted())
    if uncommitted:
        yield remark(f"uncommitted changes are compared too: {uncommitted}")
    submodules = name_some(checked_out.submodules)
    if submodules:
        yield remark(f"submodules of {revision} are not read: {submodules}")
    filtered = name_some(checked_out.filtered)
    if filtered:
        message = f"filters of git are off, so files of {revision} are read as git-lfs or git-crypt stores them"
        yield remark(f"{message}: {filtered}")


def remark(message: str, file: str = "") -> Problem:
    return Problem(message, file=file, severity=Severity.WARNING)


def name_some(names: list[str], what: str = "files") -> str:
    return (
        ", ".join(names)
        if len(names) <= MOST_NAMES
        else f"{len(names):,} {what}, such as {names[0]}"
    )


class There:
    """Another folder that holds the files of the repository as they were."""

    def __init__(self, repository: Repository, checked_out: CheckedOut, revision: str) -> None:
        self._repository = repository
        self._folder = checked_out.folder
        self.revision = revision

    def locate(self, path: str) -> str:
        """Return where a path of the working tree is there; a path outside of the repository as it is."""
        found = self._repository.find(path)
        return path if found is None else str(self._folder / found)

    def readdress(self, options: RenderOptions) -> RenderOptions:
        """Return the options with the files as they were.

        A file outside of the repository is the same for both.
        """
        root = options.limits.root
        outside = [file for file in options.files if self._repository.find(file) is None]
        return options._replace(
            config=self.locate(options.config) if options.config else options.config,
            helm=options.helm._replace(values=tuple(map(self.locate, options.helm.values))),
            limits=options.limits._replace(
                root=Path(self.locate(str(root))) if root else self._folder,
                named=frozenset() if root else frozenset(outside),
            ),
        )

    def rename(self, problem: Problem) -> Problem:
        """Say where in the revision a problem is: `main:shop/web.yaml`."""
        return problem._replace(
            file=self._rename(problem.file), message=self._rename(problem.message)
        )

    def _rename(self, text: str) -> str:
        for spelled in (str(self._folder), os.path.relpath(self._folder)):
            text = text.replace(f"{spelled}/", f"{self.revision}:").replace(spelled, self.revision)
        return text


def _open_existing(name: str, paths: Iterable[str], options: RenderOptions) -> Side:
    existing = tuple(path for path in paths if os.path.lexists(path))
    config = options.config if options.config is None or os.path.lexists(options.config) else None
    if not existing:
        return Side(name)
    try:
        return _open(name, Inputs(existing, config), options)
    except Rejected as rejected:
        return Side(name, errors=rejected.problems)


def _open(name: str, inputs: Inputs, options: RenderOptions) -> Side:
    has_folder = any(map(os.path.isdir, inputs.paths))
    if inputs.paths == (os.devnull,):
        return Side(name, is_empty=True)
    allowance = Allowance(options.limits)
    try:
        opened = open_inputs(inputs, options.helm, options.environment, allowance)
        affixes = _read_affixes(inputs.paths, allowance) if options.reads_affixes else ()
    except NoObjects:
        if has_folder:  # a mistake in the package, or of the program that builds it
            raise
        return Side(name, is_empty=True)
    return Side(name, opened, has_folder, opened.configuration[1] is not None, affixes=affixes)


def _read_affixes(paths: Iterable[str], allowance: Allowance) -> AffixPairs:
    affixes = {("", "")}
    for path in map(Path, paths):
        if path.is_dir():
            affixes.update(find_affixes(path, allowance))
    return tuple(sorted(affixes))


def _render(side: Side, other: Side, options: RenderOptions) -> Side:
    """Return what a side renders to in the place of what is read of it, or why it does not render."""
    try:
        return side._replace(release=_read_release(side, other, options), opened=None)
    except Rejected as rejected:
        return side._replace(errors=tuple(map(side.rename, rejected.problems)))


def _read_release(side: Side, other: Side, options: RenderOptions) -> Release | None:
    """Render a side, unless it is a rendering already. Raises Rejected if it cannot be rendered.

    It is one if it holds revisions and no configuration. A single file without a configuration is
    one in any case, and so is all that has none if the other side has one: then the function was
    not in use.
    """
    if side.errors:
        raise Rejected(*side.errors)
    if side.opened is None:
        return None
    namespace = options.environment.namespace
    items = [item for item in side.opened.items if is_deployed(item)]
    is_rendered = any(is_revision(item) or is_emitted(item) for item in items)
    is_package = side.has_folder and not other.has_configuration and not is_rendered
    # Warnings are for those who render.
    opened, environment = side.opened, options.environment._replace(warns=False)
    settings = None
    if side.has_configuration or is_package:
        items = render_items(opened, decide_opened(opened, environment).changes)
        settings = opened.settings
    return read_release(items, settings, namespace).knowing(follow(opened.made_anew, items))
