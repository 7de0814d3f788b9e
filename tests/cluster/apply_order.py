"""The order in which deployers apply what they apply, as far as the bench knows the kinds."""

from typing import Any

Object = dict[str, Any]

SYNC_WAVE = "argocd.argoproj.io/sync-wave"
# By kind, then name; a kind that is not here, as every custom resource, comes last.
ARGO_ORDER = (
    *("Namespace", "NetworkPolicy", "PodDisruptionBudget", "ServiceAccount", "Secret", "ConfigMap"),
    *("PersistentVolumeClaim", "CustomResourceDefinition", "ClusterRole", "ClusterRoleBinding", "Role", "RoleBinding"),
    *("Service", "DaemonSet", "Pod", "ReplicationController", "ReplicaSet", "Deployment", "HorizontalPodAutoscaler"),
    *("StatefulSet", "Job", "CronJob", "Ingress"),
)
# A kind that is not here comes last, by its group: a Rollout before a Job.
FLUX_ORDER = (
    *("CustomResourceDefinition", "Namespace", "ServiceAccount", "Role", "ClusterRole", "RoleBinding"),
    *("ClusterRoleBinding", "ConfigMap", "Secret", "Service", "Deployment", "StatefulSet", "CronJob"),
    "PodDisruptionBudget",
)


def argo_rank(item: Object) -> tuple[int, int, str]:
    return wave(item), _place(ARGO_ORDER, item), item["metadata"]["name"]


def flux_rank(item: Object) -> tuple[int, str, str, str, str]:
    group = item["apiVersion"].rpartition("/")[0]
    metadata = item["metadata"]
    return _place(FLUX_ORDER, item), group, item["kind"], metadata.get("namespace", ""), metadata["name"]


def wave(item: Object) -> int:
    return int((item["metadata"].get("annotations") or {}).get(SYNC_WAVE, "0"))


def _place(order: tuple[str, ...], item: Object) -> int:
    return order.index(item["kind"]) if item["kind"] in order else len(order)
