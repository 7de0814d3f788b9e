"""The whole transformation: objects in, decisions and changes out."""

from krm_fn.base.changes import Changes
from krm_fn.base.settings import Environment, Settings
from krm_fn.core.decide.choose import choose
from krm_fn.core.decide.name import (
    find_consumers,
    mark,
    mark_fixed_names,
    name_revisions,
    restore,
)
from krm_fn.core.decide.run import Package, Revisions, Run
from krm_fn.core.decide.update_references import find_present, find_stale, update_references
from krm_fn.core.references.generated import makes_config
from krm_fn.core.references.mentions import Mentions
from krm_fn.core.references.references import ReadYaml, References, find_authored, find_embedded
from krm_fn.core.references.resolve import MoreNames
from krm_fn.extras.extras import Mounted, find_extras, read_mounted
from krm_fn.extras.restart_requests import find_opt_ins
from krm_fn.guards.guards import find_guards
from krm_fn.guards.readers import find_early_readers


def transform(
    package: Package, settings: Settings, environment: Environment, read_yaml: ReadYaml
) -> Run:
    """Choose, name, mark, rewrite references, and add what is asked for: mounts, checksums, names of Jobs, the linker.

    `read_yaml` reads the YAML that ConfigMaps hold as data.
    """
    references, mounted = _read_references(package, settings, read_yaml)
    stale = find_stale(references, package, settings)
    # An older name that must follow is one more name of its object: who reads it is found with it
    # (decision 40).
    references = references.with_names(stale.names)
    mentions = Mentions(
        package.authored, references.authored, references.index, references.embedded
    )
    guards = find_guards(package, references, mentions, settings)
    choices = choose(package, references, mentions, guards, settings)
    revisions = name_revisions(choices, references)
    pins = _find_pins(references, revisions, settings)
    if pins:
        # A pin may be what says that a program copies the object: then it is warned about, and
        # retained.
        references = references.with_names(pins)
        mentions = Mentions(
            package.authored, references.authored, references.index, references.embedded
        )
        guards = find_guards(package, references, mentions, settings)
    consumers = find_consumers(package, references, mentions, revisions, settings)
    changes = (
        Changes(
            edits=revisions.data, problems=stale.problems + choices.problems + revisions.problems
        )
        + mark(revisions, consumers, settings)
        + mark_fixed_names(choices.all)
        + restore(revisions)
        + update_references(references.authored, revisions, references.index)
    )
    run = Run(
        package,
        settings,
        environment,
        references,
        mentions,
        guards,
        choices,
        revisions,
        consumers,
        changes,
        pins=pins,
    )
    for add in find_extras(run, mounted):
        run = add(run)
    return run


def _read_references(
    package: Package, settings: Settings, read_yaml: ReadYaml
) -> tuple[References, Mounted]:
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
    return References(index, authored, mounted.references, embedded), mounted


def _find_pins(references: References, revisions: Revisions, settings: Settings) -> MoreNames:
    """Find the pins on the very name that an object gets now.

    They mean it: the next run finds it under this name.

    Who pins a hook on purpose gets what is there already. That must neither be refused nor decide
    for others.
    """
    pins = find_present(references, revisions)
    if not pins:
        return pins
    early = find_early_readers(references, settings.deployers)
    return (
        pins if find_early_readers(references.with_names(pins), settings.deployers) == early else {}
    )
