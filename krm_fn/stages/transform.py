"""The whole transformation: objects in, decisions and changes out."""

from typing import NamedTuple

from krm_fn.model.changes import Changes
from krm_fn.model.item import Item
from krm_fn.model.problem import Problem, Severity
from krm_fn.model.settings import Environment, Settings
from krm_fn.mounts.mount import update_mounts
from krm_fn.mounts.plan import Mounts, read_mounts
from krm_fn.references.embedded import ReadYaml, find_embedded
from krm_fn.references.references import References, find_authored
from krm_fn.references.resolve import Index
from krm_fn.stages.checksums import Checksums, find_opt_ins, plan_checksums, set_checksums
from krm_fn.stages.choose import Choices, choose
from krm_fn.stages.early_readers import EarlyReaders, find_early_readers
from krm_fn.stages.jobs import rename_jobs
from krm_fn.stages.link import emit_linker
from krm_fn.stages.mark import find_consumers, mark, restore
from krm_fn.stages.name import Revisions, name_revisions
from krm_fn.stages.package import Package
from krm_fn.stages.summarize import summarize
from krm_fn.stages.update_references import find_contradictions, find_stale, update_references
from krm_fn.stages.warnings.configuration import find_nothing_chosen
from krm_fn.stages.warnings.references import has_producers
from krm_fn.stages.warnings.warn import warn


class Transformation(NamedTuple):
    """What a run has found and decided, and the changes that come of it.

    `summary` is no problem among those of the changes: only what prints the changes says it.
    """

    package: Package
    references: References
    early: EarlyReaders
    choices: Choices
    revisions: Revisions
    checksums: Checksums
    changes: Changes
    summary: Problem


def transform(package: Package, settings: Settings, environment: Environment, read_yaml: ReadYaml) -> Transformation:
    """Choose, name, mark, rewrite references, mount, set checksums, rename Jobs, emit the linker, and warn.

    `read_yaml` reads the YAML that ConfigMaps hold as data.
    """
    index = Index(package.configs, package.kinds, package.namespace)
    opt_ins = find_opt_ins(package.authored, settings.checksums.controllers)
    # Without configuration, its producers, and workloads to restart for it, there is nothing to find.
    referrers = package.authored if index or opt_ins or has_producers(package.authored) else []
    references, mounts = _read_references(package, referrers, index, settings, read_yaml)
    stale = find_stale(references, package, settings)
    if stale.names:
        index = Index(package.configs, package.kinds, package.namespace, stale.names)
        references, mounts = _read_references(package, referrers, index, settings, read_yaml)

    early = find_early_readers(references, settings.deployers)
    choices = choose(package, references, early, settings)
    revisions = name_revisions(choices, references)
    checksums = plan_checksums(references, choices, opt_ins)
    consumers = find_consumers(package, references, revisions, settings)
    changes = (
        Changes(edits=revisions.data, problems=stale.problems + choices.problems + revisions.problems)
        + mark(revisions, consumers, settings)
        + restore(revisions)
        + update_references(references.authored, revisions, index)
        + update_mounts(mounts, revisions.names, index, settings.set)
        + set_checksums(package, checksums, revisions.texts, settings)
    )
    jobs = rename_jobs(package, references, revisions, changes, settings)
    changes += jobs.changes
    changes += Changes(problems=tuple(find_contradictions(changes.edits)))
    changes += emit_linker(package, revisions, consumers, settings, environment)
    changes += warn(package, references, choices, revisions, jobs, changes, settings)
    if all(problem.severity is Severity.INFO for problem in changes.problems):  # else the reason may be said already
        silent = find_nothing_chosen(package, references, choices, checksums, settings)
        changes += Changes(problems=tuple(silent))
    is_strict = settings.strict or environment.strict
    problems = [problem.as_error() if is_strict else problem for problem in changes.problems]
    changes = changes._replace(problems=jobs.readdress(problems))
    summary = summarize(choices, checksums, settings, package.authored)
    return Transformation(package, references, early, choices, revisions, checksums, changes, summary)


def _read_references(
    package: Package, referrers: list[Item], index: Index, settings: Settings, read_yaml: ReadYaml
) -> tuple[References, Mounts]:
    mounts = read_mounts(package.authored, index, settings, package.config_id)
    references = References(
        referrers,
        index,
        authored=find_authored(referrers, index, settings.references, but=mounts.own_texts),
        mounted=mounts.references,
        embedded=find_embedded(package.configs, index, read_yaml),
    )
    return references, mounts
