"""The whole transformation: objects in, edits and remarks out."""

from collections.abc import Collection, Iterable
from typing import NamedTuple

from krm_fn.model.combine_patches import combine_patches
from krm_fn.model.edit import Edit, Patch
from krm_fn.model.item import Item
from krm_fn.model.problem import Problem
from krm_fn.model.resource import ResourceId
from krm_fn.model.settings import Settings, Strategy
from krm_fn.stages.choose import Usage, choose
from krm_fn.stages.find import find_references
from krm_fn.stages.follow import find_torn, follow
from krm_fn.stages.mount import mount
from krm_fn.stages.name import Revision, mark_revision, name_revisions
from krm_fn.stages.name_jobs import name_jobs
from krm_fn.stages.notice_alone import notice_alone
from krm_fn.stages.notice_immutable import notice_immutable
from krm_fn.stages.notice_job_mentions import notice_job_mentions
from krm_fn.stages.notice_mentions import notice_mentions
from krm_fn.stages.plan_mounts import Site, plan_mounts
from krm_fn.stages.protect import protect
from krm_fn.stages.read_mounted import read_mounted
from krm_fn.stages.resolve import Index, Link, index_configs, resolve


class Changes(NamedTuple):
    """What is to change: merge patches on objects, edits of single fields, and what there is to say about it."""

    patches: list[tuple[Item, Patch]]
    edits: list[Edit]
    problems: list[Problem]


def transform(items: list[Item], settings: Settings, config_id: ResourceId | None) -> Changes:
    """Choose, name, protect, follow, mount, and name Jobs."""
    configs = [item for item in items if item.is_config and not item.is_local and item.id != config_id]
    index = index_configs(configs)
    sites, mount_doubts = plan_mounts(items, settings, index, config_id)
    templates = [read_mounted(site, index) for site in sites]
    links = _find_links(items, index, settings, but={scalar for each in templates for scalar in each.our_scalars()})
    to_mount = [target for site in sites for target in site.targets]
    choices, doubts = choose(configs, settings, _usage(links, to_mount))
    revisions, name_problems = name_revisions(choices)
    named = {id(target.node) for target in [*(target for link in links for target in link.targets), *to_mount]}
    marks, prune_problems = _mark(revisions, settings, named)
    edits, reference_problems = follow(links, revisions)
    mounts, remounted, mount_problems = mount(templates, revisions, index, settings.set)
    patches = [*marks, *mounts]
    jobs = name_jobs(items, _readers(links, sites, revisions), edits, patches, settings.jobs)
    edits += jobs.edits
    notices = [
        *notice_alone(items, revisions),
        *notice_immutable([*((edit.item, edit.field) for edit in edits), *remounted], but=jobs.named),
        *notice_mentions(items, revisions, edits),
        *notice_job_mentions(items, jobs.jobs),
    ]
    problems = [
        *(*doubts, *name_problems, *prune_problems, *reference_problems, *find_torn(edits)),
        *(*mount_doubts, *mount_problems, *jobs.problems, *notices),
    ]
    return Changes(combine_patches([*patches, *jobs.patches]), edits, jobs.readdress(problems))


def _readers(links: Iterable[Link], sites: Iterable[Site], revisions: Iterable[Revision]) -> set[int]:
    """The objects whose pods read a renamed revision, by `id(item.node)`."""
    renamed = {id(revision.item.node) for revision in revisions if revision.strategy is Strategy.RENAME}
    reads = [(link.referrer, link.targets) for link in links if link.reference.in_pod]
    reads += [(site.item, tuple(site.targets)) for site in sites]
    return {id(item.node) for item, targets in reads if any(id(target.node) in renamed for target in targets)}


def _find_links(items: Iterable[Item], index: Index, settings: Settings, but: Collection[int]) -> list[Link]:
    """Every reference of every applied object, and what it may mean. Without ConfigMaps there is nothing to find.

    `but`: texts that are ours to write, by `id`.
    """
    if not index.by_name:
        return []
    return [
        resolve(item, reference, index)
        for item in items
        if not item.is_local
        for reference in find_references(item.node, item.id, settings.references)
        if id(reference.name) not in but
    ]


def _usage(links: Iterable[Link], to_mount: Iterable[Item]) -> Usage:
    in_pods, written = {id(item.node) for item in to_mount}, set()
    for link in links:
        targets = {id(target.node) for target in link.targets}
        if link.reference.written:
            written |= targets
        elif link.reference.in_pod:
            in_pods |= targets
    return Usage(frozenset(in_pods), frozenset(written))


def _mark(
    revisions: Iterable[Revision], settings: Settings, referred: Collection[int]
) -> tuple[list[tuple[Item, Patch]], list[Problem]]:
    """What each revision must say of itself. `referred`: what anything names, by `id(item.node)`."""
    patches, problems = [], []
    for revision in revisions:
        protection, remarks = protect(revision.item, settings)
        patch = mark_revision(revision, settings, protection, referred=id(revision.item.node) in referred)
        patches.append((revision.item, patch))
        problems += [remark._replace(resource=revision.id) for remark in remarks]
    return patches, problems
