"""The whole transformation: objects in, edits and remarks out."""

from collections.abc import Container, Iterable
from typing import NamedTuple

from krm_fn.model.edit import Edit, Patch, PatchInside
from krm_fn.model.emission import Emission
from krm_fn.model.item import Item
from krm_fn.model.problem import Problem
from krm_fn.model.resource import ResourceId
from krm_fn.model.settings import Settings, Surroundings
from krm_fn.stages.choose import Usage, choose, written_by_others
from krm_fn.stages.find import find_references
from krm_fn.stages.follow import follow
from krm_fn.stages.hold import find_holders
from krm_fn.stages.link import is_emitted, link
from krm_fn.stages.name import Revision, mark_revision, name_revisions
from krm_fn.stages.notice_alone import notice_alone
from krm_fn.stages.notice_immutable import notice_immutable
from krm_fn.stages.notice_mentions import notice_mentions
from krm_fn.stages.opt_in import OptIn, read_opt_ins
from krm_fn.stages.protect import protect
from krm_fn.stages.resolve import Link, index_configs, resolve
from krm_fn.stages.roll import roll


class Changes(NamedTuple):
    """What is to change: merge patches on objects and inside them, edits of single fields, and what to say about it."""

    patches: list[tuple[Item, Patch]]
    inside: list[PatchInside]
    edits: list[Edit]
    emission: Emission
    problems: list[Problem]


def transform(
    items: list[Item], settings: Settings, surroundings: Surroundings, config_id: ResourceId | None
) -> Changes:
    """Choose, name, protect, follow, roll, link."""
    authored = [item for item in items if not is_emitted(item)]
    configs = [item for item in authored if item.is_config and not item.is_local and item.id != config_id]
    opt_ins = read_opt_ins(authored, settings.checksums.controllers)
    links = _find_links(authored, configs, settings, opt_ins)
    usage = _usage(links)
    choices, doubts = choose(configs, settings, usage)
    revisions, name_problems = name_revisions(choices)
    holders = find_holders(links, revisions)
    patches, prune_problems = _mark(revisions, settings, holders)
    edits, reference_problems = follow(links, revisions)
    own = [choice for choice in choices if not (opt_ins and written_by_others(choice.item, usage))]
    rolls = roll(authored, links, own, opt_ins, settings.checksums.annotation)
    emission, link_problems = link(items, revisions, holders, settings, surroundings)
    notices = [
        *notice_alone(authored, revisions),
        *notice_immutable(edits),
        *notice_mentions(authored, revisions, edits),
    ]
    remarks = [*doubts, *name_problems, *prune_problems, *reference_problems, *rolls.problems, *link_problems, *notices]
    return Changes([*patches, *rolls.marks], rolls.annotations, edits, emission, remarks)


def _find_links(items: Iterable[Item], configs: list[Item], settings: Settings, opt_ins: list[OptIn]) -> list[Link]:
    """Every reference of every applied object, and what it may mean.

    Without ConfigMaps, and workloads to be rolled for them, there is nothing to find.
    """
    if not configs and not opt_ins:
        return []
    index = index_configs(configs)
    return [
        resolve(item, reference, index)
        for item in items
        if not item.is_local
        for reference in find_references(item.node, item.id, settings.references)
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
