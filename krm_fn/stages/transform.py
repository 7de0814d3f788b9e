"""The whole transformation: objects in, edits and remarks out."""

from collections.abc import Collection, Container, Iterable
from typing import NamedTuple

from krm_fn.model import keys
from krm_fn.model.changes import Edit, Emission, Patch, combine_patches
from krm_fn.model.item import Item
from krm_fn.model.problem import Problem, ResourceId
from krm_fn.model.settings import Environment, Settings
from krm_fn.mounts.mount import mount
from krm_fn.mounts.plan import mounted_links, plan_mounts
from krm_fn.mounts.present import read_mounted
from krm_fn.naming.emitted import is_emitted
from krm_fn.references.find import find_references
from krm_fn.references.resolve import Index, Link, index_configs, resolve
from krm_fn.stages.checksum import roll
from krm_fn.stages.choose import Usage, choose, written_by_others
from krm_fn.stages.follow import find_torn, follow
from krm_fn.stages.jobs import name_jobs
from krm_fn.stages.link import link
from krm_fn.stages.name import Revision, mark_revision, name_revisions, take_back, unmark
from krm_fn.stages.protect import find_holders, protect
from krm_fn.stages.upsert import upsert
from krm_fn.stages.warnings import notice_alone, notice_immutable, notice_job_mentions, notice_mentions
from krm_fn.stages.wave_reloader import OptIn, read_opt_ins


class Changes(NamedTuple):
    """What is to change: merge patches on objects, edits of fields, objects of our own; and what to say about it."""

    patches: list[tuple[Item, Patch]]
    edits: list[Edit]
    emission: Emission
    problems: list[Problem]


def transform(items: list[Item], settings: Settings, environment: Environment, config_id: ResourceId | None) -> Changes:
    """Choose, name, protect, follow, mount, roll, name Jobs, and link."""
    emitted = [item for item in items if is_emitted(item)]
    authored = [item for item in items if not is_emitted(item)]
    configs = [item for item in authored if item.is_config and not item.is_local and item.id != config_id]
    index = index_configs(configs)
    opt_ins = read_opt_ins(authored, settings.checksums.controllers)
    sites, mount_doubts = plan_mounts(authored, settings, index, config_id)
    templates = [read_mounted(site, index) for site in sites]
    mounted_before = {scalar for each in templates for scalar in each.our_scalars()}
    links = _find_links(authored, index, settings, opt_ins, but=mounted_before)
    reads = [*links, *mounted_links(sites)]
    usage = _usage(reads)

    choices, doubts = choose(configs, settings, usage)
    returned = take_back(choices, settings)
    revisions, name_problems = name_revisions(choices, returned)
    names = {id(revision.item.node): revision.name for revision in [*revisions, *returned]}
    holders = find_holders(reads, revisions, settings)
    marks, prune_problems = _mark(revisions, settings, holders)
    marks += [(revision.item, unmark(revision)) for revision in returned]
    edits, reference_problems = follow(links, [*revisions, *returned])
    mounts, remounted, mount_problems = mount(templates, names, index, settings.set)
    own = [choice for choice in choices if not (opt_ins and written_by_others(choice.item, usage))]
    rolls = roll(authored, reads, own, opt_ins, settings.checksums.annotation)
    patches = [*marks, *mounts, *rolls.patches]
    jobs = name_jobs(authored, _readers(reads, revisions), edits, patches, settings.jobs)
    edits += jobs.edits
    wanted, link_problems = link(authored, revisions, holders, settings, environment)
    emission = upsert([item for item in emitted if item.labels.get(keys.SET) == settings.set], wanted)

    notices = [
        *notice_alone(authored, revisions),
        *notice_immutable([*((edit.item, edit.field) for edit in edits), *remounted], but=jobs.named),
        *notice_mentions(authored, revisions, edits),
        *notice_job_mentions(authored, jobs.jobs),
    ]
    problems = [
        *(*doubts, *name_problems, *prune_problems, *reference_problems, *find_torn(edits)),
        *(*mount_doubts, *mount_problems, *rolls.problems, *jobs.problems, *link_problems, *notices),
    ]
    all_patches = combine_patches([*patches, *jobs.patches])
    return Changes(all_patches, edits, emission, jobs.readdress(problems))


def _readers(reads: Iterable[Link], revisions: Iterable[Revision]) -> set[int]:
    """The objects whose pods read a renamed revision, by `id(item.node)`."""
    renamed = {id(revision.item.node) for revision in revisions if revision.is_renamed}
    return {
        id(read.referrer.node)
        for read in reads
        if read.reference.in_pod and any(id(target.node) in renamed for target in read.targets)
    }


def _find_links(
    items: Iterable[Item], index: Index, settings: Settings, opt_ins: list[OptIn], but: Collection[int]
) -> list[Link]:
    """Every reference of every applied object, and what it may mean.

    Without ConfigMaps, and workloads to be rolled for them, there is nothing to find. `but`: texts that are ours to
    write, by `id`.
    """
    if not index.by_name and not opt_ins:
        return []
    return [
        resolve(item, reference, index)
        for item in items
        if not item.is_local
        for reference in find_references(item.node, item.id, settings.references)
        if id(reference.name) not in but
    ]


def _usage(links: Iterable[Link]) -> Usage:
    in_pods, written = set(), set()
    for found in links:
        targets = {id(target.node) for target in found.targets}
        if found.reference.written:
            written |= targets
        elif found.reference.in_pod:
            in_pods |= targets
    return Usage(frozenset(in_pods), frozenset(written))


def _mark(
    revisions: Iterable[Revision], settings: Settings, holders: Container[int]
) -> tuple[list[tuple[Item, Patch]], list[Problem]]:
    """What each revision must say of itself."""
    patches, problems = [], []
    for revision in revisions:
        protection, remarks = protect(revision.item, settings)
        patch = mark_revision(revision, settings, protection, held=id(revision.item.node) in holders)
        patches.append((revision.item, patch))
        problems += [remark._replace(resource=revision.id) for remark in remarks]
    return patches, problems
