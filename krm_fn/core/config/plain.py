"""The schema of a functionConfig, the places of its settings, and checks of what plain values must be."""

import json
from collections.abc import Collection, Iterable
from itertools import takewhile
from typing import Any, NoReturn

from krm_fn.base.item import read_item
from krm_fn.base.node import Marks, Node, Plain, is_mapping, read_path, spell
from krm_fn.base.problem import Problem, Problems, ResourceId, at

__all__ = [
    "CONFIGURATION",
    "list_settings",
    "read_schema",
]


class Invalid(Exception):
    """The schema does not allow this value. `explain_errors` says why."""


def refuse() -> NoReturn:
    raise Invalid


def as_mapping(value: Plain, allowed: Collection[str] | None = None) -> dict[str, Plain]:
    """Return a mapping that has only the allowed fields; any, if `allowed` is None."""
    if not isinstance(value, dict) or (allowed is not None and not value.keys() <= set(allowed)):
        refuse()
    return value


def as_list(value: Plain) -> list[Plain]:
    return value if isinstance(value, list) else refuse()


def as_filled_list(value: Plain) -> list[Plain]:
    return as_list(value) or refuse()


def as_text(value: Plain) -> str:
    return value if isinstance(value, str) else refuse()


def as_filled_text(value: Plain) -> str:
    return as_text(value) or refuse()


def as_texts(value: Plain) -> dict[str, str]:
    return {key: as_text(text) for key, text in as_mapping(value).items()}


def as_boolean(value: Plain) -> bool:
    return value if isinstance(value, bool) else refuse()


def as_number(value: Plain, minimum: int | None = None, maximum: int | None = None) -> int:
    """Return a whole number. JSON Schema counts `1.0` as one."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if not isinstance(value, int) or isinstance(value, bool):
        refuse()
    if (minimum is not None and value < minimum) or (maximum is not None and value > maximum):
        refuse()
    return value


def one_of(value: Plain, allowed: Collection[str]) -> str:
    text = as_text(value)
    return text if text in allowed else refuse()


def place_setting(
    path: Iterable[str | int], node: Node, who: ResourceId, message: str, marks: Marks | None = None
) -> Problem:
    """Return a problem with the setting at a path such as `spec.kinds`, at the setting's key.

    `node` is the whole configuration, `who` its id: if that is a ConfigMap, the settings are in its
    `data`. `marks`: those for many problems.
    """
    path = tuple(path)
    if who.kind == "ConfigMap":
        path = _path_in_data(path)
    return at((marks or Marks()).of(node, path), message)._replace(
        resource=who, field=spell(path), node=node
    )


def place_settings(problems: Iterable[Problem], node: Node | None) -> Problems:
    """Place the problems with settings, whose resource is the configuration `node`.

    Pass on all others.
    """
    who = read_item(node).id if is_mapping(node) else None
    marks = Marks()
    for problem in problems:
        is_placed = problem.node is not None or problem.resource != who
        if node is None or problem.resource is None or is_placed:
            yield problem
        else:
            placed = place_setting(
                read_path(problem.field), node, problem.resource, problem.message, marks
            )
            yield placed._replace(severity=problem.severity)


def _path_in_data(path: tuple[str | int, ...]) -> tuple[str, ...]:
    """Translate a path in `spec` to one in `data`.

    `spec.kinds[0]` becomes `data.kinds`, and `spec.checksums.annotation` becomes
    `data[checksums.annotation]`.
    """
    if path[:1] == ("data",):
        return tuple(map(str, path))
    names = list(takewhile(lambda name: isinstance(name, str), path[1:]))
    return ("data", ".".join(map(str, names))) if names else ("data",)


CONFIGURATION = "configrevisions-revisions.krm-fn.io-v1"
"""The name of the schema of the functionConfig."""


def read_schema(name: str) -> bytes:
    """Return the text of a schema in `schemas/`, named as its file without `.json`."""
    from importlib import import_module

    path = f"{import_module('krm_fn.schemas').__path__[0]}/{name}.json"
    with open(path, "rb") as file:  # noqa: PTH123  # to import pathlib or importlib.resources takes milliseconds
        return file.read()


def load_schema() -> dict[str, Any]:
    """Return the JSON Schema of the functionConfig.

    It is the one source of fields, defaults and descriptions.
    """
    schema: dict[str, Any] = json.loads(read_schema(CONFIGURATION))
    return schema


def list_settings() -> dict[str, Any]:
    """Return the schema of each field of `spec`, and of each in a group: `linker.image`."""
    schema = load_schema()
    found: dict[str, Any] = {}
    for name, field in schema["properties"]["spec"]["properties"].items():
        found[name] = field
        found |= {f"{name}.{key}": child for key, child in field.get("properties", {}).items()}
    return {path: _resolve(field, schema["$defs"]) for path, field in found.items()}


def _resolve(field: dict[str, Any], definitions: dict[str, Any]) -> dict[str, Any]:
    # A field may say more than the definition that it refers to, such as another default.
    whole = {**definitions.get(field.get("$ref", "").rpartition("/")[2], {}), **field}
    return {**whole, "items": _resolve(whole["items"], definitions)} if "items" in whole else whole
