"""The configuration as a Markdown table, generated from the schema."""

import json
from pathlib import Path
from typing import Any

SCHEMA = Path(__file__).parent.parent / "schemas" / "configrevisions-revisions.krm-fn.io-v1.json"


_LISTS = ("select", "mounts")
"""Fields whose entries get their own rows."""


def config_table() -> str:
    """Return the table: one row for each field, with its default."""
    schema = json.loads(SCHEMA.read_text())
    properties = schema["properties"]
    rows = [("metadata.name", properties["metadata"]["properties"]["name"])]
    for name, field in properties["spec"]["properties"].items():
        rows.append((f"spec.{name}", field))
        entry = _resolve(schema, field.get("items", {})).get("properties", {}) if name in _LISTS else {}
        rows += [(f"spec.{name}[].{key}", _resolve(schema, value)) for key, value in entry.items()]
        rows += [(f"spec.{name}.{key}", value) for key, value in field.get("properties", {}).items()]
    lines = [f"| `{name}` | {_default(field)} | {field['description']} |" for name, field in rows]
    return "\n".join(["| Field | Default | |", "|---|---|---|", *lines]) + "\n"


def _resolve(schema: dict[str, Any], field: dict[str, Any]) -> dict[str, Any]:
    definition = schema["$defs"][field["$ref"].rpartition("/")[2]] if "$ref" in field else {}
    return {**definition, **field}


def _default(field: dict[str, Any]) -> str:
    if "default" not in field:
        return ""
    default = field["default"]
    if isinstance(default, dict):
        return f"`{json.dumps(default)}`".replace('"', "")
    return f"`[{', '.join(default)}]`" if isinstance(default, list) else f"`{str(default).lower()}`"


if __name__ == "__main__":
    print(config_table(), end="")
