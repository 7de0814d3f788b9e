"""The kinds of Kubernetes and its extensions, by group and kind: one row holds everything that depends on the kind.

The rows are in `facts/kinds.py`. A definition in the package wins over them.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from krm_fn.base.deployer import is_hook, is_recreated
from krm_fn.base.item import Item
from krm_fn.base.node import get, text
from krm_fn.base.problem import ResourceId
from krm_fn.facts.kinds import BUILT_IN, CLUSTER_SCOPED, CONSUMERS, FIXED, PLURALS

BUILT_IN_GROUPS = frozenset(BUILT_IN)
"""Groups of Kubernetes' own API server: the tables know every field of their kinds."""

_ADD_ON = "argoproj.io/v1alpha1"

_MAX_GROUP = 253
_LABEL = re.compile("[a-z]([-a-z0-9]{0,61}[a-z0-9])?")
_KIND = re.compile("[A-Z][A-Za-z0-9]{0,62}")
_SUBDOMAIN_PART = "[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?"
_API_VERSION = re.compile(rf"({_SUBDOMAIN_PART}(\.{_SUBDOMAIN_PART})*/)?{_LABEL.pattern}")
"""What the API server accepts in a CustomResourceDefinition. Its own kinds and versions have the same form."""


class Kind(NamedTuple):
    """A kind and its name in URLs and in RBAC rules. `pod_spec` and `template` are paths with dots.

    `is_consumer`: the linker always looks at its objects. `is_current`: they say what is wanted now, as a Deployment
    does; the others were created from a template and reference what it said then. `controls_pods`: they live as long as
    their pods and reference what these reference. `history`: the kind that its controller makes of each template.
    `is_immutable`: the API server refuses another pod template. `keeps_pods`: its running pods stay as they are when
    its template changes. `rolled_by`: controllers that roll it when configuration changes.

    `on_change`: what another pod template does, if not to roll it. `progress`: by what in its status `krm-fn history`
    tells how far a rollout is. `undo`: the command that returns to the template of a `{number}`, and `abort`: the one
    that ends a rollout in the middle. `template_copy`: the path of the pod spec in what was created from a template.
    `expects_pods`: it is worth saying that there are none.
    """

    api_version: str
    kind: str
    plural: str
    is_current: bool = True
    is_namespaced: bool = True
    is_consumer: bool = False
    controls_pods: bool = False
    is_immutable: bool = False
    keeps_pods: bool = False
    pod_spec: str = ""
    history: str = ""
    rolled_by: tuple[str, ...] = ()
    on_change: str = ""
    progress: str = ""
    undo: str = ""
    abort: str = ""
    template_copy: str = ""
    expects_pods: bool = False

    @property
    def group(self) -> str:
        """`apps` of `apps/v1`, `""` of `v1`."""
        return self.api_version.rpartition("/")[0]

    @property
    def is_listable(self) -> bool:
        """Tell whether a Role may let the linker list the kind: it is well formed, and not that of Secrets."""
        is_well_formed = (
            _API_VERSION.fullmatch(self.api_version)
            and len(self.group) <= _MAX_GROUP
            and _KIND.fullmatch(self.kind)
            and _LABEL.fullmatch(self.plural)
        )
        # A rule to list has no names, so it would let the linker read every Secret of the namespace (decision 18).
        return bool(is_well_formed) and self.plural != "secrets"

    @property
    def template(self) -> str:
        """The path of the pod template; `""` for kinds without one."""
        return self.pod_spec.removesuffix(".spec") if self.pod_spec.endswith("template.spec") else ""

    def __str__(self) -> str:
        """As in the linker's arguments: `example.com/v1/Widget/widgets`."""
        return f"{self.api_version}/{self.kind}/{self.plural}"


def _read_consumers(rows: Any) -> Iterator[Kind]:
    return (Kind(**row, is_consumer=True) for row in rows)


CONSUMER_KINDS = tuple(_read_consumers(CONSUMERS))
"""The linker always looks at these."""

_CONSUMERS = {kind.kind: kind for kind in CONSUMER_KINDS}

BUILT_IN_KINDS = tuple(kind for kind in CONSUMER_KINDS if kind.api_version != _ADD_ON)
"""Those that every cluster has."""

ADD_ON_KINDS = tuple(kind for kind in CONSUMER_KINDS if kind.api_version == _ADD_ON)
"""Those of Argo Rollouts. Where it is not installed, the administrator of a namespace may not grant to list them.

They have no objects then, unless something of the package shows that they should be there.
"""


def plural_of(kind: str, group: str = "") -> str:
    """Return the plural by the rules of English, as generators of definitions name it, but for known exceptions."""
    name = kind.lower()
    known = PLURALS.get((group, kind)) or PLURALS.get(("", kind))
    if known:
        return known
    if name.endswith(("s", "x", "z", "ch", "sh")):
        return f"{name}es"
    return f"{name[:-1]}ies" if re.search("[^aeiou]y$", name) else f"{name}s"


_PROVIDER_GROUPS = (".crossplane.io", ".upbound.io")
"""Each of Crossplane's providers has a cluster-scoped ProviderConfig in a group of its own."""


def _read_cluster_scoped() -> Iterator[Kind]:
    for api_version, names in CLUSTER_SCOPED.items():
        group = api_version.rpartition("/")[0]
        for name in names:
            yield Kind(api_version, name, plural_of(name, group), is_namespaced=False)


KINDS = {(kind.group, kind.kind): kind for kind in (*CONSUMER_KINDS, *_read_cluster_scoped())}


class Kinds:
    """The kinds of a package: its own definitions first, then the table."""

    def __init__(self, items: Iterable[Item] = ()) -> None:
        definitions = [item for item in items if item.id.kind == "CustomResourceDefinition"]
        self._defined = {(kind.group, kind.kind): kind for kind in map(_read_definition, definitions)}
        self._found: dict[tuple[str, str], Kind] = {}

    def of(self, who: ResourceId) -> Kind:
        """Return the kind of an object; for an unknown one, what its name suggests."""
        found = self._found.get(who[:2])
        if found is None:
            found = self._found[who[:2]] = self._find(who)
        return found

    def _find(self, who: ResourceId) -> Kind:
        key = (who.group, who.kind)
        known = self._defined.get(key) or KINDS.get(key)
        if known is None:
            is_namespaced = not (who.kind == "ProviderConfig" and f".{who.group}".endswith(_PROVIDER_GROUPS))
            plural = plural_of(who.kind, who.group)
            return Kind(who.api_version, who.kind, plural, is_namespaced=is_namespaced)
        # Consumers in the version of the table, in which the linker lists them and compares them with the plan.
        return known if known.is_consumer else known._replace(api_version=who.api_version)

    def is_cluster_scoped(self, who: ResourceId) -> bool:
        """Tell whether the object has no namespace, so that what it references may be in any."""
        return not who.namespace and not self.of(who).is_namespaced


def _read_definition(item: Item) -> Kind:
    spec = get(item.node, "spec")
    name = text(get(spec, "names", "kind"))
    group = text(get(spec, "group"))
    plural = text(get(spec, "names", "plural")) or plural_of(name, group)
    known = KINDS.get((group, name), Kind(f"{group}/", name, plural))
    return known._replace(plural=plural, is_namespaced=text(get(spec, "scope")) != "Cluster")


def consumer_named(kind: str) -> Kind:
    """Return the row of a consumer by its name alone: OpenKruise's StatefulSet has the status of Kubernetes' own."""
    return _CONSUMERS.get(kind, Kind("", kind, ""))


def kind_of(item: Item) -> Kind | None:
    """Return the row of an object's kind, None for a kind that the table does not hold."""
    return KINDS.get((item.id.group, item.id.kind))


def is_replaced(item: Item) -> bool:
    """Tell whether each change makes a new object: a hook, a generated name, or an object its deployer replaces."""
    return not item.id.name or is_hook(item) or is_recreated(item)


def cannot_change(item: Item) -> bool:
    """Tell whether the API server refuses another pod template under the same name, and nothing replaces the object."""
    kind = kind_of(item)
    return kind is not None and kind.is_immutable and not is_replaced(item)


def is_fixed(item: Item) -> bool:
    """Tell whether the API server refuses another name in what an object references."""
    return (item.id.group, item.id.kind) in FIXED


TOOL_GROUPS = frozenset(
    {"config.kubernetes.io", "fn.kpt.dev", "kpt.dev", "kustomize.config.k8s.io", "revisions.krm-fn.io"}
)
"""Groups of objects for the tools that render packages: kustomizations, Kptfiles, configurations of functions.

Their fields name files and generators, not objects.
"""
