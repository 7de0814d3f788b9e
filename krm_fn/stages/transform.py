"""The whole transformation: objects in, edits and remarks out."""

from collections.abc import Iterable
from typing import NamedTuple

from krm_fn.model.edit import Edit, Patch
from krm_fn.model.item import Item
from krm_fn.model.problem import Problem
from krm_fn.model.resource import ResourceId
from krm_fn.model.settings import Settings
from krm_fn.stages.choose import Usage, choose
from krm_fn.stages.find import find_references
from krm_fn.stages.follow import follow
from krm_fn.stages.name import Revision, mark_revision, name_revisions
from krm_fn.stages.notice_alone import notice_alone
from krm_fn.stages.notice_immutable import notice_immutable
from krm_fn.stages.notice_mentions import notice_mentions
from krm_fn.stages.protect import protect
from krm_fn.stages.resolve import Link, index_configs, resolve


class Changes(NamedTuple):
    """What is to change: merge patches on objects, edits of single fields, and what there is to say about it."""

    patches: list[tuple[Item, Patch]]
    edits: list[Edit]
    problems: list[Problem]


def transform(items: list[Item], settings: Settings, config_id: ResourceId | None) -> Changes:
    """Choose, name, protect, follow."""
    configs = [item for item in items if item.is_config and not item.is_local and item.id != config_id]
    links = _find_links(items, configs, settings)
    choices, doubts = choose(configs, settings, _usage(links))
    revisions, name_problems = name_revisions(choices)
    patches, prune_problems = _mark(revisions, settings, links)
    edits, reference_problems = follow(links, revisions)
    notices = [
        *notice_alone(items, revisions),
        *notice_immutable(edits),
        *notice_mentions(items, revisions, edits),
    ]
    return Changes(patches, edits, [*doubts, *name_problems, *prune_problems, *reference_problems, *notices])


def _find_links(items: Iterable[Item], configs: list[Item], settings: Settings) -> list[Link]:
    """Every reference of every applied object, and what it may mean. Without ConfigMaps there is nothing to find."""
    if not configs:
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
    for link in links:
        targets = {id(target.node) for target in link.targets}
        if link.reference.written:
            written |= targets
        elif link.reference.in_pod:
            in_pods |= targets
    return Usage(frozenset(in_pods), frozenset(written))


def _mark(
    revisions: Iterable[Revision], settings: Settings, links: Iterable[Link]
) -> tuple[list[tuple[Item, Patch]], list[Problem]]:
    """What each revision must say of itself."""
    referred = {id(target.node) for link in links for target in link.targets}
    patches, problems = [], []
    for revision in revisions:
        protection, remarks = protect(revision.item, settings)
        patch = mark_revision(revision, settings, protection, referred=id(revision.item.node) in referred)
        patches.append((revision.item, patch))
        problems += [remark._replace(resource=revision.id) for remark in remarks]
    return patches, problems
