"""Kubernetes' own schemas, every field it does not know refused, and what they say of an object."""

import json
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from typing import Any

import yaml
from jsonschema import Draft202012Validator, ValidationError
from referencing import Registry, Resource

OLDEST, NEWEST = "1.25.0", "1.37.0"
"""Of Kubernetes, as far as the package with the schemas goes."""

_FOLDERS = files("kubernetes_validate") / "kubernetes-json-schema"


class _Loader(yaml.CSafeLoader):
    """As the API server gets it from kubectl: `1` is a number and `yes` a boolean, but a date is text."""


_Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if tag.rpartition(":")[2] not in ("timestamp", "value")]
    for first, resolvers in yaml.CSafeLoader.yaml_implicit_resolvers.items()
}


def load(text: str) -> list[Any]:
    """Every document, as the values that JSON has."""
    return list(yaml.load_all(text, _Loader))


def find_errors(item: dict[str, Any], version: str = NEWEST) -> list[str] | None:
    """One line for each place where the object is not what its kind says; None for a kind that is not built in.

    A line says where, and by which rule; not what was found, as names differ before and after.
    """
    validator = _validator(str(item.get("apiVersion", "")), str(item.get("kind", "")), version)
    return None if validator is None else [*map(_line, validator.iter_errors(item))]


def _line(error: ValidationError) -> str:
    # Of a field that nobody knows only the message says its name.
    what = error.message if error.validator == "additionalProperties" else error.validator
    return f"{'.'.join(map(str, error.absolute_path))}: {what}"


@cache
def _validator(api_version: str, kind: str, version: str) -> Draft202012Validator | None:
    group, slash, of_group = api_version.rpartition("/")
    name = f"{kind.lower()}-{group.partition('.')[0]}{'-' if slash else ''}{of_group}.json"
    schemas = _FOLDERS / f"v{version}-local-strict"
    if not kind or not (schemas / name).is_file():
        return None
    registry: Registry[Any] = Resource.from_contents(_read(version, "_definitions.json")) @ Registry()
    return Draft202012Validator(_read(version, name), registry=registry)


@cache
def _read(version: str, name: str) -> Any:
    return json.loads((_FOLDERS / f"v{version}-local-strict" / name).read_text())


def objects_in(documents: list[Any]) -> Iterator[dict[str, Any]]:
    """The objects of Lists and ResourceLists, and those that stand alone."""
    for one in documents:
        if isinstance(one, dict) and isinstance(one.get("items"), list):
            yield from objects_in(one["items"])
        elif isinstance(one, dict):
            yield one
