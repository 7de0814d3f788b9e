"""Who holds a revision, as far as the linker will be able to see it."""

from collections import defaultdict
from collections.abc import Iterable

from krm_fn.model.deploy_names import is_named_at_deploy
from krm_fn.model.item import Item
from krm_fn.model.settings import Settings
from krm_fn.stages.name import Revision
from krm_fn.stages.resolve import Link, is_cluster_scoped

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
        if revision.moves or not is_named_at_deploy(revision.item.annotations, settings.deployers)
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
