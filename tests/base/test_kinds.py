"""Kinds and their plurals."""

import json
import re
from pathlib import Path

import pytest

from krm_fn.base.item import Item
from krm_fn.base.kind import CONSUMER_KINDS, Kind, Kinds, is_replaced, plural_of
from krm_fn.base.problem import ResourceId
from krm_fn.core.yaml.envelope import open_envelope
from krm_fn.core.yaml.reader import read_yaml

CRDS = json.loads((Path(__file__).parent.parent / "data" / "crd_reference_paths.json").read_text())[
    "crds"
]
PUBLISHED = {
    crd["kind"]: found.group(1)
    for crd in CRDS
    if (found := re.search(rf"/{re.escape(crd['group'])}_([a-z0-9]+)\.yaml$", crd["file"]))
}
"""Generators of CRDs call the file by group and plural."""

KNOWN = {
    "Alertmanager": "alertmanagers",
    "APIGateway": "apigateways",
    "Certificate": "certificates",
    "ClusterPolicy": "clusterpolicies",
    "Elasticsearch": "elasticsearches",
    "EtcdCluster": "etcdclusters",
    "Gateway": "gateways",
    "GatewayClass": "gatewayclasses",
    "HelmRelease": "helmreleases",
    "Ingress": "ingresses",
    "Kafka": "kafkas",
    "KafkaMirrorMaker2": "kafkamirrormaker2s",
    "Kibana": "kibanas",
    "Logstash": "logstashes",
    "Mesh": "meshes",
    "NetworkPolicy": "networkpolicies",
    "Postgresql": "postgresqls",
    "Prometheus": "prometheuses",
    "RabbitmqCluster": "rabbitmqclusters",
    "Redis": "redis",
    "Sandbox": "sandboxes",
    "SecretProviderClass": "secretproviderclasses",
    "ServiceEntry": "serviceentries",
    "Tempo": "tempos",
    "ThanosRuler": "thanosrulers",
    "VirtualGateway": "virtualgateways",
}
"""What well-known projects call theirs."""


@pytest.mark.parametrize(("kind", "plural"), sorted({**PUBLISHED, **KNOWN}.items()))
def test_plurals(kind: str, plural: str) -> None:
    assert plural_of(kind) == plural


IRREGULAR = {
    "eventbus.argoproj.io": "EventBus",
    "dnschaos.chaos-mesh.org": "DNSChaos",
    "physicalmachinechaos.chaos-mesh.org": "PhysicalMachineChaos",
    "redis.redis.redis.opstreelabs.in": "Redis",
    "redises.kubedb.com": "Redis",
    "mongodbs.kubedb.com": "MongoDB",
    "kubegres.kubegres.reactive-tech.io": "Kubegres",
    "mongodb.mongodb.com": "MongoDB",
    "mongodbmulticluster.mongodb.com": "MongoDBMultiCluster",
    "opsmanagers.mongodb.com": "MongoDBOpsManager",
    "mongodbusers.mongodb.com": "MongoDBUser",
    "mongodbcommunity.mongodbcommunity.mongodb.com": "MongoDBCommunity",
    "monovertices.numaflow.numaproj.io": "MonoVertex",
    "vertices.numaflow.numaproj.io": "Vertex",
    "vlogs.operator.victoriametrics.com": "VLogs",
    "vmclusters.operator.victoriametrics.com": "VMCluster",
}
"""The names of published definitions, and their kinds."""


@pytest.mark.parametrize("name", IRREGULAR)
def test_a_plural_that_follows_no_rule(name: str) -> None:
    plural, _, group = name.partition(".")
    assert Kinds().of(ResourceId(f"{group}/v1", IRREGULAR[name], "", "")).plural == plural


def test_enough_was_published() -> None:
    assert len(PUBLISHED) >= 30


@pytest.mark.parametrize("kind", CONSUMER_KINDS, ids=lambda kind: kind.kind)
def test_our_own_table_keeps_the_rule(kind: Kind) -> None:
    assert plural_of(kind.kind) == kind.plural


@pytest.mark.parametrize(
    ("kind", "group", "text"),
    [
        (Kind("v1", "Pod", "pods"), "", "v1/Pod/pods"),
        (Kind("apps/v1", "Deployment", "deployments"), "apps", "apps/v1/Deployment/deployments"),
    ],
)
def test_group_and_text(kind: Kind, group: str, text: str) -> None:
    assert (kind.group, str(kind)) == (group, text)


CLUSTER_SCOPED = {
    *(
        ("apiextensions.crossplane.io", kind)
        for kind in ("CompositeResourceDefinition", "Composition")
    ),
    ("apiextensions.crossplane.io", "CompositionRevision"),
    *(("ops.crossplane.io", kind) for kind in ("CronOperation", "Operation", "WatchOperation")),
    *(("pkg.crossplane.io", kind) for kind in ("Configuration", "Function", "Provider")),
    *(
        ("pkg.crossplane.io", f"{kind}Revision")
        for kind in ("Configuration", "Function", "Provider")
    ),
    *(("pkg.crossplane.io", kind) for kind in ("DeploymentRuntimeConfig", "ImageConfig")),
    *(("apps.kruise.io", kind) for kind in ("NodeImage", "SidecarSet")),
    ("argoproj.io", "ClusterAnalysisTemplate"),
    ("argoproj.io", "ClusterWorkflowTemplate"),
    ("cert-manager.io", "ClusterIssuer"),
    ("gateway.networking.k8s.io", "GatewayClass"),
    ("gateway.networking.x-k8s.io", "XMesh"),
    ("keda.sh", "ClusterTriggerAuthentication"),
}
"""Of the 88, by `spec.scope` in their own repositories."""


@pytest.mark.parametrize("crd", CRDS, ids=lambda crd: f"{crd['group']}/{crd['kind']}")
def test_the_scope_of_each_published_kind(crd: dict[str, str]) -> None:
    who = ResourceId(f"{crd['group']}/{crd['version']}", crd["kind"], "", "web")
    assert Kinds().is_cluster_scoped(who) == ((crd["group"], crd["kind"]) in CLUSTER_SCOPED)


SCOPES = [
    pytest.param(
        "pkg.crossplane.io/v1", "Configuration", "", True, id="Crossplane's Configuration"
    ),
    pytest.param(
        "serving.knative.dev/v1", "Configuration", "", False, id="Knative's Configuration"
    ),
    pytest.param("pkg.crossplane.io/v1", "Provider", "", True, id="Crossplane's Provider"),
    pytest.param(
        "notification.toolkit.fluxcd.io/v1beta3", "Provider", "", False, id="Flux's Provider"
    ),
    pytest.param("trust.cert-manager.io/v1alpha1", "Bundle", "", True, id="trust-manager's Bundle"),
    pytest.param("fleet.cattle.io/v1alpha1", "Bundle", "", False, id="Fleet's Bundle"),
    pytest.param(
        "aws.upbound.io/v1beta1", "ProviderConfig", "", True, id="a provider's own configuration"
    ),
    pytest.param(
        "example.com/v1", "ProviderConfig", "", False, id="somebody else's ProviderConfig"
    ),
    pytest.param(
        *("rbac.authorization.k8s.io/v1", "ClusterRole", "shop", True),
        id="one into which kustomize has written a namespace",
    ),
    pytest.param("apps/v1", "Deployment", "", False, id="a Deployment that says none"),
]


@pytest.mark.parametrize(("api_version", "kind", "namespace", "expected"), SCOPES)
def test_scope_depends_on_group_and_kind(
    api_version: str, kind: str, namespace: str, *, expected: bool
) -> None:
    assert Kinds().is_cluster_scoped(ResourceId(api_version, kind, namespace, "web")) == expected


def definition(scope: str) -> Item:
    text = f"""{{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {{name: x}},
      spec: {{group: pkg.crossplane.io, scope: {scope}, names: {{kind: Provider, plural: providerz}}}}}}"""
    return open_envelope(read_yaml(text.encode())).items[0]


def test_a_definition_in_the_package_wins_over_the_table() -> None:
    who = ResourceId("pkg.crossplane.io/v1", "Provider", "", "aws")
    kinds = Kinds([definition("Namespaced")])
    assert (kinds.is_cluster_scoped(who), str(kinds.of(who))) == (
        False,
        "pkg.crossplane.io/v1/Provider/providerz",
    )
    assert Kinds([definition("Cluster")]).is_cluster_scoped(who)


OPTIONS, FORCE, UPDATE = (
    "argocd.argoproj.io/sync-options",
    "kustomize.toolkit.fluxcd.io/force",
    "kapp.k14s.io/update-strategy",
)
REPLACED = [
    pytest.param(
        "annotations", OPTIONS, "Replace=true,Force=true", True, id="Argo CD deletes and creates it"
    ),
    pytest.param(
        "annotations",
        OPTIONS,
        "Prune=false , Force=true, Replace=true",
        True,
        id="blanks do not count",
    ),
    pytest.param(
        "annotations", OPTIONS, "Force=true", True, id="Argo CD does, where a patch is refused"
    ),
    pytest.param("annotations", OPTIONS, "Replace=true", False, id="a PUT is refused as well"),
    pytest.param(
        "annotations",
        OPTIONS,
        "Force=true,ServerSideApply=true",
        False,
        id="no force on the server's side",
    ),
    pytest.param(
        "annotations",
        OPTIONS,
        "Force=true,ServerSideApply=true,Replace=true",
        True,
        id="Replace wins",
    ),
    pytest.param(
        "annotations",
        OPTIONS,
        "force=true,replace=true",
        False,
        id="Argo CD's options have one case",
    ),
    pytest.param("annotations", OPTIONS, "Force=false,Replace=true", False, id="no force"),
    pytest.param("labels", OPTIONS, "Replace=true,Force=true", False, id="Argo CD reads no labels"),
    pytest.param("annotations", FORCE, "enabled", True, id="Flux"),
    pytest.param("labels", FORCE, "Enabled", True, id="Flux reads labels, in any case"),
    pytest.param("annotations", FORCE, "enabled,other", False, id="Flux reads no list"),
    pytest.param("annotations", FORCE, "disabled", False, id="not by Flux"),
    pytest.param(
        "annotations", UPDATE, "fallback-on-replace", True, id="kapp, where an update is refused"
    ),
    pytest.param("annotations", UPDATE, "always-replace", True, id="kapp, always"),
    pytest.param("annotations", UPDATE, "skip", False, id="kapp leaves it"),
    pytest.param("annotations", "helm.sh/hook", "pre-install, pre-upgrade", True, id="a hook"),
    pytest.param("annotations", "other", "Replace=true,Force=true", False, id="another annotation"),
]


@pytest.mark.parametrize(("place", "name", "value", "expected"), REPLACED)
def test_what_a_deployer_replaces(place: str, name: str, value: str, *, expected: bool) -> None:
    text = f"{{apiVersion: batch/v1, kind: Job, metadata: {{name: once, {place}: {{{name}: '{value}'}}}}}}"
    (item,) = open_envelope(read_yaml(text.encode())).items
    assert is_replaced(item) is expected


LISTABLE = [
    pytest.param(Kind("v1", "PodTemplate", "podtemplates"), id="the core group"),
    pytest.param(Kind("example.com/v1beta1", "Widget", "widgets"), id="a custom resource"),
    pytest.param(Kind("a-b.example.com/v2", "HTTPRoute2", "http-routes"), id="hyphens and digits"),
]
NOT_LISTABLE = [
    pytest.param(Kind("v1", "Secret", "secrets"), id="Secrets"),
    pytest.param(Kind("v1", "Widget", "secrets"), id="Secrets under another kind"),
    pytest.param(Kind("/v1", "Pod", "pods"), id="an empty group with a slash"),
    pytest.param(Kind("*/v1", "Pod", "pods"), id="any group"),
    pytest.param(Kind("a/b/v1", "Pod", "pods"), id="two slashes"),
    pytest.param(Kind("Example.com/v1", "Pod", "pods"), id="an upper-case group"),
    pytest.param(Kind(f"{'a.' * 126}io/v1", "Pod", "pods"), id="a group of 254 characters"),
    pytest.param(Kind("example.com/1", "Pod", "pods"), id="a version that begins with a digit"),
    pytest.param(Kind("", "Pod", "pods"), id="no version"),
    pytest.param(Kind("v1\n", "Pod", "pods"), id="a line break"),
    pytest.param(Kind("v1", "pod", "pods"), id="a kind in lower case"),
    pytest.param(Kind("v1", "", ""), id="no kind"),
    pytest.param(Kind("v1", "Pod", "*"), id="all resources"),
    pytest.param(Kind("v1", "Pod", "pods/exec"), id="a subresource"),
    pytest.param(Kind("v1", "Pod", "p" * 64), id="a plural of 64 characters"),
]


@pytest.mark.parametrize("kind", [*CONSUMER_KINDS, *LISTABLE])
def test_a_rule_may_name_it(kind: Kind) -> None:
    assert kind.is_listable


@pytest.mark.parametrize("kind", NOT_LISTABLE)
def test_no_rule_may_name_it(kind: Kind) -> None:
    assert not kind.is_listable
