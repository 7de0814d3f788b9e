"""NetworkPolicies that keep the linker's pods from the API server, and those that do not."""

import pytest
import yaml

from krm_fn.function import run
from tests.cases import FIXTURES

PACKAGE = """apiVersion: v1
kind: ConfigMap
metadata: {name: web, namespace: shop}
data: {A: a}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop}
spec: {template: {spec: {containers: [{name: app, image: a, envFrom: [{configMapRef: {name: web}}]}]}}}
"""
CONFIG = b"""apiVersion: revisions.krm-fn.io/v1
kind: ConfigRevisions
metadata: {name: web}
spec: {linker: {image: "registry.example/krm-fn:1.0", labels: {team: web}}}
"""
LINKER = "{matchLabels: {revisions.krm-fn.io/component: linker}}"


def policy(spec: str, name: str = "deny", namespace: str = "shop") -> str:
    return (
        "---\napiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\n"
        f"metadata: {{name: {name}, namespace: {namespace}}}\nspec: {{{spec}}}\n"
    )


DENY = policy("podSelector: {}, policyTypes: [Egress]")
SHUT_IN = [
    pytest.param(DENY, id="all egress is denied"),
    pytest.param(policy("policyTypes: [Egress]"), id="without a selector it is for all pods"),
    pytest.param(
        policy("podSelector: {}, egress: [{ports: [{port: 53}]}]"),
        id="rules for egress without types, and only for DNS",
    ),
    pytest.param(
        DENY
        + policy(
            "podSelector: {}, policyTypes: [Egress], egress: [{to: [{podSelector: {}}]}]", "pods"
        ),
        id="pods may be reached, and the API server is none",
    ),
    pytest.param(
        DENY
        + policy(
            "podSelector: {matchLabels: {app: web}}, policyTypes: [Egress], egress: [{}]", "web"
        ),
        id="only other pods are let out",
    ),
    pytest.param(
        policy(
            "podSelector: {matchExpressions: [{key: team, operator: In, values: [web]}]}, policyTypes: [Egress]"
        ),
        id="the labels that the configuration gives the linker are selected",
    ),
]
NOT_SHUT_IN = [
    pytest.param(policy("podSelector: {}, policyTypes: [Ingress]"), id="only ingress is denied"),
    pytest.param(policy("podSelector: {}"), id="without types and rules it is about ingress"),
    pytest.param(
        policy("podSelector: {}, policyTypes: [Egress]", namespace="blog"),
        id="it is for another namespace",
    ),
    pytest.param(
        policy("podSelector: {matchLabels: {app: web}}, policyTypes: [Egress]"),
        id="it is for other pods",
    ),
    pytest.param(
        DENY + policy("podSelector: {}, policyTypes: [Egress], egress: [{}]", "out"),
        id="another one lets all pods out",
    ),
    pytest.param(
        DENY
        + policy(
            f"podSelector: {LINKER}, policyTypes: [Egress], egress: [{{ports: [{{port: 6443}}]}}]",
            "out",
        ),
        id="another one lets the linker out to the port of an API server",
    ),
    pytest.param(
        DENY
        + "---\napiVersion: cilium.io/v2\nkind: CiliumNetworkPolicy\nmetadata: {name: out, namespace: shop}\n"
        "spec: {endpointSelector: {}, egress: [{toEntities: [kube-apiserver]}]}\n",
        id="a policy of another kind may let it out",
    ),
]


@pytest.mark.parametrize("policies", SHUT_IN)
def test_a_linker_that_cannot_reach_the_api_server_is_warned_about(policies: str) -> None:
    assert run((PACKAGE + policies).encode(), CONFIG).stderr.count("blocks the linker") == 1


@pytest.mark.parametrize("policies", NOT_SHUT_IN)
def test_nothing_is_said_of_a_linker_that_may_reach_it(policies: str) -> None:
    assert "blocks the linker" not in run((PACKAGE + policies).encode(), CONFIG).stderr


def test_the_policy_of_the_examples_lets_it_out() -> None:
    example = yaml.safe_load(
        (FIXTURES.parent / "examples/linker-policy/network-policy.yaml").read_text()
    )
    example["metadata"]["namespace"] = "shop"
    text = f"{PACKAGE}{DENY}---\n{yaml.safe_dump(example)}"
    assert "blocks the linker" not in run(text.encode(), CONFIG).stderr
