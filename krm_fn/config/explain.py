"""Sentences that say why the JSON Schema does not allow a configuration. The only importer of `jsonschema`."""

import json
from collections.abc import Callable, Iterator, Sequence
from importlib.resources import files
from itertools import takewhile
from typing import Any, TypeAlias

from jsonschema import Draft202012Validator, ValidationError

from krm_fn.config.plain import Plain, suggest
from krm_fn.model.node import Node, fields, is_sequence, step
from krm_fn.model.problem import Problem, ResourceId, at

SCHEMA_FILE = "configrevisions-revisions.krm-fn.io-v1.json"

Sentence: TypeAlias = tuple[list[str | int], str]
_NAMES = {
    "object": "a mapping",
    "array": "a list",
    "string": "text",
    "boolean": "true or false",
    "integer": "a whole number",
}


def explain(config: Plain, node: Node, who: ResourceId, *, data: bool) -> list[Problem]:
    """Return every reason, with the field and its line. `data`: the configuration is the `data` of a ConfigMap."""
    errors = sorted(Draft202012Validator(load_schema()).iter_errors(config), key=lambda error: str(error.absolute_path))
    problems = (_place(path, node, who, message, data=data) for error in errors for path, message in _sentences(error))
    return list(dict.fromkeys(problems))


def load_schema() -> dict[str, object]:
    schema: dict[str, object] = json.loads(files("krm_fn.schemas").joinpath(SCHEMA_FILE).read_bytes())
    return schema


def _sentences(error: ValidationError) -> Iterator[Sentence]:
    """Yield path and sentence of each violation of one rule of the schema."""
    found: Any = error.instance
    rule: Any = error.validator_value
    schema: Any = error.schema
    path = list(error.absolute_path)
    if error.validator == "additionalProperties":
        allowed = list(schema["properties"])
        yield from (([*path, name], f"unknown field{suggest(name, allowed)}") for name in found if name not in allowed)
    elif error.validator == "required":
        yield from (([*path, name], "missing") for name in rule if name not in found)
    elif error.validator == "dependentRequired":
        pairs = ((name, other) for name, others in rule.items() for other in others)
        yield from (
            ([*path, name], f"only allowed together with {other}")
            for name, other in pairs
            if name in found and other not in found
        )
    elif error.validator == "oneOf" and not isinstance(found, dict):
        return  # its type is wrong, which another rule reports
    else:
        yield path, _RULES[str(error.validator)](found, rule, schema)


def _show(value: Plain) -> str:
    """Describe a value: a scalar by itself, a collection only by its kind."""
    if isinstance(value, dict | list):
        return "a mapping" if isinstance(value, dict) else "a list"
    if value is None:
        return "null"
    if isinstance(value, bool):
        return str(value).lower()
    return f'"{value}"' if isinstance(value, str) else f"the number {value}"


_RULES: dict[str, Callable[[Any, Any, Any], str]] = {
    "enum": lambda found, rule, _: f"found {_show(found)}{suggest(str(found), rule)}",
    "const": lambda found, rule, _: f"found {_show(found)}, allowed: {'true' if rule is True else rule}",
    "type": lambda found, rule, _: f"found {_show(found)}, expected {_kinds(rule)}{_quote(found, rule)}",
    "pattern": lambda found, _, schema: f"found {_show(found)}, expected {schema['$comment']}",
    "maxLength": lambda found, rule, _: f"found {len(found)} characters, allowed: {rule}",
    "minItems": lambda *_: "must not be empty",
    "minLength": lambda *_: "must not be empty",
    "minimum": lambda found, rule, schema: _outside(found, schema, f"at least {rule}"),
    "maximum": lambda found, rule, schema: _outside(found, schema, f"at most {rule}"),
    "not": lambda _, __, schema: schema["$comment"],
    "oneOf": lambda found, rule, _: _exclusive(found, [name for option in rule for name in option["required"]]),
}


def _outside(found: Plain, schema: dict[str, Any], bound: str) -> str:
    what = f"allowed: {schema['$comment']}" if "$comment" in schema else f"expected {bound}"
    return f"found {_show(found)}, {what}"


def _exclusive(found: Any, names: list[str]) -> str:
    """Write the sentence for fields of which exactly one must be set."""
    return (
        f"expected exactly one of {', '.join(names)}, found {' and '.join(filter(found.__contains__, names)) or 'none'}"
    )


def _kinds(rule: str | list[str]) -> str:
    return " or ".join(_NAMES[one] for one in ([rule] if isinstance(rule, str) else rule))


def _quote(found: Plain, rule: str | list[str]) -> str:
    if "string" in rule and isinstance(found, bool | int | float):
        return f': write "{str(found).lower()}"'
    if rule == "boolean" and str(found).lower() in ("true", "false"):
        return f": write {str(found).lower()} without quotes"
    return ""


def _place(path: Sequence[str | int], node: Node, who: ResourceId, message: str, *, data: bool) -> Problem:
    field, here = "", node
    for name in _steps_in_data(path) if data else path:
        field = f"{field}[{name}]" if isinstance(name, int) else step(field, name)
        here = _below(here, name) or here
    return at(here.start_mark, message)._replace(resource=who, field=field)


def _steps_in_data(path: Sequence[str | int]) -> Sequence[str | int]:
    """Translate `spec.kinds[0]` to `data.kinds`, and `spec.checksums.annotation` to `data.checksums.annotation`."""
    names = list(takewhile(lambda name: isinstance(name, str), path[1:]))
    return ("data", ".".join(map(str, names))) if names else ("data",)


def _below(node: Node, name: str | int) -> Node | None:
    if isinstance(name, int):
        return node.value[name] if is_sequence(node) else None
    return fields(node).get(name)
