"""What tests of the linker may rely on: the bench does what clusters do, and tells what it waited for."""

import pytest

from tests.cluster.api import Api, Object, reference
from tests.cluster.control_plane import ControlPlane
from tests.cluster.manifests import canary, config_map, job, pod, secret, workload
from tests.cluster.readiness import is_ready
from tests.cluster.rollouts_controller import abort, promote, retry, rollout_in_phase
from tests.cluster.server import ApiError
from tests.cluster.tokens import account
from tests.cluster.wait import NeverCame, throughout, until


def test_the_cluster_is_ready_in_seconds(cluster: ControlPlane) -> None:
    for what, seconds in cluster.seconds.items():
        print(f"{what} after {seconds:.1f} s")
    memory = {name: process.memory() for name, process in cluster.processes.items()}
    print(f"resident, in MiB: {memory}, together {sum(memory.values())}")
    assert cluster.seconds["cluster ready"] < 60  # a busy machine is no failure; minutes would be


def test_a_test_has_a_namespace_of_its_own(namespace: Api) -> None:
    assert namespace.names("ConfigMap") == {"kube-root-ca.crt"}
    assert namespace.names("ServiceAccount") == {"default"}


def test_a_deployment_becomes_ready(namespace: Api) -> None:
    namespace.apply(config_map("web-config"))
    namespace.apply(workload("Deployment", "web", replicas=2, config="web-config"))
    namespace.ready("Deployment", "web")
    assert [found["spec"]["nodeName"] for found in namespace.list("Pod")] == ["fake", "fake"]


def test_the_garbage_collector_takes_a_config_map_with_its_replica_set(namespace: Api) -> None:
    namespace.apply(workload("Deployment", "web"))
    namespace.ready("Deployment", "web")
    (replica_set,) = namespace.list("ReplicaSet")
    namespace.create(config_map("of-the-replica-set", ownerReferences=[reference(replica_set)]))
    namespace.create(config_map("of-nobody"))
    namespace.delete("Deployment", "web")
    namespace.gone("ConfigMap", "of-the-replica-set")
    namespace.stays("ConfigMap", "of-nobody", seconds=1)


def test_pods_that_test_pod_labels_lead_another_life(namespace: Api) -> None:
    for life in ("unready", "failed", "local"):
        namespace.apply(job(life, labels={"test/pod": life}))
    lives = {"unready": "Succeeded", "failed": "Failed", "local": "Pending"}
    until("each has come to its end, or to none", lambda: phases(namespace), lambda found: found == lives)
    throughout("the local one waits", lambda: phases(namespace), lambda found: found == lives, seconds=0.5)


def phases(namespace: Api) -> Object:
    pods = namespace.list("Pod")
    return {found["metadata"]["labels"]["test/pod"]: found["status"]["phase"] for found in pods}


def test_the_garbage_collector_knows_rollouts(rollouts: ControlPlane, namespace: Api) -> None:
    assert rollouts.processes
    rollout = namespace.apply(canary("web"))
    namespace.create(config_map("of-the-rollout", ownerReferences=[reference(rollout)]))
    namespace.stays("ConfigMap", "of-the-rollout", seconds=1)
    namespace.delete("Rollout", "web")
    namespace.gone("ConfigMap", "of-the-rollout", within=10)


def test_a_canary_pauses_then_is_aborted_then_promoted(rollouts: ControlPlane, namespace: Api) -> None:
    assert rollouts.processes["rollouts-controller"].runs
    for config in ("old", "new"):
        namespace.apply(config_map(config))
    namespace.apply(canary("web", config="old"))
    rollout_in_phase(namespace, "web", "Healthy")
    namespace.apply(canary("web", config="new"))
    rollout_in_phase(namespace, "web", "Paused")
    assert pods_by_config(namespace) == ["new", "old"]
    abort(namespace, "web")
    rollout_in_phase(namespace, "web", "Degraded")
    until("both pods are old", lambda: pods_by_config(namespace), lambda configs: configs == ["old", "old"])
    retry(namespace, "web")
    rollout_in_phase(namespace, "web", "Paused")
    promote(namespace, "web")
    rollout_in_phase(namespace, "web", "Healthy")
    assert pods_by_config(namespace) == ["new", "new"]


def pods_by_config(namespace: Api) -> list[str]:
    """The ConfigMap that each Ready pod mounts."""
    ready = filter(is_ready, namespace.list("Pod"))
    return sorted(found["spec"]["volumes"][0]["configMap"]["name"] for found in ready)


def test_pod_security_is_enforced_where_the_namespace_says_so(namespace: Api) -> None:
    labels = {"pod-security.kubernetes.io/enforce": "restricted"}
    namespace.patch("Namespace", namespace.namespace, {"metadata": {"labels": labels}})
    with pytest.raises(ApiError, match=r'403 Forbidden: .*violates PodSecurity "restricted:latest"'):
        namespace.apply(pod("web"))


@pytest.mark.parametrize("verbs", [["get", "patch"], ["get", "patch", "delete"]], ids=" and ".join)
def test_the_enforcing_cluster_lets_owners_be_set_by(verbs: list[str], enforcing_namespace: Api) -> None:
    """Whoever may delete what the owner may take with it."""
    owner = enforcing_namespace.apply(config_map("owner"))
    enforcing_namespace.apply(config_map("owned"))
    somebody = enforcing_namespace.as_token(account(enforcing_namespace, verbs))
    patch = {"metadata": {"ownerReferences": [reference(owner)]}}
    if "delete" in verbs:
        assert somebody.patch("ConfigMap", "owned", patch)["metadata"]["ownerReferences"]
    else:
        with pytest.raises(ApiError, match="cannot set an ownerRef on a resource you can't delete"):
            somebody.patch("ConfigMap", "owned", patch)


def test_a_wait_that_fails_says_what_for_and_what_there_was(namespace: Api) -> None:
    with pytest.raises(NeverCame) as never:
        namespace.wait("ConfigMap", "missing", "has data", bool, within=0.1)
    assert str(never.value) == (f"waited 0.1 s: ConfigMap {namespace.namespace}/missing has data\nlast seen: nothing")
    namespace.apply(workload("Deployment", "web", labels={"test/pod": "unready"}))
    with pytest.raises(NeverCame, match=r'Deployment test-\d+/web is ready\nlast seen: .*"unavailableReplicas": 1'):
        namespace.ready("Deployment", "web", within=0.5)


def test_a_wait_that_fails_keeps_a_secret(namespace: Api) -> None:
    namespace.apply(secret("hidden"))
    with pytest.raises(NeverCame) as never:
        namespace.wait("Secret", "hidden", "is another", lambda _: False, within=0.1)
    assert '"data"' not in str(never.value)
