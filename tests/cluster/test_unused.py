"""Returning to an earlier revision, revisions that were never used, and adopted names."""

import pytest

from tests.cluster.deployers import Step
from tests.cluster.release import Release, config
from tests.cluster.workloads import (
    KINDS,
    WITH_HISTORY,
    app,
    assert_linked,
    config_of,
    consumers_by_revision,
    mounted_configs,
    on_each_deployer,
    one_of_each,
    until_settled,
    until_unreferenced,
)
from tests.wait import grow_older

pytestmark = [pytest.mark.usefixtures("rollouts", "invariants"), on_each_deployer]


def test_after_returning_to_a_revision_it_is_current_and_the_other_is_history(
    shop: Release,
) -> None:
    shop.release(*one_of_each("a"))
    until_settled(shop.api)
    first = set(shop.revisions())
    shop.release(*one_of_each("b"))
    until_settled(shop.api)
    second = set(shop.revisions()) - first
    shop.release(*one_of_each("a"))
    until_settled(shop.api)
    assert_linked(shop)
    assert [mounted_configs(shop.api, kind)[0] in first for kind in WITH_HISTORY] == [True] * len(
        WITH_HISTORY
    )
    assert {name.rpartition("-")[0] for name in second & set(shop.revisions())} == {
        *map(config_of, WITH_HISTORY)
    }


class SyncAborted(Exception):
    """A sync ended before all was applied."""


def abort_at_workload(step: Step) -> None:
    """Abort the sync at the first workload."""
    if step.kind in KINDS:
        raise SyncAborted


def test_revisions_of_an_aborted_sync_are_kept_for_their_minimum_age(shop: Release) -> None:
    shop.release(*one_of_each("a"))
    until_settled(shop.api)
    a = set(shop.revisions())
    with pytest.raises(SyncAborted):
        shop.sync(*one_of_each("b"), before_each=abort_at_workload)
    b = set(shop.revisions()) - a
    assert len(b) == len(KINDS)

    shop.settings = {"linker": {"minimumAgeSeconds": 600}}
    shop.release(*one_of_each("c"))
    until_settled(shop.api)
    unreferenced = {
        name for name, consumers in consumers_by_revision(shop).items() if not consumers
    }
    assert unreferenced == {*b, *(name for name in a if name.startswith(config_of("CronJob")))}

    shop.settings = {"linker": {"minimumAgeSeconds": 0}}
    shop.release(*one_of_each("c"))
    assert_linked(shop)
    assert not unreferenced & set(shop.revisions())


def test_a_revision_that_never_had_a_replica_set_is_deleted(shop: Release) -> None:
    shop.release(*app("Deployment", "a"))
    until_settled(shop.api, "Deployment")
    shop.sync(*app("Deployment", "b", paused=True))
    shop.sync(*app("Deployment", "c"))
    until_settled(shop.api, "Deployment")
    assert len(shop.revisions()) == 3
    grow_older()
    shop.link()
    assert_linked(shop)
    assert len(shop.revisions()) == 2


def test_a_revision_without_referrers_is_retained(shop: Release) -> None:
    shop.settings["select"] = [{"kind": "ConfigMap"}]
    shop.release(*app("Deployment", "a"), config("a", "notes"))
    notes = shop.revision_of("a", "notes")
    shop.release(*app("Deployment", "b"), config("b", "notes"))
    shop.release(*app("Deployment", "c"))
    assert shop.revisions()[notes] == set()
    assert len([name for name in shop.revisions() if name.startswith("notes-")]) == 2


def test_an_adopted_name_is_deleted_with_its_last_consumer(shop: Release) -> None:
    fixed = {config_of(kind) for kind in KINDS}
    shop.settings["strategy"] = "adopt"
    shop.release(
        *one_of_each("old", *WITH_HISTORY, revisionHistoryLimit=1), *one_of_each("old", "CronJob")
    )
    until_settled(shop.api)
    assert_linked(shop)
    assert set(shop.revisions()) == fixed

    shop.settings["strategy"] = "rename"
    shop.release(
        *one_of_each("old", *WITH_HISTORY, revisionHistoryLimit=1), *one_of_each("old", "CronJob")
    )
    until_settled(shop.api)
    assert_linked(shop)
    assert fixed - set(shop.revisions()) == {config_of("CronJob")}, (
        "all others are still in a history"
    )

    shop.sync(
        *one_of_each("old", *WITH_HISTORY, image="app:2", revisionHistoryLimit=1),
        *one_of_each("old", "CronJob"),
    )
    until_settled(shop.api)
    until_unreferenced(shop, *fixed)
    shop.link()
    assert not fixed & set(shop.revisions())
    assert mounted_configs(shop.api, "Deployment") != [config_of("Deployment")]
