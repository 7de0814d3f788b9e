"""Kinds and their plurals."""

import json
import re
from pathlib import Path

import pytest

from krm_fn.model.kinds import CONSUMER_KINDS, POD_CONTROLLERS, ConsumerKind, plural_of

CRDS = json.loads((Path(__file__).parent.parent / "data" / "crd_reference_paths.json").read_text())["crds"]
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


def test_enough_was_published() -> None:
    assert len(PUBLISHED) >= 30


@pytest.mark.parametrize("kind", CONSUMER_KINDS, ids=lambda kind: kind.kind)
def test_our_own_table_keeps_the_rule(kind: ConsumerKind) -> None:
    assert plural_of(kind.kind) == kind.plural


@pytest.mark.parametrize(
    ("kind", "group", "text"),
    [
        (ConsumerKind("v1", "Pod", "pods"), "", "v1/Pod/pods"),
        (ConsumerKind("apps/v1", "Deployment", "deployments"), "apps", "apps/v1/Deployment/deployments"),
    ],
)
def test_group_and_text(kind: ConsumerKind, group: str, text: str) -> None:
    assert (kind.group, str(kind)) == (group, text)


def test_controllers_of_pods_are_looked_at_themselves() -> None:
    assert {(kind.api_version, kind.kind) for kind in CONSUMER_KINDS} >= POD_CONTROLLERS
