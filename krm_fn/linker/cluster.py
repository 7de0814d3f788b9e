"""The operations of the cluster that a run needs."""

from typing import NamedTuple, Protocol

from krm_fn.linker.objects import Consumer, Owner, Revision
from krm_fn.linker.owners import OwnerPatch
from krm_fn.linker.retry import Deadline
from krm_fn.model.kinds import Kind


class Configs(NamedTuple):
    """The ConfigMaps of a set, and when they were read.

    `revisions` include the trackers of Secrets. There is one inventory, unless somebody has copied it. `now` is the
    time by the API server's clock, in Unix seconds: `Revision.created` is by the same clock.
    """

    revisions: list[Revision]
    inventories: list[Consumer]
    now: float


class Cluster(Protocol):
    """One namespace of a cluster.

    All methods raise ApiError for a request that the API server refuses or does not answer, and Stopped once the run
    has been told to stop. A write to an object that has changed meanwhile is no error: it returns False.
    """

    @property
    def namespace(self) -> str: ...

    @property
    def deadline(self) -> Deadline: ...

    def configs(self, set_name: str) -> Configs:
        """List the ConfigMaps of a set, without their content."""

    def consumers(self, kind: Kind, names: frozenset[str]) -> list[Consumer]:
        """List the objects of a kind, with the names that they reference; empty if the kind is not installed."""

    def patch_owners(self, patch: OwnerPatch) -> bool:
        """Patch a revision's owners. False if that object no longer exists."""

    def delete(self, revision: Revision) -> bool:
        """Delete a revision. False if it no longer exists, or has changed since it was read."""

    def secret(self, name: str) -> Revision | None:
        """Read the metadata of a Secret; None if there is none."""

    def add_secret_owner(self, secret: Revision, tracker: Owner) -> bool:
        """Make the tracker an owner of the Secret. False if that Secret no longer exists."""

    def record_event(self, owner: Owner, reason: str, message: str, now: float) -> None:
        """Create an Event for an object, at this time in Unix seconds. An Event that is refused is no error."""
