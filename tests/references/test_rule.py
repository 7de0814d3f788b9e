"""Every reference says which rule found it."""

import pytest

from krm_fn.base.item import read_item
from krm_fn.base.node import Mapping
from krm_fn.base.reference import By
from krm_fn.base.settings import FieldSpec
from krm_fn.core.references.find import find_references
from krm_fn.core.yaml.reader import read_yaml


def of_kind(api_version: str, kind: str, rest: str) -> str:
    return f"apiVersion: {api_version}\nkind: {kind}\n{rest}"


POD = "spec: {volumes: [{configMap: {name: a}}]}"
SETTING = "spec: {settings: {kind: ConfigMap, name: a}}"
OF_OPERATOR = "spec: {relabelConfig: {name: a, key: b}}"
CERTIFICATE = "spec: {secretName: a}"
WRITTEN = "spec: {writeConnectionSecretToRef: {name: a}}"
TEMPLATE = "spec: {template: {metadata: {annotations: {dapr.io/app-token-secret: a}}}}"
INGRESS = "metadata: {annotations: {nginx.org/basic-auth-secret: a}}"
ROLE = "rules: [{apiGroups: [''], resources: [configmaps], resourceNames: [a]}]"
OWN_FIELD = "spec: {config: a}"

CASES = [
    pytest.param(
        of_kind("v1", "Pod", POD), By.SHAPE, "name in *ConfigMap", id="a mapping with a name"
    ),
    pytest.param(
        of_kind("e.x/v1", "Widget", CERTIFICATE), By.SHAPE, "*SecretName", id="a name as text"
    ),
    pytest.param(
        of_kind("e.x/v1", "Widget", SETTING),
        By.SHAPE,
        "name beside kind: ConfigMap",
        id="a kind beside it",
    ),
    pytest.param(
        of_kind("e.x/v1", "Widget", WRITTEN),
        By.SHAPE,
        "name in writeConnectionSecretToRef",
        id="a field by its name",
    ),
    pytest.param(
        of_kind("monitoring.coreos.com/v1", "Alertmanager", "spec: {a: {name: a, key: b}}"),
        By.TABLE,
        "name beside key",
        id="a key of a Secret",
    ),
    pytest.param(
        of_kind("operator.victoriametrics.com/v1", "VMAgent", OF_OPERATOR),
        By.TABLE,
        "name in relabelConfig",
        id="a key of a ConfigMap",
    ),
    pytest.param(
        of_kind("apps/v1", "Deployment", TEMPLATE),
        By.TABLE,
        "annotation dapr.io/app-token-secret of pods",
        id="an annotation of a pod template",
    ),
    pytest.param(
        of_kind("networking.k8s.io/v1", "Ingress", INGRESS),
        By.TABLE,
        "annotation nginx.org/basic-auth-secret",
        id="an annotation",
    ),
    pytest.param(
        of_kind("velero.io/v1", "BackupStorageLocation", "spec: {credential: {name: a}}"),
        By.TABLE,
        "spec/credential",
        id="a field of a kind",
    ),
    pytest.param(
        of_kind("cert-manager.io/v1", "Certificate", CERTIFICATE),
        By.PRODUCER,
        "spec/secretName",
        id="what is made",
    ),
    pytest.param(
        of_kind("rbac.authorization.k8s.io/v1", "Role", ROLE),
        By.RBAC,
        "resourceNames of a rule that covers the kind",
        id="a role",
    ),
    pytest.param(
        of_kind("e.x/v1", "Widget", OWN_FIELD),
        By.REFERENCES,
        "spec.references[0].fieldSpecs[0]",
        id="a field that is configured",
    ),
]
"""Whole objects, the kind of rule, and its text."""

CONFIGURED = FieldSpec(
    target="ConfigMap", kind="Widget", path="spec/config", entry="spec.references[0].fieldSpecs[0]"
)


@pytest.mark.parametrize(("text", "by", "rule"), CASES)
def test_a_reference_says_what_found_it(text: str, by: By, rule: str) -> None:
    root: Mapping = read_yaml(text.encode()).roots[0]  # type: ignore[assignment]  # these texts are mappings
    (found,) = find_references(root, read_item(root).id, (CONFIGURED,)).references
    assert (found.rule.by, found.rule.text) == (by, rule)


def test_a_field_that_is_found_anyway_does_not_need_its_entry() -> None:
    text = of_kind("e.x/v1", "Widget", "spec: {configMapRef: {name: a}}")
    root: Mapping = read_yaml(text.encode()).roots[0]  # type: ignore[assignment]  # as above
    spec = FieldSpec(
        target="ConfigMap", path="spec/configMapRef/name", entry="spec.references[0].fieldSpecs[0]"
    )
    (found,) = find_references(root, read_item(root).id, (spec,)).references
    assert found.rule.by is By.SHAPE
