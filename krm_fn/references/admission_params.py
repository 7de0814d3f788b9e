"""Find the parameters of admission policies: a policy says of which kind they are, its bindings name them."""

from collections.abc import Iterable, Mapping
from typing import TypeAlias

from krm_fn.model.item import CONFIG_KINDS, Item
from krm_fn.model.node import Node, get, text
from krm_fn.model.problem import ResourceId
from krm_fn.references.field_specs import find_at
from krm_fn.references.reference import Reference
from krm_fn.references.rule import By, Rule

_GROUP = "admissionregistration.k8s.io"
_POLICY_OF = {
    "ValidatingAdmissionPolicyBinding": "ValidatingAdmissionPolicy",
    "MutatingAdmissionPolicyBinding": "MutatingAdmissionPolicy",
}

KindsOfParams: TypeAlias = Mapping[tuple[str, str], str]
"""`ConfigMap` or `Secret`, by kind and name of the policy."""


def read_kinds_of_params(items: Iterable[Item]) -> KindsOfParams:
    """Read which policies of the package take ConfigMaps or Secrets as parameters."""
    kinds = {}
    for item in items:
        if item.id.kind in _POLICY_OF.values() and item.id.group == _GROUP:
            param_kind = get(item.node, "spec", "paramKind")
            kind = text(get(param_kind, "kind"))
            if text(get(param_kind, "apiVersion")) == "v1" and kind in CONFIG_KINDS:
                kinds[item.id.kind, item.id.name] = kind
    return kinds


def find_params(item: Node, resource: ResourceId, kinds: KindsOfParams) -> list[Reference]:
    """Find the parameter that a binding names. Where its policy is not in the package, its kind is not known.

    A binding that names no namespace takes the parameter from the namespace of each object that it checks.
    """
    policy = _POLICY_OF.get(resource.kind)
    if policy is None or resource.group != _GROUP:
        return []
    name = text(get(item, "spec", "policyName"))
    kind = kinds.get((policy, name))
    return [] if kind is None else find_at(item, "spec/paramRef", kind, Rule(By.TABLE, f"paramKind of {policy}/{name}"))
