"""Linkers with one deliberate bug each, which the model has to find."""

from collections.abc import Callable, Collection, Iterable

import pytest

from krm_fn.linker import link
from krm_fn.linker.objects import Consumer, Revision
from krm_fn.linker.owners import OwnerPatch, plan_owners
from tests.linker.fake_cluster import FakeCluster

Mutation = Callable[[pytest.MonkeyPatch], None]
Plan = Callable[[Iterable[Revision], Collection[Consumer], Collection[str]], list[OwnerPatch]]


def workloads_are_no_owners(patch: pytest.MonkeyPatch) -> None:
    """Only history becomes an owner: a revision without history has none."""

    def plan(
        revisions: Iterable[Revision], consumers: Collection[Consumer], rendered: Collection[str]
    ) -> list[OwnerPatch]:
        current = {consumer.owner for consumer in consumers if consumer.is_current}
        patches = plan_owners(revisions, consumers, rendered)
        return [one._replace(add=tuple(owner for owner in one.add if owner not in current)) for one in patches]

    _plan(patch, plan)


def only_the_newest_history_is_an_owner(patch: pytest.MonkeyPatch) -> None:
    """Only the newest ReplicaSet of each workload is added; older ones are assumed to be owners already."""

    def plan(
        revisions: Iterable[Revision], consumers: Collection[Consumer], rendered: Collection[str]
    ) -> list[OwnerPatch]:
        newest = {consumer.controller: consumer for consumer in consumers if consumer.controller}
        older = {
            consumer.owner for consumer in consumers if consumer.controller and newest[consumer.controller] != consumer
        }
        patches = plan_owners(revisions, consumers, rendered)
        return [one._replace(add=tuple(owner for owner in one.add if owner not in older)) for one in patches]

    _plan(patch, plan)


def owners_are_replaced(patch: pytest.MonkeyPatch) -> None:
    """Patch with a JSON merge patch: it replaces the list, and so removes all other owners."""
    merge = FakeCluster.patch_owners

    def replace(cluster: FakeCluster, one: OwnerPatch) -> bool:
        item = cluster.store.find("ConfigMap", one.revision.name)
        if item and item["metadata"]["uid"] == one.revision.uid and one.add:
            cluster.store.update_metadata(item, ownerReferences=[])
        return merge(cluster, one)

    patch.setattr(FakeCluster, "patch_owners", replace)


MUTATIONS = (workloads_are_no_owners, owners_are_replaced, only_the_newest_history_is_an_owner)


def _plan(patch: pytest.MonkeyPatch, plan: Plan) -> None:
    patch.setattr(link, "plan_owners", plan)
