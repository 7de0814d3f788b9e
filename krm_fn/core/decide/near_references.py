"""References that mean no object of the package, though one has nearly that name: what they miss, and why."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import TypeAlias

from krm_fn.base.item import Item, about
from krm_fn.base.problem import Problem, Severity
from krm_fn.base.settings import Strategy
from krm_fn.core.decide.package import FIXED_NAMES
from krm_fn.core.decide.revisions import Revision
from krm_fn.core.names.names import CONTENT_NAME
from krm_fn.core.references.find import ROLES
from krm_fn.core.references.reference import ResolvedReference
from krm_fn.core.references.resolve import Index, PassedOver

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
    referrer, reference = resolved.referrer, resolved.reference
    kind, name = reference.kind, reference.target
    for item, reason in _find_meant(resolved, by_base_name, index):
        message = f"not rewritten: {kind} {name} {why_passed_over(resolved, item, reason)}"
        yield about(referrer, message, reference.field, Severity.WARNING)
    for revision in find_pinned(resolved, by_base_name):
        message = f"not rewritten: {name!r} is another revision of {revision.base_name}, now {revision.name}"
        yield about(referrer, message, reference.field, Severity.WARNING)


def _find_meant(
    resolved: ResolvedReference, by_base_name: ByBaseName, index: Index
) -> Iterator[tuple[Item, PassedOver]]:
    """Yield the object that is most probably meant: one that is renamed, or else one that pods cannot start without."""
    if index.kinds.is_cluster_scoped(resolved.referrer.id):  # its own namespace says nothing about the object's
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
        if revision.id.namespace == resolved.namespace_meant:
            yield revision


def why_passed_over(resolved: ResolvedReference, item: Item, reason: PassedOver) -> str:
    """Say of an object why a reference with one of its names does not mean it."""
    match reason:
        case PassedOver.NAMESPACE:
            there = f"is in namespace {item.id.namespace}" if item.id.namespace else "sets no namespace"
            return f"{there}; {_say_namespace(resolved)}"
        case PassedOver.AFFIXES:
            return "has other prefixes or suffixes of kustomize than this referrer"
        case PassedOver.PACKAGE:
            return "is in another package of kpt than this referrer, and a nearer one has the name too"
        case PassedOver.NAME:
            return "had this name before, and another object has it now"


def _say_namespace(resolved: ResolvedReference) -> str:
    namespace = resolved.namespace_meant
    if resolved.reference.target_namespace is not None:
        return f"this reference names namespace {namespace}"
    return f"this referrer is in namespace {namespace}" if namespace else "this referrer sets none"
