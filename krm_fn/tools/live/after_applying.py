"""Find the fate of live revisions once a rendering is applied: the linker's own plan says that."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import TypeAlias

from krm_fn.base import keys
from krm_fn.base.item import listed_revisions
from krm_fn.base.kind import CONSUMER_KINDS
from krm_fn.base.link_plan import LinkPlan
from krm_fn.base.named_tuple import NamedTuple
from krm_fn.base.node import plain_value
from krm_fn.linker.objects import Consumer, Inventory, Owner
from krm_fn.linker.read import mapping, possible_names
from krm_fn.report.object_change import Removal, RemovalOutcome
from krm_fn.tools.common.revision_history import History, Referrer, Retention, RevisionHistory
from krm_fn.tools.diff.pair import Release
from krm_fn.tools.history.ask import SetSnapshot, Snapshot, find_history

_DELETED = (Retention.NEXT_RUN, Retention.YOUNG, Retention.LEFT_TO_KPT)
"""A run deletes it, the next one or, once it is old enough, a later one."""

_KNOWN = frozenset(kind.group_kind for kind in CONSUMER_KINDS)

Fates: TypeAlias = Mapping[tuple[str, str, str], RevisionHistory]
"""The fate of a revision for the history, by kind, namespace and name."""


def find_history_after(snapshot: Snapshot, new: Release) -> History:
    """Find the history as it is once the rendering is applied, and before a controller has done anything for it."""
    applied = tuple(_apply(one, snapshot, new) for one in snapshot.sets)
    return find_history(snapshot._replace(sets=applied))


def _apply(one: SetSnapshot, snapshot: Snapshot, new: Release) -> SetSnapshot:
    """Let the inventory list what is rendered, and each rendered object reference what it is rendered with."""
    plan, observation = one.plan, one.observation
    inventory = observation.inventory or Inventory(
        Owner("v1", "ConfigMap", plan.inventory, plan.inventory), references=frozenset()
    )
    inventory = inventory._replace(references=_find_listed(plan.set, snapshot.namespace, new))
    return one._replace(
        # The Job of what was rendered before says nothing any more.
        plan=LinkPlan(plan.set, plan.timeout, plan.minimum_age, kinds=plan.kinds),
        observation=observation._replace(
            inventory=inventory, consumers=[*_follow(one, snapshot, new)]
        ),
    )


def _find_listed(set_name: str, namespace: str, new: Release) -> frozenset[str]:
    listed: set[str] = set()
    for item in new.package.emitted:
        if (item.labels.get(keys.SET), new.package.namespace_of(item)) == (set_name, namespace):
            listed |= listed_revisions(item)
    return frozenset(listed)


def _follow(one: SetSnapshot, snapshot: Snapshot, new: Release) -> Iterator[Consumer]:
    """Yield the consumers with what they reference then. Pods go on to run with what they have started with."""
    rendered = {
        (item.id.group, item.id.kind, item.id.name): item
        for item in new.package.authored
        if new.package.namespace_of(item) == snapshot.namespace
    }
    read_by_pods: dict[str, set[str]] = defaultdict(set)
    for pod in snapshot.pods or ():
        read_by_pods[pod.controller] |= pod.references
    for consumer in one.observation.consumers:
        owner = consumer.owner
        item = rendered.get((owner.group, owner.kind, owner.name))
        if item is None:
            yield consumer  # such as a ReplicaSet
            continue
        has_pod_spec = owner.group_kind in _KNOWN
        words = possible_names(mapping(plain_value(item.node)), has_pod_spec=has_pod_spec)
        found = read_by_pods[owner.uid].union(words)
        yield consumer._replace(references=frozenset(found & one.bases.keys()))


class Superseded(NamedTuple):
    """A revision that the rendering replaces or drops.

    `rollouts`: after how many more its history has lost it, if a live template references it; None for any other.
    """

    kind: str
    namespace: str
    name: str
    rollouts: int | None


def find_live_fate(said: Removal, one: Superseded, fates: Fates) -> Removal:
    """Return the fate as the linker's plan has it. `said`: the fate by what the live templates alone tell."""
    if said.outcome not in (RemovalOutcome.KEPT, RemovalOutcome.UNUSED):
        return said
    # The controller of such a workload keeps the old template, and maybe has not noted it yet.
    found = fates.get(one[:3]) if one.rollouts is None else None
    if found is None or found.fate is Retention.RENDERED:
        return said._replace(rollouts=one.rollouts)
    if found.fate in _DELETED:
        return said._replace(outcome=RemovalOutcome.UNUSED, users=())
    left = [one.rollouts_left for one in found.referrers if one.rollouts_left is not None]
    return said._replace(
        outcome=RemovalOutcome.KEPT,
        users=said.users or tuple(sorted({*map(_user, found.referrers)})),
        rollouts=max(left, default=None),
    )


def _user(referrer: Referrer) -> str:
    return referrer.of or str(referrer)
