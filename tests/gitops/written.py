"""Tell what was written to the objects of a namespace between two moments."""

import json
from typing import Any

from tests.cluster.api import Api, Object
from tests.cluster.server import ApiError

KINDS = (
    *("ConfigMap", "Secret", "ServiceAccount", "Role", "RoleBinding"),
    *("Job", "CronJob", "Deployment", "StatefulSet", "Rollout", "ExternalSecret", "SealedSecret"),
)
# Kubernetes creates them in every namespace, and Helm stores its releases.
FOREIGN = ("ConfigMap/kube-root-ca.crt", "ServiceAccount/default", "Secret/sh.helm.release.")

Snapshot = dict[str, Object]


def snapshot(api: Api) -> Snapshot:
    """Return all objects that a deployer manages, by kind and name."""
    found = (pair for kind in KINDS for pair in _items(api, kind))
    return {
        key: item for key, item in found if not key.startswith(FOREIGN) and not _is_scheduled(item)
    }


def written(before: Snapshot, after: Snapshot) -> list[str]:
    """Return one line for each field that has changed, and for each writer that has written."""
    return [
        f"{key}{line}"
        for key in sorted(before.keys() | after.keys())
        for line in _differences(_relevant(before.get(key)), _relevant(after.get(key)), "")
    ]


def _is_scheduled(item: Object) -> bool:
    """Tell whether a CronJob has made it, which comes and goes."""
    return any(owner["kind"] == "CronJob" for owner in item["metadata"].get("ownerReferences", []))


def _items(api: Api, kind: str) -> list[tuple[str, Object]]:
    try:
        return [(f"{kind}/{item['metadata']['name']}", item) for item in api.list(kind)]
    except ApiError as error:
        if error.status != 404:
            raise
        return []  # this kind is not installed


def _relevant(item: Object | None) -> Object:
    """Leave out what controllers go on reporting.

    Who wrote what else, and when, is in managedFields.
    """
    if item is None:
        return {}
    writers = {
        f"{entry['manager']} {entry['operation']}": entry.get("time")
        for entry in item["metadata"].get("managedFields", [])
        if not entry.get("subresource")
    }
    hidden = ("managedFields", "resourceVersion")
    metadata = {key: value for key, value in item["metadata"].items() if key not in hidden}
    return {
        **{key: value for key, value in item.items() if key != "status"},
        "metadata": metadata,
        "writers": writers,
    }


def _differences(before: Any, after: Any, path: str) -> list[str]:
    if isinstance(before, dict) and isinstance(after, dict) and before and after:
        keys = sorted(before.keys() | after.keys())
        return [
            line
            for key in keys
            for line in _differences(before.get(key), after.get(key), f"{path}.{key}")
        ]
    return [] if before == after else [f"{path}: {_short(before)} -> {_short(after)}"]


def _short(value: Any) -> str:
    return json.dumps(value)[:150]
