"""A custom resource's field that seems to name a ConfigMap or Secret of the package is followed or reported."""

import pytest

from krm_fn.base.item import Item, read_item
from krm_fn.base.kind import Kinds
from krm_fn.base.settings import FieldSpec
from krm_fn.core.references.hits import NameSearch
from krm_fn.core.references.references import find_authored
from krm_fn.core.references.resolve import Index
from krm_fn.core.references.unfollowed import sight_fields
from krm_fn.core.yaml.reader import read_yaml

CONFIGS = """
apiVersion: v1
kind: ConfigMap
metadata: {name: web, namespace: shop}
---
apiVersion: v1
kind: Secret
metadata: {name: web, namespace: shop}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: web-config, namespace: shop}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: db-config, namespace: shop}
---
apiVersion: v1
kind: Service
metadata: {name: db-config, namespace: shop}
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: app-bcdfghkmtt
  namespace: shop
  annotations: {revisions.krm-fn.io/base-name: app}
"""

REPORTED = [
    pytest.param("spec: {configMap: web}", ["spec.configMap ConfigMap web"], id="a ConfigMap"),
    pytest.param("spec: {existingSecret: web}", ["spec.existingSecret Secret web"], id="a Secret"),
    pytest.param(
        "spec: {extra_config_map: web}",
        ["spec.extra_config_map ConfigMap web"],
        id="words with underscores",
    ),
    pytest.param(
        "spec: {EXTRA-CONFIGMAPS: web}", ["spec.EXTRA-CONFIGMAPS ConfigMap web"], id="any case"
    ),
    pytest.param(
        "spec: {secretOrConfigMap: web}",
        ["spec.secretOrConfigMap ConfigMap web", "spec.secretOrConfigMap Secret web"],
        id="either",
    ),
    pytest.param("spec: {secrets: [x, web]}", ["spec.secrets[1] Secret web"], id="a list of names"),
    pytest.param(
        "spec: {parts: [{mySecret: web}]}",
        ["spec.parts[0].mySecret Secret web"],
        id="a list on the way",
    ),
    pytest.param(
        "spec: {existingSecret: shop/web}",
        ["spec.existingSecret Secret web"],
        id="a namespace in the text",
    ),
    pytest.param("config: {webSecret: web}", ["config.webSecret Secret web"], id="outside of spec"),
    pytest.param(
        "spec: {configMap: app}", ["spec.configMap ConfigMap app-bcdfghkmtt"], id="a base name"
    ),
    pytest.param("spec: {title: web-config}", ["spec.title ConfigMap web-config"], id="any field"),
    pytest.param(
        "spec: {list: [web-config]}", ["spec.list[0] ConfigMap web-config"], id="any list"
    ),
    pytest.param(
        "spec: {configuration: app}",
        ["spec.configuration ConfigMap app-bcdfghkmtt"],
        id="a word in a field of names",
    ),
    pytest.param(
        "spec: {from: [{name: web-config}]}",
        ["spec.from[0].name ConfigMap web-config"],
        id="a mapping",
    ),
    pytest.param(
        "spec: {cm: {name: db-config, key: a}}",
        ["spec.cm.name ConfigMap db-config"],
        id="a name beside a key that the object does not have, though others have the name too",
    ),
    pytest.param(
        "spec: {configMap: app-bcdfghkmtt}",
        ["spec.configMap ConfigMap app-bcdfghkmtt"],
        id="a revision's name",
    ),
]

SILENT = [
    pytest.param("spec: {provider: app}", id="a word in a field that says nothing"),
    pytest.param("spec: {host: db-config}", id="what another object is called too"),
    pytest.param("spec: {a: {kind: Service, name: web-config}}", id="a name beside another kind"),
    pytest.param(
        "spec: {a: {kind: ConfigMap, group: e.x, name: web-config}}",
        id="a name beside another group",
    ),
    pytest.param(
        "spec: {image: web-config, configPath: web-config}", id="fields that hold something else"
    ),
    pytest.param(
        "spec: {a: {kind: Job, metadata: {name: web-config}}}", id="the name of a template"
    ),
    pytest.param(
        "spec: {volumes: [{name: web-config, configMap: {name: web-config}}]}",
        id="the name of a volume",
    ),
    pytest.param("spec: {context: [{name: web-config, cmName: x}]}", id="the name of an entry"),
    pytest.param("spec: {containers: [{name: a, args: [web-config]}]}", id="what a program gets"),
    pytest.param("spec: {t: {spec: {containers: [], a: web-config}}}", id="a pod template"),
    pytest.param("spec: {selector: {a: web-config}}", id="labels"),
    pytest.param("spec: {configMap: website, existingSecret: my-web}", id="other names"),
    pytest.param("spec: {existingSecret: elsewhere/web}", id="another namespace in the text"),
    pytest.param(
        "spec: {existingSecret: web, namespace: elsewhere}", id="another namespace beside it"
    ),
    pytest.param(
        "spec: {configMap: {name: web}, adminSecretName: web}", id="what is followed by shape"
    ),
    pytest.param(
        "spec: {secretKey: web, secret_namespace: web, secretType: web}", id="what is no name"
    ),
    pytest.param("spec: {configMap: true, existingSecret: null, aSecret: ''}", id="no text"),
    pytest.param(
        "metadata: {labels: {configMap: web}, annotations: {my-secret: web}}", id="metadata"
    ),
    pytest.param(
        "spec: {template: {metadata: {labels: {configMap: web}}}}", id="labels of a template"
    ),
    pytest.param("status: {existingSecret: web}", id="status"),
    pytest.param("spec: {data: {existingSecret: web}}", id="a key that the author chooses"),
]

OF_KINDS = [
    pytest.param(
        "cassandra.datastax.com/v1beta1",
        "CassandraDatacenter",
        "spec: {configSecret: web}",
        id="a row",
    ),
    pytest.param(
        "bitnami.com/v1alpha1", "SealedSecret", "metadata: {name: web}", id="its own name"
    ),
    pytest.param(
        "argoproj.io/v1alpha1", "Application", "spec: {mySecret: web}", id="what is no reference"
    ),
    pytest.param("apps/v1", "Deployment", "spec: {mySecret: web}", id="Kubernetes' own kinds"),
    pytest.param(
        "networking.k8s.io/v1", "Ingress", "spec: {mySecret: web}", id="Kubernetes' own groups"
    ),
    pytest.param("v1", "ConfigMap", "data: {mySecret: web}", id="data"),
    pytest.param("kpt.dev/v1", "Kptfile", "spec: {mySecret: web}", id="configuration of tools"),
]


IN_VALUES = [
    pytest.param("existingSecret: web", ["ConfigMap", "Secret"], id="a Secret that exists"),
    pytest.param("config: web", ["ConfigMap", "Secret"], id="any other field"),
    pytest.param(
        "secretSelector: {name: web}", ["ConfigMap", "Secret"], id="what selects a Secret"
    ),
    pytest.param(
        "volumes: {a: {type: configMap, name: web}}", ["ConfigMap", "Secret"], id="a volume's name"
    ),
    pytest.param(
        "persistence: {a: {type: configMap, name: web}}",
        [],
        id="a volume of app-template, which follows",
    ),
]

OWN_IN_VALUES = [
    pytest.param("{fullnameOverride: web, nameOverride: web}", id="its own name"),
    pytest.param("{global: {fullnameOverride: web}}", id="the same below global"),
    pytest.param("{service: {app: {controller: web}}}", id="the controller of a service"),
    pytest.param("{controllers: {web: {type: deployment}}}", id="a controller"),
    pytest.param("{persistence: {config: {existingClaim: web}}}", id="a claim"),
    pytest.param("{persistence: {config: {globalMounts: [{path: /web}]}}}", id="a path"),
    pytest.param(
        "{ingress: {app: {hosts: [{paths: [{service: {identifier: web}}]}]}}}",
        id="a service's identifier",
    ),
    pytest.param(
        "{ingress: {app: {hosts: [{host: web, paths: [{service: {name: web}}]}]}}}",
        id="a service's name",
    ),
    pytest.param("{serviceAccount: {create: true, name: web}}", id="an account"),
    pytest.param("{podLabels: {app: web}, nodeSelector: {pool: web}}", id="labels"),
    pytest.param("{postgres: {host: web, database: web, username: web}}", id="a database"),
]


def read(text: str) -> list[Item]:
    return [read_item(root) for root in read_yaml(text.encode()).roots]  # type: ignore[arg-type]  # all are mappings


def find(api_version: str, kind: str, rest: str, *extra: FieldSpec) -> list[str]:
    configs = read(CONFIGS)
    (referrer,) = read(f"apiVersion: {api_version}\nkind: {kind}\n{rest}")
    placed = Item(
        referrer.node, referrer.id._replace(namespace="shop"), referrer.annotations, referrer.labels
    )
    index = Index([item for item in configs if item.is_config], Kinds())
    references = find_authored([placed], index, extra, but=()).references
    return [
        f"{one.field} {one.target.id.kind} {one.target.id.name}"
        for one in sight_fields(NameSearch([*configs, placed], index, references))
    ]


RELEASE, RELEASES = "helm.toolkit.fluxcd.io/v2", "HelmRelease"
OF_OTHERS = [
    pytest.param("spec: {values: {a: web}}", "spec.values.a", id="a word in a value"),
    pytest.param("spec: {values: {a.b: {c: web}}}", "spec.values[a.b].c", id="a field with a dot"),
    pytest.param(
        'spec: {values: {a: "x: 1\\nb: web # it"}}', "spec.values.a", id="a value in a text"
    ),
    pytest.param('spec: {values: {a: \'{"b": ["web"]}\'}}', "spec.values.a", id="a value in JSON"),
    pytest.param("spec: {values: {a: 'b: shop/web'}}", "spec.values.a", id="a namespace in a text"),
    pytest.param(
        'spec: {values: {a: "kind: ConfigMap\\nmetadata:\\n  name: web\\n"}}',
        "spec.values.a",
        id="the name of a ConfigMap in a text",
    ),
    pytest.param(
        "spec: {targetNamespace: '{{ x }}', values: {a: web}}",
        "spec.values.a",
        id="a namespace not known",
    ),
]
OF_OTHERS_SILENT = [
    pytest.param("spec: {values: {a: a web}}", id="a sentence"),
    pytest.param(
        'spec: {values: {a: "kind: Job\\nmetadata:\\n  name: web\\n"}}',
        id="another object's name in a text",
    ),
    pytest.param("spec: {values: {a: 'fullnameOverride: web'}}", id="a chart's own name in a text"),
    pytest.param(
        'spec: {values: {a: "serviceAccount:\\n  name: web\\n"}}', id="an account in a text"
    ),
    pytest.param("spec: {values: {a: 'b: blog/web'}}", id="another namespace in a text"),
    pytest.param(
        "spec: {targetNamespace: blog, values: {a: web}}", id="a release in another namespace"
    ),
    pytest.param("spec: {values: {web: a}}", id="a field"),
]


@pytest.mark.parametrize(("rest", "field"), OF_OTHERS)
def test_texts_of_which_another_program_makes_objects(rest: str, field: str) -> None:
    assert find(RELEASE, RELEASES, rest) == [f"{field} ConfigMap web", f"{field} Secret web"]


@pytest.mark.parametrize("rest", OF_OTHERS_SILENT)
def test_silent_in_texts_of_others(rest: str) -> None:
    assert find(RELEASE, RELEASES, rest) == []


def test_one_name_in_many_namespaces_and_texts_is_not_the_square() -> None:
    config = "apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: web, namespace: n{}}}\n"
    text = "apiVersion: helm.cattle.io/v1\nkind: HelmChart\nmetadata: {{name: c{}}}\nspec: {{valuesContent: web}}\n"
    configs = read("---\n".join(map(config.format, range(9))))
    texts = read("---\n".join(map(text.format, range(9))))
    found = [*sight_fields(NameSearch([*configs, *texts], Index(configs, Kinds())))]
    assert [{one.target for one in found}, {one.item for one in found}] == [
        {*configs},
        {*texts},
    ]
    assert len(found) == len(configs) + len(texts) - 1


@pytest.mark.parametrize(("rest", "expected"), REPORTED)
def test_reported(rest: str, expected: list[str]) -> None:
    assert find("e.x/v1", "Any", rest) == expected


@pytest.mark.parametrize("rest", SILENT)
def test_silent(rest: str) -> None:
    assert find("e.x/v1", "Any", rest) == []


@pytest.mark.parametrize(("api_version", "kind", "rest"), OF_KINDS)
def test_silent_for(api_version: str, kind: str, rest: str) -> None:
    assert find(api_version, kind, rest) == []


@pytest.mark.parametrize(("values", "kinds"), IN_VALUES)
def test_values_of_a_chart_count(values: str, kinds: list[str]) -> None:
    found = find("helm.toolkit.fluxcd.io/v2", "HelmRelease", f"spec: {{values: {{{values}}}}}")
    assert sorted(one.split()[1] for one in found) == kinds


@pytest.mark.parametrize("values", OWN_IN_VALUES)
def test_what_an_application_calls_itself_in_values_is_silent(values: str) -> None:
    assert find("helm.toolkit.fluxcd.io/v2", "HelmRelease", f"spec: {{values: {values}}}") == [], (
        values
    )


def test_what_the_user_adds_is_followed() -> None:
    spec = FieldSpec(target="Secret", path="spec/existingSecret")
    assert find("e.x/v1", "Any", "spec: {existingSecret: web}", spec) == []


def test_local_objects_are_not_looked_at() -> None:
    annotations = 'metadata: {annotations: {config.kubernetes.io/local-config: "true"}}'
    assert find("e.x/v1", "Any", f"{annotations}\nspec: {{existingSecret: web}}") == []


def test_deep_nesting_is_no_problem() -> None:
    depth = 190
    text = "".join(f"{{a{level}: [" for level in range(depth)) + "{mySecret: web}" + "]}" * depth
    (found,) = find("e.x/v1", "Any", f"spec: {text}")
    assert found.endswith(f"a{depth - 1}[0].mySecret Secret web")
