"""Wait until the cluster has what was rendered: deployers may apply the Job before a Rollout."""

from krm_fn.linker.cluster import Cluster
from krm_fn.linker.objects import Consumer
from krm_fn.linker.observe import Observation, observe, observe_workloads
from krm_fn.model.kinds import CONSUMER_KINDS
from krm_fn.model.link_plan import LinkPlan, Workload

_FIRST_PAUSE, _LONGEST_PAUSE = 0.5, 5.0

_HISTORY_TIMEOUT = 10.0
"""Seconds for a controller to create a ReplicaSet or ControllerRevision: far more than one needs."""

_HISTORY = {kind.kind: kind.history for kind in CONSUMER_KINDS if kind.history}


def wait_for_workloads(plan: LinkPlan, cluster: Cluster) -> list[str]:
    """Wait until every workload references its revisions. Returns what is missing at the deadline, in sentences."""
    pause = _FIRST_PAUSE
    while missing := _missing(plan, observe_workloads(plan, cluster), cluster.namespace):
        if cluster.deadline.left() <= 0:
            return missing
        cluster.deadline.sleep(pause)
        pause = min(pause * 1.5, _LONGEST_PAUSE)
    return []


def wait_for_history(plan: LinkPlan, cluster: Cluster) -> tuple[Observation, list[str]]:
    """Wait until controllers have created the history of the workloads' current templates.

    Returns the last observation, and what is missing in it, in sentences.
    """
    observation = observe(plan, cluster)
    end = cluster.deadline.left() - _HISTORY_TIMEOUT
    while missing := _missing_history(plan, observation.consumers, cluster.namespace):
        if cluster.deadline.left() <= max(end, 0):
            break
        cluster.deadline.sleep(1)
        observation = observe(plan, cluster)
    return observation, missing


def _missing(plan: LinkPlan, observation: Observation, namespace: str) -> list[str]:
    consumers = _by_identity(observation.consumers)
    live = {(revision.kind, revision.name) for revision in observation.revisions}
    # Not all rendered revisions: those of a later sync wave are applied after this run.
    awaited = {revision for workload in plan.workloads for revision in workload.revisions}
    sentences = [
        f"{kind} {namespace}/{name}: does not exist" for kind, name in sorted(awaited) if (kind, name) not in live
    ]
    for workload in plan.workloads:
        consumer = consumers.get(workload[:3])
        if consumer is None:
            sentences.append(f"{workload.kind} {namespace}/{workload.name}: does not exist")
            continue
        absent = [str(revision) for revision in workload.revisions if revision.name not in consumer.references]
        if absent:
            sentences.append(f"{workload.kind} {namespace}/{workload.name}: does not reference {', '.join(absent)}")
    return sentences


def _missing_history(plan: LinkPlan, consumers: list[Consumer], namespace: str) -> list[str]:
    """Find workloads that are paused or whose controller is slow: their current template has no history yet."""
    by_identity = _by_identity(consumers)
    history = {
        (consumer.controller, consumer.owner.kind, name) for consumer in consumers for name in consumer.references
    }
    return [
        f"{workload.kind} {namespace}/{workload.name}: has no {_HISTORY[workload.kind]} for its current template"
        for workload in plan.workloads
        if workload.kind in _HISTORY and not _has_history(workload, by_identity.get(workload[:3]), history)
    ]


def _has_history(workload: Workload, consumer: Consumer | None, history: set[tuple[str, str, str]]) -> bool:
    if consumer is None or not consumer.references.issuperset(revision.name for revision in workload.revisions):
        return True  # the workload itself is missing, which `wait_for_workloads` reports
    return all(
        (consumer.owner.uid, _HISTORY[workload.kind], revision.name) in history for revision in workload.revisions
    )


def _by_identity(consumers: list[Consumer]) -> dict[tuple[str, str, str], Consumer]:
    return {consumer.owner[:3]: consumer for consumer in consumers}
