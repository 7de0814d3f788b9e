"""Compare many packages, each with what it was in a revision of git: those that a change can affect."""

import os
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from itertools import chain
from pathlib import Path
from typing import TypeAlias

from krm_fn.base.problem import Problem, Rejected
from krm_fn.report.object_change import ObjectChange
from krm_fn.report.secrets import stderr_lines
from krm_fn.tools.common.files import Allowance, Limits
from krm_fn.tools.common.patterns import stands_for_several
from krm_fn.tools.common.rendered import ObjectName
from krm_fn.tools.diff.affected import ChangedFiles, FileSearch, FilesWithNames, find_packages
from krm_fn.tools.diff.difference import (
    PackageDifference,
    PackageDifferences,
    PackageState,
)
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
)
from krm_fn.tools.diff.side_by_side import answer_all
from krm_fn.tools.diff.sides import (
    Compared,
    DiffInput,
    RenderOptions,
    There,
    compare_sides,
    find_repository,
    find_unread,
    is_left_out,
    name_some,
    open_both,
    open_moved,
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
    revision, paths = named.against or "", named.paths
    repository, commit = find_repository(revision, paths, options)
    tree = repository.list_tree(commit)
    places: dict[str, str] = {}
    for path in paths:
        place = repository.find(path) or "."
        matches = find_packages(place, repository.folder, tree) if stands_for_several(path) else []
        if not matches and stands_for_several(path):
            raise Rejected(
                Problem(f"matches no package, neither here nor in {revision}", file=path)
            )
        places |= {os.path.relpath(repository.folder / one): one for one in matches} or {
            path: place
        }
    others = [
        found
        for path in (options.config, *options.helm.values)
        if path and (found := repository.find(path))
    ]
    changes = ChangedFiles(repository.folder, tree, Allowance(options.limits))
    left_out = repository.find_left_out()
    absent = [package for package in places if is_left_out(package, repository, left_out)]
    affected = {
        package: place
        for package, place in places.items()
        if package not in absent
        and (not os.path.lexists(package) or changes.can_affect(place, others))
    }
    compared = {package: PackageDifference(package, PackageState.UNAFFECTED) for package in places}
    compared |= {package: PackageDifference(package, PackageState.LEFT_OUT) for package in absent}
    problems = (
        [remark(f"not checked out here, so not compared: {name_some(absent, 'packages')}")]
        if absent
        else []
    )
    names: list[PackageNames] = []
    if affected:
        needed = ["."] if options.limits.root else [*affected.values(), *others]
        with repository.check_out(commit, needed) as checked_out:
            compare = partial(
                _compare, there=There(repository, checked_out, revision), options=options
            )
            answers = answer_all(affected, compare, options.limits, named.jobs, named.status)
            _compare_moved(answers, affected, There(repository, checked_out, revision), options)
        for package, (difference, said, read) in answers.items():
            compared[package] = difference
            problems += said
            names += read
        problems += find_unread(repository, checked_out, revision)
    unaffected = {
        package: place for package, place in places.items() if package not in {*affected, *absent}
    }
    named_there = _find_those_that_name(names, unaffected, repository.folder, options)
    read_alone = partial(_read_alone, options=options)
    answers_alone = answer_all(named_there, read_alone, options.limits, named.jobs, named.status)
    names += chain.from_iterable(answers_alone.values())
    files = FileSearch(repository.folder, Allowance(options.limits))

    def find_places(place: str) -> list[str]:
        return [path for path, _ in files.follow(place)]

    missing = [*find_missing_elsewhere(names, find_places)]
    readers = [*find_readers_elsewhere(names, find_places)]
    told = {(one.resource, one.field, one.file) for one in readers}
    problems += readers
    problems += (one for _, one in missing if (one.resource, one.field, one.file) not in told)
    problems += find_shared(names, find_places)
    shared_sets = [*find_shared_sets(names, find_places)]
    problems += (problem for _, problem in shared_sets)
    gone = {one.moved_from for one in compared.values()}
    every = tuple(_without_moved(one for one in compared.values() if one.path not in gone))
    folded = fold_packages(
        [(one, one.difference) for one in every if one.difference], options.limits
    )
    spelled = tuple(one for one, _ in shared_sets)
    lost = tuple(one for one, _ in missing)
    return PackageDifferences(revision, every, tuple(folded), spelled, lost), problems


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


def _without_moved(packages: Iterable[PackageDifference]) -> Iterator[PackageDifference]:
    """Say of no object that pods lack it if another package has got one of its name: it has moved there."""
    packages = list(packages)
    got: dict[ObjectName, set[str]] = defaultdict(set)
    for package in packages:
        if package.difference is None:
            continue
        for change in package.difference.changes:
            if change.old is None and change.new is not None and change.new.name is not None:
                who, name = change.new, change.new.name
                got[ObjectName(who.kind, who.namespace, name)].add(package.path)

    def settle(change: ObjectChange, path: str) -> ObjectChange:
        who = change.old
        name = ObjectName(who.kind, who.namespace, who.base) if who else None
        return change._replace(missing=()) if name and got.get(name, set()) - {path} else change

    for package in packages:
        difference = package.difference
        if difference is None or not any(change.missing for change in difference.changes):
            yield package
            continue
        revisions, objects = (
            tuple(settle(change, package.path) for change in changes)
            for changes in (difference.revisions, difference.objects)
        )
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
    """Find the unaffected packages whose files hold the base name of a revision that has changed, or a new set."""
    renamed = chain.from_iterable(one.renamed for one in compared)
    names = {called.name for called in renamed}
    names |= {called.name for one in compared for called in one.gone}
    names |= {set_name for one in compared for _, set_name in one.new_sets}
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
