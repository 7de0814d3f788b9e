"""Warn about what no edit can mend."""

import re
from collections.abc import Iterable, Iterator, Mapping

from krm_fn.model.changes import Changes
from krm_fn.model.item import Item, about
from krm_fn.model.kinds import cannot_change, kind_of
from krm_fn.model.node import Node, elements, get, is_scalar, text
from krm_fn.model.pods import find_containers
from krm_fn.model.problem import Problem, Severity
from krm_fn.model.settings import Strategy
from krm_fn.references.find import ROLES, may_refer
from krm_fn.references.references import References
from krm_fn.stages.jobs import RenamedJobs
from krm_fn.stages.name import Revision, Revisions
from krm_fn.stages.package import Package

_WORD = re.compile(r"[A-Za-z0-9][A-Za-z0-9.-]*")
_LISTS_OF_WORDS = ("args", "command")
_JOB = re.compile(r"(?i)\bjobs?\b")
"""A word such as `migrate` means a Job only in a container that says `job` as well."""

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
        *_warn_about_options(package, references, revisions),
        *_warn_about_unfollowed(references, revisions),
        *_warn_about_job_names(package, jobs.jobs),
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


def _warn_about_options(package: Package, references: References, revisions: Revisions) -> Iterator[Problem]:
    """Warn about each option or variable that passes the base name of a renamed object to a program.

    A name in data is followed where a reference is recognised by its shape.
    """
    followed = {(one.item, one.field, one.reference.target) for one in references.embedded}
    for revision in revisions.rendered:
        if revision.strategy is not Strategy.RENAME:
            continue
        for item, found in references.options.passing(revision.item.id.kind, revision.base_name):
            namespace = found.namespace or item.id.namespace
            is_followed = (item, found.field, found.name) in followed
            if not is_followed and package.may_share_namespace(namespace, revision.item.id.namespace):
                message = (
                    f"{found.option} passes {found.name!r}, but {revision.base_id} is renamed to {revision.name}; "
                    "read it through a volume or a variable instead, or exclude it"
                )
                yield about(item, message, found.field, Severity.WARNING)


def _warn_about_unfollowed(references: References, revisions: Revisions) -> Iterator[Problem]:
    """Warn about fields of custom resources that seem to name a renamed object, and that no rule follows."""
    for referrer, field, target in references.unfollowed if revisions.renamed else ():
        revision = revisions.renamed.get(target)
        if revision is not None and revision.strategy is Strategy.RENAME:
            message = (
                f"names {target.id.kind} {revision.base_name}, which is renamed to {revision.name}, "
                "but no rule follows this field; add it to spec.references, or exclude the object"
            )
            yield about(referrer, message, field, Severity.WARNING)


def _warn_about_job_names(package: Package, jobs: Iterable[Revision]) -> list[Problem]:
    """Warn about each text that says the base name of a renamed Job, as `kubectl wait job/migrate` does."""
    renamed = {(job.item.id.namespace, job.base_name): job for job in jobs}
    problems: list[Problem] = []
    for item in package.authored if renamed else ():
        if item.is_local:
            continue
        for container in ([*_texts_of_container(node, path)] for path, node in find_containers(item)):
            if not any(_JOB.search(said) for _, said in container):
                continue
            for field, said in container:
                for word in dict.fromkeys(_WORD.findall(said)):
                    job = renamed.get((item.id.namespace, word))
                    if job is not None and job.item is not item:
                        problems.append(_warn_about_job_name(item, field, job))
    return problems


def _warn_about_job_name(item: Item, field: str, job: Revision) -> Problem:
    message = f"contains {job.base_name!r}, but {job.base_id} is renamed to {job.name}; select it by a label instead"
    return about(item, message, field, Severity.WARNING)


def _texts_of_container(container: Node, path: str) -> Iterator[tuple[str, str]]:
    for name in _LISTS_OF_WORDS:
        for index, word in enumerate(elements(get(container, name))):
            if is_scalar(word) and (name, index) != ("command", 0):  # the program, which may share the name
                yield f"{path}.{name}[{index}]", word.value
    for index, variable in enumerate(elements(get(container, "env"))):
        yield f"{path}.env[{index}].value", text(get(variable, "value"))
