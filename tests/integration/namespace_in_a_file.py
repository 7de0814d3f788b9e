"""A namespace in a file: an API server that lists it, and a `kubectl apply` that adds to it.

`python -m tests.integration.namespace_in_a_file FILE apply ...` is that kubectl.
"""

import contextlib
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

import yaml

from tests.linker.hostile_server import Handler, answer, hostile_server

_KINDS = {
    "configmaps": "ConfigMap",
    "pods": "Pod",
    "replicasets": "ReplicaSet",
    "rollouts": "Rollout",
    "deployments": "Deployment",
}


@contextlib.contextmanager
def serve_namespace(file: Path, folder: Path) -> Iterator[Path]:
    """Serve the objects of the file as lists, and yield a kubeconfig. Other kinds have none."""

    def lists(handler: Handler) -> None:
        path, _, asked = handler.path.partition("?")
        wanted = {name: values[0] for name, values in parse_qs(asked).items()}
        _, *group, _, _, plural = path.strip("/").split("/")
        kind = _KINDS.get(plural, "")
        items = [one for one in read(file) if one["kind"] == kind and _is_wanted(one, wanted)]
        is_metadata = "PartialObjectMetadataList" in handler.headers.get("Accept", "")
        version = "meta.k8s.io/v1" if is_metadata else "/".join(group)
        list_kind = (
            "PartialObjectMetadataList" if is_metadata else f"{kind or _singular(plural)}List"
        )
        metadata = {"resourceVersion": "1"}
        content = {"apiVersion": version, "kind": list_kind, "metadata": metadata, "items": items}
        answer(handler, content)

    with hostile_server(lists, folder) as kubeconfig:
        yield kubeconfig


def _is_wanted(one: dict[str, Any], wanted: dict[str, str]) -> bool:
    """Tell whether the selectors of a list choose an object: the name, and the labels."""
    field = wanted.get("fieldSelector", "")
    is_named = not field or field == f"metadata.name={one['metadata']['name']}"
    selector = wanted.get("labelSelector", "")
    labels = one["metadata"].get("labels", {})
    return is_named and (not selector or _is_chosen(labels, selector))


def _singular(plural: str) -> str:
    names = {
        "statefulsets": "StatefulSet",
        "daemonsets": "DaemonSet",
        "controllerrevisions": "ControllerRevision",
        "replicationcontrollers": "ReplicationController",
        "jobs": "Job",
        "cronjobs": "CronJob",
        "experiments": "Experiment",
        "analysisruns": "AnalysisRun",
        "analysistemplates": "AnalysisTemplate",
    }
    return names[plural]


def read(file: Path) -> list[dict[str, Any]]:
    return [*yaml.safe_load_all(file.read_text())]


def apply(file: Path, manifests: Path, selector: str) -> None:
    """Add what the selector chooses and is not there, as the API server stores it."""
    there = {(one["kind"], one["metadata"]["name"]) for one in read(file)}
    added: list[dict[str, Any]] = []
    for one in read(manifests):
        key = (one["kind"], one["metadata"]["name"])
        if key not in there and _is_chosen(one["metadata"].get("labels", {}), selector):
            one["metadata"] |= {"uid": "applied", "creationTimestamp": "2026-06-01T11:59:00Z"}
            added.append(one)
            print(f"{one['kind'].lower()}/{one['metadata']['name']} created")
    file.write_text(yaml.safe_dump_all([*read(file), *added]))


def _is_chosen(labels: dict[str, str], selector: str) -> bool:
    for one in selector.split(","):
        name, is_equal, value = one.partition("=")
        if one.startswith("!"):
            if one[1:] in labels:
                return False
        elif name not in labels or (is_equal and labels[name] != value):
            return False
    return True


if __name__ == "__main__":
    file, verb, *arguments = sys.argv[1:]
    assert verb == "apply"
    options = dict(zip(arguments[::2], arguments[1::2], strict=True))
    apply(Path(file), Path(options["-f"]), options["-l"])
