"""Workloads, owners and namespaces that are deleted and created again."""

from collections.abc import Iterator
from functools import partial

import pytest

from tests.cluster.api import Api
from tests.cluster.control_plane import ControlPlane, new_namespace
from tests.cluster.invariant_watcher import InvariantWatcher
from tests.cluster.release import DEPLOYERS, Release
from tests.cluster.workloads import (
    KINDS,
    WITH_HISTORY,
    assert_linked,
    consumers_by_revision,
    mounted_configs,
    on_each_deployer,
    one_of_each,
    until_settled,
    until_unreferenced,
)
from tests.wait import throughout, until

pytestmark = [pytest.mark.usefixtures("rollouts"), on_each_deployer]
check_invariants = pytest.mark.usefixtures("invariants")


@pytest.fixture
def with_history(shop: Release) -> Release:
    """Release each kind twice, so that each has a current and an old revision."""
    for content in ("old", "new"):
        shop.release(*one_of_each(content))
        until_settled(shop.api)
    assert_linked(shop)
    return shop


@check_invariants
def test_a_deleted_workload_keeps_its_revisions_until_the_next_run(with_history: Release) -> None:
    current, old = current_and_old(with_history)
    for kind in KINDS:
        with_history.api.delete(kind, kind.lower())
    until_unreferenced(with_history, *old)
    throughout(
        "the revisions are kept",
        with_history.revisions,
        lambda found: found.keys() == current | old,
        seconds=1,
    )
    with_history.sync(*one_of_each("new"))
    until_settled(with_history.api)
    with_history.link()
    assert_all_run(with_history, current)


@check_invariants
def test_replaced_workloads_keep_their_current_revisions(with_history: Release) -> None:
    """`kubectl replace --force` does the same: the new object has another uid and no history."""
    current, old = current_and_old(with_history)
    for kind in KINDS:
        spec = with_history.api.get(kind, kind.lower())["spec"]
        with_history.api.delete(kind, kind.lower())
        with_history.api.gone(kind, kind.lower())
        with_history.api.create({"kind": kind, "metadata": {"name": kind.lower()}, "spec": spec})
    until_unreferenced(with_history, *old)
    with_history.link()
    assert_all_run(with_history, current)


@check_invariants
def test_a_deleted_application_leaves_no_revision(with_history: Release) -> None:
    with_history.deployer.sync(b"")
    until("all revisions are gone", with_history.revisions, lambda left: not left)


def current_and_old(shop: Release) -> tuple[set[str], set[str]]:
    consumers = consumers_by_revision(shop)
    current = {
        name
        for name, by in consumers.items()
        if any(f"{kind}/{kind.lower()}" in by for kind in KINDS)
    }
    assert (len(current), len(consumers)) == (len(KINDS), len(KINDS) + len(WITH_HISTORY))
    return current, consumers.keys() - current


def assert_all_run(shop: Release, current: set[str]) -> None:
    """Check that all workloads run, before and after the next release."""
    until_settled(shop.api)
    for kind in WITH_HISTORY:
        until(
            f"the {kind} runs",
            partial(mounted_configs, shop.api, kind),
            lambda found: bool(found) and {*found} <= current,
        )
    assert set(shop.revisions()) == current
    shop.release(*one_of_each("newer"))
    until_settled(shop.api)
    assert_linked(shop)
    assert len(current & set(shop.revisions())) == len(WITH_HISTORY)


@check_invariants
def test_revisions_restored_without_owners_are_kept_and_linked_again(with_history: Release) -> None:
    before = with_history.revisions()
    for name in before:
        with_history.api.patch("ConfigMap", name, {"metadata": {"ownerReferences": None}})
    with_history.sync(*one_of_each("new"))
    throughout(
        "the revisions are kept",
        lambda: with_history.revisions().keys(),
        lambda names: names == before.keys(),
        seconds=1,
    )
    assert not any(with_history.revisions().values())
    with_history.link()
    assert with_history.revisions().keys() == before.keys()
    assert_linked(with_history)


@check_invariants
def test_orphaned_history_keeps_its_revisions_until_it_is_adopted(with_history: Release) -> None:
    before = with_history.revisions()
    for kind in WITH_HISTORY:
        with_history.api.delete(kind, kind.lower(), propagation="Orphan")
        with_history.api.gone(kind, kind.lower())
    throughout(
        "the revisions are kept",
        lambda: with_history.revisions().keys(),
        lambda names: names == before.keys(),
        seconds=1,
    )
    with_history.release(*one_of_each("new"))
    until_settled(with_history.api)
    assert_linked(with_history)
    assert with_history.revisions().keys() == before.keys()


@pytest.fixture
def deletable(cluster: ControlPlane, namespace: Api, deployer: str) -> Iterator[Release]:
    """Create a namespace that the test may delete."""
    api = new_namespace(cluster, f"{namespace.namespace}-deletable")
    with InvariantWatcher(api) as watcher:
        yield Release(api=api, deployer=DEPLOYERS[deployer](api))
        assert watcher.violations() == []


def test_a_deleted_namespace_violates_no_invariant(deletable: Release) -> None:
    deletable.release(*one_of_each("new"))
    until_settled(deletable.api)
    deletable.api.delete("Namespace", deletable.api.namespace)
    deletable.api.gone("Namespace", deletable.api.namespace)
