"""Revision histories of different lengths, restarts, undos, pauses, shared revisions and running Jobs."""

from functools import partial
from operator import eq

import pytest

from tests.cluster.api import reference
from tests.cluster.linker_job import QUICK
from tests.cluster.manifests import job
from tests.cluster.release import Release
from tests.cluster.rollouts_controller import until_noticed
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
    put_template,
    restart,
    template_of,
    until_settled,
    until_unreferenced,
)
from tests.wait import throughout, until

MOST_RESTARTS = 8

pytestmark = [pytest.mark.usefixtures("rollouts", "invariants"), on_each_deployer]


def test_without_history_a_revision_is_deleted_after_the_next_rollout(shop: Release) -> None:
    no_history = [
        *one_of_each("old", *WITH_HISTORY, revisionHistoryLimit=0),
        *one_of_each("old", "CronJob"),
    ]
    shop.release(*no_history)
    until_settled(shop.api)
    old = set(shop.revisions())
    shop.release(
        *one_of_each("new", *WITH_HISTORY, revisionHistoryLimit=0), *one_of_each("new", "CronJob")
    )
    until_settled(shop.api)
    until_unreferenced(shop, *old)
    shop.link()
    assert_linked(shop)
    assert len(shop.revisions()) == len(KINDS)


def test_restarts_without_a_run_of_the_linker_delete_no_revision(shop: Release) -> None:
    shop.release(*one_of_each("old", *WITH_HISTORY, revisionHistoryLimit=1))
    until_settled(shop.api)
    owned = shop.revisions()
    owners = {owner for held in owned.values() for owner in held}
    made_first = {
        owner for owner in owners if owner.startswith(("ReplicaSet/", "ControllerRevision/"))
    }

    def still_there() -> set[str]:
        return made_first & {
            owner for consumers in consumers_by_revision(shop).values() for owner in consumers
        }

    # Argo Rollouts trims by creation times, in whole seconds: of two ReplicaSets made within one,
    # either may go first.
    for at in range(MOST_RESTARTS):
        for kind in WITH_HISTORY:
            restart(shop.api, kind, str(at))
        until_settled(shop.api, *WITH_HISTORY)
        if not still_there():
            break
    until_noticed(
        "the history that the linker had linked is deleted",
        shop.api,
        still_there,
        lambda left: not left,
    )
    throughout(
        "the revisions are kept",
        lambda: shop.revisions().keys(),
        lambda names: names == owned.keys(),
        seconds=1,
    )
    shop.link()
    assert_linked(shop)


def test_an_undo_uses_the_old_revision_until_the_next_release(shop: Release) -> None:
    shop.release(*one_of_each("old", *WITH_HISTORY))
    until_settled(shop.api, *WITH_HISTORY)
    old_templates = {kind: template_of(shop.api.get(kind, kind.lower())) for kind in WITH_HISTORY}
    old = {kind: shop.revision_of("old", config_of(kind)) for kind in WITH_HISTORY}
    shop.release(*one_of_each("new", *WITH_HISTORY))
    until_settled(shop.api, *WITH_HISTORY)
    both = set(shop.revisions())
    for kind, template in old_templates.items():
        put_template(shop.api, kind, template)
    until_settled(shop.api, *WITH_HISTORY)
    for kind in WITH_HISTORY:
        until(
            f"the {kind} is back",
            partial(mounted_configs, shop.api, kind),
            partial(eq, [old[kind]]),
        )
    assert set(shop.revisions()) == both
    shop.release(*one_of_each("newest", *WITH_HISTORY))
    until_settled(shop.api, *WITH_HISTORY)
    assert_linked(shop)
    assert both < set(shop.revisions())


def test_a_paused_workload_owns_its_new_revision(
    shop: Release, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Of ten seconds for what does not come.
    monkeypatch.setitem(QUICK, "krm_fn.linker.wait._HISTORY_TIMEOUT", 1.0)
    shop.release(*app("Deployment", "old", revisionHistoryLimit=0))
    until_settled(shop.api, "Deployment")
    old = shop.revision_of("old", config_of("Deployment"))
    output = shop.release(*app("Deployment", "new", revisionHistoryLimit=0, paused=True)).stdout
    new = shop.revision_of("new", config_of("Deployment"))
    assert (
        "has no ReplicaSet for its current template; the next run links it, and its revisions are kept"
        in output
    )
    assert_linked(shop)
    assert "Deployment/deployment" in shop.revisions()[new]
    shop.api.patch("Deployment", "deployment", {"spec": {"paused": False}})
    until_settled(shop.api, "Deployment")
    until_unreferenced(shop, old)
    shop.link()
    assert set(shop.revisions()) == {new}


@pytest.mark.parametrize("by_hand", [False, True], ids=["by the deployer", "by hand"])
def test_a_shared_revision_is_kept_when_one_of_two_workloads_is_deleted(
    by_hand: bool, shop: Release
) -> None:
    config, first = app("Deployment", "shared")
    _, second = app("StatefulSet", "shared")
    template_of(second)["spec"]["volumes"] = template_of(first)["spec"]["volumes"]
    shop.release(config, first, second)
    until_settled(shop.api, "Deployment", "StatefulSet")
    (revision,) = shop.revisions()
    if by_hand:
        shop.api.delete("Deployment", "deployment")
    else:
        shop.release(config, second)
    shop.api.gone("Deployment", "deployment")
    until("its history is gone", lambda: shop.api.names("ReplicaSet"), lambda names: not names)
    shop.api.stays("ConfigMap", revision, seconds=1)
    shop.api.delete("Pod", "statefulset-0")
    until(
        "its pod is back",
        lambda: mounted_configs(shop.api, "StatefulSet"),
        lambda found: found == [revision],
    )
    shop.release(*app("CronJob", "another"))
    until_unreferenced(shop, revision)
    shop.link()
    assert revision not in shop.revisions()


def test_a_running_job_keeps_its_revision(shop: Release) -> None:
    """One Job is of a CronJob, the other has no controller."""
    shop.release(*one_of_each("old", "CronJob", "Deployment"))
    until_settled(shop.api, "Deployment")
    by_cron = template_of(shop.api.get("CronJob", "cronjob"))
    of_cron, of_deployment = (
        shop.revision_of("old", config_of(kind)) for kind in ("CronJob", "Deployment")
    )
    by_cron["metadata"]["labels"]["test/pod"] = "local"
    cron_job = reference(shop.api.get("CronJob", "cronjob"), controller=True)
    spec = {"backoffLimit": 0, "template": by_cron}
    shop.api.create(
        {
            "kind": "Job",
            "metadata": {"name": "cronjob-1", "ownerReferences": [cron_job]},
            "spec": spec,
        }
    )
    shop.api.create(job("by-hand", config=of_deployment, labels={"test/pod": "local"}))
    for content in ("new", "newer"):
        shop.release(*one_of_each(content, "CronJob", "Deployment", revisionHistoryLimit=0))
        until_settled(shop.api, "Deployment")
    until(
        "only the Jobs are left",
        lambda: consumers_by_revision(shop)[of_deployment],
        partial(eq, {"Job/by-hand"}),
    )
    shop.link()
    assert consumers_by_revision(shop)[of_cron] == {"Job/cronjob-1"}
    assert_linked(shop)
    for name, revision in (("cronjob-1", of_cron), ("by-hand", of_deployment)):
        shop.api.delete("Job", name)
        until_unreferenced(shop, revision)
    shop.link()
    assert not {of_cron, of_deployment} & set(shop.revisions())
