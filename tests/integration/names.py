"""Checks of names in rendered output: no reference dangles, and no name is hashed twice."""

import re
from collections.abc import Iterator
from typing import Any

import yaml

from krm_fn.core.decide.run import FIXED_NAMES

_TWICE = re.compile(r"-[2456789bcdfghkmt]{10}-[2456789bcdfghkmt]{10}$")


def load(stream: bytes | str) -> list[dict[str, Any]]:
    return [document for document in yaml.safe_load_all(stream) if document]


def defined(objects: list[dict[str, Any]], kind: str = "ConfigMap") -> dict[str, dict[str, Any]]:
    """Return the objects of a kind by name, without the objects that the function emits for the linker."""
    return {
        item["metadata"]["name"]: item
        for item in objects
        if item["kind"] == kind and not _is_emitted(item)
    }


def _is_emitted(item: dict[str, Any]) -> bool:
    return "revisions.krm-fn.io/component" in (item["metadata"].get("labels") or {})


def named(objects: list[dict[str, Any]]) -> set[tuple[str, str, str]]:
    """Return kind, namespace and name of every ConfigMap and Secret that a pod reads."""
    return {
        found for item in objects for found in _named(item, item["metadata"].get("namespace", ""))
    }


def _named(value: Any, namespace: str) -> Iterator[tuple[str, str, str]]:
    if isinstance(value, list):
        for element in value:
            yield from _named(element, namespace)
    elif isinstance(value, dict):
        for key, field in value.items():
            if key in ("configMapRef", "configMapKeyRef", "configMap"):
                yield "ConfigMap", namespace, field["name"]
            elif key in ("secretRef", "secretKeyRef"):
                yield "Secret", namespace, field["name"]
            elif key == "secret":
                # The latter in projected volumes.
                yield (
                    "Secret",
                    namespace,
                    field.get("secretName") or field["name"],
                )
            else:
                yield from _named(field, namespace)


def assert_names_hold(objects: list[dict[str, Any]]) -> None:
    there = {
        (item["kind"], item["metadata"].get("namespace", ""), item["metadata"]["name"])
        for item in objects
    }
    dangling = {one for one in named(objects) - there if one[2] not in FIXED_NAMES}
    assert dangling == set(), "a reference dangles"
    assert not [name for _, _, name in there if _TWICE.search(name)], "a name is hashed twice"
