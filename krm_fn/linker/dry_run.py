"""A cluster that is read and never written."""

from krm_fn.linker.cluster import Cluster, Configs
from krm_fn.linker.objects import Owner, Revision, User
from krm_fn.linker.owners import OwnerPatch
from krm_fn.linker.retry import Deadline
from krm_fn.model.kinds import Kind


class DryRun:
    """Remembers what was to be written, and shows the cluster as it would be."""

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
        live, rosters = self._cluster.configs(set_name)
        left = [one for one in live if one.uid not in self._deleted]
        return Configs([one._replace(owners=self._owners(one)) for one in left], rosters)

    def _owners(self, revision: Revision) -> tuple[Owner, ...]:
        patch = self._patches.get(revision.uid)
        if patch is None:
            return revision.owners
        return tuple(owner for owner in (*revision.owners, *patch.add) if owner not in patch.remove)

    def users(self, kind: Kind, wanted: frozenset[str]) -> list[User]:
        return self._cluster.users(kind, wanted)

    def now(self) -> float:
        return self._cluster.now()

    def patch_owners(self, patch: OwnerPatch) -> bool:
        self._patches[patch.revision.uid] = patch
        return True

    def delete(self, revision: Revision) -> bool:
        self._deleted.add(revision.uid)
        return True

    def secret(self, name: str) -> Revision | None:
        return self._cluster.secret(name)

    def own_secret(self, secret: Revision, tag: Owner) -> bool:  # noqa: ARG002  # the Secret is not looked at again
        return True

    def record(self, owner: Owner, reason: str, message: str) -> None:
        """Nothing was done that anybody need be told of."""
