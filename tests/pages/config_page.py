"""Write all fields of the schema into docs/configuration.md: `python -m tests.pages.config_page --write`."""

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from krm_fn.base.node import read_path, step

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs/configuration.md"
SCHEMA = ROOT / "schemas" / "configrevisions-revisions.krm-fn.io-v1.json"
MARK = "<!-- made from the schema by `python -m tests.pages.config_page --write` -->\n"

_DEFAULT = re.compile(r" Default: .*?\.(?= |$)")
"""The sentence of a description that says the default, which has a place of its own on the page."""

_TYPES = {
    "string": "Text",
    "integer": "Whole number",
    "boolean": "`true` or `false`",
    "array": "List",
    "object": "Mapping",
}


def page() -> str:
    """Return the page: what is written by hand, and one section for each field.

    Fields of which all is the same share one.
    """
    written = PAGE.read_text().partition(MARK)[0]
    paths: dict[str, list[str]] = {}
    for path, field in list_fields():
        paths.setdefault(_section(path, field), []).append(f"`{path}`")
    sections = (f"\n### {', '.join(alike)}\n\n{text}" for text, alike in paths.items())
    return written + MARK + "".join(sections)


def list_fields() -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the path and the schema of every field that may be set: `spec.select[].name`."""
    schema = json.loads(SCHEMA.read_text())
    for path, field in _below(schema, schema, ""):
        if path not in {"apiVersion", "kind", "metadata", "spec"}:
            yield path, field


def _below(
    schema: dict[str, Any], part: dict[str, Any], path: str
) -> Iterator[tuple[str, dict[str, Any]]]:
    for name, value in part.get("properties", {}).items():
        field = _resolve(schema, value)
        below = step(path, name)
        yield below, field
        # A file of kustomize holds the same entries as the list.
        if name != "nameReference":
            yield from _below(schema, field, below)
    for form in ("items", "then", "else"):
        if form in part:
            yield from _below(
                schema, _resolve(schema, part[form]), f"{path}[]" if form == "items" else path
            )


def _resolve(schema: dict[str, Any], field: dict[str, Any]) -> dict[str, Any]:
    definition = schema["$defs"][field["$ref"].rpartition("/")[2]] if "$ref" in field else {}
    found = {**definition, **field}
    # What a reference refers to may be one itself.
    return (
        _resolve(schema, {**found, "$ref": definition["$ref"]}) if "$ref" in definition else found
    )


def _section(path: str, field: dict[str, Any]) -> str:
    name = read_path(path)[-1]
    facts = [_type(field)]
    if "default" in field:
        facts.append(f"Default: {_shown(field['default'])}.")
    examples = ", ".join(f"`{name}: {_flow(one)}`" for one in field["examples"])
    description = (
        _DEFAULT.sub("", field["description"]) if "default" in field else field["description"]
    )
    values = field.get("items", {})
    pairs = zip(values.get("enum", ()), values.get("enumDescriptions", ()), strict=False)
    told = "".join(f"* `{one}`: {text}\n" for one, text in pairs)
    listed = f"\n{told}" if told else ""
    return f"{description}\n{listed}\n{' '.join(facts)} Example: {examples}\n"


def _type(field: dict[str, Any]) -> str:
    if "const" in field:
        return f"Only {_shown(field['const'])}."
    if "enum" in field:
        return f"One of {', '.join(f'`{one}`' for one in field['enum'])}."
    values = field.get("items", {}).get("enum")
    if values:
        return f"List of {', '.join(map(_shown, values))}."
    comment = f": {field['$comment']}" if "$comment" in field else ""
    return f"{_TYPES.get(field.get('type', 'array'), 'List')}{comment}."


def _shown(value: Any) -> str:
    return f"`{_flow(value)}`"


def _flow(value: Any) -> str:
    """Return a value as YAML on one line."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {_flow(one)}" for key, one in value.items()) + "}"
    if isinstance(value, list):
        return f"[{', '.join(map(_flow, value))}]"
    if isinstance(value, str):
        return f'"{value}"' if not value or value in {"true", "false"} or value.isdigit() else value
    return str(value).lower() if isinstance(value, bool) else str(value)


if __name__ == "__main__":
    if sys.argv[1:] == ["--write"]:
        PAGE.write_text(page())
    else:
        print(page(), end="")
