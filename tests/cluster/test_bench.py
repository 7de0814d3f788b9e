"""What tests of the linker may rely on: the bench does what clusters and deployers do."""

from tests.cluster.api import Api, reference
from tests.cluster.control_plane import ControlPlane
from tests.cluster.manifests import canary, config_map, workload
from tests.cluster.readiness import is_ready
from tests.cluster.rollouts_controller import abort, promote, retry, rollout_in_phase
from tests.cluster.wait import until


def test_the_cluster_is_ready_in_seconds(cluster: ControlPlane) -> None:
    for what, seconds in cluster.seconds.items():
        print(f"{what} after {seconds:.1f} s")
    memory = {name: process.memory() for name, process in cluster.processes.items()}
    print(f"resident, in MiB: {memory}, together {sum(memory.values())}")
    assert cluster.seconds["cluster ready"] < 60  # a busy machine is no failure; minutes would be


def test_a_namespace(namespace: Api) -> None:
    assert namespace.names("ConfigMap") == {"kube-root-ca.crt"}


def test_a_deployment_becomes_ready(namespace: Api) -> None:
    namespace.apply(config_map("web-config"))
    namespace.apply(workload("Deployment", "web", replicas=2, config="web-config"))
    namespace.ready("Deployment", "web")
    pods = namespace.list("Pod")
    assert {pod["spec"]["nodeName"] for pod in pods} == {"fake"}
    assert len(pods) == 2


def test_the_garbage_collector_takes_a_config_map_with_its_replica_set(namespace: Api) -> None:
    namespace.apply(workload("Deployment", "web"))
    namespace.ready("Deployment", "web")
    (replica_set,) = namespace.list("ReplicaSet")
    namespace.create(config_map("of-the-replica-set", ownerReferences=[reference(replica_set)]))
    namespace.create(config_map("of-nobody"))
    namespace.delete("Deployment", "web")
    namespace.gone("ConfigMap", "of-the-replica-set")
    namespace.stays("ConfigMap", "of-nobody", seconds=1)


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
    pods = [pod for pod in namespace.list("Pod") if is_ready(pod)]
    return sorted(pod["spec"]["volumes"][0]["configMap"]["name"] for pod in pods)
