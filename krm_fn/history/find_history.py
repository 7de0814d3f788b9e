"""From what is live to the history of each set. The linker's own plan says what becomes of a revision."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from krm_fn.history.history import (
    History,
    LinkerJob,
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
from krm_fn.history.live_object import LiveObject, Progress
from krm_fn.history.roles import Live, newest_first
from krm_fn.history.snapshot import SetSnapshot, Snapshot
from krm_fn.linker.api import Forbidden
from krm_fn.linker.objects import Consumer, LiveRevision
from krm_fn.linker.owners import Keeper, find_keepers, is_left_to_kpt, linker_owners, plan_owners, rendered_names
from krm_fn.model.kinds import CONSUMER_KINDS, consumer_named
from krm_fn.naming.names import without_hash

_ADD_ONS = "argoproj.io"
_HISTORY_OF = {kind.kind: kind.history for kind in CONSUMER_KINDS if kind.history}


def find_history(snapshot: Snapshot) -> History:
    """Tell of every revision who references it, how many pods run it, and what the linker does with it."""
    live = Live(snapshot)
    sets = tuple(_SetFinder(reading, live).find() for reading in snapshot.sets)
    return History(snapshot.namespace, snapshot.now, sets, tuple(_find_unseen(snapshot)))


def _find_unseen(snapshot: Snapshot) -> Iterator[Unseen]:
    """Find the kinds that could not be listed.

    The API server also forbids to list kinds that do not exist. So Argo's count then only if a Rollout has made
    something.
    """
    has_rollouts = any(fact.made_by[0] == "Rollout" for fact in snapshot.facts.values())
    for kind, error in snapshot.unseen.items():
        rule = error.rule if isinstance(error, Forbidden) else ""
        if kind.group != _ADD_ONS or has_rollouts or not rule:
            yield Unseen(kind.plural, str(error), rule)


class _SetFinder:
    """Finds the history of one set."""

    def __init__(self, reading: SetSnapshot, live: Live) -> None:
        self._reading = reading
        self._live = live
        self._facts = live.snapshot.facts
        self._rendered = rendered_names(reading.plan, reading.observation)
        self._references = {one.owner.uid: one.references for one in reading.observation.consumers}
        self._consumers: dict[str, list[Consumer]] = defaultdict(list)
        for consumer in reading.observation.consumers:
            for name in consumer.references:
                self._consumers[name].append(consumer)

    def find(self) -> SetHistory:
        reading = self._reading
        entries = [*self._live_entries(), *self._absent_entries()]
        job = reading.job
        return SetHistory(
            reading.plan.set,
            tuple(sorted(entries, key=_place)),
            tuple(self._workloads()),
            has_inventory=reading.observation.inventory is not None,
            job=job and LinkerJob(job.name, job.created, job.ended, job.failure),
        )

    def _live_entries(self) -> Iterator[RevisionHistory]:
        plan, observation = self._reading.plan, self._reading.observation
        to_link = {patch.revision.uid: patch.add for patch in plan_owners(plan, observation)}
        for revision, keepers in find_keepers(plan, observation):
            linkers = linker_owners(plan, revision)
            referrers = self._referrers(self._consumers[revision.name])
            fate, last = self._fate(revision, keepers, referrers)
            is_young = fate is Retention.YOUNG
            yield RevisionHistory(
                revision.kind,
                revision.name,
                self._reading.bases[revision.name],
                revision.created,
                fate,
                is_rendered=Keeper.RENDERED in keepers,
                is_awaited=self._is_awaited(revision.name),
                referrers=referrers,
                pods=self._live.pods_with(revision.name),
                last=last,
                due=revision.created + plan.minimum_age if is_young else None,
                owners=tuple(map(str, revision.owners)),
                foreign=tuple(str(owner) for owner in revision.owners if owner not in linkers),
                to_link=() if revision.is_retained else tuple(map(str, to_link.get(revision.uid, ()))),
                is_linked=bool(linkers) or revision.is_retained or observation.inventory is None,
                is_marked=not revision.is_wanted and fate is Retention.NEXT_RUN,
                is_incomplete=bool(observation.unread),
                made_by=revision.made_by if revision.made_by != f"{revision.kind}/{revision.name}" else "",
            )

    def _absent_entries(self) -> Iterator[RevisionHistory]:
        """Tell of what is rendered or needed and does not exist."""
        live = self._reading.bases
        kinds = {revision.name: revision.kind for revision in self._reading.plan.rendered}
        for name in sorted({*self._rendered, *self._reading.absent} - live.keys()):
            if not name:
                continue
            uids = self._reading.absent.get(name, ())
            needing = [one for one in self._reading.observation.consumers if one.owner.uid in uids]
            yield RevisionHistory(
                kinds.get(name, "ConfigMap"),
                name,
                without_hash(name),
                None,
                Retention.MISSING if needing else Retention.NOT_APPLIED,
                is_rendered=name in self._rendered,
                referrers=self._referrers(needing or self._consumers[name]),
                pods=self._live.pods_with(name),
            )

    def _fate(
        self, revision: LiveRevision, keepers: frozenset[Keeper], referrers: tuple[Referrer, ...]
    ) -> tuple[Retention, tuple[Referrer, ...]]:
        """Say what becomes of a revision, with the objects that keep it longest if it is only history."""
        observation = self._reading.observation
        forever = [
            (Keeper.RETAINED, Retention.RETAINED),
            (Keeper.RENDERED, Retention.RENDERED),
            (Keeper.FOREIGN_OWNER, Retention.FOREIGN_OWNER),
            (Keeper.UNLINKED_TRACKER, Retention.LEAK),
        ]
        kept = next((fate for keeper, fate in forever if keeper in keepers), None)
        is_in_use = any(one.is_current or _has_pods(one) for one in referrers)
        if kept in (Retention.RETAINED, Retention.RENDERED):
            return kept, ()
        if is_in_use:
            return Retention.IN_USE, ()
        if kept is not None:
            return kept, ()
        if referrers:
            return Retention.HISTORY, _last(referrers)
        return self._fate_of_unreferenced(revision, keepers, is_unread=bool(observation.unread)), ()

    def _fate_of_unreferenced(
        self, revision: LiveRevision, keepers: frozenset[Keeper], *, is_unread: bool
    ) -> Retention:
        observation = self._reading.observation
        if is_unread:
            return Retention.UNKNOWN
        if observation.inventory is None:
            return Retention.NO_INVENTORY
        if is_left_to_kpt(self._reading.plan, observation, revision):
            return Retention.LEFT_TO_KPT
        return Retention.YOUNG if Keeper.YOUNG in keepers else Retention.NEXT_RUN

    def _referrers(self, consumers: Iterable[Consumer]) -> tuple[Referrer, ...]:
        found = [self._referrer(consumer) for consumer in consumers]
        return tuple(
            sorted(found, key=lambda one: (not one.is_current, bool(one.of), -one.created, one.kind, one.name))
        )

    def _referrer(self, consumer: Consumer) -> Referrer:
        owner = consumer.owner
        fact = self._facts.get(owner.uid) or LiveObject(owner.kind, owner.name, owner.uid, 0.0)
        is_made = bool(fact.controller) and bool(consumer_named(fact.kind).template_copy)
        return Referrer(
            owner.kind,
            owner.name,
            fact.created,
            of="/".join(fact.made_by) if is_made else "",
            role=self._live.role_of(fact),
            number=fact.number if is_made else 0,
            is_current=consumer.is_current,
            pods=self._live.pods_of(fact),
            rollouts_left=self._live.rollouts_left(fact),
        )

    def _is_awaited(self, revision: str) -> bool:
        """Tell whether only workloads want a revision whose controllers have not made anything of that yet."""
        consumers = self._consumers[revision]
        facts = [self._facts.get(one.owner.uid) for one in consumers if one.is_current]
        roles = [self._live.role_of(fact) for one in consumers if (fact := self._facts.get(one.owner.uid))]
        has_started = any(role not in (None, Role.PAST) for role in roles)
        return bool(facts) and not has_started and all(self._is_seen_to_roll(fact) for fact in facts)

    def _is_seen_to_roll(self, workload: LiveObject | None) -> bool:
        """Tell whether the object is a workload, and whether what its controller makes could be listed."""
        if workload is None or workload.progress is None:
            return False
        return all(_HISTORY_OF.get(workload.kind) != kind.kind for kind in self._live.snapshot.unseen)

    def _workloads(self) -> Iterator[WorkloadHistory]:
        """Find the workloads that reference revisions of the set, or did so."""
        uids = {uid for consumers in self._consumers.values() for one in consumers for uid in _workload_uids(one)}
        facts = [self._facts[uid] for uid in uids if uid in self._facts]
        for fact in sorted(facts, key=lambda one: (one.kind, one.name)):
            if fact.progress is not None:
                templates = tuple(map(self._template, newest_first(self._live.made_by(fact))))
                yield WorkloadHistory(
                    fact.kind,
                    fact.name,
                    fact.progress.is_done,
                    fact.progress.situation,
                    fact.progress.reason,
                    templates,
                    find_way_back(fact.kind, fact.name, self._live.snapshot.namespace, fact.progress, templates),
                )

    def _template(self, fact: LiveObject) -> Template:
        role = self._live.role_of(fact)
        return Template(
            fact.name,
            fact.number,
            Role.PAST if role is None else role,
            tuple(sorted(self._references.get(fact.uid, ()))),
            self._live.pods_of(fact),
            tuple(name for name, uids in self._reading.absent.items() if fact.uid in uids),
        )


def _place(entry: RevisionHistory) -> tuple[str, str, bool, float, str]:
    """Sort by base name and kind; what does not exist first, then the newest."""
    return entry.base, entry.kind, entry.created is not None, -(entry.created or 0.0), entry.name


def _last(referrers: Iterable[Referrer]) -> tuple[Referrer, ...]:
    """Return the object that each workload keeps longest, and all objects that belong to none."""
    last: dict[str, Referrer] = {}
    for one in sorted(referrers, key=lambda one: (one.number, one.created)):
        last[one.of or str(one)] = one
    return tuple(sorted(last.values(), key=lambda one: (one.kind, one.name)))


def _has_pods(referrer: Referrer) -> bool:
    return referrer.pods is not None and referrer.pods.total > 0


def _workload_uids(consumer: Consumer) -> tuple[str, str]:
    return consumer.owner.uid, consumer.controller


def find_way_back(
    kind: str, name: str, namespace: str, progress: Progress, templates: Sequence[Template]
) -> WayBack | None:
    """Find the template to return to; None if there is none. `templates` are in order, the newest first.

    In the middle of a rollout that is the one that is being replaced; later the last one with another configuration.
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
