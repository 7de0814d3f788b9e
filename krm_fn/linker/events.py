"""Record Events on workloads, so that `kubectl describe` shows what happened to their revisions."""

from krm_fn.linker.cluster import Cluster
from krm_fn.linker.objects import Owner
from krm_fn.linker.observe import Observation
from krm_fn.linker.report import Change
from krm_fn.model.link_plan import LinkPlan
from krm_fn.naming.names import without_hash

_MAX_WORKLOADS = 10
"""Workloads that get Events in one run: a thousand Events would displace those of others."""

_MAX_CHANGES = 5
"""Changes that one Event lists."""


def record_events(plan: LinkPlan, observation: Observation, changes: list[Change], cluster: Cluster) -> None:
    """Record the changes of each planned workload's revisions: one Event for new owners, one for deletions."""
    owners = {consumer.owner[:3]: consumer.owner for consumer in observation.consumers}
    recorded = 0
    for workload in plan.workloads:
        owner = owners.get(workload[:3])
        bases = {without_hash(revision.name) for revision in workload.revisions}
        concerned = [change for change in changes if without_hash(change.name) in bases]
        if owner is None or not concerned:
            continue
        if recorded == _MAX_WORKLOADS:
            break
        recorded += 1
        linked = [change for change in concerned if not change.deleted]
        deleted = [change for change in concerned if change.deleted]
        _record(cluster, owner, "RevisionsLinked", linked, observation.now)
        _record(cluster, owner, "RevisionsDeleted", deleted, observation.now)


def _record(cluster: Cluster, owner: Owner, reason: str, changes: list[Change], now: float) -> None:
    if changes:
        more = f", and {len(changes) - _MAX_CHANGES} more" if len(changes) > _MAX_CHANGES else ""
        message = "; ".join(f"{change.kind} {change}" for change in changes[:_MAX_CHANGES]) + more
        cluster.record_event(owner, reason, message, now)
