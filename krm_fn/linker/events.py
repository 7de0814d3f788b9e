"""Events on workloads, for those who ask `kubectl describe` what happened to a revision."""

from collections.abc import Iterable

from krm_fn.linker.cluster import Cluster
from krm_fn.linker.objects import Owner, User
from krm_fn.linker.report import Change
from krm_fn.model.link_plan import LinkPlan
from krm_fn.naming.names import without_hash

_WORKLOADS = 10
"""Of how many workloads a run tells, as a thousand Events would push others out."""

_CHANGES = 5


def tell(plan: LinkPlan, users: Iterable[User], changes: list[Change], cluster: Cluster) -> None:
    """One Event for what was linked and one for what was deleted, on each planned workload it concerns."""
    owners = {user.owner[:3]: user.owner for user in users}
    based = [(without_hash(change.name), change) for change in changes]
    told = 0
    for workload in plan.workloads if based else ():
        owner = owners.get(workload[:3])
        bases = {without_hash(revision.name) for revision in workload.revisions}
        mine = [change for base, change in based if base in bases]
        if owner is None or not mine:
            continue
        if told == _WORKLOADS:
            break
        told += 1
        _tell(cluster, owner, "RevisionsLinked", [change for change in mine if not change.deleted])
        _tell(cluster, owner, "RevisionsDeleted", [change for change in mine if change.deleted])


def _tell(cluster: Cluster, owner: Owner, reason: str, changes: list[Change]) -> None:
    if changes:
        more = f", and {len(changes) - _CHANGES} more" if len(changes) > _CHANGES else ""
        cluster.record(owner, reason, "; ".join(f"{change.kind} {change}" for change in changes[:_CHANGES]) + more)
