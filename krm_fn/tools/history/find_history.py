"""From what is live to the history of each set.

The linker's own plan says what becomes of a revision.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from krm_fn.base import keys
from krm_fn.base.item import collect
from krm_fn.base.kind import CONSUMER_KINDS, consumer_named
from krm_fn.base.named_tuple import NamedTuple
from krm_fn.core.names.names import without_hash
from krm_fn.linker.api import Forbidden
from krm_fn.linker.objects import Consumer, LiveRevision, Owner
from krm_fn.linker.owners import (
    Keeper,
    by_referenced_name,
    find_abandoned,
    find_keepers,
    find_unreleased,
    find_unseen,
    is_left_to_kpt,
    linker_owners,
    plan_leaks,
    plan_owners,
    rendered_names,
)
from krm_fn.tools.common.kept import Holder, Kept
from krm_fn.tools.common.revision_history import (
    History,
    Pods,
    Referrer,
    Retention,
    RevisionHistory,
    Role,
    SetHistory,
    Template,
    Unseen,
    WayBack,
    WorkloadHistory,
)
from krm_fn.tools.history.snapshot import LiveObject, Pod, Progress, SetSnapshot, Snapshot

_ADD_ONS = "argoproj.io"


def find_history(snapshot: Snapshot) -> History:
    """Tell of every revision who references it, how many pods run it, and what the linker does with it."""
    live = _Live(snapshot)
    sets = tuple(_find_set(one, live) for one in snapshot.sets)
    return History(snapshot.namespace, snapshot.now, sets, tuple(_find_unseen(snapshot)))


def _find_set(one: SetSnapshot, live: "_Live") -> SetHistory:
    consumers = by_referenced_name(one.observation.consumers)
    entries = [*_find_existing(one, consumers, live), *_find_absent(one, consumers, live)]
    return SetHistory(
        one.plan.set,
        tuple(sorted(entries, key=_place)),
        tuple(_find_workloads(one, live)),
        has_inventory=one.observation.inventory is not None,
        job=one.job,
        leaks=tuple(plan_leaks(one.plan, one.observation)),
        abandoned=tuple(revision.name for revision in find_abandoned(one.plan, one.observation)),
        kept=tuple(_find_kept(one, entries, live)),
        is_shared=one.is_shared,
        to_release=_find_unreleased(one) if one.observation.is_leaving else None,
    )


def _find_unreleased(one: SetSnapshot) -> tuple[str, ...]:
    """Return the revisions that would still go with something, once the inventory is gone."""
    held = {*find_unreleased(one.plan, one.observation)}
    listed = rendered_names(one.plan, one.observation)
    for revision in one.observation.revisions:
        # A later run may not touch a Secret of an earlier rendering.
        if revision.owns_secret and revision.name in listed:
            held.add(revision.name)
    return tuple(sorted(held))


def _place(entry: RevisionHistory) -> tuple[str, str, bool, float, str]:
    """Sort by base name and kind; what does not exist first, then the newest."""
    return entry.base, entry.kind, entry.created is not None, -(entry.created or 0.0), entry.name


def _find_existing(
    one: SetSnapshot, consumers: Mapping[str, list[Consumer]], live: "_Live"
) -> Iterator[RevisionHistory]:
    plan, observation = one.plan, one.observation
    to_link = {patch.revision.uid: patch.add for patch in plan_owners(plan, observation)}
    for revision, keepers in find_keepers(plan, observation):
        linkers = linker_owners(plan, observation, revision)  # any other owner is somebody else's
        referring = consumers.get(revision.name, [])
        referrers = _find_referrers(referring, live)
        fate = _find_fate(one, revision, keepers, referrers)
        yield RevisionHistory(
            revision.kind,
            revision.name,
            one.bases[revision.name],
            revision.created,
            fate,
            is_rendered=Keeper.RENDERED in keepers,
            is_awaited=_is_awaited(referring, live),
            referrers=referrers,
            pods=live.pods_with(revision.name),
            last=_find_last(referrers) if fate is Retention.HISTORY else (),
            due=revision.created + plan.minimum_age if fate is Retention.YOUNG else None,
            owners=tuple(map(str, revision.owners)),
            foreign=tuple(str(owner) for owner in revision.owners if owner not in linkers),
            to_link=() if revision.is_retained else tuple(map(str, to_link.get(revision.uid, ()))),
            is_linked=bool(linkers) or revision.is_retained or observation.inventory is None,
            is_marked=not revision.is_wanted and fate is Retention.NEXT_RUN,
            is_incomplete=bool(observation.unread),
            made_by=revision.made_by
            if revision.made_by != f"{revision.kind}/{revision.name}"
            else "",
            unseen=tuple(
                f"{kind.api_version}/{kind.kind}"
                for kind in find_unseen(plan, observation, revision)
            ),
        )


def _find_absent(
    one: SetSnapshot, consumers: Mapping[str, list[Consumer]], live: "_Live"
) -> Iterator[RevisionHistory]:
    """Tell of what is rendered or needed and does not exist."""
    rendered = rendered_names(one.plan, one.observation)
    kinds = {revision.name: revision.kind for revision in one.plan.rendered}
    for name in sorted({*rendered, *one.absent} - one.bases.keys() - {""}):
        uids = one.absent.get(name, ())
        needing = [consumer for consumer in one.observation.consumers if consumer.owner.uid in uids]
        yield RevisionHistory(
            kinds.get(name, "ConfigMap"),
            name,
            without_hash(name),
            None,
            Retention.MISSING if needing else Retention.NOT_APPLIED,
            is_rendered=name in rendered,
            referrers=_find_referrers(needing or consumers.get(name, []), live),
            pods=live.pods_with(name),
        )


def _find_fate(
    one: SetSnapshot,
    revision: LiveRevision,
    keepers: frozenset[Keeper],
    referrers: Sequence[Referrer],
) -> Retention:
    """Say what becomes of a revision: the first that holds, so that pods which run it are told before its owners."""
    rules = (
        (Keeper.RETAINED in keepers, Retention.RETAINED),
        (Keeper.RENDERED in keepers, Retention.RENDERED),
        (any(referrer.is_in_use for referrer in referrers), Retention.IN_USE),
        (Keeper.FOREIGN_OWNER in keepers, Retention.FOREIGN_OWNER),
        (Keeper.UNLINKED_TRACKER in keepers, Retention.LEAK),
        (bool(referrers), Retention.HISTORY),
        (Keeper.UNSEEN in keepers, Retention.UNSEEN_KIND),
        (bool(one.observation.unread), Retention.UNKNOWN),
        (one.observation.inventory is None, Retention.NO_INVENTORY),
        (is_left_to_kpt(one.plan, one.observation, revision), Retention.LEFT_TO_KPT),
        (Keeper.YOUNG in keepers, Retention.YOUNG),
    )
    return next((fate for holds, fate in rules if holds), Retention.NEXT_RUN)


def _find_last(referrers: Iterable[Referrer]) -> tuple[Referrer, ...]:
    """Return the object that each workload keeps longest, and all objects that belong to none."""
    last = {
        one.of or str(one): one
        for one in sorted(referrers, key=lambda one: (one.number, one.created))
    }
    return tuple(sorted(last.values(), key=lambda one: (one.kind, one.name)))


def _find_referrers(consumers: Iterable[Consumer], live: "_Live") -> tuple[Referrer, ...]:
    found = [_find_referrer(consumer, live) for consumer in consumers]
    return tuple(
        sorted(
            found,
            key=lambda one: (not one.is_current, bool(one.of), -one.created, one.kind, one.name),
        )
    )


def _find_referrer(consumer: Consumer, live: "_Live") -> Referrer:
    owner = consumer.owner
    found = live.objects.get(owner.uid) or LiveObject(owner.kind, owner.name, owner.uid, 0.0)
    is_made = bool(found.controller) and bool(consumer_named(found.kind).template_copy)
    return Referrer(
        owner.kind,
        owner.name,
        found.created,
        of="/".join(found.made_by) if is_made else "",
        role=live.roles.get(found.uid),
        number=found.number if is_made else 0,
        is_current=consumer.is_current,
        pods=live.pods_of(found),
        rollouts_left=live.rollouts_left.get(found.uid),
    )


def _is_awaited(consumers: Sequence[Consumer], live: "_Live") -> bool:
    """Tell whether only workloads want a revision whose controllers have not created anything for it yet."""
    wanting = [live.objects.get(one.owner.uid) for one in consumers if one.is_current]
    has_started = any(
        live.roles.get(one.owner.uid, Role.PAST) is not Role.PAST for one in consumers
    )
    return (
        bool(wanting)
        and not has_started
        and all(_is_seen_to_roll(one, live.snapshot) for one in wanting)
    )


def _is_seen_to_roll(workload: LiveObject | None, snapshot: Snapshot) -> bool:
    """Tell whether the object is a workload, and whether what its controller makes could be listed."""
    if workload is None or workload.progress is None:
        return False
    return all(consumer_named(workload.kind).history != kind.kind for kind in snapshot.unseen)


def _find_workloads(one: SetSnapshot, live: "_Live") -> Iterator[WorkloadHistory]:
    """Find the workloads that reference revisions of the set, or did so."""
    referring = [consumer for consumer in one.observation.consumers if consumer.references]
    references = {consumer.owner.uid: consumer.references for consumer in referring}
    # Of a workload whose template references nothing any more, the ReplicaSets still tell.
    uids = references.keys() | {consumer.controller for consumer in referring}
    known = (live.objects[uid] for uid in uids if uid in live.objects)
    for workload in sorted(known, key=lambda one: (one.kind, one.name)):
        if workload.progress is None:
            continue
        templates: list[Template] = []
        for controlled in _newest_first(live.controlled_by[workload.uid]):
            absent = tuple(
                name for name, needing in one.absent.items() if controlled.uid in needing
            )
            role = live.roles.get(controlled.uid) or Role.PAST
            revisions = tuple(sorted(references.get(controlled.uid, ())))
            pods = live.pods_of(controlled)
            templates.append(
                Template(controlled.name, controlled.number, role, revisions, pods, absent)
            )
        way_back = find_way_back(
            workload.kind, workload.name, live.snapshot.namespace, workload.progress, templates
        )
        yield WorkloadHistory(
            workload.kind,
            workload.name,
            workload.progress.is_done,
            workload.progress.situation,
            workload.progress.reason,
            tuple(templates),
            way_back,
        )


def find_way_back(
    kind: str, name: str, namespace: str, progress: Progress, templates: Sequence[Template]
) -> WayBack | None:
    """Find the template to return to; None if there is none.

    `templates` are in order, the newest first.

    In the middle of a rollout that is the one that is being replaced; later the last one with
    another configuration.
    """
    row = consumer_named(kind)
    if row.abort and not progress.is_done:
        stable = next((one for one in templates if one.role is Role.STABLE), None)
        is_back = progress.situation == "aborted"
        command = "" if is_back else f"{row.abort.format(name=name)} -n {namespace}"
        return stable and WayBack(stable, command)
    to = _last_with_other_configuration(templates)
    if to is None or not to.number or not row.undo:
        return None
    return WayBack(to, f"{row.undo.format(name=name, number=to.number)} -n {namespace}")


def _last_with_other_configuration(templates: Sequence[Template]) -> Template | None:
    current = next((one for one in templates if one.role in (Role.NEW, Role.STABLE)), None)
    if current is None:
        return None
    others = [one for one in templates if one.revisions != current.revisions and not one.absent]
    return next((one for one in others if one.role is Role.OLD), next(iter(others), None))


def _find_kept(
    one: SetSnapshot, entries: Iterable[RevisionHistory], live: "_Live"
) -> Iterator[Kept]:
    """Tell how many revisions of each base name there are at most.

    Nothing is told where what references them is not seen, or where nothing is deleted.
    """
    observation = one.observation
    if observation.unread or observation.inventory is None or live.snapshot.unseen:
        return
    by_base = collect(((entry.base, entry.kind), entry) for entry in entries)
    for (base, kind), of_base in sorted(by_base.items()):
        current = {entry.name for entry in of_base if entry.is_rendered}
        stays = {entry.name for entry in of_base if entry.fate in _STAYING}
        names = {entry.name for entry in of_base}
        holders: set[Holder] = set()
        if any(entry.fate is Retention.RETAINED and entry.is_rendered for entry in of_base):
            holders.add(Holder(f"the annotation {keys.RETAIN}", None))
        for consumer in observation.consumers:
            referenced = names & consumer.references
            if not referenced:
                continue
            if consumer.is_current:
                current |= referenced
            holders.add(_find_holder(consumer.owner, live))
        if current or holders:
            yield Kept(
                kind,
                base,
                tuple(sorted(holders, key=lambda one: one.name)),
                len(current),
                len(stays - current),
            )


_STAYING = (
    *(Retention.RETAINED, Retention.FOREIGN_OWNER),
    *(Retention.UNSEEN_KIND, Retention.LEAK),
)
"""What becomes of revisions that the linker does not delete, as long as they are so."""


def _find_holder(owner: Owner, live: "_Live") -> Holder:
    """Find what limits how many objects like this one there are: the workload that created it."""
    kind, name, found = owner.kind, owner.name, live.objects.get(owner.uid)
    while found is not None:
        if found.keeps is not None:
            return Holder(f"{kind}/{name}", found.keeps)
        above = live.objects.get(found.controller)
        if above is None:
            break
        # A CronJob has no templates: it creates Jobs.
        is_of_template = kind in ("Pod", consumer_named(above.kind).history)
        if not is_of_template and (kind, above.kind) != ("Job", "CronJob"):
            break
        kind, name, found = above.kind, above.name, above
    # A custom resource is one object: what its controller creates is listed, and counts itself.
    is_single = kind not in _COUNTED
    return Holder(f"{kind}/{name}", 0 if is_single else None)


_COUNTED = tuple(kind.kind for kind in CONSUMER_KINDS)
"""Kinds of which nothing limits the number, where no workload has created them."""


def _find_unseen(snapshot: Snapshot) -> Iterator[Unseen]:
    has_rollouts = any(one.made_by[0] == "Rollout" for one in snapshot.objects.values())
    # The API server also forbids to list kinds that do not exist: Argo's count only if a Rollout
    # has created something.
    for kind, error in snapshot.unseen.items():
        rule = error.rule if isinstance(error, Forbidden) else ""
        if kind.group != _ADD_ONS or has_rollouts or not rule:
            yield Unseen(kind.plural, str(error), rule)


class _Live:
    """The pods of a snapshot, and what each template is to its workload."""

    def __init__(self, snapshot: Snapshot) -> None:
        self.snapshot = snapshot
        self.objects = snapshot.objects
        self._pods_by_name = {pod.name: pod for pod in snapshot.pods or ()}
        self._pods_by_controller: dict[str, list[Pod]] = defaultdict(list)
        self._pods_by_reference: dict[str, list[Pod]] = defaultdict(list)
        for pod in snapshot.pods or ():
            self._pods_by_controller[pod.controller].append(pod)
            for name in pod.references:
                self._pods_by_reference[name].append(pod)
        # Pods are counted, and are no templates.
        self.controlled_by = collect(
            (one.controller, one) for one in self.objects.values() if one.kind != "Pod"
        )
        self.roles: dict[str, Role] = {}
        self.rollouts_left: dict[str, int] = {}
        for one in self.objects.values():
            if one.progress is not None:
                controlled = self.controlled_by[one.uid]
                found = find_roles(one.progress, controlled, self._with_pods(controlled))
                self.roles.update(found.roles)
                self.rollouts_left.update(found.rollouts_left)

    def _with_pods(self, controlled: Iterable[LiveObject]) -> list[str]:
        return [
            one.uid for one in controlled if (pods := self.pods_of(one)) is not None and pods.total
        ]

    def pods_with(self, revision: str) -> Pods | None:
        """Count the pods whose own spec references a revision; None if pods could not be listed."""
        return (
            None
            if self.snapshot.pods is None
            else _count_pods(self._pods_by_reference.get(revision, []))
        )

    def pods_of(self, one: LiveObject) -> Pods | None:
        """Count the pods of an object that makes pods, or of a pod; None if nothing says how many there are."""
        if self.snapshot.pods is None:
            return None if one.replicas is None else Pods(one.replicas)
        pods = self._pods_of(one)
        return _count_pods(pods) if pods or consumer_named(one.kind).expects_pods else None

    def _pods_of(self, one: LiveObject) -> list[Pod]:
        if one.progress is not None:
            return []  # they are counted for the template from which its controller created them
        if one.kind == "Pod":
            return [self._pods_by_name[one.name]] if one.name in self._pods_by_name else []
        # A ControllerRevision controls nothing: its workload controls the pods, and marks them.
        if one.kind == "ControllerRevision":
            return [
                pod
                for pod in self._pods_by_controller.get(one.controller, ())
                if pod.marks & one.marks
            ]
        return self._pods_by_controller.get(one.uid, [])


def _count_pods(pods: Sequence[Pod]) -> Pods:
    """Count pods. Of several problems, the most frequent one is told."""
    problems = Counter(pod.problem for pod in pods if pod.problem)
    problem = min(problems, key=lambda one: (-problems[one], one), default="")
    return Pods(len(pods), sum(pod.is_ready for pod in pods), problem)


class Roles(NamedTuple):
    """By uid: the role of each object that was created from a template, and the rollouts after which it is deleted."""

    roles: Mapping[str, Role]
    rollouts_left: Mapping[str, int]


def find_roles(
    progress: Progress, controlled: Iterable[LiveObject], with_pods: Iterable[str]
) -> Roles:
    """Find the roles of what a controller created.

    `with_pods` are the uids of those that have pods.
    """
    ordered = _newest_first(controlled)
    newest = next((one for one in ordered if progress.newest in one.marks), None)
    if newest is None and not progress.newest:
        newest = next(iter(ordered), None)
    used = set(with_pods)
    roles = {
        one.uid: _find_role(one, newest, progress, has_pods=one.uid in used) for one in ordered
    }
    # Both controllers keep `revisionHistoryLimit` old ReplicaSets, and delete the oldest, but only
    # those without pods: cleanupDeployment in Kubernetes' deployment/sync.go,
    # reconcileRevisionHistoryLimit in Argo Rollouts' sync.go.
    old = [one for one in ordered if one is not newest]
    return Roles(
        roles, {one.uid: max(0, progress.limit - position) for position, one in enumerate(old)}
    )


def _newest_first(controlled: Iterable[LiveObject]) -> list[LiveObject]:
    """Sort what a controller created from templates. One that is used again gets a new number."""
    return sorted(controlled, key=lambda one: (one.number, one.created, one.name), reverse=True)


def _find_role(
    one: LiveObject, newest: LiveObject | None, progress: Progress, *, has_pods: bool
) -> Role:
    if progress.stable and progress.stable in one.marks:
        return Role.STABLE
    if one is not newest:
        return Role.OLD if has_pods else Role.PAST
    if progress.is_done:
        return Role.STABLE
    if progress.situation == "aborted":
        return Role.ABORTED
    if not progress.stable:
        return Role.NEW
    return Role.PREVIEW if progress.is_blue_green else Role.CANARY
