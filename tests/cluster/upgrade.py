"""What version 0.1.0 left in a cluster in the middle of a canary: recorded by `record_upgrade`, put back by `leave`."""

import json
from typing import Any

from tests.cases import FIXTURES
from tests.cluster.api import Api, Object, reference
from tests.cluster.linker_job import finish, linker_pod
from tests.cluster.manifests import secret
from tests.cluster.release import IN_SET, SET, Release
from tests.cluster.rollouts_controller import rollout_in_phase
from tests.cluster.workloads import app, web

LIVE = FIXTURES / "upgrades" / "0.1.0" / "live"
NAMESPACE = "namespace-of-the-test"
"""Stands for the namespace in what is recorded."""

SETTINGS: dict[str, Any] = {"kinds": ["ConfigMap", "Secret"], "linker": {"minimumAgeSeconds": 0}}
PHASES = {"old": "Healthy", "new": "Paused"}
"""The releases in their order, and the phase of the Rollout when the linker ran."""

CONTENTS = tuple(PHASES)


def shop_objects(content: str, **rollout: Any) -> list[Object]:
    """Build a Rollout with a ConfigMap and a Secret, and a Deployment with a ConfigMap."""
    config, made = web(content, **rollout)
    made["spec"]["template"]["spec"]["containers"][0]["envFrom"] = [{"secretRef": {"name": "web-password"}}]
    password = {**secret("web-password"), "stringData": {"content": content}}
    return [config, password, made, *app("Deployment", content)]


def owners_in(api: Api) -> dict[str, list[str]]:
    """Return the owners of each revision, tracker and Secret: `{"ConfigMap/web-config-…": ["Rollout/web"]}`."""
    return {
        f"{kind}/{item['metadata']['name']}": sorted(
            f"{owner['kind']}/{owner['name']}" for owner in item["metadata"].get("ownerReferences", [])
        )
        for kind in ("ConfigMap", "Secret")
        for item in api.list(kind, labels=IN_SET)
    }


def leave(shop: Release) -> None:
    """Bring the namespace into the recorded state: two releases, paused at the second, with the owners of then."""
    api = shop.api
    for content, phase in PHASES.items():
        stream = (LIVE / f"{content}.yaml").read_text().replace(NAMESPACE, api.namespace)
        shop.deployer.sync(stream.encode())
        rollout_in_phase(api, "web", phase)
        api.ready("Deployment", "deployment")
        finish(api, linker_pod(api, SET), 0)
    recorded = _owners_here(api)
    for revision, owners in recorded.items():
        kind, name = revision.split("/")
        references = [reference(api.get(*owner.split("/"))) for owner in owners]
        api.patch(kind, name, {"metadata": {"ownerReferences": references}}, manager="krm-fn")
    assert owners_in(api) == recorded


def _owners_here(api: Api) -> dict[str, list[str]]:
    """Return the recorded owners, with the names that the ReplicaSets of the Deployment have here.

    The name contains a hash of the template as Kubernetes has it in memory, which is another one where a version of
    Kubernetes has a field more. The template contains the name of its revision.
    """
    recorded: dict[str, list[str]] = json.loads((LIVE / "owners.json").read_text())
    replica_sets = api.list("ReplicaSet", labels="app=deployment")
    for revision, owners in recorded.items():
        name = revision.split("/")[1]
        here = [item["metadata"]["name"] for item in replica_sets if name in json.dumps(item["spec"]["template"])]
        others = [owner for owner in owners if not owner.startswith("ReplicaSet/deployment-")]
        recorded[revision] = sorted([*others, *(f"ReplicaSet/{one}" for one in here)])
    return recorded
