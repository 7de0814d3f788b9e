"""Names that well-known programs look up are recognised; an application's object with a similar name is not."""

import json
from collections.abc import Mapping

import pytest

from krm_fn.base.item import Item, read_item
from krm_fn.base.node import is_mapping
from krm_fn.core.yaml.reader import read_yaml
from krm_fn.facts.programs import READ_IN_FULL
from krm_fn.function import run
from krm_fn.guards.well_known import WellKnown, looked_up_by, may_look_up, read_well_known

PART_OF = "app.kubernetes.io/part-of"
NAME = "app.kubernetes.io/name"
WELL_KNOWN = read_well_known()


def object_named(
    name: str, kind: str = "ConfigMap", namespace: str = "", labels: Mapping[str, str] | None = None
) -> Item:
    metadata = {"name": name, "namespace": namespace, "labels": dict(labels or {})}
    content = {"apiVersion": "v1", "kind": kind, "metadata": metadata}
    (node,) = read_yaml(json.dumps(content).encode()).roots
    assert is_mapping(node)
    return read_item(node)


def program_of(item: Item) -> str:
    row = looked_up_by(item, item.id.name, item.id.namespace)
    return row.program if row else ""


LEFT_ALONE = [
    pytest.param(
        "Argo CD", object_named("argocd-cm", labels={PART_OF: "argocd"}), id="Argo CD's settings"
    ),
    pytest.param(
        "Argo CD",
        object_named("argocd-cm"),
        id="Argo CD's settings, whose label a patch adds later",
    ),
    pytest.param(
        "Argo CD",
        object_named("argocd-new-cm", labels={PART_OF: "argocd"}),
        id="a new name of Argo CD's",
    ),
    pytest.param("Amazon EKS", object_named("aws-auth", namespace="kube-system"), id="EKS's users"),
    pytest.param(
        "Cilium",
        object_named("cilium-config", namespace="kube-system"),
        id="Cilium's configuration",
    ),
    pytest.param("Cilium", object_named("cilium-config"), id="the same without a namespace"),
    pytest.param(
        "Kubernetes",
        object_named("coredns", namespace="kube-system"),
        id="the Corefile, which kubeadm migrates",
    ),
    pytest.param(
        "Kubernetes",
        object_named("kube-proxy", namespace="kube-system"),
        id="the configuration of kube-proxy",
    ),
    pytest.param(
        "Kubernetes",
        object_named("cluster-info", namespace="kube-public"),
        id="what joining nodes read",
    ),
    pytest.param(
        "Linkerd", object_named("linkerd-config", namespace="linkerd"), id="Linkerd's configuration"
    ),
    pytest.param(
        "Linkerd",
        object_named("linkerd-config", labels={"linkerd.io/control-plane-component": "controller"}),
        id="Linkerd's configuration in a namespace of the user's",
    ),
    pytest.param(
        "Istio", object_named("istio", namespace="istio-system"), id="Istio's mesh configuration"
    ),
    pytest.param(
        "Istio",
        object_named("istio-canary", labels={"operator.istio.io/component": "Pilot"}),
        id="the mesh configuration of another revision",
    ),
    pytest.param(
        "Istio", object_named("cacerts", "Secret", "istio-system"), id="the CA that istiod reads"
    ),
    pytest.param(
        "Knative Serving",
        object_named("config-defaults", labels={NAME: "knative-serving"}),
        id="Knative's defaults, by their label",
    ),
    pytest.param(
        "Knative Serving",
        object_named("config-kourier", namespace="knative-serving"),
        id="Knative's, by the namespace",
    ),
    pytest.param(
        "Tekton Pipelines",
        object_named("config-defaults", namespace="ci", labels={PART_OF: "tekton-pipelines"}),
        id="Tekton's defaults in a namespace of the user's",
    ),
    pytest.param(
        "Tekton Triggers",
        object_named("config-logging-triggers", namespace="tekton-pipelines"),
        id="Tekton Triggers'",
    ),
    pytest.param(
        "Cluster API",
        object_named("west-kubeconfig", "Secret", labels={"cluster.x-k8s.io/cluster-name": "west"}),
        id="a workload cluster's kubeconfig: a label with any value",
    ),
    pytest.param(
        "JupyterHub",
        object_named("hub", "Secret", labels={"app": "jupyterhub", "component": "hub"}),
        id="the hub's Secret, which its chart looks up",
    ),
    pytest.param(
        "Harbor (chart)",
        object_named("mine-core", "Secret", labels={"app": "harbor"}),
        id="a Harbor of another name",
    ),
    pytest.param(
        "OpenShift monitoring",
        object_named("cluster-monitoring-config", namespace="openshift-monitoring"),
        id="OpenShift's monitoring",
    ),
    pytest.param(
        "Rancher",
        object_named("bootstrap-secret", "Secret", "cattle-system"),
        id="Rancher's first password",
    ),
    pytest.param(
        "Zalando postgres-operator",
        object_named("web.db.credentials.postgresql.acid.zalan.do", "Secret", "shop"),
        id="a user of a database, whose cluster may be in another package",
    ),
    pytest.param(
        "DevWorkspace operator",
        object_named(
            "settings", "Secret", "dev", {"controller.devfile.io/mount-to-devworkspace": "true"}
        ),
        id="what is mounted in each workspace below its name",
    ),
    pytest.param(
        "Jenkins Kubernetes Credentials Provider",
        object_named("deploy", "Secret", labels={"jenkins.io/credentials-type": "secretText"}),
        id="a credential of Jenkins, whose id is the name",
    ),
    pytest.param(
        "Patroni",
        object_named("orders-config", labels={"application": "patroni", "cluster-name": "orders"}),
        id="the configuration that Patroni writes",
    ),
    pytest.param(
        "SAP BTP service operator",
        object_named("shop-sap-btp-service-operator", "Secret", "sap-btp-operator"),
        id="the credentials of one namespace",
    ),
]

NOT_MATCHED = [
    pytest.param(object_named("config"), id="a ConfigMap called config"),
    pytest.param(
        object_named("app-config", labels={NAME: "shop"}), id="an application's configuration"
    ),
    pytest.param(object_named("argocd-cm", "Secret"), id="a Secret with the name of a ConfigMap"),
    pytest.param(object_named("argocd-demo", labels={NAME: "argocd-demo"}), id="a demo of Argo CD"),
    pytest.param(
        object_named("my-argocd-cm", labels={PART_OF: "argocd"}),
        id="the pattern is for the whole name",
    ),
    pytest.param(
        object_named("argocd-redis-ha-configmap", labels={PART_OF: "argocd"}),
        id="what the Redis beside Argo CD mounts",
    ),
    pytest.param(object_named("linkerd-config", namespace="default"), id="what a Linkerd 1 mounts"),
    pytest.param(object_named("config-defaults", namespace="shop"), id="an application's defaults"),
    pytest.param(
        object_named("config-web", labels={PART_OF: "shop"}), id="an application's config-*"
    ),
    pytest.param(
        object_named("config-logging"), id="a ConfigMap that may be Knative's, but does not say so"
    ),
    pytest.param(
        object_named("feature-flags", namespace="shop"), id="an application's feature flags"
    ),
    pytest.param(
        object_named("istio-dashboards", namespace="istio-system"),
        id="what Grafana mounts beside Istio",
    ),
    pytest.param(
        object_named("cacerts", "Secret", "shop"), id="the CAs that an application trusts"
    ),
    pytest.param(
        object_named("cluster-info", namespace="shop"), id="an application's cluster-info"
    ),
    pytest.param(
        object_named("nginx-configuration", namespace="shop"),
        id="the configuration of an application's nginx",
    ),
    pytest.param(
        object_named("hub", "Secret", labels={"app": "shop", "component": "hub"}),
        id="another program's hub",
    ),
    pytest.param(
        object_named("hub", "Secret", labels={"app": "jupyterhub"}),
        id="one of two labels is not enough",
    ),
    pytest.param(object_named("west-kubeconfig", "Secret"), id="a kubeconfig of nobody's"),
    pytest.param(
        object_named("payment-core", "Secret", labels={"app": "payment"}),
        id="an application's core",
    ),
    pytest.param(object_named("datadog", "Secret", "shop"), id="an application's key for Datadog"),
    pytest.param(
        object_named("prometheus-server"), id="the configuration that a Prometheus mounts"
    ),
    pytest.param(
        object_named("trusted-ca-bundle", namespace="shop"), id="CAs in an application's namespace"
    ),
    pytest.param(
        object_named("a", "Secret", labels={"controller.devfile.io/watch-secret": "true"}),
        id="what the DevWorkspace operator only watches",
    ),
    pytest.param(
        object_named("orders-config", labels={"application": "orders", "cluster-name": "orders"}),
        id="a configuration of a cluster that is not Patroni's",
    ),
    pytest.param(
        object_named("shop-sap-btp-service-operator", "Secret", "shop"),
        id="credentials in another namespace than the operator's",
    ),
]


@pytest.mark.parametrize(("program", "item"), LEFT_ALONE)
def test_a_program_that_looks_the_object_up_is_found(program: str, item: Item) -> None:
    assert program_of(item) == program


@pytest.mark.parametrize("item", NOT_MATCHED)
def test_an_application_may_use_a_similar_name(item: Item) -> None:
    assert program_of(item) == ""


def test_the_base_name_counts_not_the_name_of_the_revision() -> None:
    item = object_named("cilium-config-5t7h9k2b4c", namespace="kube-system")
    assert looked_up_by(item, item.id.name, item.id.namespace) is None
    row = looked_up_by(item, "cilium-config", item.id.namespace)
    assert row is not None
    assert row.program == "Cilium"


def test_the_table_is_large() -> None:
    assert len(WELL_KNOWN) >= 150
    assert len({row.program for row in WELL_KNOWN}) >= 60


def test_the_table_is_sorted_by_program() -> None:
    programs = [row.program.lower() for row in WELL_KNOWN]
    assert programs == sorted(programs)


@pytest.mark.parametrize("row", WELL_KNOWN, ids=lambda row: f"{row.program}: {row.kind} {row.name}")
def test_a_row_is_complete_and_found_by_what_it_says(row: WellKnown) -> None:
    """A duplicate, or a row that an earlier one hides, is not found."""
    assert row.program
    assert row.kind in {"ConfigMap", "Secret"}
    repository, _, place = row.source.partition(" ")
    assert repository.startswith("github.com/")
    assert repository.count("/") == 2
    assert place
    if "*" in row.name:
        has_group = row.name.endswith(".acid.zalan.do")
        assert row.labels or row.namespaces or has_group, "it matches objects of applications"
    labels = {label: "any" if value == "*" else value for label, value in row.labels.items()}
    name = row.name.replace("*", "example")
    for namespace in row.namespaces or ("",):
        assert looked_up_by(object_named(name, row.kind, namespace, labels), name, namespace) == row


CONFIG = b"""\
apiVersion: revisions.krm-fn.io/v1
kind: ConfigRevisions
metadata: {name: shop}
spec: {kinds: [ConfigMap, Secret], linker: {enabled: false}}
"""
CNPG = ("postgresql.cnpg.io", "Cluster")
ECK = ("elasticsearch.k8s.elastic.co", "Elasticsearch")
CRUNCHY = ("postgres-operator.crunchydata.com", "PostgresCluster")
MONGODB = ("mongodbcommunity.mongodb.com", "MongoDBCommunity")
PERCONA_MONGODB = ("psmdb.percona.com", "PerconaServerMongoDB")
PERCONA_PG = ("pgv2.percona.com", "PerconaPGCluster")
PERCONA_XTRADB = ("pxc.percona.com", "PerconaXtraDBCluster")
TIDB = ("pingcap.com", "TidbCluster")

NAMED_BY_OWNER = [
    pytest.param(CNPG, "db", "Secret", "db-app", id="the password of a database"),
    pytest.param(ECK, "db", "Secret", "db-es-http-certs-public", id="one of several certificates"),
    pytest.param(ECK, "db", "ConfigMap", "db-es-scripts", id="a ConfigMap"),
    pytest.param(CRUNCHY, "db", "Secret", "db-pguser-web", id="a user of the database"),
    pytest.param(
        ("rabbitmq.com", "RabbitmqCluster"), "db", "Secret", "db-erlang-cookie", id="a cookie"
    ),
    pytest.param(("awx.ansible.com", "AWX"), "a", "Secret", "a-secret-key", id="AWX's key"),
    pytest.param(
        ("grafana.integreatly.org", "Grafana"), "g", "Secret", "g-admin-credentials", id="a login"
    ),
    pytest.param(("grafana.integreatly.org", "Grafana"), "g", "ConfigMap", "g-ini", id="its ini"),
    pytest.param(
        ("k8ssandra.io", "K8ssandraCluster"), "k", "Secret", "k-superuser", id="a superuser"
    ),
    pytest.param(MONGODB, "m", "Secret", "m-admin-app", id="the connection of a user"),
    pytest.param(PERCONA_PG, "p", "Secret", "p-pguser-web", id="a user of PostgreSQL"),
    pytest.param(PERCONA_MONGODB, "p", "ConfigMap", "p-rs0-mongod", id="options of mongod"),
    pytest.param(PERCONA_MONGODB, "p", "Secret", "p-mongodb-keyfile", id="a keyfile"),
    pytest.param(PERCONA_XTRADB, "p", "Secret", "p-secrets", id="the users of MySQL"),
    pytest.param(PERCONA_XTRADB, "p", "ConfigMap", "p-pxc", id="options of MySQL"),
    pytest.param(TIDB, "t", "Secret", "t-pd-cluster-secret", id="a component's certificate"),
    pytest.param(("pingcap.com", "DMCluster"), "d", "Secret", "d-dm-client-secret", id="a client"),
]
NOT_NAMED_BY_OWNER = [
    pytest.param(CNPG, "db", "Secret", "web-app", id="the name of another object"),
    pytest.param(CNPG, "db", "ConfigMap", "db-app", id="the other kind"),
    pytest.param(CNPG, "db", "Secret", "db-app-extra", id="a longer name"),
    pytest.param(CNPG, "db", "Secret", "my-db-app", id="another beginning"),
    pytest.param(MONGODB, "m", "Secret", "m-exporter-config", id="an application's beside it"),
    pytest.param(TIDB, "t", "Secret", "t-client-secret", id="without what tells them apart"),
    pytest.param(("cluster.x-k8s.io", "Cluster"), "db", "Secret", "db-app", id="another group"),
    pytest.param(
        ("postgresql.cnpg.io", "Pooler"), "db", "Secret", "db-app", id="another kind of owner"
    ),
]


def what_is_said(  # noqa: PLR0913  # what a row may say
    group: str,
    owner_kind: str,
    owner: Mapping[str, str],
    kind: str,
    name: str,
    *,
    spec: Mapping[str, object] | None = None,
) -> str:
    field = "configMapRef" if kind == "ConfigMap" else "secretRef"
    container = {"name": "web", "image": "web", "envFrom": [{field: {"name": name}}]}
    here = {"namespace": "shop"}
    package = [
        {
            "apiVersion": "v1",
            "kind": kind,
            "metadata": {"name": name, **here},
            "data": {"a": "YQ=="},
        },
        {"apiVersion": f"{group}/v1", "kind": owner_kind, "metadata": owner, "spec": spec or {}},
        {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"name": "web", **here},
            "spec": {"containers": [container]},
        },
    ]
    outcome = run("\n---\n".join(map(json.dumps, package)).encode(), CONFIG)
    assert outcome.exit_code == 0, outcome.stderr
    return outcome.stderr


@pytest.mark.parametrize(("owner_kind", "owner", "kind", "name"), NAMED_BY_OWNER)
def test_an_operator_makes_the_name_of_that_of_its_own_object(
    owner_kind: tuple[str, str], owner: str, kind: str, name: str
) -> None:
    said = what_is_said(*owner_kind, {"name": owner, "namespace": "shop"}, kind, name)
    assert f"looks it up by the name of {owner_kind[1]}/shop/{owner}" in said


@pytest.mark.parametrize(("owner_kind", "owner", "kind", "name"), NOT_NAMED_BY_OWNER)
def test_an_application_has_such_a_name_without_the_operators_object(
    owner_kind: tuple[str, str], owner: str, kind: str, name: str
) -> None:
    said = what_is_said(*owner_kind, {"name": owner, "namespace": "shop"}, kind, name)
    assert "left unchanged" not in said
    assert "looks it up" not in said


def test_a_field_of_the_operators_object_names_it() -> None:
    """Then the operator finds it by the field, which follows."""
    owner = {"name": "db", "namespace": "shop"}
    spec = {"bootstrap": {"initdb": {"secret": {"name": "db-app"}}}}
    said = what_is_said(*CNPG, owner, "Secret", "db-app", spec=spec)
    assert "looks it up" not in said
    assert "looks it up" in what_is_said(*CNPG, owner, "Secret", "db-app", spec={})


def test_the_operators_object_of_another_namespace_has_names_there() -> None:
    said = what_is_said(*CNPG, {"name": "db", "namespace": "dev"}, "Secret", "db-app")
    assert "looks it up" not in said


LOOK_UP_NOTHING = {
    *(
        "Altinity operator for ClickHouse",
        "Fluent Bit",
        "Fluent operator",
        "Grafana",
        "Hyperledger Fabric",
        "Jenkins",
        "Loki",
        "Netdata",
        "System Upgrade Controller",
    ),
    "Orchestrator",
    *("Prometheus", "Promtail", "Pulsar", "Vector", "k8s-sidecar"),
}
"""Programs that look up nothing by a fixed name. The table has no row for them."""


def test_an_image_is_of_a_program_of_the_table_or_of_one_that_looks_up_nothing() -> None:
    assert {*READ_IN_FULL.values()} - {row.program for row in WELL_KNOWN} == LOOK_UP_NOTHING


IMAGES = [
    pytest.param("quay.io/cephcsi/cephcsi:v3.14.0", id="a tag"),
    pytest.param("cephcsi/cephcsi", id="no registry"),
    pytest.param(
        "registry.example:5000/mirror/quay.io/cephcsi/cephcsi@sha256:0123",
        id="a mirror with a port, a digest",
    ),
]


@pytest.mark.parametrize("image", IMAGES)
def test_a_known_image_looks_up_the_names_of_its_program_alone(image: str) -> None:
    assert may_look_up(image, "ConfigMap", "ceph-csi-config") is False
    assert may_look_up(image, "ConfigMap", "csi-kms-connection-details") is True


def test_a_name_counts_wherever_the_object_is() -> None:
    """In a namespace and with labels that the table does not expect, the program may still be told to look there."""
    assert (
        looked_up_by(
            object_named("config-my-own", namespace="elsewhere"), "config-my-own", "elsewhere"
        )
        is None
    )
    assert (
        may_look_up("gcr.io/knative.dev/eventing/cmd/controller:1", "ConfigMap", "config-my-own")
        is True
    )


@pytest.mark.parametrize(
    "image", ["", "cephcsi", "example/cephcsi:1", "cephcsi/cephcsi-extras", "a/cephcsi/cephcsi/b"]
)
def test_any_other_image_may_look_up_anything(image: str) -> None:
    assert may_look_up(image, "ConfigMap", "ceph-csi-config") is None
