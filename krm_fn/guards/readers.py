"""Find who needs an object under the name that it has, though its references are followed.

This file finds three of them. An early reader is a hook or a workload whose pods start before their
deployer applies what they read. With a fixed name they find the object of the deployment before.
With a name that changes with the content they find nothing: the deployer waits for them, and never
comes to apply the object.

A name reader uses a name for more than to find the object: it reads its shape, or mounts at a path
that contains it. A new name breaks an operator that tells something from the end of the old one,
and a path that somebody else has written, such as `caFile: /etc/prometheus/secrets/web-tls/ca.crt`
of a ServiceMonitor.

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
from itertools import product
from posixpath import dirname, join, normpath
from typing import NamedTuple, TypeAlias

from krm_fn.base import keys
from krm_fn.base.item import (
    CONFIG_KINDS,
    DATA_FIELDS,
    Item,
    about,
    data_keys,
    data_texts,
    is_encrypted,
    selects,
    warning,
)
from krm_fn.base.kind import DEPLOYERS, KINDS, SYNC_WAVE, Deployer, Step, first_step, is_ordered
from krm_fn.base.node import (
    TRUE,
    Node,
    descend,
    elements,
    entries,
    get,
    is_null,
    is_scalar,
    read_path,
    scalars,
    spell,
    text,
    texts,
)
from krm_fn.base.pods import CONTAINER_LISTS, find_pod_specs
from krm_fn.base.problem import Problem, Problems, Severity
from krm_fn.base.reference import THE_VALUE, Reference, ResolvedReference, is_read
from krm_fn.base.settings import Strategy
from krm_fn.core.decide.run import Answer, Package
from krm_fn.core.names.names import authored_id, base_name
from krm_fn.core.references.generated import find_generated
from krm_fn.core.references.references import References
from krm_fn.guards.well_known import may_look_up

# Early readers.

_STARTS_NOTHING = "Template$|^Cron"
"""Names of kinds whose objects start pods only later, also of kinds that nobody here knows."""


class EarlyReader(NamedTuple):
    """A reference to a ConfigMap or Secret that is applied in a later step.

    `blocks`: the deployment ends there.
    """

    referrer: Item
    reference: Reference
    config: Item
    deployer: Deployer
    own_step: Step
    config_step: Step
    blocks: bool

    @property
    def is_hook(self) -> bool:
        """Tell whether a hook makes it early, and not a wave."""
        return self.own_step.phase < self.config_step.phase

    def refuse(self) -> Problem:
        """Return what is wrong where the object is chosen explicitly: an error only if nothing can come after it."""
        config = self.config.id._replace(name=base_name(self.config))
        deployer = f"{self.deployer.name} (spec.deployers)"
        if self.is_hook:
            place = (
                f"is a {self.own_step.hook} hook, which {deployer} runs before it applies {config}"
            )
        else:
            waves = f"is in sync wave {self.own_step.wave}, and {config} in wave {self.config_step.wave}"
            place = f"{waves}, which {deployer} applies later"
        effect = (
            f"does not exist yet, which blocks the {self.deployer.deployment}"
            if self.blocks
            else "may not exist yet when its pods start"
        )
        message = (
            f"{place}: each change gives the {config.kind} a name that {effect}; {self._remedy()}, "
            f"or annotate the {config.kind} with {keys.STRATEGY}: {Strategy.IGNORE}"
        )
        return about(
            self.referrer,
            message,
            self.reference.field,
            Severity.ERROR if self.blocks else Severity.WARNING,
        )

    def answer(self) -> Answer:
        """Return why the object is left alone where nobody chose it explicitly."""
        referrer = authored_id(self.referrer)
        if self.is_hook:
            text = f"{referrer}, a {self.own_step.hook} hook, reads it before {self.deployer.name} applies it"
        else:
            text = (
                f"{referrer} in sync wave {self.own_step.wave} reads it before {self.deployer.name} applies it "
                f"in wave {self.config_step.wave}"
            )
        remedy = (
            f"{self._remedy()}, "
            f"or annotate the {self.config.id.kind} with {keys.STRATEGY}: {Strategy.IGNORE} to accept this"
        )
        return Answer(text, self.referrer, self.reference.field, remedy=remedy)

    def _remedy(self) -> str:
        hook, wave = self.own_step.hook, self.own_step.wave
        # What `spec.hooks: copy` copies: a ConfigMap that SOPS has not encrypted.
        is_copied = self.config.id.kind == "ConfigMap" and get(self.config.node, "sops") is None
        if self.is_hook and is_copied:
            return "set spec.hooks: copy, which lets the hook read a copy"
        if self.is_hook:
            return f"let the hook read a copy that is a {hook} hook too"
        return f"move the {self.config.id.kind} to wave {wave} ({SYNC_WAVE}: '{wave}')"


EarlyReaders: TypeAlias = Mapping[Item, Mapping[Item, EarlyReader]]
"""By what they read, and by themselves."""


def find_early_readers(references: References, deployers: Iterable[str]) -> EarlyReaders:
    """Find the early readers of each ConfigMap and Secret, by the steps and waits of these deployers."""
    found: dict[Item, dict[Item, EarlyReader]] = defaultdict(dict)
    in_steps = [name for name in deployers if DEPLOYERS[name].waits_for]
    if not in_steps:
        return found
    for referrer, reference, targets in references:
        if not reference.in_pod or reference.is_output:
            continue
        for config in targets:
            for name in in_steps:
                reader = _read_early(referrer, reference, config, name)
                # Of several, the one that blocks says more than one whose pods may only start too
                # early.
                if reader and (
                    referrer not in found[config] or reader.blocks > found[config][referrer].blocks
                ):
                    found[config][referrer] = reader
    return found


def _read_early(
    referrer: Item, reference: Reference, config: Item, name: str
) -> EarlyReader | None:
    if not is_ordered(referrer) and not is_ordered(config):
        return None
    own_step, config_step = first_step(referrer, name), first_step(config, name)
    if own_step is None or config_step is None or not own_step.is_before(config_step):
        return None
    deployer = DEPLOYERS[name]
    kind = (referrer.id.group, referrer.id.kind)
    is_waited_for = kind in deployer.waits_for
    may_be_waited_for = (
        deployer.waits_for_others
        and kind not in KINDS
        and not re.search(_STARTS_NOTHING, referrer.id.kind)
    )
    if not is_waited_for and not may_be_waited_for:
        return None  # its pods wait for the object, and the deployer does not wait for them
    # A pod that reads it as optional starts without it, so the deployer comes to apply the object
    # all the same.
    blocks = is_waited_for and is_read(reference) and not reference.is_optional
    return EarlyReader(referrer, reference, config, deployer, own_step, config_step, blocks)


# Name readers.

_ACCEPT = f"annotate it with {keys.STRATEGY}: {Strategy.IGNORE} to accept this"

_HOLDS_CONFIGURATION = r"(?i)(?<!storage)config(?!map)|relabel|template"
"""Fields that name what a program reads as its configuration, where paths may be written.

The configuration of an object storage is read by the Thanos sidecar, which does not mount these
objects.
"""

_WITHOUT_PATHS = ("dashboardNamespaceSelector", "ruleNamespaceSelector")
"""Fields that select objects which name no files."""

_VARIABLE = r"\$|\{\{"
"""The placeholders of a name that somebody else fills in."""


_DEFAULT_CONFIGS = {
    # prometheus-operator pkg/prometheus/server/operator.go (unmanagedPrometheusConfiguration)
    ("monitoring.coreos.com", "Prometheus"): (
        "prometheus-{}",
        ("serviceMonitorSelector", "podMonitorSelector", "probeSelector", "scrapeConfigSelector"),
    ),
    # prometheus-operator pkg/alertmanager/statefulset.go (defaultConfigSecretName)
    ("monitoring.coreos.com", "Alertmanager"): (
        "alertmanager-{}",
        ("configSecret", "alertmanagerConfiguration"),
    ),
}
"""The Secret that an operator takes for its configuration where none of these fields of its spec is set."""


class _Text(NamedTuple):
    """A text that contains a folder of mounts, and its field.

    `line`: the one that is meant, in a text of several.
    """

    item: Item
    field: str
    value: str
    line: int = 0


class NameReaders:
    """The consumers in a package that use a name for more than to find the object."""

    def __init__(self, package: Package, references: References) -> None:
        self._package = package
        self._references = references

    def by_shape(self, item: Item) -> Answer | None:
        """Say who tells by the end of an object's name what is in it, or finds another object by it."""
        for one in self._by_item.get(item, ()):
            endings = one.reference.rule.reads.endings
            if endings:
                text = f"{authored_id(one.referrer)} tells by the end of its name what is in it ({', '.join(endings)})"
                remedy = _ACCEPT if _base_name_in(one.reference, item).endswith(endings) else ""
                return _answer(text, one, remedy)
            identity = one.reference.rule.reads.identity
            if identity:
                referrer = authored_id(one.referrer)
                text = f"{referrer} knows a {identity} by its name, and takes a new name for another one"
                return _answer(text, one, _ACCEPT)
            for field in _find_volume_mounts(one, item):
                text = f"{authored_id(one.referrer)} names a volume by it, which {field} mounts"
                return _answer(text, one, _ACCEPT)
        for one, base, other in self._pairs.get(item, ()):
            text = f"{authored_id(one.referrer)} finds {one.reference.kind} {other} by the name of {base}"
            return _answer(text, one, _ACCEPT)
        return None

    def by_path(self, item: Item) -> Answer | None:
        """Say who mounts an object at a path with its name, if that path is written somewhere, or may be."""
        mounts = [one for one in self._by_item.get(item, ()) if one.reference.rule.reads.path]
        for one in mounts:
            for found in self._find_path(one, item):
                place = (
                    f"{found.field}, line {found.line} of the text" if found.line else found.field
                )
                text = f"{_say_mount(one, item)}, and {authored_id(found.item)} contains this path ({place})"
                answer = _answer(text, one, _ACCEPT)
                return answer._replace(item=found.item, field=found.field)
        # Only where no mount has its path written: a path that may be elsewhere is the weaker
        # reason.
        for one in mounts:
            for why in self._say_hidden(one):
                return _answer(f"{_say_mount(one, item)}, and {why}", one)
        return None

    def refuse(self, item: Item) -> Problems:
        """Report what does not follow the new name of an object that is renamed."""
        remedy = f"annotate {authored_id(item)} with {keys.STRATEGY}: {Strategy.IGNORE}"
        for one in self._by_item.get(item, ()):
            kind, reads, base = (
                one.reference.kind,
                one.reference.rule.reads,
                _base_name_in(one.reference, item),
            )
            ending = next(filter(base.endswith, reads.endings), "")
            if ending:
                message = (
                    f"{kind} {base} is recognised by the end of its name, {ending}, which a new name would not have; "
                    f"{remedy}"
                )
                yield about(one.referrer, message, one.reference.field)
                continue  # an object that is not recognised is not mounted at the path either
            if reads.identity:
                message = (
                    f"uses the name of {kind} {base} as a {reads.identity}: each change makes a second one beside "
                    f"the one in use; {remedy}"
                )
                yield warning(one.referrer, message, one.reference.field)
            for field in _find_volume_mounts(one, item):
                message = (
                    f"mounts a volume that is named by {kind} {base}, and each change would give it another name; "
                    f"{remedy}"
                )
                yield about(one.referrer, message, field)
            for found in self._find_path(one, item):
                line = f" in line {found.line} of the text" if found.line else ""
                mounter = authored_id(one.referrer)
                message = (
                    f"contains {reads.path.format(base)}{line}, where {mounter} mounts {kind} {base}, "
                    f"and each change would give it another name; {remedy}"
                )
                yield about(found.item, message, found.field)
        for one, _, other in self._pairs.get(item, ()):
            message = (
                f"is the name by which {one.reference.kind} {other} is found too, so both "
                f"names must stay; {remedy}"
            )
            yield about(one.referrer, message, one.reference.field)

    @cached_property
    def _by_item(self) -> dict[Item, list[ResolvedReference]]:
        by_item: dict[Item, list[ResolvedReference]] = defaultdict(list)
        for one in self._references.authored:
            if one.reference.rule.reads != THE_VALUE:
                for target in one.targets:
                    by_item[target].append(one)
        return by_item

    @cached_property
    def _pairs(self) -> dict[Item, list[tuple[ResolvedReference, str, str]]]:
        """Objects that are found by one name, with the reference that says it, this name, and that of the other."""
        pairs: dict[Item, list[tuple[ResolvedReference, str, str]]] = defaultdict(list)
        for item, several in self._by_item.items():
            for one in several:
                reference = one.reference
                if not reference.rule.reads.beside:
                    continue
                base = _base_name_in(reference, item)
                other = base + reference.rule.reads.beside
                place = reference.kind, other, reference.target_namespace
                for found in self._references.index.find(one.referrer, *place):
                    pairs[item].append((one, base, other))
                    pairs[found].append((one, base, other))
        return pairs

    def _find_path(self, one: ResolvedReference, item: Item) -> Iterator[_Text]:
        """Find the texts that contain the path at which a consumer mounts an object."""
        path = one.reference.rule.reads.path
        if not path:
            return
        name = re.escape(_base_name_in(one.reference, item) + path.partition("{}")[2])
        # Behind `creds`, `-2` and `.old` make it another name, and the dot of a sentence does not.
        pattern = re.compile(rf"{_pattern(path)}{name}(?![\w-]|\.\w)")
        for one_text in self._texts:
            found = pattern.search(one_text.value)
            if found:
                is_long = "\n" in one_text.value.strip()
                yield one_text._replace(
                    line=one_text.value.count("\n", 0, found.start()) + 1 if is_long else 0
                )

    @cached_property
    def _texts(self) -> list[_Text]:
        """The texts of the package that contain a folder in which somebody mounts, in order."""
        paths: set[str] = set()
        for several in self._by_item.values():
            paths.update(one.reference.rule.reads.path for one in several)
        folders = [f"{_split(path)[1]}/" for path in filter(None, paths)]
        if not folders:
            return []

        def has_folder(one: _Text) -> bool:
            return any(folder in one.value for folder in folders)

        found: list[_Text] = []
        for item in self._package.authored:
            if not item.is_local:
                found += filter(has_folder, _read_texts(item))
        return found

    def _say_hidden(self, one: ResolvedReference) -> Iterator[str]:
        """Say where the path of a mount may be written that cannot be seen here."""
        for name, value in _fields_below(get(one.referrer.node, "spec")):
            takes_all = name == "selectAllByDefault" and text(value) in TRUE
            if takes_all or (
                name.endswith("NamespaceSelector")
                and name not in _WITHOUT_PATHS
                and not is_null(value)
            ):
                yield f"its {name} takes objects of other namespaces, which may contain this path"
        yield from self._say_hidden_configuration(one.referrer)
        variable = re.compile(rf"{_pattern(one.reference.rule.reads.path)}(?:{_VARIABLE})")
        for found in self._texts:
            if variable.search(found.value):
                yield f"{authored_id(found.item)} has a variable in such a path ({found.field})"

    def _say_hidden_configuration(self, referrer: Item) -> Iterator[str]:
        for other in self._references.authored:
            reference = other.reference
            if other.referrer is referrer and _holds_configuration(reference):
                yield from _say_unreadable(reference.kind, reference.target, other.targets)
        pattern, unless = _DEFAULT_CONFIGS.get((referrer.id.group, referrer.id.kind), ("", ()))
        if pattern and all(is_null(get(referrer.node, "spec", field)) for field in unless):
            name = pattern.format(referrer.id.name)
            yield from _say_unreadable(
                "Secret", name, self._references.index.find(referrer, "Secret", name)
            )


def _find_volume_mounts(one: ResolvedReference, item: Item) -> Iterator[str]:
    """Yield the fields that mount the volume which the referrer of a reference names by an object."""
    volume = one.reference.rule.reads.volume
    if volume:
        name = _base_name_in(one.reference, item)
        patterns = [pattern.format(name) for pattern in volume.split()]
        for found in scalars(one.referrer.node):
            *above, last = found.path
            is_name = last == "name" and "volumeMounts" in above[-2:]
            if is_name and any(fnmatchcase(found.scalar.value, pattern) for pattern in patterns):
                yield spell(found.path)


def _say_unreadable(kind: str, name: str, targets: tuple[Item, ...]) -> Iterator[str]:
    if not targets:
        yield f"{kind} {name}, which may contain this path, is not in the package"
    elif not all(map(_is_readable, targets)):
        yield f"{kind} {name}, which may contain this path, cannot be read here"


def _answer(text: str, one: ResolvedReference, remedy: str = "") -> Answer:
    reference = one.reference
    return Answer(text, one.referrer, reference.field, reference.rule.reads.source, remedy)


def _say_mount(one: ResolvedReference, item: Item) -> str:
    path = one.reference.rule.reads.path.format(_base_name_in(one.reference, item))
    return f"{authored_id(one.referrer)} mounts it at {path}"


def _base_name_in(reference: Reference, item: Item) -> str:
    """Return the base name of what a reference means by an object: of itself, or of what it makes."""
    if reference.kind == item.id.kind:
        return base_name(item)
    return next(
        (one.base_name for one in find_generated(item) if one.kind == reference.kind),
        reference.target,
    )


def _split(path: str) -> tuple[str, str]:
    """Return the folder that names are in, behind the folders above it."""
    above, _, folder = path.partition("{}")[0].rstrip("/").rpartition("/")
    return above, folder


def _pattern(path: str) -> str:
    """Return a pattern of a path up to the name: absolute, or relative to a folder of the program."""
    above, folder = map(re.escape, _split(path))
    return rf"(?:{above}(?<!/)|\.\.(?:/[\w.-]++){{0,40}})/+{folder}/+"


def _read_texts(item: Item) -> Iterator[_Text]:
    """Read all texts of an object, and those that a ConfigMap or Secret holds as data."""
    if item.is_config:
        yield from (_Text(item, value.field, value.text) for value in data_texts(item))
    else:
        for one in scalars(item.node):
            # To spell the field of each text would take longer than to read it.
            if "/" in one.scalar.value:
                yield _Text(item, spell(one.path), one.scalar.value)


def _fields_below(node: Node | None) -> Iterator[tuple[str, Node]]:
    for name, value in entries(node):
        yield name, value
        yield from _fields_below(value)


def _holds_configuration(reference: Reference) -> bool:
    """Tell whether a reference names configuration, by the field that holds it, and is not one of the mounts."""
    field = reference.field.removesuffix(".name").rpartition(".")[2]
    return reference.rule.reads == THE_VALUE and re.search(_HOLDS_CONFIGURATION, field) is not None


def _is_readable(item: Item) -> bool:
    """Tell whether all values of an object are texts that can be read here."""
    if not item.is_config or is_encrypted(item):
        return False
    # `data_texts` leaves out what is no text, such as an archive. The path may be written in that.
    values: list[Node] = []
    for field in DATA_FIELDS:
        values += [value for _, value in entries(get(item.node, field))]
    filled = [value for value in values if not is_scalar(value) or value.value != ""]
    return len(filled) == sum(1 for _ in data_texts(item))


# API readers.

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
_ON_PATH = ("/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin")
"""Where programs are found by name. Source: moby/moby, pkg/system/path_deprecated.go (defaultUnixPathEnv)."""


class _Subject(NamedTuple):
    """A ServiceAccount. No name: all of the namespace; no namespace either: all of the cluster."""

    namespace: str
    name: str


class _Grant(NamedTuple):
    """By which role a subject may read something. `position`: that of the binding in the package."""

    position: int
    role: str


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
                grants = [self._grants.get((subject, kind, where)) for where in (namespace, None)]
                granted = min(filter(None, grants), default=None)
                if granted is not None:
                    return granted.role
        return ""

    @cached_property
    def _grants(self) -> dict[tuple[_Subject, str, str | None], _Grant]:
        """The first grant to each subject, by the kind that it is about and the namespace.

        None: everywhere.
        """
        grants: dict[tuple[_Subject, str, str | None], _Grant] = {}
        for index, item in enumerate(self._items):
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
                            grants.setdefault((who, kind, where), _Grant(index, role))
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
        roles = {}
        for item in self._items:
            if item.id.group == _GROUP and item.id.kind in ("Role", "ClusterRole"):
                namespace = self._namespace_of(item) if item.id.kind == "Role" else ""
                roles[item.id.kind, namespace, item.id.name] = item
        return roles

    def _subjects(self, binding: Item) -> Iterator[_Subject]:
        for node in elements(get(binding.node, "subjects")):
            kind, name = text(get(node, "kind")), text(get(node, "name"))
            if kind == "ServiceAccount":
                yield _Subject(text(get(node, "namespace")) or self._namespace_of(binding), name)
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
    which many programs renew through the API. Scripts are run from their files.
    """
    is_certificate = item.id.kind == "Secret" and _CERTIFICATE in data_keys(item)
    for reference in references:
        for container, paths in _readers_of(referrer, reference, item):
            # What is known of a program wins over what its options seem to say.
            looks_up = may_look_up(text(get(container, "image")), item.id.kind, base_name(item))
            has_all = not may_write and _has_all(container, reference, item)
            is_told = has_all or (not is_certificate and _is_told(container, paths))
            is_told = is_told or (_has_only_scripts(item) and _is_run(container, paths))
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
            paths: set[str] = set()
            mounts_it = False
            for mount in elements(get(container, "volumeMounts")):
                if text(get(mount, "name")) == name:
                    mounts_it = True
                    paths.update(_paths_of(mount, files))
            if mounts_it:
                is_mounted = True
                yield container, paths
    if not is_mounted:
        yield None, set()


def _paths_of(mount: Node, files: Iterable[str]) -> Iterator[str]:
    """Yield the paths of the files that a mount shows, and those of their folders.

    The folder of a file that is mounted alone only counts below another one: `/` and `/etc` hold
    too much else.
    """
    place, below = text(get(mount, "mountPath")), text(get(mount, "subPath")).strip("/")
    for file in files:
        path = ""
        if not below or file.startswith(f"{below}/"):
            path = normpath(f"{place}/{file.removeprefix(below)}")
        elif file == below:
            path = normpath(place)
        if path:
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
    return len(values) == len(data_keys(item)) and all(map(_is_script, values))


def _is_script(value: str) -> bool:
    return value.startswith("#!")


def _is_run(container: Node | None, paths: Collection[str]) -> bool:
    """Tell whether a container, its probes or its handlers run one of these files, by its path or from PATH."""
    handlers = [container, *(get(container, name, "exec") for name in _PROBES)]
    handlers += [get(container, "lifecycle", name, "exec") for name in _HANDLERS]
    for handler in handlers:
        for field in ("command", "args"):
            for word in elements(get(handler, field)):
                for name in re.findall(_RUN, text(word)):
                    if any(join(folder, name) in paths for folder in ("/", *_ON_PATH)):
                        return True
    return False


def _is_like(path: str, pattern: str) -> bool:
    return path.count("/") == pattern.count("/") and fnmatchcase(path, pattern)
