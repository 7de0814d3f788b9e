"""The order in which deployers apply objects, for the kinds that the tests use."""

from typing import Any

Object = dict[str, Any]

SYNC_WAVE = "argocd.argoproj.io/sync-wave"
# By kind, then name. Other kinds, such as custom resources, come last.
ARGO_ORDER = (
    *("Namespace", "NetworkPolicy", "PodDisruptionBudget", "ServiceAccount", "Secret", "ConfigMap"),
    *(
        "PersistentVolumeClaim",
        "CustomResourceDefinition",
        "ClusterRole",
        "ClusterRoleBinding",
        "Role",
        "RoleBinding",
    ),
    *(
        "Service",
        "DaemonSet",
        "Pod",
        "ReplicationController",
        "ReplicaSet",
        "Deployment",
        "HorizontalPodAutoscaler",
    ),
    *("StatefulSet", "Job", "CronJob", "Ingress"),
)
# Other kinds come last, by group: a Rollout before a Job.
FLUX_ORDER = (
    *(
        "CustomResourceDefinition",
        "Namespace",
        "ServiceAccount",
        "Role",
        "ClusterRole",
        "RoleBinding",
    ),
    *(
        "ClusterRoleBinding",
        "ConfigMap",
        "Secret",
        "Service",
        "Deployment",
        "StatefulSet",
        "CronJob",
    ),
    "PodDisruptionBudget",
)


def argo_rank(item: Object) -> tuple[int, int, str]:
    return wave(item), _place(ARGO_ORDER, item), item["metadata"]["name"]


def flux_rank(item: Object) -> tuple[int, str, str, str, str]:
    group = item["apiVersion"].rpartition("/")[0]
    metadata = item["metadata"]
    return (
        _place(FLUX_ORDER, item),
        group,
        item["kind"],
        metadata.get("namespace", ""),
        metadata["name"],
    )


def wave(item: Object) -> int:
    return int((item["metadata"].get("annotations") or {}).get(SYNC_WAVE, "0"))


def _place(order: tuple[str, ...], item: Object) -> int:
    return order.index(item["kind"]) if item["kind"] in order else len(order)
