"""The invariants are tests of others, so here each is seen to fail, and to hold."""

import pytest

from tests.cluster.api import Api, Object, reference
from tests.cluster.control_plane import ControlPlane
from tests.cluster.manifests import canary, config_map, cron_job, job, pod, secret, workload
from tests.cluster.rollouts_controller import rollout_in_phase
from tests.cluster.sight import SET
from tests.cluster.watcher import Watcher

REVISION = {"labels": {SET: "web"}}
USERS = [
    pytest.param(workload("Deployment", "web", config="a"), "Deployment web", id="a Deployment"),
    pytest.param(workload("Deployment", "web", replicas=0, config="a"), "Deployment web", id="one with no pods"),
    pytest.param(workload("ReplicaSet", "web", config="a"), "ReplicaSet web", id="a ReplicaSet of nobody"),
    pytest.param(workload("StatefulSet", "web", config="a"), "StatefulSet web", id="a StatefulSet"),
    pytest.param(workload("DaemonSet", "web", config="a"), "DaemonSet web", id="a DaemonSet"),
    pytest.param(cron_job("web", config="a"), "CronJob web", id="a CronJob"),
    pytest.param(job("web", config="a", labels={"test/pod": "local"}), "Job web", id="a Job that runs"),
    pytest.param(pod("web", config="a"), "Pod web", id="a Pod of nobody"),
]


@pytest.mark.parametrize(("user", "name"), USERS)
def test_a_revision_deleted_while_named_is_a_violation(user: Object, name: str, namespace: Api) -> None:
    namespace.apply(config_map("a", **REVISION))
    with Watcher(namespace) as watcher:
        namespace.apply(user)
        assert watcher.violations() == []
        namespace.delete("ConfigMap", "a")
        (violation,) = watcher.violations()
    assert "ConfigMap a was deleted while named by " in violation
    assert name in violation
    with pytest.raises(AssertionError, match=f"in namespace {namespace.namespace}:\n.*ConfigMap a was deleted"):
        watcher.check()


def test_a_rollout_holds_its_stable_revision(rollouts: ControlPlane, namespace: Api) -> None:
    assert rollouts.processes
    for name in ("a", "b"):
        namespace.apply(config_map(name, **REVISION))
    with Watcher(namespace) as watcher:
        namespace.apply(canary("web", config="a"))
        rollout_in_phase(namespace, "web", "Healthy")
        namespace.apply(canary("web", config="b"))
        rollout_in_phase(namespace, "web", "Paused")
        assert watcher.violations() == []
        namespace.delete("ConfigMap", "a")
        (violation,) = watcher.violations()
    assert "named by ReplicaSet web-" in violation


def test_a_deleted_secret_needs_no_label_to_be_a_violation(namespace: Api) -> None:
    namespace.apply(secret("a"))
    with Watcher(namespace) as watcher:
        namespace.apply(workload("Deployment", "web", secret="a"))  # noqa: S106  # a name
        namespace.ready("Deployment", "web")
        namespace.delete("Secret", "a")
        (violation,) = watcher.violations()
    assert violation.partition(" ")[2].startswith("Secret a was deleted while named by Deployment web, ReplicaSet web-")


def test_a_pod_that_starts_without_its_config_is_a_violation(namespace: Api) -> None:
    with Watcher(namespace) as watcher:
        namespace.apply(pod("web", config="missing", secret="missing"))  # noqa: S106  # a name
        namespace.ready("Pod", "web")
        # Too late, though one who asks afterwards finds everything in place.
        namespace.apply(config_map("missing"))
        (violation,) = watcher.violations()
    assert violation.partition(" ")[2] == "Pod web was to start without ConfigMap missing, Secret missing"


def test_a_pod_may_start_without_what_is_optional(invariants: Watcher, namespace: Api) -> None:
    body = pod("web")
    body["spec"]["volumes"] = [{"name": "config", "configMap": {"name": "missing", "optional": True}}]
    namespace.apply(body)
    namespace.ready("Pod", "web")
    assert invariants.violations() == []


def test_what_is_named_by_nobody_may_go(invariants: Watcher, namespace: Api) -> None:
    namespace.apply(config_map("a", **REVISION))
    namespace.apply(job("done", config="a"))
    namespace.ready("Job", "done")
    namespace.delete("ConfigMap", "a")
    namespace.gone("ConfigMap", "a")
    assert invariants.violations() == []


@pytest.mark.parametrize("propagation", ["Background", "Foreground"])
def test_what_goes_with_its_workload_may_go(propagation: str, invariants: Watcher, namespace: Api) -> None:
    namespace.apply(config_map("a", **REVISION))
    deployment = namespace.apply(workload("Deployment", "web", config="a"))
    namespace.ready("Deployment", "web")
    # The Deployment alone: the garbage collector may take its ConfigMap before its ReplicaSet.
    namespace.patch("ConfigMap", "a", {"metadata": {"ownerReferences": [reference(deployment)]}})
    namespace.delete("Deployment", "web", propagation=propagation)
    namespace.gone("ConfigMap", "a")
    assert invariants.violations() == []


def test_a_namespace_may_go_in_any_order(namespace: Api, cluster: ControlPlane) -> None:
    other = cluster.api.within(f"{namespace.namespace}-other")
    cluster.api.create({"kind": "Namespace", "metadata": {"name": other.namespace}})
    other.wait("ServiceAccount", "default", "is there", bool)
    other.apply(config_map("a", **REVISION))
    other.apply(workload("Deployment", "web", config="a"))
    other.ready("Deployment", "web")
    with Watcher(other) as watcher:
        other.delete("Namespace", other.namespace)
        other.gone("ConfigMap", "a")
        assert watcher.violations() == []


def test_a_restart_of_the_api_server_hides_nothing(namespace: Api, cluster: ControlPlane) -> None:
    namespace.apply(config_map("a", **REVISION))
    namespace.apply(workload("Deployment", "web", config="a"))
    namespace.ready("Deployment", "web")
    with Watcher(namespace) as watcher:
        cluster.restart("apiserver")
        assert watcher.violations() == []
        namespace.delete("ConfigMap", "a")
        (violation,) = watcher.violations()
    assert "ConfigMap a was deleted while named by Deployment web" in violation
