"""Fields that are never shown, and those beside them that are."""

import pytest

from krm_fn.base.node import FieldPath, descend, fields, read_path
from krm_fn.core.yaml.reader import read_yaml
from krm_fn.report.secrets import is_hidden

PLAIN = """\
kind: Secret
metadata:
  name: db
  labels: {app: web}
  annotations:
    kubectl.kubernetes.io/last-applied-configuration: value
    argocd.argoproj.io/sync-options: Prune=false
    note: value
  odd: value
type: Opaque
data: {password: value}
stringData: {password: value}
spec: value
"""
OTHER = """\
kind: Bundle
metadata: {annotations: {kubectl.kubernetes.io/last-applied-configuration: value, note: shown}}
data: {level: shown}
spec:
  objects:
  - {kind: Secret, metadata: {name: shown}, stringData: {password: value}}
  - {kind: ConfigMap, data: {level: shown}}
  reference: {kind: Secret, name: shown}
  template: {metadata: {annotations: {checksum/config: value, example.com/config-hash: value}}}
  checksum: shown
"""

HIDDEN = [
    pytest.param(PLAIN, "data.password", id="data"),
    pytest.param(PLAIN, "stringData.password", id="text"),
    pytest.param(PLAIN, "spec", id="a field that no Secret has"),
    pytest.param(PLAIN, "metadata.odd", id="one in its metadata"),
    pytest.param(PLAIN, "metadata.annotations.note", id="an annotation"),
    pytest.param(
        PLAIN,
        "metadata.annotations[kubectl.kubernetes.io/last-applied-configuration]",
        id="all of it",
    ),
    pytest.param(
        OTHER,
        "metadata.annotations[kubectl.kubernetes.io/last-applied-configuration]",
        id="all of another",
    ),
    pytest.param(OTHER, "spec.objects[0].stringData.password", id="a Secret within"),
    pytest.param(OTHER, "spec.template.metadata.annotations[checksum/config]", id="a checksum"),
    pytest.param(OTHER, "spec.template.metadata.annotations[example.com/config-hash]", id="a hash"),
    pytest.param("kind: Secret\nmetadata: value\n", "metadata", id="metadata that is none"),
    pytest.param("kind: Secret\nimmutable: value\n", "immutable", id="a value as immutable"),
    pytest.param("kind: Secret\ntype: value\n", "type", id="a value as the type"),
    pytest.param(
        "kind: Bundle\nspec: {one: {kind: secret, data: {a: value}}}\n",
        "spec.one.data.a",
        id="a Secret within whose kind has a slip",
    ),
    pytest.param(
        "kind: Bundle\nspec: {one: {type: Opaque, data: {a: value}}}\n",
        "spec.one.data.a",
        id="the fields of a Secret within",
    ),
]

SHOWN = [
    pytest.param("kind: Secret\nimmutable: true\n", "immutable", id="whether it is immutable"),
    pytest.param("kind: Secret\ntype: kubernetes.io/tls\n", "type", id="a type of Kubernetes"),
    pytest.param(
        "kind: CustomResourceDefinition\nspec: {properties: {stringData: shown, data: shown}}\n",
        "spec.properties.data",
        id="the schema of a Secret",
    ),
    pytest.param(PLAIN, "type", id="the type"),
    pytest.param(PLAIN, "metadata.labels.app", id="a label"),
    pytest.param(
        PLAIN, "metadata.annotations[argocd.argoproj.io/sync-options]", id="what a deployer reads"
    ),
    pytest.param(OTHER, "data.level", id="data of another kind"),
    pytest.param(OTHER, "metadata.annotations.note", id="an annotation"),
    pytest.param(OTHER, "spec.objects[0].metadata.name", id="the name of a Secret within"),
    pytest.param(OTHER, "spec.objects[1].data.level", id="a ConfigMap within"),
    pytest.param(OTHER, "spec.reference.name", id="a reference"),
    pytest.param(OTHER, "spec.checksum", id="a field that is no annotation"),
]


def hides(text: str, path: FieldPath) -> bool:
    (root,) = read_yaml(text.encode()).roots
    ways = [path[: length + 1] for length in range(len(path)) if isinstance(path[length], str)]
    kind = fields(root)["kind"].value
    return any(is_hidden(kind, way, fields(descend(root, way[:-1]))) for way in ways)


@pytest.mark.parametrize(("text", "field"), HIDDEN)
def test_hidden(text: str, field: str) -> None:
    assert hides(text, read_path(field))


@pytest.mark.parametrize(("text", "field"), SHOWN)
def test_shown(text: str, field: str) -> None:
    assert not hides(text, read_path(field))
