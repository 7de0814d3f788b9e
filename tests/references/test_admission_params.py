"""The parameter of an admission policy is of the kind that the policy says, under the name that its binding says."""

import pytest

from krm_fn.base.item import Item, read_item
from krm_fn.core.references.find import find_params, read_kinds_of_params
from krm_fn.core.yaml.reader import read_yaml

POLICY = """
apiVersion: admissionregistration.k8s.io/v1
kind: {kind}AdmissionPolicy
metadata: {{name: limits}}
spec: {{paramKind: {param_kind}}}
"""
BINDING = """
apiVersion: admissionregistration.k8s.io/v1
kind: {kind}AdmissionPolicyBinding
metadata: {{name: limits}}
spec: {{policyName: limits, paramRef: {param_ref}}}
"""
CONFIG_MAP = "{apiVersion: v1, kind: ConfigMap}"

LEFT_ALONE = [
    pytest.param(
        "",
        BINDING.format(kind="Validating", param_ref="{name: a}"),
        id="a policy of another package",
    ),
    pytest.param(
        POLICY.format(kind="Validating", param_kind="{apiVersion: e.x/v1, kind: ConfigMap}"),
        BINDING.format(kind="Validating", param_ref="{name: a}"),
        id="a custom resource as parameter",
    ),
    pytest.param(
        POLICY.format(kind="Validating", param_kind="{apiVersion: v1, kind: Namespace}"),
        BINDING.format(kind="Validating", param_ref="{name: a}"),
        id="another kind as parameter",
    ),
    pytest.param(
        POLICY.format(kind="Mutating", param_kind=CONFIG_MAP),
        BINDING.format(kind="Validating", param_ref="{name: a}"),
        id="a policy of the other kind",
    ),
    pytest.param(
        POLICY.format(kind="Validating", param_kind=CONFIG_MAP),
        BINDING.format(kind="Validating", param_ref="{selector: {matchLabels: {name: a}}}"),
        id="a selector",
    ),
    pytest.param(
        POLICY.format(kind="Validating", param_kind=CONFIG_MAP),
        BINDING.format(kind="Validating", param_ref="{name: a}").replace(
            "admissionregistration.k8s.io", "e.x"
        ),
        id="another group",
    ),
]


def find(*texts: str) -> list[str]:
    items = [item for text in texts if text for item in read(text)]
    kinds = read_kinds_of_params(items)
    return [
        f"{one.kind} {one.target} at {one.field} in {one.target_namespace}"
        for item in items
        for one in find_params(item.node, item.id, kinds)
    ]


def read(text: str) -> list[Item]:
    return [read_item(root) for root in read_yaml(text.encode()).roots]  # type: ignore[arg-type]  # all are mappings


@pytest.mark.parametrize("kind", ["Validating", "Mutating"])
@pytest.mark.parametrize("param", ["ConfigMap", "Secret"])
def test_followed(kind: str, param: str) -> None:
    policy = POLICY.format(kind=kind, param_kind=f"{{apiVersion: v1, kind: {param}}}")
    binding = BINDING.format(kind=kind, param_ref="{name: a, namespace: shop}")
    assert find(binding, policy) == [f"{param} a at spec.paramRef.name in shop"]


def test_followed_without_a_namespace() -> None:
    policy = POLICY.format(kind="Validating", param_kind=CONFIG_MAP)
    assert find(policy, BINDING.format(kind="Validating", param_ref="{name: a}")) == [
        "ConfigMap a at spec.paramRef.name in None"
    ]


@pytest.mark.parametrize(("policy", "binding"), LEFT_ALONE)
def test_left_alone(policy: str, binding: str) -> None:
    assert find(policy, binding) == []
