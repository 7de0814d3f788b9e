"""The control plane behaves like a cluster, and a failed wait says what it waited for."""

import pytest

from tests.cluster.api import Api, Object, reference
from tests.cluster.control_plane import ControlPlane
from tests.cluster.kinds import KINDS, complete
from tests.cluster.manifests import canary, config_map, job, pod, secret, workload
from tests.cluster.readiness import is_ready
from tests.cluster.rollouts_controller import abort, promote, retry, rollout_in_phase
from tests.cluster.server import ApiError
from tests.cluster.tokens import account
from tests.wait import SHORT, WaitTimeout, throughout, until


def test_the_cluster_is_ready_in_seconds(cluster: ControlPlane) -> None:
    for what, seconds in cluster.seconds.items():
        print(f"{what}: {seconds:.1f} s")
    memory = {name: process.memory() for name, process in cluster.processes.items()}
    print(f"resident, in MiB: {memory}, together {sum(memory.values())}")
    # Not until it is ready: others may have the processors.
    assert cluster.seconds["programs on a processor"] < 60


def test_a_test_has_a_namespace_of_its_own(namespace: Api) -> None:
    assert namespace.names("ConfigMap") == {"kube-root-ca.crt"}
    assert namespace.names("ServiceAccount") == {"default"}


def test_a_deployment_becomes_ready(namespace: Api) -> None:
    namespace.apply(config_map("web-config"))
    namespace.apply(workload("Deployment", "web", replicas=2, config="web-config"))
    namespace.ready("Deployment", "web")
    assert [found["spec"]["nodeName"] for found in namespace.list("Pod")] == ["fake", "fake"]


def test_the_garbage_collector_deletes_a_config_map_with_its_replica_set(namespace: Api) -> None:
    namespace.apply(workload("Deployment", "web"))
    namespace.ready("Deployment", "web")
    (replica_set,) = namespace.list("ReplicaSet")
    namespace.create(config_map("of-the-replica-set", ownerReferences=[reference(replica_set)]))
    namespace.create(config_map("without-owner"))
    namespace.delete("Deployment", "web")
    namespace.gone("ConfigMap", "of-the-replica-set")
    namespace.stays("ConfigMap", "without-owner", seconds=1)


def test_the_label_test_pod_sets_the_phase_of_a_pod(namespace: Api) -> None:
    for label in ("unready", "failed", "local"):
        namespace.apply(job(label, labels={"test/pod": label}))
    expected = {"unready": "Succeeded", "failed": "Failed", "local": "Pending"}
    until("each pod has its phase", lambda: phases(namespace), lambda found: found == expected)
    throughout(
        "the phases stay", lambda: phases(namespace), lambda found: found == expected, seconds=0.5
    )


def phases(namespace: Api) -> Object:
    pods = namespace.list("Pod")
    return {found["metadata"]["labels"]["test/pod"]: found["status"]["phase"] for found in pods}


def test_the_garbage_collector_handles_rollouts(rollouts: ControlPlane, namespace: Api) -> None:
    assert rollouts.processes
    rollout = namespace.apply(canary("web"))
    namespace.create(config_map("of-the-rollout", ownerReferences=[reference(rollout)]))
    namespace.stays("ConfigMap", "of-the-rollout", seconds=1)
    namespace.delete("Rollout", "web")
    namespace.gone("ConfigMap", "of-the-rollout")


def test_a_canary_can_be_paused_aborted_and_promoted(
    rollouts: ControlPlane, namespace: Api
) -> None:
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
    until(
        "both pods are old",
        lambda: pods_by_config(namespace),
        lambda mounted_configs: mounted_configs == ["old", "old"],
    )
    retry(namespace, "web")
    rollout_in_phase(namespace, "web", "Paused")
    promote(namespace, "web")
    rollout_in_phase(namespace, "web", "Healthy")
    assert pods_by_config(namespace) == ["new", "new"]


def pods_by_config(namespace: Api) -> list[str]:
    """Return the ConfigMap that each Ready pod mounts."""
    ready = filter(is_ready, namespace.list("Pod"))
    return sorted(found["spec"]["volumes"][0]["configMap"]["name"] for found in ready)


def test_pod_security_is_enforced_in_namespaces_with_the_label(namespace: Api) -> None:
    labels = {"pod-security.kubernetes.io/enforce": "restricted"}
    namespace.patch("Namespace", namespace.namespace, {"metadata": {"labels": labels}})
    # What admits pods has a copy of the namespaces.
    until("a pod is refused", lambda: not is_admitted(namespace, pod("try")))
    with pytest.raises(
        ApiError, match=r'403 Forbidden: .*violates PodSecurity "restricted:latest"'
    ):
        namespace.apply(pod("web"))


def is_admitted(namespace: Api, body: Object) -> bool:
    """Tell whether the API server would create the object."""
    path = KINDS[body["kind"]].path(namespace.namespace)
    try:
        namespace.call("POST", path, complete(body), query={"dryRun": "All"})
    except ApiError as error:
        if error.status != 403:
            raise
        return False
    return True


@pytest.mark.parametrize("verbs", [["get", "patch"], ["get", "patch", "delete"]], ids=" and ".join)
def test_setting_owners_in_the_enforcing_cluster_needs_the_right_to_delete(
    verbs: list[str], enforcing_namespace: Api
) -> None:
    owner = enforcing_namespace.apply(config_map("owner"))
    enforcing_namespace.apply(config_map("owned"))
    somebody = enforcing_namespace.as_token(account(enforcing_namespace, verbs))
    patch = {"metadata": {"ownerReferences": [reference(owner)]}}
    if "delete" in verbs:
        assert somebody.patch("ConfigMap", "owned", patch)["metadata"]["ownerReferences"]
    else:
        with pytest.raises(ApiError, match="cannot set an ownerRef on a resource you can't delete"):
            somebody.patch("ConfigMap", "owned", patch)


def test_a_failed_wait_shows_the_last_state(namespace: Api) -> None:
    with pytest.raises(WaitTimeout) as timeout:
        namespace.wait("ConfigMap", "missing", "has data", bool, within=SHORT)
    assert str(timeout.value) == (
        f"waited {SHORT} s: ConfigMap {namespace.namespace}/missing has data\nlast seen: nothing"
    )
    namespace.apply(workload("Deployment", "web", labels={"test/pod": "unready"}))
    namespace.wait(
        "Deployment",
        "web",
        "counts its pod",
        lambda found: "unavailableReplicas" in found["status"],
    )
    with pytest.raises(
        WaitTimeout,
        match=r'Deployment test-\d+/web is ready\nlast seen: .*"unavailableReplicas": 1',
    ):
        namespace.ready("Deployment", "web", within=SHORT)


def test_a_failed_wait_shows_no_secret_data(namespace: Api) -> None:
    namespace.apply(secret("hidden"))
    with pytest.raises(WaitTimeout) as timeout:
        namespace.wait("Secret", "hidden", "is another", lambda _: False, within=SHORT)
    assert '"data"' not in str(timeout.value)
