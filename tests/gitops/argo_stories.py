"""What Argo CD shows and does when something is late, fails, is lost or is shared."""

from tests.cluster.release import REVISIONS, SET
from tests.cluster.rollouts_controller import abort
from tests.gitops.argo_application import ArgoApplication
from tests.gitops.package import NAMES, Commit
from tests.gitops.shop import Shop
from tests.wait import throughout, until

CONFIG = "api-config"
INVENTORY = f"{SET}-linker"
# Seconds in which Argo CD would sync a commit, if nothing kept it from that.
LONGER_THAN_A_SYNC = 30.0


def application(shop: Shop) -> ArgoApplication:
    assert isinstance(shop.deployer, ArgoApplication)
    return shop.deployer


def git_revert_while_paused(shop: Shop) -> None:
    """Revert the commit itself, as an engineer does in an incident."""
    shop.release()
    before = shop.commit
    shop.release("Paused", content="b")
    application(shop).revert()
    shop.commit = before
    shop.until_running()
    shop.until_linked()
    shop.check("Healthy")
    shop.replace_pods()


def job_waits(shop: Shop) -> None:
    """Expect a sync that has succeeded, and Progressing until the Job has run."""
    app = application(shop)
    shop.release()
    with shop.kubelet.holding(shop.api.namespace):
        shop.deploy(content="b")
        shop.until_running()
        status = app.until_shown(sync="Synced", health="Progressing", operation="Succeeded")
        assert f"Job/{shop.unfinished_job()}: Progressing" in status.unhealthy, status
    shop.until_linked()
    shop.check("Healthy")


def job_waits_in_a_wave(shop: Shop) -> None:
    """With a later wave, expect that the sync itself goes on until the Job has run."""
    app = application(shop)
    shop.release()
    with shop.kubelet.holding(shop.api.namespace):
        shop.commit = shop.commit.but(content="b")
        app.push(shop.commit)
        until("the new Job is there", shop.unfinished_job)
        shop.until_running()
        status = app.until_shown(sync="Synced", health="Progressing", operation="Running")
        assert status.message.startswith("waiting for healthy state of "), status
        assert f"Job/{shop.unfinished_job()}: Progressing" in status.unhealthy, status
    app.synced()
    shop.until_linked()
    shop.check("Healthy")


def job_fails(shop: Shop) -> None:
    """Expect a sync that has succeeded, and Degraded. The next commit mends it."""
    app = application(shop)
    shop.release()
    with shop.kubelet.breaking(shop.api.namespace):
        shop.deploy(content="b")
        shop.until_running()
        status = app.until_shown(sync="Synced", health="Degraded", operation="Succeeded")
        assert status.unhealthy == (f"Job/{shop.job_in('Failed')}: Degraded",)
    shop.replace_pods()
    shop.release(content="c")


def job_fails_in_a_wave(shop: Shop) -> None:
    """With a later wave, expect a sync that has failed. The next commit mends it."""
    app = application(shop)
    shop.release()
    with shop.kubelet.breaking(shop.api.namespace):
        shop.commit = shop.commit.but(content="b")
        app.push(shop.commit)
        status = app.until_shown(operation="Failed", health="Degraded")
        assert status.message.startswith(
            "one or more synchronization tasks completed unsuccessfully"
        ), status
        assert status.unhealthy == (f"Job/{shop.job_in('Failed')}: Degraded",)
    shop.until_running()
    shop.replace_pods()
    shop.release(content="c")


def job_gets_no_pod(shop: Shop) -> None:
    """Expect Progressing: a Job without a pod has no condition. The reason is in its Events."""
    app = application(shop)
    shop.release()
    quota = {"kind": "ResourceQuota", "metadata": {"name": "none"}, "spec": {"hard": {"pods": "0"}}}
    shop.api.create(quota)
    shop.deploy(linker={"image": "registry.example/krm-fn:2"})
    app.until_shown(sync="Synced", health="Progressing", operation="Succeeded")
    job = shop.unfinished_job()
    events = until("the Job has Events", lambda: shop.events("Job", job))
    assert any("exceeded quota: none" in event for event in events), events
    assert shop.jobs()[job] == ""
    shop.api.delete("ResourceQuota", "none")
    shop.until_linked()
    shop.check("Healthy")


def sync_by_hand_after_a_loss(shop: Shop) -> None:
    """Delete a revision by mistake.

    Without self-heal, a sync brings it back, and the next run its owners.
    """
    app = application(shop)
    shop.release()
    lost = shop.revision_of("a", CONFIG)
    # A person is not bound by our promise.
    shop.watcher.forgive(("ConfigMap", lost))
    shop.api.delete("ConfigMap", lost)
    app.again()
    status = app.until_shown(sync="OutOfSync", health="Healthy")
    assert status.out_of_sync == (f"ConfigMap/{lost}",)
    assert status.unhealthy == (f"ConfigMap/{lost}: Missing",)
    app.sync()
    assert shop.revisions()[lost] == set()
    app.until_shown(sync="Synced", health="Healthy")
    shop.replace_pods()
    shop.release(content="b")
    assert f"ConfigMap/{INVENTORY}" in shop.revisions()[lost]


def two_applications_share_a_set(shop: Shop) -> None:
    """Share by mistake. Argo CD names what both own, and no linker deletes what the other's pods need."""
    other = _beside(shop)
    for content in ("a", "b", "c"):
        for one in (shop, other):
            one.deploy(content=content)
            one.until_running()
            one.replace_pods()
    shared = f"SharedResourceWarning: ConfigMap/{INVENTORY} is part of applications "
    until(
        "Argo CD names the inventory as shared",
        lambda: [*application(shop).status().conditions, *application(other).status().conditions],
        lambda conditions: any(condition.startswith(shared) for condition in conditions),
    )
    # They go on by turns, so this one is deleted at once.
    application(other).delete()


def share_a_set_with_nobody(shop: Shop) -> None:
    """With `FailOnSharedResource=true`, the second Application fails with the name of what is shared."""
    shop.release()
    other = application(_beside(shop))
    other.push(Commit(kinds=("StatefulSet",)))
    status = other.until_shown(operation="Failed")
    assert status.message.startswith("Shared resource found: "), status
    assert f"ConfigMap/{INVENTORY}" in status.message
    other.delete()
    shop.check("Healthy")


def _beside(shop: Shop) -> Shop:
    """Return another application of the same set in the same namespace."""
    return Shop(
        api=shop.api,
        deployer=application(shop).beside("other"),
        kubelet=shop.kubelet,
        mounting=shop.mounting,
        watcher=shop.watcher,
        commit=Commit(kinds=("StatefulSet",)),
    )


def prune_last_waits_for_the_canary(shop: Shop) -> None:
    """With `PruneLast=true`, see the fix wait for the canary, until somebody ends the operation."""
    app = _wait_with_prune_last(shop)
    app.push(shop.commit.but(content="c"))
    throughout(
        "the fix is not applied",
        lambda: contents(shop),
        lambda found: "c" not in found,
        seconds=LONGER_THAN_A_SYNC,
    )
    app.terminate()
    _apply_the_fix(shop)


def abort_what_prune_last_waits_for(shop: Shop) -> None:
    """With `PruneLast=true`, abort the canary: the sync ends, and the next commit is applied."""
    app = _wait_with_prune_last(shop)
    abort(shop.api, NAMES["Rollout"])
    app.until_shown(operation="Failed")
    app.push(shop.commit.but(content="c"))
    _apply_the_fix(shop)


def _wait_with_prune_last(shop: Shop) -> ArgoApplication:
    """Release a canary, and see that its sync goes on while it is paused."""
    app = application(shop)
    shop.release()
    shop.commit = shop.commit.but(content="b")
    app.push(shop.commit)
    shop.until_running("Paused")
    shop.until_linked()
    throughout(
        "the sync goes on while the canary is paused",
        app.status,
        lambda status: status.operation == "Running",
        seconds=LONGER_THAN_A_SYNC,
    )
    return app


def _apply_the_fix(shop: Shop) -> None:
    """Wait for the commit with content c, whose sync also goes on until the canary is promoted."""
    until("the fix is applied", lambda: contents(shop), lambda found: "c" in found)
    shop.commit = shop.commit.but(content="c")
    # The canary before was paused too.
    name = shop.revision_of("c")
    until("a canary has the fix", shop.pods, lambda found: name in found.values())
    shop.until_running("Paused")
    shop.promote()
    application(shop).synced()
    shop.until_linked()
    shop.check("Healthy")


def replace_takes_owners_away(shop: Shop) -> None:
    """With `Replace=true`, fail to sync the same commit again, and lose the owner of a Secret for ever."""
    app = application(shop)
    shop.release()
    name = shop.secret_of("a")
    assert shop.api.get("Secret", name)["metadata"]["ownerReferences"]
    app.set_options("Replace=true")
    status = app.sync(phase="Failed")
    assert "field is immutable" in status.message, status
    assert "ownerReferences" not in shop.api.get("Secret", name)["metadata"]
    for content in ("b", "c", "d", "e", "f"):
        shop.deploy(content=content)
        shop.until_running()
        shop.until_linked()
    shop.watcher.check()
    assert "a" not in contents(shop), "ConfigMaps got their owners back, and went with their users"
    assert "ownerReferences" not in shop.api.get("Secret", name)["metadata"]


def go_back_without_prune(shop: Shop) -> None:
    """Without prune, go back to a commit whose Job is still there: it does not run again."""
    shop.release()
    before, jobs = shop.commit, shop.jobs()
    shop.deploy(content="b")
    shop.until_running()
    shop.until_linked()
    runs = len(shop.runs())
    shop.commit = before
    shop.deploy()
    shop.until_running()
    throughout(
        "no Job runs",
        shop.jobs,
        lambda found: len(found) == 2 and jobs.items() <= found.items(),
        seconds=LONGER_THAN_A_SYNC,
    )
    assert len(shop.runs()) == runs


def sync_a_workload_alone(shop: Shop) -> None:
    """Sync the Rollout alone: its pods miss their ConfigMap until a full sync."""
    app = application(shop)
    app.push(shop.commit)
    app.sync()
    shop.until_running()
    shop.until_linked()
    app.push(shop.commit.but(content="b"))
    app.sync({"group": "argoproj.io", "kind": "Rollout", "name": NAMES["Rollout"]})
    until(
        "a pod of the canary has no ConfigMap",
        shop.watcher.violations,
        lambda found: any("was started without ConfigMap web-config-" in one for one in found),
    )
    app.sync()
    shop.commit = shop.commit.but(content="b")
    shop.until_running("Paused")
    shop.until_linked()
    shop.promote()


def contents(shop: Shop) -> set[str]:
    """Return the contents of the live ConfigMaps of the set."""
    return {
        item["data"]["content"]
        for item in shop.api.list("ConfigMap", labels=REVISIONS)
        if "content" in item.get("data", {})
    }
