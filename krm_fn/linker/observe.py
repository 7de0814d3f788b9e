"""One look at the namespace."""

from collections.abc import Iterable
from typing import NamedTuple

from krm_fn.linker.cluster import Cluster
from krm_fn.linker.objects import Revision, User
from krm_fn.model.kinds import CONSUMER_KINDS, Kind
from krm_fn.model.link_plan import LinkPlan


class Seen(NamedTuple):
    """Revisions first, then their users: who is not among the latter did not name the former."""

    revisions: list[Revision]
    users: list[User]


def observe(plan: LinkPlan, cluster: Cluster) -> Seen:
    """Everything that may name a revision of the set."""
    return _look(plan, cluster, (*CONSUMER_KINDS, *plan.kinds))


def observe_workloads(plan: LinkPlan, cluster: Cluster) -> Seen:
    """Only the kinds of the planned workloads: little enough to be asked for again and again."""
    planned = {(workload.api_version, workload.kind) for workload in plan.workloads}
    kinds = [kind for kind in (*CONSUMER_KINDS, *plan.kinds) if (kind.api_version, kind.kind) in planned]
    return _look(plan, cluster, kinds)


def _look(plan: LinkPlan, cluster: Cluster, kinds: Iterable[Kind]) -> Seen:
    revisions, rosters = cluster.configs(plan.set)
    wanted = frozenset({one.name for one in revisions} | {one.name for one in plan.rendered})
    users = [user for kind in kinds for user in cluster.users(kind, wanted)]
    return Seen(revisions, [*rosters, *_with_templates(users)])


def _with_templates(users: list[User]) -> Iterable[User]:
    """A Rollout that takes its template from a Deployment names what that names."""
    names = {(user.owner.kind, user.owner.name): user.names for user in users}
    for user in users:
        borrowed = names.get(user.template, frozenset()) if user.template else frozenset()
        yield user._replace(names=user.names | borrowed) if borrowed else user
