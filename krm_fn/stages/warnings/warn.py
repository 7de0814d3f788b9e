"""Warn about what no edit can mend."""

from krm_fn.model.changes import Changes
from krm_fn.model.settings import Settings
from krm_fn.references.references import References
from krm_fn.stages.choose import Choices
from krm_fn.stages.jobs import RenamedJobs, find_job_names
from krm_fn.stages.near_references import find_misspelled, warn_about_misspelled
from krm_fn.stages.package import Package
from krm_fn.stages.revisions import Revisions
from krm_fn.stages.warnings.configuration import find_misspelled_kinds, find_own_annotations, find_unmatched
from krm_fn.stages.warnings.missing_keys import find_missing_keys
from krm_fn.stages.warnings.objects import (
    find_abandoned_linkers,
    find_duplicates,
    find_immutable,
    find_named_by_ciphertext,
    find_no_referrers,
    find_substituted,
    find_taken,
    find_templates,
)
from krm_fn.stages.warnings.references import (
    find_copied,
    find_in_fields,
    find_in_options,
    find_made_in_cluster,
    find_unlisted,
    find_unversioned,
)
from krm_fn.stages.warnings.refused_data import find_refused_data


def warn(  # noqa: PLR0913, PLR0917  # all that a run has found out
    package: Package,
    references: References,
    choices: Choices,
    revisions: Revisions,
    jobs: RenamedJobs,
    changes: Changes,
    settings: Settings,
) -> Changes:
    """Warn about settings without effect, objects that will not follow, and objects that the API server will refuse."""
    problems = [
        *find_unmatched(package, settings, references.index.names),
        *find_taken(package, choices, settings),
        *find_misspelled_kinds(package.authored),
        *find_abandoned_linkers(package, settings),
        *find_no_referrers(package, revisions),
        *find_unlisted(package, references, revisions),
        *find_immutable(references, revisions, changes),
        *find_in_options(package, references, revisions),
        *find_in_fields(references, revisions),
        *find_copied(choices, revisions),
        *find_job_names(package, jobs.jobs),
        *find_templates(package.authored),
        *find_substituted(choices.hints.variables, revisions.rendered),
        *find_duplicates(package, revisions),
        *warn_about_misspelled(find_misspelled(package, references)),
        *find_missing_keys(package, references, choices, settings),
        *find_refused_data(package, revisions, settings.deployers),
        *find_own_annotations(package.authored, settings.kinds),
        *find_made_in_cluster(package, references, choices),
        *find_unversioned(references, revisions, choices),
        *find_named_by_ciphertext(revisions.rendered),
    ]
    return Changes(problems=tuple(problems))
