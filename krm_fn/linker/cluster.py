"""The operations of the cluster that a run needs."""

from collections.abc import Iterable
from typing import NamedTuple, Protocol, Self

from krm_fn.linker.objects import Consumer, LiveRevision, Names, Owner
from krm_fn.linker.owners import RevisionPatch
from krm_fn.linker.retry import Deadline
from krm_fn.model.kinds import Kind
from krm_fn.model.link_plan import LinkPlan, ProducerName


class Configs(NamedTuple):
    """The ConfigMaps of a set, and when they were read.

    `revisions` include the trackers of Secrets. `now` is the time by the API server's clock, in Unix seconds:
    `Revision.created` is by the same clock. It is 0 if the API server does not tell it, so that nothing is old.
    """

    revisions: list[LiveRevision]
    inventory: Consumer | None
    now: float

    @classmethod
    def of(cls, configs: Iterable[LiveRevision | Consumer], now: float) -> Self:
        """Tell the inventory, which is read as a consumer, from the revisions."""
        found = [*configs]
        revisions = [one for one in found if isinstance(one, LiveRevision)]
        return cls(revisions, next((one for one in found if isinstance(one, Consumer)), None), now)


class Reader(Protocol):
    """One namespace of a cluster, to be read.

    All methods raise ApiError for a request that the API server refuses or does not answer, and Stopped once the run
    has been told to stop.
    """

    @property
    def namespace(self) -> str: ...

    def configs(self, plan: LinkPlan) -> Configs:
        """List the ConfigMaps of a set, without their content."""

    def has_config_map(self, name: str) -> bool:
        """Tell whether there is a ConfigMap of this name, in the set or not."""

    def consumers(self, kind: Kind, names: Names) -> list[Consumer]:
        """List the objects of a kind, with the names that they reference.

        Raises Forbidden without the right to list them, NotServed if the API server does not have the kind.
        """


class Cluster(Reader, Protocol):
    """One namespace of a cluster.

    A write to an object that has changed meanwhile is no error: see each method.
    """

    @property
    def deadline(self) -> Deadline: ...

    def patch(self, patch: RevisionPatch) -> str | None:
        """Patch a revision. Returns its new resource version; None if that object no longer exists."""

    def delete(self, revision: LiveRevision) -> bool:
        """Delete a revision. False if it no longer exists, or has changed since it was read."""

    def secret(self, name: str, plan: LinkPlan) -> LiveRevision | None:
        """Read the metadata of a Secret; None if there is none, or if it is none of the set."""

    def patch_secret(self, patch: RevisionPatch) -> bool:
        """Patch a Secret. False if that object no longer exists."""

    def producer(self, producer: ProducerName, plan: LinkPlan) -> LiveRevision | None:
        """Read the metadata of an object that makes a Secret; None if there is none, or if it is none of the set."""

    def own_producer(self, producer: ProducerName, revision: LiveRevision, owners: tuple[Owner, ...]) -> bool:
        """Make these trackers its owners. False if that object no longer exists."""

    def record_event(self, owner: Owner, reason: str, message: str, now: float, *, is_warning: bool = False) -> None:
        """Create an Event for an object, at this time in Unix seconds. An Event that is refused is no error."""


class DryRun:
    """A `Cluster` that reads from another one and never writes to it."""

    def __init__(self, cluster: Cluster) -> None:
        # What it reads is read as it is, but for revisions: the next round sees what this one would have written.
        self.namespace = cluster.namespace
        self.deadline = cluster.deadline
        self.has_config_map, self.consumers = cluster.has_config_map, cluster.consumers
        self.secret, self.producer = cluster.secret, cluster.producer
        self._read_configs = cluster.configs
        self._patches: dict[str, list[RevisionPatch]] = {}
        self._deleted: set[str] = set()

    def configs(self, plan: LinkPlan) -> Configs:
        configs = self._read_configs(plan)
        left = [revision for revision in configs.revisions if revision.uid not in self._deleted]
        return configs._replace(revisions=[self._patched(revision) for revision in left])

    def _patched(self, revision: LiveRevision) -> LiveRevision:
        for patch in self._patches.get(revision.uid, []):
            revision = patch._replace(revision=revision).result
        return revision

    def patch(self, patch: RevisionPatch) -> str:
        self._patches.setdefault(patch.revision.uid, []).append(patch)
        return patch.revision.resource_version

    def delete(self, revision: LiveRevision) -> bool:
        self._deleted.add(revision.uid)
        return True

    def patch_secret(self, patch: RevisionPatch) -> bool:  # noqa: ARG002  # no run reads it again
        return True

    def own_producer(self, producer: ProducerName, revision: LiveRevision, owners: tuple[Owner, ...]) -> bool:  # noqa: ARG002  # as above
        return True

    def record_event(self, owner: Owner, reason: str, message: str, now: float, *, is_warning: bool = False) -> None:
        """No Events in a dry run."""
