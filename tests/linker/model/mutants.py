"""Linkers with one deliberate bug each, which the model has to find."""

from collections.abc import Callable
from threading import current_thread
from typing import Any
from unittest.mock import ANY

import pytest

from krm_fn.base.kind import Kind
from krm_fn.base.link_plan import LinkPlan
from krm_fn.linker import cluster, link, owners
from krm_fn.linker.cluster import Cluster, ConsumerLists
from krm_fn.linker.objects import Consumer, LiveRevision, Names, Observation, Owner
from krm_fn.linker.owners import RevisionPatch, plan_deletions, plan_owners
from krm_fn.linker.read import Version, read_version
from krm_fn.linker.report import Report
from tests.linker.fake_cluster import FakeCluster

Mutation = Callable[[pytest.MonkeyPatch], None]


def the_inventory_is_no_owner(patch: pytest.MonkeyPatch) -> None:
    _add_only(patch, lambda owner: owner.kind != "ConfigMap")


def only_the_inventory_is_an_owner(patch: pytest.MonkeyPatch) -> None:
    """Neither workloads nor history become owners: all depends on the inventory, which people can delete."""
    _add_only(patch, lambda owner: owner.kind == "ConfigMap")


def owners_are_replaced(patch: pytest.MonkeyPatch) -> None:
    """Patch with a JSON merge patch: it replaces the list, and so removes all other owners."""
    merge = FakeCluster.patch

    def replace(cluster: FakeCluster, one: RevisionPatch) -> str | None:
        item = cluster.store.find("ConfigMap", one.revision.name)
        if item and item["metadata"]["uid"] == one.revision.uid and one.add:
            cluster.store.update_metadata(item, ownerReferences=[])
        return merge(cluster, one)

    patch.setattr(FakeCluster, "patch", replace)


def only_makers_are_looked_at(patch: pytest.MonkeyPatch) -> None:
    """List the kinds of the package, and not what is made of them: as before there was a table of that."""
    to_list = cluster.kinds_to_list
    patch.setattr(owners, "find_unseen", lambda *_: [])
    patch.setattr(
        cluster,
        "kinds_to_list",
        lambda plan, found: [one for one in to_list(plan, found) if one.kind != "Workflow"],
    )


def marks_do_not_count(patch: pytest.MonkeyPatch) -> None:
    """List the kinds of the plan alone: a kind that has left the package is as if it had never been there."""
    patch.setattr(LiveRevision, "marked_kinds", property(lambda _: set()))


def it_does_not_wait(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(link, "GRACE", 0.0)


def it_does_not_look_again(patch: pytest.MonkeyPatch) -> None:
    """Delete what was unreferenced before the wait."""
    begin = link._delete_unreferenced  # noqa: SLF001  # to change it
    seen: dict[str, set[str]] = {}  # by the thread of each run

    def delete(
        plan: LinkPlan, observation: Observation, cluster: Cluster, report: Report
    ) -> Observation:
        seen.pop(current_thread().name, None)
        return begin(plan, observation, cluster, report)

    def plan(plan: LinkPlan, observation: Observation) -> list[LiveRevision]:
        run = current_thread().name
        if run not in seen:
            found = plan_deletions(plan, observation)
            seen[run] = {revision.uid for revision in found}
            return found
        return [revision for revision in observation.revisions if revision.uid in seen[run]]

    patch.setattr(link, "_delete_unreferenced", delete)
    patch.setattr(link, "plan_deletions", plan)


def it_deletes_any_version(patch: pytest.MonkeyPatch) -> None:
    delete = FakeCluster.delete

    def delete_any(cluster: FakeCluster, revision: LiveRevision) -> bool:
        return delete(cluster, revision._replace(resource_version=ANY))

    patch.setattr(FakeCluster, "delete", delete_any)


def annotations_are_not_given_back(patch: pytest.MonkeyPatch) -> None:
    def plan(plan: LinkPlan, observation: Observation) -> list[RevisionPatch]:
        patches = [one._replace(annotations=()) for one in plan_owners(plan, observation)]
        return [one for one in patches if one.add or one.remove]

    patch.setattr(link, "plan_owners", plan)


def templates_speak_for_their_pods(patch: pytest.MonkeyPatch) -> None:
    """Leave out pods whose controller is read: its template may have been edited since they started."""
    list_all = FakeCluster.consumers

    def list_others(cluster: FakeCluster, kind: Kind, names: Names) -> list[Consumer]:
        return [consumer for consumer in list_all(cluster, kind, names) if consumer.can_own]

    patch.setattr(FakeCluster, "consumers", list_others)


def versions_are_not_compared(patch: pytest.MonkeyPatch) -> None:
    """Take an object of the same uid for what it was at the first look."""

    def read(item: Any) -> Version | None:
        version = read_version(item)
        return version and version._replace(resource_version="1")

    patch.setattr(cluster, "read_version", read)


def new_objects_are_not_read(patch: pytest.MonkeyPatch) -> None:
    """Look again only at the objects of the first look."""
    read_changes = ConsumerLists._read_changes  # noqa: SLF001  # to change it

    def read(
        lists: ConsumerLists,
        kind: Kind,
        names: Names,
        looked_for: Names,
        seen: dict[Version, Consumer | None],
    ) -> dict[Version, Consumer | None] | None:
        found = read_changes(lists, kind, names, looked_for, seen)
        known = {version.name for version in seen}
        return found and {version: one for version, one in found.items() if version.name in known}

    patch.setattr(ConsumerLists, "_read_changes", read)


def only_its_own_plan_is_rendered(patch: pytest.MonkeyPatch) -> None:
    """Do not ask the inventory what a newer rendering than that of the run wants."""
    patch.setattr(
        owners, "rendered_names", lambda plan, _: {revision.name for revision in plan.rendered}
    )


MUTATIONS = (
    only_its_own_plan_is_rendered,
    the_inventory_is_no_owner,
    only_the_inventory_is_an_owner,
    owners_are_replaced,
    it_does_not_wait,
    it_does_not_look_again,
    it_deletes_any_version,
    annotations_are_not_given_back,
    templates_speak_for_their_pods,
)
"""Those that a random search of the model finds in time."""

OF_LONG_STORIES = (versions_are_not_compared, new_objects_are_not_read)
"""Those that it does not: `test_model` tells their stories, and the search for all schedules finds them."""


def _add_only(patch: pytest.MonkeyPatch, is_added: Callable[[Owner], bool]) -> None:
    def plan(plan: LinkPlan, observation: Observation) -> list[RevisionPatch]:
        patches = [
            one._replace(add=tuple(filter(is_added, one.add)))
            for one in plan_owners(plan, observation)
        ]
        return [one for one in patches if one.add or one.remove or one.annotations]

    patch.setattr(link, "plan_owners", plan)
