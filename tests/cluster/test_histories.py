"""Histories of every length, made by controllers and by hand, and whatever else runs from a template of yesterday."""

from functools import partial
from operator import eq

import pytest

from tests.cluster.api import reference
from tests.cluster.manifests import job
from tests.cluster.release import Release
from tests.cluster.wait import throughout, until
from tests.cluster.workloads import (
    KINDS,
    WITH_HISTORY,
    app,
    config_of,
    configs,
    each,
    naming,
    on_each_deployer,
    put_template,
    restart,
    settled,
    template_of,
)

pytestmark = [pytest.mark.usefixtures("rollouts", "invariants"), on_each_deployer]


def test_without_a_history_a_revision_goes_when_the_next_has_taken_over(shop: Release) -> None:
    no_history = [*each("old", *WITH_HISTORY, revisionHistoryLimit=0), *each("old", "CronJob")]
    shop.release(*no_history)
    settled(shop.api)
    old = set(shop.revisions())
    shop.release(*each("new", *WITH_HISTORY, revisionHistoryLimit=0), *each("new", "CronJob"))
    settled(shop.api)
    until("the old ones are gone", lambda: old & set(shop.revisions()), lambda left: not left)
    assert shop.revisions() == naming(shop)
    assert len(shop.revisions()) == len(KINDS)


def test_a_restart_takes_its_revision_from_nobody_and_needs_no_linker(shop: Release) -> None:
    shop.release(*each("old", *WITH_HISTORY, revisionHistoryLimit=1))
    settled(shop.api)
    owned = shop.revisions()
    for at in ("1", "2", "3"):
        for kind in WITH_HISTORY:
            restart(shop.api, kind, at)
        settled(shop.api, *WITH_HISTORY)
    owners = {owner for held in owned.values() for owner in held}
    made_first = {owner for owner in owners if owner.startswith(("ReplicaSet/", "ControllerRevision/"))}

    def still_there() -> set[str]:
        return made_first & {owner for users in naming(shop).values() for owner in users}

    until("what the linker had linked is trimmed", still_there, lambda left: not left)
    throughout("revisions stay", lambda: shop.revisions().keys(), lambda names: names == owned.keys(), seconds=1)
    shop.link()
    assert shop.revisions() == naming(shop)


def test_an_undo_by_hand_runs_on_the_old_revision_until_the_next_release(shop: Release) -> None:
    shop.release(*each("old", *WITH_HISTORY))
    settled(shop.api, *WITH_HISTORY)
    old_templates = {kind: template_of(shop.api.get(kind, kind.lower())) for kind in WITH_HISTORY}
    old = {kind: shop.revision_of("old", config_of(kind)) for kind in WITH_HISTORY}
    shop.release(*each("new", *WITH_HISTORY))
    settled(shop.api, *WITH_HISTORY)
    both = set(shop.revisions())
    for kind, template in old_templates.items():
        put_template(shop.api, kind, template)
    settled(shop.api, *WITH_HISTORY)
    for kind in WITH_HISTORY:
        until(f"the {kind} is back", partial(configs, shop.api, kind), partial(eq, [old[kind]]))
    assert set(shop.revisions()) == both
    shop.release(*each("newest", *WITH_HISTORY))
    settled(shop.api, *WITH_HISTORY)
    assert shop.revisions() == naming(shop)
    assert both < set(shop.revisions())


def test_a_paused_workload_holds_what_it_has_made_nothing_of_yet(shop: Release) -> None:
    shop.release(*app("Deployment", "old", revisionHistoryLimit=0))
    settled(shop.api, "Deployment")
    old = shop.revision_of("old", config_of("Deployment"))
    said = shop.release(*app("Deployment", "new", revisionHistoryLimit=0, paused=True)).stdout
    new = shop.revision_of("new", config_of("Deployment"))
    assert "has no ReplicaSet of its present template; it is linked by the next run, and safe until then" in said
    assert shop.revisions() == naming(shop)
    assert "Deployment/deployment" in shop.revisions()[new]
    shop.api.patch("Deployment", "deployment", {"spec": {"paused": False}})
    settled(shop.api, "Deployment")
    shop.api.gone("ConfigMap", old)
    assert set(shop.revisions()) == {new}


@pytest.mark.parametrize("by_hand", [False, True], ids=["by the deployer", "by hand"])
def test_of_two_workloads_that_share_a_revision_one_is_deleted(by_hand: bool, shop: Release) -> None:
    config, first = app("Deployment", "shared")
    _, second = app("StatefulSet", "shared")
    template_of(second)["spec"]["volumes"] = template_of(first)["spec"]["volumes"]
    shop.release(config, first, second)
    settled(shop.api, "Deployment", "StatefulSet")
    (revision,) = shop.revisions()
    if by_hand:
        shop.api.delete("Deployment", "deployment")
    else:
        shop.release(config, second)
    shop.api.gone("Deployment", "deployment")
    until("its history is gone", lambda: shop.api.names("ReplicaSet"), lambda names: not names)
    shop.api.stays("ConfigMap", revision, seconds=1)
    shop.api.delete("Pod", "statefulset-0")
    until("its pod is back", lambda: configs(shop.api, "StatefulSet"), lambda found: found == [revision])
    shop.release(*app("CronJob", "another"))
    shop.api.gone("ConfigMap", revision)


def test_a_job_in_flight_keeps_its_revision_while_its_template_moves_on(shop: Release) -> None:
    """Of a CronJob, and of nobody."""
    shop.release(*each("old", "CronJob", "Deployment"))
    settled(shop.api, "Deployment")
    by_cron = template_of(shop.api.get("CronJob", "cronjob"))
    of_cron, of_deployment = (shop.revision_of("old", config_of(kind)) for kind in ("CronJob", "Deployment"))
    by_cron["metadata"]["labels"]["test/pod"] = "local"
    cron_job = reference(shop.api.get("CronJob", "cronjob"), controller=True)
    spec = {"backoffLimit": 0, "template": by_cron}
    shop.api.create({"kind": "Job", "metadata": {"name": "cronjob-1", "ownerReferences": [cron_job]}, "spec": spec})
    shop.api.create(job("by-hand", config=of_deployment, labels={"test/pod": "local"}))
    for content in ("new", "newer"):
        shop.release(*each(content, "CronJob", "Deployment", revisionHistoryLimit=0))
        settled(shop.api, "Deployment")
    until("its ReplicaSet is gone", lambda: shop.revisions()[of_deployment], lambda held: held == {"Job/by-hand"})
    assert shop.revisions()[of_cron] == {"Job/cronjob-1"}
    assert shop.revisions() == naming(shop)
    for name, revision in (("cronjob-1", of_cron), ("by-hand", of_deployment)):
        shop.api.delete("Job", name)
        shop.api.gone("ConfigMap", revision)
