"""Compare many packages, each with what it was in a revision of git: those that a change can affect."""

import os
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache, partial
from itertools import chain
from pathlib import Path
from typing import TypeAlias

from krm_fn.base.named_tuple import NamedTuple
from krm_fn.base.problem import Problem, Rejected
from krm_fn.core.decide.decide import Run
from krm_fn.report.object_change import ObjectChange
from krm_fn.report.secrets import stderr_lines
from krm_fn.tools.builds.builds import builds_only_krm_fn
from krm_fn.tools.common.files import Allowance, Files, Limits
from krm_fn.tools.common.patterns import stands_for_several
from krm_fn.tools.common.rendered import ObjectName
from krm_fn.tools.diff.affected import ChangedFiles, FileSearch, FilesWithNames, find_packages
from krm_fn.tools.diff.difference import PackageDifference, PackageDifferences, PackageState
from krm_fn.tools.diff.fold_packages import fold_packages
from krm_fn.tools.diff.moved import find_moved, read_files
from krm_fn.tools.diff.readers_elsewhere import (
    PackageNames,
    find_missing_elsewhere,
    find_readers_elsewhere,
    find_shared,
    find_shared_sets,
    names_of_nothing,
    read_names,
    read_names_of_run,
)
from krm_fn.tools.diff.side_by_side import answer_all
from krm_fn.tools.diff.sides import (
    Compared,
    DiffInput,
    RenderOptions,
    There,
    compare_sides,
    find_unread,
    is_left_out,
    name_some,
    open_both,
    open_moved,
    open_repository,
    remark,
    render_alone,
)
from krm_fn.tools.opened.opened import Inputs


def compare_packages(
    named: DiffInput, options: RenderOptions
) -> tuple[PackageDifferences, list[Problem]]:
    """Compare each package, and return what is to be said about them too.

    Raises Rejected if none can be compared.
    """
    comparison = _Comparison(named, options)
    affected = comparison.sort_out()
    names: list[PackageNames] = []
    if affected:
        names += comparison.compare(affected)
    names += comparison.read_unaffected(names)
    elsewhere = comparison.look_elsewhere(names)
    gone = {one.moved_from for one in comparison.packages.values()}
    there_still = (one for one in comparison.packages.values() if one.path not in gone)
    every = tuple(_without_moved(there_still, names))
    differing = [(one, one.difference) for one in every if one.difference]
    folded = fold_packages(differing, options.limits)
    found = PackageDifferences(comparison.revision, every, tuple(folded), *elsewhere)
    # What is true of all packages, such as of HEAD, is said once.
    return found, [*dict.fromkeys(comparison.problems)]


class _Elsewhere(NamedTuple):
    """The sets that two packages share, and the objects that one takes away from another."""

    shared_sets: tuple[str, ...]
    missing: tuple[str, ...]


class _Comparison:
    """The packages that somebody names, and what is known of each so far.

    `packages`: by their path from here. `problems`: what is to be said, in order.
    """

    def __init__(self, named: DiffInput, options: RenderOptions) -> None:
        self.revision = named.against or ""
        self.packages: dict[str, PackageDifference] = {}
        self.problems: list[Problem] = []
        self._named = named
        self._options = options
        self._repository, self._commit = open_repository(self.revision, named.paths, options)
        self._tree = self._repository.list_tree(self._commit)
        # Each file of an option may affect every package.
        self._others = [*filter(None, map(self._repository.find, options.files))]
        self._unaffected: dict[str, str] = {}

    def sort_out(self) -> dict[str, str]:
        """Return the packages that the change can affect, each with its place in the repository."""
        repository = self._repository
        changes = ChangedFiles(repository.folder, self._tree, Allowance(self._options.limits))
        left_out = repository.find_left_out()
        affected: dict[str, str] = {}
        absent: list[str] = []
        gone = self._list_packages(self._named.excluded).values()
        for package, place in self._list_packages(self._named.paths).items():
            if place in gone:
                continue
            state = PackageState.UNAFFECTED
            if is_left_out(package, repository, left_out):
                state = PackageState.LEFT_OUT
                absent.append(package)
            elif not os.path.lexists(package) or changes.can_affect(place, self._others):
                affected[package] = place
            else:
                self._unaffected[package] = place
            self.packages[package] = PackageDifference(package, state)
        if absent:
            packages = name_some(absent, "packages")
            self.problems.append(remark(f"not checked out here, so not compared: {packages}"))
        return affected

    def _list_packages(self, paths: Iterable[str]) -> dict[str, str]:
        """Return the packages that are named or match a pattern, each with its place in the repository."""
        found: dict[str, str] = {}
        for path in paths:
            place = self._repository.find(path) or "."
            if not stands_for_several(path):
                found[path] = place
                continue
            matches = find_packages(place, self._repository.folder, self._tree)
            if not matches:
                message = f"matches no package, neither here nor in {self.revision}"
                raise Rejected(Problem(message, file=path))
            for match in matches:
                found[os.path.relpath(self._repository.folder / match)] = match
        return found

    def compare(self, affected: Mapping[str, str]) -> list[PackageNames]:
        """Compare the affected packages, and return the names that each has on either side."""
        names: list[PackageNames] = []
        limits = self._options.limits
        needed = ["."] if limits.root else [*affected.values(), *self._others]
        with self._repository.check_out(self._commit, needed) as checked_out:
            there = There(self._repository, checked_out, self.revision)
            compare = partial(_compare, there=there, options=self._options)
            answers = answer_all(affected, compare, limits, self._named.jobs, self._named.status)
            _compare_moved(answers, affected, there, self._options)
        for package, (difference, problems, read) in answers.items():
            self.packages[package] = difference
            self.problems += problems
            names += read
        self.problems += find_unread(self._repository, checked_out, self.revision)
        return names

    def read_unaffected(self, compared: list[PackageNames]) -> list[PackageNames]:
        """Return the names in packages that did not change, where they may name what did."""
        folder = self._repository.folder
        naming = _find_those_that_name(compared, self._unaffected, folder, self._options)
        read_alone = partial(_read_alone, options=self._options)
        limits = self._options.limits
        answers = answer_all(naming, read_alone, limits, self._named.jobs, self._named.status)
        return [*chain.from_iterable(answers.values())]

    def look_elsewhere(self, names: list[PackageNames]) -> _Elsewhere:
        """Warn about what one package does to another, and return what of it may be enforced."""
        find_places = _places_in(self._repository.folder, self._options.limits)
        missing = [*find_missing_elsewhere(names, find_places)]
        readers = [*find_readers_elsewhere(names, find_places)]
        self.problems += readers
        told = {(one.resource, one.field, one.file) for one in readers}
        for _, problem in missing:
            if (problem.resource, problem.field, problem.file) not in told:
                self.problems.append(problem)
        shared = [*find_shared(names, find_places), *find_shared_sets(names, find_places)]
        self.problems += (problem for _, problem in shared)
        return _Elsewhere(
            shared_sets=tuple(one for one, _ in shared if one),
            missing=tuple(one for one, _ in missing),
        )


class NamesOfSeveral:
    """The names in several packages. Of each run only these are kept: there may be a thousand."""

    def __init__(self) -> None:
        self._names: list[PackageNames] = []

    def add(self, path: str, run: Run | None) -> None:
        """Keep the names of a package; of none that could not be read."""
        if run is not None:
            self._names.append(read_names_of_run(path, run))

    def find_shared(self, limits: Limits) -> list[Problem]:
        """Find the sets and revisions that two of the packages share."""
        find_places = _places_in(Path(), limits)
        shared = find_shared(self._names, find_places), find_shared_sets(self._names, find_places)
        return [problem for _, problem in chain(*shared)]


def _places_in(folder: Path, limits: Limits) -> Callable[[str], list[str]]:
    """Return what tells which places a package reads."""
    files = FileSearch(folder, Allowance(limits))
    reader = Files(folder, Allowance(limits))

    @cache
    def is_shared_configuration(place: str) -> bool:
        return builds_only_krm_fn(folder / place, reader)

    def find_places(package: str) -> list[str]:
        places = [path for path, _ in files.follow(package)]
        # It says nothing of what packages are to each other: all may have this one.
        return [path for path in places if path == package or not is_shared_configuration(path)]

    return find_places


_PackageAnswer: TypeAlias = tuple[PackageDifference, list[Problem], list[PackageNames]]


def _compare_moved(
    answers: dict[str, _PackageAnswer],
    places: Mapping[str, str],
    there: There,
    options: RenderOptions,
) -> None:
    """Compare each package that is new with what it was elsewhere, in the place of what is said of both."""

    def having(state: PackageState) -> list[str]:
        return [path for path, (difference, *_) in answers.items() if difference.state is state]

    added, removed = having(PackageState.ADDED), having(PackageState.REMOVED)
    if not (added and removed):
        return
    allowance = Allowance(options.limits)
    moved = find_moved(
        {path: read_files(Path(there.locate(path)), allowance) for path in removed},
        {path: read_files(Path(path), allowance) for path in added},
    )
    for new, old in moved.items():
        try:
            found = compare_sides(open_moved(there, old, new, options), options, may_repair=False)
        except Rejected:  # each by itself has been rendered, and that is still said
            continue
        if found.difference is None:
            continue
        _, _, names_of_old = answers.pop(old)
        difference = PackageDifference(new, PackageState.MOVED, found.difference, moved_from=old)
        said = _without_nodes([*found.errors, *found.notes])
        answers[new] = (difference, said, [_read(new, places[new], found), *names_of_old])


def _compare(
    package: str, place: str, limits: Limits, *, there: There, options: RenderOptions
) -> _PackageAnswer:
    options = options._replace(limits=limits)
    try:
        found = compare_sides(open_both(there, (package,), options), options, may_repair=True)
    except Rejected as rejected:
        errors = _without_nodes(rejected.problems)
        return PackageDifference(package, PackageState.FAILED, errors=_lines(errors)), errors, []
    if found.difference is None:
        state = PackageState.FAILED
    elif not os.path.lexists(there.locate(package)):
        state = PackageState.ADDED
    elif not os.path.lexists(package):
        state = PackageState.REMOVED
    else:
        state = PackageState.CHANGED if found.difference else PackageState.SAME
    # The rendering itself may be large, and goes before the next one is read.
    names = [_read(package, place, found)]
    difference = PackageDifference(package, state, found.difference, _lines(found.errors))
    return difference, _without_nodes([*found.errors, *found.notes]), names


def _read(package: str, place: str, found: Compared) -> PackageNames:
    if found.release is None:
        return names_of_nothing(package, place, found.difference)
    return read_names(package, place, found.release, found.difference)


def _without_moved(
    packages: Iterable[PackageDifference], names: Iterable[PackageNames]
) -> Iterator[PackageDifference]:
    """Say of no object that it is missed if another package has one of its name: it has moved there."""
    having: dict[ObjectName, set[str]] = defaultdict(set)
    for one in names:
        for name in one.present:
            having[name].add(one.path)

    def settle(change: ObjectChange, path: str) -> ObjectChange:
        who = change.old or change.who
        name = ObjectName(who.kind, change.missing_in, who.base)
        if not having.get(name, set()) - {path}:
            return change
        return change._replace(missing=(), fate=None if change.empties else change.fate)

    for package in packages:
        difference = package.difference
        if difference is None:
            yield package
            continue
        revisions = tuple(settle(change, package.path) for change in difference.revisions)
        objects = tuple(settle(change, package.path) for change in difference.objects)
        yield package._replace(difference=difference._replace(revisions=revisions, objects=objects))


def _without_nodes(problems: Iterable[Problem]) -> list[Problem]:
    """Leave out the objects that problems are about, which are large and need not come out of a process."""
    return [problem._replace(node=None) for problem in problems]


def _find_those_that_name(
    compared: list[PackageNames],
    unaffected: Mapping[str, str],
    folder: Path,
    options: RenderOptions,
) -> dict[str, str]:
    """Find the unaffected packages whose files hold the base name of what has changed or is missing, or a new set."""
    names: set[str] = set()
    for one in compared:
        names.update(called.name for called in chain(one.renamed, one.gone))
        names |= one.missed
        names.update(set_name for _, set_name in one.new_sets)
    if not names:
        return {}
    files = FilesWithNames(folder, names, Allowance(options.limits))
    return {package: place for package, place in unaffected.items() if files.can_name(place)}


def _read_alone(
    package: str, place: str, limits: Limits, *, options: RenderOptions
) -> list[PackageNames]:
    try:
        rendered = render_alone(Inputs((package,), options.config), options._replace(limits=limits))
    except Rejected:  # the change has not broken it, so nobody has asked
        return []
    return [read_names(package, place, rendered.release)]


def _lines(problems: Iterable[Problem]) -> tuple[str, ...]:
    return tuple(stderr_lines(problems).splitlines())
