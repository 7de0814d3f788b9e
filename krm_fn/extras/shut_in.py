"""NetworkPolicies of the package that keep the linker's pods from the API server."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping

from krm_fn.base.item import Item, selects, warning
from krm_fn.base.node import Node, elements, get, is_mapping, text
from krm_fn.base.problem import Problems
from krm_fn.core.decide.run import Package

_GROUP = "networking.k8s.io"
_KIND = "NetworkPolicy"
_DNS = "53"
_POLICY = "examples/linker-policy/network-policy.yaml"


def find_shut_in(
    package: Package, namespaces: Collection[str], labels: Mapping[str, str]
) -> Problems:
    """Warn once for each namespace whose policies let the linker reach nothing like an API server.

    `labels`: those of its pods. The purpose of a policy is not known, so each rule counts that may let it through: an
    address, or any destination, and a port other than that of DNS. Policies of other kinds may allow it too, and then
    nothing is said.
    """
    policies: dict[str, list[Item]] = defaultdict(list)
    for item in package.authored:
        if not item.id.kind.endswith(_KIND):
            continue
        if item.id.group != _GROUP:
            return
        policies[package.namespace_of(item)].append(item)
    for namespace in sorted(namespaces):
        isolating = [policy for policy in policies[namespace] if _isolates(policy, labels)]
        if isolating and not any(map(_lets_out, _rules(isolating))):
            message = (
                "blocks the linker: no NetworkPolicy of the package lets its pods reach the API server, so each of "
                f"its Jobs fails; add {_POLICY}, or one like it"
            )
            yield warning(isolating[0], message, "spec.podSelector")


def _isolates(policy: Item, labels: Mapping[str, str]) -> bool:
    """Tell whether a policy limits what pods with these labels may reach."""
    if not selects(get(policy.node, "spec", "podSelector"), labels):
        return False
    types = [text(one) for one in elements(get(policy.node, "spec", "policyTypes"))]
    if not types:
        # As the API server fills them in: then a policy with rules for egress is one for egress.
        return bool(elements(get(policy.node, "spec", "egress")))
    return "Egress" in types


def _rules(policies: Iterable[Item]) -> Iterator[Node]:
    for policy in policies:
        yield from elements(get(policy.node, "spec", "egress"))


def _lets_out(rule: Node) -> bool:
    """Tell whether a rule may let a pod reach the API server, which is an address and no pod."""
    if not is_mapping(rule):
        return False
    destinations, ports = elements(get(rule, "to")), elements(get(rule, "ports"))
    # Without a list, a rule is about all destinations, and about all ports.
    if destinations and not any(is_mapping(get(one, "ipBlock")) for one in destinations):
        return False
    return not ports or not all(text(get(port, "port")) == _DNS for port in ports)
