"""Generate pairs of packages: many workloads, each with a change of its own.

What a change does, a cluster tells.
"""

import copy
from collections.abc import Callable, Iterable, Iterator, Sequence
from random import Random
from typing import NamedTuple

from tests.cluster.api import Object
from tests.cluster.kinds import complete

KINDS = ("Deployment", "StatefulSet", "DaemonSet", "Rollout", "CronJob", "Job")


class Application(NamedTuple):
    """A workload, and the ConfigMaps and the Secret that its pods read. `plain` keeps its name."""

    workload: Object
    config: Object
    plain: Object
    secret: Object

    @property
    def template(self) -> Object:
        spec: Object = self.workload["spec"]
        spec = spec["jobTemplate"]["spec"] if "jobTemplate" in spec else spec
        template: Object = spec["template"]
        return template

    @property
    def pod(self) -> Object:
        spec: Object = self.template["spec"]
        return spec

    @property
    def container(self) -> Object:
        container: Object = self.pod["containers"][0]
        return container


Change = Callable[[Application], object]


class Case(NamedTuple):
    """A change of one workload. `says`: which change, and whether it is done or undone."""

    name: str
    kind: str
    says: str
    old: Application
    new: Application


def application(kind: str, name: str, shared: str) -> Application:
    """Return a workload that reads configuration.

    What it reads is called `shared-config` and so on.
    """
    labels = {"app": name}
    container: Object = {
        "name": "app",
        "image": "registry.example/app:1",
        "args": ["--a", "1"],
        "env": [
            {"name": "A", "value": "1"},
            {
                "name": "B",
                "valueFrom": {"configMapKeyRef": {"name": f"{shared}-plain", "key": "A"}},
            },
            {"name": "POD", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}},
        ],
        "envFrom": [
            {"configMapRef": {"name": f"{shared}-config"}},
            {"secretRef": {"name": f"{shared}-secret"}},
        ],
        "ports": [{"containerPort": 80, "name": "a"}, {"containerPort": 81, "name": "b"}],
        "resources": {"limits": {"cpu": "1", "memory": "1Gi"}},
        "volumeMounts": [
            {"name": "config", "mountPath": "/config"},
            {"name": "tmp", "mountPath": "/more"},
        ],
    }
    pod: Object = {
        "containers": [container, {"name": "side", "image": "registry.example/side:1"}],
        "volumes": [
            {"name": "config", "configMap": {"name": f"{shared}-config"}},
            {"name": "tmp", "emptyDir": {}},
        ],
        "nodeSelector": {"none": "here"},
        "tolerations": [{"key": "a", "operator": "Exists"}],
    }
    template: Object = {
        "metadata": {"labels": dict(labels), "annotations": {"note": "a"}},
        "spec": pod,
    }
    if kind in {"CronJob", "Job"}:
        pod["restartPolicy"] = "Never"
        spec: Object = {"template": template, "backoffLimit": 2}
        if kind == "CronJob":
            spec = {"schedule": "0 0 1 1 *", "suspend": True, "jobTemplate": {"spec": spec}}
    else:
        spec = {"selector": {"matchLabels": labels}, "template": template, "minReadySeconds": 1}
        spec |= {} if kind == "DaemonSet" else {"replicas": 0}
        spec |= {"serviceName": name} if kind == "StatefulSet" else {}
        spec |= (
            {"strategy": {"canary": {"steps": [{"setWeight": 50}]}}} if kind == "Rollout" else {}
        )
    kept = {"annotations": {"revisions.krm-fn.io/strategy": "ignore"}}
    metadata = {"name": name, "labels": {"tier": "a"}, "annotations": {"note": "a"}}
    return Application(
        complete({"kind": kind, "metadata": metadata, "spec": spec}),
        complete(
            {
                "kind": "ConfigMap",
                "metadata": {"name": f"{shared}-config"},
                "data": {"A": "1", "B": "2"},
            }
        ),
        complete(
            {
                "kind": "ConfigMap",
                "metadata": {"name": f"{shared}-plain", **kept},
                "data": {"A": "1"},
            }
        ),
        complete(
            {"kind": "Secret", "metadata": {"name": f"{shared}-secret"}, "stringData": {"S": "1"}}
        ),
    )


# What may be written or not: each default of a pod template that the API server has, and what is no
# default.
IN_POD: dict[str, Object] = {
    "the default of terminationGracePeriodSeconds": {"terminationGracePeriodSeconds": 30},
    "another terminationGracePeriodSeconds": {"terminationGracePeriodSeconds": 5},
    "no time for termination": {"terminationGracePeriodSeconds": 0},
    "an empty value of a node selector": {"nodeSelector": {"none": ""}},
    "the default of dnsPolicy": {"dnsPolicy": "ClusterFirst"},
    "another dnsPolicy": {"dnsPolicy": "Default"},
    "the default of schedulerName": {"schedulerName": "default-scheduler"},
    "an empty securityContext of the pod": {"securityContext": {}},
    "a securityContext of the pod": {"securityContext": {"runAsUser": 5}},
    "hostNetwork as it is": {"hostNetwork": False},
    "enableServiceLinks as it is": {"enableServiceLinks": True},
    "other enableServiceLinks": {"enableServiceLinks": False},
    "no host aliases": {"hostAliases": []},
    "no init containers": {"initContainers": []},
    "an init container": {"initContainers": [{"name": "init", "image": "registry.example/init:1"}]},
    "a ServiceAccount": {"serviceAccountName": "other"},
    "the default of automountServiceAccountToken": {"automountServiceAccountToken": True},
    "a toleration of everything": {"tolerations": [{"operator": "Exists"}]},
    "the default of shareProcessNamespace": {"shareProcessNamespace": False},
    "a spread without its defaults": {
        "topologySpreadConstraints": [
            {
                "maxSkew": 1,
                "topologyKey": "a",
                "whenUnsatisfiable": "DoNotSchedule",
                "labelSelector": {},
            }
        ]
    },
}
IN_CONTAINER: dict[str, Object] = {
    "another image": {"image": "registry.example/app:2"},
    "the default of imagePullPolicy": {"imagePullPolicy": "IfNotPresent"},
    "another imagePullPolicy": {"imagePullPolicy": "Always"},
    "the default of terminationMessagePath": {"terminationMessagePath": "/dev/termination-log"},
    "the default of terminationMessagePolicy": {"terminationMessagePolicy": "File"},
    "an empty securityContext": {"securityContext": {}},
    "tty as it is": {"tty": False},
    "tty": {"tty": True},
    "a command": {"command": ["app"]},
    "no command": {"command": []},
    "another order of arguments": {"args": ["1", "--a"]},
    "an empty working directory": {"workingDir": ""},
    "quantities in other units": {"resources": {"limits": {"cpu": "1000m", "memory": "1024Mi"}}},
    "a quantity as a number": {"resources": {"limits": {"cpu": 1, "memory": "1Gi"}}},
    "other quantities": {"resources": {"limits": {"cpu": "1001m", "memory": "1Gi"}}},
    "requests that equal the limits": {
        "resources": {
            "limits": {"cpu": "1", "memory": "1Gi"},
            "requests": {"cpu": "1", "memory": "1Gi"},
        }
    },
    "a limit of nothing": {"resources": {"limits": {"cpu": 0, "memory": "1Gi"}}},
    "no limit of memory": {"resources": {"limits": {"cpu": "1"}}},
    "a probe": {"livenessProbe": {"httpGet": {"path": "/", "port": 80}}},
    "no variables": {"env": []},
}


def _probe(app: Application, **more: object) -> None:
    app.container["readinessProbe"] = {"httpGet": {"path": "/", "port": 80, **more}}


OF_CONFIGURATION: dict[str, Change] = {
    "content": lambda app: app.config["data"].update(A="3"),
    "a key fewer": lambda app: app.config["data"].pop("B"),
    "content of the Secret": lambda app: app.secret["stringData"].update(S="2"),
    "content under the same name": lambda app: app.plain["data"].update(A="3"),
    "a label of the ConfigMap": lambda app: app.config["metadata"].update(labels={"a": "b"}),
    "a checksum": lambda app: app.plain["metadata"].update(
        annotations={"revisions.krm-fn.io/strategy": "checksum"}
    ),
}
"""Those whose workloads have ConfigMaps and a Secret of their own. The others share theirs."""

SHARED = "shared"

CHANGES: dict[str, Change] = {
    "nothing": lambda _: None,
    **{
        what: lambda app, fields=fields: app.pod.update(copy.deepcopy(fields))  # type: ignore[misc]
        for what, fields in IN_POD.items()
    },
    **{
        what: lambda app, fields=fields: app.container.update(copy.deepcopy(fields))  # type: ignore[misc]
        for what, fields in IN_CONTAINER.items()
    },
    # Lists
    "another value of a variable": lambda app: app.container["env"][0].update(value="2"),
    "an empty value of a variable": lambda app: app.container["env"].append(
        {"name": "E", "value": ""}
    ),
    "a variable without a value": lambda app: app.container["env"].append({"name": "E"}),
    "one more variable": lambda app: app.container["env"].append({"name": "C", "value": "c"}),
    "one more variable in front": lambda app: app.container["env"].insert(
        0, {"name": "C", "value": "c"}
    ),
    "another order of variables": lambda app: app.container["env"].reverse(),
    "another order of sources of variables": lambda app: app.container["envFrom"].reverse(),
    "another order of ports": lambda app: app.container["ports"].reverse(),
    "the default protocol of a port": lambda app: app.container["ports"][0].update(protocol="TCP"),
    "another protocol of a port": lambda app: app.container["ports"][0].update(protocol="UDP"),
    "a port fewer": lambda app: app.container["ports"].pop(),
    "another order of mounts": lambda app: app.container["volumeMounts"].reverse(),
    "another order of volumes": lambda app: app.pod["volumes"].reverse(),
    "another order of containers": lambda app: app.pod["containers"].reverse(),
    "a container fewer": lambda app: app.pod["containers"].pop(),
    "one more volume": lambda app: app.pod["volumes"].append(
        {"name": "more", "emptyDir": {"sizeLimit": "1Gi"}}
    ),
    "the default mode of a volume": lambda app: app.pod["volumes"][0]["configMap"].update(
        defaultMode=0o644
    ),
    "another mode of a volume": lambda app: app.pod["volumes"][0]["configMap"].update(
        defaultMode=0o600
    ),
    "no mode of a volume": lambda app: app.pod["volumes"][0]["configMap"].update(defaultMode=0),
    "an empty argument": lambda app: app.container["args"].append(""),
    "a volume that is not optional": lambda app: app.pod["volumes"][0]["configMap"].update(
        optional=False
    ),
    "the default version of a field": lambda app: app.container["env"][2]["valueFrom"][
        "fieldRef"
    ].update(apiVersion="v1"),
    "the default medium of a volume": lambda app: app.pod["volumes"][1]["emptyDir"].update(
        medium=""
    ),
    "a probe with its defaults": lambda app: _probe(app, scheme="HTTP"),
    "no tolerations": lambda app: app.pod.pop("tolerations"),
    # Metadata
    "a label of the template": lambda app: app.template["metadata"]["labels"].update(more="x"),
    "an annotation of the template": lambda app: app.template["metadata"]["annotations"].update(
        more="x"
    ),
    "no annotation of the template": lambda app: app.template["metadata"].pop("annotations"),
    "an empty annotation of the template": lambda app: app.template["metadata"][
        "annotations"
    ].update(more=""),
    "a label": lambda app: app.workload["metadata"]["labels"].update(more="x"),
    "another label": lambda app: app.workload["metadata"]["labels"].update(tier="b"),
    "no labels": lambda app: app.workload["metadata"].pop("labels"),
    "an annotation": lambda app: app.workload["metadata"]["annotations"].update(more="x"),
    "no annotations": lambda app: app.workload["metadata"].pop("annotations"),
    **OF_CONFIGURATION,
}
"""By what they are."""

_SCALED = ("Deployment", "StatefulSet", "Rollout")
_REPLICATED = ("Deployment", "StatefulSet", "DaemonSet", "Rollout")

OF_KINDS: dict[str, tuple[Sequence[str], Change]] = {
    "null for a field": (
        ("Deployment", "StatefulSet", "DaemonSet", "CronJob"),
        lambda app: app.pod.update(affinity=None),
    ),
    "the time of creation of the template": (
        ("Deployment", "StatefulSet", "DaemonSet", "CronJob"),
        lambda app: app.template["metadata"].update(creationTimestamp=None),
    ),
    "replicas": (_SCALED, lambda app: app.workload["spec"].update(replicas=1)),
    "no replicas": (_SCALED, lambda app: app.workload["spec"].pop("replicas")),
    "the default of replicas": (("Job",), lambda app: app.workload["spec"].update(parallelism=1)),
    "another minReadySeconds": (
        _REPLICATED,
        lambda app: app.workload["spec"].update(minReadySeconds=2),
    ),
    "no minReadySeconds": (_REPLICATED, lambda app: app.workload["spec"].pop("minReadySeconds")),
    "the default limit of the history": (
        _REPLICATED,
        lambda app: app.workload["spec"].update(revisionHistoryLimit=10),
    ),
    "another limit of the history": (
        _REPLICATED,
        lambda app: app.workload["spec"].update(revisionHistoryLimit=3),
    ),
    "the default strategy": (
        ("Deployment",),
        lambda app: app.workload["spec"].update(
            strategy={
                "type": "RollingUpdate",
                "rollingUpdate": {"maxSurge": "25%", "maxUnavailable": "25%"},
            }
        ),
    ),
    "another strategy": (
        ("Deployment",),
        lambda app: app.workload["spec"].update(strategy={"rollingUpdate": {"maxSurge": 1}}),
    ),
    "another update strategy": (
        ("StatefulSet", "DaemonSet"),
        lambda app: app.workload["spec"].update(updateStrategy={"type": "OnDelete"}),
    ),
    "the default deadline": (
        ("Deployment",),
        lambda app: app.workload["spec"].update(progressDeadlineSeconds=600),
    ),
    "another schedule": (
        ("CronJob",),
        lambda app: app.workload["spec"].update(schedule="0 0 2 1 *"),
    ),
    "the default policy of concurrency": (
        ("CronJob",),
        lambda app: app.workload["spec"].update(concurrencyPolicy="Allow"),
    ),
    "a label of the Jobs": (
        ("CronJob",),
        lambda app: app.workload["spec"]["jobTemplate"].update(metadata={"labels": {"a": "b"}}),
    ),
}
"""Those that only some kinds have a field for."""

OF_JOBS = (
    "nothing",
    "content",
    "a key fewer",
    "content of the Secret",
    "the default of replicas",
    "another label",
)
"""The API server refuses to change anything else of a Job."""


def all_cases() -> Iterator[tuple[str, str, bool]]:
    """Yield every kind with every change, done and undone."""
    changes = {
        **dict.fromkeys(CHANGES, KINDS),
        **{what: kinds for what, (kinds, _) in OF_KINDS.items()},
    }
    for what, kinds in changes.items():
        for kind in kinds:
            for is_undone in (False, True):
                if kind != "Job" or what in OF_JOBS:
                    yield kind, what, is_undone


def objects_of(applications: Iterable[Application]) -> list[Object]:
    """Return all objects once."""
    found = {
        (one["kind"], one["metadata"]["name"]): one
        for application in applications
        for one in application
    }
    return [*found.values()]


def cases(sample: tuple[int, Random] | None = None) -> list[Case]:
    """Return all cases, or so many of them at random."""
    chosen = list(all_cases())
    if sample is not None:
        number, random = sample
        chosen = random.sample(chosen, number)
    return [_case(f"w{index}", *one) for index, one in enumerate(chosen)]


def _case(name: str, kind: str, what: str, is_undone: bool) -> Case:
    shared = name if what in OF_CONFIGURATION else SHARED
    sides = application(kind, name, shared), application(kind, name, shared)
    change = CHANGES[what] if what in CHANGES else OF_KINDS[what][1]
    change(sides[1])
    old, new = sides[::-1] if is_undone else sides
    return Case(name, kind, f"{what}, {'undone' if is_undone else 'done'}", old, new)
