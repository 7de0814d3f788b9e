"""Fill a large namespace: 500 Deployments with many ReplicaSets, 10 pods and 3 generations of configuration each."""

import http.client
import json
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from urllib.parse import urlsplit

from tests.cluster.api import Api, reference
from tests.cluster.kinds import KINDS, complete
from tests.cluster.server import context

DEPLOYMENTS, GENERATIONS, PODS = 500, 3, 10
SET = "shop"
_HASHES = "bcdfghkmt2"[:GENERATIONS]
_THREADS = 4

Object = dict[str, Any]


def fill(api: Api, replica_sets: int) -> None:
    """Create all objects, with so many ReplicaSets a Deployment.

    The last generation, which the Deployments reference, has no owners yet.
    """
    deployments = _create(api, (deployment_of(number) for number in range(DEPLOYMENTS)))
    owned = (
        replica_set_of(made, number, number * GENERATIONS // replica_sets)
        for made in deployments
        for number in range(replica_sets)
    )
    by_revision: dict[str, list[Object]] = {}
    for made in _create(api, owned):
        by_revision.setdefault(
            made["spec"]["template"]["spec"]["volumes"][0]["configMap"]["name"], []
        ).append(made)
    _create(api, [{"kind": "ServiceAccount", "metadata": {"name": "app"}}])
    last = f"-{replica_sets - 1}"
    newest = [
        made
        for owners in by_revision.values()
        for made in owners
        if made["metadata"]["name"].endswith(last)
    ]
    _create(api, (pod_of(made, number) for made in newest for number in range(PODS)))
    (inventory,) = _create(api, [inventory_of()])
    _create(api, (revision_of(name, [*by_revision[name], inventory]) for name in _revisions()))


def unlink(api: Api) -> None:
    """Remove the owners of the last generation, as after `fill`."""
    path = KINDS["ConfigMap"].path(api.namespace)
    body = {"metadata": {"ownerReferences": None}}
    send(
        api,
        (
            ("PATCH", f"{path}/{revision_name(number, GENERATIONS - 1)}", body)
            for number in range(DEPLOYMENTS)
        ),
    )


def arguments(deployments: int = DEPLOYMENTS) -> list[str]:
    """Return the arguments of a Job for so many Deployments."""
    workloads = (
        f"--workload=apps/v1/Deployment/app-{number}=ConfigMap/{revision_name(number, GENERATIONS - 1)}"
        for number in range(deployments)
    )
    return ["link", f"--set={SET}", *workloads]


def _revisions() -> Iterator[str]:
    return (
        revision_name(number, generation)
        for number in range(DEPLOYMENTS)
        for generation in range(GENERATIONS)
    )


def revision_name(number: int, generation: int) -> str:
    return f"app-{number}-config-{_HASHES[generation] * 10}"


def inventory_of(deployments: int = DEPLOYMENTS) -> Object:
    rendered = ",".join(revision_name(number, GENERATIONS - 1) for number in range(deployments))
    labels = {"revisions.krm-fn.io/set": SET, "revisions.krm-fn.io/component": "linker"}
    annotations = {"revisions.krm-fn.io/rendered": rendered}
    return {
        "kind": "ConfigMap",
        "metadata": {"name": f"{SET}-linker", "labels": labels, "annotations": annotations},
    }


def revision_of(name: str, owners: list[Object]) -> Object:
    is_last = name.endswith(_HASHES[-1])
    base = name.rpartition("-")[0]
    metadata = {
        "name": name,
        "labels": {"revisions.krm-fn.io/set": SET},
        "annotations": {
            "revisions.krm-fn.io/base-name": base,
            "revisions.krm-fn.io/wanted": "true",
        },
        "ownerReferences": [] if is_last else [reference(owner) for owner in owners],
    }
    return {
        "kind": "ConfigMap",
        "metadata": metadata,
        "data": {"config.yaml": "server: {port: 8080}\n" * 50},
    }


def deployment_of(number: int) -> Object:
    """Build a Deployment. No controller runs: its ReplicaSets are created here."""
    name = f"app-{number}"
    spec = {
        "replicas": 0,
        "selector": {"matchLabels": {"app": name}},
        "template": _template(number, GENERATIONS - 1),
    }
    return {"kind": "Deployment", "metadata": {"name": name, "labels": {"app": name}}, "spec": spec}


def replica_set_of(deployment: Object, number: int, generation: int) -> Object:
    name = deployment["metadata"]["name"]
    labels = {"app": name, "pod-template-hash": f"hash-{number}"}
    template = _template(int(name.removeprefix("app-")), generation)
    template["metadata"]["labels"] = labels
    owner = reference(deployment, controller=True, blockOwnerDeletion=True)
    return {
        "kind": "ReplicaSet",
        "metadata": {"name": f"{name}-{number}", "labels": labels, "ownerReferences": [owner]},
        "spec": {"replicas": 0, "selector": {"matchLabels": labels}, "template": template},
    }


def pod_of(replica_set: Object, number: int) -> Object:
    template = replica_set["spec"]["template"]
    name = f"{replica_set['metadata']['name']}-{number}"
    owner = reference(replica_set, controller=True, blockOwnerDeletion=True)
    metadata = {"name": name, "labels": template["metadata"]["labels"], "ownerReferences": [owner]}
    return {
        "kind": "Pod",
        "metadata": metadata,
        "spec": {**template["spec"], "serviceAccountName": "app"},
    }


def _template(number: int, generation: int) -> Object:
    container = {
        "name": "app",
        "image": f"registry.example/app:1.0.{number}",
        "env": [{"name": f"SETTING_{index}", "value": f"value of {index}"} for index in range(10)],
        "ports": [{"containerPort": 8080, "name": "http"}],
        "readinessProbe": {"httpGet": {"path": "/ready", "port": "http"}, "periodSeconds": 5},
        "resources": {"requests": {"cpu": "100m", "memory": "64Mi"}, "limits": {"memory": "256Mi"}},
        "volumeMounts": [{"name": "config", "mountPath": "/etc/app"}],
    }
    volumes = [{"name": "config", "configMap": {"name": revision_name(number, generation)}}]
    labels = {"app": f"app-{number}"}
    return {"metadata": {"labels": labels}, "spec": {"containers": [container], "volumes": volumes}}


def _create(api: Api, objects: Iterable[Object]) -> list[Object]:
    requests = (("POST", KINDS[one["kind"]].path(api.namespace), complete(one)) for one in objects)
    return send(api, requests)


def send(api: Api, requests: Iterable[tuple[str, str, Object]]) -> list[Object]:
    """Send over a few persistent connections: a new one for each request takes twice the time."""
    waiting = list(requests)
    with ThreadPoolExecutor(_THREADS) as pool:
        parts = [waiting[first::_THREADS] for first in range(_THREADS)]
        return [
            answer
            for answers in pool.map(lambda part: _send_in_turn(api, part), parts)
            for answer in answers
        ]


def _send_in_turn(api: Api, requests: list[tuple[str, str, Object]]) -> list[Object]:
    where = urlsplit(api.server.url)
    assert where.hostname is not None
    connection = http.client.HTTPSConnection(
        where.hostname, where.port, context=context(api.server)
    )
    answers = []
    for method, path, body in requests:
        kind = "application/merge-patch+json" if method == "PATCH" else "application/json"
        headers = {"Authorization": f"Bearer {api.token}", "Content-Type": kind}
        connection.request(method, path, json.dumps(body), headers)
        answer = connection.getresponse()
        read = json.loads(answer.read())
        assert answer.status < 300, read["message"]
        answers.append(read)
    connection.close()
    return answers
