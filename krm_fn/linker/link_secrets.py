"""Make each tracker the owner of its Secret, and of what makes that.

Only this rendering's Job has the right to do so, and the CronJob until the next release: no later run may read or
patch these Secrets. If the package leaves krm-fn, the run takes each tracker off its object instead.
"""

from collections.abc import Collection, Iterator
from contextlib import suppress

from krm_fn.base import keys
from krm_fn.base.link_plan import LinkPlan, ProducerName
from krm_fn.linker.api import ApiError
from krm_fn.linker.cluster import Cluster
from krm_fn.linker.objects import LiveRevision, Observation, Owner, listed_by
from krm_fn.linker.owners import RevisionPatch
from krm_fn.linker.report import NOT_LINKED, Report, Write
from krm_fn.linker.wait import wait_for_producer, wait_for_trackers


class SecretLinks:
    """The Secrets of a plan, and which of them this run has linked."""

    def __init__(self, plan: LinkPlan, cluster: Cluster, report: Report) -> None:
        self._plan = plan
        self._cluster = cluster
        self._report = report
        self._makers = {made.name: one for one in plan.producers for made in one.revisions}
        # The uids of their trackers, of those that are linked, of those that own nothing any more,
        # and of those that were refused early.
        self._linked: dict[str, str] = {}
        self._released: set[str] = set()
        self._refused: set[str] = set()
        # By name: what the last look for it has not found, what was refused then and why, and what
        # may be collected all the same.
        self._absent: set[str] = set()
        self._errors: dict[str, str] = {}
        self._held: set[str] = set()
        self.has_looked = False

    def hold(self, observation: Observation) -> None:
        """Link what there is, before anything else is waited for or written.

        A deployer that goes back to a Secret finds it there until the garbage collector has looked at it, and writes
        nothing. Its owner, the former tracker, is gone.
        """
        self.has_looked = True
        if observation.is_leaving:
            return
        for name, tracker in _open_trackers(observation).items():
            is_settled = self._is_linked(tracker) or tracker.uid in self._refused
            if name in self._plan.secrets and not is_settled:
                try:
                    self._link(tracker)
                except ApiError:  # the end of the run tells it
                    self._refused.add(tracker.uid)

    def link(self, observation: Observation) -> None:
        """Link each Secret that has a tracker by now, and what makes others."""
        trackers = _open_trackers(observation)
        self._absent.clear()
        self._errors.clear()
        if observation.is_leaving:
            self._release_all(trackers)
            return
        for name in sorted(self._plan.secrets & trackers.keys()):
            if self._is_linked(trackers[name]):
                continue
            try:
                if not self._link(trackers[name]):
                    self._absent.add(name)
            except ApiError as error:
                self._errors[name] = str(error)
        for producer, own in self._by_producer(trackers):
            names = [tracker.name for tracker in own]
            try:
                found = wait_for_producer(producer, self._plan, self._cluster)
                if found is None or not self._link_producer(producer, found, own):
                    self._absent.update(names)
            except ApiError as error:
                self._errors.update(dict.fromkeys(names, str(error)))

    def _release_all(self, trackers: dict[str, LiveRevision]) -> None:
        """Take the trackers off their Secrets, and off what makes Secrets."""
        own = {name: one for name, one in trackers.items() if self._holds(one)}
        for name in sorted(self._plan.secrets & own.keys()):
            tracker = own[name]
            try:
                secret = self._cluster.secret(name, self._plan)
                owners = () if secret is None else _owned_by(secret, [tracker])
                if secret is not None and owners:
                    self._cluster.patch_secret(RevisionPatch(secret, remove=owners))
                    self._report.change(Write("Secret", name, remove=owners))
                self._note_released(tracker)
            except ApiError as error:
                self._errors[name] = str(error)
        for producer, its_trackers in self._by_producer(own):
            try:
                found = self._cluster.producer(producer, self._plan)
                owners = () if found is None else _owned_by(found, its_trackers)
                if found is not None and owners:
                    left = tuple(
                        one for one in found.owners if one.kind == "ConfigMap" and one not in owners
                    )
                    self._cluster.own_producer(producer, found, left)
                    self._report.change(Write(producer.kind.kind, producer.name, remove=owners))
                for tracker in its_trackers:
                    self._note_released(tracker)
            except ApiError as error:
                self._errors.update(dict.fromkeys((one.name for one in its_trackers), str(error)))

    def _holds(self, tracker: LiveRevision) -> bool:
        """Tell whether its object goes with the tracker."""
        return tracker.owns_secret and tracker.uid not in self._released

    def _note_released(self, tracker: LiveRevision) -> None:
        self._cluster.patch(RevisionPatch(tracker, annotations=((keys.OWNS_SECRET, None),)))
        self._released.add(tracker.uid)

    def are_linked(self, observation: Observation) -> bool:
        """Tell whether this run has linked, or looked for, every Secret with a tracker."""
        trackers = _open_trackers(observation)
        names = trackers.keys() & (self._plan.secrets | self._makers.keys())
        if observation.is_leaving:
            return not any(self._holds(trackers[name]) for name in names - self._errors.keys())
        return all(self._is_linked(trackers[name]) for name in names - self._absent)

    @property
    def are_refused(self) -> bool:
        """Whether the last try to link one was refused."""
        return bool(self._errors)

    def report_missing(self, observation: Observation) -> frozenset[str]:
        """Say which Secrets are not linked, and return the names of those that miss something."""
        if observation.is_leaving:
            self._report_held(observation)
            return frozenset()
        self._look_again(observation)
        consumers = _current_consumers(observation)
        awaited = self._awaited
        alone = self._find_alone(observation)
        untracked = awaited - {one.name for one in observation.existing if one.is_tracker}
        missing = frozenset(self._absent | alone | untracked)
        for name in sorted(missing | self._errors.keys()):
            sentence = self._why_unlinked(name, alone)
            if name in awaited or (name in self._absent and name in consumers):
                self._report.fail(sentence, consumers.get(name))
            elif name in self._errors:
                self._report.refuse(sentence)
            else:
                self._report.warn(sentence)
        return missing

    def report_unlinked(self) -> None:
        """Say which Secrets a run leaves that cannot go on, where no other run may link them."""
        for name in sorted(self._awaited - self._linked.keys()):
            self._report.fail(self._left(name, "the run has ended before it was linked"))

    def _report_held(self, observation: Observation) -> None:
        """Say which Secrets still go with their trackers, when the package leaves krm-fn."""
        listed = listed_by(observation.inventory)
        for tracker in observation.revisions:
            if not self._holds(tracker):
                continue
            owned = self._owned(tracker.name)
            sentence = (
                f"{owned}: goes with its tracker, ConfigMap {tracker.name}, whoever deletes that"
            )
            if tracker.name in self._errors:
                self._report.fail(
                    f"{self._errors[tracker.name]}; until then, {sentence}", reason=NOT_LINKED
                )
            elif tracker.name in listed:
                self._report.fail(
                    f"{sentence}; this run has no right to change that: leave with spec.linker.secrets and the kinds "
                    "in spec.kinds as they were when it was linked",
                    reason=NOT_LINKED,
                )
            else:
                self._report.warn(
                    f"{sentence}; delete the tracker when no pod reads its Secret any more"
                )

    def _is_linked(self, tracker: LiveRevision) -> bool:
        return self._linked.get(tracker.name) == tracker.uid

    @property
    def _awaited(self) -> frozenset[str]:
        """The Secrets that the run waits for: no other run links them, if this one does not."""
        if not self._plan.waits:
            return frozenset()
        names = {one.name for workload in self._plan.workloads for one in workload.revisions}
        return frozenset(names & (self._plan.secrets | self._makers.keys()))

    def _why_unlinked(self, name: str, alone: Collection[str]) -> str:
        advice = "apply the manifests again"
        if name in self._errors:
            error = self._errors[name]
            return self._left(name, error) if name in self._awaited else error
        if name in self._makers and name not in self._absent:
            return (
                f"ConfigMap {self._cluster.namespace}/{name}: does not exist, and nothing would ever delete "
                f"{self._owned(name)} without this tracker; {advice}"
            )
        if name in alone:
            return (
                f"{self._owned(name)}: has no tracker, and nothing would ever delete it; {advice}"
            )
        return f"{self._owned(name)}: does not exist; {advice}"

    def _left(self, name: str, why: str) -> str:
        return f"{why}; run the Job again, as no later one may link {self._owned(name)}"

    def _owned(self, name: str) -> str:
        """Say what the tracker of a Secret is to own: the Secret, or what makes it."""
        producer = self._makers.get(name)
        if producer is None:
            return f"Secret {self._cluster.namespace}/{name}"
        return f"{producer.kind.kind} {self._cluster.namespace}/{producer.name}"

    def _link(self, tracker: LiveRevision) -> bool:
        """Link the Secret of a tracker. False if there is none."""
        secret = self._cluster.secret(tracker.name, self._plan)
        if secret is None:
            return False
        owner = Owner("v1", "ConfigMap", tracker.name, tracker.uid)
        has_owner = owner.uid in {one.uid for one in secret.owners}
        if not has_owner:
            if not self._cluster.patch_secret(RevisionPatch(secret, add=(owner,))):
                return False
            self._report.change(Write("Secret", secret.name, add=(owner,)))
        if not has_owner and {one[:3] for one in secret.owners} == {owner[:3]}:
            self._held.add(secret.name)
            self._report.note(
                f"Secret {self._cluster.namespace}/{secret.name}: all its owners were gone: about to be collected; "
                f"its new tracker owns it now"
            )
        if not tracker.owns_secret:
            self._cluster.patch(RevisionPatch(tracker, annotations=((keys.OWNS_SECRET, "true"),)))
        self._linked[tracker.name] = tracker.uid
        return True

    def _look_again(self, observation: Observation) -> None:
        """Link what has come since the run looked for it, and find what was collected anyway."""
        trackers = _open_trackers(observation)
        for name in sorted(self._absent & self._plan.secrets & trackers.keys()):
            with suppress(ApiError):
                if self._link(trackers[name]):
                    self._absent.remove(name)
        for producer, own in self._by_producer(trackers):
            names = {tracker.name for tracker in own}
            with suppress(ApiError):
                found = (
                    self._cluster.producer(producer, self._plan) if names & self._absent else None
                )
                if found is not None and self._link_producer(producer, found, own):
                    self._absent -= names
        for name in sorted(self._held):
            try:
                if self._cluster.secret(name, self._plan) is None:
                    self._absent.add(name)
            except ApiError as error:
                self._errors[name] = str(error)

    def _find_alone(self, observation: Observation) -> set[str]:
        """Find the Secrets without a tracker, as where applying has ended between the two.

        Once the inventory does not list them, the Role does not name them either.
        """
        listed = listed_by(observation.inventory)
        trackers = {revision.name for revision in observation.existing if revision.is_tracker}
        planned = self._plan.secrets | self._makers.keys()
        found = {name for name in sorted((planned & listed) - trackers) if self._exists(name)}
        return found - wait_for_trackers(found, self._plan, self._cluster)

    def _exists(self, name: str) -> bool:
        """Tell whether there is what the tracker of this name is to own."""
        producer = self._makers.get(name)
        with suppress(ApiError):
            if producer is not None:
                return self._cluster.producer(producer, self._plan) is not None
            return self._cluster.secret(name, self._plan) is not None
        return False

    def _by_producer(
        self, trackers: dict[str, LiveRevision]
    ) -> Iterator[tuple[ProducerName, list[LiveRevision]]]:
        """Yield what makes Secrets, with those of its trackers that exist."""
        for producer in self._plan.producers:
            own = [trackers[one.name] for one in producer.revisions if one.name in trackers]
            if own:
                yield producer, own

    def _link_producer(
        self, producer: ProducerName, found: LiveRevision, trackers: list[LiveRevision]
    ) -> bool:
        """Make the trackers of what it makes its owners. False if it is gone.

        Kubernetes collects the producer after the last of them, and what it makes after the producer.
        """
        owners = tuple(Owner("v1", "ConfigMap", tracker.name, tracker.uid) for tracker in trackers)
        present = {owner.uid for owner in found.owners}
        new = tuple(owner for owner in owners if owner.uid not in present)
        if new:
            # What is applied no more is taken away: a name that an earlier rendering referenced may
            # still be in use.
            former = tuple(owner for owner in found.owners if owner.kind == "ConfigMap")
            if not self._cluster.own_producer(producer, found, (*former, *new)):
                return False
            self._report.change(Write(producer.kind.kind, producer.name, add=new))
        for tracker in trackers:
            if not tracker.owns_secret:
                annotations = ((keys.OWNS_SECRET, "true"),)
                self._cluster.patch(RevisionPatch(tracker, annotations=annotations))
            self._linked[tracker.name] = tracker.uid
        return True


def _open_trackers(observation: Observation) -> dict[str, LiveRevision]:
    """Return the trackers but those that own their object and that a newer rendering replaces.

    By then the Role names no such object any more, and a CronJob may go on with the plan of the last rendering.
    """
    listed = listed_by(observation.inventory)
    trackers = [revision for revision in observation.revisions if revision.is_tracker]
    return {one.name: one for one in trackers if one.name in listed or not one.owns_secret}


def _owned_by(found: LiveRevision, trackers: Collection[LiveRevision]) -> tuple[Owner, ...]:
    """Return the owners of an object that are these trackers."""
    uids = {tracker.uid for tracker in trackers}
    return tuple(owner for owner in found.owners if owner.uid in uids)


def _current_consumers(observation: Observation) -> dict[str, Owner]:
    """Return an object that needs it now, for each name that such an object references."""
    current: dict[str, Owner] = {}
    for consumer in observation.consumers:
        if consumer.is_current:
            current.update(dict.fromkeys(consumer.references, consumer.owner))
    return current
