"""What the user wants mounted where, already checked."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import NamedTuple

from krm_fn.model.changes import Value


class KeyToPath(NamedTuple):
    """One file of a volume; `mode` None leaves it to the volume."""

    key: str
    path: str
    mode: int | None = None


class Source(NamedTuple):
    """A ConfigMap or Secret by its base name. No `items`: all keys."""

    kind: str
    name: str
    items: tuple[KeyToPath, ...] = ()
    optional: bool = False

    def __str__(self) -> str:
        return f"{self.kind} {self.name}"


class Mount(NamedTuple):
    """An entry of `mounts`: what, which workloads, which containers, and where.

    `name` and the names of containers are shell patterns; a `kind` of None means the kinds Kubernetes runs pods for,
    and Argo's Rollout. Without a `path` the sources set environment variables.
    """

    sources: tuple[Source, ...]
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


API_VERSION = "revisions.krm-fn.io/v1"
KIND = "ConfigRevisions"
DEFAULT_SET = "config-revisions"

RESOURCES: Mapping[str, Value] = {
    "requests": {"cpu": "50m", "memory": "96Mi"},
    "limits": {"cpu": "1", "memory": "256Mi"},
}
"""Of the linker, for a namespace of thousands of ReplicaSets; `benchmarks` measures it."""


CONTROLLERS = {"wave": "Wave", "reloader": "Reloader"}
"""Controllers whose annotations on workloads count as an opt-in to checksums, and what people call them."""


class Strategy(StrEnum):
    """What is done with a ConfigMap or Secret."""

    RENAME = "rename"
    ADOPT = "adopt"
    CHECKSUM = "checksum"
    IGNORE = "ignore"


class Jobs(StrEnum):
    """What is done about a plain Job that names a renamed revision, as its template cannot change."""

    WARN = "warn"
    RENAME = "rename"


@dataclass(frozen=True, kw_only=True, slots=True)
class Selector:
    """Which objects an entry of `select` or `exclude` means; what is left out matches everything.

    `name` is a shell pattern; `labels` and `annotations` must all be there with these values.
    `strategy` is None where the entry leaves it to `spec.strategy`, and always None in `exclude`.
    """

    kind: str | None = None
    name: str = "*"
    namespace: str | None = None
    labels: dict[str, str] = field(default_factory=dict)
    annotations: dict[str, str] = field(default_factory=dict)
    strategy: Strategy | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class FieldSpec:
    r"""A reference field in kustomize's form: `path` is `spec/configName`, with `\/` for a slash in a key.

    Empty `group`, `version` or `kind` match every one. `target` is the kind the field names.
    """

    target: str
    group: str = ""
    version: str = ""
    kind: str = ""
    path: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Linker:
    """The Job that links, and its pod. `image` and `namespace` are None where only the environment know them.

    `resources`, `tolerations` and `image_pull_secrets` are as in a pod spec.
    """

    enabled: bool = True
    image: str | None = None
    namespace: str | None = None
    timeout_seconds: int = 300
    minimum_age_seconds: int = 600
    ttl_seconds_after_finished: int | None = None
    service_account_name: str | None = None
    openshift: bool = False
    resources: Mapping[str, Value] = field(default_factory=lambda: RESOURCES)
    node_selector: Mapping[str, str] = field(default_factory=dict)
    tolerations: tuple[Mapping[str, Value], ...] = ()
    image_pull_secrets: tuple[Mapping[str, Value], ...] = ()
    labels: Mapping[str, str] = field(default_factory=dict)
    annotations: Mapping[str, str] = field(default_factory=dict)


class Environment(NamedTuple):
    """What the process knows, and a configuration overrules: the image it runs in, where objects will be applied."""

    image: str = ""
    namespace: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Checksums:
    """Where the checksum of what a pod reads stands, and whose opt-in annotations on workloads count."""

    annotation: str = "checksum/config"
    controllers: tuple[str, ...] = ("wave", "reloader")


@dataclass(frozen=True, kw_only=True, slots=True)
class Settings:
    """The functionConfig; see `schemas/` for what each field means."""

    set: str = DEFAULT_SET
    kinds: frozenset[str] = frozenset({"ConfigMap"})
    strategy: Strategy = Strategy.RENAME
    select: tuple[Selector, ...] | None = None
    exclude: tuple[Selector, ...] = ()
    immutable: bool = True
    deployers: tuple[str, ...] = ("argocd", "flux", "kpt")
    references: tuple[FieldSpec, ...] = ()
    linker: Linker = field(default_factory=Linker)
    checksums: Checksums = Checksums()
    mounts: tuple[Mount, ...] = ()
    jobs: Jobs = Jobs.WARN


NO_ENVIRONMENT = Environment()
