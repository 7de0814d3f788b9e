"""Sentences that say why the JSON Schema does not allow a configuration.

The only importer of `jsonschema`.
"""

import re
from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

from jsonschema import Draft202012Validator, ValidationError
from jsonschema.validators import extend

from krm_fn.base.node import Node, Plain, read_path, step
from krm_fn.base.problem import Problem, ResourceId
from krm_fn.base.suggest import nearest, suggest
from krm_fn.core.config.plain import load_schema, place_setting

SchemaError: TypeAlias = tuple[list[str | int], str]
_NAMES = {
    "object": "a mapping",
    "array": "a list",
    "string": "text",
    "boolean": "true or false",
    "integer": "a whole number",
}


def explain_errors(config: Plain, node: Node, who: ResourceId) -> list[Problem]:
    """Return every reason, with the field and its line, in the order of the lines."""
    problems: set[Problem] = set()
    for error in validator(load_schema()).iter_errors(config):
        problems.update(
            place_setting(path, node, who, message) for path, message in _sentences(error)
        )
    return sorted(
        problems, key=lambda problem: (problem.line, problem.column, problem.field, problem.message)
    )


def _check_pattern(_: Any, pattern: str, found: Any, __: Any) -> Iterator[ValidationError]:
    # In JSON Schema, as in ECMAScript and Go, `$` is only the end of the text. Python's `$` also
    # precedes a last line break. A pattern that says so in Python, such as `(?![\s\S])`, is none to
    # Go, and kubeconform refuses the schema.
    if isinstance(found, str) and not re.search(pattern.replace("$", r"\Z"), found):
        yield ValidationError("")  # `_sentences` says it


validator = extend(Draft202012Validator, {"pattern": _check_pattern})  # type: ignore[no-untyped-call]  # as is the library
"""Make a validator of a schema whose `$` are all anchors. It is as strict as `build_settings`."""


def _sentences(error: ValidationError) -> Iterator[SchemaError]:
    """Yield path and sentence of each violation of one rule of the schema."""
    found: Any = error.instance
    rule: Any = error.validator_value
    schema: Any = error.schema
    path = list(error.absolute_path)
    if error.validator == "additionalProperties":
        allowed = list(schema["properties"])
        unknown = [name for name in found if name not in allowed]
        is_in_list = any(isinstance(step, int) for step in path)
        for name in unknown:
            elsewhere = "" if is_in_list else _find_elsewhere(name)
            yield [*path, name], f"unknown field{suggest(name, allowed, elsewhere)}"
    elif "propertyNames" in error.schema_path:
        yield [*path, found], f"unknown field{suggest(found, rule)}"
    elif error.validator == "required":
        yield from (([*path, name], "missing") for name in rule if name not in found)
    elif error.validator == "dependentRequired":
        for name, others in rule.items():
            missing = [other for other in others if name in found and other not in found]
            yield from (([*path, name], f"only allowed together with {other}") for other in missing)
    elif error.validator == "oneOf" and not isinstance(found, dict):
        return  # its type is wrong, which another rule reports
    else:
        yield path, _RULES[str(error.validator)](found, rule, schema)


def _find_elsewhere(name: str) -> str:
    """Return the path of a field with this or a near name, such as `spec.linker.image`."""
    schema = load_schema()
    paths = list(_list_fields(schema, schema, ""))
    names = [str(read_path(path)[-1]) for path in paths]
    near = name if name in names else nearest(name, names)
    same = [path for path, last in zip(paths, names, strict=True) if last == near]
    highest = min((path.count(".") for path in same), default=0)
    return " or ".join(path for path in same if path.count(".") == highest)


def _list_fields(schema: Any, part: Any, path: str) -> Iterator[str]:
    """Yield the paths of all fields of a configuration.

    Fields in the entries of a list are written as `spec.select[].name`.
    """
    definition = schema["$defs"][part["$ref"].rpartition("/")[2]] if "$ref" in part else {}
    for name, below in (definition | part).get("properties", {}).items():
        field = step(path, name)
        yield field
        yield from _list_fields(schema, below, field)
        yield from _list_fields(schema, below.get("items", {}), f"{field}[]")


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
    "const": lambda found, rule, _: (
        f"found {_show(found)}, allowed: {'true' if rule is True else rule}"
    ),
    "type": lambda found, rule, _: _other_type(found, [rule] if isinstance(rule, str) else rule),
    "pattern": lambda found, _, schema: (
        f"found {_show(found)}, expected {_expect_number(found, schema) or schema['$comment']}"
    ),
    "maxLength": lambda found, rule, _: f"found {len(found)} characters, allowed: {rule}",
    "minItems": lambda *_: "must not be empty",
    "minLength": lambda *_: "must not be empty",
    "minimum": lambda found, rule, schema: _outside(found, schema, f"at least {rule}"),
    "maximum": lambda found, rule, schema: _outside(found, schema, f"at most {rule}"),
    "not": lambda _, __, schema: schema["$comment"],
    "oneOf": lambda found, rule, _: _exclusive(found, rule),
}


_CRON = {"minute": 59, "hour": 23, "day": 31, "month": 12, "weekday": 6}


def _expect_number(schedule: str, schema: dict[str, Any]) -> str:
    """Return `0-59 as the minute` for the first number of a schedule that no CronJob accepts."""
    # Of all patterns, only that of a schedule has hours.
    fields = schedule.split() if "hour," in schema["$comment"] else []
    for (name, last), field in zip(_CRON.items(), fields, strict=False):
        first = int(name in {"day", "month"})
        for number in re.findall(r"\d+", field.partition("/")[0]):
            if not first <= int(number[:4]) <= last:
                return f"{first}-{last} as the {name}"
    return ""


def _outside(found: Plain, schema: dict[str, Any], bound: str) -> str:
    what = f"allowed: {schema['$comment']}" if "$comment" in schema else f"expected {bound}"
    return f"found {_show(found)}, {what}"


def _exclusive(found: Any, options: list[Any]) -> str:
    """Write the sentence for fields of which exactly one must be set."""
    names: list[str] = []
    for option in options:
        names += option["required"]
    given = [name for name in names if name in found]
    return f"expected exactly one of {', '.join(names)}, found {' and '.join(given) or 'none'}"


def _other_type(found: Plain, allowed: list[str]) -> str:
    word, hint = str(found).lower(), ""
    # Where YAML has read text as something else, or the other way round, only the quotes are wrong.
    if "string" in allowed and isinstance(found, bool | int | float):
        hint = f': write "{word}"'
    elif allowed == ["boolean"] and word in ("true", "false"):
        hint = f": write {word} without quotes"
    return f"found {_show(found)}, expected {' or '.join(_NAMES[one] for one in allowed)}{hint}"
