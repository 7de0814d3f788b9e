"""Run the controller of Argo Rollouts with its own ClusterRole; promote, abort and retry Rollouts."""

import time
from collections.abc import Callable
from pathlib import Path

from tests.cluster.api import Api, Object
from tests.cluster.control_plane import ControlPlane
from tests.cluster.custom_kinds import install_kinds, read_manifest
from tests.cluster.manifests import workload
from tests.cluster.object_state import Name, read_state
from tests.cluster.process import Process
from tests.cluster.readiness import in_phase, is_observed
from tests.cluster.repeated import Repeated
from tests.cluster.tokens import token_of
from tests.tools.build import module_folder
from tests.wait import PATIENCE, State, WaitTimeout, show, until

MODULE = "github.com/argoproj/argo-rollouts"
NAME = "rollouts-controller"
NAMESPACE = "argo-rollouts"
PROMOTE = {"status": {"pauseConditions": None}}
ABORT = {"status": {"abort": True}}
# Seconds without a change after which the controller has most likely missed a write.
MISSED_AFTER = 0.5
TOUCHED = "test/touched"


def start_rollouts_controller(cluster: ControlPlane, program: Path) -> None:
    """Install the kinds, start the controller, and wait until it acts.

    A linker waits ten seconds for the ReplicaSet of a Rollout, and the controller may need longer
    to start.
    """
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
    process = Process(NAME, command, cluster.folder)
    cluster.add(process)
    first = workload("Rollout", "first", replicas=0, spec={"strategy": {"canary": {}}})
    api.apply(first)

    def look() -> Object:
        assert process.runs, process.log_tail()
        return api.get("Rollout", "first")

    until(
        "the Rollouts controller acts", look, lambda found: in_phase(found, "Healthy"), within=300
    )
    api.delete("Rollout", "first")


def promote(api: Api, rollout: str) -> None:
    """End the pause of the Rollout, as `kubectl argo rollouts promote` does."""
    api.patch("Rollout", rollout, PROMOTE, subresource="status")


def abort(api: Api, rollout: str) -> None:
    """Return to the stable revision without changing the spec, as `kubectl argo rollouts abort` does."""
    api.patch("Rollout", rollout, ABORT, subresource="status")


def retry(api: Api, rollout: str) -> None:
    """Start the aborted revision again."""
    api.patch("Rollout", rollout, {"status": {"abort": False}}, subresource="status")


def rollout_in_phase(api: Api, rollout: str, phase: str, *, within: float = PATIENCE) -> Object:
    """Wait until the Rollout is Healthy, Paused or Degraded with its current template."""
    return until_noticed(
        f"Rollout {api.namespace}/{rollout} is {phase}",
        api,
        lambda: api.get("Rollout", rollout),
        lambda found: in_phase(found, phase) and _is_of_its_template(api, found),
        within=within,
    )


def _is_of_its_template(api: Api, rollout: Object) -> bool:
    """Tell whether the status is that of the current template, which the generation does not tell.

    If a template changes during a pause, the controller creates the ReplicaSet and writes the new
    generation beside the phase of before, and only then ends that pause.
    """
    if "workloadRef" in rollout["spec"]:
        return True  # its template is that of another object
    name = f"{rollout['metadata']['name']}-{rollout['status'].get('currentPodHash')}"
    replica_set = api.find("ReplicaSet", name)
    return replica_set is not None and _contents(replica_set) == _contents(rollout)


def _contents(found: Object) -> tuple[frozenset[Name], list[str]]:
    """Return the configuration and the images of the pods."""
    containers = found["spec"]["template"]["spec"]["containers"]
    return read_state(found).references, [container["image"] for container in containers]


def until_noticed(
    what: str,
    api: Api,
    look: Callable[[], State],
    holds: Callable[[State], object],
    *,
    within: float = PATIENCE,
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
            for name in versions:
                touch(api, name)
        return False

    try:
        return until(what, look, is_reached, within=within)
    except WaitTimeout as error:
        for kind in ("Rollout", "ReplicaSet"):
            error.add_note(show(list(api.list_if_served(kind))))
        raise


class MissedWrites(Repeated):
    """A context manager that changes an annotation of each Rollout whose spec the controller has not noticed.

    For what waits by itself, and cannot use `until_noticed`: a run of the linker.
    """

    def __init__(self, api: Api) -> None:
        self._api = api
        super().__init__("missed writes", self._touch_unobserved, MISSED_AFTER)

    def _touch_unobserved(self) -> None:
        for found in self._api.list_if_served("Rollout"):
            if not is_observed(found):
                touch(self._api, found["metadata"]["name"])


def touch(api: Api, rollout: str) -> None:
    """Write to the Rollout, so that its controller looks at it again."""
    _put_touch(api, rollout, str(time.monotonic()))


def remove_touches(api: Api) -> None:
    """Remove what `touch` has written, so that only the applier has set anything."""
    for found in api.list("Rollout"):
        if TOUCHED in found["metadata"].get("annotations", {}):
            _put_touch(api, found["metadata"]["name"], None)


def _put_touch(api: Api, rollout: str, value: str | None) -> None:
    body = {"metadata": {"annotations": {TOUCHED: value}}}
    api.patch("Rollout", rollout, body, manager="touch")
