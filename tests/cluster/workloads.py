"""Workloads of every kind, each with its own ConfigMap, and the consumers of each revision."""

import pytest
import yaml

from tests.cluster.api import Api, Object
from tests.cluster.manifests import IMAGE, canary, cron_job, workload
from tests.cluster.object_state import POD_SPECS, read_state
from tests.cluster.readiness import is_ready
from tests.cluster.release import DEPLOYERS, IN_SET, SET, LiveSet, config
from tests.cluster.rollouts_controller import rollout_in_phase, until_noticed
from tests.cluster.server import ApiError
from tests.wait import until

WITH_HISTORY = {
    "Deployment": "ReplicaSet",
    "Rollout": "ReplicaSet",
    "StatefulSet": "ControllerRevision",
    "DaemonSet": "ControllerRevision",
}
KINDS = (*WITH_HISTORY, "CronJob")
RENDERED = "revisions.krm-fn.io/rendered"
RESTARTED = "kubectl.kubernetes.io/restartedAt"

on_each_deployer = pytest.mark.parametrize("deployer", DEPLOYERS)


def app(kind: str, content: str, *, image: str = IMAGE, **spec: object) -> list[Object]:
    """Build a workload named after its kind, and its ConfigMap; `spec` is merged into the workload's."""
    name = kind.lower()
    strategy: Object = {"strategy": {"canary": {}}} if kind == "Rollout" else {}
    if kind == "CronJob":
        made = cron_job(name, config=config_of(kind))
    else:
        made = workload(kind, name, config=config_of(kind), spec={**strategy, **spec})
    made = yaml.safe_load(yaml.safe_dump(made))
    template_of(made)["spec"]["containers"][0]["image"] = image
    return [config(content, config_of(kind)), made]


def web(content: str, **spec: object) -> list[Object]:
    """Build the Rollout `web`, which pauses at its canary, and its ConfigMap; `spec` is merged into the Rollout's."""
    rollout = canary("web", replicas=2, config="web-config")
    rollout["spec"] |= {"revisionHistoryLimit": 1, **spec}
    return [config(content), rollout]


def one_of_each(content: str, *kinds: str, image: str = IMAGE, **spec: object) -> list[Object]:
    """Build a workload of each kind, with its ConfigMap."""
    return [made for kind in kinds or KINDS for made in app(kind, content, image=image, **spec)]


def config_of(kind: str) -> str:
    return f"{kind.lower()}-config"


def template_of(made: Object) -> Object:
    spec = made["spec"]
    template: Object = (spec["jobTemplate"]["spec"] if made["kind"] == "CronJob" else spec)[
        "template"
    ]
    return template


def until_settled(api: Api, *kinds: str) -> None:
    """Wait until all pods run the current template of their workload."""
    for kind in kinds or KINDS:
        if kind == "Rollout":
            rollout_in_phase(api, "rollout", "Healthy")
        elif kind != "CronJob":
            api.ready(kind, kind.lower())


def restart(api: Api, kind: str, at: str) -> None:
    """Restart, as `kubectl rollout restart` does; `at` is any new text."""
    annotations = {"metadata": {"annotations": {RESTARTED: at}}}
    api.patch(kind, kind.lower(), {"spec": {"template": annotations}}, manager="kubectl-rollout")


def put_template(api: Api, kind: str, template: Object) -> None:
    """Replace the template, as `kubectl rollout undo` does with one from the history."""
    operation = {"op": "replace", "path": "/spec/template", "value": template}
    api.patch(
        kind,
        kind.lower(),
        [operation],
        patch_type="application/json-patch+json",
        manager="kubectl-rollout",
    )


def consumers_by_revision(shop: LiveSet, *, with_all_pods: bool = False) -> dict[str, set[str]]:
    """Return the consumers of each revision, in the form of the owners in `LiveSet.revisions`.

    A pod with a controller is no owner: its controller is.
    """
    consumers: dict[str, set[str]] = {name: set() for name in shop.revisions()}
    # Pods last: a controller that is gone makes none.
    for kind in sorted(POD_SPECS, key="Pod".__eq__):
        for item in shop.api.list_if_served(kind):
            state = read_state(item)
            for _, name in state.references:
                is_consumer = with_all_pods or not (kind == "Pod" and state.controller)
                if name in consumers and is_consumer:
                    consumers[name].add(f"{kind}/{state.name}")
    for inventory in shop.api.list(
        "ConfigMap", labels=f"{IN_SET},revisions.krm-fn.io/component=linker"
    ):
        for name in consumers.keys() & inventory["metadata"]["annotations"][RENDERED].split(","):
            consumers[name].add(f"ConfigMap/{inventory['metadata']['name']}")
    return consumers


def assert_linked(shop: LiveSet) -> None:
    """Check that the owners of each revision are the inventory, all its consumers, and others of the past."""
    owners, consumers = shop.revisions(), consumers_by_revision(shop)
    inventory = {f"ConfigMap/{SET}-linker"}
    assert owners.keys() == consumers.keys()
    assert [name for name, held in owners.items() if not consumers[name] | inventory <= held] == []


def until_all_are_referenced(shop: LiveSet) -> dict[str, set[str]]:
    """Wait until every revision has a consumer. Returns the consumers of each."""
    return until(
        "every revision has a consumer",
        lambda: consumers_by_revision(shop),
        lambda consumers: all(consumers.values()),
    )


def until_unreferenced(shop: LiveSet, *names: str) -> None:
    """Wait until nothing references these revisions, so that the next run deletes them.

    Not even a pod: the garbage collector deletes the pods after their controller.
    """

    def left() -> list[set[str] | None]:
        consumers = consumers_by_revision(shop, with_all_pods=True)
        return [consumers.get(name) for name in names]

    until_noticed(f"nothing references {names}", shop.api, left, lambda found: not any(found))


def delete_pods(api: Api, labels: str) -> None:
    """Delete all these pods, as if their nodes were removed."""
    for name in api.names("Pod", labels=labels):
        try:
            api.delete("Pod", name)
        except ApiError as error:
            # Its controller has deleted it since.
            if error.status != 404:
                raise


def mounted_configs(api: Api, kind: str) -> list[str]:
    """Return the ConfigMaps that the Ready pods of the workload mount."""
    pods = api.list("Pod", labels=f"app={kind.lower()}")
    return sorted(pod["spec"]["volumes"][0]["configMap"]["name"] for pod in pods if is_ready(pod))
