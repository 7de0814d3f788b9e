"""Referrers that the linker will never see, because no Role may let it list their kind."""

from collections.abc import Iterator

from krm_fn.model.item import about
from krm_fn.model.problem import Problem, Severity
from krm_fn.references.find import ROLES
from krm_fn.references.references import References
from krm_fn.references.rule import By
from krm_fn.stages.name import Revisions
from krm_fn.stages.package import Package


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
