"""Every reference of a package, resolved once."""

from collections.abc import Collection, Iterator
from functools import cached_property

from krm_fn.model.item import Item
from krm_fn.model.node import Node
from krm_fn.model.settings import FieldSpec
from krm_fn.references.admission_params import find_params, read_kinds_of_params
from krm_fn.references.find import find_references
from krm_fn.references.reference import ResolvedReference
from krm_fn.references.resolve import Index


class References:
    """The references that authors wrote, and those that configured mounts add.

    `authored` have a text in the referrer that may change; `mounted` will be written by this run.
    """

    def __init__(self, authored: list[ResolvedReference], mounted: list[ResolvedReference]) -> None:
        self.authored = authored
        self.mounted = mounted

    def __iter__(self) -> Iterator[ResolvedReference]:
        yield from self.authored
        yield from self.mounted

    @cached_property
    def read_by_pods(self) -> frozenset[Item]:
        """The objects that a pod template references."""
        return frozenset(
            target for one in self if one.reference.in_pod and not one.reference.written for target in one.targets
        )

    @cached_property
    def written_by_controllers(self) -> frozenset[Item]:
        """The objects that a controller writes, by what some other object says."""
        return frozenset(target for one in self if one.reference.written for target in one.targets)

    def pod_referrers_of(self, items: Collection[Item]) -> set[Item]:
        """Return the objects whose pods read any of these."""
        found = set()
        for one in self:
            if one.reference.in_pod and any(target in items for target in one.targets):
                found.add(one.referrer)
        return found


def read_references(
    referrers: Collection[Item],
    index: Index,
    extra: tuple[FieldSpec, ...],
    mounted: list[ResolvedReference],
    written_by_mounts: Collection[Node],
) -> References:
    """Read and resolve the references of these objects.

    `extra` are the paths of `spec.references`. `written_by_mounts` are texts that an earlier run of this function
    wrote; what they say is `mounted`, or is removed.
    """
    authored: list[ResolvedReference] = []
    kinds_of_params = read_kinds_of_params(referrers)
    for item in referrers:
        if not item.is_local:
            found = find_references(item.node, item.id, extra) + find_params(item.node, item.id, kinds_of_params)
            authored += [index.resolve(item, one) for one in found if one.name not in written_by_mounts]
    return References(authored, mounted)
