"""Workloads, owners and namespaces that are taken away and given back."""

from collections.abc import Iterator
from functools import partial

import pytest

from tests.cluster.api import Api
from tests.cluster.control_plane import ControlPlane, until_furnished
from tests.cluster.release import DEPLOYERS, Release
from tests.cluster.wait import throughout, until
from tests.cluster.watcher import Watcher
from tests.cluster.workloads import (
    KINDS,
    WITH_HISTORY,
    configs,
    each,
    naming,
    on_each_deployer,
    settled,
)

pytestmark = [pytest.mark.usefixtures("rollouts"), on_each_deployer]
watched = pytest.mark.usefixtures("invariants")


@pytest.fixture
def grown(shop: Release) -> Release:
    """One workload of each kind, with a present and a past."""
    for content in ("old", "new"):
        shop.release(*each(content))
        settled(shop.api)
    assert shop.revisions() == naming(shop)
    return shop


@watched
def test_a_deleted_workload_takes_its_past_along_and_the_next_sync_finds_the_present(grown: Release) -> None:
    present, past = present_and_past(grown)
    for kind in KINDS:
        grown.api.delete(kind, kind.lower())
    until("the past is gone", lambda: past & set(grown.revisions()), lambda left: not left)
    throughout("the present stays", grown.revisions, lambda found: found.keys() == present, seconds=1)
    grown.sync(*each("new"))
    assert_all_run(grown, present)


@watched
def test_workloads_that_are_replaced_at_once_go_on_with_what_they_name(grown: Release) -> None:
    """As `kubectl replace --force` does: each has another uid then, and a history of its own."""
    present, past = present_and_past(grown)
    for kind in KINDS:
        spec = grown.api.get(kind, kind.lower())["spec"]
        grown.api.delete(kind, kind.lower())
        grown.api.gone(kind, kind.lower())
        grown.api.create({"kind": kind, "metadata": {"name": kind.lower()}, "spec": spec})
    until("the past is gone", lambda: past & set(grown.revisions()), lambda left: not left)
    assert_all_run(grown, present)


@watched
def test_an_application_that_is_deleted_leaves_nothing(grown: Release) -> None:
    grown.deployer.sync(b"")
    until("all revisions are gone", grown.revisions, lambda left: not left)


def present_and_past(shop: Release) -> tuple[set[str], set[str]]:
    users = naming(shop)
    present = {
        name for name, by in users.items() if any(user == f"{kind}/{kind.lower()}" for user in by for kind in KINDS)
    }
    assert (len(present), len(users)) == (len(KINDS), len(KINDS) + len(WITH_HISTORY))
    return present, users.keys() - present


def assert_all_run(shop: Release, present: set[str]) -> None:
    """Before the linker has looked at the new ones, and after that."""
    settled(shop.api)
    for kind in WITH_HISTORY:
        until(f"the {kind} runs", partial(configs, shop.api, kind), lambda found: bool(found) and {*found} <= present)
    assert set(shop.revisions()) == present
    shop.release(*each("newer"))
    settled(shop.api)
    assert shop.revisions() == naming(shop)
    assert len(present & set(shop.revisions())) == len(WITH_HISTORY)


@watched
def test_after_a_restore_without_owners_nothing_is_lost_and_the_linker_ties_them_again(grown: Release) -> None:
    before = grown.revisions()
    for name in before:
        grown.api.patch("ConfigMap", name, {"metadata": {"ownerReferences": None}})
    grown.sync(*each("new"))
    throughout("revisions stay", lambda: grown.revisions().keys(), lambda names: names == before.keys(), seconds=1)
    assert not any(grown.revisions().values())
    grown.link()
    assert grown.revisions() == before == naming(grown)


@watched
def test_what_is_orphaned_keeps_its_revisions_and_is_adopted_with_them(grown: Release) -> None:
    before = grown.revisions()
    for kind in WITH_HISTORY:
        grown.api.delete(kind, kind.lower(), propagation="Orphan")
        grown.api.gone(kind, kind.lower())
    throughout("revisions stay", lambda: grown.revisions().keys(), lambda names: names == before.keys(), seconds=1)
    grown.release(*each("new"))
    settled(grown.api)
    assert grown.revisions() == naming(grown)
    assert grown.revisions().keys() == before.keys()


@pytest.fixture
def doomed(cluster: ControlPlane, namespace: Api, deployer: str) -> Iterator[Release]:
    """In a namespace that the test may delete."""
    name = f"{namespace.namespace}-doomed"
    cluster.api.create({"kind": "Namespace", "metadata": {"name": name}})
    api = cluster.api.within(name)
    until_furnished(api)
    with Watcher(api) as watcher:
        yield Release(api=api, deployer=DEPLOYERS[deployer](api))
        assert watcher.violations() == []


def test_a_namespace_goes_with_all_that_is_in_it(doomed: Release) -> None:
    doomed.release(*each("new"))
    settled(doomed.api)
    doomed.api.delete("Namespace", doomed.api.namespace)
    doomed.api.gone("Namespace", doomed.api.namespace)
