"""References to a name that the package nearly has, or has under the other kind."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from krm_fn.model.item import about
from krm_fn.model.problem import Problem, Severity
from krm_fn.naming.suggest import find_near
from krm_fn.references.find import ROLES
from krm_fn.references.reference import ResolvedReference
from krm_fn.references.references import References
from krm_fn.stages.package import Package

_OTHER = {"ConfigMap": "Secret", "Secret": "ConfigMap"}


class Misspelled(NamedTuple):
    """A reference, and the kind, the namespace and the name of what it probably means."""

    resolved: ResolvedReference
    kind: str
    namespace: str
    name: str

    @property
    def message(self) -> str:
        """Ask for what is meant."""
        kind, name = self.resolved.reference.kind, self.resolved.reference.target
        meant = repr(self.name) if self.kind == kind else f"the {self.kind} of this name"
        return f"{kind} {name!r} is not in the package; did you mean {meant}?"


def warn_about_misspelled(misspelled: Iterable[Misspelled]) -> Iterator[Problem]:
    """Warn about each of them."""
    for one in misspelled:
        yield about(one.resolved.referrer, one.message, one.resolved.reference.field, Severity.WARNING)


def find_misspelled(package: Package, references: References) -> Iterator[Misspelled]:
    """Find each name that the package does not have, if it has one of the same kind and namespace that is near.

    The reference may be optional: Kubernetes does not report such a mistake at all. A name that any object of the
    package has is none: an operator may make a Secret under the name of its own object.
    """
    made = {(_place_of(one, package), one.reference.target) for one in references.authored if one.reference.written}
    unresolved = [
        one
        for one in references.authored
        if _is_unresolved(one, package) and (_place_of(one, package), one.reference.target) not in made
    ]
    if not unresolved:
        return
    near = _find_all_near(unresolved, package, references)
    unread = _find_unread(package, references)
    for one in unresolved:
        place, name = _place_of(one, package), one.reference.target
        kind, namespace = place
        if name in near[place]:
            yield Misspelled(one, kind, namespace, near[place][name])
        elif one.reference.in_pod and (_OTHER.get(kind), namespace, name) in unread:
            yield Misspelled(one, _OTHER[kind], namespace, name)


def _find_unread(package: Package, references: References) -> set[tuple[str | None, str, str]]:
    """Return kind, namespace and name of each ConfigMap and Secret that nothing references.

    If something does, its name is right for that, and there may be an object of the other kind outside the package.
    """
    read = {target for one in references for target in one.targets}
    return {(item.id.kind, package.namespace_of(item), item.id.name) for item in package.configs if item not in read}


def _is_unresolved(one: ResolvedReference, package: Package) -> bool:
    if one.targets or one.reference.written or one.referrer.id.kind in ROLES:
        return False
    return one.reference.target_namespace is not None or not package.kinds.is_cluster_scoped(one.referrer.id)


def _find_all_near(
    unresolved: Iterable[ResolvedReference], package: Package, references: References
) -> dict[tuple[str, str], dict[str, str]]:
    """Return what is near each name, by kind and namespace."""
    taken = {(package.namespace_of(item), item.id.name) for item in package.authored}
    unknown: dict[tuple[str, str], set[str]] = defaultdict(set)
    for one in unresolved:
        place, name = _place_of(one, package), one.reference.target
        if (place[1], name) not in taken:
            unknown[place].add(name)
    known: dict[tuple[str, str], list[str]] = defaultdict(list)
    for item, name in references.index.named:
        known[item.id.kind, package.namespace_of(item)].append(name)
    return defaultdict(dict, {place: find_near(names, known[place]) for place, names in unknown.items()})


def _place_of(one: ResolvedReference, package: Package) -> tuple[str, str]:
    """Return the kind of the object that a reference names, and the namespace where it is expected."""
    namespace = one.reference.target_namespace
    where = one.referrer.id.namespace if namespace is None else namespace
    return one.reference.kind, where or package.namespace
