"""What the user wants mounted where, already checked."""

from dataclasses import dataclass, field


@dataclass(frozen=True, kw_only=True, slots=True)
class KeyToPath:
    """One file of a volume; `mode` None leaves it to the volume."""

    key: str
    path: str
    mode: int | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Source:
    """A ConfigMap or Secret by its base name. No `items`: all keys."""

    kind: str
    name: str
    items: tuple[KeyToPath, ...] = ()
    optional: bool = False

    def __str__(self) -> str:
        return f"{self.kind} {self.name}"


@dataclass(frozen=True, kw_only=True, slots=True)
class Mount:
    """An entry of `mounts`: which workloads, which containers, what, and where.

    `name` and the names of containers are shell patterns; a `kind` of None means the kinds Kubernetes runs pods for,
    and Argo's Rollout. Without a `path` the sources set environment variables.
    """

    kind: str | None = None
    name: str = "*"
    namespace: str | None = None
    labels: dict[str, str] = field(default_factory=dict)
    containers: tuple[str, ...] = ("*",)
    init_containers: tuple[str, ...] = ()
    sources: tuple[Source, ...]
    projected: bool = False
    path: str = ""
    sub_path: str = ""
    default_mode: int | None = None
    prefix: str = ""

    def __str__(self) -> str:
        return ", ".join(map(str, self.sources))
