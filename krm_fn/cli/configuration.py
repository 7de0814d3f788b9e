"""Show the configuration of the function in `krm-fn --help`, which `kpt fn doc` runs in the image."""

from typing import Any

import click

from krm_fn.config.load_schema import load_schema

_EXAMPLE = """\
apiVersion: revisions.krm-fn.io/v1
kind: ConfigRevisions
metadata:
  name: shop                    # the set, unique in a namespace
spec:
  kinds: [ConfigMap, Secret]
  select:
  - {name: web-*, labels: {tier: web}}
"""


class GroupWithConfiguration(click.Group):
    """A group of commands whose help ends with the fields of the functionConfig, as its schema describes them."""

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002  # of click
        """Write the example and the fields. A Kptfile may set the same fields as a map from paths to texts."""
        with formatter.section("Configuration of the function (functionConfig)"):
            for line in _EXAMPLE.splitlines():
                formatter.write(f"  {line}\n")
            formatter.write_paragraph()
            formatter.write_text(
                "All fields of spec are optional. In the configMap of a Kptfile and after `kpt fn eval ... --`, write "
                "name=shop, kinds=ConfigMap,Secret, linker.image=IMAGE and so on."
            )
        with formatter.section("Fields of spec"):
            formatter.write_dl(_fields())


def _fields() -> list[tuple[str, str]]:
    """Return the path of each field with what it does and its default. Lists of objects are one field."""
    schema = load_schema()
    rows: list[tuple[str, dict[str, Any]]] = []
    for name, field in schema["properties"]["spec"]["properties"].items():
        rows.append((name, field))
        rows += [(f"{name}.{key}", child) for key, child in field.get("properties", {}).items()]
    return [(path, _short({**_definition(schema, field), **field})) for path, field in rows]


def _definition(schema: dict[str, Any], field: dict[str, Any]) -> dict[str, Any]:
    definition: dict[str, Any] = schema["$defs"][field["$ref"].rpartition("/")[2]] if "$ref" in field else {}
    return definition


def _short(field: dict[str, Any]) -> str:
    """Return the first sentence of the description, the values of an enumeration, and the default."""
    first, *others = field["description"].replace("`", "").rstrip(".").split(". ")
    values = [f"One of {', '.join(field['enum'])}"] if "enum" in field else []
    default = [sentence for sentence in others if sentence.startswith("Default: ")]
    return " ".join(f"{sentence}." for sentence in (first, *values, *default))
