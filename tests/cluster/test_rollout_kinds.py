"""Features of Argo Rollouts beyond a canary: blue-green, experiments, analyses, workloadRef."""

import pytest

from tests.cluster.api import Api, Object
from tests.cluster.manifests import pod_template
from tests.cluster.readiness import in_phase, is_ready
from tests.cluster.release import Release, config
from tests.cluster.rollouts_controller import abort, promote, rollout_in_phase, until_noticed
from tests.cluster.workloads import (
    app,
    assert_linked,
    config_of,
    consumers_by_revision,
    delete_pods,
    mounted_configs,
    on_each_deployer,
    template_of,
    until_settled,
    until_unreferenced,
)
from tests.wait import until

pytestmark = [pytest.mark.usefixtures("rollouts", "invariants"), on_each_deployer]
WEB = config_of("Rollout")
STEPS = {"canary": {"maxSurge": 0, "maxUnavailable": 1, "steps": [{"setWeight": 1}, {"pause": {}}]}}


def canary(content: str) -> list[Object]:
    return app("Rollout", content, replicas=2, revisionHistoryLimit=1, strategy=STEPS)


def test_old_aborted_canaries_are_deleted_and_the_stable_revision_is_kept(shop: Release) -> None:
    shop.release(*canary("stable"))
    until_settled(shop.api, "Rollout")
    stable = shop.revision_of("stable", WEB)
    aborted = []
    for content in ("1", "2", "3"):
        shop.release(*canary(content))
        rollout_in_phase(shop.api, "rollout", "Paused")
        aborted.append(shop.revision_of(content, WEB))
        abort(shop.api, "rollout")
        rollout_in_phase(shop.api, "rollout", "Degraded")
    until_unreferenced(shop, aborted[0])
    shop.link()
    assert aborted[0] not in shop.revisions()
    until_noticed(
        "all pods are stable",
        shop.api,
        lambda: mounted_configs(shop.api, "Rollout"),
        lambda found: found == [stable] * 2,
    )
    assert {stable, aborted[-1]} <= set(shop.revisions())
    assert_linked(shop)


def test_blue_and_green_keep_their_revisions(shop: Release) -> None:
    for name in ("active", "preview"):
        # Not in the release: applying them again would reset the selector of the controller and end
        # its pause.
        spec = {"selector": {"app": "rollout"}, "ports": [{"port": 80}]}
        shop.api.create({"kind": "Service", "metadata": {"name": name}, "spec": spec})
    shop.release(*blue_green("blue"))
    until_settled(shop.api, "Rollout")
    shop.release(*blue_green("green"))
    rollout_in_phase(shop.api, "rollout", "Paused")
    blue, green = shop.revision_of("blue", WEB), shop.revision_of("green", WEB)
    until(
        "both run",
        lambda: mounted_configs(shop.api, "Rollout"),
        lambda found: found == sorted([blue, green]),
    )
    assert_linked(shop)
    delete_pods(shop.api, "app=rollout")
    until(
        "both run again",
        lambda: mounted_configs(shop.api, "Rollout"),
        lambda found: found == sorted([blue, green]),
    )
    promote_blue_green(shop.api)
    until_noticed(
        "blue is scaled down",
        shop.api,
        lambda: mounted_configs(shop.api, "Rollout"),
        lambda found: found == [green],
    )
    until_unreferenced(shop, blue)
    shop.link()
    assert set(shop.revisions()) == {green}


def promote_blue_green(api: Api) -> None:
    """Promote until the Rollout is Healthy.

    The controller pauses a blue-green Rollout again if it counts a pod of the new ReplicaSet as not
    available in the moment of the promotion.
    """

    def is_promoted(found: Object) -> bool:
        if in_phase(found, "Paused"):
            promote(api, "rollout")
        return is_ready(found)

    until_noticed(
        "the Rollout is promoted", api, lambda: api.get("Rollout", "rollout"), is_promoted
    )


def blue_green(content: str) -> list[Object]:
    strategy = {
        "activeService": "active",
        "previewService": "preview",
        "autoPromotionEnabled": False,
        "scaleDownDelaySeconds": 1,
    }
    return app("Rollout", content, revisionHistoryLimit=0, strategy={"blueGreen": strategy})


def test_an_experiment_keeps_its_revision_until_it_is_deleted(shop: Release) -> None:
    shop.release(*app("Rollout", "old", revisionHistoryLimit=0))
    until_settled(shop.api, "Rollout")
    old = shop.revision_of("old", WEB)
    template = pod_template("baseline", config=old)
    one = {
        "name": "baseline",
        "selector": {"matchLabels": {"app": "baseline"}},
        "template": template,
    }
    shop.api.create(
        {"kind": "Experiment", "metadata": {"name": "compare"}, "spec": {"templates": [one]}}
    )
    until(
        "its pod runs", lambda: mounted_configs(shop.api, "baseline"), lambda found: found == [old]
    )
    for content in ("new", "newer"):
        shop.release(*app("Rollout", content, revisionHistoryLimit=0))
        until_settled(shop.api, "Rollout")
    assert {"Experiment/compare"} < shop.revisions()[old], "and its ReplicaSet"
    shop.api.delete("Experiment", "compare")
    until_unreferenced(shop, old)
    shop.link()
    assert old not in shop.revisions()


def test_an_analysis_run_keeps_the_revision_of_its_start(shop: Release) -> None:
    shop.release(config("old", "check"), analysis())
    old = shop.revision_of("old", "check")
    assert "AnalysisTemplate/check" in shop.revisions()[old]
    metrics = shop.api.get("AnalysisTemplate", "check")["spec"]["metrics"]
    shop.api.create(
        {"kind": "AnalysisRun", "metadata": {"name": "check-1"}, "spec": {"metrics": metrics}}
    )
    until(
        "its Job runs",
        lambda: consumers_by_revision(shop)[old],
        lambda found: any(name.startswith("Job/") for name in found),
    )
    for content in ("new", "newer"):
        shop.release(config(content, "check"), analysis())
    held = shop.revisions()[old]
    assert "AnalysisRun/check-1" in held
    shop.api.delete("AnalysisRun", "check-1")
    until_unreferenced(shop, old)
    shop.link()
    assert set(shop.revisions()) == {shop.revision_of("newer", "check")}


def analysis() -> Object:
    template = pod_template("check", config="check", labels={"test/pod": "local"})
    job = {
        "backoffLimit": 0,
        "template": {**template, "spec": {**template["spec"], "restartPolicy": "Never"}},
    }
    metric = {"name": "check", "provider": {"job": {"spec": job}}}
    return {
        "kind": "AnalysisTemplate",
        "metadata": {"name": "check"},
        "spec": {"metrics": [metric]},
    }


def test_a_rollout_with_a_workload_ref_is_a_consumer(shop: Release) -> None:
    shop.release(*borrowing("old"))
    rollout_in_phase(shop.api, "rollout", "Healthy")
    old = shop.revision_of("old", WEB)
    shop.release(*borrowing("new"))
    rollout_in_phase(shop.api, "rollout", "Paused")
    new = shop.revision_of("new", WEB)
    until(
        "the canary runs",
        lambda: mounted_configs(shop.api, "Rollout"),
        lambda found: found == sorted([old, new]),
    )
    assert {"Rollout/rollout", "Deployment/deployment"} < shop.revisions()[new]
    delete_pods(shop.api, "app=rollout")
    until(
        "both run again",
        lambda: mounted_configs(shop.api, "Rollout"),
        lambda found: found == sorted([old, new]),
    )
    promote(shop.api, "rollout")
    rollout_in_phase(shop.api, "rollout", "Healthy")
    assert {old, new} == set(shop.revisions()), "the old revision is needed for a rollback"


def borrowing(content: str) -> list[Object]:
    """Build a Rollout that takes its template from a Deployment without pods."""
    made, rollout = app("Rollout", content, replicas=2, strategy=STEPS)
    template = template_of(rollout)
    selector = rollout["spec"]["selector"]
    deployment: Object = {
        "kind": "Deployment",
        "metadata": {"name": "deployment"},
        "spec": {"replicas": 0, "selector": selector, "template": template},
    }
    spec = {
        name: value
        for name, value in rollout["spec"].items()
        if name not in ("template", "selector")
    }
    borrowed = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "deployment"}
    return [
        made,
        deployment,
        {**rollout, "spec": {**spec, "selector": selector, "workloadRef": borrowed}},
    ]
