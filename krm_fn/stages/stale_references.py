"""References that still have the name of an earlier rendering, as after a merge of what was rendered in place.

A name that is a base name and a hash, and that no object has, is one of two things. Somebody has pinned an older
revision: then others name the present one, and the pin stays. Or the object has got another name where the reference
has not followed, as when the two sides of a conflict are taken by halves: then nobody would read the object.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from krm_fn.model import keys
from krm_fn.model.item import Item, about, locate
from krm_fn.model.node import elements, get, text
from krm_fn.model.problem import Problem, Severity
from krm_fn.model.settings import Settings
from krm_fn.naming.names import CONTENT_NAME, authored_id, is_revision, listed_revisions
from krm_fn.references.find import ROLES
from krm_fn.references.reference import ResolvedReference
from krm_fn.references.references import References
from krm_fn.stages.package import Package


class Stale(NamedTuple):
    """The kinds and names of earlier renderings that mean an object all the same, and what is to be said about them."""

    names: Mapping[Item, frozenset[tuple[str, str]]]
    problems: tuple[Problem, ...]


def find_stale(references: References, package: Package, settings: Settings) -> Stale:
    """Find the references without a target that mean an object under an earlier name."""
    judge = _Judge(references, package, settings)
    names: dict[Item, frozenset[tuple[str, str]]] = {}
    problems: list[Problem] = []
    for resolved in references.authored:
        for target, problem in judge.about(resolved):
            problems.append(problem)
            if target is not None:
                name = resolved.reference.kind, resolved.reference.target
                names[target] = names.get(target, frozenset()) | {name}
    return Stale(names, tuple(problems))


class _Judge:
    def __init__(self, references: References, package: Package, settings: Settings) -> None:
        self._index = references.index
        self._settings = settings
        self._used = _find_used(references)
        self._listed = _listed(item for item in package.emitted if item.labels.get(keys.SET) in settings.own_sets)
        self._listed_by_others = _listed(package.emitted) - self._listed

    def about(self, resolved: ResolvedReference) -> Iterator[tuple[Item | None, Problem]]:
        """Yield what a reference means, None where it stays, and what to say."""
        referrer, reference, targets = resolved
        name = reference.target
        match = CONTENT_NAME.fullmatch(name)
        if match is None or targets or reference.written or referrer.id.kind in ROLES:
            return
        namespace = reference.target_namespace
        found = self._index.find(referrer, reference.kind, match.group(1), namespace)
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


def _find_used(references: References) -> frozenset[Item]:
    """Return the objects that something references by one of their names. A role does not say that anybody reads it."""
    named = {target for one in references if not _says_nothing(one) for target in one.targets}
    return frozenset(named | {target for one in references.embedded for target in one.targets})


def _says_nothing(resolved: ResolvedReference) -> bool:
    return resolved.reference.written or resolved.referrer.id.kind in ROLES


def _listed(emitted: Iterable[Item]) -> frozenset[str]:
    """Return the names that inventories and the plans of Jobs list: what earlier runs rendered. A pin is in neither."""
    return frozenset(name for item in emitted for name in (*listed_revisions(item), *_planned(item)))


def _planned(item: Item) -> Iterator[str]:
    """Yield the names of revisions in a Job's arguments. Those of a merge need not be a plan that anything can read."""
    if item.id.kind == "Job":
        for container in elements(get(item.node, "spec", "template", "spec", "containers")):
            for argument in elements(get(container, "args")):
                yield from (one.rpartition("/")[2] for one in text(argument).rpartition("=")[2].split(","))
