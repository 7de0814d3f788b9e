"""Run the controller of Argo Rollouts with its own ClusterRole; promote, abort and retry Rollouts."""

import time
from pathlib import Path

from tests.cluster.api import Api, Object
from tests.cluster.control_plane import ControlPlane
from tests.cluster.custom_kinds import install_kinds, read_manifest
from tests.cluster.process import Process
from tests.cluster.programs import free_ports
from tests.cluster.readiness import in_phase, is_ready
from tests.cluster.tokens import token_of
from tests.cluster.wait import WITHIN, until
from tests.tools.build import module_folder

MODULE = "github.com/argoproj/argo-rollouts"
NAME = "rollouts-controller"
NAMESPACE = "argo-rollouts"
PROMOTE = {"status": {"pauseConditions": None}}
ABORT = {"status": {"abort": True}}
# Seconds without a change after which the controller has most likely missed a write.
MISSED_AFTER = 0.5


def start_rollouts_controller(cluster: ControlPlane, program: Path) -> None:
    """Install the kinds and start the controller, which needs another second or two."""
    manifests = module_folder(MODULE) / "manifests"
    install_kinds(cluster, (manifests / "crds").glob("*-crd.yaml"))
    api = cluster.api.within(NAMESPACE)
    role = read_manifest(manifests / "role" / "argo-rollouts-clusterrole.yaml")
    api.apply({"kind": "Namespace", "metadata": {"name": NAMESPACE}})
    api.apply({"kind": "ServiceAccount", "metadata": {"name": NAME}})
    api.apply(role)
    api.apply(
        {
            "kind": "ClusterRoleBinding",
            "metadata": {"name": NAME},
            "roleRef": {
                "apiGroup": "rbac.authorization.k8s.io",
                "kind": "ClusterRole",
                "name": role["metadata"]["name"],
            },
            "subjects": [{"kind": "ServiceAccount", "name": NAME, "namespace": NAMESPACE}],
        }
    )
    kubeconfig = cluster.kubeconfig(cluster.folder / f"{NAME}.kubeconfig", token=token_of(api, NAME))
    health, metrics = free_ports(2)
    command: list[str | Path] = [
        program,
        f"--kubeconfig={kubeconfig}",
        "--leader-elect=false",
        f"--healthzPort={health}",
        f"--metricsport={metrics}",  # the only spelling of 1.8, and the former one of later versions
        f"--namespace={NAMESPACE}",
        "--qps=300",
        "--burst=600",
    ]
    cluster.add(Process(NAME, command, cluster.folder))


def promote(api: Api, rollout: str) -> None:
    """End the pause of the Rollout, as `kubectl argo rollouts promote` does."""
    api.patch("Rollout", rollout, PROMOTE, subresource="status")


def abort(api: Api, rollout: str) -> None:
    """Return to the stable revision without changing the spec, as `kubectl argo rollouts abort` does."""
    api.patch("Rollout", rollout, ABORT, subresource="status")


def retry(api: Api, rollout: str) -> None:
    """Start the aborted revision again."""
    api.patch("Rollout", rollout, {"status": {"abort": False}}, subresource="status")


def rollout_in_phase(api: Api, rollout: str, phase: str, *, within: float = WITHIN) -> Object:
    """Wait until the Rollout is Healthy, Paused or Degraded with its current spec.

    The controller may miss a write that comes within a tenth of a second of its own, until the next one. In a real
    cluster another write follows soon. Here an annotation is changed.
    """
    since, last = time.monotonic(), ""

    def look() -> Object:
        nonlocal since, last
        found = api.get("Rollout", rollout)
        if found["metadata"]["resourceVersion"] != last:
            since, last = time.monotonic(), found["metadata"]["resourceVersion"]
        elif time.monotonic() - since > MISSED_AFTER and not in_phase(found, phase):
            touch = {"metadata": {"annotations": {"test/touched": str(time.monotonic())}}}
            api.patch("Rollout", rollout, touch, manager="touch")
        return found

    what = f"Rollout {api.namespace}/{rollout} is {phase}"
    return until(
        what, look, lambda found: in_phase(found, phase) and (phase != "Healthy" or is_ready(found)), within=within
    )
