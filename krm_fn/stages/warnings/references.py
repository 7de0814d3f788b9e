"""What pods read and a controller makes in the cluster: it cannot be a revision."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from krm_fn.model.item import Item, about
from krm_fn.model.problem import Problem, ResourceId, Severity
from krm_fn.model.producers import PRODUCERS
from krm_fn.model.settings import Strategy
from krm_fn.naming.names import authored_id, base_name
from krm_fn.references.find import ROLES
from krm_fn.references.generated import find_generated, find_unmet, find_unpinned, versioned
from krm_fn.references.reference import By, Reference
from krm_fn.references.references import References
from krm_fn.stages.choose import Choices
from krm_fn.stages.name import Revisions
from krm_fn.stages.package import Package

_KINDS = frozenset((producer.group, kind) for producer in PRODUCERS for kind in producer.kinds)
_UNKNOWN = "a controller writes it"


class _Made(NamedTuple):
    """A ConfigMap or Secret by kind, namespace and name. In the namespace None it is in any."""

    kind: str
    namespace: str | None
    name: str


def has_producers(items: Iterable[Item]) -> bool:
    """Tell whether any object may make a ConfigMap or Secret."""
    return any((item.id.group, item.id.kind) in _KINDS for item in items)


def find_made_in_cluster(package: Package, references: References, choices: Choices) -> Iterator[Problem]:
    """Say of each object that another one makes in the cluster, and that pods read, why it is not versioned."""
    written = [(referrer, reference) for referrer, reference, _ in references if reference.written]
    read = _find_read(package, references) if written else {}
    strategies = {choice.item: choice.strategy for choice in choices.all}
    told = set()
    for producer, reference in written:
        namespace = None if package.kinds.is_cluster_scoped(producer.id) else _namespace(package, producer, reference)
        made = _Made(reference.kind, namespace, reference.target)
        reader = read.get(made, producer)
        is_handled = strategies.get(producer, Strategy.IGNORE) is not Strategy.IGNORE
        if reader is not producer and made not in told and not is_handled:
            told.add(made)
            yield _tell(producer, reference, reader, is_choosable=producer not in strategies)


def find_unversioned(references: References, revisions: Revisions, choices: Choices) -> Iterator[Problem]:
    """Say of each producer that pods read what of its content may change under one name."""
    bases = {revision.item: revision.base_id for revision in revisions.rendered}
    for choice in choices.all:
        if choice.strategy is Strategy.IGNORE or choice.item not in references.read_by_pods:
            continue
        unpinned = find_unpinned(choice.item)
        if unpinned:
            problem = about(choice.item, f"its spec is versioned, but what it makes {unpinned}", severity=Severity.INFO)
            yield problem._replace(resource=bases.get(choice.item, choice.item.id))


def _find_read(package: Package, references: References) -> dict[_Made, Item]:
    """Return what pods read, and the first object whose pods do; each also without its namespace."""
    read: dict[_Made, Item] = {}
    for referrer, reference, _ in references:
        if reference.in_pod and not reference.written:
            for namespace in (_namespace(package, referrer, reference), None):
                read.setdefault(_Made(reference.kind, namespace, reference.target), referrer)
    return read


def _namespace(package: Package, referrer: Item, reference: Reference) -> str:
    return reference.target_namespace or package.namespace_of(referrer)


def _tell(producer: Item, reference: Reference, reader: Item, *, is_choosable: bool) -> Problem:
    """Say it by base names, so that the next run says the same. `is_choosable`: only `spec.kinds` leaves it alone."""
    bases = {made.reference.name: made.base_name for made in find_generated(producer)}
    name = bases.get(reference.name, reference.target)
    made = ResourceId("v1", reference.kind, reference.target_namespace or producer.id.namespace, name)
    who = reader.id._replace(name=base_name(reader))
    kind = producer.id.kind
    may_be_handled = is_choosable and versioned(producer.id) is not None and find_unmet(producer) is None
    remedy = f"add {kind} to spec.kinds to name both by the {kind}'s spec, or let " if may_be_handled else ""
    message = (
        f"{made}, which {who} reads, is not versioned: {reference.rule.reason or _UNKNOWN}, so its name stays, "
        f"and a change restarts no pods; {remedy}a controller such as Reloader {'' if remedy else 'can '}restart them"
    )
    return about(producer, message, reference.field, Severity.INFO)._replace(resource=authored_id(producer))


def find_in_options(package: Package, references: References, revisions: Revisions) -> Iterator[Problem]:
    """Warn about each option or variable that passes the base name of a renamed object to a program.

    A name in data is followed where a reference is recognised by its shape.
    """
    followed = {(one.item, one.field, one.reference.target) for one in references.embedded}
    for revision in revisions.rendered:
        if revision.strategy is not Strategy.RENAME:
            continue
        namespaces = package.namespaces_like(revision.item.id.namespace)
        for item, found in references.options.passing(revision.item.id.kind, revision.base_name, namespaces):
            if (item, found.field, found.name) not in followed:
                message = (
                    f"{found.shown} passes {found.name!r}, but {revision.base_id} is renamed to {revision.name}; "
                    "read it through a volume or a variable instead, or exclude it"
                )
                yield about(item, message, found.field, Severity.WARNING)


def find_copied(choices: Choices, revisions: Revisions) -> Iterator[Problem]:
    """Warn about each renamed object that a program copies elsewhere. Nobody sees who reads the copies."""
    for revision in revisions.rendered:
        reason = choices.hints.copied(revision.item) if revision.strategy is Strategy.RENAME else None
        if reason is not None:
            message = (
                f"{revision.base_id} is renamed to {revision.name}, but {reason.text}; readers of the copies keep "
                "the old name, and a copy may be emptied when the object of that name is deleted; exclude it"
            )
            problem = about(reason.item or revision.item, message, reason.field, Severity.WARNING)
            yield problem._replace(resource=revision.id) if reason.item is revision.item else problem


def find_in_fields(references: References, revisions: Revisions) -> Iterator[Problem]:
    """Warn about fields of custom resources that seem to name a renamed object, and that no rule follows."""
    for one in references.unfollowed if revisions.renamed else ():
        revision = revisions.renamed.get(one.target)
        if revision is not None and revision.strategy is Strategy.RENAME:
            kind, base, new = one.target.id.kind, revision.base_name, revision.name
            if one.may_be_followed:
                message = (
                    f"names {kind} {base}, which is renamed to {new}, "
                    "but no rule follows this field; add it to spec.references, or exclude the object"
                )
            else:
                message = (
                    f"names {kind} {base}, which is renamed to {new}, "
                    "but the function changes no text in this field; exclude the object"
                )
            yield about(one.referrer, message, one.field, Severity.WARNING)


def find_unlisted(package: Package, references: References, revisions: Revisions) -> Iterator[Problem]:
    """Warn about each referrer of a revision whose kind no Role may name."""
    rendered = {revision.item for revision in revisions.rendered}
    seen = set()
    for referrer, reference, targets in references:
        is_consumer = not reference.written and referrer.id.kind not in ROLES and not rendered.isdisjoint(targets)
        is_consumer = is_consumer and reference.rule.by is not By.COPY  # retained for another reason, which is said
        kind = package.kinds.of(referrer.id)
        if is_consumer and referrer not in seen and not kind.is_listable:
            seen.add(referrer)
            message = (
                f"the linker must not list this kind (apiVersion {kind.api_version!r}, kind {kind.kind!r}, plural "
                f"{kind.plural!r}): the revisions that it references are retained, and nothing deletes them"
            )
            yield about(referrer, message, severity=Severity.WARNING)
