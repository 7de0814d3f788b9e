"""The schema says of every field what it means, with an example that is right; editors find it by its address."""

import json
from typing import Any

import pytest
import yaml
from jsonschema import Draft202012Validator

from tests.config_page import ROOT, SCHEMA, list_fields

DOCUMENT = json.loads(SCHEMA.read_text())
FIELDS = list(list_fields())
MODELINE = f"# yaml-language-server: $schema={DOCUMENT['$id']}\n"

each_field = pytest.mark.parametrize(("path", "field"), [pytest.param(*one, id=one[0]) for one in FIELDS])


def test_every_property_is_a_field() -> None:
    """No property of the schema is overlooked: each is reached, or only says more about one that is."""
    shown = {path.rpartition(".")[2] for path, _ in FIELDS} | {"apiVersion", "kind", "metadata", "spec"}
    rare = {"consul.hashicorp.com/connect-inject", "kuma.io/sidecar-injection", "linkerd.io/inject"}
    assert _properties(DOCUMENT) <= shown | rare | {"sidecar.istio.io/inject"}


def _properties(part: Any) -> set[str]:
    if isinstance(part, list):
        return {name for one in part for name in _properties(one)}
    if not isinstance(part, dict):
        return set()
    own = {*part["properties"]} if isinstance(part.get("properties"), dict) else set()
    return own.union(*(_properties(one) for key, one in part.items() if key not in {"examples", "default"}))


@each_field
def test_a_field_has_a_description_and_an_example(path: str, field: dict[str, Any]) -> None:
    assert field["description"].rstrip(".") != field["description"], path
    assert field["examples"], path


@each_field
def test_an_example_is_valid(path: str, field: dict[str, Any]) -> None:
    validator = Draft202012Validator({"$schema": DOCUMENT["$schema"], "$defs": DOCUMENT["$defs"], **field})
    for example in field["examples"]:
        assert not list(validator.iter_errors(example)), path


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
