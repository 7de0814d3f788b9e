"""Add every consumer of a revision as its owner, and delete the revisions that nothing references any more."""

from krm_fn.base import keys
from krm_fn.base.link_plan import LinkPlan, ProducerName
from krm_fn.linker.api import ApiError
from krm_fn.linker.cluster import Cluster, observe
from krm_fn.linker.objects import LiveRevision, Observation, Owner
from krm_fn.linker.owners import (
    RevisionPatch,
    deletion_command,
    is_left_to_kpt,
    plan_deletions,
    plan_leaks,
    plan_owners,
)
from krm_fn.linker.report import NOT_LINKED, Report, Write, record_events
from krm_fn.linker.wait import (
    Missing,
    confirm_broken,
    wait_for_history,
    wait_for_kpt,
    wait_for_producer,
    wait_for_workloads,
)

_ROUNDS = 3
"""How often owners are compared again with what changed meanwhile.

A busy namespace is left to the next run.
"""

GRACE = 10.0
"""Seconds between the mark of a revision and its deletion: more than a deployer needs for the ConfigMaps of a wave."""

_PATIENT = 6
"""How much longer a run waits that belongs to no release: it has time, and may begin in the middle of one."""


def link(plan: LinkPlan, cluster: Cluster, report: Report) -> None:
    """Make the consumers of each revision its owners, once.

    Waits until the workloads reference what was rendered for them. Then adds owners, makes each
    tracker the owner of its Secret, deletes what nothing references, and reports what is missing.
    Raises ApiError and Stopped.
    """
    missing = wait_for_workloads(plan, cluster)
    observation, without_history = wait_for_history(plan, cluster)
    observation = _link_revisions(plan, observation, cluster, report)
    _link_secrets(plan, observation, cluster, report)
    _link_producers(plan, observation, cluster, report)
    observation = _delete_unreferenced(plan, observation, cluster, report)
    if wait_for_kpt(plan, observation, cluster):
        observation = _link_revisions(plan, observe(plan, cluster), cluster, report)
        observation = _delete_unreferenced(plan, observation, cluster, report)
    _report_missing(missing, confirm_broken(plan, observation, cluster), report)
    _report_leaks(plan, observation, report)
    for absent in without_history:
        report.note(
            f"{absent.sentence}; the next run links it, and its revisions are kept until then"
        )
    report.count(observation.revisions)
    record_events(plan, observation, report, cluster)


def _link_revisions(
    plan: LinkPlan, observation: Observation, cluster: Cluster, report: Report
) -> Observation:
    """Patch revisions until nothing differs. Returns what was observed after the last patch."""
    for _ in range(_ROUNDS):
        patches = plan_owners(plan, observation)
        due = [patch for patch in patches if not is_left_to_kpt(plan, observation, patch.revision)]
        attempted = [_patch(patch, cluster, report) for patch in due]
        if not any(attempted):
            break
        observation = observe(plan, cluster)
    return observation


def _patch(patch: RevisionPatch, cluster: Cluster, report: Report) -> bool:
    """Patch one revision. False if the API server refused, so that another try would not help."""
    try:
        version = cluster.patch(patch)
    except ApiError as error:
        report.warn(str(error))
        return False
    if version is not None and (patch.add or patch.remove):
        report.change(Write(patch.revision.kind, patch.revision.name, patch.add, patch.remove))
    return True


def _link_secrets(
    plan: LinkPlan, observation: Observation, cluster: Cluster, report: Report
) -> None:
    """Make each tracker the owner of its Secret, and write on the tracker that it is.

    Only this rendering's Job has the right to do so: no later one may read or patch these Secrets.
    """
    trackers = _open_trackers(observation)
    consumers = _current_consumers(observation)
    for name in sorted(plan.secrets):
        if name not in trackers:
            continue
        try:
            secret = cluster.secret(name, plan)
            if secret is not None:
                _link_secret(secret, trackers[name], cluster, report)
                continue
        except ApiError as error:
            report.warn(str(error))
            continue
        sentence = f"Secret {cluster.namespace}/{name}: does not exist; apply the manifests again"
        if name in consumers:
            report.fail(sentence, consumers[name])
        else:
            report.warn(sentence)


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


def _link_producers(
    plan: LinkPlan, observation: Observation, cluster: Cluster, report: Report
) -> None:
    """Make the trackers of what it makes the owners of each producer.

    Kubernetes collects the producer after the last of them, and what it makes after the producer.
    """
    trackers = _open_trackers(observation)
    consumers = _current_consumers(observation)
    for producer in plan.producers:
        own = [trackers[one.name] for one in producer.revisions if one.name in trackers]
        if not own:
            continue
        try:
            found = wait_for_producer(producer, plan, cluster)
            if found is not None:
                _link_producer(producer, found, own, cluster, report)
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
    producer: ProducerName,
    found: LiveRevision,
    trackers: list[LiveRevision],
    cluster: Cluster,
    report: Report,
) -> None:
    owners = tuple(Owner("v1", "ConfigMap", tracker.name, tracker.uid) for tracker in trackers)
    present = {owner.uid for owner in found.owners}
    new = tuple(owner for owner in owners if owner.uid not in present)
    if new:
        # What is applied no more is taken away: a name that an earlier rendering referenced may
        # still be in use.
        former = tuple(owner for owner in found.owners if owner.kind == "ConfigMap")
        if not cluster.own_producer(producer, found, (*former, *new)):
            return
        report.change(Write(producer.kind.kind, producer.name, add=new))
    for tracker in trackers:
        if not tracker.owns_secret:
            cluster.patch(RevisionPatch(tracker, annotations=((keys.OWNS_SECRET, "true"),)))


def _link_secret(
    secret: LiveRevision, tracker: LiveRevision, cluster: Cluster, report: Report
) -> None:
    owner = Owner("v1", "ConfigMap", tracker.name, tracker.uid)
    has_owner = owner.uid in {one.uid for one in secret.owners}
    if not has_owner and cluster.patch_secret(RevisionPatch(secret, add=(owner,))):
        report.change(Write("Secret", secret.name, add=(owner,)))
        has_owner = True
    if has_owner and not tracker.owns_secret:
        cluster.patch(RevisionPatch(tracker, annotations=((keys.OWNS_SECRET, "true"),)))


def _delete_unreferenced(
    plan: LinkPlan, observation: Observation, cluster: Cluster, report: Report
) -> Observation:
    """Delete what nothing references. Returns the last observation.

    The annotation `wanted` goes first. A deployer that goes back to a revision afterwards writes
    the annotation again, and so changes the version that the deletion requires. One that came just
    before does not write to the revision, but within ten seconds the inventory lists it: the second
    observation finds that. See decision 60 for `grace`.
    """
    unreferenced = [
        revision
        for revision in plan_deletions(plan, observation)
        if not is_left_to_kpt(plan, observation, revision)
    ]
    grace = GRACE if plan.waits else max(GRACE, min(_PATIENT * GRACE, cluster.deadline.left() / 2))
    marked = _mark(unreferenced, grace, cluster, report)
    if not marked:
        return observation
    if cluster.deadline.left() >= grace:
        again = [
            f"deployers that may want {one.kind} {cluster.namespace}/{one.name} again"
            for one in unreferenced
        ]
        cluster.deadline.sleep(grace, again, grace)
        second = observe(plan, cluster)
        for revision in plan_deletions(plan, second):
            if marked.get(revision.uid) == revision.resource_version:
                _delete(revision, plan, cluster, report)
    # Gives the annotation back.
    return _link_revisions(plan, observe(plan, cluster), cluster, report)


def _mark(
    revisions: list[LiveRevision], grace: float, cluster: Cluster, report: Report
) -> dict[str, str]:
    """Remove the annotation `wanted`. Returns the resource version of each uid after that."""
    versions = {}
    if cluster.deadline.left() < grace:
        return {}
    for revision in revisions:
        try:
            version = cluster.patch(RevisionPatch(revision, annotations=((keys.WANTED, None),)))
        except ApiError as error:
            report.warn(str(error))
            continue
        if version is not None:
            versions[revision.uid] = version
    return versions


def _delete(revision: LiveRevision, plan: LinkPlan, cluster: Cluster, report: Report) -> None:
    try:
        if cluster.delete(revision):
            last = tuple(owner for owner in revision.owners if owner.name != plan.inventory)
            report.change(Write(revision.kind, revision.name, remove=last, deleted=True))
    except ApiError as error:
        report.warn(str(error))


def _report_missing(missing: list[Missing], broken: list[Missing], report: Report) -> None:
    for one in broken:
        report.fail(f"{one.sentence}; apply the manifests again", one.owner)
    reported = {one.revision for one in broken}
    for one in missing:
        if not one.revision or one.revision not in reported:
            advice = "apply the manifests again, or find out why applying them failed"
            report.warn(f"{one.sentence}; {advice}", one.owner)


def _report_leaks(plan: LinkPlan, observation: Observation, report: Report) -> None:
    planned = {workload[:2] for workload in plan.workloads}
    for one in observation.unread:
        sentence = f"{one.sentence}; until then nothing is deleted"
        if one.is_served or (one.kind.api_version, one.kind.kind) not in planned:
            report.warn(sentence)
        else:  # no later run can link these workloads either
            report.fail(sentence, reason=NOT_LINKED)
    if observation.inventory is None and observation.revisions:
        report.warn(
            f"ConfigMap {report.namespace}/{plan.inventory}: does not exist; until then nothing is deleted"
        )
    for leak in plan_leaks(plan, observation):
        report.warn(
            f"{leak.kind} {report.namespace}/{leak.name}: the linker may no longer delete it, as its own Job was "
            f"replaced before it succeeded; delete it with its tracker: {deletion_command([leak], report.namespace)}"
        )
