"""Schemas of JSON without fields that they do not know: those are for later versions only."""

import json
from functools import cache
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator
from referencing import Registry, Resource

SCHEMAS = Path(__file__).parents[2] / "schemas"


@cache
def validator(name: str) -> Draft202012Validator:
    """Return the validator of one schema, which may refer to the others by their `$id`."""
    schemas = {path.name: json.loads(path.read_text()) for path in SCHEMAS.glob("*.json")}
    Draft202012Validator.check_schema(schemas[name])
    others = [
        Resource.from_contents(close(schema)) for schema in schemas.values() if "$id" in schema
    ]
    registry = Registry().with_resources((other.id() or "", other) for other in others)
    return Draft202012Validator(close(schemas[name]), registry=registry)


def close(schema: Any) -> Any:
    if isinstance(schema, list):
        return [close(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    closed = {name: close(one) for name, one in schema.items()}
    return (
        {**closed, "additionalProperties": False}
        if isinstance(schema.get("properties"), dict)
        else closed
    )
