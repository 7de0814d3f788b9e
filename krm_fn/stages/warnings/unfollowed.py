"""Names of renamed objects in places that nothing follows."""

from collections.abc import Iterator

from krm_fn.model.item import about
from krm_fn.model.problem import Problem, Severity
from krm_fn.model.settings import Strategy
from krm_fn.references.references import References
from krm_fn.stages.choose import Choices
from krm_fn.stages.name import Revisions
from krm_fn.stages.package import Package


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
