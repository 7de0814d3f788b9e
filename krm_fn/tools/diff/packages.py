"""Many packages, each compared with what it was in a revision of git: those that a change can affect, equal ones once.

Two packages have the same change if nothing differs between what is shown of each, but for their own namespace, their
kustomization's own prefix and suffix, hashes in names, and the set of an object, which nothing shows where it stays.
Nor does it matter which of their objects have the same other labels and annotations, or are of a linker that is another
one in all of them: see `shared.py`.
Of a Secret only sizes are shown, which are no proof of an equal change: a difference with one, or with any other value
that is not shown, stands alone.
"""

import json
import os
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from functools import partial
from itertools import chain, compress, product
from operator import itemgetter
from pathlib import Path
from typing import NamedTuple

from krm_fn.base.problem import Outcome, Problem, Rejected, count, listing
from krm_fn.core.yaml.results import stderr_lines
from krm_fn.report.object_change import ComparedObject, ObjectChange, spell_texts
from krm_fn.report.table import Screen
from krm_fn.tools.builds.affixes import find_own_affixes
from krm_fn.tools.common.files import Allowance, Files, Limits
from krm_fn.tools.common.rendered import ObjectName
from krm_fn.tools.diff.affected import (
    ChangedFiles,
    FileSearch,
    FilesWithNames,
    find_packages,
    stands_for_several,
)
from krm_fn.tools.diff.diff import (
    DIFFERENT,
    FAILED,
    NO_BASE,
    SAME,
    DiffFormat,
    DiffInput,
    RenderOptions,
    There,
    compare_sides,
    fail_on,
    find_repository,
    find_risks,
    find_unread,
    is_left_out,
    name_some,
    open_both,
    remark,
    render_alone,
)
from krm_fn.tools.diff.difference import (
    Difference,
    LinkerChange,
    PackageDifference,
    PackageDifferences,
    PackageState,
    Risk,
    SameChange,
)
from krm_fn.tools.diff.readers_elsewhere import (
    PackageNames,
    find_readers_elsewhere,
    find_shared,
    find_shared_sets,
    read_names,
)
from krm_fn.tools.diff.shared import SET, find_alike, leave_out_of_linker, share, without
from krm_fn.tools.diff.side_by_side import answer_all
from krm_fn.tools.diff.write_difference import (
    EXTENT,
    Extent,
    write_json,
    write_packages_json,
    write_packages_markdown,
    write_packages_text,
)
from krm_fn.tools.opened.sources import Inputs

_MOST_NAMES = 3

_NOT_SHOWN = re.compile(r"\(hash(?: \d+)?\)|\([\d,]+ bytes?\)")
"""What stands in the place of a value that is not shown. Two of them may stand for two values."""


def diff_packages(
    compared: DiffInput,
    options: RenderOptions,
    form: DiffFormat,
    screen: Screen,
    extent: Extent = EXTENT,
) -> Outcome:
    """Compare each package by itself.

    One that cannot be rendered is said, and all others are still shown.
    """
    try:
        found, problems = _compare_all(compared, options)
    except Rejected as rejected:
        return Outcome(b"", stderr_lines(rejected.problems), FAILED)
    failed = [package.path for package in found.having(PackageState.FAILED)]
    if failed:
        those = f"{len(failed)} of {count(len(found.packages), 'package')}"
        problems.append(Problem(f"{those} cannot be compared: {listing(failed, _MOST_NAMES)}"))
    match form:
        case DiffFormat.TEXT:
            text = write_packages_text(found, screen, extent.context)
        case DiffFormat.MARKDOWN:
            text = write_packages_markdown(found, " ".join(compared.paths), *extent)
        case DiffFormat.JSON:
            text = write_packages_json(found)
    base_failed = any(package.errors for package in found.packages)
    code = FAILED if failed else NO_BASE if base_failed else DIFFERENT if found.changes else SAME
    outcome = Outcome(text.encode(), stderr_lines(problems), code)
    places = find_risks(one.difference for one in found.packages if one.difference)
    return fail_on(outcome, {**places, Risk.SHARED_SET: [*found.shared_sets]}, compared.refused)


def _compare_all(
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

    problems += find_readers_elsewhere(names, find_places)
    problems += find_shared(names, find_places)
    shared_sets = [*find_shared_sets(names, find_places)]
    problems += (problem for _, problem in shared_sets)
    every = tuple(_without_moved(compared.values()))
    folded = _fold([(one, one.difference) for one in every if one.difference], options)
    spelled = tuple(one for one, _ in shared_sets)
    return PackageDifferences(revision, every, tuple(folded), spelled), problems


def _compare(
    package: str, place: str, limits: Limits, *, there: There, options: RenderOptions
) -> tuple[PackageDifference, list[Problem], list[PackageNames]]:
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
    names = [read_names(package, place, found.release, found.difference)] if found.release else []
    difference = PackageDifference(package, state, found.difference, _lines(found.errors))
    return difference, _without_nodes([*found.errors, *found.notes]), names


def _without_moved(packages: Iterable[PackageDifference]) -> Iterator[PackageDifference]:
    """Say of no object that pods lack it if another package has got one of its name: it has moved there."""
    packages = list(packages)
    got: dict[ObjectName, set[str]] = defaultdict(set)
    for package in packages:
        for change in package.difference.changes if package.difference else ():
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


class _Names(NamedTuple):
    """What the names of a package have of their own: its namespace, and what its kustomization adds."""

    namespace: str = ""
    prefix: str = ""
    suffix: str = ""


_APART = ("namespace", "prefix and suffix", "hash", "set")
"""What may be left out of a difference."""

_OBJECTS = "objects"
"""Stands behind what is left out if the same labels are of other objects."""

_EVERYTHING = (True,) * len(_APART)
_FEWEST_FIRST = sorted(product((False, True), repeat=len(_APART)), key=sum)


def _fold(
    packages: Iterable[tuple[PackageDifference, Difference]], options: RenderOptions
) -> Iterator[SameChange]:
    """Put together the packages with the same change, in the order of the first of each."""
    alike: dict[object, list[tuple[PackageDifference, Difference, _Names]]] = defaultdict(list)
    for package, difference in packages:
        names = _find_names(package.path, difference, options)
        wholes = json.dumps([change.whole for change in difference.changes])
        is_alone = package.errors or _hides_a_value(difference, write_json(difference) + wholes)
        same = _write_same(_without(difference, names, _EVERYTHING))
        alike[(package.path,) if is_alone else (package.state, same)].append(
            (package, difference, names)
        )
    return map(_join, alike.values())


def _write_same(difference: Difference) -> str:
    """Write what is the same in packages with the same change, whichever objects have it."""
    alike = find_alike(difference)
    rest = without(difference, chain.from_iterable(alike.values()))
    return write_json(rest) + json.dumps([[one.whole for one in rest.changes], sorted(alike)])


def _join(alike: list[tuple[PackageDifference, Difference, _Names]]) -> SameChange:
    """Leave out of a difference what is not the same in all packages, and nothing else."""
    packages = tuple(package for package, _, _ in alike)
    _, first, _ = alike[0]
    named = [(difference, names) for _, difference, names in alike]
    apart: tuple[str, ...] = ()
    left_out = _find_least(named, write_json, _FEWEST_FIRST)
    if left_out is None:
        # What names the same objects in a list of them all.
        has_namespaces = len({names.namespace for _, names in named}) > 1
        changes = chain.from_iterable(difference.changes for difference, _ in named)
        has_sets = len({change.who.linker for change in changes} - {""}) > 1
        fitting = [one for one in _FEWEST_FIRST if one[0] >= has_namespaces and one[3] >= has_sets]
        left_out, apart = _find_least(named, _write_same, fitting) or _EVERYTHING, (_OBJECTS,)
    unchanged = {difference.unchanged for difference, _ in named}
    shown = _share(
        [_without(difference, names, left_out) for difference, names in named],
        has_other_objects=bool(apart),
    )._replace(
        old=first.old,
        new=first.new,
        unchanged=first.unchanged if len(unchanged) == 1 else 0,
        notes=tuple(dict.fromkeys(chain.from_iterable(one.notes for one, _ in named))),
    )
    return SameChange(packages, shown, (*compress(_APART, left_out), *apart))


def _find_least(
    named: list[tuple[Difference, _Names]],
    write: Callable[[Difference], str],
    ways: Iterable[tuple[bool, ...]],
) -> tuple[bool, ...] | None:
    """Return the least that is to be left out so that all packages say the same."""
    for left_out in ways:
        texts = (write(_without(one, names, left_out)) for one, names in named)
        first = next(texts)
        if all(text == first for text in texts):
            return left_out
    return None


def _share(differences: list[Difference], *, has_other_objects: bool) -> Difference:
    """Return the first difference, with what several objects have alike told once."""
    found = [find_alike(one) for one in differences]
    told = [what for what, changes in found[0].items() if has_other_objects or len(changes) > 1]
    shared = [share(chain.from_iterable(map(itemgetter(what), found))) for what in told]
    rest = without(differences[0], chain.from_iterable(found[0][what] for what in told))
    return rest._replace(shared=tuple(shared))


def _hides_a_value(difference: Difference, written: str) -> bool:
    if _NOT_SHOWN.search(written) is not None:
        return True
    for change in difference.changes:
        for _, old, new in change.keys:
            if any(side and side.text is None for side in (old, new)):
                return True
    return False


def _find_names(path: str, difference: Difference, options: RenderOptions) -> _Names:
    """Return the one namespace in which anything changes, and what the kustomization adds to names."""
    namespaces = {roll.namespace for roll in difference.rolls}
    namespaces |= {
        name.rpartition("/")[0] for name in (*difference.linker.added, *difference.linker.removed)
    }
    for change in difference.changes:
        namespaces |= {who.namespace for who in (change.old, change.new) if who}
    namespaces.discard("")
    affixes = ("", "")
    # What cannot be read has been said, and names then count as they are.
    with suppress(OSError, Rejected):
        affixes = find_own_affixes(
            Path(path), Files(options.limits.root or Path(path), Allowance(options.limits))
        )
    return _Names(namespaces.pop() if len(namespaces) == 1 else "", *affixes)


def _without(difference: Difference, names: _Names, left_out: tuple[bool, ...]) -> Difference:
    """Return a difference without what is to be left out, and without the names of its sides."""
    has_no_namespace, has_no_affixes, has_no_hash, has_no_set = left_out
    own_namespace = names.namespace if has_no_namespace else ""
    of_linker = partial(leave_out_of_linker, namespace=own_namespace, has_set=not has_no_set)

    def place(namespace: str) -> str:
        return "" if namespace == own_namespace else namespace

    def base(name: str) -> str:
        return (
            name.removeprefix(names.prefix).removesuffix(names.suffix) if has_no_affixes else name
        )

    def who(one: ComparedObject | None, other: ComparedObject | None) -> ComparedObject | None:
        if one is None:
            return None
        by_content = None if has_no_hash else one.name
        name = base(one.base) if one.name == one.base else by_content
        stays = other is None or one.set == other.set  # else people read both
        own = "" if has_no_set and stays else one.set
        if has_no_set and one.base.startswith(f"{one.linker}-link"):
            name = one.base.removeprefix(f"{one.linker}-")
            return one._replace(namespace=place(one.namespace), name=name, base=name, linker=SET)
        return one._replace(namespace=place(one.namespace), name=name, base=base(one.base), set=own)

    def change(one: ObjectChange) -> ObjectChange:
        rolls = tuple(
            roll._replace(namespace=place(roll.namespace), name=base(roll.name))
            for roll in one.rolls
        )
        users = (user.partition("/") for user in (one.fate.users if one.fate else ()))
        fate = one.fate and one.fate._replace(
            users=tuple(f"{kind}/{base(name)}" for kind, _, name in users)
        )
        old, new = who(one.old, one.new), who(one.new, one.old)
        fields = tuple(of_linker(field, one.who.linker) for field in one.fields)
        return one._replace(
            old=old,
            new=new,
            fields=fields,
            rolls=rolls,
            fate=fate,
            whole=spell_texts(one.whole, plain),
        )

    def plain(text: str) -> str:
        """Leave the package's own names out of a text."""
        return base(place(text))

    return Difference(
        "",
        "",
        tuple(map(change, difference.revisions)),
        tuple(map(change, difference.objects)),
        _without_names(difference.linker, own_namespace, has_set=not has_no_set),
        0,
    )


def _without_names(change: LinkerChange, namespace: str, *, has_set: bool) -> LinkerChange:
    """Leave out the namespace of linkers that come or go, and their sets, but not what a set was called before."""
    is_named = has_set or bool(change.added and change.removed)

    def spell(linker: str) -> str:
        found, _, name = linker.rpartition("/")
        own = "" if found == namespace else found
        return "/".join(filter(None, [own, name if is_named else ""]))

    return change._replace(
        added=tuple(map(spell, change.added)), removed=tuple(map(spell, change.removed))
    )
