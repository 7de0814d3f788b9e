"""Wait until the cluster has what was rendered: deployers may apply the Job before a Rollout."""

from collections.abc import Callable, Collection, Iterator

from krm_fn.base.kind import CONSUMER_KINDS
from krm_fn.base.link_plan import LinkPlan, ProducerName, RevisionName, Workload
from krm_fn.base.named_tuple import NamedTuple
from krm_fn.base.problem import listing
from krm_fn.linker.cluster import MAX_LOOKUPS, Cluster, Reader, observe, observe_workloads
from krm_fn.linker.objects import Consumer, LiveRevision, Observation, Owner
from krm_fn.linker.owners import is_left_to_kpt, plan_deletions, plan_owners
from krm_fn.linker.retry import pauses

_HISTORY_TIMEOUT = 10.0
"""Seconds for a controller to create a ReplicaSet or ControllerRevision: far more than one needs."""

PATIENCE = 5.0
"""Seconds for a deployer that applies a workload before its ConfigMap."""

_PRODUCER_TIMEOUT = 60.0
"""Seconds for a deployer that applies custom resources last."""

_LISTED = 3
"""Revisions of one workload that a line lists while it waits."""

_HISTORY = {kind.kind: kind.history for kind in CONSUMER_KINDS if kind.history}


class Missing(NamedTuple):
    """Something missing, in a sentence, and as what a run waits for: `Deployment shop/web to exist`.

    `owner`: the object that misses it, if that exists. `revision`: what is missing, if it is one.
    """

    sentence: str
    awaited: str
    owner: Owner | None = None
    revision: str = ""


class LastLook(NamedTuple):
    """The end of a wait: all that a run has seen, and what is missing in it: of the plan, and to live templates.

    `has_come`: something was missing before that is there now, and nothing links it but this run.
    """

    observation: Observation
    missing: list[Missing]
    broken: list[Missing]
    has_come: bool


def wait_for_workloads(
    plan: LinkPlan, cluster: Cluster, see: Callable[[Observation], None] = lambda _: None
) -> list[Missing]:
    """Wait until every workload references its revisions. Returns what is missing at the end.

    `see` is called with each look.

    The wait ends early where a workload references a revision that does not exist. It is not for
    workloads of a kind that cannot be read. Without a wait, a release may be under way, so that
    nothing is missing yet.
    """
    if not plan.waits:
        return []
    back_off = _pauses()
    patience_ends: float | None = None  # as seconds left
    while True:
        observation = observe_workloads(plan, cluster)
        see(observation)
        missing = _missing(plan, observation, cluster.namespace)
        left = cluster.deadline.left()
        if not missing or left <= 0:
            return missing
        if not find_broken(observation, cluster):
            patience_ends = None
        elif patience_ends is None:
            patience_ends = left - PATIENCE
        elif left <= patience_ends:
            return missing
        cluster.deadline.sleep(next(back_off), _awaited(missing))


def wait_for_history(plan: LinkPlan, cluster: Cluster) -> tuple[Observation, list[Missing]]:
    """Wait until controllers have created the history of the workloads' current templates.

    Returns the last observation, and what is missing in it.
    """
    observation = observe(plan, cluster)
    if not plan.waits:
        return observation, []
    end = cluster.deadline.left() - _HISTORY_TIMEOUT
    while missing := _missing_history(plan, observation, cluster.namespace):
        if cluster.deadline.left() <= max(end, 0):
            break
        cluster.deadline.sleep(1, _awaited(missing), cluster.deadline.left() - end)
        observation = observe(plan, cluster)
    return observation, missing


def wait_for_kpt(plan: LinkPlan, observation: Observation, cluster: Cluster) -> bool:
    """Wait until kpt has let go of the superseded revisions that are to be changed.

    False if there are none.

    kpt reads what it is about to prune, waits for the rollout, and then fails if somebody has
    changed the object.
    """
    if not plan.waits:
        return False
    changes = [
        *(patch.revision for patch in plan_owners(plan, observation)),
        *plan_deletions(plan, observation),
    ]
    pending = {
        revision.uid: revision.name
        for revision in changes
        if is_left_to_kpt(plan, observation, revision)
    }
    has_waited = bool(pending)
    back_off = _pauses()
    while pending and cluster.deadline.left() > 0:
        awaited = [
            f"kpt to let go of ConfigMap {cluster.namespace}/{name}"
            for name in sorted(pending.values())
        ]
        cluster.deadline.sleep(next(back_off), awaited)
        configs = cluster.configs(plan)
        now = observation._replace(inventory=configs.inventory)
        left = {
            revision.uid for revision in configs.revisions if is_left_to_kpt(plan, now, revision)
        }
        pending = {uid: name for uid, name in pending.items() if uid in left}
    return has_waited


def wait_for_producer(
    producer: ProducerName, plan: LinkPlan, cluster: Cluster
) -> LiveRevision | None:
    """Wait for the object, not for what it makes: it may be applied after the Job."""
    back_off = _pauses()
    end = cluster.deadline.left() - (_PRODUCER_TIMEOUT if plan.waits else 0)
    found = cluster.producer(producer, plan)
    while found is None and cluster.deadline.left() > max(end, 0):
        awaited = [f"{producer.kind.kind} {cluster.namespace}/{producer.name} to exist"]
        cluster.deadline.sleep(next(back_off), awaited, cluster.deadline.left() - end)
        found = cluster.producer(producer, plan)
    return found


def wait_for_trackers(secrets: Collection[str], plan: LinkPlan, cluster: Cluster) -> set[str]:
    """Wait for a deployer that applies trackers after Secrets, and return those that have come."""
    if not secrets:
        return set()
    awaited = [f"ConfigMap {cluster.namespace}/{name} to exist" for name in sorted(secrets)]
    cluster.deadline.sleep(PATIENCE, awaited, PATIENCE)
    return {one.name for one in cluster.configs(plan).revisions if one.is_tracker}


def look_last(
    plan: LinkPlan, missing: list[Missing], observation: Observation, cluster: Cluster
) -> LastLook:
    """Look again for what was missing; later where pods do not start or no owner is possible."""
    broken = find_broken(observation, cluster)
    is_adrift = lacks_inventory(plan, observation)
    if not missing and not broken and not is_adrift:
        return LastLook(observation, [], [], has_come=False)
    if broken or is_adrift:
        awaited = [f"ConfigMap {cluster.namespace}/{plan.inventory} to exist"] if is_adrift else []
        awaited += _awaited(broken)
        if not cluster.let_grace_pass(PATIENCE, dict.fromkeys(awaited, ""), awaited):
            return LastLook(observation, missing, broken, has_come=False)
    observation = observe(plan, cluster)
    still_missing = _missing(plan, observation, cluster.namespace) if plan.waits else []
    still_broken = find_broken(observation, cluster)
    has_come = not {*missing, *broken} <= {*still_missing, *still_broken}
    has_come |= is_adrift and not lacks_inventory(plan, observation)
    return LastLook(observation, still_missing, still_broken, has_come)


def lacks_inventory(plan: LinkPlan, observation: Observation) -> bool:
    """Tell whether a run that has waited sees revisions without the owner that they are to have."""
    return plan.waits and observation.inventory is None and bool(observation.revisions)


def finds_nothing(plan: LinkPlan, observation: Observation) -> bool:
    """Tell whether a run that has waited sees no revision that its workloads are to reference."""
    awaited = set().union(*(workload.revisions for workload in plan.workloads))
    live = {(revision.kind, revision.name) for revision in observation.existing}
    return plan.waits and bool(awaited) and awaited.isdisjoint(live)


def find_broken(observation: Observation, cluster: Reader) -> list[Missing]:
    """Find live templates that reference a revision that is missing: their pods do not start."""
    live = {revision.name for revision in observation.existing if not revision.is_tracker}
    broken: list[tuple[str, Owner]] = []
    for consumer in observation.consumers:
        if consumer.is_current and not consumer.is_being_deleted:
            broken += [(name, consumer.owner) for name in consumer.required - live]
    names = sorted({name for name, _ in broken})[:MAX_LOOKUPS]
    absent = {name for name in names if not cluster.has_config_map(name)}
    return [
        Missing(
            f"{owner.kind} {cluster.namespace}/{owner.name}: references ConfigMap/{name}, which does not exist",
            f"ConfigMap {cluster.namespace}/{name}, which {owner} references",
            owner,
            name,
        )
        for name, owner in sorted(broken)
        if name in absent
    ]


def _awaited(missing: list[Missing]) -> list[str]:
    return [one.awaited for one in missing]


def _pauses() -> Iterator[float]:
    return pauses(first=0.5, longest=5.0, factor=1.5)


def _missing(plan: LinkPlan, observation: Observation, namespace: str) -> list[Missing]:
    consumers = _by_identity(observation.consumers)
    live = {(revision.kind, revision.name) for revision in observation.existing}
    # Not all rendered revisions: those of a later sync wave are applied after this run.
    awaited: set[RevisionName] = set()
    for workload in plan.workloads:
        awaited.update(workload.revisions)
    missing = [
        Missing(
            f"{kind} {namespace}/{name}: does not exist",
            f"{kind} {namespace}/{name} to exist",
            revision=name,
        )
        for kind, name in sorted(awaited)
        if (kind, name) not in live
    ]
    unread = {(one.kind.api_version, one.kind.kind) for one in observation.unread}
    for workload in plan.workloads:
        if workload[:2] in unread:
            continue
        who = f"{workload.kind} {namespace}/{workload.name}"
        consumer = consumers.get(workload[:3])
        if consumer is None:
            missing.append(Missing(f"{who}: does not exist", f"{who} to exist"))
            continue
        absent = [
            str(revision)
            for revision in workload.revisions
            if revision.name not in consumer.references
        ]
        if absent:
            wish = f"{who} to reference {listing(absent, _LISTED, mark=',')}"
            missing.append(
                Missing(f"{who}: does not reference {', '.join(absent)}", wish, consumer.owner)
            )
    return missing


def _missing_history(plan: LinkPlan, observation: Observation, namespace: str) -> list[Missing]:
    """Find paused workloads, or those of slow controllers: their template has no history yet."""
    by_identity = _by_identity(observation.consumers)
    history: set[tuple[str, str, str]] = set()
    for consumer in observation.consumers:
        history |= {
            (consumer.controller, consumer.owner.kind, name) for name in consumer.references
        }
    unread = {one.kind.kind for one in observation.unread}
    return [
        Missing(
            f"{workload.kind} {namespace}/{workload.name}: has no {_HISTORY[workload.kind]} for its current template",
            f"a {_HISTORY[workload.kind]} for the current template of {workload.kind} {namespace}/{workload.name}",
        )
        for workload in plan.workloads
        if workload.kind in _HISTORY
        and _HISTORY[workload.kind] not in unread
        and not _has_history(workload, by_identity.get(workload[:3]), history)
    ]


def _has_history(
    workload: Workload, consumer: Consumer | None, history: set[tuple[str, str, str]]
) -> bool:
    names = {revision.name for revision in workload.revisions}
    if consumer is None or not names <= consumer.references:
        return True  # the workload itself is missing, which `wait_for_workloads` reports
    return all(
        (consumer.owner.uid, _HISTORY[workload.kind], revision.name) in history
        for revision in workload.revisions
    )


def _by_identity(consumers: list[Consumer]) -> dict[tuple[str, str, str], Consumer]:
    return {consumer.owner[:3]: consumer for consumer in consumers}
