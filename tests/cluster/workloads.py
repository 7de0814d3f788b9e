"""Workloads of every kind, each with a ConfigMap of its own, and who names which revision in the end."""

import pytest
import yaml

from tests.cluster.api import Api, Object
from tests.cluster.manifests import IMAGE, cron_job, workload
from tests.cluster.readiness import is_ready
from tests.cluster.release import DEPLOYERS, OURS, Release, config
from tests.cluster.rollouts_controller import rollout_in_phase
from tests.cluster.server import ApiError
from tests.cluster.sight import POD_SPECS, see
from tests.cluster.wait import until

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
    """A workload called like its kind, and its ConfigMap; `spec` is merged into that of the workload."""
    name = kind.lower()
    strategy: Object = {"strategy": {"canary": {}}} if kind == "Rollout" else {}
    if kind == "CronJob":
        made = cron_job(name, config=config_of(kind))
    else:
        made = workload(kind, name, config=config_of(kind), spec={**strategy, **spec})
    made = yaml.safe_load(yaml.safe_dump(made))
    template_of(made)["spec"]["containers"][0]["image"] = image
    return [config(content, config_of(kind)), made]


def each(content: str, *kinds: str, image: str = IMAGE, **spec: object) -> list[Object]:
    """One of each kind."""
    return [made for kind in kinds or KINDS for made in app(kind, content, image=image, **spec)]


def config_of(kind: str) -> str:
    return f"{kind.lower()}-config"


def template_of(made: Object) -> Object:
    spec = made["spec"]
    template: Object = (spec["jobTemplate"]["spec"] if made["kind"] == "CronJob" else spec)["template"]
    return template


def settled(api: Api, *kinds: str) -> None:
    """All pods run what their workload says now."""
    for kind in kinds or KINDS:
        if kind == "Rollout":
            rollout_in_phase(api, "rollout", "Healthy")
        elif kind != "CronJob":
            api.ready(kind, kind.lower())


def restart(api: Api, kind: str, at: str) -> None:
    """As `kubectl rollout restart` does; `at` is any text that differs from the last."""
    annotations = {"metadata": {"annotations": {RESTARTED: at}}}
    api.patch(kind, kind.lower(), {"spec": {"template": annotations}}, manager="kubectl-rollout")


def put_template(api: Api, kind: str, template: Object) -> None:
    """As `kubectl rollout undo` does with a template from the history."""
    operation = {"op": "replace", "path": "/spec/template", "value": template}
    api.patch(kind, kind.lower(), [operation], patch_type="application/json-patch+json", manager="kubectl-rollout")


def naming(shop: Release) -> dict[str, set[str]]:
    """Who names each revision, as `Release.revisions` says who owns it: pod templates, and the roster."""
    users: dict[str, set[str]] = {name: set() for name in shop.revisions()}
    for kind in POD_SPECS:
        for item in _all(shop.api, kind):
            sight = see(item)
            for _, name in sight.names:
                if name in users and not (kind == "Pod" and sight.controller):
                    users[name].add(f"{kind}/{sight.name}")
    for roster in shop.api.list("ConfigMap", labels=f"{OURS},revisions.krm-fn.io/component=linker"):
        for name in users.keys() & roster["metadata"]["annotations"][RENDERED].split(","):
            users[name].add(f"ConfigMap/{roster['metadata']['name']}")
    return users


def only_the_named_are_left(shop: Release) -> dict[str, set[str]]:
    """The revisions, once each is named by somebody."""
    return until("every revision is named by somebody", lambda: naming(shop), lambda users: all(users.values()))


def configs(api: Api, kind: str) -> list[str]:
    """What the Ready pods of the workload mount."""
    pods = api.list("Pod", labels=f"app={kind.lower()}")
    return sorted(pod["spec"]["volumes"][0]["configMap"]["name"] for pod in pods if is_ready(pod))


def _all(api: Api, kind: str) -> list[Object]:
    try:
        return api.list(kind)
    except ApiError as error:
        # Rollouts, where nobody has asked for them.
        if error.status != 404:
            raise
        return []
