"""Make every reference follow the name of the object it means."""

import re
from collections.abc import Iterable, Iterator

from krm_fn.model.edit import Edit, SetText
from krm_fn.model.item import Item, about
from krm_fn.model.names import HASH
from krm_fn.model.problem import Problem, Severity
from krm_fn.model.settings import Strategy
from krm_fn.stages.name import Revision
from krm_fn.stages.resolve import Link, is_cluster_scoped

_REVISION_NAME = re.compile(f"(.+)-{HASH}")

_REPLACED = {
    "argocd.argoproj.io/sync-options": ("Replace=true", "Force=true"),
    "kustomize.toolkit.fluxcd.io/force": ("enabled",),
}
"""Annotations of objects that their deployer deletes and creates anew when an immutable field changes."""

_HOOKS = ("helm.sh/hook", "argocd.argoproj.io/hook")


def follow(links: Iterable[Link], revisions: Iterable[Revision]) -> tuple[list[Edit], list[Problem]]:
    """The edits of all references to renamed objects, and what cannot or should not be followed."""
    renamed = {id(revision.item.node): revision for revision in revisions if revision.strategy is Strategy.RENAME}
    known = {(revision.item.id.kind, revision.base_name): revision for revision in renamed.values()}
    edits: list[Edit] = []
    problems: list[Problem] = []
    for link in links:
        if not link.targets:
            problems += _explain_missing(link, known)
            continue
        names = {_name_now(item, renamed) for item in link.targets}
        if len(names) > 1:
            problems.append(_ambiguous(link))
        elif not link.reference.written:
            edits += _rewrite(link, *names.pop())
    return edits, [*problems, *_immutable_consumers(edits)]


def _name_now(item: Item, renamed: dict[int, Revision]) -> tuple[str | None, str]:
    """The new name, None for an object that keeps its own, and the namespace."""
    revision = renamed.get(id(item.node))
    return (revision.name if revision else None), item.id.namespace


def _rewrite(link: Link, name: str | None, namespace: str) -> Iterator[Edit]:
    reference = link.reference
    if name is None:
        return
    if reference.name.value != name:
        yield Edit(SetText(reference.name, name), link.referrer, reference.field)
    if reference.namespace is not None and namespace not in ("", reference.namespace.value):
        field = reference.field.rpartition(".")[0] + ".namespace"
        yield Edit(SetText(reference.namespace, namespace), link.referrer, field)


def _ambiguous(link: Link) -> Problem:
    found = " and ".join(_locate(item) for item in link.targets)
    message = f"{link.reference.name.value!r} may mean {found}; give them different names, or exclude one"
    return _problem(link, message, Severity.ERROR)


def _locate(item: Item) -> str:
    return f"{item.id} in {item.file}" if item.file else f"{item.id} on line {item.node.start_mark.line + 1}"


def _explain_missing(link: Link, known: dict[tuple[str, str], Revision]) -> Iterator[Problem]:
    """A reference that nearly means a revision: worth a warning, never a change."""
    name, kind = link.reference.name.value, link.reference.kind
    pinned = _REVISION_NAME.fullmatch(name)
    namesake = known.get((kind, name))
    if namesake and not is_cluster_scoped(link.referrer.id):
        yield _problem(
            link,
            f"left as {name!r}: {namesake.base_id} is renamed, but lies in another namespace "
            f"({_namespace(namesake.item.id.namespace)}, not {_namespace(_namespace_of(link))})",
        )
    elif pinned and (revision := known.get((kind, pinned.group(1)))) and _namespace_of(link) == revision.id.namespace:
        yield _problem(
            link, f"left as {name!r}: a pin on another revision of {revision.base_name}, now {revision.name}"
        )


def _namespace_of(link: Link) -> str:
    return link.reference.namespace.value if link.reference.namespace else link.referrer.id.namespace


def _namespace(name: str) -> str:
    return name or "none given"


def _immutable_consumers(edits: list[Edit]) -> Iterator[Problem]:
    """Jobs and bare Pods whose template changes under the same name: the API server will refuse them."""
    seen = set()
    for edit in edits:
        item = edit.item
        immutable = (item.id.kind == "Job" and item.id.group == "batch") or (item.id.kind, item.id.group) == ("Pod", "")
        if not immutable or id(item.node) in seen or _is_replaced(item):
            continue
        seen.add(id(item.node))
        message = (
            f"cannot be changed once created, and now names {edit.change.text!r}: "  # type: ignore[union-attr]  # ours
            f"delete the old {item.id.kind} before applying, or make it a hook"
        )
        yield about(item, message, edit.field, Severity.WARNING)


def _is_replaced(item: Item) -> bool:
    if not item.id.name or any(hook in item.annotations for hook in _HOOKS):
        return True
    return any(
        value in item.annotations.get(annotation, "").split(",")
        for annotation, values in _REPLACED.items()
        for value in values
    )


def _problem(link: Link, message: str, severity: Severity = Severity.WARNING) -> Problem:
    return about(link.referrer, message, link.reference.field, severity)
