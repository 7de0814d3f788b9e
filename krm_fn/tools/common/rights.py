"""Read what accounts may do, by the Roles and bindings that are about to be applied."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import product
from typing import Any

from krm_fn.base.item import Item
from krm_fn.base.node import elements, get, is_mapping, plain_value, text
from krm_fn.core.decide.decide import Package


class AuthoredRules:
    """The accounts of authors, and the rules of Roles that are bound to each."""

    def __init__(self, package: Package) -> None:
        self._accounts: dict[tuple[str, str], Item] = {}
        self._bindings: dict[tuple[str, str], list[tuple[str, str, str]]] = defaultdict(list)
        self._rules: dict[tuple[str, str, str], list[Any]] = defaultdict(list)
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

    def find_granted(self, namespace: str, account: str) -> list[Any] | None:
        """Return the rules of an account; None where a Role of it is not in the input."""
        rules: list[Any] = []
        for bound in self._bindings.get((namespace, account), ()):
            if bound not in self._rules:
                return None
            rules += self._rules[bound]
        return rules


def read_rules(role: Item) -> list[Any]:
    return [plain_value(rule) for rule in elements(get(role.node, "rules")) if is_mapping(rule)]


def find_lacking(rule: Any, granted: Iterable[Any]) -> Iterator[str]:
    """Yield the rights of a rule that these rules do not grant: `get, patch secrets web-5t7h9k2b4c`."""
    names = rule.get("resourceNames", [""])
    for group, resource, name in product(rule["apiGroups"], rule["resources"], names):
        found = _find_verbs(group, resource, name, granted)
        verbs = [verb for verb in rule["verbs"] if found.isdisjoint((verb, "*"))]
        if verbs:
            what = ".".join(filter(None, (resource, group)))
            yield " ".join(filter(None, (", ".join(verbs), what, name)))


def _find_verbs(group: str, resource: str, name: str, granted: Iterable[Any]) -> set[str]:
    """Return what rules let one do with objects of this name; `""` for objects of any name."""
    verbs: set[str] = set()
    for one in granted:
        named = words_of(one, "resourceNames")  # an empty list of names allows all of them
        if (
            not words_of(one, "apiGroups").isdisjoint((group, "*"))
            and not words_of(one, "resources").isdisjoint((resource, "*"))
            and (not named or name in named)
        ):
            verbs |= words_of(one, "verbs")
    return verbs


def words_of(rule: Any, field: str) -> set[str]:
    """Return the words in a field of a rule. Authors may write anything there."""
    words = rule.get(field) if isinstance(rule, dict) else None
    return {word for word in words if isinstance(word, str)} if isinstance(words, list) else set()
