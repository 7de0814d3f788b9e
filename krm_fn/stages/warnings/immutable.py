"""Workloads that change with their configuration, though the API server refuses that, or their running pods stay."""

from collections.abc import Iterator, Mapping

from krm_fn.model.changes import Changes
from krm_fn.model.item import Item, about
from krm_fn.model.kinds import cannot_change, is_replaced, kind_of
from krm_fn.model.problem import Problem, Severity
from krm_fn.references.references import References
from krm_fn.stages.name import Revisions


def find_immutable(references: References, revisions: Revisions, changes: Changes) -> Iterator[Problem]:
    """Warn about each plain Job, Pod and ReplicaSet that reads a renamed object or changes, at the first such field.

    The warning is the same on every run: the next change of the content changes the object again.
    """
    changed = [
        (referrer, reference.field)
        for referrer, reference, targets in references
        if reference.in_pod and any(target in revisions.renamed for target in targets)
    ]
    changed += [(edit.item, edit.field) for edit in changes.edits]
    renamed = set()
    for item, patch in changes.patches:
        if "spec" in patch and (kind := kind_of(item)):
            changed.append((item, kind.pod_spec))
        metadata = patch.get("metadata")
        if isinstance(metadata, Mapping) and "name" in metadata:
            renamed.add(item)
    seen = set(renamed)
    for item, field in changed:
        message = "" if item in seen else _say(item)
        if message:
            seen.add(item)
            yield about(item, message, field, Severity.WARNING)


def _say(item: Item) -> str:
    """Say what another pod template does not do, with the way out; `""` if it does what one expects."""
    kind = kind_of(item)
    if cannot_change(item):
        return (
            f"changes with its configuration, but a {item.id.kind} is immutable once it is created: "
            "delete the old one before you apply a change, or make it a hook"
        )
    if kind is not None and kind.keeps_pods and not is_replaced(item):
        return (
            f"changes with its configuration, but a {item.id.kind} does not replace its running pods, which keep "
            "what they read: delete them, or use a Deployment"
        )
    return ""
