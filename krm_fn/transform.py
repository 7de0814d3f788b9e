"""The whole transformation: objects in, decisions and changes out."""

from collections import Counter
from collections.abc import Collection, Iterable
from functools import partial
from typing import NamedTuple

from krm_fn.base.changes import Changes
from krm_fn.base.item import Item
from krm_fn.base.problem import Problem, Severity
from krm_fn.base.settings import Environment, Settings, Strategy
from krm_fn.core.decide.choice import Choice, Choices
from krm_fn.core.decide.choose import choose
from krm_fn.core.decide.mark import find_consumers, mark, restore
from krm_fn.core.decide.name import name_revisions
from krm_fn.core.decide.package import Package
from krm_fn.core.decide.reason import Guards, ReasonCode
from krm_fn.core.decide.revisions import Revisions
from krm_fn.core.decide.stale_names import MoreNames, add_present, find_stale
from krm_fn.core.decide.update_references import find_contradictions, update_references
from krm_fn.core.references.embedded import ReadYaml, find_embedded
from krm_fn.core.references.generated import makes_config, versioned
from krm_fn.core.references.references import References, find_authored
from krm_fn.core.references.resolve import Index
from krm_fn.extras.checksums import Checksums, plan_checksums, set_checksums
from krm_fn.extras.emit_linker import emit_linker
from krm_fn.extras.jobs import RenamedJobs, rename_jobs
from krm_fn.extras.mounts.mount import update_mounts
from krm_fn.extras.mounts.plan_mounts import Mounts, read_mounts
from krm_fn.extras.restart_requests import find_opt_ins
from krm_fn.guards.early_readers import EarlyReaders, find_early_readers
from krm_fn.guards.guards import find_guards

_MOST_KINDS = 3
"""Kinds that the summary names."""

_RENAMED, _ADOPTED, _CHECKSUM = "renamed", "adopted", "with a checksum"
_LEFT_ALONE, _OF_ANOTHER_SET = "left alone", "of another set"
_CHOSEN = {Strategy.RENAME: _RENAMED, Strategy.ADOPT: _ADOPTED, Strategy.CHECKSUM: _CHECKSUM}


class Transformation(NamedTuple):
    """What a run has found and decided, and the changes that come of it.

    `summary` is no problem among those of the changes: only what prints the changes says it.
    """

    package: Package
    references: References
    guards: Guards
    choices: Choices
    revisions: Revisions
    checksums: Checksums
    jobs: RenamedJobs
    changes: Changes
    summary: Problem


def transform(package: Package, settings: Settings, environment: Environment, read_yaml: ReadYaml) -> Transformation:
    """Choose, name, mark, rewrite references, mount, set checksums, rename Jobs, and emit the linker.

    `read_yaml` reads the YAML that ConfigMaps hold as data.
    """
    opt_ins = find_opt_ins(package.authored, settings.checksums.controllers)
    read = partial(_read_references, package, bool(opt_ins), settings, read_yaml)
    index, references, mounts = read({})
    stale = find_stale(references, package, settings)
    # An older name that must follow is one more name of its object: who reads it is found with it (decision 40).
    if stale.names:
        index, references, mounts = read(stale.names)
    early, guards, choices, revisions = _decide(package, references, settings)
    # So is the very name that an object gets now, which somebody has pinned: the next run finds the object under it.
    present = add_present(stale.names, references, revisions)
    if present != stale.names:
        read_again = read(present)
        decided = _decide(package, read_again[1], settings)
        # Who pins a hook on purpose gets what is there already. That must neither be refused nor decide for others.
        if (decided[0], decided[-1].names) == (early, revisions.names):
            (index, references, mounts), (early, guards, choices, revisions) = read_again, decided

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
    # Behind all other edits: a Job is named by the spec that will be written (decision 13).
    jobs = rename_jobs(package, references, revisions, changes, settings)
    changes += jobs.changes
    changes += Changes(problems=tuple(find_contradictions(changes.edits)))
    changes += emit_linker(package, revisions, consumers, settings, environment)
    summary = _summarize(choices, checksums, settings, package.authored)
    return Transformation(package, references, guards, choices, revisions, checksums, jobs, changes, summary)


def _read_references(
    package: Package, has_opt_ins: bool, settings: Settings, read_yaml: ReadYaml, names: MoreNames
) -> tuple[Index, References, Mounts]:
    """Read what references objects by the names that they have, and by these ones."""
    index = Index(package.configs, package.kinds, package.namespace, names)
    # Without configuration, its producers, and workloads to restart for it, there is nothing to find.
    referrers = package.authored if index or has_opt_ins or any(map(makes_config, package.authored)) else []
    mounts = read_mounts(package.authored, index, settings, package.config_id)
    references = References(
        referrers,
        index,
        # What an earlier run has mounted is no reference of the author's: as if this were the first run (decision 12).
        authored=find_authored(referrers, index, settings.references, but=mounts.own_texts),
        mounted=mounts.references,
        embedded=find_embedded(package.configs, index, read_yaml),
    )
    return index, references, mounts


def _decide(
    package: Package, references: References, settings: Settings
) -> tuple[EarlyReaders, Guards, Choices, Revisions]:
    early = find_early_readers(references, settings.deployers)
    guards = find_guards(package, references, early, settings)
    choices = choose(package, references, guards, settings)
    return early, guards, choices, name_revisions(choices, references)


def _summarize(choices: Choices, checksums: Checksums, settings: Settings, authored: Iterable[Item]) -> Problem:
    """Return `2 renamed, 1 left alone (krm-fn explain PATH says why)`.

    It counts what objects are, not what was edited, so that the next run says the same. Where nothing is to be chosen,
    it names what makes Secrets in the cluster: that `Secret` includes it is a mistake that is easily made.
    """
    restarting = {config for one in checksums.inputs.restarted for config in one.configs}
    counts = Counter(_outcome(choice, restarting, settings) for choice in choices.all)
    done = [f"{counts[outcome]} {outcome}" for outcome in _CHOSEN.values() if counts[outcome]]
    others = [f"{counts[outcome]} {outcome}" for outcome in (_LEFT_ALONE, _OF_ANOTHER_SET) if counts[outcome]]
    if not done and not others:
        producers = sorted({one.id.kind for one in authored if versioned(one.id) is not None} - {*settings.kinds})
        is_meant = bool(producers) and "Secret" in settings.kinds
        without = f"; spec.kinds does not contain {', '.join(producers[:_MOST_KINDS])}" if is_meant else ""
        message = f"nothing renamed: the package has no {' or '.join(sorted(settings.kinds))} to choose{without}"
    else:
        why = " (krm-fn explain PATH says why)" if others else ""
        message = f"{', '.join([*(done or ['nothing renamed']), *others])}{why}"
    return Problem(message, severity=Severity.INFO)


def _outcome(choice: Choice, restarting: Collection[Item], settings: Settings) -> str:
    """Return what became of an object; `""` for one that nobody would expect to be a revision."""
    if choice.strategy in _CHOSEN:
        return _CHOSEN[choice.strategy]
    if choice.item in restarting:
        return _CHECKSUM  # a controller's annotation on the workload asks for it
    if choice.reason.code is ReasonCode.OTHER_SET:
        return _OF_ANOTHER_SET
    is_candidate = choice.item.id.kind in settings.kinds and choice.reason.code is not ReasonCode.FIXED_NAME
    return _LEFT_ALONE if is_candidate else ""
