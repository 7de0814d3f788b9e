"""The whole transformation: objects in, decisions and changes out."""

from collections.abc import Iterable

from krm_fn.base.changes import Changes
from krm_fn.base.item import Item, is_revision
from krm_fn.base.settings import NO_ENVIRONMENT, Environment, FieldSpec, Settings
from krm_fn.core.decide.choose import choose
from krm_fn.core.decide.name import (
    find_consumers,
    mark,
    mark_reasons,
    name_revisions,
    read_as_named,
    restore,
)
from krm_fn.core.decide.run import Choices, Package, Revisions, Run, Survey
from krm_fn.core.decide.update_references import Stale, find_present, find_stale, update_references
from krm_fn.core.references.generated import makes_config
from krm_fn.core.references.references import ReadYaml, References, find_authored, find_embedded
from krm_fn.core.references.resolve import MoreNames
from krm_fn.extras.extras import Mounted, add_linker, find_extras, read_copies, read_mounted
from krm_fn.extras.restart_requests import find_opt_ins
from krm_fn.guards.guards import build_guards, find_early_readers


def transform(
    package: Package, settings: Settings, environment: Environment, read_yaml: ReadYaml
) -> Run:
    """Choose, name, mark, rewrite references, and add what is asked for.

    The extras are mounts, checksums, names of Jobs, and the linker. `read_yaml` reads the YAML that
    ConfigMaps hold as data.
    """
    survey, mounted = _read_survey(package, settings, environment, read_yaml)
    copied = read_copies(survey, _find_early_hooks)
    survey = survey.with_references(copied.references)
    stale = find_stale(survey)
    # An older name that must follow is one more name of its object: who reads it is found with it
    # (decision 40).
    survey = survey.with_names(stale.names)
    choices = choose(survey)
    revisions = name_revisions(choices, survey.references)
    run = _update(survey, stale, choices, revisions)
    for add in find_extras(run, mounted, copied):
        run = add(run)
    return run


def _find_early_hooks(
    references: References, deployers: Iterable[str]
) -> frozenset[tuple[Item, Item]]:
    """Find the hooks that read an object before it is applied: each object with its hook."""
    found: set[tuple[Item, Item]] = set()
    for config, readers in find_early_readers(references, deployers).items():
        found |= {(config, referrer) for referrer, one in readers.items() if one.is_hook}
    return frozenset(found)


def read_written(package: Package, specs: tuple[FieldSpec, ...], read_yaml: ReadYaml) -> Run:
    """Return the run that leaves all as it is, over what is about to be applied.

    Its revisions are those of all sets, under their present names. Mounts of an earlier run are references
    like others.
    """
    index = package.read_index()
    authored = find_authored(package.authored, index, specs, but=())
    embedded = find_embedded(package.configs, index, read_yaml)
    references = References(index, authored, embedded=embedded)
    survey = Survey(package, Settings(), NO_ENVIRONMENT, references, build_guards)
    revisions = Revisions(read_as_named(item) for item in package.configs if is_revision(item))
    consumers = find_consumers(survey, revisions)
    return Run(survey, Choices((), ()), revisions, consumers, Changes())


def write_again(
    written: Run, settings: Settings, environment: Environment, deployers: Iterable[str]
) -> Run:
    """Return the run that writes again what the function adds to revisions, and beside them.

    `written`: the revisions of one set, under the names that they have, and their consumers. What
    only a configuration decides stays: names, mounts and checksums. `deployers`: those that apply
    the copies for hooks.
    """
    package, references, revisions = written.package, written.references, written.revisions
    survey = Survey(package, settings, environment, references, build_guards)
    in_copies = settings._replace(deployers=tuple(deployers))
    copied = read_copies(survey.with_references(references, in_copies), _find_early_hooks)
    ours = {revision.item for revision in revisions.rendered}
    about = [
        one for one in references.authored if not ours.isdisjoint((one.referrer, *one.targets))
    ]
    changes = mark(revisions, written.consumers, survey)
    changes += update_references(about, revisions, references.index)
    run = written._replace(survey=survey, changes=changes)
    return add_linker(run if copied.add is None else copied.add(run))


def choose_with(survey: Survey, settings: Settings) -> tuple[Item, ...]:
    """Choose what becomes a revision, as the function does: what it mounts counts as a reference."""
    references = survey.references
    mounted = read_mounted(survey.package, references.index, settings)
    with_mounts = references.with_mounted(mounted.references, mounted.own_texts)
    choices = choose(survey.with_references(with_mounts, settings))
    return tuple(one.item for one in choices.all if one.strategy.makes_revisions)


def _read_survey(
    package: Package, settings: Settings, environment: Environment, read_yaml: ReadYaml
) -> tuple[Survey, Mounted]:
    """Read what references objects, and the mounts that will."""
    index = package.read_index()
    # Without configuration, its producers, and workloads to restart for it, there is nothing to
    # find.
    has_configs = bool(index) or any(map(makes_config, package.authored))
    has_readers = has_configs or bool(
        find_opt_ins(package.authored, settings.checksums.controllers)
    )
    mounted = read_mounted(package, index, settings)
    referrers = package.authored if has_readers else []
    # What an earlier run has mounted is no reference of the author's: as if this were the first run
    # (decision 12).
    authored = find_authored(referrers, index, settings.references, but=mounted.own_texts)
    embedded = find_embedded(package.configs, index, read_yaml)
    references = References(index, authored, mounted.references, embedded)
    return Survey(package, settings, environment, references, build_guards), mounted


def _update(survey: Survey, stale: Stale, choices: Choices, revisions: Revisions) -> Run:
    """Mark the revisions, and give references the names that objects get."""
    # A pin may be what says that a program copies the object: then it is warned about, and
    # retained.
    pins = _find_pins(survey, revisions)
    survey = survey.with_names(pins)
    consumers = find_consumers(survey, revisions)
    references = survey.references
    changes = (
        Changes(
            edits=revisions.data, problems=stale.problems + choices.problems + revisions.problems
        )
        + mark(revisions, consumers, survey)
        + mark_reasons(choices.all)
        + restore(revisions)
        + update_references(references.authored, revisions, references.index)
    )
    return Run(survey, choices, revisions, consumers, changes, pins=pins)


def _find_pins(survey: Survey, revisions: Revisions) -> MoreNames:
    """Find the pins on the very name that an object gets now.

    They mean it: the next run finds it under this name. A hook that is pinned on purpose gets what
    is there already, so such a pin must neither be refused nor decide for others.
    """
    references, deployers = survey.references, survey.settings.deployers
    pins = find_present(references, revisions)
    if not pins:
        return pins
    early = find_early_readers(references, deployers)
    is_later = find_early_readers(references.with_names(pins), deployers) == early
    return pins if is_later else {}
