"""Kinds of objects that name revisions in a namespace: what the linker reads, and what its Role lets it read."""

import re
from typing import NamedTuple


class ConsumerKind(NamedTuple):
    """A kind and its name in URLs and in rules.

    `current`: its objects say what is wanted now, so they hold what their template names today. The others are what
    was made from a template, and hold what it named then.
    """

    api_version: str
    kind: str
    plural: str
    current: bool = True

    @property
    def group(self) -> str:
        return self.api_version.rpartition("/")[0]

    def __str__(self) -> str:
        """As in the linker's arguments: `example.com/v1/Widget/widgets`."""
        return f"{self.api_version}/{self.kind}/{self.plural}"


CONSUMER_KINDS = (
    ConsumerKind("v1", "Pod", "pods", current=False),
    ConsumerKind("v1", "ReplicationController", "replicationcontrollers"),
    ConsumerKind("apps/v1", "Deployment", "deployments"),
    ConsumerKind("apps/v1", "StatefulSet", "statefulsets"),
    ConsumerKind("apps/v1", "DaemonSet", "daemonsets"),
    ConsumerKind("apps/v1", "ReplicaSet", "replicasets", current=False),
    ConsumerKind("apps/v1", "ControllerRevision", "controllerrevisions", current=False),
    ConsumerKind("batch/v1", "CronJob", "cronjobs"),
    ConsumerKind("batch/v1", "Job", "jobs", current=False),
    ConsumerKind("argoproj.io/v1alpha1", "Rollout", "rollouts"),
    ConsumerKind("argoproj.io/v1alpha1", "AnalysisTemplate", "analysistemplates"),
    ConsumerKind("argoproj.io/v1alpha1", "AnalysisRun", "analysisruns", current=False),
    ConsumerKind("argoproj.io/v1alpha1", "Experiment", "experiments", current=False),
)
"""What the linker always looks at. A kind whose definition is not installed has no objects."""

POD_CONTROLLERS = frozenset(
    {
        ("v1", "ReplicationController"),
        ("apps/v1", "ReplicaSet"),
        ("apps/v1", "StatefulSet"),
        ("apps/v1", "DaemonSet"),
        ("batch/v1", "Job"),
    }
)
"""Controllers that live as long as their pods and name what these name; pods of any other speak for themselves."""

_IRREGULAR = {"Redis": "redis"}


def plural_of(kind: str) -> str:
    """The plural by the rules of English, by which generators of definitions name them."""
    name = kind.lower()
    if kind in _IRREGULAR:
        return _IRREGULAR[kind]
    if name.endswith(("s", "x", "z", "ch", "sh")):
        return f"{name}es"
    return f"{name[:-1]}ies" if re.search("[^aeiou]y$", name) else f"{name}s"


CLUSTER_SCOPED = frozenset(
    {
        "APIService",
        "Bundle",
        "CSIDriver",
        "ClusterAnalysisTemplate",
        "ClusterExternalSecret",
        "ClusterIssuer",
        "ClusterPolicy",
        "ClusterRole",
        "ClusterRoleBinding",
        "ClusterSecretStore",
        "ClusterTriggerAuthentication",
        "ClusterWorkflowTemplate",
        "Composition",
        "CompositionRevision",
        "Configuration",
        "DeploymentRuntimeConfig",
        "Function",
        "GatewayClass",
        "ImageConfig",
        "IngressClass",
        "MutatingWebhookConfiguration",
        "Namespace",
        "Node",
        "OAuth",
        "PersistentVolume",
        "Provider",
        "ProviderConfig",
        "StorageClass",
        "ValidatingWebhookConfiguration",
        "VolumeSnapshotClass",
    }
)


HOOKS = ("helm.sh/hook", "argocd.argoproj.io/hook")
"""Annotations of what lives and dies with a step of a deployment."""

IMMUTABLE = (("batch", "Job"), ("", "Pod"))
"""Groups and kinds whose pods are what they are from the beginning, and done some day."""
