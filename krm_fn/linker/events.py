"""Record Events, so that `kubectl describe` shows what happened to the revisions, and what is wrong."""

from krm_fn.linker.cluster import Cluster
from krm_fn.linker.listing import listing
from krm_fn.linker.objects import Observation, Owner
from krm_fn.linker.report import Change, Report
from krm_fn.model.link_plan import LinkPlan
from krm_fn.naming.names import without_hash

_MAX_EVENTS = 10
"""Events of one sort in one run: a thousand Events would displace those of others."""

_MAX_CHANGES = 5
"""Changes that one Event lists."""


def record_events(plan: LinkPlan, observation: Observation, report: Report, cluster: Cluster) -> None:
    """Record new owners on the workloads, deletions on the inventory, and problems on the object that has them.

    A problem without such an object is recorded on the Job of this run, or on the inventory.
    """
    linked = [change for change in report.changes if not change.deleted]
    for owner, changes in _by_workload(plan, observation, linked)[:_MAX_EVENTS]:
        cluster.record_event(owner, "RevisionsLinked", _list(changes), observation.now)
    inventory = observation.inventory.owner if observation.inventory else None
    deleted = [change for change in report.changes if change.deleted]
    if inventory and deleted:
        for part in _in_parts(deleted):
            cluster.record_event(inventory, "RevisionsDeleted", _list(part), observation.now)
    job = _own_job(plan, observation) or inventory
    for problem in report.problems[:_MAX_EVENTS]:
        concerned = problem.owner or job
        if concerned:
            cluster.record_event(concerned, problem.reason, problem.sentence, observation.now, is_warning=True)


def _by_workload(plan: LinkPlan, observation: Observation, changes: list[Change]) -> list[tuple[Owner, list[Change]]]:
    """Return the planned workloads that exist, each with the changes of its revisions, if there are any."""
    owners = {consumer.owner[:3]: consumer.owner for consumer in observation.consumers}
    found = []
    for workload in plan.workloads:
        owner = owners.get(workload[:3])
        bases = {without_hash(revision.name) for revision in workload.revisions}
        concerned = [change for change in changes if without_hash(change.name) in bases]
        if owner and concerned:
            found.append((owner, concerned))
    return found


def _in_parts(changes: list[Change]) -> list[list[Change]]:
    """Split the changes into as many as fit into an Event; the last part holds all others."""
    starts = range(0, len(changes), _MAX_CHANGES)
    parts = [changes[start : start + _MAX_CHANGES] for start in starts[: _MAX_EVENTS - 1]]
    rest = changes[_MAX_CHANGES * (_MAX_EVENTS - 1) :]
    return [*parts, rest] if rest else parts


def _list(changes: list[Change]) -> str:
    return listing([f"{change.kind} {change}" for change in changes], _MAX_CHANGES)


def _own_job(plan: LinkPlan, observation: Observation) -> Owner | None:
    arguments = tuple(plan.to_arguments())
    jobs = [consumer.owner for consumer in observation.consumers if consumer.arguments == arguments]
    return jobs[-1] if jobs else None
