"""References inside the data of ConfigMaps and Secrets."""

import base64
import json
import re

import pytest

from krm_fn.base.kind import Kinds
from krm_fn.base.node import Node
from krm_fn.base.problem import Rejected
from krm_fn.base.reference import EmbeddedReference
from krm_fn.core.references.references import find_embedded
from krm_fn.core.references.resolve import Index
from krm_fn.core.yaml.envelope import open_envelope
from krm_fn.core.yaml.reader import read_yaml

_PLACE = re.compile(" at .*|,.*")
HEAD = """\
{apiVersion: v1, kind: ConfigMap, metadata: {name: web, namespace: shop}}
---
{apiVersion: v1, kind: Secret, metadata: {name: db, namespace: shop}}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: other, namespace: elsewhere}}
---
"""

FOUND = [
    pytest.param("configMapName: web", ["ConfigMap web at 15"], id="a field that says so"),
    pytest.param("a: [{secretRef: {name: db}}]", ["Secret db at 23"], id="deep in lists"),
    pytest.param('{"configMapRef": {"name": "web"}}', ["ConfigMap web at 27"], id="JSON"),
    pytest.param(
        "- secretName: db\n- secretName: db\n",
        ["Secret db at 14", "Secret db at 31"],
        id="a list, twice",
    ),
    pytest.param("a: 1\n---\nsecretName: db\n", ["Secret db at 21"], id="the second document"),
    pytest.param(
        "kind: List\nitems:\n- {kind: Pod, spec: {volumes: [{configMap: {name: web}}]}}\n",
        ["ConfigMap web at 68"],
        id="an object of a List",
    ),
    pytest.param('configMapName: "web" # web', ["ConfigMap web at 16"], id="in quotes"),
    pytest.param(
        "configMapName: &web web", ["ConfigMap web at 20"], id="after an anchor of the same name"
    ),
    pytest.param("\ufeffconfigMapName: web", ["ConfigMap web at 16"], id="after a byte order mark"),
    pytest.param(
        'configMapName: "\\x77eb"', ["ConfigMap web, which is nowhere"], id="with an escape"
    ),
    pytest.param("configMapName: >-\n  web", ["ConfigMap web, which is nowhere"], id="folded"),
    pytest.param(
        "metadata: {namespace: elsewhere}\nconfigMapName: other\n",
        ["ConfigMap other at 48"],
        id="an object that sets its own namespace",
    ),
]

NOT_FOUND = [
    pytest.param("configMapName: missing", id="a name that the package does not have"),
    pytest.param("configMapName: other", id="an object of another namespace"),
    pytest.param(
        "metadata: {namespace: elsewhere}\nconfigMapName: web\n",
        id="the same name in another namespace",
    ),
    pytest.param("name: web", id="a name without a hint of its kind"),
    pytest.param("the configMap: web", id="words"),
    pytest.param("configMapName: {{ .Values.config }}", id="a template"),
    pytest.param("configMapName: [web", id="broken YAML"),
    pytest.param("", id="nothing"),
]


def found(value: str, *, kind: str = "ConfigMap") -> list[str]:
    data = base64.b64encode(value.encode()).decode() if kind == "Secret" else value
    holder = f"apiVersion: v1\nkind: {kind}\nmetadata: {{name: holder, namespace: shop}}\ndata:\n  key: {data!r}\n"
    literal = "  key: |\n" + "".join(f"    {line}\n" for line in value.splitlines())
    if "\ufeff" in value:
        literal = f"  key: {json.dumps(value)}\n"
    text = HEAD + (
        holder
        if kind == "Secret"
        else holder.rpartition("  key:")[0] + (literal if value else "  key: ''\n")
    )
    items = open_envelope(read_yaml(text.encode())).items
    embedded = find_embedded(items, Index(items, Kinds()), read_or_nothing)
    return [f"{one.reference.kind} {one.reference.target}{place(one)}" for one in embedded]


def place(one: EmbeddedReference) -> str:
    """Return where the name begins in the value. A value in base64 is not edited."""
    if one.is_encoded:
        return ""
    return f" at {one.span[0]}" if one.span else ", which is nowhere"


def read_or_nothing(text: str) -> list[Node]:
    try:
        return read_yaml(text.encode()).roots
    except Rejected:
        return []


@pytest.mark.parametrize(("value", "expected"), FOUND)
@pytest.mark.parametrize("kind", ["ConfigMap", "Secret"])
def test_a_reference_in_data_is_found(value: str, expected: list[str], kind: str) -> None:
    assert found(value, kind=kind) == [
        one if kind == "ConfigMap" else _PLACE.sub("", one) for one in expected
    ]


@pytest.mark.parametrize("value", NOT_FOUND)
def test_anything_else_is_none(value: str) -> None:
    assert found(value) == []
