"""The schema says of every field what it means, with an example that is right; editors find it by its address."""

import json
import re
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from jsonschema import Draft202012Validator

from krm_fn.base.node import read_path
from krm_fn.core.config.build import build_settings
from krm_fn.core.config.plain import Invalid
from tests.pages.config_page import PAGE, ROOT, SCHEMA, list_fields

DOCUMENT = json.loads(SCHEMA.read_text())
FIELDS = list(list_fields())
MODELINE = f"# yaml-language-server: $schema={DOCUMENT['$id']}\n"

each_field = pytest.mark.parametrize(
    ("path", "field"), [pytest.param(*one, id=one[0]) for one in FIELDS]
)


def test_every_property_is_a_field() -> None:
    """No property of the schema is overlooked: each is reached, or only says more about one that is."""
    shown = {str(read_path(path)[-1]) for path, _ in FIELDS} | {
        "apiVersion",
        "kind",
        "metadata",
        "spec",
    }
    assert _properties(DOCUMENT) <= shown


def _properties(part: Any) -> set[str]:
    if isinstance(part, list):
        return {name for one in part for name in _properties(one)}
    if not isinstance(part, dict):
        return set()
    own = {*part["properties"]} if isinstance(part.get("properties"), dict) else set()
    return own.union(
        *(_properties(one) for key, one in part.items() if key not in {"examples", "default"})
    )


def _patterns(part: Any) -> Iterator[str]:
    """Yield the regular expressions of a schema."""
    if isinstance(part, list):
        yield from (pattern for one in part for pattern in _patterns(one))
    if isinstance(part, dict):
        yield from [part["pattern"]] if isinstance(part.get("pattern"), str) else []
        yield from part.get("patternProperties", {})
        yield from (pattern for one in part.values() for pattern in _patterns(one))


def _ask_kubeconform(program: Path, schemas: Path, *files: Path) -> dict[str, str]:
    """Return what it says of each file, with the location of schemas that the page names."""
    (location,) = re.findall(r"'https://krm-fn.io/schemas(/\S+)'", PAGE.read_text())
    done = subprocess.run(
        [program, "-output=json", "-verbose", "-schema-location", f"{schemas}{location}", *files],
        capture_output=True,
        text=True,
        check=False,
    )
    return {
        Path(one["filename"]).name: one["status"] for one in json.loads(done.stdout)["resources"]
    }


@each_field
def test_a_field_has_a_description_and_an_example(path: str, field: dict[str, Any]) -> None:
    assert field["description"].rstrip(".") != field["description"], path
    assert field["examples"], path


@each_field
def test_an_example_is_valid(path: str, field: dict[str, Any]) -> None:
    validator = Draft202012Validator(
        {"$schema": DOCUMENT["$schema"], "$defs": DOCUMENT["$defs"], **field}
    )
    for example in field["examples"]:
        assert not list(validator.iter_errors(example)), path


EXAMPLES = [
    (path, example)
    for paths, _, text in (part.partition("`\n") for part in PAGE.read_text().split("\n### `")[1:])
    for path in paths.split("`, `")
    for example in text.partition("Example: ")[2].strip().strip("`").split("`, `")
]


BESIDE: dict[str | int, list[dict[str, Any]]] = {
    "references": [{"kind": "ConfigMap", "fieldSpecs": [{"path": "spec/configName"}]}],
    "fieldSpecs": [{"path": "spec/configName"}],
    "mounts": [
        {"configMap": "web-config", "path": "/etc/web"},
        {"configMap": "web-config", "envFrom": True},
        {"configMap": "web-config"},
        {"path": "/etc/web"},
    ],
    "projected": [{"configMap": "web-config"}, {}],
    "items": [{"key": "app.yaml", "path": "app.yaml"}],
}
"""What an entry of such a list may hold beside the field of an example: one of these has to fit."""


@pytest.mark.parametrize(("path", "example"), EXAMPLES)
def test_an_example_of_the_page_is_accepted_by_the_function(path: str, example: str) -> None:
    """It is read as it is written there, in the place that its heading names."""
    written = yaml.safe_load(example)
    *above, last = read_path(path)
    assert [*written] == [last]
    assert any(map(is_accepted, place_part(written, above)))


def place_part(
    part: dict[str | int, Any], above: list[str | int]
) -> Iterator[dict[str | int, Any]]:
    """Yield configurations that have a part in this place; `read_path` reads `[]` as None."""
    if not above:
        yield part
    elif above[-1] is not None:
        yield from place_part({above[-1]: part}, above[:-1])
    else:
        for beside in BESIDE.get(above[-2], [{}]):
            yield from place_part({above[-2]: [{**beside, **part}]}, above[:-2])


def is_accepted(configuration: Any) -> bool:
    try:
        build_settings({"metadata": {"name": "shop"}, **configuration})
    except Invalid:
        return False
    return True


@pytest.mark.needs("kubeconform")
def test_kubeconform_validates_with_the_schema(
    require_tool: Callable[[str], Path], tmp_path: Path
) -> None:
    right, wrong = tmp_path / "right.yaml", tmp_path / "wrong.yaml"
    right.write_text((ROOT / "examples/canary/krm-fn.yaml").read_text())
    wrong.write_text(right.read_text().replace("name: ", "name: -", 1))
    assert _ask_kubeconform(require_tool("kubeconform"), SCHEMA.parent, right, wrong) == {
        "right.yaml": "statusValid",
        "wrong.yaml": "statusInvalid",
    }


PATTERNS = sorted(
    {
        one
        for file in (ROOT / "schemas").glob("*.json")
        for one in _patterns(json.loads(file.read_text()))
    }
)


@pytest.mark.needs("kubeconform")
def test_go_understands_all_patterns(require_tool: Callable[[str], Path], tmp_path: Path) -> None:
    """Let kubeconform compile all patterns of all schemas: it does so before it looks at a value."""
    (tmp_path / SCHEMA.name).write_text(
        json.dumps({"allOf": [{"pattern": one} for one in PATTERNS]})
    )
    manifest = ROOT / "examples/canary/krm-fn.yaml"
    assert [*_ask_kubeconform(require_tool("kubeconform"), tmp_path, manifest).values()] == [
        "statusValid"
    ]


@pytest.mark.needs("node")
def test_ecmascript_understands_all_patterns(require_tool: Callable[[str], Path]) -> None:
    """It is what JSON Schema asks for, and what editors use."""
    compiled = "JSON.parse(process.argv[1]).forEach(one => new RegExp(one, 'u'))"
    subprocess.run([require_tool("node"), "--eval", compiled, json.dumps(PATTERNS)], check=True)


def test_a_dollar_is_always_the_end_of_the_text() -> None:
    """`krm_fn/core/config/why_invalid.py` replaces it."""
    assert len(PATTERNS) > 5
    assert not [
        one for one in PATTERNS if "\\$" in one or "$" in "".join(re.findall(r"\[[^]]*\]", one))
    ]


def test_the_examples_name_the_schema_in_their_first_line() -> None:
    for path in sorted((ROOT / "examples").glob("**/krm-fn.yaml")):
        text = path.read_text()
        assert text.startswith(MODELINE), path
        assert yaml.safe_load(text)["kind"] == "ConfigRevisions"
    assert MODELINE in (ROOT / "docs/configuration.md").read_text()


def test_the_entry_for_schemastore_fits() -> None:
    entry = json.loads((ROOT / "contrib/schemastore/catalog-entry.json").read_text())
    assert set(entry) == {"name", "description", "fileMatch", "url"}
    assert entry["url"] == DOCUMENT["$id"]
    assert "krm-fn.yaml" in entry["fileMatch"]
    assert "schema" not in entry["description"].lower()  # a rule of the catalog
