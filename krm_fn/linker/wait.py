"""Wait until the cluster is where the rendering wants it. Deployers apply the Job before a Rollout."""

from krm_fn.linker.cluster import Cluster
from krm_fn.linker.objects import User
from krm_fn.linker.observe import Seen, observe, observe_workloads
from krm_fn.model.kinds import CONSUMER_KINDS
from krm_fn.model.link_plan import LinkPlan, Workload

_FIRST_PAUSE, _LONGEST_PAUSE = 0.5, 5.0

_FOR_HISTORY = 10.0
"""Seconds for a controller to make a ReplicaSet or ControllerRevision of a template; far more than one needs."""

_HISTORY = {kind.kind: kind.history for kind in CONSUMER_KINDS if kind.history}


def wait_for_workloads(plan: LinkPlan, cluster: Cluster) -> list[str]:
    """Until every workload names what was rendered for it; what is missing at the deadline, in sentences."""
    pause = _FIRST_PAUSE
    while missing := _missing(plan, observe_workloads(plan, cluster), cluster.namespace):
        if cluster.deadline.left() <= 0:
            return missing
        cluster.deadline.sleep(pause)
        pause = min(pause * 1.5, _LONGEST_PAUSE)
    return []


def wait_for_history(plan: LinkPlan, cluster: Cluster) -> tuple[Seen, list[str]]:
    """The namespace once controllers have had time to follow, and what they have not made."""
    seen = observe(plan, cluster)
    end = cluster.deadline.left() - _FOR_HISTORY
    while (unborn := _unborn(plan, seen.users, cluster.namespace)) and cluster.deadline.left() > max(end, 0):
        cluster.deadline.sleep(1)
        seen = observe(plan, cluster)
    return seen, unborn


def _missing(plan: LinkPlan, seen: Seen, namespace: str) -> list[str]:
    users = _by_identity(seen.users)
    live = {(revision.kind, revision.name) for revision in seen.revisions}
    awaited = {revision for workload in plan.workloads for revision in workload.revisions}
    # Not all that is rendered: a later wave comes once this run is over.
    sentences = [
        f"{kind} {namespace}/{name}: does not exist" for kind, name in sorted(awaited) if (kind, name) not in live
    ]
    for workload in plan.workloads:
        user = users.get(workload[:3])
        if user is None:
            sentences.append(f"{workload.kind} {namespace}/{workload.name}: does not exist")
        else:
            absent = [str(revision) for revision in workload.revisions if revision.name not in user.names]
            if absent:
                sentences.append(f"{workload.kind} {namespace}/{workload.name}: does not name {', '.join(absent)}")
    return sentences


def _unborn(plan: LinkPlan, users: list[User], namespace: str) -> list[str]:
    """Workloads whose present template nothing has been made of: paused, or their controller is slow."""
    by_identity = _by_identity(users)
    made = {(user.controller, user.owner.kind, name) for user in users for name in user.names}
    return [
        f"{workload.kind} {namespace}/{workload.name}: has no {_HISTORY[workload.kind]} of its present template"
        for workload in plan.workloads
        if workload.kind in _HISTORY and not _is_made(workload, by_identity.get(workload[:3]), made)
    ]


def _is_made(workload: Workload, user: User | None, made: set[tuple[str, str, str]]) -> bool:
    if user is None or not user.names.issuperset(revision.name for revision in workload.revisions):
        return True  # it is not there yet itself, which is said elsewhere
    return all((user.owner.uid, _HISTORY[workload.kind], revision.name) in made for revision in workload.revisions)


def _by_identity(users: list[User]) -> dict[tuple[str, str, str], User]:
    return {user.owner[:3]: user for user in users}
