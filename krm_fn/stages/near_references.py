"""References to a name that the package nearly has, or has under the other kind."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import NamedTuple, TypeAlias

from krm_fn.model.item import Item, about
from krm_fn.model.problem import Problem, Severity
from krm_fn.model.settings import Strategy
from krm_fn.naming.names import CONTENT_NAME
from krm_fn.naming.suggest import find_near
from krm_fn.references.find import ROLES
from krm_fn.references.reference import ResolvedReference
from krm_fn.references.references import References
from krm_fn.references.resolve import Index, PassedOver
from krm_fn.stages.package import FIXED_NAMES, Package
from krm_fn.stages.revisions import Revision

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


ByBaseName: TypeAlias = Mapping[tuple[str, str], list[Revision]]
"""Renamed objects, by kind and base name."""


def read_base_names(revisions: Iterable[Revision]) -> ByBaseName:
    """Return the revisions whose strategy is to rename by their base names."""
    by_base_name: dict[tuple[str, str], list[Revision]] = defaultdict(list)
    for revision in revisions:
        if revision.strategy is Strategy.RENAME:
            by_base_name[revision.item.id.kind, revision.base_name].append(revision)
    return by_base_name


def warn_about_near(resolved: ResolvedReference, by_base_name: ByBaseName, index: Index) -> Iterator[Problem]:
    """Warn about a reference without a target that may be meant for a revision, or for what its pods need."""
    for item, reason in _find_meant(resolved, by_base_name, index):
        kind, name = resolved.reference.kind, resolved.reference.target
        yield _problem(resolved, f"not rewritten: {kind} {name} {why_passed_over(resolved, item, reason)}")
    for revision in find_pinned(resolved, by_base_name):
        name = resolved.reference.target
        message = f"not rewritten: {name!r} is another revision of {revision.base_name}, now {revision.name}"
        yield _problem(resolved, message)


def _find_meant(
    resolved: ResolvedReference, by_base_name: ByBaseName, index: Index
) -> Iterator[tuple[Item, PassedOver]]:
    """Yield the object that is most probably meant: one that is renamed, or else one that pods cannot start without."""
    if index.kinds.is_cluster_scoped(resolved.referrer.id):
        return
    name, reference = resolved.reference.target, resolved.reference
    place = reference.kind, name, reference.target_namespace
    renamed = (revision.item for revision in by_base_name.get((reference.kind, name), ()))
    is_required = not reference.is_optional and name not in FIXED_NAMES
    needed = reference.in_pod and not reference.written and is_required
    others = index.find_in_other_namespaces(resolved.referrer, *place) if needed else ()
    item = next(chain(renamed, others), None)
    reason = None if item is None else index.why_passed_over(resolved.referrer, item, *place)
    if item is not None and reason is not None:
        yield item, reason


def find_pinned(resolved: ResolvedReference, by_base_name: ByBaseName) -> Iterator[Revision]:
    """Yield the revisions of whose history the reference names another one."""
    if resolved.referrer.id.kind in ROLES:  # a rule may list the names of several kinds, and those of older revisions
        return
    older = CONTENT_NAME.fullmatch(resolved.reference.target)
    for revision in by_base_name.get((resolved.reference.kind, older.group(1)), []) if older else []:
        if revision.id.namespace == _namespace_of(resolved):
            yield revision


def why_passed_over(resolved: ResolvedReference, item: Item, reason: PassedOver) -> str:
    """Say of an object why a reference with one of its names does not mean it."""
    match reason:
        case PassedOver.NAMESPACE:
            there = f"is in namespace {item.id.namespace}" if item.id.namespace else "sets no namespace"
            return f"{there}; {_where(resolved)}"
        case PassedOver.AFFIXES:
            return "has other prefixes or suffixes of kustomize than this referrer"
        case PassedOver.PACKAGE:
            return "is in another package of kpt than this referrer, and a nearer one has the name too"
        case PassedOver.NAME:
            return "had this name before, and another object has it now"


def _where(resolved: ResolvedReference) -> str:
    namespace = _namespace_of(resolved)
    if resolved.reference.target_namespace is not None:
        return f"this reference names namespace {namespace}"
    return f"this referrer is in namespace {namespace}" if namespace else "this referrer sets none"


def _namespace_of(resolved: ResolvedReference) -> str:
    named = resolved.reference.target_namespace
    return resolved.referrer.id.namespace if named is None else named


def _problem(resolved: ResolvedReference, message: str) -> Problem:
    return about(resolved.referrer, message, resolved.reference.field, Severity.WARNING)
