"""Show the configuration of the function in `krm-fn --help`, which `kpt fn doc` runs in the image."""

import json
from importlib.resources import files
from typing import Any

import click

_SCHEMA = "configrevisions-revisions.krm-fn.io-v1.json"
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
    """Return the path of each field with its first sentence and its default. Lists of objects are one field."""
    schema: dict[str, Any] = json.loads(files("krm_fn.schemas").joinpath(_SCHEMA).read_bytes())
    spec: dict[str, Any] = schema["properties"]["spec"]["properties"]
    return [
        (path, _short(field))
        for name, parent in spec.items()
        for path, field in [
            (name, parent),
            *((f"{name}.{key}", child) for key, child in parent.get("properties", {}).items()),
        ]
    ]


def _short(field: dict[str, Any]) -> str:
    first, *others = field["description"].replace("`", "").split(". ")
    default = [sentence for sentence in others if sentence.startswith("Default: ")]
    return " ".join(f"{sentence.rstrip('.')}." for sentence in (first, *default))
