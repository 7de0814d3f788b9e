"""Run the controller of Argo Rollouts with its own ClusterRole; promote, abort and retry Rollouts."""

import time
from collections.abc import Callable
from pathlib import Path

from tests.cluster.api import Api, Object
from tests.cluster.control_plane import ControlPlane
from tests.cluster.custom_kinds import install_kinds, read_manifest
from tests.cluster.process import Process
from tests.cluster.readiness import in_phase, is_ready
from tests.cluster.tokens import token_of
from tests.cluster.wait import WITHIN, State, WaitTimeout, show, until
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
    kubeconfig = cluster.kubeconfig(
        cluster.folder / f"{NAME}.kubeconfig", token=token_of(api, NAME)
    )
    health, metrics = cluster.hold_ports(2)
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
    """Wait until the Rollout is Healthy, Paused or Degraded with its current spec."""
    return until_noticed(
        f"Rollout {api.namespace}/{rollout} is {phase}",
        api,
        lambda: api.get("Rollout", rollout),
        lambda found: in_phase(found, phase) and (phase != "Healthy" or is_ready(found)),
        within=within,
    )


def until_noticed(
    what: str,
    api: Api,
    look: Callable[[], State],
    holds: Callable[[State], object],
    *,
    within: float = WITHIN,
) -> State:
    """Wait for what the controller does with the namespace's Rollouts.

    If nothing changes them, change an annotation.

    The controller may miss a write that comes within a tenth of a second of its own, until the next
    one. In a real cluster another write follows soon. A failure shows the Rollouts and their
    ReplicaSets.
    """
    since = time.monotonic()
    last: dict[str, str] = {}

    def is_reached(state: State) -> bool:
        nonlocal since, last
        if holds(state):
            return True
        versions = {
            found["metadata"]["name"]: found["metadata"]["resourceVersion"]
            for found in api.list_if_served("Rollout")
        }
        if versions != last:
            since, last = time.monotonic(), versions
        elif time.monotonic() - since > MISSED_AFTER:
            touch = {"metadata": {"annotations": {"test/touched": str(time.monotonic())}}}
            for name in versions:
                api.patch("Rollout", name, touch, manager="touch")
        return False

    try:
        return until(what, look, is_reached, within=within)
    except WaitTimeout as error:
        for kind in ("Rollout", "ReplicaSet"):
            error.add_note(show(list(api.list_if_served(kind))))
        raise
