"""Find workloads whose programs may read ConfigMaps or Secrets through the API, by the RBAC objects of the package.

A pod that mounts a ConfigMap needs no permission. Whoever may get, list or watch ConfigMaps probably does so, by names
that are in its code.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from typing import NamedTuple

from krm_fn.model.item import CONFIG_KINDS, Item
from krm_fn.model.node import Node, elements, get, texts
from krm_fn.model.node import text as text_of
from krm_fn.model.pods import find_pod_specs

_RESOURCES = {"configmaps": ("ConfigMap",), "secrets": ("Secret",), "*": CONFIG_KINDS}
_READING = frozenset({"get", "list", "watch", "*"})
_BUILT_IN = {
    "cluster-admin": frozenset(CONFIG_KINDS),
    "admin": frozenset(CONFIG_KINDS),
    "edit": frozenset(CONFIG_KINDS),
    "view": frozenset({"ConfigMap"}),
}
"""ClusterRoles of every cluster, and which of the two kinds they allow to read."""

_LOCKS = frozenset(("configmaps", "configmaps/status", "leases", "endpoints", "events"))

_USER = "system:serviceaccount:"
_EVERYBODY = ("system:serviceaccounts", "system:authenticated")


class _Subject(NamedTuple):
    """A ServiceAccount. No name: all of the namespace; no namespace either: all of the cluster."""

    namespace: str
    name: str


class _Grant(NamedTuple):
    """By which role a subject may read something. `place`: that of the binding in the package."""

    place: int
    role: str


class ApiReaders:
    """The permissions of a package. They are computed at the first question."""

    def __init__(self, items: Iterable[Item], namespace_of: Callable[[Item], str]) -> None:
        self._items = items
        self._namespace_of = namespace_of
        self._accounts: dict[Item, list[str]] = {}

    def role_of(self, workload: Item, kind: str, namespace: str) -> str:
        """Return the role by which a workload's pods may read objects of a kind in a namespace; `""` for none."""
        if not self._grants:
            return ""
        if workload not in self._accounts:
            self._accounts[workload] = list(_accounts_of(workload))
        own = self._namespace_of(workload)
        for account in self._accounts[workload]:
            for subject in (_Subject(own, account), _Subject(own, ""), _Subject("", "")):
                grants = [self._grants.get((subject, kind, where)) for where in (namespace, None)]
                granted = min(filter(None, grants), default=None)
                if granted is not None:
                    return granted.role
        return ""

    @cached_property
    def _grants(self) -> dict[tuple[_Subject, str, str | None], _Grant]:
        """The first grant to each subject, by the kind that it may read and the namespace. None: everywhere."""
        grants: dict[tuple[_Subject, str, str | None], _Grant] = {}
        for place, item in enumerate(self._items):
            if item.id.group == "rbac.authorization.k8s.io" and item.id.kind in ("RoleBinding", "ClusterRoleBinding"):
                namespace = self._namespace_of(item) if item.id.kind == "RoleBinding" else None
                kinds, role = self._kinds_of(get(item.node, "roleRef"), namespace)
                for subject in self._subjects(item) if kinds else ():
                    for kind in kinds:
                        grants.setdefault((subject, kind, namespace), _Grant(place, role))
        return grants

    def _kinds_of(self, role: Node | None, namespace: str | None) -> tuple[frozenset[str], str]:
        kind, name = text_of(get(role, "kind")), text_of(get(role, "name"))
        found = self._roles.get((kind, (namespace or "") if kind == "Role" else "", name))
        if found is None:
            return (_BUILT_IN.get(name, frozenset()) if kind == "ClusterRole" else frozenset()), f"{kind}/{name}"
        if _is_for_leader_election(found):
            return frozenset(), ""
        return frozenset(kind for kind, readers in self._readers.items() if found in readers), str(found.id)

    @cached_property
    def _readers(self) -> dict[str, dict[Item, None]]:
        """The roles that allow to read each kind, also by a role that they aggregate, however many steps away."""
        kinds = {role: frozenset(_readable(role.node)) for role in self._roles.values()}
        readers = {kind: dict.fromkeys(role for role in kinds if kind in kinds[role]) for kind in CONFIG_KINDS}
        for several in readers.values():
            aggregators = _Aggregators(kinds)
            waiting = list(several)
            for role in waiting:  # grows on the way
                found = aggregators.take(role.labels) if role.id.kind == "ClusterRole" else []
                waiting += [one for one in found if one not in several]
                several.update(dict.fromkeys(found))
        return readers

    @cached_property
    def _roles(self) -> dict[tuple[str, str, str], Item]:
        roles = {}
        for item in self._items:
            if item.id.group == "rbac.authorization.k8s.io" and item.id.kind in ("Role", "ClusterRole"):
                namespace = self._namespace_of(item) if item.id.kind == "Role" else ""
                roles[item.id.kind, namespace, item.id.name] = item
        return roles

    def _subjects(self, binding: Item) -> Iterator[_Subject]:
        for node in elements(get(binding.node, "subjects")):
            kind, name = text_of(get(node, "kind")), text_of(get(node, "name"))
            if kind == "ServiceAccount":
                yield _Subject(text_of(get(node, "namespace")) or self._namespace_of(binding), name)
            elif name.startswith(_USER):
                namespace, _, name = name.removeprefix(_USER).partition(":")
                yield _Subject(namespace, name)
            elif name in _EVERYBODY:
                yield _Subject("", "")
            elif name.startswith("system:serviceaccounts:"):
                yield _Subject(name.removeprefix("system:serviceaccounts:"), "")


def _accounts_of(workload: Item) -> Iterator[str]:
    for pod in find_pod_specs(workload):
        account = text_of(get(pod.node, "serviceAccountName")) or text_of(get(pod.node, "serviceAccount"))
        yield account or "default"


class _Aggregators:
    """Roles that aggregate others, by a label that these must have. Each is taken once."""

    def __init__(self, roles: Iterable[Item]) -> None:
        self._by_label: dict[tuple[str, str] | None, list[tuple[Item, Node]]] = defaultdict(list)
        for role in roles:
            for selector in elements(get(role.node, "aggregationRule", "clusterRoleSelectors")):
                label = next(iter(texts(get(selector, "matchLabels")).items()), None)
                self._by_label[label].append((role, selector))

    def take(self, labels: Mapping[str, str]) -> list[Item]:
        """Return the roles that aggregate a role with these labels, and that were not returned before."""
        taken: dict[Item, None] = {}
        for label in (*labels.items(), None):
            known = self._by_label.get(label, [])
            taken |= dict.fromkeys(role for role, selector in known if _selects(selector, labels))
            self._by_label[label] = [one for one in known if one[0] not in taken]
        return list(taken)


def _selects(selector: Node, labels: Mapping[str, str]) -> bool:
    """Tell whether a label selector matches. One without any condition matches everything."""
    if not texts(get(selector, "matchLabels")).items() <= labels.items():
        return False
    for condition in elements(get(selector, "matchExpressions")):
        key, operator = text_of(get(condition, "key")), text_of(get(condition, "operator"))
        values = {text_of(value) for value in elements(get(condition, "values"))}
        is_met = labels.get(key) in values if operator.endswith("In") else key in labels
        if is_met != (operator in ("In", "Exists")):
            return False
    return True


def _is_for_leader_election(role: Item) -> bool:
    """Tell whether a Role is about nothing but locks, as kubebuilder writes one for every operator.

    `config/rbac/leader_election_role.yaml` of its projects: ConfigMaps were the locks before Leases, and stay in it.
    """
    held: dict[str, set[str]] = defaultdict(set)
    for rule in elements(get(role.node, "rules")):
        for resource in elements(get(rule, "resources")):
            held[text_of(resource)] |= {text_of(verb) for verb in elements(get(rule, "verbs"))}
    return role.id.kind == "Role" and "create" in held["configmaps"] & held["leases"] and held.keys() <= _LOCKS


def _readable(role: Node) -> Iterator[str]:
    for rule in elements(get(role, "rules")):
        groups = {text_of(group) for group in elements(get(rule, "apiGroups"))}
        verbs = {text_of(verb) for verb in elements(get(rule, "verbs"))}
        is_limited = bool(elements(get(rule, "resourceNames")))
        if is_limited or groups.isdisjoint(("", "*")) or _READING.isdisjoint(verbs):
            continue
        for resource in elements(get(rule, "resources")):
            yield from _RESOURCES.get(text_of(resource), ())
