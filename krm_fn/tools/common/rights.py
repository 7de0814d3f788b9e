"""Read what accounts may do, by the Roles and bindings that are about to be applied."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any

from krm_fn.base.item import Item
from krm_fn.base.named_tuple import NamedTuple
from krm_fn.base.node import elements, get, text
from krm_fn.core.decide.decide import Package


class GrantedRule(NamedTuple):
    """A rule of a Role. Without `names`, it is about objects of any name."""

    groups: frozenset[str]
    resources: frozenset[str]
    verbs: frozenset[str]
    names: frozenset[str]


_FIELDS = ("apiGroups", "resources", "verbs", "resourceNames")


def read_rules(role: Item) -> list[GrantedRule]:
    """Read the rules of a Role. Authors may write anything there."""
    return [
        GrantedRule(*(frozenset(map(text, elements(get(rule, name)))) for name in _FIELDS))
        for rule in elements(get(role.node, "rules"))
    ]


class AuthoredRules:
    """The accounts of authors, and the rules of Roles that are bound to each."""

    def __init__(self, package: Package) -> None:
        self._accounts: dict[tuple[str, str], Item] = {}
        self._bindings: dict[tuple[str, str], list[tuple[str, str, str]]] = defaultdict(list)
        self._rules: dict[tuple[str, str, str], list[GrantedRule]] = defaultdict(list)
        for one in package.authored:
            namespace = package.namespace_of(one)
            kind, name = one.id.kind, one.id.name
            if kind == "ServiceAccount":
                self._accounts[namespace, name] = one
            elif kind in ("Role", "ClusterRole"):
                where = "" if kind == "ClusterRole" else namespace
                self._rules[kind, where, name] += read_rules(one)
            elif kind == "RoleBinding":
                role = text(get(one.node, "roleRef", "kind"))
                where = "" if role == "ClusterRole" else namespace
                bound = role, where, text(get(one.node, "roleRef", "name"))
                for subject in elements(get(one.node, "subjects")):
                    self._bindings[namespace, text(get(subject, "name"))].append(bound)

    def find_account(self, namespace: str, name: str) -> Item | None:
        return self._accounts.get((namespace, name))

    def find_granted(self, namespace: str, account: str) -> list[GrantedRule] | None:
        """Return the rules of an account; None where a Role of it is not in the input."""
        rules: list[GrantedRule] = []
        for bound in self._bindings.get((namespace, account), ()):
            if bound not in self._rules:
                return None
            rules += self._rules[bound]
        return rules


def find_lacking(rule: Any, granted: Sequence[GrantedRule]) -> Iterator[str]:
    """Yield the rights of a rule that these rules do not grant: `get, patch secrets web-5t7h9k2b4c`."""
    for group, resource in product(rule["apiGroups"], rule["resources"]):
        near = [
            one
            for one in granted
            if not one.groups.isdisjoint((group, "*"))
            and not one.resources.isdisjoint((resource, "*"))
        ]
        for name in rule.get("resourceNames", [""]):
            found: set[str] = set()
            for one in near:
                if not one.names or name in one.names:
                    found |= one.verbs
            verbs = [verb for verb in rule["verbs"] if found.isdisjoint((verb, "*"))]
            if verbs:
                what = ".".join(filter(None, (resource, group)))
                yield " ".join(filter(None, (", ".join(verbs), what, name)))
