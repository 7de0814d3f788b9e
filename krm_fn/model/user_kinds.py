"""Kinds of objects that name revisions in a namespace: what the linker reads, and what its Role lets it read."""

import re
from typing import NamedTuple


class UserKind(NamedTuple):
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


USER_KINDS = (
    UserKind("v1", "Pod", "pods", current=False),
    UserKind("v1", "ReplicationController", "replicationcontrollers"),
    UserKind("apps/v1", "Deployment", "deployments"),
    UserKind("apps/v1", "StatefulSet", "statefulsets"),
    UserKind("apps/v1", "DaemonSet", "daemonsets"),
    UserKind("apps/v1", "ReplicaSet", "replicasets", current=False),
    UserKind("apps/v1", "ControllerRevision", "controllerrevisions", current=False),
    UserKind("batch/v1", "CronJob", "cronjobs"),
    UserKind("batch/v1", "Job", "jobs", current=False),
    UserKind("argoproj.io/v1alpha1", "Rollout", "rollouts"),
    UserKind("argoproj.io/v1alpha1", "AnalysisTemplate", "analysistemplates"),
    UserKind("argoproj.io/v1alpha1", "AnalysisRun", "analysisruns", current=False),
    UserKind("argoproj.io/v1alpha1", "Experiment", "experiments", current=False),
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
