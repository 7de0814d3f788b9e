"""Linkers that are wrong on purpose, each in one way that somebody has shipped or could."""

from collections.abc import Callable, Collection, Iterable

import pytest

from krm_fn.linker import link
from krm_fn.linker.objects import Revision, User
from krm_fn.linker.owners import OwnerPatch, plan_owners
from tests.linker.fake_cluster import FakeCluster

Mutation = Callable[[pytest.MonkeyPatch], None]
Plan = Callable[[Iterable[Revision], Collection[User], Collection[str]], list[OwnerPatch]]


def workloads_hold_nothing(patch: pytest.MonkeyPatch) -> None:
    """Only what was made of a template holds what it names: not linked yet, not held."""

    def plan(revisions: Iterable[Revision], users: Collection[User], rendered: Collection[str]) -> list[OwnerPatch]:
        current = {user.owner for user in users if user.current}
        patches = plan_owners(revisions, users, rendered)
        return [one._replace(add=tuple(owner for owner in one.add if owner not in current)) for one in patches]

    _plan(patch, plan)


def only_the_newest_is_linked(patch: pytest.MonkeyPatch) -> None:
    """Of what each workload has made, only the last; the older ones are believed to be linked already."""

    def plan(revisions: Iterable[Revision], users: Collection[User], rendered: Collection[str]) -> list[OwnerPatch]:
        newest = {user.controller: user for user in users if user.controller}
        older = {user.owner for user in users if user.controller and newest[user.controller] != user}
        patches = plan_owners(revisions, users, rendered)
        return [one._replace(add=tuple(owner for owner in one.add if owner not in older)) for one in patches]

    _plan(patch, plan)


def owners_are_replaced(patch: pytest.MonkeyPatch) -> None:
    """A JSON merge patch: the list says who is new, and whoever was there before is gone."""
    merge = FakeCluster.patch_owners

    def replace(cluster: FakeCluster, one: OwnerPatch) -> bool:
        item = cluster.world.find("ConfigMap", one.revision.name)
        if item and item["metadata"]["uid"] == one.revision.uid and one.add:
            cluster.world.update_metadata(item, ownerReferences=[])
        return merge(cluster, one)

    patch.setattr(FakeCluster, "patch_owners", replace)


MUTATIONS = (workloads_hold_nothing, owners_are_replaced, only_the_newest_is_linked)


def _plan(patch: pytest.MonkeyPatch, plan: Plan) -> None:
    patch.setattr(link, "plan_owners", plan)
