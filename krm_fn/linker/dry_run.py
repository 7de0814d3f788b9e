"""Run without writing: record the changes instead, and show the cluster as it would be after them."""

from krm_fn.linker.cluster import Cluster, Configs
from krm_fn.linker.objects import Consumer, Names, Owner, Revision
from krm_fn.linker.owners import RevisionPatch
from krm_fn.linker.retry import Deadline
from krm_fn.model.kinds import Kind
from krm_fn.model.link_plan import LinkPlan, MakerName


class DryRun:
    """A `Cluster` that reads from another one and never writes to it."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._patches: dict[str, list[RevisionPatch]] = {}
        self._deleted: set[str] = set()

    @property
    def namespace(self) -> str:
        return self._cluster.namespace

    @property
    def deadline(self) -> Deadline:
        return self._cluster.deadline

    def configs(self, plan: LinkPlan) -> Configs:
        configs = self._cluster.configs(plan)
        left = [revision for revision in configs.revisions if revision.uid not in self._deleted]
        return configs._replace(revisions=[self._patched(revision) for revision in left])

    def _patched(self, revision: Revision) -> Revision:
        for patch in self._patches.get(revision.uid, []):
            revision = patch._replace(revision=revision).result
        return revision

    def has_config_map(self, name: str) -> bool:
        return self._cluster.has_config_map(name)

    def consumers(self, kind: Kind, names: Names) -> list[Consumer]:
        return self._cluster.consumers(kind, names)

    def patch(self, patch: RevisionPatch) -> str:
        self._patches.setdefault(patch.revision.uid, []).append(patch)
        return patch.revision.resource_version

    def delete(self, revision: Revision) -> bool:
        self._deleted.add(revision.uid)
        return True

    def secret(self, name: str, plan: LinkPlan) -> Revision | None:
        return self._cluster.secret(name, plan)

    def patch_secret(self, patch: RevisionPatch) -> bool:  # noqa: ARG002  # no run reads it again
        return True

    def maker(self, maker: MakerName, plan: LinkPlan) -> Revision | None:
        return self._cluster.maker(maker, plan)

    def own_maker(self, maker: MakerName, revision: Revision, owners: tuple[Owner, ...]) -> bool:  # noqa: ARG002  # as above
        return True

    def record_event(self, owner: Owner, reason: str, message: str, now: float, *, is_warning: bool = False) -> None:
        """No Events in a dry run."""
