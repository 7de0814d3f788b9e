"""Remove the mounts that the annotation of a workload lists. Does not use the code under test."""

from typing import Any
from urllib.parse import unquote

EMPTY: tuple[Any, ...] = ([], {}, "", "~", "null")
PREFIX = "mounts.revisions.krm-fn.io/"


def without_mounts(package: Any) -> Any:
    """Return the package as plain values, without the mounts that the annotations of its workloads list."""
    if isinstance(package, list):
        return [without_mounts(one) for one in package]
    if not isinstance(package, dict):
        return package
    if "items" in package:
        return {**package, "items": without_mounts(package["items"])}
    metadata: Any = package.get("metadata")
    annotations = metadata.get("annotations") if isinstance(metadata, dict) else None
    if not isinstance(annotations, dict):
        return _strip(package, set(), "")
    words = {
        word
        for key, value in annotations.items()
        if key.startswith(PREFIX)
        for word in value.split()
    }
    kept = {key: value for key, value in annotations.items() if not key.startswith(PREFIX)}
    return _strip({**package, "metadata": {**metadata, "annotations": kept}}, words, "")


def _strip(value: Any, words: set[str], container: str) -> Any:
    """Remove marked elements, and lists and annotations that are then empty."""
    if isinstance(value, list):
        return [
            _strip(one, words, container) for one in value if not _is_marked(one, words, container)
        ]
    if not isinstance(value, dict):
        return value
    stripped = {key: _strip(field, words, value.get("name", "")) for key, field in value.items()}
    lists = ("volumes", "volumeMounts", "envFrom", "annotations")
    return {key: field for key, field in stripped.items() if field not in EMPTY or key not in lists}


def _is_marked(element: Any, words: set[str], container: str) -> bool:
    if not isinstance(element, dict):
        return False
    for field, kind in (("configMapRef", "ConfigMap"), ("secretRef", "Secret")):
        if field in element:
            name = element[field]["name"]
            names = (name, name[:-11])
            return any(
                f"{container}={kind}/{one}={element.get('prefix', '')}" in words for one in names
            )
    if "mountPath" in element:
        paths = {unquote(word) for word in words}
        return element["name"] in words and f"{container}={element['mountPath']}" in paths
    return element.get("name") in words
