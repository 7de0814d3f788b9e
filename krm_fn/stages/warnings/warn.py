"""Warn about what no edit can mend."""

from krm_fn.model.changes import Changes
from krm_fn.model.settings import Settings
from krm_fn.references.references import References
from krm_fn.stages.choose import Choices
from krm_fn.stages.name import Revisions
from krm_fn.stages.package import Package
from krm_fn.stages.renamed_jobs import RenamedJobs
from krm_fn.stages.warnings.duplicates import find_duplicates
from krm_fn.stages.warnings.encrypted import find_named_by_ciphertext
from krm_fn.stages.warnings.immutable import find_immutable
from krm_fn.stages.warnings.job_names import find_job_names
from krm_fn.stages.warnings.made_in_cluster import find_made_in_cluster, find_unversioned
from krm_fn.stages.warnings.missing_keys import find_missing_keys
from krm_fn.stages.warnings.misspelled import find_misspelled, warn_about_misspelled
from krm_fn.stages.warnings.no_referrers import find_no_referrers
from krm_fn.stages.warnings.nothing_chosen import find_misspelled_kinds
from krm_fn.stages.warnings.other_sets import find_abandoned_linkers, find_taken
from krm_fn.stages.warnings.own_annotations import find_own_annotations
from krm_fn.stages.warnings.refused_data import find_refused_data
from krm_fn.stages.warnings.unfollowed import find_copied, find_in_fields, find_in_options
from krm_fn.stages.warnings.unlisted import find_unlisted
from krm_fn.stages.warnings.unmatched import find_unmatched
from krm_fn.stages.warnings.unrendered import find_substituted, find_templates


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
