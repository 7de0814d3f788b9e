"""Read the revisions of a set and their consumers from the cluster."""

from collections.abc import Iterable

from krm_fn.linker.api import NOT_LISTED, NotServed, Refused
from krm_fn.linker.cluster import Reader
from krm_fn.linker.objects import Consumer, Names, Observation, Unread
from krm_fn.model.kinds import ADD_ON_KINDS, CONSUMER_KINDS, Kind
from krm_fn.model.link_plan import LinkPlan


def observe(plan: LinkPlan, cluster: Reader) -> Observation:
    """Read every object that may reference a revision of the set."""
    # Pods last, as templates are edited: one that has started before is found here, and no later one references more.
    kinds = sorted((*CONSUMER_KINDS, *plan.kinds), key=lambda kind: kind.kind == "Pod")
    return _observe_kinds(plan, cluster, kinds)


def observe_workloads(plan: LinkPlan, cluster: Reader) -> Observation:
    """Read only the kinds of the planned workloads, which is cheap enough to be repeated while waiting."""
    planned = {(workload.api_version, workload.kind) for workload in plan.workloads}
    kinds = [kind for kind in (*CONSUMER_KINDS, *plan.kinds) if (kind.api_version, kind.kind) in planned]
    return _observe_kinds(plan, cluster, kinds)


def _observe_kinds(plan: LinkPlan, cluster: Reader, kinds: Iterable[Kind]) -> Observation:
    revisions, inventory, now = cluster.configs(plan)
    names = Names.of({revision.name for revision in revisions} | {revision.name for revision in plan.rendered})
    consumers: list[Consumer] = []
    made = {(one.kind.kind, one.name): frozenset(made.name for made in one.revisions) for one in plan.producers}
    unread = []
    for kind in kinds:
        try:
            for consumer in cluster.consumers(kind, names):
                own = made.get((consumer.owner.kind, consumer.owner.name), frozenset())
                consumers.append(consumer._replace(references=consumer.references - own) if own else consumer)
        except NOT_LISTED as error:
            if not _is_absent(kind, plan, error):
                unread.append(Unread(kind, str(error), is_served=not isinstance(error, NotServed)))
    if inventory and inventory.is_being_deleted:
        inventory = None
    whole = [*_with_pods([*_with_borrowed_templates(consumers)])]
    return Observation(revisions, inventory, whole, now, tuple(unread))


def _is_absent(kind: Kind, plan: LinkPlan, error: Refused) -> bool:
    """Tell whether a kind that cannot be listed has no objects: one of Argo Rollouts that the plan does not show."""
    planned = {workload[:2] for workload in plan.workloads} | {one[:2] for one in plan.kinds}
    if kind not in ADD_ON_KINDS:
        return False
    if isinstance(error, NotServed):
        return (kind.api_version, kind.kind) not in planned
    return not any(version.startswith(f"{kind.group}/") for version, _ in planned)


def _with_borrowed_templates(consumers: list[Consumer]) -> Iterable[Consumer]:
    """Add what another object's template references: a Rollout may take its template from a Deployment."""
    references = {(consumer.owner.kind, consumer.owner.name): consumer.references for consumer in consumers}
    for consumer in consumers:
        source = consumer.template_source
        borrowed = references.get(source, frozenset()) if source else frozenset()
        yield consumer._replace(references=consumer.references | borrowed) if borrowed else consumer


def _with_pods(consumers: list[Consumer]) -> Iterable[Consumer]:
    """Let each controller reference what its pods reference, as its template may have been edited since they started.

    So it becomes an owner instead of its pods, which are many. What the controller's template or its history
    references is theirs already. A pod whose controller has not been read speaks for itself, if nobody else does.
    """
    others = [consumer for consumer in consumers if not _is_pod(consumer)]
    uids = {consumer.owner.uid for consumer in others}
    by_others = frozenset[str]().union(*(consumer.references for consumer in others))
    by_pods: dict[str, set[str]] = {pod.controller: set() for pod in filter(_is_pod, consumers) if pod.controller}
    for pod in filter(_is_pod, consumers):
        if pod.controller in uids:
            by_pods[pod.controller] |= pod.references
        elif pod.can_own or not pod.references <= by_others:
            yield pod
    for consumer in others:
        for uid in by_pods.keys() & {consumer.owner.uid, consumer.controller}:
            by_pods[uid] -= consumer.references
    for consumer in others:
        more = by_pods.get(consumer.owner.uid)
        yield consumer._replace(references=consumer.references | more) if more else consumer


def _is_pod(consumer: Consumer) -> bool:
    return consumer.owner.kind == "Pod"
