"""What the user wants mounted where, already checked."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple


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
