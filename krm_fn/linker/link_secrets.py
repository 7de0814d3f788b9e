"""Make each tracker the owner of its Secret, and of what makes that.

Only this rendering's Job has the right to do so, and the CronJob until the next release: no later run may read or
patch these Secrets.
"""

from contextlib import suppress

from krm_fn.base import keys
from krm_fn.base.link_plan import LinkPlan, ProducerName
from krm_fn.linker.api import ApiError
from krm_fn.linker.cluster import Cluster
from krm_fn.linker.objects import LiveRevision, Observation, Owner
from krm_fn.linker.owners import RevisionPatch
from krm_fn.linker.report import Report, Write
from krm_fn.linker.wait import wait_for_producer, wait_for_trackers


class SecretLinks:
    """The Secrets of a plan, and which of them this run has linked."""

    def __init__(self, plan: LinkPlan, cluster: Cluster, report: Report) -> None:
        self._plan = plan
        self._cluster = cluster
        self._report = report
        # By the uids of their trackers: those that are linked, and those that were refused.
        self._linked: set[str] = set()
        self._refused: set[str] = set()
        # By name: what the last look for it has not found, and what may be collected all the same.
        self._absent: set[str] = set()
        self._held: set[str] = set()

    def hold(self, observation: Observation) -> None:
        """Link what there is, before anything else is waited for or written.

        A deployer that goes back to a Secret finds it there until the garbage collector has looked at it, and writes
        nothing. Its owner, the former tracker, is gone.
        """
        for name, tracker in _open_trackers(observation).items():
            if name in self._plan.secrets and tracker.uid not in self._linked | self._refused:
                try:
                    self._link(tracker)
                except ApiError:  # the end of the run tells it
                    self._refused.add(tracker.uid)

    def link(self, observation: Observation) -> None:
        trackers = _open_trackers(observation)
        self._absent.clear()
        for name in sorted(self._plan.secrets & trackers.keys()):
            if trackers[name].uid in self._linked:
                continue
            try:
                if not self._link(trackers[name]):
                    self._absent.add(name)
            except ApiError as error:
                self._report.warn(str(error))
        self._link_producers(observation, trackers)

    def are_linked(self, observation: Observation) -> bool:
        """Tell whether this run has linked every Secret whose tracker exists, or has looked for it."""
        trackers = _open_trackers(observation)
        names = self._plan.secrets & trackers.keys()
        return all(trackers[name].uid in self._linked for name in names - self._absent)

    def report_missing(self, observation: Observation) -> frozenset[str]:
        """Say which Secrets are not linked, and return their names."""
        plan, cluster, report = self._plan, self._cluster, self._report
        self._look_again(observation)
        consumers = _current_consumers(observation)
        awaited = _awaited_secrets(plan)
        alone = self._find_alone(observation)
        missing = frozenset(awaited - {one.name for one in observation.revisions if one.is_tracker})
        for name in sorted(self._absent | alone | missing):
            sentence = (
                f"Secret {cluster.namespace}/{name}: does not exist; apply the manifests again"
            )
            if name in alone:
                sentence = (
                    f"Secret {cluster.namespace}/{name}: has no tracker, and nobody would ever delete it; "
                    f"apply the manifests again"
                )
            if name in awaited or (name in consumers and name not in alone):
                report.fail(sentence, consumers.get(name))
            else:
                report.warn(sentence)
        return frozenset(self._absent | alone | missing)

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
        self._linked.add(tracker.uid)
        return True

    def _look_again(self, observation: Observation) -> None:
        """Link what has come since the run looked for it, and find what was collected all the same."""
        trackers = _open_trackers(observation)
        for name in sorted(self._absent & trackers.keys()):
            with suppress(ApiError):
                if self._link(trackers[name]):
                    self._absent.remove(name)
        for name in sorted(self._held):
            with suppress(ApiError):
                if self._cluster.secret(name, self._plan) is None:
                    self._absent.add(name)

    def _find_alone(self, observation: Observation) -> set[str]:
        """Find the Secrets without a tracker, as where applying has ended between the two.

        Once the inventory does not list them, the Role does not name them either.
        """
        listed = observation.inventory.references if observation.inventory else frozenset[str]()
        trackers = {revision.name for revision in observation.revisions if revision.is_tracker}
        found = {
            name for name in sorted((self._plan.secrets & listed) - trackers) if self._exists(name)
        }
        return found - wait_for_trackers(found, self._plan, self._cluster)

    def _exists(self, name: str) -> bool:
        with suppress(ApiError):
            return self._cluster.secret(name, self._plan) is not None
        return False

    def _link_producers(self, observation: Observation, trackers: dict[str, LiveRevision]) -> None:
        """Make the trackers of what it makes the owners of each producer.

        Kubernetes collects the producer after the last of them, and what it makes after the producer.
        """
        plan, cluster, report = self._plan, self._cluster, self._report
        consumers = _current_consumers(observation)
        for producer in plan.producers:
            own = [trackers[one.name] for one in producer.revisions if one.name in trackers]
            if not own:
                continue
            try:
                found = wait_for_producer(producer, plan, cluster)
                if found is not None:
                    self._link_producer(producer, found, own)
                    continue
            except ApiError as error:
                report.warn(str(error))
                continue
            sentence = (
                f"{producer.kind.kind} {cluster.namespace}/{producer.name}: does not exist; "
                f"apply the manifests again"
            )
            waiting = [consumers[one.name] for one in own if one.name in consumers]
            if waiting:
                report.fail(sentence, waiting[0])
            else:
                report.warn(sentence)

    def _link_producer(
        self, producer: ProducerName, found: LiveRevision, trackers: list[LiveRevision]
    ) -> None:
        owners = tuple(Owner("v1", "ConfigMap", tracker.name, tracker.uid) for tracker in trackers)
        present = {owner.uid for owner in found.owners}
        new = tuple(owner for owner in owners if owner.uid not in present)
        if new:
            # What is applied no more is taken away: a name that an earlier rendering referenced may
            # still be in use.
            former = tuple(owner for owner in found.owners if owner.kind == "ConfigMap")
            if not self._cluster.own_producer(producer, found, (*former, *new)):
                return
            self._report.change(Write(producer.kind.kind, producer.name, add=new))
        for tracker in trackers:
            if not tracker.owns_secret:
                annotations = ((keys.OWNS_SECRET, "true"),)
                self._cluster.patch(RevisionPatch(tracker, annotations=annotations))


def _awaited_secrets(plan: LinkPlan) -> frozenset[str]:
    """Return the Secrets that the run waits for: no other run links them, if this one does not."""
    if not plan.waits:
        return frozenset()
    return plan.secrets.intersection(
        revision.name for workload in plan.workloads for revision in workload.revisions
    )


def _open_trackers(observation: Observation) -> dict[str, LiveRevision]:
    """Return the trackers, but for those that own what they stand for, and that a newer rendering has superseded.

    By then the Role names no such object any more, and a CronJob may go on with the plan of the last rendering.
    """
    listed = observation.inventory.references if observation.inventory else frozenset[str]()
    trackers = [revision for revision in observation.revisions if revision.is_tracker]
    return {one.name: one for one in trackers if one.name in listed or not one.owns_secret}


def _current_consumers(observation: Observation) -> dict[str, Owner]:
    """Return an object that needs it now, for each name that such an object references."""
    current: dict[str, Owner] = {}
    for consumer in observation.consumers:
        if consumer.is_current:
            current.update(dict.fromkeys(consumer.references, consumer.owner))
    return current
