"""What a run asks of the cluster."""

from typing import NamedTuple, Protocol

from krm_fn.linker.objects import Owner, Revision, User
from krm_fn.linker.owners import OwnerPatch
from krm_fn.linker.retry import Deadline
from krm_fn.model.kinds import Kind


class Failed(Exception):
    """The API will not do it: what it was about, why, and what to do."""

    def __init__(self, what: str, why: str) -> None:
        super().__init__(f"{what}: {why}")


class Configs(NamedTuple):
    """Revisions, the tags of Secrets among them, and the rosters that name what is rendered: one, as a rule."""

    revisions: list[Revision]
    rosters: list[User]


class Cluster(Protocol):
    """A namespace of a cluster. Whatever the API refuses raises Failed; what has changed meanwhile does not."""

    @property
    def namespace(self) -> str: ...

    @property
    def deadline(self) -> Deadline: ...

    def configs(self, set_name: str) -> Configs:
        """The ConfigMaps of a set, without their content."""

    def users(self, kind: Kind, wanted: frozenset[str]) -> list[User]:
        """All objects of a kind; none where the kind is not installed."""

    def now(self) -> float:
        """The API server's clock at its last answer, in Unix seconds, as ages are by its clock."""

    def patch_owners(self, patch: OwnerPatch) -> bool:
        """Whether it was done: not if that very object is gone."""

    def delete(self, revision: Revision) -> bool:
        """Whether it was done: not if the object is gone, or has changed since it was read."""

    def secret(self, name: str) -> Revision | None:
        """What a Secret's metadata says, None where there is none."""

    def own_secret(self, secret: Revision, tag: Owner) -> bool:
        """Make the tag an owner; whether it was done."""

    def record(self, owner: Owner, reason: str, message: str) -> None:
        """An Event on an object. Best effort: an Event that is refused is no failure."""
