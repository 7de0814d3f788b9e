"""Run without writing: record the changes instead, and show the cluster as it would be after them."""

from krm_fn.linker.cluster import Cluster, Configs
from krm_fn.linker.objects import Consumer, Owner, Revision
from krm_fn.linker.owners import OwnerPatch
from krm_fn.linker.retry import Deadline
from krm_fn.model.kinds import Kind


class DryRun:
    """A `Cluster` that reads from another one and never writes to it."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._patches: dict[str, OwnerPatch] = {}
        self._deleted: set[str] = set()

    @property
    def namespace(self) -> str:
        return self._cluster.namespace

    @property
    def deadline(self) -> Deadline:
        return self._cluster.deadline

    def configs(self, set_name: str) -> Configs:
        configs = self._cluster.configs(set_name)
        left = [revision for revision in configs.revisions if revision.uid not in self._deleted]
        return configs._replace(revisions=[revision._replace(owners=self._owners(revision)) for revision in left])

    def _owners(self, revision: Revision) -> tuple[Owner, ...]:
        patch = self._patches.get(revision.uid)
        if patch is None:
            return revision.owners
        return tuple(owner for owner in (*revision.owners, *patch.add) if owner not in patch.remove)

    def consumers(self, kind: Kind, names: frozenset[str]) -> list[Consumer]:
        return self._cluster.consumers(kind, names)

    def patch_owners(self, patch: OwnerPatch) -> bool:
        self._patches[patch.revision.uid] = patch
        return True

    def delete(self, revision: Revision) -> bool:
        self._deleted.add(revision.uid)
        return True

    def secret(self, name: str) -> Revision | None:
        return self._cluster.secret(name)

    def add_secret_owner(self, secret: Revision, tracker: Owner) -> bool:  # noqa: ARG002  # no run reads it again
        return True

    def record_event(self, owner: Owner, reason: str, message: str, now: float) -> None:
        """No Events in a dry run."""
