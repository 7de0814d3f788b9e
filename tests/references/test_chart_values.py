"""Which values of the charts that people use name a ConfigMap or Secret, and for which releases that counts."""

import json

import pytest

from krm_fn.base.item import Item, read_item
from krm_fn.base.kind import Kinds
from krm_fn.base.node import is_mapping
from krm_fn.base.reference import split_path
from krm_fn.core.references.chart_releases import read_charts
from krm_fn.core.references.field_rows import ChartValue, read_chart_values
from krm_fn.core.references.find import Found, find_references
from krm_fn.core.references.hits import NameSearch
from krm_fn.core.references.resolve import Index
from krm_fn.core.references.unfollowed import sight_fields
from krm_fn.core.yaml.reader import read_yaml
from krm_fn.facts.chart_values import SUBCHARTS
from tests.references.test_find_rows import nest

CHART_VALUES = tuple(read_chart_values())

HELM_RELEASE = """
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {{name: web, namespace: shop}}
spec: {{chart: {{spec: {{chart: {chart}}}}}, values: {values}}}
"""
APPLICATION = """
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {{name: web, namespace: argocd}}
spec:
  destination: {{server: https://kubernetes.default.svc, namespace: shop}}
  source: {{chart: {chart}, helm: {{valuesObject: {values}}}}}
"""


def read(text: str) -> list[Item]:
    return [read_item(root) for root in read_yaml(text.encode()).roots if is_mapping(root)]


def find_all(text: str) -> Found:
    """Return what is found in the first of these objects. The others are in the package."""
    first, *others = read(text)
    return find_references(first.node, first.id, (), read_charts([first, *others]))


def seen(text: str, below: str = "spec.values.") -> list[str]:
    found = sorted(find_all(text).references, key=lambda one: one.field)
    return [f"{one.kind} {one.target} at {one.field.removeprefix(below)}" for one in found]


CHARTS = [
    pytest.param(
        "app-template",
        "{controllers: {main: {containers: {main: {env: {A: {secretKeyRef: {name: a, key: k}},"
        " B: {valueFrom: {configMapKeyRef: {name: b, key: k}}}}, envFrom: [{secretRef: {name: c}}, {configMap: d}]}},"
        " initContainers: {init: {envFrom: [{secret: e}]}}}}, defaultPodOptions: {imagePullSecrets: [{name: f}]},"
        " persistence: {config: {type: configMap, name: g}, token: {type: secret, name: h}, data: {name: no}}}",
        [
            "Secret a at controllers.main.containers.main.env.A.secretKeyRef.name",
            "ConfigMap b at controllers.main.containers.main.env.B.valueFrom.configMapKeyRef.name",
            "Secret c at controllers.main.containers.main.envFrom[0].secretRef.name",
            "ConfigMap d at controllers.main.containers.main.envFrom[1].configMap",
            "Secret e at controllers.main.initContainers.init.envFrom[0].secret",
            "Secret f at defaultPodOptions.imagePullSecrets[0].name",
            "ConfigMap g at persistence.config.name",
            "Secret h at persistence.token.name",
        ],
        id="app-template",
    ),
    pytest.param(
        "postgresql",
        "{auth: {existingSecret: a}, tls: {certificatesSecret: b}, primary: {existingConfigmap: c,"
        " initdb: {scriptsConfigMap: d, scriptsSecret: e}, extraEnvVarsCM: f, extraEnvVarsSecret: g}}",
        [
            "Secret a at auth.existingSecret",
            "ConfigMap c at primary.existingConfigmap",
            "ConfigMap f at primary.extraEnvVarsCM",
            "Secret g at primary.extraEnvVarsSecret",
            "ConfigMap d at primary.initdb.scriptsConfigMap",
            "Secret e at primary.initdb.scriptsSecret",
            "Secret b at tls.certificatesSecret",
        ],
        id="postgresql",
    ),
    pytest.param(
        "postgresql-ha",
        "{postgresql: {existingSecret: a}, pgpool: {customUsersSecret: b}}",
        ["Secret b at pgpool.customUsersSecret", "Secret a at postgresql.existingSecret"],
        id="postgresql-ha",
    ),
    pytest.param(
        "redis",
        "{auth: {existingSecret: a}, existingConfigmap: b, master: {extraEnvVarsSecret: c}}",
        [
            "Secret a at auth.existingSecret",
            "ConfigMap b at existingConfigmap",
            "Secret c at master.extraEnvVarsSecret",
        ],
        id="redis",
    ),
    pytest.param(
        "mariadb",
        "{auth: {existingSecret: a}, initdbScriptsConfigMap: b}",
        ["Secret a at auth.existingSecret", "ConfigMap b at initdbScriptsConfigMap"],
        id="mariadb",
    ),
    pytest.param(
        "mysql",
        "{auth: {existingSecret: a}, startdbScriptsConfigMap: b}",
        ["Secret a at auth.existingSecret", "ConfigMap b at startdbScriptsConfigMap"],
        id="mysql",
    ),
    pytest.param(
        "mongodb",
        "{auth: {existingSecret: a}, existingConfigmap: b, tls: {replicaset: {existingSecrets: [no]}}}",
        ["Secret a at auth.existingSecret", "ConfigMap b at existingConfigmap"],
        id="mongodb",
    ),
    pytest.param(
        "rabbitmq",
        "{auth: {existingPasswordSecret: a}, loadDefinition: {existingSecret: b}}",
        ["Secret a at auth.existingPasswordSecret", "Secret b at loadDefinition.existingSecret"],
        id="rabbitmq",
    ),
    pytest.param(
        "keycloak",
        "{auth: {existingSecret: a}, externalDatabase: {existingSecret: b}, keycloakConfigCli: {existingConfigmap: c},"
        " postgresql: {auth: {existingSecret: d}}, extraEnvVarsCM: e}",
        [
            "Secret a at auth.existingSecret",
            "Secret b at externalDatabase.existingSecret",
            "ConfigMap e at extraEnvVarsCM",
            "ConfigMap c at keycloakConfigCli.existingConfigmap",
            "Secret d at postgresql.auth.existingSecret",
        ],
        id="keycloak",
    ),
    pytest.param(
        "kube-prometheus-stack",
        "{alertmanager: {alertmanagerSpec: {configSecret: a, secrets: [no]}}, grafana: {admin: {existingSecret: b}},"
        " prometheus: {prometheusSpec: {additionalScrapeConfigsSecret: {enabled: true, name: c, key: k},"
        " secrets: [mounted-at-its-name], thanos: {objectStorageConfig: {existingSecret: {name: d, key: k}}}}}}",
        [
            "Secret a at alertmanager.alertmanagerSpec.configSecret",
            "Secret b at grafana.admin.existingSecret",
            "Secret c at prometheus.prometheusSpec.additionalScrapeConfigsSecret.name",
            "Secret d at prometheus.prometheusSpec.thanos.objectStorageConfig.existingSecret.name",
        ],
        id="kube-prometheus-stack",
    ),
    pytest.param(
        "grafana",
        "{admin: {existingSecret: a}, envFromSecret: b, envFromConfigMaps: [{name: c}], smtp: {existingSecret: d},"
        " extraConfigmapMounts: [{name: no, configMap: e}], extraSecretMounts: [{name: no, secretName: f}]}",
        [
            "Secret a at admin.existingSecret",
            "ConfigMap c at envFromConfigMaps[0].name",
            "Secret b at envFromSecret",
            "ConfigMap e at extraConfigmapMounts[0].configMap",
            "Secret f at extraSecretMounts[0].secretName",
            "Secret d at smtp.existingSecret",
        ],
        id="grafana",
    ),
    pytest.param(
        "loki",
        "{gateway: {basicAuth: {existingSecret: a}}}",
        ["Secret a at gateway.basicAuth.existingSecret"],
        id="loki",
    ),
    pytest.param(
        "traefik",
        "{volumes: [{name: a, type: secret}, {name: b, type: configMap}, {name: no}],"
        " envFrom: [{secretRef: {name: c}}]}",
        [
            "Secret c at envFrom[0].secretRef.name",
            "Secret a at volumes[0].name",
            "ConfigMap b at volumes[1].name",
        ],
        id="traefik",
    ),
    pytest.param(
        "argo-cd",
        "{externalRedis: {existingSecret: a}, repoServer: {volumes: [{configMap: {name: b}}]}}",
        [
            "Secret a at externalRedis.existingSecret",
            "ConfigMap b at repoServer.volumes[0].configMap.name",
        ],
        id="argo-cd",
    ),
    pytest.param(
        "velero",
        "{credentials: {existingSecret: a, extraSecretRef: b}}",
        ["Secret a at credentials.existingSecret", "Secret b at credentials.extraSecretRef"],
        id="velero",
    ),
    pytest.param(
        "harbor",
        "{existingSecretAdminPassword: a, database: {external: {existingSecret: b}},"
        " redis: {external: {existingSecret: looked-up}},"
        " persistence: {imageChartStorage: {caBundleSecretName: c, s3: {existingSecret: d}}}}",
        [
            "Secret b at database.external.existingSecret",
            "Secret a at existingSecretAdminPassword",
            "Secret c at persistence.imageChartStorage.caBundleSecretName",
            "Secret d at persistence.imageChartStorage.s3.existingSecret",
        ],
        id="harbor",
    ),
    pytest.param(
        "gitea",
        "{gitea: {admin: {existingSecret: a}, oauth: [{existingSecret: b}]}, postgresql: {auth: {existingSecret: c}}}",
        [
            "Secret a at gitea.admin.existingSecret",
            "Secret b at gitea.oauth[0].existingSecret",
            "Secret c at postgresql.auth.existingSecret",
        ],
        id="gitea",
    ),
    pytest.param(
        "minio",
        "{existingSecret: a, users: [{existingSecret: b}]}",
        ["Secret a at existingSecret", "Secret b at users[0].existingSecret"],
        id="minio",
    ),
    # What is Kubernetes' own shape needs no row.
    pytest.param(
        "authentik",
        "{authentik: {existingSecret: {secretName: a}}, global: {envFrom: [{secretRef: {name: b}}]},"
        " blueprints: {configMaps: [mounted-at-its-name]}, postgresql: {auth: {existingSecret: c}}}",
        [
            "Secret a at authentik.existingSecret.secretName",
            "Secret b at global.envFrom[0].secretRef.name",
            "Secret c at postgresql.auth.existingSecret",
        ],
        id="authentik (templates/_helpers.tpl:15, server/deployment.yaml:85)",
    ),
    pytest.param(
        "ingress-nginx",
        "{controller: {customTemplate: {configMapName: a}, extraEnvs: [{valueFrom: {secretKeyRef: {name: c}}}],"
        " extraVolumes: [{name: no, configMap: {name: d}}, {projected: {sources: [{secret: {name: b}}]}}]},"
        " configMap: {name: may-be-made}}",
        [
            "ConfigMap a at controller.customTemplate.configMapName",
            "Secret c at controller.extraEnvs[0].valueFrom.secretKeyRef.name",
            "ConfigMap d at controller.extraVolumes[0].configMap.name",
            "Secret b at controller.extraVolumes[1].projected.sources[0].secret.name",
        ],
        id="ingress-nginx (templates/controller-deployment.yaml:230)",
    ),
    pytest.param(
        "cert-manager",
        "{volumes: [{configMap: {name: a}}], extraEnv: [{valueFrom: {configMapKeyRef: {name: b}}}]}",
        [
            "ConfigMap b at extraEnv[0].valueFrom.configMapKeyRef.name",
            "ConfigMap a at volumes[0].configMap.name",
        ],
        id="cert-manager (templates/deployment.yaml:83, 184)",
    ),
    pytest.param(
        "external-dns",
        "{env: [{name: A, valueFrom: {secretKeyRef: {name: a, key: k}}}]}",
        ["Secret a at env[0].valueFrom.secretKeyRef.name"],
        id="external-dns (templates/deployment.yaml)",
    ),
    pytest.param(
        "external-secrets",
        "{extraVolumes: [{secret: {secretName: a}}], webhook: {extraEnv: [{valueFrom: {secretKeyRef: {name: b}}}]}}",
        [
            "Secret a at extraVolumes[0].secret.secretName",
            "Secret b at webhook.extraEnv[0].valueFrom.secretKeyRef.name",
        ],
        id="external-secrets (templates/deployment.yaml:213, webhook-deployment.yaml:144)",
    ),
    pytest.param(
        "vault",
        "{server: {extraSecretEnvironmentVars: [{envName: A, secretName: a, secretKey: k}],"
        " extraVolumes: [{type: secret, name: mounted-at-its-name}]}}",
        ["Secret a at server.extraSecretEnvironmentVars[0].secretName"],
        id="vault (templates/_helpers.tpl)",
    ),
]


@pytest.mark.parametrize(("chart", "values", "expected"), CHARTS)
def test_values_of_a_chart(chart: str, values: str, expected: list[str]) -> None:
    assert seen(HELM_RELEASE.format(chart=chart, values=values)) == expected
    assert (
        seen(APPLICATION.format(chart=chart, values=values), "spec.source.helm.valuesObject.")
        == expected
    )


@pytest.mark.parametrize(
    "row", CHART_VALUES, ids=lambda row: f"{'|'.join(row.charts)} {row.path} {row.target}"
)
def test_rows(row: ChartValue) -> None:
    *steps, last = split_path(row.path)
    name = "a" if row.beside is None else {"name": "a", row.beside[0]: row.beside[1]}
    values = json.dumps(nest((*steps, "x" if last == "*" else last), name))
    for chart in row.charts:
        (found,) = find_all(HELM_RELEASE.format(chart=chart, values=values)).references
        assert (found.kind, found.target, found.in_pod, found.rule.source) == (
            row.target,
            "a",
            True,
            row.source,
        )
    assert seen(HELM_RELEASE.format(chart="another", values=values)) == []


def test_charts_in_charts_have_rows() -> None:
    assert {name for _, _, name in SUBCHARTS} <= {
        chart for row in CHART_VALUES for chart in row.charts
    }


VALUES = "{auth: {existingSecret: a}}"
RELEASE = HELM_RELEASE.format(chart="redis", values=VALUES)
DEPLOYED = APPLICATION.format(chart="redis", values=VALUES)
BY_SOURCE = RELEASE.replace(
    "chart: {spec: {chart: redis}}", "chartRef: {kind: OCIRepository, name: db}"
)
OCI = """---
apiVersion: source.toolkit.fluxcd.io/v1
kind: OCIRepository
metadata: {name: db, namespace: shop}
spec: {url: oci://registry.example/charts/redis}
"""
BY_CHART = OCI.replace("OCIRepository", "HelmChart").replace(
    "url: oci://registry.example/charts/redis", "chart: redis"
)
SEVERAL = DEPLOYED.replace("  source: ", "  sources: [{ref: values}, ").removesuffix("\n") + "]\n"

FOLLOWED = [
    pytest.param(RELEASE, "", id="a HelmRelease in its own namespace"),
    pytest.param(
        RELEASE.replace("spec: {c", "spec: {targetNamespace: db, c"),
        "db",
        id="in a namespace of its pods",
    ),
    pytest.param(
        RELEASE.replace("values: {", "values: {namespaceOverride: shop, "),
        "",
        id="with the same namespace",
    ),
    pytest.param(BY_SOURCE + OCI, "", id="a chart of an OCIRepository"),
    pytest.param(
        BY_SOURCE.replace("OCIRepository", "HelmChart") + BY_CHART, "", id="a chart of a HelmChart"
    ),
    pytest.param(
        BY_SOURCE.replace("name: db}", "name: db, namespace: flux}") + OCI.replace("shop", "flux"),
        "",
        id="a source in another namespace",
    ),
    pytest.param(DEPLOYED, "shop", id="an Application"),
    pytest.param(
        DEPLOYED.replace("server: https://kubernetes.default.svc", "name: in-cluster"),
        "shop",
        id="by name",
    ),
    pytest.param(SEVERAL, "shop", id="an Application with several sources"),
]
LEFT_ALONE = [
    pytest.param(BY_SOURCE, id="a chart that the package does not show"),
    pytest.param(
        BY_SOURCE + OCI.replace("shop", "flux"), id="a source of that name in another namespace"
    ),
    pytest.param(
        RELEASE.replace("chart: redis", "chart: ./charts/redis"), id="a chart in a repository"
    ),
    pytest.param(
        RELEASE.replace("spec: {c", "spec: {kubeConfig: {secretRef: {name: k}}, c"),
        id="another cluster",
    ),
    pytest.param(
        RELEASE.replace("values: {", "values: {namespaceOverride: db, "), id="a namespace in values"
    ),
    pytest.param(
        RELEASE.replace("values: {", "values: {namespace: db, "),
        id="a namespace in values, at the top",
    ),
    pytest.param(
        RELEASE.replace("values: {", "values: {web: {forceNamespace: db}, "),
        id="a namespace for a part",
    ),
    pytest.param(
        DEPLOYED.replace("kubernetes.default.svc", "cluster.example"), id="another server"
    ),
    pytest.param(
        DEPLOYED.replace(", namespace: shop}", "}"), id="an Application that says no namespace"
    ),
    pytest.param(
        DEPLOYED.replace("helm: {", "helm: {namespace: db, "),
        id="a namespace for its templates alone",
    ),
]


@pytest.mark.parametrize(("text", "namespace"), FOLLOWED)
def test_releases_whose_pods_may_read_objects_of_the_package(text: str, namespace: str) -> None:
    (found,) = [one for one in find_all(text).references if one.target == "a"]
    assert (found.installed_in, found.target_namespace) == (namespace, namespace or None)


@pytest.mark.parametrize("text", LEFT_ALONE)
def test_other_releases_are_hints(text: str) -> None:
    release = read(text)[0]
    assert [one for one in find_all(text).references if one.target == "a"] == []
    namespace = (
        "argocd"
        if ", namespace: shop}" not in text and release.id.kind == "Application"
        else "shop"
    )
    (secret,) = read(
        f"apiVersion: v1\nkind: Secret\nmetadata: {{name: a, namespace: {namespace}}}\n"
    )
    (hint,) = sight_fields(NameSearch([release], Index([secret], Kinds())))
    assert hint.target is secret


@pytest.mark.parametrize("text", [text for param in LEFT_ALONE[3:] for text in param.values])
def test_shapes_of_other_releases_are_no_references(text: object) -> None:
    shaped = str(text).replace("existingSecret: a", "secretRef: {name: a}")
    found = find_all(shaped)
    assert [one.target for one in found.references if one.target == "a"] == []
    assert [one.reference.target for one in found.lookalikes] == ["a"]
    assert all(one.row.reason for one in found.lookalikes)


PERSISTENCE = (
    "{controllers: {main: {containers: {main: {envFrom: [{secret: a}, {secretRef: {name: b}}]}}}}, persistence: {"
    "config: {type: configMap, name: c}, token: {type: secret, name: d}, data: {type: persistentVolumeClaim, name: no},"
    " other: {name: no}, named: {type: configMap, identifier: no}, tmp: {type: emptyDir}}}"
)
BY_SHAPE = [
    "Secret b at controllers.main.containers.main.envFrom[1].secretRef.name",
    "ConfigMap c at persistence.config.name",
    "Secret d at persistence.token.name",
]
BY_CHART_ROWS = ["Secret a at controllers.main.containers.main.envFrom[0].secret", *BY_SHAPE]


def of_source(name: str, url: str = "", namespace: str = "media") -> str:
    """Return a HelmRelease by chartRef; with a URL, its source is in the package."""
    release = HELM_RELEASE.format(chart="CHART", values=PERSISTENCE).replace("shop", "media")
    release = release.replace(
        "chart: {spec: {chart: CHART}}", f"chartRef: {{kind: OCIRepository, name: {name}}}"
    )
    source = (
        OCI.replace("db", name)
        .replace("oci://registry.example/charts/redis", url)
        .replace("shop", namespace)
    )
    return release + source if url else release


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(of_source("app-template"), BY_CHART_ROWS, id="its name tells the chart"),
        pytest.param(
            of_source("radarr"), BY_SHAPE, id="the shape tells, where nothing shows the chart"
        ),
        pytest.param(
            of_source("radarr", "oci://ghcr.io/bjw-s-labs/helm/app-template"),
            BY_CHART_ROWS,
            id="the URL shows it",
        ),
        pytest.param(
            of_source("app-template", "oci://registry.example/charts/web"),
            BY_SHAPE[:1],
            id="the URL shows another",
        ),
        pytest.param(
            of_source("app-template", "oci://registry.example/charts/web", "flux-system"),
            BY_CHART_ROWS,
            id="a source of that name in another namespace is another one",
        ),
        pytest.param(
            HELM_RELEASE.format(chart="app-templates", values=PERSISTENCE),
            BY_SHAPE[:1],
            id="another chart, by name",
        ),
    ],
)
def test_values_of_a_chart_whose_source_may_be_elsewhere(text: str, expected: list[str]) -> None:
    assert seen(text) == expected


def test_values_in_the_shape_of_a_chart_that_is_not_shown_say_so() -> None:
    (found,) = [one for one in find_all(of_source("radarr")).references if one.target == "c"]
    assert found.rule.text == "value persistence.* as of chart app-template"
    assert (found.installed_in, found.in_pod) == ("", True)


def test_values_in_the_shape_of_a_chart_for_another_cluster_are_no_references() -> None:
    found = find_all(
        of_source("radarr").replace("spec: {c", "spec: {kubeConfig: {secretRef: {name: k}}, c")
    )
    assert "c" not in [one.target for one in found.references]
    assert "c" in [one.reference.target for one in found.lookalikes]
