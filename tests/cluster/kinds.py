"""The kinds that the tests use, and their paths in the API."""

from typing import Any, NamedTuple


class Kind(NamedTuple):
    api_version: str
    plural: str
    namespaced: bool = True

    def path(self, namespace: str, name: str = "") -> str:
        """Return the path of one object, or of all; an empty namespace means all namespaces."""
        root = "/api/v1" if self.api_version == "v1" else f"/apis/{self.api_version}"
        place = f"/namespaces/{namespace}" if self.namespaced and namespace else ""
        return f"{root}{place}/{self.plural}" + (f"/{name}" if name else "")


RBAC = "rbac.authorization.k8s.io/v1"
ADMISSION = "admissionregistration.k8s.io/v1"
ROLLOUTS = "argoproj.io/v1alpha1"
EXTERNAL_SECRETS = "external-secrets.io/v1"
SEALED_SECRETS = "bitnami.com/v1alpha1"
# Their kinds are only there where a test has installed them.
INSTALLED_BY_TESTS = (ROLLOUTS, EXTERNAL_SECRETS, SEALED_SECRETS)
KINDS = {
    "Namespace": Kind("v1", "namespaces", namespaced=False),
    "Node": Kind("v1", "nodes", namespaced=False),
    "ConfigMap": Kind("v1", "configmaps"),
    "Secret": Kind("v1", "secrets"),
    "ServiceAccount": Kind("v1", "serviceaccounts"),
    "Service": Kind("v1", "services"),
    "Pod": Kind("v1", "pods"),
    "Event": Kind("v1", "events"),
    "PersistentVolumeClaim": Kind("v1", "persistentvolumeclaims"),
    "ReplicationController": Kind("v1", "replicationcontrollers"),
    "Deployment": Kind("apps/v1", "deployments"),
    "ReplicaSet": Kind("apps/v1", "replicasets"),
    "StatefulSet": Kind("apps/v1", "statefulsets"),
    "DaemonSet": Kind("apps/v1", "daemonsets"),
    "ControllerRevision": Kind("apps/v1", "controllerrevisions"),
    "Job": Kind("batch/v1", "jobs"),
    "CronJob": Kind("batch/v1", "cronjobs"),
    "Ingress": Kind("networking.k8s.io/v1", "ingresses"),
    "NetworkPolicy": Kind("networking.k8s.io/v1", "networkpolicies"),
    "PodDisruptionBudget": Kind("policy/v1", "poddisruptionbudgets"),
    "HorizontalPodAutoscaler": Kind("autoscaling/v2", "horizontalpodautoscalers"),
    "Role": Kind(RBAC, "roles"),
    "RoleBinding": Kind(RBAC, "rolebindings"),
    "ClusterRole": Kind(RBAC, "clusterroles", namespaced=False),
    "ClusterRoleBinding": Kind(RBAC, "clusterrolebindings", namespaced=False),
    "CustomResourceDefinition": Kind(
        "apiextensions.k8s.io/v1", "customresourcedefinitions", namespaced=False
    ),
    "ValidatingAdmissionPolicy": Kind(ADMISSION, "validatingadmissionpolicies", namespaced=False),
    "ValidatingAdmissionPolicyBinding": Kind(
        ADMISSION, "validatingadmissionpolicybindings", namespaced=False
    ),
    "Rollout": Kind(ROLLOUTS, "rollouts"),
    "Experiment": Kind(ROLLOUTS, "experiments"),
    "AnalysisRun": Kind(ROLLOUTS, "analysisruns"),
    "AnalysisTemplate": Kind(ROLLOUTS, "analysistemplates"),
    "Application": Kind(ROLLOUTS, "applications"),
    "ApplicationSet": Kind(ROLLOUTS, "applicationsets"),
    "AppProject": Kind(ROLLOUTS, "appprojects"),
    "ExternalSecret": Kind(EXTERNAL_SECRETS, "externalsecrets"),
    "SecretStore": Kind(EXTERNAL_SECRETS, "secretstores"),
    "SealedSecret": Kind(SEALED_SECRETS, "sealedsecrets"),
    "GitRepository": Kind("source.toolkit.fluxcd.io/v1", "gitrepositories"),
    "Kustomization": Kind("kustomize.toolkit.fluxcd.io/v1", "kustomizations"),
    "ResourceQuota": Kind("v1", "resourcequotas"),
}


def complete(body: dict[str, Any]) -> dict[str, Any]:
    """Add the apiVersion, which the tests leave out."""
    return {"apiVersion": KINDS[body["kind"]].api_version, **body}
