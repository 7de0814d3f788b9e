"""Texts that contain a name and are no reference: which of them are worth a word, and what is said of each."""

import pytest

from krm_fn.core.decide.run import read_package
from krm_fn.core.references.hits import NameSearch
from krm_fn.core.references.other_texts import sight_rest
from krm_fn.core.yaml.envelope import open_envelope
from krm_fn.core.yaml.reader import read_yaml

CONFIG_MAP = (
    "{apiVersion: v1, kind: ConfigMap, metadata: {name: web-config, namespace: shop}, data: {a: b}}"
)
PROGRAM = "the function changes no text that a program gets"
ANNOTATION = "no rule reads this annotation"
FIELD = "no rule reads this field"
PART = "the function changes no text that just contains a name"


def deployment(container: str, annotations: str = "{}") -> str:
    template = f"{{metadata: {{annotations: {annotations}}}, spec: {{containers: [{container}]}}}}"
    metadata = "metadata: {name: w, namespace: shop}"
    return f"{{apiVersion: apps/v1, kind: Deployment, {metadata}, spec: {{template: {template}}}}}"


def widget(spec: str, metadata: str = "name: w, namespace: shop") -> str:
    return f"{{apiVersion: example.com/v1, kind: Widget, metadata: {{{metadata}}}, spec: {spec}}}"


def mentions(*objects: str, config: str = CONFIG_MAP) -> list[tuple[str, str]]:
    items = open_envelope(read_yaml("\n---\n".join([config, *objects]).encode())).items
    package = read_package(items, None, "")
    known = NameSearch(package.authored, package.read_index())
    found = sight_rest(known, items[:1])
    return [(one.field, one.way.explained) for one in found]


SAID = [
    pytest.param(deployment("{args: [web-config]}"), f"args: {PROGRAM}", id="an argument"),
    pytest.param(
        deployment("{command: [a, 'b web-config']}"),
        f"command: {PROGRAM}",
        id="a word of a command",
    ),
    pytest.param(
        deployment("{env: [{name: A, value: web-config}]}"),
        f"a variable: {PROGRAM}",
        id="a variable",
    ),
    pytest.param(
        deployment("{}", "{note: see web-config}"), ANNOTATION, id="an annotation of a pod template"
    ),
    pytest.param(
        widget("{}", "name: w, annotations: {note: web-config}"), ANNOTATION, id="an annotation"
    ),
    pytest.param(widget("{a: {b: web-config}}"), FIELD, id="a field of a custom resource"),
    pytest.param(
        widget("{a: shop/web-config}"), FIELD, id="a field that holds a namespace and a name"
    ),
    pytest.param(widget("{a: 'use web-config'}"), PART, id="a part of a text"),
    pytest.param(
        widget("{a: {kind: ConfigMap, apiGroup: example.com, name: web-config}}"),
        "the ConfigMap beside it is of another group",
        id="a ConfigMap that is none of Kubernetes",
    ),
    pytest.param(
        "{apiVersion: v1, kind: ConfigMap, metadata: {name: x, namespace: shop}, data: {a: get web-config}}",
        "no field in this text references it by its shape",
        id="a text in data",
    ),
    pytest.param(
        "{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: x}, "
        "rules: [{resourceNames: [web-config]}]}",
        "the rule is about other resources",
        id="a rule about something else",
    ),
    pytest.param(
        widget(
            "{a: web-config}", "name: w, annotations: {config.kubernetes.io/local-config: 'true'}"
        ),
        "the object is for tools, and never applied (config.kubernetes.io/local-config)",
        id="an object for tools",
    ),
    pytest.param(
        widget("{a: {name: web-config, namespace: shop}}", "name: w, namespace: other"),
        FIELD,
        id="a field beside the namespace of the object",
    ),
]


@pytest.mark.parametrize(("text", "why"), SAID)
def test_what_is_said(text: str, why: str) -> None:
    assert [said for _, said in mentions(text)] == [why]


NOTHING = [
    pytest.param(deployment("{name: web-config, image: web-config}"), id="other fields of a pod"),
    pytest.param(widget("{a: web-config-2}"), id="a longer word"),
    pytest.param(widget("{a: {kind: Service, name: web-config}}"), id="a name beside another kind"),
    pytest.param(
        widget("{serviceAccountName: web-config}"), id="a field that names something else"
    ),
    pytest.param(widget("{a: {matchLabels: {app: web-config}}}"), id="labels"),
    pytest.param(widget("{selector: {app: web-config}}"), id="a selector"),
    pytest.param(widget("{}", "name: w, labels: {app: web-config}"), id="a label of the object"),
    pytest.param(widget("{a: web-config}", "name: w, namespace: other"), id="another namespace"),
    pytest.param(
        widget(
            "{}",
            "name: w, annotations: {kubectl.kubernetes.io/last-applied-configuration: web-config}",
        ),
        id="an annotation that repeats the object",
    ),
    pytest.param(
        "{apiVersion: v1, kind: Secret, metadata: {name: x, namespace: shop, annotations: {a: web-config}}, "
        "stringData: {a: web-config}}",
        id="a Secret",
    ),
    pytest.param(
        "{apiVersion: v1, kind: Service, metadata: {name: w, namespace: shop}, spec: {externalName: web-config}}",
        id="a field of a built-in kind",
    ),
    pytest.param(
        "{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: x}, "
        "spec: {a: web-config}}",
        id="a definition",
    ),
    pytest.param(
        "{apiVersion: kustomize.config.k8s.io/v1beta1, kind: Kustomization, resources: [web-config]}",
        id="a kustomization",
    ),
    pytest.param(widget("{}") + "\n---\n" + "{a: web-config}", id="what is no object"),
]


@pytest.mark.parametrize("text", NOTHING)
def test_nothing_is_said(text: str) -> None:
    assert mentions(text) == []


def test_a_plain_word_is_not_looked_for() -> None:
    config = CONFIG_MAP.replace("web-config", "web")
    assert mentions(widget("{a: web}"), config=config) == []


def test_a_name_that_another_object_has_is_not_looked_for() -> None:
    other = "{apiVersion: v1, kind: Service, metadata: {name: web-config, namespace: shop}}"
    assert mentions(widget("{a: web-config}"), other) == []


def test_an_object_does_not_mention_itself() -> None:
    assert mentions(config=CONFIG_MAP.replace("a: b", "a: about web-config")) == []


def test_each_name_in_a_text_is_found_once() -> None:
    assert mentions(widget("{a: web-config and web-config}")) == [("spec.a", PART)]
