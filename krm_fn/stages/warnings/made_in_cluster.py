"""What pods read and a controller makes in the cluster: it cannot be a revision."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from krm_fn.model.item import Item, about
from krm_fn.model.problem import Problem, ResourceId, Severity
from krm_fn.naming.names import base_name
from krm_fn.references.makers import MAKERS
from krm_fn.references.reference import Reference
from krm_fn.references.references import References
from krm_fn.stages.package import Package

_KINDS = frozenset((maker.group, kind) for maker in MAKERS for kind in maker.kinds)
_UNKNOWN = "a controller writes it"


class _Made(NamedTuple):
    """A ConfigMap or Secret by kind, namespace and name. In the namespace None it is in any."""

    kind: str
    namespace: str | None
    name: str


def has_makers(items: Iterable[Item]) -> bool:
    """Tell whether any object may make a ConfigMap or Secret."""
    return any((item.id.group, item.id.kind) in _KINDS for item in items)


def find_made_in_cluster(package: Package, references: References) -> Iterator[Problem]:
    """Say of each object that another one makes in the cluster, and that pods read, why it is not versioned."""
    written = [(referrer, reference) for referrer, reference, _ in references if reference.written]
    read = _find_read(package, references) if written else {}
    told = set()
    for maker, reference in written:
        namespace = None if package.kinds.is_cluster_scoped(maker.id) else _namespace(package, maker, reference)
        made = _Made(reference.kind, namespace, reference.target)
        reader = read.get(made, maker)
        if reader is not maker and made not in told:
            told.add(made)
            yield _tell(maker, reference, reader)


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


def _tell(maker: Item, reference: Reference, reader: Item) -> Problem:
    made = ResourceId("v1", reference.kind, reference.target_namespace or maker.id.namespace, reference.target)
    who = reader.id._replace(name=base_name(reader))
    message = (
        f"{made}, which {who} reads, is not versioned: {reference.rule.reason or _UNKNOWN}, so its name stays, "
        "and a change restarts no pods; a controller such as Reloader can restart them"
    )
    return about(maker, message, reference.field, Severity.INFO)
