"""Read the revisions of a set and their consumers from the cluster."""

from collections.abc import Iterable
from typing import NamedTuple

from krm_fn.linker.cluster import Cluster
from krm_fn.linker.objects import Consumer, Revision
from krm_fn.model.kinds import CONSUMER_KINDS, Kind
from krm_fn.model.link_plan import LinkPlan


class Observation(NamedTuple):
    """Revisions and their consumers.

    Revisions are read first. So an object that is not among the consumers of a revision did not reference it when the
    revision was read. `now` is the time by the API server's clock, in Unix seconds.
    """

    revisions: list[Revision]
    consumers: list[Consumer]
    now: float


def observe(plan: LinkPlan, cluster: Cluster) -> Observation:
    """Read every object that may reference a revision of the set."""
    return _observe_kinds(plan, cluster, (*CONSUMER_KINDS, *plan.kinds))


def observe_workloads(plan: LinkPlan, cluster: Cluster) -> Observation:
    """Read only the kinds of the planned workloads, which is cheap enough to be repeated while waiting."""
    planned = {(workload.api_version, workload.kind) for workload in plan.workloads}
    kinds = [kind for kind in (*CONSUMER_KINDS, *plan.kinds) if (kind.api_version, kind.kind) in planned]
    return _observe_kinds(plan, cluster, kinds)


def _observe_kinds(plan: LinkPlan, cluster: Cluster, kinds: Iterable[Kind]) -> Observation:
    revisions, inventories, now = cluster.configs(plan.set)
    names = frozenset({revision.name for revision in revisions} | {revision.name for revision in plan.rendered})
    consumers = [consumer for kind in kinds for consumer in cluster.consumers(kind, names)]
    return Observation(revisions, [*inventories, *_with_borrowed_templates(consumers)], now)


def _with_borrowed_templates(consumers: list[Consumer]) -> Iterable[Consumer]:
    """Add what another object's template references: a Rollout may take its template from a Deployment."""
    references = {(consumer.owner.kind, consumer.owner.name): consumer.references for consumer in consumers}
    for consumer in consumers:
        source = consumer.template_source
        borrowed = references.get(source, frozenset()) if source else frozenset()
        yield consumer._replace(references=consumer.references | borrowed) if borrowed else consumer
