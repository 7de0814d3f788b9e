"""Make every reference follow the name of the object it means."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator

from krm_fn.model.changes import Edit, SetText
from krm_fn.model.item import Item, about
from krm_fn.model.problem import Problem, Severity
from krm_fn.model.settings import Strategy
from krm_fn.naming.names import HASH
from krm_fn.references.resolve import Link, is_cluster_scoped
from krm_fn.stages.name import Revision

_REVISION_NAME = re.compile(f"(.+)-{HASH}")


def follow(links: Iterable[Link], revisions: Iterable[Revision]) -> tuple[list[Edit], list[Problem]]:
    """The edits of all references to renamed objects, and what cannot or should not be followed."""
    renamed = {id(revision.item.node): revision for revision in revisions if revision.is_renamed}
    known: dict[tuple[str, str], list[Revision]] = defaultdict(list)
    for revision in renamed.values():
        if revision.strategy is Strategy.RENAME:
            known[revision.item.id.kind, revision.base_name].append(revision)
    edits: list[Edit] = []
    problems: list[Problem] = []
    for link in links:
        if not link.targets:
            problems += _explain_missing(link, known)
            continue
        if link.reference.written or not any(id(item.node) in renamed for item in link.targets):
            continue
        first, *others = {renamed[id(item.node)].id if id(item.node) in renamed else item.id for item in link.targets}
        if others:
            problems.append(_ambiguous(link))
        else:
            edits += _rewrite(link, first.name, first.namespace)
    return edits, problems


def _rewrite(link: Link, name: str, namespace: str) -> Iterator[Edit]:
    reference = link.reference
    if reference.target != name:
        yield Edit(SetText(reference.name, reference.renamed(name)), link.referrer, reference.field)
    if reference.namespace is not None and namespace not in ("", reference.namespace.value):
        field = reference.field.rpartition(".")[0] + ".namespace"
        yield Edit(SetText(reference.namespace, namespace), link.referrer, field)


def _ambiguous(link: Link) -> Problem:
    found = " and ".join(_locate(item) for item in link.targets)
    message = f"{link.reference.target!r} may mean {found}; give them different names, or exclude one"
    return _problem(link, message, Severity.ERROR)


def find_torn(edits: Iterable[Edit]) -> Iterator[Problem]:
    """One field that names two objects, as a role's rule for both kinds may, and they part ways."""
    first: dict[tuple[int, str], Edit] = {}
    for edit in edits:
        before = first.setdefault((id(edit.item.node), edit.field), edit)
        if before.change != edit.change:
            message = "names objects of two kinds that get different names; give each kind a rule of its own"
            yield about(edit.item, message, edit.field)


def _locate(item: Item) -> str:
    return f"{item.id} in {item.file}" if item.file else f"{item.id} on line {item.node.start_mark.line + 1}"


def _explain_missing(link: Link, known: dict[tuple[str, str], list[Revision]]) -> Iterator[Problem]:
    """A reference that nearly means a revision: worth a warning, never a change."""
    name, kind, namespace = link.reference.target, link.reference.kind, _namespace_of(link)
    pinned = _REVISION_NAME.fullmatch(name)
    for revision in known.get((kind, name), [])[:1]:
        if not is_cluster_scoped(link.referrer.id):
            where = f"{_namespace(revision.id.namespace)}, not {_namespace(namespace)}"
            message = f"left as {name!r}: {revision.base_id} is renamed, but lies in another namespace ({where})"
            yield _problem(link, message)
    for revision in known.get((kind, pinned.group(1)), []) if pinned else []:
        if revision.id.namespace == namespace:
            message = f"left as {name!r}: a pin on another revision of {revision.base_name}, now {revision.name}"
            yield _problem(link, message)


def _namespace_of(link: Link) -> str:
    said = link.reference.target_namespace
    return link.referrer.id.namespace if said is None else said


def _namespace(name: str) -> str:
    return name or "none given"


def _problem(link: Link, message: str, severity: Severity = Severity.WARNING) -> Problem:
    return about(link.referrer, message, link.reference.field, severity)
