"""What a rendering tells the linker: which objects are to name which revisions.

The function writes it into a Job as command line arguments, where `kubectl describe job` shows it; the linker reads
it from there.
"""

from dataclasses import dataclass
from typing import NamedTuple

from krm_fn.model.kinds import Kind


class RevisionName(NamedTuple):
    """A revision in the linker's own namespace."""

    kind: str
    name: str

    def __str__(self) -> str:
        return f"{self.kind}/{self.name}"


class Workload(NamedTuple):
    """An object that is to name these revisions once it has been applied."""

    api_version: str
    kind: str
    name: str
    revisions: tuple[RevisionName, ...]

    def __str__(self) -> str:
        """`apps/v1/Deployment/web=ConfigMap/web-config-5t7h9k2b4c`, more revisions after commas."""
        return f"{self.api_version}/{self.kind}/{self.name}={','.join(map(str, self.revisions))}"


@dataclass(frozen=True, kw_only=True, slots=True)
class LinkPlan:
    """One rendering of a set in a namespace.

    `workloads` are waited for; `revisions` are those of the rendering that none of them names; `kinds` are what else
    may name revisions, beyond `CONSUMER_KINDS`. Times are in seconds.
    """

    set: str
    workloads: tuple[Workload, ...] = ()
    revisions: tuple[RevisionName, ...] = ()
    kinds: tuple[Kind, ...] = ()
    timeout: int
    minimum_age: int

    @property
    def rendered(self) -> frozenset[RevisionName]:
        """All revisions of the rendering."""
        return frozenset(self.revisions).union(*(workload.revisions for workload in self.workloads))

    def to_arguments(self) -> list[str]:
        """For `krm-fn link`."""
        return [
            f"--set={self.set}",
            *(f"--workload={workload}" for workload in self.workloads),
            *(f"--revision={revision}" for revision in self.revisions),
            *(f"--kind={kind}" for kind in self.kinds),
            f"--timeout={self.timeout}",
            f"--minimum-age={self.minimum_age}",
        ]


class Unreadable(Exception):
    """An argument that is not what `to_arguments` writes."""

    def __init__(self, found: str, expected: str) -> None:
        super().__init__(f"found {found!r}, expected {expected}")


def read_workload(text: str) -> Workload:
    """The inverse of `str`. Raises Unreadable."""
    who, equals, names = text.partition("=")
    api_version, kind, name = _split(who, text, "apps/v1/Deployment/web=ConfigMap/web-config-5t7h9k2b4c")
    if not equals:
        raise Unreadable(text, "revisions after a `=`")
    return Workload(api_version, kind, name, tuple(map(read_revision, names.split(","))))


def read_revision(text: str) -> RevisionName:
    """The inverse of `str`. Raises Unreadable."""
    kind, slash, name = text.partition("/")
    if kind not in ("ConfigMap", "Secret") or not slash or not name or "/" in name:
        raise Unreadable(text, "ConfigMap/NAME or Secret/NAME")
    return RevisionName(kind, name)


def read_kind(text: str) -> Kind:
    """The inverse of `str`. Raises Unreadable."""
    return Kind(*_split(text, text, "example.com/v1/Widget/widgets"))


def _split(who: str, text: str, example: str) -> tuple[str, str, str]:
    """API version (which may hold a slash), kind and the rest."""
    parts = who.split("/")
    if len(parts) not in (3, 4) or not all(parts):
        raise Unreadable(text, f"something like {example}")
    return "/".join(parts[:-2]), parts[-2], parts[-1]
