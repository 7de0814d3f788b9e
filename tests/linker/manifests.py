"""Build objects for tests, as the API server returns them."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from krm_fn.base import keys
from tests.linker.object_store import Object

_API_VERSIONS = {
    **dict.fromkeys(("ConfigMap", "Secret", "Pod", "ReplicationController"), "v1"),
    **dict.fromkeys(
        ("Deployment", "StatefulSet", "DaemonSet", "ReplicaSet", "ControllerRevision"), "apps/v1"
    ),
    **dict.fromkeys(("Job", "CronJob"), "batch/v1"),
    "ExternalSecret": "external-secrets.io/v1",
    **dict.fromkeys(
        (
            *("Rollout", "Experiment", "AnalysisRun", "AnalysisTemplate"),
            *("CronWorkflow", "Workflow"),
        ),
        "argoproj.io/v1alpha1",
    ),
}

A, B, C = "web-config-bbbbbbbbbb", "web-config-cccccccccc", "web-config-dddddddddd"
"""Three revisions of one ConfigMap."""


def thing(kind: str, name: str, **fields: Any) -> Object:
    """Build an object of a kind.

    Arguments other than `spec` and `data` are fields of its metadata.
    """
    content: Object = {key: fields.pop(key) for key in ("spec", "data") if key in fields}
    return {
        "apiVersion": _API_VERSIONS[kind],
        "kind": kind,
        "metadata": {"name": name, **fields},
        **content,
    }


def revision(
    name: str,
    *owners: Object,
    kind: str = "ConfigMap",
    retain: bool = False,
    tracker: bool = False,
    annotations: Mapping[str, str] = MappingProxyType({}),
) -> Object:
    """Build a revision of the set `web` as the function emits it, with these owners and more annotations."""
    retained = {keys.RETAIN: "true"} if retain else {}
    return thing(
        kind,
        name,
        labels={keys.SET: "web", **({keys.COMPONENT: keys.TRACKER} if tracker else {})},
        annotations={
            keys.BASE_NAME: name.rpartition("-")[0],
            keys.WANTED: "true",
            **retained,
            **annotations,
        },
        **({"ownerReferences": [reference(owner) for owner in owners]} if owners else {}),
    )


def reference(owner: Object, *, controller: bool = False) -> dict[str, Any]:
    entry = {"apiVersion": owner["apiVersion"], "kind": owner["kind"]}
    entry |= {"name": owner["metadata"]["name"], "uid": owner["metadata"]["uid"]}
    return {**entry, **({"controller": True} if controller else {})}


def pods(
    *config_maps: str, secrets: Sequence[str] = (), image: str = "web:1", restarted: str = ""
) -> Object:
    """Build a pod template that references these."""
    env = [
        *({"configMapRef": {"name": name}} for name in config_maps),
        *({"secretRef": {"name": name}} for name in secrets),
    ]
    annotations = (
        {"metadata": {"annotations": {"kubectl.kubernetes.io/restartedAt": restarted}}}
        if restarted
        else {}
    )
    return {
        **annotations,
        "spec": {"containers": [{"name": "web", "image": image, "envFrom": env}]},
    }


def workload(kind: str, name: str, template: Object, **spec: Any) -> Object:
    return thing(kind, name, spec={**spec, "template": template})


def made_by(controller: Object, kind: str, name: str, template: Object, **fields: Any) -> Object:
    """Build an object that a controller creates from a template."""
    content = {"data": {"spec": {"template": template}}} if kind == "ControllerRevision" else {}
    content = content or {"spec": {"template": template}}
    return thing(
        kind, name, ownerReferences=[reference(controller, controller=True)], **content, **fields
    )


def pod_of(controller: Object, name: str) -> Object:
    """Build a pod as a controller starts it now.

    It keeps what the template says when the template is edited.
    """
    owners = [reference(controller, controller=True)]
    return thing("Pod", name, ownerReferences=owners, spec=controller["spec"]["template"]["spec"])


def inventory(
    *names: str,
    is_shared: bool = False,
    is_leaving: bool = False,
    former_sets: Sequence[str] = (),
) -> Object:
    """Build the ConfigMap that lists what is rendered.

    `is_shared`: it leaves the set to the one linker of its namespace. `is_leaving`: no later
    release has krm-fn. `former_sets`: those that the set has taken over.
    """
    labels = {keys.SET: "web", keys.COMPONENT: keys.LINKER}
    annotations = {keys.RENDERED: ",".join(names)}
    if is_shared:
        annotations[keys.LINKER_RUN] = keys.SHARED_LINKER
    if is_leaving:
        annotations[keys.LEAVING] = "true"
    if former_sets:
        annotations[keys.FORMER_SETS] = ",".join(former_sets)
    return thing("ConfigMap", "web-linker", labels=labels, annotations=annotations)


def of_set(set_name: str, item: Object, **fields: Any) -> Object:
    """Put an object of set `web` into another set. Other arguments are fields of its metadata."""
    metadata = item["metadata"]
    labels = {**metadata["labels"], keys.SET: set_name}
    return {**item, "metadata": {**metadata, **fields, "labels": labels}}


def linker_cron_job(name: str, arguments: Sequence[str]) -> Object:
    """Build the CronJob that runs `krm-fn link` with these arguments."""
    job = linker_job(name, arguments)
    return thing(
        "CronJob",
        name,
        labels=job["metadata"]["labels"],
        spec={"jobTemplate": {"spec": job["spec"]}},
    )


def linker_job(name: str, arguments: Sequence[str], **fields: Any) -> Object:
    """Build the Job that runs `krm-fn link` with these arguments."""
    containers = [{"name": "link", "image": "krm-fn:1", "args": ["link", *arguments]}]
    labels = {keys.COMPONENT: keys.LINKER}
    return thing(
        "Job",
        name,
        labels=labels,
        spec={"template": {"spec": {"containers": containers}}},
        **fields,
    )
