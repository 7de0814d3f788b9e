"""Names of earlier renderings that references still say, and the objects that they mean."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from krm_fn.base import keys
from krm_fn.base.item import Item, about, locate
from krm_fn.base.node import elements, get, text
from krm_fn.base.problem import Problem, Severity
from krm_fn.base.settings import Settings
from krm_fn.core.decide.package import Package
from krm_fn.core.decide.revisions import Revisions
from krm_fn.core.names.names import CONTENT_NAME, authored_id, is_revision, listed_revisions
from krm_fn.core.references.find import ROLES
from krm_fn.core.references.reference import ResolvedReference
from krm_fn.core.references.references import References
from krm_fn.core.references.resolve import MoreNames


class Stale(NamedTuple):
    """The kinds and names of earlier renderings that mean an object all the same, and what is to be said about them."""

    names: MoreNames
    problems: tuple[Problem, ...]


def find_stale(references: References, package: Package, settings: Settings) -> Stale:
    """Find the references without a target that mean an object under an earlier name, as after a merge of renderings.

    A name that is a base name and a hash, and that no object has, is one of two things. Somebody has pinned an older
    revision: then others name the present one, and the pin stays. Or the object has got another name where the
    reference has not followed, as when the two sides of a conflict are taken by halves: then nobody would read it.
    """
    judge = _Judge(references, package, settings)
    names: dict[Item, set[tuple[str, str]]] = defaultdict(set)
    problems: list[Problem] = []
    for resolved in references.authored:
        for target, problem in judge.about(resolved):
            problems.append(problem)
            if target is not None:
                names[target].add((resolved.reference.kind, resolved.reference.target))
    return Stale(names, tuple(problems))


def find_present(references: References, revisions: Revisions) -> MoreNames:
    """Find the very names that objects get, where a reference without a target says them, as a pin before a change.

    The next run finds the object under this name, so that this run must take the pin for its reader too.
    """
    found: dict[Item, set[tuple[str, str]]] = defaultdict(set)
    for resolved in references.authored:
        referrer, reference, _ = resolved
        base = _base_of_missing(resolved)
        of_base = references.index.find(referrer, reference.kind, base, reference.target_namespace) if base else ()
        for item in of_base:
            revision = revisions.renamed.get(item)
            if revision is not None and revision.meant_by(reference).name == reference.target:
                found[item].add((reference.kind, reference.target))
    return found


def _base_of_missing(resolved: ResolvedReference) -> str:
    """Return the base name of the revision that is referenced, if nothing here has its name; else `""`."""
    referrer, reference, targets = resolved
    match = CONTENT_NAME.fullmatch(reference.target)
    return "" if match is None or targets or reference.written or referrer.id.kind in ROLES else match[1]


class _Judge:
    def __init__(self, references: References, package: Package, settings: Settings) -> None:
        self._index = references.index
        self._settings = settings
        self._listed = _listed(item for item in package.emitted if item.labels.get(keys.SET) in settings.own_sets)
        self._used = _find_used(references) | {*self._find_named_as_listed(references)}
        self._listed_by_others = _listed(package.emitted) - self._listed

    def about(self, resolved: ResolvedReference) -> Iterator[tuple[Item | None, Problem]]:
        """Yield what a reference means, None where it stays, and what to say."""
        referrer, reference, _ = resolved
        name, base = reference.target, _base_of_missing(resolved)
        if not base:
            return
        namespace = reference.target_namespace
        found = self._index.find(referrer, reference.kind, base, namespace)
        is_listed = name in self._listed
        if name in self._listed_by_others or any(map(self._is_of_another_set, found)):
            return
        if not found:
            if is_listed:
                message = f"{name!r} is not in the package any more: pods only start if it is in the cluster"
                yield None, about(referrer, message, reference.field, Severity.WARNING)
            return
        if not is_listed and not self._used.isdisjoint(found):
            return  # a pin
        if len(found) > 1:
            message = f"{name!r} is not in the package, and may mean {' and '.join(map(locate, found))}; correct it"
            yield None, about(referrer, message, reference.field)
        elif is_listed or is_revision(found[0]) or found[0].id.kind in self._settings.kinds:
            why = "an earlier run had rendered it under this name" if is_listed else "nothing here names it otherwise"
            message = f"{name!r} is not in the package, and is taken for {authored_id(found[0])}: {why}"
            yield found[0], about(referrer, message, reference.field, Severity.WARNING)
        else:
            what = f"is not in the package, and looks like a revision of {authored_id(found[0])}"
            message = f"not rewritten: {name!r} {what}; write the base name, or add {reference.kind} to spec.kinds"
            yield None, about(referrer, message, reference.field, Severity.WARNING)

    def _is_of_another_set(self, item: Item) -> bool:
        return is_revision(item) and item.labels[keys.SET] not in self._settings.own_sets

    def _find_named_as_listed(self, references: References) -> Iterator[Item]:
        """Find what is named as an earlier run has rendered it. These references follow, so that others may be pins."""
        for one in references.authored:
            match = CONTENT_NAME.fullmatch(one.reference.target) if one.reference.target in self._listed else None
            if match is not None and not one.targets and not _says_nothing(one):
                yield from self._index.find(one.referrer, one.reference.kind, match[1], one.reference.target_namespace)


def _find_used(references: References) -> frozenset[Item]:
    """Return the objects that something references by one of their names. A role does not say that anybody reads it."""
    named: set[Item] = set()
    for one in references:
        if not _says_nothing(one):
            named.update(one.targets)
    for in_data in references.embedded:
        named.update(in_data.targets)
    return frozenset(named)


def _says_nothing(resolved: ResolvedReference) -> bool:
    return resolved.reference.written or resolved.referrer.id.kind in ROLES


def _listed(emitted: Iterable[Item]) -> frozenset[str]:
    """Return the names that inventories and the plans of Jobs list: what earlier runs rendered. A pin is in neither."""
    names: set[str] = set()
    for item in emitted:
        names.update(listed_revisions(item), _planned(item))
    return frozenset(names)


def _planned(item: Item) -> Iterator[str]:
    """Yield the names of revisions in a Job's arguments. Those of a merge need not be a plan that anything can read."""
    if item.id.kind == "Job":
        for container in elements(get(item.node, "spec", "template", "spec", "containers")):
            for argument in elements(get(container, "args")):
                yield from (one.rpartition("/")[2] for one in text(argument).rpartition("=")[2].split(","))
