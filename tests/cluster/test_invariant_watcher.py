"""The invariants are violated by what they forbid, and by nothing else."""

import pytest

from tests.cluster.api import Api, Object, reference
from tests.cluster.control_plane import ControlPlane
from tests.cluster.invariant_watcher import InvariantWatcher
from tests.cluster.manifests import canary, config_map, cron_job, job, pod, secret, workload
from tests.cluster.mounting_kubelet import MountingKubelet
from tests.cluster.object_state import SET
from tests.cluster.rollouts_controller import rollout_in_phase
from tests.wait import until

WAITING = {"test/pod": "local"}
REVISION = {"labels": {SET: "web"}}
CONSUMERS = [
    pytest.param(workload("Deployment", "web", config="a"), "Deployment web", id="a Deployment"),
    pytest.param(
        workload("Deployment", "web", replicas=0, config="a"),
        "Deployment web",
        id="a Deployment without pods",
    ),
    pytest.param(
        workload("ReplicaSet", "web", config="a"),
        "ReplicaSet web",
        id="a ReplicaSet without a controller",
    ),
    pytest.param(workload("StatefulSet", "web", config="a"), "StatefulSet web", id="a StatefulSet"),
    pytest.param(workload("DaemonSet", "web", config="a"), "DaemonSet web", id="a DaemonSet"),
    pytest.param(cron_job("web", config="a"), "CronJob web", id="a CronJob"),
    pytest.param(
        job("web", config="a", labels={"test/pod": "local"}), "Job web", id="a running Job"
    ),
    pytest.param(pod("web", config="a"), "Pod web", id="a bare Pod"),
]


@pytest.mark.parametrize(("consumer", "name"), CONSUMERS)
def test_deleting_a_referenced_revision_is_a_violation(
    consumer: Object, name: str, namespace: Api
) -> None:
    namespace.apply(config_map("a", **REVISION))
    with InvariantWatcher(namespace) as watcher:
        namespace.apply(consumer)
        assert watcher.violations() == []
        namespace.delete("ConfigMap", "a")
        # A pod of the consumer that starts only now is a violation as well.
        (violation,) = (one for one in watcher.violations() if " was deleted " in one)
    assert "ConfigMap a was deleted while referenced by " in violation
    assert name in violation
    with pytest.raises(
        AssertionError, match=f"in namespace {namespace.namespace}:\n.*ConfigMap a was deleted"
    ):
        watcher.check()


def test_deleting_the_stable_revision_of_a_canary_is_a_violation(
    rollouts: ControlPlane, namespace: Api
) -> None:
    assert rollouts.processes
    for name in ("a", "b"):
        namespace.apply(config_map(name, **REVISION))
    with InvariantWatcher(namespace) as watcher:
        namespace.apply(canary("web", config="a"))
        rollout_in_phase(namespace, "web", "Healthy")
        namespace.apply(canary("web", config="b"))
        rollout_in_phase(namespace, "web", "Paused")
        assert watcher.violations() == []
        namespace.delete("ConfigMap", "a")
        (violation,) = watcher.violations()
    assert "referenced by ReplicaSet web-" in violation


def test_deleting_any_referenced_secret_is_a_violation(namespace: Api) -> None:
    namespace.apply(secret("a"))
    with InvariantWatcher(namespace) as watcher:
        namespace.apply(workload("Deployment", "web", secret="a"))  # noqa: S106  # a name
        namespace.ready("Deployment", "web")
        namespace.delete("Secret", "a")
        (violation,) = watcher.violations()
    assert violation.partition(" ")[2].startswith(
        "Secret a was deleted while referenced by Deployment web, ReplicaSet web-"
    )


def test_starting_a_pod_without_its_configuration_is_a_violation(namespace: Api) -> None:
    with InvariantWatcher(namespace) as watcher:
        namespace.apply(pod("web", config="missing", secret="missing"))  # noqa: S106  # a name
        namespace.ready("Pod", "web")
        # Too late, although a later check of the namespace would find it.
        namespace.apply(config_map("missing"))
        (violation,) = watcher.violations()
    assert (
        violation.partition(" ")[2]
        == "Pod web was started without ConfigMap missing, Secret missing"
    )


def test_a_pod_may_wait_for_what_comes_for_the_first_time(
    invariants: InvariantWatcher, namespace: Api
) -> None:
    with MountingKubelet(namespace) as kubelet:
        namespace.apply(pod("web", secret="made", labels=WAITING))  # noqa: S106  # a name
        until("it waits", kubelet.waited, lambda waited: waited == {("Secret", "made")})
        assert namespace.get("Pod", "web")["status"]["phase"] == "Pending"
        namespace.apply({**secret("made"), "stringData": {"token": "a"}})
        namespace.ready("Pod", "web")
        assert kubelet.values("Secret", "token") == ["a"]
    assert invariants.violations() == []


def test_a_pod_that_waits_for_what_its_predecessor_had_is_a_violation(namespace: Api) -> None:
    namespace.apply(secret("made"))
    with InvariantWatcher(namespace) as watcher, MountingKubelet(namespace) as kubelet:
        watcher.forgive(("Secret", "made"))
        namespace.apply(workload("ReplicaSet", "web", secret="made", labels=WAITING))  # noqa: S106  # a name
        namespace.ready("ReplicaSet", "web")
        namespace.delete("Secret", "made")
        (first,) = namespace.names("Pod")
        namespace.delete("Pod", first)
        until("the next one waits", kubelet.waited)
        (violation,) = watcher.violations()
    assert violation.partition(" ")[2].startswith("Pod web-")
    assert violation.endswith(" waits for deleted Secret made")


def test_a_pod_may_wait_for_what_was_deleted_before_its_controller_came(
    invariants: InvariantWatcher, namespace: Api
) -> None:
    namespace.apply(secret("made"))
    namespace.delete("Secret", "made")
    with MountingKubelet(namespace) as kubelet:
        namespace.apply(workload("ReplicaSet", "web", secret="made", labels=WAITING))  # noqa: S106  # a name
        until("it waits", kubelet.waited)
        namespace.apply(secret("made"))
        namespace.ready("ReplicaSet", "web")
    assert invariants.violations() == []


def test_a_waiting_pod_that_starts_without_its_secret_is_a_violation(namespace: Api) -> None:
    with InvariantWatcher(namespace) as watcher:
        namespace.apply(pod("web", secret="missing", labels=WAITING))  # noqa: S106  # a name
        namespace.wait("Pod", "web", "is bound", lambda found: found["spec"].get("nodeName"))
        assert watcher.violations() == []
        namespace.patch("Pod", "web", {"status": {"phase": "Running"}}, subresource="status")
        (violation,) = watcher.violations()
    assert violation.partition(" ")[2] == "Pod web was started without Secret missing"


def test_a_pod_may_start_without_optional_references(
    invariants: InvariantWatcher, namespace: Api
) -> None:
    body = pod("web")
    body["spec"]["volumes"] = [
        {"name": "config", "configMap": {"name": "missing", "optional": True}}
    ]
    namespace.apply(body)
    namespace.ready("Pod", "web")
    assert invariants.violations() == []


def test_an_unreferenced_revision_may_be_deleted(
    invariants: InvariantWatcher, namespace: Api
) -> None:
    namespace.apply(config_map("a", **REVISION))
    namespace.apply(job("done", config="a"))
    namespace.ready("Job", "done")
    namespace.delete("ConfigMap", "a")
    namespace.gone("ConfigMap", "a")
    assert invariants.violations() == []


@pytest.mark.parametrize("propagation", ["Background", "Foreground"])
def test_a_revision_may_be_deleted_with_its_workload(
    propagation: str, invariants: InvariantWatcher, namespace: Api
) -> None:
    namespace.apply(config_map("a", **REVISION))
    deployment = namespace.apply(workload("Deployment", "web", config="a"))
    namespace.ready("Deployment", "web")
    # The Deployment is the only owner: its ConfigMap may be collected before its ReplicaSet.
    namespace.patch("ConfigMap", "a", {"metadata": {"ownerReferences": [reference(deployment)]}})
    namespace.delete("Deployment", "web", propagation=propagation)
    namespace.gone("ConfigMap", "a")
    assert invariants.violations() == []


def test_a_namespace_may_be_deleted_in_any_order(namespace: Api, cluster: ControlPlane) -> None:
    other = cluster.api.within(f"{namespace.namespace}-other")
    cluster.api.create({"kind": "Namespace", "metadata": {"name": other.namespace}})
    other.wait("ServiceAccount", "default", "is there", bool)
    other.apply(config_map("a", **REVISION))
    other.apply(workload("Deployment", "web", config="a"))
    other.ready("Deployment", "web")
    with InvariantWatcher(other) as watcher:
        other.delete("Namespace", other.namespace)
        other.gone("ConfigMap", "a")
        assert watcher.violations() == []


def test_violations_are_found_after_a_restart_of_the_api_server(
    namespace: Api, cluster: ControlPlane
) -> None:
    namespace.apply(config_map("a", **REVISION))
    namespace.apply(workload("Deployment", "web", config="a"))
    namespace.ready("Deployment", "web")
    with InvariantWatcher(namespace) as watcher:
        cluster.restart("apiserver")
        assert watcher.violations() == []
        namespace.delete("ConfigMap", "a")
        (violation,) = watcher.violations()
    assert "ConfigMap a was deleted while referenced by Deployment web" in violation
