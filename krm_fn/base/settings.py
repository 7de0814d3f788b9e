"""The functionConfig as checked values, and `select` and `exclude` as answers about objects."""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import StrEnum
from fnmatch import translate
from functools import cache
from operator import itemgetter
from types import MappingProxyType
from typing import Generic, Protocol, TypeVar

from krm_fn.base.item import Item
from krm_fn.base.kind import ALWAYS_LISTED, DEPLOYERS, Kind, kind_named
from krm_fn.base.link_plan import MINIMUM_AGE, TIMEOUT
from krm_fn.base.named_tuple import NamedTuple
from krm_fn.base.node import NewValue
from krm_fn.base.problem import ResourceId

API_VERSION = "revisions.krm-fn.io/v1"
KIND = "ConfigRevisions"
CONFIG_FILE = "krm-fn.yaml"
KPTFILE = "Kptfile"
NO_SET = "each-package-names-its-set"
"""The name of a configuration that packages share: it is no set, and each package gives it its own."""

_PRODUCT = "krm-fn"
KPT_NAME = "function-input"
"""The name that kpt gives to the ConfigMap it makes from the command line."""

DEFAULT_SET = "config-revisions"

RESOURCES: Mapping[str, NewValue] = {
    "requests": {"cpu": "50m", "memory": "96Mi"},
    "limits": {"cpu": "1", "memory": "256Mi"},
}
"""Of the linker, enough for a namespace with thousands of ReplicaSets; `benchmarks` measures it."""

NO_SIDECAR_LABELS = {
    "sidecar.istio.io/inject": "false",
    "kuma.io/sidecar-injection": "disabled",
}

NO_SIDECAR_ANNOTATIONS = {
    "linkerd.io/inject": "disabled",
    "consul.hashicorp.com/connect-inject": "false",
}
"""For the linker's pod.

A sidecar would keep its Job from completing. Source: the documentation of each mesh.
"""

CONTROLLERS = {"wave": "Wave", "reloader": "Reloader"}
"""Controllers whose annotations on workloads count as an opt-in to checksums, and their names in messages."""


def is_configuration(who: ResourceId) -> bool:
    """Tell whether an object configures this function, in whichever version.

    So does one with a misspelled group or kind: it is refused, since to rename what it says to
    adopt is an outage.
    """
    is_named_so = who.kind.lower().removesuffix("s") == KIND.lower().removesuffix("s")
    is_near = is_named_so and (not who.api_version or _PRODUCT in who.group)
    return is_near or who.group == API_VERSION.partition("/")[0]


def configures(item: Item) -> bool:
    """Tell whether an object is a configuration. A ConfigMap is one by the name of its file."""
    is_settings = item.id.kind == "ConfigMap" and item.id.api_version == "v1"
    return is_configuration(item.id) or (
        is_settings and item.file.rpartition("/")[2] == CONFIG_FILE
    )


_WILDCARDS = frozenset("*?[")


def is_pattern(name: str) -> bool:
    """Tell whether a name in the configuration is a shell pattern, for several names or none."""
    return not _WILDCARDS.isdisjoint(name)


@cache
def matcher(name: str) -> Callable[[str], object]:
    """Return what tells whether a shell pattern matches a name.

    `fnmatch` itself keeps only 256 patterns.
    """
    return re.compile(translate(name)).match


class Strategy(StrEnum):
    """How to treat a ConfigMap or Secret."""

    RENAME = "rename"
    ADOPT = "adopt"
    CHECKSUM = "checksum"
    IGNORE = "ignore"

    @property
    def makes_revisions(self) -> bool:
        """Tell whether it renames objects, or announces that they will be renamed."""
        return self in (Strategy.RENAME, Strategy.ADOPT)


class Selector(NamedTuple):
    """An entry of `select` or `exclude`, and the objects that it matches.

    A field that is not set matches everything.

    `name` is a shell pattern; all `labels` and `annotations` must be present with these values. A
    `strategy` of None means `spec.strategy`; in `exclude` it is always None.
    """

    kind: str | None = None
    name: str = "*"
    namespace: str | None = None
    labels: Mapping[str, str] = MappingProxyType({})
    annotations: Mapping[str, str] = MappingProxyType({})
    strategy: Strategy | None = None


class FieldSpec(NamedTuple):
    r"""A reference field in kustomize's form.

    `path` is `spec/configName`, with `\/` for a slash in a key. An empty `group`, `version` or
    `kind` matches all. `target` is the kind that the field references. `entry` is the field of the
    configuration that says so.
    """

    target: str
    path: str
    group: str = ""
    version: str = ""
    kind: str = ""
    entry: str = ""


class ChecksumSettings(NamedTuple):
    """The annotation for checksums on pod templates, and the controllers whose opt-ins count."""

    annotation: str = "checksum/config"
    controllers: tuple[str, ...] = ("wave", "reloader")


class KeyToPath(NamedTuple):
    """One file of a volume. A `mode` of None means the volume's default."""

    key: str
    path: str
    mode: int | None = None


class MountSource(NamedTuple):
    """A ConfigMap or Secret by its base name. Without `items`, all keys."""

    kind: str
    name: str
    items: tuple[KeyToPath, ...] = ()
    optional: bool = False

    def __str__(self) -> str:
        return f"{self.kind} {self.name}"


class Mount(NamedTuple):
    """An entry of `mounts`: what to mount, into which workloads and containers, and where.

    `name` and the names of containers are shell patterns. A `kind` of None means all of Kubernetes'
    own workload kinds and Argo's Rollout. Without a `path` the sources set environment variables.
    """

    sources: tuple[MountSource, ...]
    kind: str | None = None
    name: str = "*"
    namespace: str | None = None
    labels: Mapping[str, str] = MappingProxyType({})
    containers: tuple[str, ...] = ("*",)
    init_containers: tuple[str, ...] = ()
    projected: bool = False
    path: str = ""
    sub_path: str = ""
    default_mode: int | None = None
    prefix: str = ""

    def __str__(self) -> str:
        return ", ".join(map(str, self.sources))


class Jobs(StrEnum):
    """The ways to treat a Job that references a renamed revision: its template is immutable."""

    WARN = "warn"
    RENAME = "rename"


class Hooks(StrEnum):
    """The ways to treat what a hook reads before it is applied."""

    LEAVE = "leave"
    COPY = "copy"


class LinkerRun(StrEnum):
    """Who runs the linker of a set: a Job that it emits, or one linker for the namespace."""

    JOB = "job"
    SHARED = "shared"


SHARED_ACCOUNT = "krm-fn-linker"
"""The account of the linker of a namespace, where the configuration names no other one."""


class LinkerSettings(NamedTuple):
    """The linker's Job and its pod, or what the linker of the namespace needs of a set.

    An `image` or `namespace` of None is taken from the Environment.

    `kinds` are written as `example.com/v1/Widget`. `resources`, `tolerations` and
    `image_pull_secrets` are as in a pod spec. Without a `schedule` there is no CronJob; an empty
    one suspends it. A `secrets_role` of None is what `run` makes it.
    """

    enabled: bool = True
    run: LinkerRun = LinkerRun.JOB
    secrets: bool = True
    kinds: tuple[str, ...] = ()
    image: str | None = None
    namespace: str | None = None
    timeout_seconds: int = TIMEOUT
    minimum_age_seconds: int = MINIMUM_AGE
    schedule: str | None = None
    ttl_seconds_after_finished: int | None = None
    service_account_name: str | None = None
    secrets_role: bool | None = None
    openshift: bool = False
    resources: Mapping[str, NewValue] = RESOURCES
    node_selector: Mapping[str, str] = MappingProxyType({})
    tolerations: tuple[Mapping[str, NewValue], ...] = ()
    image_pull_secrets: tuple[Mapping[str, NewValue], ...] = ()
    labels: Mapping[str, str] = MappingProxyType({})
    annotations: Mapping[str, str] = MappingProxyType({})

    @property
    def is_shared(self) -> bool:
        return self.run is LinkerRun.SHARED

    @property
    def account(self) -> str | None:
        """The ServiceAccount that somebody else applies; None where the function emits one."""
        return self.service_account_name or (SHARED_ACCOUNT if self.is_shared else None)

    @property
    def has_secrets_role(self) -> bool:
        """Tell whether such an account gets a Role with the names of this rendering."""
        return self.is_shared if self.secrets_role is None else self.secrets_role

    def names(self, kind: Kind) -> bool:
        """Tell whether `kinds` has a kind, in whichever version."""
        named = map(kind_named, self.kinds)
        return any(one.group_kind == kind.group_kind for one in named)

    def find_unread(self, kinds: Iterable[Kind]) -> list[Kind]:
        """Return those of these kinds, which the package needs, at whose objects the linker does not look.

        A Job is told each kind. The linker of a namespace is told nothing by a package, so it knows
        those of Kubernetes, and those of which the configuration says that it was told.
        """
        unnamed = {one for one in kinds if one.group_kind not in ALWAYS_LISTED}
        return sorted(one for one in unnamed if self.is_shared and not self.names(one))


_DEFAULT_DEPLOYERS = tuple(name for name, one in DEPLOYERS.items() if one.is_default)


class Settings(NamedTuple):
    """The whole functionConfig. `schemas/` says what each field means.

    `is_named`: `set` is a name for this package, and not the one that all packages without a name
    have. `leave`: this is the last release with krm-fn.
    """

    set: str = DEFAULT_SET
    is_named: bool = True
    take_over: tuple[str, ...] = ()
    kinds: frozenset[str] = frozenset({"ConfigMap"})
    strategy: Strategy = Strategy.RENAME
    select: tuple[Selector, ...] | None = None
    exclude: tuple[Selector, ...] = ()
    immutable: bool = True
    deployers: tuple[str, ...] = _DEFAULT_DEPLOYERS
    references: tuple[FieldSpec, ...] = ()
    linker: LinkerSettings = LinkerSettings()
    checksums: ChecksumSettings = ChecksumSettings()
    mounts: tuple[Mount, ...] = ()
    jobs: Jobs = Jobs.WARN
    hooks: Hooks = Hooks.LEAVE
    leave: bool = False
    strict: bool = False

    @property
    def own_sets(self) -> tuple[str, ...]:
        """The set, and those whose revisions it takes over."""
        return self.set, *self.take_over


class NearbyConfig(NamedTuple):
    """A configuration file that is near, and that nobody has passed.

    `remedy`: what makes it count, but `--config`.
    """

    file: str
    remedy: str


class Environment(NamedTuple):
    """The settings from outside of the configuration. They stay the same from run to run.

    `image`: of this process. `namespace`: where objects without one will be applied. `set`: its
    name where the configuration has none. `strict`: warnings are errors. `warns`: somebody reads
    warnings. `pins`: what a platform pins of the linker, by the name of the variable or option.
    `unread`: configurations that are near, and that nobody has passed.
    """

    image: str = ""
    namespace: str = ""
    set: str = ""
    strict: bool = False
    warns: bool = True
    pins: Mapping[str, str] = MappingProxyType({})
    unread: tuple[NearbyConfig, ...] = ()


NO_ENVIRONMENT = Environment()


class Entry(Protocol):
    """An entry with a shell pattern of names."""

    @property
    def name(self) -> str: ...


_Entry = TypeVar("_Entry", bound=Entry)


class Numbered(NamedTuple, Generic[_Entry]):
    """An entry, and its position among all of them."""

    position: int
    entry: _Entry


class Entries(Generic[_Entry]):
    """Entries by the name that they ask for. Those with a pattern are asked about every object."""

    def __init__(self, entries: Iterable[_Entry]) -> None:
        self._by_name: dict[str, list[Numbered[_Entry]]] = defaultdict(list)
        self._patterns: list[Numbered[_Entry]] = []
        for position, entry in enumerate(entries):
            group = self._patterns if is_pattern(entry.name) else self._by_name[entry.name]
            group.append(Numbered(position, entry))

    def __bool__(self) -> bool:
        return bool(self._by_name or self._patterns)

    def that_may_match(self, names: Iterable[str]) -> Sequence[Numbered[_Entry]]:
        """Return the entries that may match an object with these names, in their order.

        No other one does.
        """
        named: list[Numbered[_Entry]] = []
        for name in dict.fromkeys(names):
            named += self._by_name.get(name, ())
        return sorted([*named, *self._patterns], key=itemgetter(0)) if named else self._patterns


# Names of this program, and of images.

PROGRAM = "krm-fn"
"""The name of this program, in images and paths."""

EXPECTED_IMAGE = "[HOST[:PORT]/]NAME[:TAG][@DIGEST] with NAME in lower case"

# The grammar of github.com/distribution/reference, by which registries and kubelets read names of
# images. These are texts: few runs need them compiled.
_HOST = r"([a-zA-Z0-9]+((-+|\.)[a-zA-Z0-9]+)*|\[[a-fA-F0-9:]+\])(:[0-9]+)?"
_PATH = "[a-z0-9]+(([._/]|__|-+)[a-z0-9]+)*"
_TAG = "[A-Za-z0-9_][-A-Za-z0-9_.]{0,127}"
_DIGEST = "sha256:[a-f0-9]{64}|sha384:[a-f0-9]{96}|sha512:[a-f0-9]{128}"
_IMAGE = rf"(?P<name>({_HOST}/)?{_PATH})(:(?P<tag>{_TAG}))?(@({_DIGEST}))?"
_VERSION = r"v?(?P<version>[0-9]+\.[0-9]+\.[0-9]+([-+.].*)?)"
_LONGEST_IMAGE = 255
"""Characters of a name. Source: `RepositoryNameTotalLengthMax`."""


def is_our_program(runtime: str) -> bool:
    """Tell whether a path or an image has the name of this program.

    Directory, registry and version do not matter.
    """
    return re.split("[:@]", runtime.rpartition("/")[2])[0] == PROGRAM


def is_image(text: str) -> bool:
    """Tell whether a registry may have an image of this name."""
    found = re.fullmatch(_IMAGE, text)
    return found is not None and len(found["name"]) <= _LONGEST_IMAGE


def version_of(image: str) -> str:
    """Return `0.2.0` of `registry.example/krm-fn:v0.2.0`; `""` where the tag is no version."""
    tag = re.fullmatch(_IMAGE, image)
    version = re.fullmatch(_VERSION, tag["tag"] or "") if tag else None
    return version["version"] if version else ""
