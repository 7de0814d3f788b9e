"""Pods that read an object of another package by the base name, which that package has replaced.

Each package is rendered by itself, and only its own references follow its revisions. So a pod of
another package still asks for a name that nothing has any more. Only the names in a package are
kept: there may be a thousand packages.
"""

import os
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from pathlib import PurePosixPath

from krm_fn.base import keys
from krm_fn.base.item import Item, is_revision
from krm_fn.base.named_tuple import NamedTuple
from krm_fn.base.problem import Problem, Problems, ResourceId, Severity
from krm_fn.base.reference import Reference
from krm_fn.base.settings import KPTFILE, Strategy
from krm_fn.core.decide.decide import Run
from krm_fn.core.names.names import base_name
from krm_fn.core.references.generated import find_generated
from krm_fn.tools.common.rendered import ObjectName
from krm_fn.tools.diff.difference import Difference
from krm_fn.tools.diff.pair import Release
from krm_fn.tools.opened.opened import say_shared


class UnmetReference(NamedTuple):
    """A reference of a pod to what its own package does not have."""

    referrer: ResourceId
    field: str
    meant: ObjectName
    is_optional: bool = False


class PackageNames(NamedTuple):
    """The names in one rendered package.

    `path` is what people call it, `place` where it is in the repository.

    `present`: those of its objects, and of what controllers write for it. `renamed`: the base names
    of revisions that have changed, each with the name of the revision. `unmet`: what its pods read
    from elsewhere. `sets`: of each revision, by its own name; `changed`: those that it has got.
    `own_sets`: namespace and name of each set that it has, and `new_sets` those of which it has got
    a linker. `gone`: the names of ConfigMaps and Secrets that it had, and has no more. `missed`: the
    names of what its own pods lack, and of Namespaces that it needs. `workloads`: what has pods.
    """

    path: str
    place: str
    present: frozenset[ObjectName] = frozenset()
    renamed: Mapping[ObjectName, str] = {}  # of a tuple, whose fields nobody changes
    unmet: tuple[UnmetReference, ...] = ()
    sets: Mapping[ObjectName, str] = {}  # of a tuple, whose fields nobody changes
    own_sets: frozenset[tuple[str, str]] = frozenset()
    new_sets: frozenset[tuple[str, str]] = frozenset()
    gone: frozenset[ObjectName] = frozenset()
    changed: frozenset[ObjectName] = frozenset()
    workloads: frozenset[ObjectName] = frozenset()
    missed: frozenset[str] = frozenset()


def find_readers_elsewhere(
    packages: Collection[PackageNames], find_places: Callable[[str], Collection[str]]
) -> Problems:
    """Find references of pods that only the base name of another package's revision matches.

    A namespace that only one side sets is no proof: who applies the other may put it anywhere.
    Where any package still has an object of the name, that one may be meant. An optional reference
    counts: its pods start without what they had. `find_places` tells what a package reads: what it
    may build in itself is no other package.
    """
    present = frozenset[ObjectName]().union(*(one.present for one in packages))
    renamed: dict[ObjectName, list[tuple[PackageNames, str]]] = defaultdict(list)
    for package in packages:
        for base, name in package.renamed.items():
            renamed[base].append((package, name))
    for package in packages:
        for referrer, field, meant, _ in package.unmet:
            is_present = meant in present or meant._replace(namespace="") in present
            if is_present or meant not in renamed:
                continue
            others = [(other, name) for other, name in renamed[meant] if other.path != package.path]
            places = [find_places(other.place) for other, _ in others]
            if others and not any(_is_below(package.place, below) for below in places):
                # As ids: what is printed masks the hash of a Secret in them.
                ids = (
                    f"{'/'.join(filter(None, meant._replace(name=name)))} in {other.path}"
                    for other, name in others
                )
                message = (
                    f'found "{meant.name}", which is the base name of {" and of ".join(ids)}; build both packages in '
                    f"one kustomization, or annotate the {meant.kind} with {keys.STRATEGY}: {Strategy.IGNORE}"
                )
                yield Problem(message, referrer, field, Severity.WARNING, file=package.path)


def find_missing_elsewhere(
    packages: Collection[PackageNames], find_places: Callable[[str], Collection[str]]
) -> Iterator[tuple[str, Problem]]:
    """Find what pods of one package need and another one has no more: new pods of them do not start.

    Under the same conditions as readers of a revision. An object that another package has got is not gone.
    Each comes with the object, as `ConfigMap shop/web-config`.
    """
    present = frozenset[ObjectName]().union(*(one.present for one in packages))
    gone: dict[ObjectName, list[PackageNames]] = defaultdict(list)
    for package in packages:
        for one in package.gone:
            gone[one].append(package)
    for package in packages:
        for referrer, field, meant, is_optional in package.unmet:
            is_present = meant in present or meant._replace(namespace="") in present
            if is_optional or is_present:
                continue
            others = [other for other in gone.get(meant, ()) if other.path != package.path]
            if any(_is_below(package.place, find_places(other.place)) for other in others):
                continue
            for other in others:
                what = f"{meant.kind} {'/'.join(filter(None, meant[1:]))}"
                message = (
                    f"reads {meant.kind}/{meant.name}, which {other.path} no longer has under this name: new pods do "
                    "not start; let this package go first"
                )
                problem = Problem(message, referrer, field, Severity.WARNING, file=package.path)
                yield what, problem


def find_shared(
    packages: Iterable[PackageNames], find_places: Callable[[str], Collection[str]]
) -> Iterator[tuple[str, Problem]]:
    """Find revisions of two sets that are one object: of one base name and one content, in one namespace.

    Only if both set the namespace, and are in one cluster as far as can be told. Each comes with
    the object if either package has got it: as `ConfigMap shop/web-config-5t7h9k2b4c`, else `""`.
    """
    first: dict[ObjectName, PackageNames] = {}
    for package in packages:
        for one, set_name in package.sets.items():
            other = first.setdefault(one, package)
            is_other = one.namespace != "" and other.sets[one] != set_name
            if is_other and not _are_environments(other, package, find_places):
                message = (
                    f"is in {other.path} too, of set {other.sets[one]} there and of set {set_name} here: "
                    "in one cluster, both deployers write its labels by turns; make what both build a package of its "
                    "own, or give one of them another base name"
                )
                who = ResourceId("v1", one.kind, one.namespace, one.name)
                problem = Problem(message, who, severity=Severity.WARNING, file=package.path)
                is_new = one in package.changed | other.changed
                yield f"{one.kind} {one.namespace}/{one.name}" if is_new else "", problem


def _are_environments(
    one: PackageNames, other: PackageNames, find_places: Callable[[str], Collection[str]]
) -> bool:
    """Tell whether two packages may be one application in two clusters.

    Then they have a workload in common. Where one of them has none, a file that both read tells.
    """
    if one.workloads and other.workloads:
        return not one.workloads.isdisjoint(other.workloads)
    return _have_common(one, other, find_places)


def find_shared_sets(
    packages: Iterable[PackageNames], find_places: Callable[[str], Collection[str]]
) -> Iterator[tuple[str, Problem]]:
    """Find the sets that two packages have in one namespace, as a copy of a package has.

    Under the same conditions as shared revisions, and only where one of them has got it with the
    change: environments that are copies of each other are in several clusters.
    """
    first: dict[tuple[str, str], PackageNames] = {}
    for package in packages:
        for one in sorted(package.own_sets):
            other = first.setdefault(one, package)
            namespace, name = one
            is_new = one in package.new_sets | other.new_sets
            if other is package or not (namespace and is_new):
                continue
            if _have_common(other, package, find_places):
                continue
            message = say_shared(name, namespace, other.path)
            yield (
                f"{namespace}/{name}",
                Problem(message, severity=Severity.WARNING, file=package.path),
            )


def _have_common(
    one: PackageNames, other: PackageNames, find_places: Callable[[str], Collection[str]]
) -> bool:
    """Tell whether two packages read a file in common.

    A Kptfile above is looked for by each, and is of none of them.
    """

    def read_files(package: PackageNames) -> set[str]:
        places = find_places(package.place)
        return {place for place in places if PurePosixPath(place).name != KPTFILE}

    return not read_files(one).isdisjoint(read_files(other))


def _is_below(place: str, places: Collection[str]) -> bool:
    return not {place, *map(str, PurePosixPath(place).parents)}.isdisjoint(places)


def read_names(
    path: str, place: str, release: Release, difference: Difference | None = None
) -> PackageNames:
    """Read the names in a rendering.

    `difference`: between it and what it was; None if there is none.
    """
    linked = {(namespace, set_name) for set_name, namespace in release.linked_sets}
    sets = _read_sets(release)
    held = {(one.namespace, set_name) for one, set_name in sets.items()}
    added = difference.linker.added if difference else ()
    parts = (one.rpartition("/") for one in added)
    changes = difference.changes if difference else ()
    return PackageNames(
        path=path,
        place=place,
        present=frozenset(_read_present(release)),
        renamed=_read_renamed(release, difference) if difference else {},
        unmet=tuple(_read_unmet(release)),
        sets=sets,
        own_sets=frozenset(linked | held),
        new_sets=frozenset((namespace, name) for namespace, _, name in parts),
        gone=frozenset(_find_gone(difference)) if difference else frozenset(),
        missed=frozenset(one.who.base for one in changes if one.missing or one.empties),
        changed=frozenset(_find_changed(difference)) if difference else frozenset(),
        workloads=frozenset(
            ObjectName(referrer.id.kind, release.namespace_of(referrer), referrer.id.name)
            for referrer, reference, _ in release.references
            if reference.in_pod
        ),
    )


def read_names_of_run(path: str, run: Run) -> PackageNames:
    """Read what two packages must not both have, from a run that renders one of them or leaves it as it is."""
    sets: dict[ObjectName, str] = {}
    for item in run.package.configs:
        name = run.revisions.names.get(item, item.id.name)
        set_name = item.labels.get(keys.SET, run.settings.set)
        if is_revision(item) or item in run.revisions.names:
            sets[ObjectName(item.id.kind, item.id.namespace, name)] = set_name
    readers = [one.referrer.id for one in run.references.authored if one.reference.in_pod]
    has_linker = run.settings.linker.enabled or bool(run.package.emitted)
    linked = frozenset((one.namespace, set_name) for one, set_name in sets.items() if has_linker)
    return PackageNames(
        path=path,
        place=os.path.relpath(path),
        sets=sets,
        own_sets=linked,
        new_sets=linked,
        workloads=frozenset(ObjectName(one.kind, one.namespace, one.name) for one in readers),
    )


def _read_sets(release: Release) -> dict[ObjectName, str]:
    return {
        ObjectName(item.id.kind, release.namespace_of(item), item.id.name): item.labels[keys.SET]
        for item in release.package.configs
        if is_revision(item)
    }


def _read_present(release: Release) -> Iterator[ObjectName]:
    kinds = release.package.kinds
    for item in release.package.authored:
        namespace = "" if kinds.is_cluster_scoped(item.id) else release.namespace_of(item)
        for kind, name, _ in _names_of(item):
            yield ObjectName(kind, namespace, name)
    for referrer, reference, _ in release.references:
        if reference.is_output:
            yield _meant(release, referrer, reference)


def _read_renamed(release: Release, difference: Difference) -> dict[ObjectName, str]:
    changed = (change.new for change in difference.revisions if change.new)
    revised = {ObjectName(one.kind, one.namespace, one.base) for one in changed}
    renamed: dict[ObjectName, str] = {}
    for item in filter(is_revision, release.package.configs):
        namespace = release.namespace_of(item)
        if ObjectName(item.id.kind, namespace, base_name(item)) in revised:
            for kind, name, base in _names_of(item):
                if name != base:
                    renamed[ObjectName(kind, namespace, base)] = name
    return renamed


def _read_unmet(release: Release) -> Iterator[UnmetReference]:
    for referrer, reference, targets in release.references:
        if reference.in_pod and not reference.is_output and not targets:
            meant = _meant(release, referrer, reference)
            yield UnmetReference(referrer.id, reference.field, meant, reference.is_optional)


def _names_of(item: Item) -> Iterator[tuple[str, str, str]]:
    """Yield kind, name and base name of an object, and of each that it makes."""
    yield item.id.kind, item.id.name, base_name(item)
    for one in find_generated(item):
        yield one.kind, one.reference.target, one.base_name


def _meant(release: Release, referrer: Item, reference: Reference) -> ObjectName:
    namespace = reference.target_namespace or release.namespace_of(referrer)
    return ObjectName(reference.kind, namespace, reference.target)


def names_of_nothing(path: str, place: str, difference: Difference | None) -> PackageNames:
    """Return the names of a package that is gone, or renders to nothing."""
    gone = frozenset(_find_gone(difference)) if difference else frozenset[ObjectName]()
    return PackageNames(path, place, gone=gone)


def _find_changed(difference: Difference) -> Iterator[ObjectName]:
    for change in difference.revisions:
        if change.new is not None and change.new.name is not None:
            yield ObjectName(change.new.kind, change.new.namespace, change.new.name)


def _find_gone(difference: Difference) -> Iterator[ObjectName]:
    for change in difference.changes:
        old, new = change.old, change.new
        if old is None or old.kind not in {"ConfigMap", "Secret"} or old.name != old.base:
            continue
        if new is None or (new.name, new.namespace) != (old.name, old.namespace):
            yield ObjectName(old.kind, old.namespace, old.base)
