"""NetworkPolicies of the package that keep the linker's pods from the API server."""

from collections.abc import Collection, Iterable, Iterator, Mapping

from krm_fn.base.item import Item, about, selects
from krm_fn.base.node import Node, elements, get, is_mapping, is_scalar, text
from krm_fn.base.problem import Problem, Severity
from krm_fn.core.decide.run import Package

_GROUP = "networking.k8s.io"
_KIND = "NetworkPolicy"
_DNS = "53"
_POLICY = "examples/linker-policy/network-policy.yaml"


def find_shut_in(
    package: Package, namespaces: Collection[str], labels: Mapping[str, str]
) -> Iterator[Problem]:
    """Warn once for each namespace whose policies let the linker reach nothing like an API server.

    `labels`: those of its pods. The purpose of a policy is not known, so each rule counts that may let it through: an
    address, or any destination, and a port other than that of DNS. Policies of other kinds may allow it too, and then
    nothing is said.
    """
    policies = [item for item in package.authored if item.id.kind.endswith(_KIND)]
    if any(policy.id.group != _GROUP for policy in policies):
        return
    for namespace in sorted(namespaces):
        of_namespace = [one for one in policies if package.namespace_of(one) == namespace]
        isolating = [one for one in of_namespace if _isolates(one, labels)]
        if isolating and not any(map(_lets_out, _rules(isolating))):
            message = (
                "shuts the linker in: no NetworkPolicy of the package lets its pods reach the API server, so each of "
                f"its Jobs fails; add {_POLICY}, or the like"
            )
            yield about(isolating[0], message, "spec.podSelector", Severity.WARNING)


def _isolates(policy: Item, labels: Mapping[str, str]) -> bool:
    """Tell whether a policy limits what pods with these labels may reach."""
    types = [text(one) for one in elements(get(policy.node, "spec", "policyTypes"))]
    # As the API server fills it in: without types, a policy with rules for egress is one.
    is_egress = "Egress" in types or (
        not types and bool(elements(get(policy.node, "spec", "egress")))
    )
    return is_egress and selects(get(policy.node, "spec", "podSelector"), labels)


def _rules(policies: Iterable[Item]) -> Iterator[Node]:
    for policy in policies:
        yield from elements(get(policy.node, "spec", "egress"))


def _lets_out(rule: Node) -> bool:
    """Tell whether a rule may let a pod reach the API server, which is an address and no pod."""
    if not is_mapping(rule):
        return False
    destinations, ports = elements(get(rule, "to")), elements(get(rule, "ports"))
    reaches = not destinations or any(is_mapping(get(one, "ipBlock")) for one in destinations)
    numbers = [get(one, "port") for one in ports]
    is_more_than_dns = not ports or any(
        not (is_scalar(number) and number.value == _DNS) for number in numbers
    )
    return reaches and is_more_than_dns
