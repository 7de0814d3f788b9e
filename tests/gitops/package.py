"""The application under test: a Rollout, a Deployment and a StatefulSet, each with its own configuration."""

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from tests.cluster.api import Object
from tests.cluster.kinds import ROLLOUTS, complete
from tests.cluster.manifests import config_map, secret
from tests.cluster.mounting_kubelet import STARTED_BY_TEST
from tests.cluster.release import SET, config, render

MADE_SECRET = "web-secret"  # noqa: S105  # a name
NAMES = {"Rollout": "web", "Deployment": "api", "StatefulSet": "db"}
REPLICAS = {"Rollout": 2, "Deployment": 2, "StatefulSet": 1}
CANARY = {
    "canary": {"maxSurge": 0, "maxUnavailable": 1, "steps": [{"setWeight": 50}, {"pause": {}}]}
}
WAVE = "argocd.argoproj.io/sync-wave"


@dataclass(frozen=True, kw_only=True, slots=True)
class Commit:
    """What the author changes from commit to commit."""

    content: str = "a"
    image: str = "1"
    strategy: str = "rename"
    leave: bool = False
    kinds: Sequence[str] = tuple(NAMES)
    reads: Mapping[str, str] = field(default_factory=dict)
    """The names of the ConfigMaps that kinds read instead of one of their own."""
    shared: Mapping[str, str] = field(default_factory=dict)
    """The names of ConfigMaps that belong to no kind, with their content."""
    plain: str = ""
    """The name of a ConfigMap that nobody reads and nobody protects."""
    waves: bool = False
    """In Argo CD, the workloads are in a later sync wave than their configuration, and `plain` in one still later."""
    service: str = NAMES["StatefulSet"]
    """The service of the StatefulSet. The API server refuses to change it."""
    linker: Object = field(default_factory=dict)
    make_secret: Callable[[str, str], Object] | None = None
    """Builds what makes the Rollout's Secret, of its name and the content."""

    def but(self, **changes: Any) -> "Commit":
        return dataclasses.replace(self, **changes)


def objects(commit: Commit) -> list[Object]:
    """Build what the author wrote."""
    written = [
        built
        for kind in commit.kinds
        for built in (*_configuration(kind, commit), _workload(kind, commit))
    ]
    shared = [config(content, name) for name, content in commit.shared.items()]
    plain = [config_map(commit.plain, **_in_wave("2", commit))] if commit.plain else []
    return [complete(one) for one in (*shared, *written, *plain)]


def function_config(commit: Commit, deployer: str, namespace: str) -> Object:
    """Build the configuration of krm-fn.

    `strategy: ignore` is the time before krm-fn, without its linker.
    """
    linker = {
        "minimumAgeSeconds": 0,
        "timeoutSeconds": 60,
        "namespace": namespace,
        # A package without a Rollout may be in a cluster with Argo Rollouts.
        "kinds": [f"{ROLLOUTS}/Rollout"],
        **commit.linker,
    }
    return {
        "apiVersion": "revisions.krm-fn.io/v1",
        "kind": "ConfigRevisions",
        "metadata": {"name": SET},
        "spec": {
            "kinds": [
                "ConfigMap",
                "Secret",
                *(["ExternalSecret", "SealedSecret"] if commit.make_secret else []),
            ],
            "strategy": commit.strategy,
            "leave": commit.leave,
            "deployers": [deployer],
            "linker": {"enabled": False} if commit.strategy == "ignore" else linker,
        },
    }


def render_commit(commit: Commit, deployer: str, namespace: str) -> bytes:
    """Render the package, as CI does."""
    return render(
        objects(commit), namespace, **function_config(commit, deployer, namespace)["spec"]
    )


def write(commit: Commit, folder: Path, deployer: str, namespace: str) -> None:
    """Write the package as files: `objects.yaml` and `krm-fn.yaml`."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "objects.yaml").write_text(yaml.safe_dump_all(objects(commit), sort_keys=False))
    configuration = function_config(commit, deployer, namespace)
    (folder / "krm-fn.yaml").write_text(yaml.safe_dump(configuration, sort_keys=False))


def _configuration(kind: str, commit: Commit) -> list[Object]:
    name = NAMES[kind]
    found = [] if kind in commit.reads else [config(commit.content, f"{name}-config")]
    if kind == "Deployment":
        found.append({**secret(f"{name}-secret"), "stringData": {"token": commit.content}})
    if kind == "Rollout" and commit.make_secret:
        found.append(commit.make_secret(MADE_SECRET, commit.content))
    return found


def _workload(kind: str, commit: Commit) -> Object:
    name = NAMES[kind]
    container: Object = {
        "name": "app",
        "image": f"registry.example/{name}:{commit.image}",
        # Without any, kpt and the controller of Argo Rollouts write an empty field by turns.
        "resources": {"requests": {"cpu": "10m"}},
        "volumeMounts": [{"name": "config", "mountPath": "/etc/app"}],
    }
    labels = {"app": name}
    if kind == "Deployment":
        container["envFrom"] = [{"secretRef": {"name": f"{name}-secret"}}]
    if kind == "Rollout" and commit.make_secret:
        container["envFrom"] = [{"secretRef": {"name": MADE_SECRET}}]
        labels |= STARTED_BY_TEST
    template = {
        "metadata": {"labels": labels},
        "spec": {
            "terminationGracePeriodSeconds": 0,
            "containers": [container],
            "volumes": [
                {"name": "config", "configMap": {"name": commit.reads.get(kind, f"{name}-config")}}
            ],
        },
    }
    spec: Object = {
        "replicas": REPLICAS[kind],
        "revisionHistoryLimit": 1,
        "selector": {"matchLabels": {"app": name}},
        "template": template,
    }
    if kind == "Rollout":
        spec["strategy"] = CANARY
    if kind == "StatefulSet":
        spec["serviceName"] = commit.service
    return {"kind": kind, "metadata": {"name": name, **_in_wave("1", commit)}, "spec": spec}


def _in_wave(wave: str, commit: Commit) -> Object:
    return {"annotations": {WAVE: wave}} if commit.waves else {}
