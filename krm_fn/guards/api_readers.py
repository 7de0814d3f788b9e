"""Find whose programs may read an object through the API, by the name that its author gave it.

An API reader is a workload whose account may get, list or watch ConfigMaps or Secrets. A pod that
mounts a ConfigMap needs no such permission, so its program probably reads them, by names in its
code. The permission says nothing about which: a program that is told the path of a file reads that
one there, and so does one whose source is known. docs/decisions/0049 has the error rates of both.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from fnmatch import fnmatchcase
from functools import cached_property
from itertools import chain, product
from posixpath import dirname, join, normpath

from krm_fn.base.item import CONFIG_KINDS, Item, data_keys, data_texts, selects
from krm_fn.base.named_tuple import NamedTuple
from krm_fn.base.node import Node, descend, elements, get, is_scalar, read_path, text, texts
from krm_fn.base.pods import CONTAINER_LISTS, find_pod_specs
from krm_fn.base.reference import Reference
from krm_fn.core.names.names import base_name, former_names, names_of
from krm_fn.facts.programs import DOTFILES, FOLDERS_ON_PATH
from krm_fn.guards.well_known import may_look_up

_GROUP = "rbac.authorization.k8s.io"
_RESOURCES = {"configmaps": ("ConfigMap",), "secrets": ("Secret",), "*": CONFIG_KINDS}
READING = frozenset({"get", "list", "watch", "*"})
WRITING = frozenset({"create", "update", "patch", "*"})
_BUILT_IN: Mapping[str, Mapping[frozenset[str], tuple[str, ...]]] = {
    "cluster-admin": {READING: CONFIG_KINDS, WRITING: CONFIG_KINDS},
    "admin": {READING: CONFIG_KINDS, WRITING: CONFIG_KINDS},
    "edit": {READING: CONFIG_KINDS, WRITING: CONFIG_KINDS},
    "view": {READING: ("ConfigMap",)},
}
"""ClusterRoles of every cluster, and which of the two kinds they allow to read and to write."""

_LOCKS = frozenset(("configmaps", "configmaps/status", "leases", "endpoints", "events"))

_USER = "system:serviceaccount:"
_EVERYBODY = ("system:serviceaccounts", "system:authenticated")

# Texts, which `re` compiles when they are first used (docs/decisions/0031).
_VOLUME = r"(?P<pod>.+)\.(?P<volume>volumes\[\d+\])\.(?:projected\.sources\[\d+\]\.)?(?:configMap|secret)\.\w+"
_CONTAINER = r"(?P<container>.+\.(?:containers|initContainers|ephemeralContainers)\[\d+\])"
_ENVIRONMENT = rf"{_CONTAINER}\.env(?:From)?\[.+"
_ALL_VARIABLES = rf"{_CONTAINER}\.envFrom\[.+"
_KEY_REFERENCES = {"ConfigMap": "configMapKeyRef", "Secret": "secretKeyRef"}
_PATH = r"(?<![\w.$})/-])/[\w.*?@%+/-]+"
_FILE = r"(?:--?[\w-]+=)?(?P<file>\w[\w-]*(?:\.[\w-]+)+)"
"""A file without a folder: a word of its own, or the value of an option."""

_CERTIFICATE = "tls.crt"

_PROBES = ("livenessProbe", "readinessProbe", "startupProbe")
_HANDLERS = ("postStart", "preStop")
_RUN = r"[^\s;&|()\"'`]+"


class _Subject(NamedTuple):
    """A ServiceAccount. No name: all of the namespace; no namespace either: all of the cluster."""

    namespace: str
    name: str


class Permissions:
    """The rights in a package to some verbs, `READING` or `WRITING`.

    It is computed at the first question.
    """

    def __init__(
        self, items: Iterable[Item], namespace_of: Callable[[Item], str], verbs: frozenset[str]
    ) -> None:
        self._items = items
        self._namespace_of = namespace_of
        self._verbs = verbs
        self._accounts: dict[Item, list[str]] = {}

    def __bool__(self) -> bool:
        """Tell whether anybody has such a right."""
        return bool(self._grants)

    def role_of(self, workload: Item, kind: str, namespace: str) -> str:
        """Return the role that lets a workload's pods do it to objects of a kind in a namespace; `""` for none."""
        if not self._grants:
            return ""
        if workload not in self._accounts:
            self._accounts[workload] = [
                # `serviceAccount` is the former name of the field, which the API server still
                # reads.
                text(get(pod.node, "serviceAccountName"))
                or text(get(pod.node, "serviceAccount"))
                or "default"
                for pod in find_pod_specs(workload)
            ]
        own = self._namespace_of(workload)
        # From the narrowest subject to the widest: a message names the role that is most about this
        # workload.
        for account in self._accounts[workload]:
            for subject in (_Subject(own, account), _Subject(own, ""), _Subject("", "")):
                for where in (namespace, None):
                    role = self._grants.get((subject, kind, where))
                    if role is not None:
                        return role
        return ""

    @cached_property
    def _grants(self) -> dict[tuple[_Subject, str, str | None], str]:
        """The role of the first grant to each subject, by the kind that it is about and the namespace.

        None: everywhere.
        """
        grants: dict[tuple[_Subject, str, str | None], str] = {}
        for item in self._items:
            if item.id.group == _GROUP and item.id.kind in ("RoleBinding", "ClusterRoleBinding"):
                # A RoleBinding grants in its own namespace alone, also what a ClusterRole says.
                namespace = self._namespace_of(item) if item.id.kind == "RoleBinding" else None
                kinds, role = self._kinds_of(get(item.node, "roleRef"), namespace)
                if not kinds:
                    continue
                for subject in self._subjects(item):
                    for who, where in _spellings(subject, namespace):
                        for kind in kinds:
                            # The first binding counts, so that every run over the package names the
                            # same role.
                            grants.setdefault((who, kind, where), role)
        return grants

    def _kinds_of(self, role: Node | None, namespace: str | None) -> tuple[frozenset[str], str]:
        kind, name = text(get(role, "kind")), text(get(role, "name"))
        found = self._roles.get((kind, (namespace or "") if kind == "Role" else "", name))
        if found is None:
            # Of roles outside of the package, only those of every cluster are known.
            built_in = _BUILT_IN.get(name, {}) if kind == "ClusterRole" else {}
            return frozenset(built_in.get(self._verbs, ())), f"{kind}/{name}"
        # Every operator has such a role. What it reads and writes is its own lock, which nobody
        # declares.
        if _is_for_leader_election(found):
            return frozenset(), ""
        return frozenset(kind for kind, roles in self._granting.items() if found in roles), str(
            found.id
        )

    @cached_property
    def _granting(self) -> dict[str, dict[Item, None]]:
        """The roles that allow it for each kind, also by a role that they aggregate, however many steps away."""
        kinds = {role: frozenset(_granted(role.node, self._verbs)) for role in self._roles.values()}
        granting: dict[str, dict[Item, None]] = {}
        for kind in CONFIG_KINDS:
            several = dict.fromkeys(role for role in kinds if kind in kinds[role])
            granting[kind] = several
            aggregators = _Aggregators(kinds)
            waiting = list(several)
            # Grows on the way: `admin` aggregates `edit`, which aggregates others.
            for role in waiting:
                found = aggregators.take(role.labels) if role.id.kind == "ClusterRole" else []
                waiting += [one for one in found if one not in several]
                several.update(dict.fromkeys(found))
        return granting

    @cached_property
    def _roles(self) -> dict[tuple[str, str, str], Item]:
        roles: dict[tuple[str, str, str], Item] = {}
        for item in self._items:
            if item.id.group == _GROUP and item.id.kind in ("Role", "ClusterRole"):
                namespace = self._namespace_of(item) if item.id.kind == "Role" else ""
                for name in names_of(item):  # a binding may say what kustomize has renamed
                    roles.setdefault((item.id.kind, namespace, name), item)
        return roles

    @cached_property
    def _moved(self) -> dict[_Subject, list[str]]:
        """The namespaces to which kustomize has moved accounts. It corrects their bindings after its functions."""
        moved: dict[_Subject, list[str]] = defaultdict(list)
        for item in self._items:
            if item.id.kind == "ServiceAccount":
                for former in former_names(item):
                    moved[_Subject(*former)].append(self._namespace_of(item))
        return moved

    def _subjects(self, binding: Item) -> Iterator[_Subject]:
        for node in elements(get(binding.node, "subjects")):
            kind, name = text(get(node, "kind")), text(get(node, "name"))
            if kind == "ServiceAccount":
                where = text(get(node, "namespace")) or self._namespace_of(binding)
                for namespace in (where, *self._moved.get(_Subject(where, name), ())):
                    yield _Subject(namespace, name)
            elif name.startswith(_USER):
                namespace, _, name = name.removeprefix(_USER).partition(":")
                yield _Subject(namespace, name)
            elif name in _EVERYBODY:
                yield _Subject("", "")
            elif name.startswith("system:serviceaccounts:"):
                yield _Subject(name.removeprefix("system:serviceaccounts:"), "")


def _spellings(subject: _Subject, namespace: str | None) -> Iterator[tuple[_Subject, str | None]]:
    """Yield a subject and where it has the grant, and both as a workload knows them that sets no namespace.

    Charts write the namespace of the account into a binding, as the API server requires, and leave it out elsewhere.
    """
    yield subject, namespace
    if subject.name and subject.namespace:
        yield _Subject("", subject.name), "" if namespace == subject.namespace else namespace


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
            taken |= dict.fromkeys(role for role, selector in known if selects(selector, labels))
            self._by_label[label] = [one for one in known if one[0] not in taken]
        return list(taken)


def _is_for_leader_election(role: Item) -> bool:
    """Tell whether a Role is about nothing but locks, as kubebuilder writes one for every operator.

    `config/rbac/leader_election_role.yaml` of its projects: ConfigMaps were the locks before
    Leases, and stay in it. Before there were Leases, the status of ConfigMaps stood beside them,
    which no program that reads settings needs.
    """
    verbs: dict[str, set[str]] = defaultdict(set)
    for rule in elements(get(role.node, "rules")):
        for resource in elements(get(rule, "resources")):
            verbs[text(resource)] |= {text(verb) for verb in elements(get(rule, "verbs"))}
    is_lock = "create" in verbs["leases"] or "configmaps/status" in verbs
    return (
        role.id.kind == "Role"
        and is_lock
        and "create" in verbs["configmaps"]
        and verbs.keys() <= _LOCKS
    )


def _granted(role: Node, wanted: frozenset[str]) -> Iterator[str]:
    for rule in elements(get(role, "rules")):
        groups = {text(group) for group in elements(get(rule, "apiGroups"))}
        verbs = {text(verb) for verb in elements(get(rule, "verbs"))}
        # Names in a rule are references of the role (`find`): they say more than what the program
        # may do.
        is_limited = bool(elements(get(rule, "resourceNames")))
        if is_limited or groups.isdisjoint(("", "*")) or wanted.isdisjoint(verbs):
            continue
        for resource in elements(get(rule, "resources")):
            yield from _RESOURCES.get(text(resource), ())


def reads_own_files(
    referrer: Item, references: Iterable[Reference], item: Item, *, may_write: bool
) -> bool:
    """Tell whether every container that reads an object is known to read it from the pod, and not through the API.

    `references`: those of the referrer to the object. One variable is no proof: programs that take one value from a
    variable look the others up. All its keys as variables are: nothing is left to look up, unless the pods `may_write`
    such objects, as Litmus' subscriber updates what it has as variables. Nor is the path of a certificate a proof,
    which many programs renew through the API. Scripts are run from their files, and git reads its `.gitconfig` in one.
    """
    is_certificate = item.id.kind == "Secret" and _CERTIFICATE in data_keys(item)
    for reference in references:
        for container, paths in _readers_of(referrer, reference, item):
            # What is known of a program wins over what its options seem to say.
            looks_up = may_look_up(text(get(container, "image")), item.id.kind, base_name(item))
            has_all = not may_write and _has_all(container, reference, item)
            is_told = has_all or (not is_certificate and _is_told(container, paths))
            is_told = is_told or (_has_only_scripts(item) and _is_run(container, paths))
            is_told = is_told or (bool(paths) and DOTFILES.keys() >= {*data_keys(item)})
            if looks_up or (looks_up is None and not is_told):
                return False
    return True


def _readers_of(
    referrer: Item, reference: Reference, item: Item
) -> Iterator[tuple[Node | None, set[str]]]:
    """Yield the containers that read the object through a reference, and the paths at which each has its files."""
    volume = re.fullmatch(_VOLUME, reference.field)
    if volume is None:
        variable = re.fullmatch(_ENVIRONMENT, reference.field)
        yield descend(referrer.node, read_path(variable["container"])) if variable else None, set()
        return
    pod = descend(referrer.node, read_path(volume["pod"]))
    name = text(get(descend(pod, read_path(volume["volume"])), "name"))
    items = elements(reference.around.get("items"))
    files = [text(get(one, "path")) for one in items] if items else data_keys(item)
    is_mounted = False
    for field in CONTAINER_LISTS:
        for container in elements(get(pod, field)):
            mounts = elements(get(container, "volumeMounts"))
            paths = [
                _paths_of(mount, files) for mount in mounts if text(get(mount, "name")) == name
            ]
            if paths:
                is_mounted = True
                yield container, set(chain.from_iterable(paths))
    if not is_mounted:
        yield None, set()


def _paths_of(mount: Node, files: Iterable[str]) -> Iterator[str]:
    """Yield the paths of the files that a mount shows, and those of their folders.

    The folder of a file that is mounted alone only counts below another one: `/` and `/etc` hold
    too much else.
    """
    place, below = text(get(mount, "mountPath")), text(get(mount, "subPath")).strip("/")
    for file in files:
        if below in ("", file) or file.startswith(f"{below}/"):
            path = normpath(f"{place}/{file.removeprefix(below)}")
            yield path
            folder = dirname(path)
            fewest_steps = 2 if file == below else 1
            if folder.count("/") >= fewest_steps and folder != "/":
                yield folder


def _has_all(container: Node | None, reference: Reference, item: Item) -> bool:
    """Tell whether a container has every key of an object as a variable: all at once, or one by one."""
    if re.fullmatch(_ALL_VARIABLES, reference.field):
        return True
    keys: set[str] = set()
    if item.id.kind == reference.kind:
        for variable in elements(get(container, "env")):
            source = get(variable, "valueFrom", _KEY_REFERENCES[item.id.kind])
            if text(get(source, "name")) == reference.target:
                keys.add(text(get(source, "key")))
    return keys.issuperset(data_keys(item))


def _is_told(container: Node | None, paths: Collection[str]) -> bool:
    """Tell whether an option or a variable of a container says one of these paths, maybe with wildcards."""
    said: list[str] = []
    for field in ("command", "args"):
        said += [word.value for word in elements(get(container, field)) if is_scalar(word)]
    said += [text(get(variable, "value")) for variable in elements(get(container, "env"))]
    # Where the image has another folder, the path is wrong and matches nothing: the object is left
    # alone.
    folder = text(get(container, "workingDir")) or "/"
    patterns: set[str] = set()
    for one in said:
        patterns |= {normpath(found.rstrip(".")) for found in re.findall(_PATH, one)}
        relative = re.fullmatch(_FILE, one)
        if relative:
            patterns.add(normpath(join(folder, relative["file"])))
    return any(_is_like(path, pattern) for path, pattern in product(paths, patterns))


def _has_only_scripts(item: Item) -> bool:
    """Tell whether all values of an object say the program that runs them. Beside settings, one proves nothing."""
    values = [one.text for one in data_texts(item)]
    return len(values) == len(data_keys(item)) and all(value.startswith("#!") for value in values)


def _is_run(container: Node | None, paths: Collection[str]) -> bool:
    """Tell whether a container, its probes or its handlers run one of these files, by its path or from PATH."""
    handlers = [container, *(get(container, name, "exec") for name in _PROBES)]
    handlers += [get(container, "lifecycle", name, "exec") for name in _HANDLERS]
    for handler in handlers:
        for field in ("command", "args"):
            for word in elements(get(handler, field)):
                for name in re.findall(_RUN, text(word)):
                    if any(join(folder, name) in paths for folder in ("/", *FOLDERS_ON_PATH)):
                        return True
    return False


def _is_like(path: str, pattern: str) -> bool:
    return path.count("/") == pattern.count("/") and fnmatchcase(path, pattern)
