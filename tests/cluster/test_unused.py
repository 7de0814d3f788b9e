"""There and back again, revisions that were never used, and the fixed name that an application had before."""

import time

import pytest

from tests.cluster.deployers import Step
from tests.cluster.release import Release, config
from tests.cluster.wait import until
from tests.cluster.workloads import (
    KINDS,
    WITH_HISTORY,
    app,
    config_of,
    configs,
    each,
    naming,
    on_each_deployer,
    settled,
)

pytestmark = [pytest.mark.usefixtures("rollouts", "invariants"), on_each_deployer]


def test_there_and_back_again_the_first_revision_is_in_use_and_the_second_history(shop: Release) -> None:
    shop.release(*each("a"))
    settled(shop.api)
    first = set(shop.revisions())
    shop.release(*each("b"))
    settled(shop.api)
    second = set(shop.revisions()) - first
    shop.release(*each("a"))
    settled(shop.api)
    assert shop.revisions() == naming(shop)
    assert [configs(shop.api, kind)[0] in first for kind in WITH_HISTORY] == [True] * len(WITH_HISTORY)
    assert {name.rpartition("-")[0] for name in second & set(shop.revisions())} == {*map(config_of, WITH_HISTORY)}


class BrokeOff(Exception):
    """A sync that ended in the middle."""


def break_off(step: Step) -> None:
    """When it comes to the first workload."""
    if step.kind in KINDS:
        raise BrokeOff


def test_revisions_of_a_sync_that_broke_off_stay_for_their_grace(shop: Release) -> None:
    shop.release(*each("a"))
    settled(shop.api)
    a = set(shop.revisions())
    with pytest.raises(BrokeOff):
        shop.sync(*each("b"), before_each=break_off)
    b = set(shop.revisions()) - a
    assert len(b) == len(KINDS)

    shop.settings = {"linker": {"minimumAgeSeconds": 600}}
    shop.release(*each("c"))
    settled(shop.api)
    unnamed = {name for name, users in naming(shop).items() if not users}
    assert unnamed == {name for name, held in shop.revisions().items() if not held}
    assert unnamed == {*b, *(name for name in a if name.startswith(config_of("CronJob")))}

    shop.settings = {"linker": {"minimumAgeSeconds": 0}}
    shop.release(*each("c"))
    assert shop.revisions() == naming(shop)
    assert not unnamed & set(shop.revisions())


def test_a_revision_of_a_paused_deployment_that_never_had_a_replica_set_goes(shop: Release) -> None:
    shop.release(*app("Deployment", "a"))
    settled(shop.api, "Deployment")
    shop.sync(*app("Deployment", "b", paused=True))
    shop.sync(*app("Deployment", "c"))
    settled(shop.api, "Deployment")
    assert len(shop.revisions()) == 3
    time.sleep(1)  # ages are in whole seconds
    shop.link()
    assert shop.revisions() == naming(shop)
    assert len(shop.revisions()) == 2


def test_a_revision_that_nothing_ever_named_is_retained(shop: Release) -> None:
    shop.settings["select"] = [{"kind": "ConfigMap"}]
    shop.release(*app("Deployment", "a"), config("a", "notes"))
    notes = shop.revision_of("a", "notes")
    shop.release(*app("Deployment", "b"), config("b", "notes"))
    shop.release(*app("Deployment", "c"))
    assert shop.revisions()[notes] == set()
    assert len([name for name in shop.revisions() if name.startswith("notes-")]) == 2


def test_a_fixed_name_goes_with_the_last_that_names_it(shop: Release) -> None:
    fixed = {config_of(kind) for kind in KINDS}
    shop.settings["strategy"] = "adopt"
    shop.release(*each("old", *WITH_HISTORY, revisionHistoryLimit=1), *each("old", "CronJob"))
    settled(shop.api)
    assert shop.revisions() == naming(shop)
    assert set(shop.revisions()) == fixed

    shop.settings["strategy"] = "rename"
    shop.release(*each("old", *WITH_HISTORY, revisionHistoryLimit=1), *each("old", "CronJob"))
    settled(shop.api)
    assert shop.revisions() == naming(shop)
    assert fixed - set(shop.revisions()) == {config_of("CronJob")}, "all others are in a history"

    shop.sync(*each("old", *WITH_HISTORY, image="app:2", revisionHistoryLimit=1), *each("old", "CronJob"))
    settled(shop.api)
    until("fixed names are gone", lambda: set(shop.revisions()), lambda names: not names & fixed)
    assert configs(shop.api, "Deployment") != [config_of("Deployment")]
