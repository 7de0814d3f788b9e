"""Validate objects with the schemas of Kubernetes. Unknown fields are errors."""

import json
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from typing import Any

import yaml
from jsonschema import Draft202012Validator, ValidationError
from referencing import Registry, Resource

from tests.yaml.redefined import SafeLoader, load_all

OLDEST, NEWEST = "1.25.0", "1.37.0"
"""Versions of Kubernetes: the oldest and the newest in the schema package."""

_FOLDERS = files("kubernetes_validate") / "kubernetes-json-schema"


class _Loader(yaml.CSafeLoader):
    """Read YAML as kubectl does: `1` is a number and `yes` a boolean, but a date is text."""


class _SlowLoader(SafeLoader):
    """Read the same, and anchors that are defined again."""


_Loader.yaml_implicit_resolvers = _SlowLoader.yaml_implicit_resolvers = {
    first: [
        (tag, pattern)
        for tag, pattern in resolvers
        if tag.rpartition(":")[2] not in ("timestamp", "value")
    ]
    for first, resolvers in yaml.CSafeLoader.yaml_implicit_resolvers.items()
}


def load(text: str) -> list[Any]:
    """Return every document as JSON values."""
    return load_all(text, _Loader, _SlowLoader)


def find_errors(item: dict[str, Any], version: str = NEWEST) -> list[str] | None:
    """Return one line for each schema error of the object, or None if its kind is not built in.

    A line says where the error is and which rule it breaks. It does not say what was found, because
    names differ before and after a run.
    """
    validator = _validator(str(item.get("apiVersion", "")), str(item.get("kind", "")), version)
    return None if validator is None else [*map(_line, validator.iter_errors(item))]


def _line(error: ValidationError) -> str:
    # For an unknown field, only the message contains its name.
    what = error.message if error.validator == "additionalProperties" else error.validator
    return f"{'.'.join(map(str, error.absolute_path))}: {what}"


@cache
def _validator(api_version: str, kind: str, version: str) -> Draft202012Validator | None:
    group, slash, of_group = api_version.rpartition("/")
    name = f"{kind.lower()}-{group.partition('.')[0]}{'-' if slash else ''}{of_group}.json"
    schemas = _FOLDERS / f"v{version}-local-strict"
    if not kind or not (schemas / name).is_file():
        return None
    registry: Registry[Any] = (
        Resource.from_contents(_read(version, "_definitions.json")) @ Registry()
    )
    return Draft202012Validator(_read(version, name), registry=registry)


@cache
def _read(version: str, name: str) -> Any:
    return json.loads((_FOLDERS / f"v{version}-local-strict" / name).read_text())


def schema_of(item: dict[str, Any], version: str = NEWEST) -> dict[str, Any]:
    """Return the schema of the object's kind; an empty one for a kind that is not built in."""
    validator = _validator(str(item.get("apiVersion", "")), str(item.get("kind", "")), version)
    schema: Any = {} if validator is None else validator.schema
    return dict(schema)


def resolved(schema: dict[str, Any], version: str = NEWEST) -> dict[str, Any]:
    """Return what a schema refers to, and a schema that refers to nothing as it is."""
    while "$ref" in schema:
        schema = _read(version, "_definitions.json")["$defs"][schema["$ref"].rpartition("/")[2]]
    return schema


def objects_in(documents: list[Any]) -> Iterator[dict[str, Any]]:
    """Yield the objects inside Lists and ResourceLists, and all other documents."""
    for one in documents:
        if isinstance(one, dict) and isinstance(one.get("items"), list):
            yield from objects_in(one["items"])
        elif isinstance(one, dict):
            yield one
