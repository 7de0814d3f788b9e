"""Keep deployers from pruning revisions that left the package."""

from collections import defaultdict
from collections.abc import Iterable

from krm_fn.model.deployers import PROTECTIONS, Protection, is_named_at_deploy
from krm_fn.model.item import Item, about
from krm_fn.model.problem import Problem, Severity
from krm_fn.model.settings import Settings
from krm_fn.references.resolve import Link, is_cluster_scoped
from krm_fn.stages.name import Revision


def protect(item: Item, settings: Settings) -> tuple[dict[str, str], list[Problem]]:
    """The annotations to set, merged into what is there, and a warning where the author wants the opposite."""
    annotations: dict[str, str] = {}
    problems = []
    for deployer in settings.deployers:
        for protection in PROTECTIONS[deployer]:
            present = item.annotations.get(protection.annotation, "")
            merged = _merge(protection, present)
            if merged is None:
                problems.append(_opposite(item, deployer, protection, present))
            else:
                annotations[protection.annotation] = merged
    return annotations, problems


def _merge(protection: Protection, present: str) -> str | None:
    """The value with the protection in it, or None where it says the opposite."""
    if not present:
        return protection.value
    if not protection.part_of_list:
        return present if present == protection.value else None
    options = [option.strip() for option in present.split(",")]
    if protection.value in options:
        return present
    key = protection.value.partition("=")[0]
    if any(option.partition("=")[0] == key for option in options):
        return None
    return f"{present},{protection.value}"


def _opposite(item: Item, deployer: str, protection: Protection, present: str) -> Problem:
    message = f"left as {present!r}, so {deployer} may prune it under running pods; {protection.value!r} prevents that"
    return about(item, message, f"metadata.annotations[{protection.annotation}]", Severity.WARNING)


_NOT_HOLDERS = frozenset({"Role", "ClusterRole"})
"""They say who may read an object, not that anybody does."""


def find_holders(links: Iterable[Link], revisions: Iterable[Revision], settings: Settings) -> dict[int, list[Item]]:
    """The referrers of each revision, by `id(item.node)`.

    A revision that is not here must be retained: nothing names it that the linker, who lives in its namespace and looks
    nowhere else, could watch until its end; or nobody knows yet under which name it will be deployed.
    """
    namespaces = {
        id(revision.item.node): revision.item.id.namespace
        for revision in revisions
        if revision.is_renamed or not is_named_at_deploy(revision.item.annotations, settings.deployers)
    }
    holders: dict[int, list[Item]] = defaultdict(list)
    out_of_sight = set()
    for link in links:
        if link.reference.written or link.referrer.id.kind in _NOT_HOLDERS:
            continue
        for target in link.targets:
            node = id(target.node)
            if is_cluster_scoped(link.referrer.id) or link.referrer.id.namespace != namespaces.get(node):
                out_of_sight.add(node)
            else:
                holders[node].append(link.referrer)
    return {node: referrers for node, referrers in holders.items() if node not in out_of_sight}
