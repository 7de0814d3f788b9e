"""Rewrite every reference to the name that its object has in the output."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator

from krm_fn.model.changes import Changes, Edit, SetText
from krm_fn.model.item import Item, about, locate
from krm_fn.model.kinds import Kinds
from krm_fn.model.problem import Problem, Severity
from krm_fn.model.settings import Strategy
from krm_fn.naming.names import HASH
from krm_fn.references.reference import ResolvedReference
from krm_fn.stages.name import Revision, Revisions

_REVISION_NAME = re.compile(f"(.+)-{HASH}")


def update_references(references: Iterable[ResolvedReference], revisions: Revisions, kinds: Kinds) -> Changes:
    """Rewrite references to renamed objects, and report those that cannot or should not be rewritten."""
    by_base_name: dict[tuple[str, str], list[Revision]] = defaultdict(list)
    for revision in revisions.renamed.values():
        if revision.strategy is Strategy.RENAME:
            by_base_name[revision.item.id.kind, revision.base_name].append(revision)
    edits: list[Edit] = []
    problems: list[Problem] = []
    for resolved in references:
        targets = resolved.targets
        if not targets:
            problems += _explain_missing(resolved, by_base_name, kinds)
            continue
        if resolved.reference.written or not any(item in revisions.renamed for item in targets):
            continue
        first, *others = {revisions.renamed[item].id if item in revisions.renamed else item.id for item in targets}
        if others:
            problems.append(_ambiguous(resolved))
        else:
            edits += _rewrite(resolved, first.name, first.namespace)
    return Changes(edits=tuple(edits), problems=tuple(problems))


def find_contradictions(edits: Iterable[Edit]) -> Iterator[Problem]:
    """Report fields that name two objects, as a role's rule for both kinds may, which get different names."""
    first: dict[tuple[Item, str], Edit] = {}
    for edit in edits:
        before = first.setdefault((edit.item, edit.field), edit)
        if before.change != edit.change:
            message = "names objects of two kinds that get different names; write one rule for each kind"
            yield about(edit.item, message, edit.field)


def _rewrite(resolved: ResolvedReference, name: str, namespace: str) -> Iterator[Edit]:
    reference = resolved.reference
    if reference.target != name:
        yield Edit(SetText(reference.name, reference.renamed(name)), resolved.referrer, reference.field)
    if reference.namespace is not None and namespace not in ("", reference.namespace.value):
        field = reference.field.rpartition(".")[0] + ".namespace"
        yield Edit(SetText(reference.namespace, namespace), resolved.referrer, field)


def _ambiguous(resolved: ResolvedReference) -> Problem:
    found = " and ".join(map(locate, resolved.targets))
    message = f"{resolved.reference.target!r} matches {found}; give them different names, or exclude one"
    return _problem(resolved, message, Severity.ERROR)


def _explain_missing(
    resolved: ResolvedReference, by_base_name: dict[tuple[str, str], list[Revision]], kinds: Kinds
) -> Iterator[Problem]:
    """Warn about a reference that nearly matches a revision. It is never changed."""
    name, kind, namespace = resolved.reference.target, resolved.reference.kind, _namespace_of(resolved)
    for revision in by_base_name.get((kind, name), [])[:1]:
        if not kinds.is_cluster_scoped(resolved.referrer.id):
            there = f"is in namespace {revision.id.namespace}" if revision.id.namespace else "sets no namespace"
            if resolved.reference.target_namespace is not None:
                here = f"this reference names namespace {namespace}"
            else:
                here = f"this referrer is in namespace {namespace}" if namespace else "this referrer sets none"
            message = f"not rewritten: {kind} {name} {there}; {here}"
            yield _problem(resolved, message)
    older = _REVISION_NAME.fullmatch(name)
    for revision in by_base_name.get((kind, older.group(1)), []) if older else []:
        if revision.id.namespace == namespace:
            message = f"not rewritten: {name!r} is another revision of {revision.base_name}, now {revision.name}"
            yield _problem(resolved, message)


def _namespace_of(resolved: ResolvedReference) -> str:
    named = resolved.reference.target_namespace
    return resolved.referrer.id.namespace if named is None else named


def _problem(resolved: ResolvedReference, message: str, severity: Severity = Severity.WARNING) -> Problem:
    return about(resolved.referrer, message, resolved.reference.field, severity)
