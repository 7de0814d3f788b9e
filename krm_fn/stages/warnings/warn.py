"""Warn about what no edit can mend."""

from collections.abc import Iterator, Mapping

from krm_fn.model.changes import Changes
from krm_fn.model.item import about
from krm_fn.model.kinds import cannot_change, kind_of
from krm_fn.model.problem import Problem, Severity
from krm_fn.model.settings import Strategy
from krm_fn.references.find import ROLES, may_refer
from krm_fn.references.references import References
from krm_fn.stages.jobs import RenamedJobs
from krm_fn.stages.name import Revisions
from krm_fn.stages.package import Package
from krm_fn.stages.warnings.duplicates import find_duplicates
from krm_fn.stages.warnings.job_names import find_job_names
from krm_fn.stages.warnings.made_in_cluster import find_made_in_cluster
from krm_fn.stages.warnings.misspelled import find_misspelled
from krm_fn.stages.warnings.not_text import find_not_text
from krm_fn.stages.warnings.own_annotations import find_own_annotations
from krm_fn.stages.warnings.unfollowed import find_in_fields, find_in_options
from krm_fn.stages.warnings.unrendered import find_substituted, find_templates

_NO_REFERRERS = (
    "ConfigMaps or Secrets are renamed, but the package has no objects that could reference them: referrers elsewhere "
    "keep the old names; run the function over the whole package, without selectors"
)


def warn(
    package: Package, references: References, revisions: Revisions, jobs: RenamedJobs, changes: Changes
) -> Changes:
    """Warn about objects that will not follow, or that the API server will refuse."""
    problems = [
        *_warn_without_referrers(package, revisions),
        *_warn_about_unlisted(package, references, revisions),
        *_warn_about_immutable(references, revisions, changes),
        *find_in_options(package, references, revisions),
        *find_in_fields(references, revisions),
        *find_job_names(package, jobs.jobs),
        *find_templates(package.authored),
        *find_substituted(package, revisions.rendered),
        *find_duplicates(package, revisions),
        *find_misspelled(package, references),
        *find_not_text(revisions.rendered),
        *find_own_annotations(package.authored),
        *find_made_in_cluster(package, references),
    ]
    return Changes(problems=tuple(problems))


def _warn_without_referrers(package: Package, revisions: Revisions) -> list[Problem]:
    """Warn if the package is nothing but configuration, as when kpt's selectors pass ConfigMaps alone."""
    is_renaming = any(revision.strategy is Strategy.RENAME for revision in revisions.rendered)
    if not is_renaming or any(may_refer(item.id) and not item.is_local for item in package.authored):
        return []
    return [Problem(_NO_REFERRERS, severity=Severity.WARNING)]


def _warn_about_unlisted(package: Package, references: References, revisions: Revisions) -> Iterator[Problem]:
    """Warn about each referrer of a revision whose kind no Role may name."""
    rendered = {revision.item for revision in revisions.rendered}
    seen = set()
    for referrer, reference, targets in references:
        is_consumer = not reference.written and referrer.id.kind not in ROLES and not rendered.isdisjoint(targets)
        kind = package.kinds.of(referrer.id)
        if is_consumer and referrer not in seen and not kind.is_listable:
            seen.add(referrer)
            message = (
                f"the linker must not list this kind (apiVersion {kind.api_version!r}, kind {kind.kind!r}, plural "
                f"{kind.plural!r}): the revisions that it references are retained, and nothing deletes them"
            )
            yield about(referrer, message, severity=Severity.WARNING)


def _warn_about_immutable(references: References, revisions: Revisions, changes: Changes) -> Iterator[Problem]:
    """Warn about each plain Job and bare Pod that reads a renamed object or changes, at the first such field.

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
        if item not in seen and cannot_change(item):
            seen.add(item)
            message = (
                f"changes with its configuration, but a {item.id.kind} is immutable once it is created: "
                "delete the old one before you apply a change, or make it a hook"
            )
            yield about(item, message, field, Severity.WARNING)
