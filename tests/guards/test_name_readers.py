"""Consumers that read the shape of a name, or mount at a path that contains it."""

import pytest

from krm_fn.core.references.field_rows import FieldRow, read_fields
from krm_fn.function import run

CONFIG = """\
apiVersion: revisions.krm-fn.io/v1
kind: ConfigRevisions
metadata: {name: web}
spec: {kinds: [ConfigMap, Secret, ExternalSecret], deployers: [flux], linker: {enabled: false}%s}
"""
CHOSEN = ", select: [{name: creds}]"
PACKAGE = """\
{apiVersion: v1, kind: Secret, metadata: {name: creds}, stringData: {a: b}}
---
{apiVersion: monitoring.coreos.com/v1, kind: Prometheus, metadata: {name: main}, spec: {secrets: [creds], %s}}
---
{apiVersion: e.x/v1, kind: Widget, metadata: {name: w}, spec: {text: %s}}
"""
SELECTOR = "serviceMonitorSelector: {}"


def errors_of(package: str, config: str = CONFIG % CHOSEN) -> list[str]:
    outcome = run(package.encode(), config.encode())
    return [line for line in outcome.stderr.splitlines() if line.startswith("error: ")]


def left_alone(package: str) -> list[str]:
    outcome = run(package.encode(), (CONFIG % "").encode())
    assert outcome.exit_code == 0, outcome.stderr
    return [line for line in outcome.stderr.splitlines() if "left unchanged: " in line]


PATHS = [
    pytest.param("/etc/prometheus/secrets/creds", id="the folder itself"),
    pytest.param("/etc/prometheus/secrets/creds/token", id="a file in it"),
    pytest.param("/etc/prometheus/secrets//creds//token", id="more slashes than needed"),
    pytest.param("--file=/etc/prometheus/secrets/creds/token,other", id="within an argument"),
    pytest.param("../secrets/creds/token", id="from the folder of the configuration"),
    pytest.param("../../prometheus/secrets/creds/token", id="from another folder"),
    pytest.param("See /etc/prometheus/secrets/creds.", id="at the end of a sentence"),
]
OTHER_TEXTS = [
    pytest.param("/etc/prometheus/secrets/creds-2/token", id="a longer name"),
    pytest.param("/etc/prometheus/secrets/creds.v2/token", id="a longer name with a dot"),
    pytest.param("/etc/prometheus/secrets/my-creds/token", id="another beginning"),
    pytest.param("/etc/prometheus/configmaps/creds/token", id="the folder of the other kind"),
    pytest.param("/etc/alertmanager/secrets/creds", id="the folder of another program"),
    pytest.param("https://vault.example/v1/secrets/creds", id="a URL"),
    pytest.param("creds", id="the name alone"),
]


@pytest.mark.parametrize("path", PATHS)
def test_a_path_with_the_name(path: str) -> None:
    package = PACKAGE % (SELECTOR, f'"{path}"')
    (left,) = left_alone(package)
    assert "and Widget/w contains this path (spec.text)" in left
    (error,) = errors_of(package)
    assert error.startswith(
        "error: Widget/w spec.text: contains /etc/prometheus/secrets/creds, where Prometheus/main"
    )


@pytest.mark.parametrize("text", OTHER_TEXTS)
def test_a_text_that_is_no_such_path(text: str) -> None:
    package = PACKAGE % (SELECTOR, f'"{text}"')
    assert left_alone(package) == []
    assert errors_of(package) == []


HIDDEN = [
    pytest.param("probeNamespaceSelector: {}", id="probes of other namespaces"),
    pytest.param("replicas: 1", id="a configuration that the operator does not make"),
    pytest.param(
        f"{SELECTOR}, additionalAlertRelabelConfigs: {{name: more, key: a}}",
        id="a Secret of elsewhere",
    ),
]
NOT_HIDDEN = [
    pytest.param(f"{SELECTOR}, probeNamespaceSelector: null", id="nothing selected"),
    pytest.param(f"{SELECTOR}, ruleNamespaceSelector: {{}}", id="rules name no files"),
    pytest.param(f"{SELECTOR}, apiserverConfig: {{host: a}}", id="no reference"),
    pytest.param(
        f"{SELECTOR}, thanos: {{objectStorageConfig: {{name: more, key: a}}}}",
        id="the sidecar does not mount it",
    ),
    pytest.param(
        f"{SELECTOR}, remoteWrite: [{{basicAuth: {{password: {{name: more, key: a}}}}}}]",
        id="a password is no path",
    ),
    pytest.param(
        f"{SELECTOR}, additionalScrapeConfigs: {{name: creds, key: a}}",
        id="a Secret of the package",
    ),
]


@pytest.mark.parametrize("spec", HIDDEN)
def test_a_path_may_be_where_nobody_sees_it(spec: str) -> None:
    package = PACKAGE % (spec, "a")
    (left,) = left_alone(package)
    assert "Prometheus/main mounts it at /etc/prometheus/secrets/creds, and " in left
    assert "revisions.krm-fn.io/strategy: rename to rename it all the same" in left
    assert errors_of(package) == []


@pytest.mark.parametrize("spec", NOT_HIDDEN)
def test_everything_is_visible(spec: str) -> None:
    assert left_alone(PACKAGE % (spec, "a")) == []


def test_what_a_producer_makes_is_mounted() -> None:
    package = (PACKAGE % (SELECTOR, "/etc/prometheus/secrets/creds/a")).replace(
        "{apiVersion: v1, kind: Secret, metadata: {name: creds}, stringData: {a: b}}",
        "{apiVersion: external-secrets.io/v1, kind: ExternalSecret, metadata: {name: creds}, "
        "spec: {data: [{secretKey: a, remoteRef: {key: b}}]}}",
    )
    (left,) = left_alone(package)
    assert left.startswith(
        "warning: ExternalSecret/creds: left unchanged: Prometheus/main mounts it at "
    )
    (error,) = errors_of(package)
    assert "mounts Secret creds" in error
    assert error.endswith("annotate ExternalSecret/creds with revisions.krm-fn.io/strategy: ignore")


def test_a_path_that_is_written_wins_over_one_that_may_be() -> None:
    package = PACKAGE % ("replicas: 1", "/etc/vm/secrets/creds/a")
    package += "---\n{apiVersion: operator.victoriametrics.com/v1beta1, kind: VMAgent, metadata: {name: v}, "
    (left,) = left_alone(package + "spec: {secrets: [creds]}}\n")
    assert "VMAgent/v mounts it at /etc/vm/secrets/creds, and Widget/w contains this path" in left
    assert "strategy: rename" not in left


COLLECTOR = """\
{apiVersion: v1, kind: ConfigMap, metadata: {name: rules}, data: {a: b}}
---
apiVersion: opentelemetry.io/v1beta1
kind: OpenTelemetryCollector
metadata: {name: edge}
spec: {configmaps: [{name: rules%s}], config: {file: %s}}
"""


@pytest.mark.parametrize(
    ("mount", "file"),
    [
        pytest.param("otel", "/var/conf/otel/configmap-rules/a", id="a folder"),
        pytest.param("/otel/", "/var/conf/otel/configmap-rules/a", id="slashes around it"),
        pytest.param("a/b", "/var/conf/a/b/configmap-rules", id="two folders"),
        pytest.param("a/b", "../b/configmap-rules/a", id="a path from another folder"),
    ],
)
def test_a_field_beside_the_name_says_a_part_of_the_path(mount: str, file: str) -> None:
    package = COLLECTOR % (f", mountpath: {mount}", file)
    (left,) = left_alone(package)
    path = f"/var/conf/{mount.strip('/')}/configmap-rules"
    assert f"OpenTelemetryCollector/edge mounts it at {path}, and " in left
    assert "contains this path (spec.config.file)" in left
    (error,) = errors_of(package, CONFIG % ", select: [{name: rules}]")
    assert f"spec.config.file: contains {path}, where" in error


@pytest.mark.parametrize(
    ("mount", "file"),
    [
        pytest.param("otel", "/var/conf/otel/configmap-rules-2/a", id="a longer name"),
        pytest.param("otel", "/var/conf/other/configmap-rules/a", id="another folder"),
        pytest.param("otel", "/var/conf/otel/rules/a", id="the name without what is before it"),
    ],
)
def test_another_path_beside_it(mount: str, file: str) -> None:
    assert left_alone(COLLECTOR % (f", mountpath: {mount}", file)) == []


def test_a_part_of_the_path_that_is_missing() -> None:
    assert left_alone(COLLECTOR % ("", "/var/conf/configmap-rules")) == []


MOUNTER = """\
{apiVersion: v1, kind: Secret, metadata: {name: creds}, stringData: {a: b}}
---
{apiVersion: %s, kind: %s, metadata: {name: main}, %s}
---
{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {containers: [{name: c, envFrom: [{secretRef: {name: creds}}]}]}}
---
{apiVersion: e.x/v1, kind: Widget, metadata: {name: w}, spec: {text: %s}}
"""
ACCOUNT = ("v1", "ServiceAccount", "secrets: [{name: creds}]")
KEYCLOAK = (
    "k8s.keycloak.org/v2alpha1",
    "Keycloak",
    "spec: {truststores: {any: {secret: {name: creds}}}}",
)


@pytest.mark.parametrize(
    ("mounter", "path"),
    [
        pytest.param(ACCOUNT, "/tekton/creds-secrets/creds", id="Tekton"),
        pytest.param(KEYCLOAK, "/opt/keycloak/conf/truststores/secret-creds", id="Keycloak"),
    ],
)
def test_each_mounts_below_a_folder_of_its_own(mounter: tuple[str, str, str], path: str) -> None:
    (left,) = left_alone(MOUNTER % (*mounter, f"{path}/a"))
    assert f"{mounter[1]}/main mounts it at {path}, and Widget/w contains this path" in left
    assert left_alone(MOUNTER % (*mounter, f"{path}-2/a")) == []


BROKER = """\
{apiVersion: v1, kind: Secret, metadata: {name: %s}, stringData: {a: b}}
---
apiVersion: broker.amq.io/v1beta1
kind: ActiveMQArtemis
metadata: {name: broker}
spec: {acceptors: [{name: a, sslSecret: %s}], brokerProperties: ["keyStorePath=/etc/%s-volume/broker.ks"]}
"""


@pytest.mark.parametrize(
    ("name", "error"),
    [
        pytest.param(
            "tls-ptls",
            "acceptors[0].sslSecret: Secret tls-ptls is recognised by the end",
            id="an end",
        ),
        pytest.param(
            "tls",
            "brokerProperties[0]: contains /etc/tls-volume, where",
            id="a path around the name",
        ),
    ],
)
def test_certificates_of_a_broker(name: str, error: str) -> None:
    (found,) = errors_of(BROKER % (name, name, name), CONFIG % ", select: [{name: tls*}]")
    assert f"ActiveMQArtemis/broker spec.{error}" in found


@pytest.mark.parametrize(
    "row",
    [row for row in read_fields() if any(row.reads)],
    ids=lambda row: f"{'|'.join(row.kinds)} {row.path}",
)
def test_each_row_says_its_source(row: FieldRow) -> None:
    assert row.reads.source.startswith("github.com/")
    assert row.reads.path.count("{}") == (1 if row.reads.path else 0)
    assert row.reads.path.startswith("/") == bool(row.reads.path)


WITH_MOUNT_PATHS = {"StarRocksCluster"}
"""Kinds whose lists of mounts hold mappings that say the path themselves."""


def test_lists_of_mounts_say_where() -> None:
    """An operator that takes bare names has nowhere else to mount than at their paths."""
    lists = [
        row
        for row in read_fields()
        if row.in_pod
        and row.path.rpartition("/")[2] in ("secrets", "configMaps")
        and WITH_MOUNT_PATHS.isdisjoint(row.kinds)
    ]
    assert lists
    assert [row for row in lists if not row.reads.path] == []
