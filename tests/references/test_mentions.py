"""A name in other text is found where the text says what it is, and nowhere else.

The forms are those of programs that read such texts. Each is tried in every place that can hold it, with names that
are near misses, and with objects of which something else has the name too.
"""

from collections.abc import Iterator
from itertools import product
from typing import Any, NamedTuple

import pytest
import yaml

from krm_fn.base.kind import Kinds
from krm_fn.core.references.hits import NameSearch
from krm_fn.core.references.names_in_texts import sight_texts
from krm_fn.core.references.references import find_authored
from krm_fn.core.references.resolve import Index
from krm_fn.core.references.sighting import TEXT_FOR_PEOPLE, Sighting
from krm_fn.core.yaml.envelope import open_envelope
from krm_fn.core.yaml.reader import read_yaml

NAME, NAMESPACE = "web-config", "shop"


class Form(NamedTuple):
    """A way to name a ConfigMap. `text` has `@` for the name. `for_people`: no program reads it."""

    text: str
    for_people: bool = False


FORMS = {
    "a volume in JSON": Form('[{"name":"cfg","configMap":{"name":"@"}}]'),
    "a volume in JSON, behind others": Form(
        '[{"name":"a","emptyDir":{}},{"name":"b","configMap":{"items":[{"key":"k","path":"p"}],"name":"@"}}]'
    ),
    "a volume in YAML": Form("- name: cfg\n  configMap:\n    defaultMode: 420\n    name: @\n"),
    "a patch in JSON 6902": Form(
        "- op: add\n  path: /spec/volumes/-\n  value: {name: v, configMap: {name: @}}\n"
    ),
    "a pointer of JSON 6902": Form(
        "- op: add\n  path: /spec/volumes/0/configMap/name\n  value: @\n"
    ),
    "a pointer in JSON": Form(
        '[{"op":"add","path":"/spec/containers/0/envFrom/-/configMapRef","value":{"name":"@"}}]'
    ),
    "a patch with its value first": Form(
        "- op: add\n  value:\n    name: @\n  path: /spec/containers/0/envFrom/-/configMapRef\n"
    ),
    "a patch in JSON with its value first": Form(
        '[{"value":"@","op":"replace","path":"/spec/volumes/0/configMap/name"}]'
    ),
    "an envFrom in a patch": Form(
        "- op: add\n  path: /spec/containers/0/envFrom\n  value:\n  - configMapRef:\n      name: '@'\n"
    ),
    "a path of the API": Form("/api/v1/namespaces/shop/configmaps/@"),
    "a path of the API with a variable": Form(
        "/api/v1/namespaces/{{request.namespace}}/configmaps/@"
    ),
    "an expression in CEL": Form(
        'Object.spec.volumes{name: "v", configMap: Object.spec.volumes.configMap{name: "@"}}'
    ),
    "a call in CEL": Form('resource.Get("v1", "configmaps", "shop", "@").data.level'),
    "a provider of Kafka": Form("${configmaps:shop/@:LOG_LEVEL}"),
    "a template of Go": Form('{{ fromConfigMap "shop" "@" "level" }}'),
    "a list behind a key": Form("env:A,configmap:@,key:k"),
    "a table in TOML": Form(
        '[[runners.kubernetes.volumes.config_map]]\n  name = "@"\n  mount_path = "/etc/x"\n'
    ),
    "a list in TOML": Form('config_maps = ["other", "@"]\n'),
    "a list in YAML": Form("configMaps:\n- other\n- @\n"),
    "a kind before the name": Form("kind: ConfigMap\nname: @\n"),
    "a kind behind the name": Form("name: @\nkind: ConfigMap\n"),
    "a kind in small letters": Form("{kind: configmap, name: @}"),
    "an argument": Form("--from-configmap @ --key k"),
    "kubectl": Form("kubectl get configmap @ -o yaml"),
    "a call in Python": Form("v1.patch_namespaced_config_map('@', 'shop', body)"),
    "a call in Ruby": Form("client.get_config_map '@', 'shop'"),
    "a resource of Terraform": Form(
        'resource "kubernetes_config_map_v1_data" "x" { metadata { name = "@" } }'
    ),
    "a block of Terraform": Form(
        'data "kubernetes_config_map" "x" {\n  metadata {\n    name = "@"\n  }\n}\n'
    ),
    "a variable of Beats": Form("hosts: ${kubernetes.shop.@.level}"),
    "a URL": Form("kubernetes://@"),
    "a URL of the kind": Form("configmap://@/level"),
    "a sentence": Form("The settings are in the ConfigMap @ of this namespace.", for_people=True),
    "a sentence, the name first": Form("See the @ ConfigMap.", for_people=True),
    "a comment": Form("# configMap: @\nlevel: info\n", for_people=True),
}

NEAR_MISSES = {
    "the end of a longer name": "configMap: my-@",
    "the start of a longer name": "configMap: @-old",
    "the start of a name with a dot": "configMap: @.old",
    "the end of a longer word": "configMap: my_@",
    "with capitals around it": "configMap: MY@X",
    "with a prefix from a template": "configMap: {{ .Release.Name }}@",
    "with a suffix from a template": "configMap: @{{ .Values.suffix }}",
    "with a hash behind it": "configMap: @-5t7h9k2b4c",
    "without a kind": "use @ here",
    "behind an empty line": "configMap: other\n\nservice: @\n",
    "behind another setting": "configMap:\n  name: other\nservice: @\n",
    "behind another kind": "kind: ConfigMap\nname: other\n---\nkind: Service\nname: @\n",
    "far from it": "configMap: other " + "x " * 200 + "@",
    "beside another object's name": "my-configmap, @",
    "a folder of mounts": "/etc/configmaps/@/level",
    "in the next line of a script": "kubectl get configmap other\ncat @\n",
    "only of the other kind": "secretName: @",
    "a path in a vault": "secret/data/@",
    "behind a folder that is a path": '{"path":"/etc/configmaps/x","service":"@"}',
    "the value of the patch before": (
        '[{"path":"/a/name","value":"@"},{"path":"/b/configMap/name","value":"x"}]'
    ),
    "a value in YAML of the patch before": (
        "- path: /a/name\n  value: @\n- path: /b/configMap/name\n  value: x\n"
    ),
    "no value of the patch": '[{"from":"@","path":"/a/configMap/name"}]',
    "a Secret's key in the syntax of Argo CD": "clientID: $@:id",
    "a variable of another namespace": "${kubernetes.bank.@.level}",
    "a host": "${url.@.shop.svc}",
    "behind a block": 'data "kubernetes_config_map" "x" {\n}\nname = "@"\n',
    "in another namespace": "/api/v1/namespaces/bank/configmaps/@",
    "with another namespace in front": "${configmaps:bank/@:LOG_LEVEL}",
}


def _object(kind: str, api_version: str, name: str, **more: Any) -> dict[str, Any]:
    metadata = {"name": name, "namespace": NAMESPACE, **more.pop("metadata", {})}
    return {"apiVersion": api_version, "kind": kind, "metadata": metadata, **more}


CONFIG = _object("ConfigMap", "v1", NAME, data={"level": "info"})

PLACES = {
    "an annotation": lambda text: _object(
        "Service", "v1", "s", metadata={"annotations": {"example.com/x": text}}
    ),
    "an annotation of a pod template": lambda text: _object(
        "Deployment",
        "apps/v1",
        "d",
        spec={"template": {"metadata": {"annotations": {"example.com/x": text}}}},
    ),
    "an annotation of a CronJob's pods": lambda text: _object(
        "CronJob",
        "batch/v1",
        "c",
        spec={
            "jobTemplate": {
                "spec": {"template": {"metadata": {"annotations": {"example.com/x": text}}}}
            }
        },
    ),
    "a field of a custom resource": lambda text: _object(
        "Widget", "example.com/v1", "w", spec={"rules": [{"text": text}]}
    ),
    "an annotation in a custom resource": lambda text: _object(
        "Widget",
        "example.com/v1",
        "w",
        spec={"resources": [{"metadata": {"annotations": {"example.com/x": text}}}]},
    ),
    "an expression of an admission policy": lambda text: _object(
        "MutatingAdmissionPolicy",
        "admissionregistration.k8s.io/v1",
        "p",
        spec={"mutations": [{"jsonPatch": {"expression": text}}]},
    ),
    "data": lambda text: _object("ConfigMap", "v1", "settings", data={"config.toml": text}),
}

SILENT_PLACES = {
    "data of a Secret": lambda text: _object("Secret", "v1", "settings", stringData={"x": text}),
    "a status": lambda text: _object("Widget", "example.com/v1", "w", status={"text": text}),
    "a label": lambda text: _object(
        "Widget", "example.com/v1", "w", metadata={"labels": {"x": text}}
    ),
    "what tools write": lambda text: _object(
        "Service",
        "v1",
        "s",
        metadata={"annotations": {"kubectl.kubernetes.io/last-applied-configuration": text}},
    ),
    "an object for tools": lambda text: _object(
        "Widget",
        "example.com/v1",
        "w",
        metadata={"annotations": {"config.kubernetes.io/local-config": "true"}},
        spec={"text": text},
    ),
    "the object itself": lambda text: {
        **CONFIG,
        "metadata": {**CONFIG["metadata"], "annotations": {"example.com/x": text}},
    },
}


def find(*objects: dict[str, Any]) -> list[Sighting]:
    text = "\n---\n".join(map(yaml.safe_dump, objects)).encode()
    items = open_envelope(read_yaml(text)).items
    index = Index([one for one in items if one.is_config], Kinds(items))
    references = find_authored(items, index, (), ()).references
    return [*sight_texts(NameSearch(items, index, references))]


def _each() -> Iterator[Any]:
    for (form, one), (place, at) in product(FORMS.items(), PLACES.items()):
        yield pytest.param(one, at, id=f"{form} in {place}")


@pytest.mark.parametrize(("form", "place"), [*_each()])
def test_each_form_is_found_in_each_place(form: Form, place: Any) -> None:
    found = find(CONFIG, place(form.text.replace("@", NAME)))
    assert [(one.target.id.name, one.way is TEXT_FOR_PEOPLE) for one in found] == [
        (NAME, form.for_people)
    ]
    (one,) = found
    assert one.scalar is not None
    assert one.scalar.value[one.start :].startswith(NAME)


def _each_miss() -> Iterator[Any]:
    for (miss, text), (place, at) in product(NEAR_MISSES.items(), PLACES.items()):
        yield pytest.param(text, at, id=f"{miss} in {place}")


@pytest.mark.parametrize(("text", "place"), [*_each_miss()])
def test_a_near_miss_is_none(text: str, place: Any) -> None:
    assert find(CONFIG, place(text.replace("@", NAME))) == []


@pytest.mark.parametrize("place", SILENT_PLACES.values(), ids=SILENT_PLACES)
@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_nothing_is_found_where_no_program_looks(form: Form, place: Any) -> None:
    written = place(form.text.replace("@", NAME))
    objects = [written] if written["metadata"]["name"] == NAME else [CONFIG, written]
    assert find(*objects) == []


@pytest.mark.parametrize(
    ("key", "value", "is_found"),
    [
        pytest.param("example.com/configmap", NAME, True, id="the key says ConfigMap"),
        pytest.param("example.com/mount-config", NAME, True, id="the key says config"),
        pytest.param("example.com/extra-volumes", f"other,{NAME}", True, id="a list of volumes"),
        pytest.param("example.com/cm", NAME, True, id="the key says cm"),
        pytest.param("example.com/copy-from", f"shop/{NAME}", True, id="its namespace is there"),
        pytest.param("example.com/env-config", f"A={NAME}:a,B=b", True, id="as Dapr's variables"),
        pytest.param("example.com/env-config", f"A=a:{NAME}", False, id="a key of another one"),
        pytest.param("example.com/env", f"A={NAME}:a", False, id="a variable, without a kind"),
        pytest.param("example.com/secret", NAME, False, id="the key says another kind"),
        pytest.param("example.com/app", NAME, False, id="the key says nothing"),
        pytest.param("example.com/acme", NAME, False, id="cm is a part of a word"),
        pytest.param("example.com/copy-from", f"bank/{NAME}", False, id="another namespace"),
        pytest.param("example.com/config", f"{NAME}.yaml", False, id="a longer name"),
        pytest.param("example.com/config", f"a {NAME} b", False, id="a part of the text"),
        pytest.param("configmap.reloader.stakater.com/reload", NAME, False, id="a restart request"),
    ],
)
def test_an_annotation_that_is_the_name(key: str, value: str, *, is_found: bool) -> None:
    service = _object("Service", "v1", "s", metadata={"annotations": {key: value}})
    assert bool(find(CONFIG, service)) is is_found


@pytest.mark.parametrize(
    ("text", "is_found"),
    [
        pytest.param("clientID: $web-login:id", True, id="a key of it, as Argo CD spells it"),
        pytest.param("clientID: $my-web-login:id", False, id="a key of another one"),
        pytest.param("echo $web-login", False, id="a variable of a shell"),
        pytest.param('{"user":"ENC[k8s_secret@shop/web-login/user]"}', True, id="as Datadog does"),
        pytest.param("ENC[k8s_secret@bank/web-login/user]", False, id="of another namespace"),
        pytest.param("ENC[file@shop/web-login]", False, id="a file of Datadog"),
        pytest.param("a: ref+k8s://v1/Secret/shop/web-login/id", True, id="as vals does"),
        pytest.param("ref+k8s://v1/Secret/bank/web-login/id", False, id="vals elsewhere"),
        pytest.param("ref+k8s://v1/ConfigMap/shop/web-login/id", False, id="vals, another kind"),
        pytest.param("ref+k8s://shop/web-login#id", True, id="as an operator for vals does"),
        pytest.param("k8s://shop/web-login/id", True, id="a URL with a key"),
        pytest.param("k8s://shop/other/web-login", True, id="a URL with more folders"),
        pytest.param("k8s://bank/web-login", False, id="a URL of another namespace"),
        pytest.param("k8s://web-login/other/id", False, id="a namespace of the name"),
        pytest.param(
            "- op: add\n  path: /spec/imagePullSecrets/-\n  value: {name: web-login}\n",
            True,
            id="a patch that adds it to a list",
        ),
    ],
)
@pytest.mark.parametrize("place", PLACES.values(), ids=PLACES)
def test_a_text_that_means_a_secret(text: str, place: Any, *, is_found: bool) -> None:
    secret = _object("Secret", "v1", "web-login", stringData={"id": "x"})
    assert bool(find(secret, place(text))) is is_found


@pytest.mark.parametrize(
    ("value", "is_found"),
    [
        pytest.param(f"shop/{NAME}", True, id="as ingress-nginx reads add-headers"),
        pytest.param(f"bank/{NAME}", False, id="in another namespace"),
        pytest.param(NAME, False, id="a word without a namespace"),
        pytest.param(f"shop/{NAME}:80", False, id="a port of a Service"),
        pytest.param(f"registry/shop/{NAME}", False, id="a path"),
    ],
)
def test_a_value_in_data_that_is_a_namespace_and_a_name(value: str, *, is_found: bool) -> None:
    settings = _object("ConfigMap", "v1", "settings", data={"add-headers": value})
    assert bool(find(CONFIG, settings)) is is_found
    assert find(CONFIG, settings, _object("Service", "v1", NAME)) == []


OTHERS = {
    "a workload": _object("Deployment", "apps/v1", NAME),
    "a Service": _object("Service", "v1", NAME),
    "a label": _object("Service", "v1", "s", metadata={"labels": {"app": NAME}}),
    "a container": _object(
        "Deployment",
        "apps/v1",
        "d",
        spec={"template": {"spec": {"containers": [{"name": NAME, "image": "a:1"}]}}},
    ),
}


@pytest.mark.parametrize("other", OTHERS.values(), ids=OTHERS)
def test_a_name_that_something_else_has_must_be_next_to_the_kind(other: dict[str, Any]) -> None:
    def texts(said: str) -> list[Sighting]:
        return find(CONFIG, other, PLACES["a field of a custom resource"](said))

    assert find(CONFIG, other, PLACES["an annotation"](NAME)) == []
    annotated = _object(
        "Service", "v1", "x", metadata={"annotations": {"example.com/config": NAME}}
    )
    assert find(CONFIG, other, annotated) == []
    assert texts(f"configMap: {{items: [], optional: true, name: {NAME}}}") == []
    assert len(texts(f"configMap: {{name: {NAME}}}")) == 1


def test_a_text_of_a_cluster_wide_object_means_the_name_in_any_namespace() -> None:
    copy = {**CONFIG, "metadata": {"name": NAME, "namespace": "bank"}}
    policy = PLACES["an expression of an admission policy"]('configMap: {name: "web-config"}')
    del policy["metadata"]["namespace"]
    namespaces = [one.target.id.namespace for one in find(CONFIG, copy, policy)]
    assert namespaces == ["shop", "bank"]


def test_a_name_that_a_rule_reads_is_none() -> None:
    followed = {"vault.hashicorp.com/agent-configmap": NAME}
    deployment = _object(
        "Deployment", "apps/v1", "d", spec={"template": {"metadata": {"annotations": followed}}}
    )
    assert find(CONFIG, deployment) == []


def test_the_cost_of_a_long_text_is_linear() -> None:
    """Expect that a text of many kinds and names is read once: each name near each kind would be the square."""
    text = " ".join(f"configMap: n-{number}" for number in range(20_000))
    found = find(CONFIG, PLACES["data"](f"{text} configMap: {NAME}"))
    assert [one.target.id.name for one in found] == [NAME]


LOGIN = "issuer: a\nid: $github:id\n"


@pytest.mark.parametrize(
    ("name", "data", "is_found"),
    [
        pytest.param("argocd-cm", {"oidc.config": LOGIN}, True, id="settings of Argo CD"),
        pytest.param("argocd-cm", {"a": "$github"}, False, id="a key of Argo CD's own Secret"),
        pytest.param("argocd-cm", {"a": "$my-github:id"}, False, id="a key of another one"),
        pytest.param("web", {"oidc.config": LOGIN}, False, id="a variable of another program"),
        pytest.param(
            "web", {"baseUrl": "http://a", "token": "$github:id"}, True, id="a plugin's token"
        ),
        pytest.param("web", {"token": "$github:id"}, False, id="a token without a plugin"),
    ],
)
def test_a_plain_word_in_settings_of_argo_cd_is_a_secret(
    name: str, data: dict[str, str], *, is_found: bool
) -> None:
    secret = _object("Secret", "v1", "github", stringData={"secret": "x"})
    assert bool(find(secret, _object("ConfigMap", "v1", name, data=data))) is is_found
