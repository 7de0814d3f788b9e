"""Add every consumer of a revision as its owner, and delete revisions without a reference."""

from krm_fn.base import keys
from krm_fn.base.link_plan import LinkPlan
from krm_fn.base.problem import count, listing
from krm_fn.linker.api import ApiError, Forbidden
from krm_fn.linker.cluster import Cluster, observe
from krm_fn.linker.link_secrets import SecretLinks
from krm_fn.linker.objects import LiveRevision, Observation
from krm_fn.linker.owners import (
    RevisionPatch,
    deletion_command,
    find_abandoned,
    find_held,
    find_unreleased,
    is_left_to_kpt,
    plan_deletions,
    plan_leaks,
    plan_owners,
    say_abandoned,
)
from krm_fn.linker.report import NOT_LINKED, Report, Write, record_events
from krm_fn.linker.retry import OutOfTime
from krm_fn.linker.wait import (
    LastLook,
    finds_nothing,
    lacks_inventory,
    look_last,
    wait_for_history,
    wait_for_kpt,
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


SUPERSEDED = (
    "this run is superseded: its right to list ConfigMaps was taken away while it went on, as by a release that "
    "leaves the set to the linker of the namespace, or removes it; completed changes are kept"
)


def link(plan: LinkPlan, cluster: Cluster, report: Report) -> None:
    """Make the consumers of each revision its owners, once.

    Waits until the workloads reference what was rendered for them. Then adds owners, makes each
    tracker the owner of its Secret, deletes what nothing references, and looks a last time: if
    something that was missing has come, it does all of that again. Reports what is still missing.
    Raises Stopped, and ApiError and OutOfTime, which it has reported.
    """
    secrets = SecretLinks(plan, cluster, report)
    try:
        _link(plan, secrets, cluster, report)
    except ApiError as error:
        is_lost = isinstance(error, Forbidden) and (error.was_permitted or secrets.has_looked)
        if is_lost and plan.waits:
            report.warn(SUPERSEDED)
        else:
            _report_end(str(error), plan, secrets, report)
        raise
    except OutOfTime:
        over = f"the time limit of {plan.timeout} s is over"
        sentence = f"{over}; completed changes are kept, run again to finish"
        _report_end(sentence, plan, secrets, report)
        raise


def _link(plan: LinkPlan, secrets: SecretLinks, cluster: Cluster, report: Report) -> None:
    def hold(seen: Observation) -> None:
        _hold_revisions(plan, seen, cluster, report)
        secrets.hold(seen)

    while True:
        is_late = cluster.deadline.left() <= 0
        missing = wait_for_workloads(plan, cluster, hold)
        observation, without_history = wait_for_history(plan, cluster)
        secrets.hold(observation)
        observation = _link_all(plan, observation, secrets, cluster, report)
        last = look_last(plan, missing, observation, cluster)
        if not last.has_come or _is_linked(plan, last.observation, secrets):
            break
        if is_late:
            report.fail(
                f"planned objects still came after {plan.timeout} s; run again to link them",
                reason=NOT_LINKED,
            )
            break
    if plan.waits and (report.problems or secrets.are_refused or last.observation.unread):
        cluster.configs(plan)  # raises where a release has taken all rights of the run away
    _report_missing(plan, last, secrets, cluster, report)
    _report_borrowed(plan, last.observation, report)
    _report_leaks(plan, last.observation, report)
    for absent in without_history:
        report.note(
            f"{absent.sentence}; the next run links it, and its revisions are kept until then"
        )
    report.count(last.observation.revisions)
    record_events(plan, last.observation, report, cluster)


def _hold_revisions(
    plan: LinkPlan, observation: Observation, cluster: Cluster, report: Report
) -> None:
    """Make the inventory an owner where all owners may be gone, before any waiting.

    After an uninstall, an install takes over what the garbage collector has not looked at yet (decision 76).
    """
    inventory = observation.inventory
    if inventory is None:
        return
    live = {inventory.owner.uid, *(consumer.owner.uid for consumer in observation.consumers)}
    held = 0
    for revision in observation.existing:
        uids = {owner.uid for owner in revision.owners}
        is_at_risk = bool(uids) and live.isdisjoint(uids) and not revision.is_retained
        if not is_at_risk or is_left_to_kpt(plan, observation, revision):
            continue
        is_patched = _patch(RevisionPatch(revision, add=(inventory.owner,)), cluster, report)
        held += is_patched and inventory.owner[:3] in {owner[:3] for owner in revision.owners}
    if held:
        report.note(
            f"the former inventory is gone, and the garbage collector is about to take what only that owned; the new "
            f"one owns {count(held, 'revision')} now"
        )


def _is_linked(plan: LinkPlan, observation: Observation, secrets: SecretLinks) -> bool:
    return not _plan_patches(plan, observation) and secrets.are_linked(observation)


def _link_all(
    plan: LinkPlan,
    observation: Observation,
    secrets: SecretLinks,
    cluster: Cluster,
    report: Report,
) -> Observation:
    """Add owners, and delete what nothing references. Returns the last observation."""
    observation = _link_revisions(plan, observation, cluster, report)
    secrets.link(observation)
    observation = _delete_unreferenced(plan, observation, cluster, report)
    if wait_for_kpt(plan, observation, cluster):
        observation = _link_revisions(plan, observe(plan, cluster), cluster, report)
        observation = _delete_unreferenced(plan, observation, cluster, report)
    return observation


def _link_revisions(
    plan: LinkPlan, observation: Observation, cluster: Cluster, report: Report
) -> Observation:
    """Patch revisions until nothing differs. Returns what was observed after the last patch."""
    for _ in range(_ROUNDS):
        patches = _plan_patches(plan, observation)
        attempted = [_patch(patch, cluster, report) for patch in patches]
        if not any(attempted):
            break
        observation = observe(plan, cluster)
    return observation


def _plan_patches(plan: LinkPlan, observation: Observation) -> list[RevisionPatch]:
    """Plan the patches of what kpt is not about to let go of."""
    patches = plan_owners(plan, observation)
    return [patch for patch in patches if not is_left_to_kpt(plan, observation, patch.revision)]


def _patch(patch: RevisionPatch, cluster: Cluster, report: Report) -> bool:
    """Patch one revision. False if the API server refused, so that another try would not help."""
    try:
        version = cluster.patch(patch)
    except ApiError as error:
        report.refuse(str(error))
        return False
    if version is not None and (patch.add or patch.remove):
        report.change(Write(patch.revision.kind, patch.revision.name, patch.add, patch.remove))
    return True


def _delete_unreferenced(
    plan: LinkPlan, observation: Observation, cluster: Cluster, report: Report
) -> Observation:
    """Delete what nothing references. Returns the last observation.

    The annotation `wanted` goes first. A deployer that goes back to a revision afterwards writes
    the annotation again, and so changes the version that the deletion requires. One that came just
    before does not write to the revision, but within ten seconds the inventory lists it: the second
    observation finds that. See decision 60 for `grace`.
    """
    grace = grace_of(plan, cluster)
    marked, awaited = mark_unreferenced(plan, observation, cluster, report)
    if not marked:
        return observation
    if cluster.deadline.left() >= grace:
        cluster.let_grace_pass(grace, marked, awaited)
        second = observe(plan, cluster)
        for revision in plan_deletions(plan, second):
            if marked.pop(revision.uid, None) == revision.resource_version:
                _delete(revision, plan, cluster, report)
    # Gives the annotation back.
    last = observe(plan, cluster)
    seen = {revision.uid for revision in last.revisions}
    for revision in observation.revisions:
        if revision.uid in marked.keys() - seen:  # it is of another set by now
            _patch(RevisionPatch(revision, annotations=((keys.WANTED, "true"),)), cluster, report)
    return _link_revisions(plan, last, cluster, report)


def grace_of(plan: LinkPlan, cluster: Cluster) -> float:
    """Return the seconds between a mark that is set now and the deletion."""
    if plan.waits:
        return GRACE
    return max(GRACE, min(_PATIENT * GRACE, cluster.deadline.left() / 2))


def mark_unreferenced(
    plan: LinkPlan, observation: Observation, cluster: Cluster, report: Report
) -> tuple[dict[str, str], list[str]]:
    """Mark what nothing references: the first half of a deletion.

    Returns the resource version of each uid after that, and whom the grace is for.
    """
    unreferenced = [
        revision
        for revision in plan_deletions(plan, observation)
        if not is_left_to_kpt(plan, observation, revision)
    ]
    awaited = [
        f"deployers that may want {one.kind} {cluster.namespace}/{one.name} again"
        for one in unreferenced
    ]
    return _mark(unreferenced, grace_of(plan, cluster), cluster, report), awaited


def _mark(
    revisions: list[LiveRevision], grace: float, cluster: Cluster, report: Report
) -> dict[str, str]:
    """Remove the annotation `wanted`. Returns the resource version of each uid after that."""
    versions = {}
    if cluster.deadline.left() < grace:
        return {}
    for revision in revisions:
        try:
            # Whoever has written to it may have made it one of another set.
            mark = RevisionPatch(revision, annotations=((keys.WANTED, None),), is_of_version=True)
            version = cluster.patch(mark)
        except ApiError as error:
            report.refuse(str(error))
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
        report.refuse(str(error))


def _report_end(sentence: str, plan: LinkPlan, secrets: SecretLinks, report: Report) -> None:
    """Say why a run could not go on. It has failed, unless another one follows by itself."""
    if plan.waits:
        report.fail(sentence, reason=NOT_LINKED)
    else:
        report.warn(sentence)
    secrets.report_unlinked()


def _report_missing(
    plan: LinkPlan, last: LastLook, secrets: SecretLinks, cluster: Cluster, report: Report
) -> None:
    if not last.broken and finds_nothing(plan, last.observation):
        report.fail(
            f"none of the planned revisions exists in {report.namespace}; does something change names after krm-fn, "
            f"such as namePrefix?",
            reason=NOT_LINKED,
        )
    for one in last.broken:
        report.fail(f"{one.sentence}; apply the manifests again", one.owner)
    reported = {one.revision for one in last.broken} | secrets.report_missing(last.observation)
    for one in last.missing:
        if one.revision and one.revision in reported:
            continue
        sentence = _say_whose(one.revision, plan, cluster) if one.revision else ""
        advice = "apply the manifests again, or find out why applying them failed"
        report.warn(f"{sentence or one.sentence}; {advice}", one.owner)


def _say_whose(name: str, plan: LinkPlan, cluster: Cluster) -> str:
    """Say whose a ConfigMap is that has the name of a revision, and is none of the set; `""` if there is none."""
    who, found = f"ConfigMap {cluster.namespace}/{name}", cluster.revision(name)
    if found is not None:
        of_another = f"{who}: exists, and is of set {found.set_name}"
        return "" if found.set_name == plan.set else of_another
    if cluster.has_config_map(name):
        return f"{who}: exists, and krm-fn has not made it, as its labels and annotations show"
    return ""


def _report_borrowed(plan: LinkPlan, observation: Observation, report: Report) -> None:
    for revision in observation.borrowed:
        report.warn(
            f"ConfigMap {report.namespace}/{revision.name}: is a revision of set {revision.set_name} and of set "
            f"{plan.set}: their deployers write its label by turns; make what both include a package of its own"
        )


def _report_leaks(plan: LinkPlan, observation: Observation, report: Report) -> None:
    planned = {workload[:2] for workload in plan.workloads}
    for one in observation.unread:
        sentence = f"{one.sentence}; until then nothing is deleted"
        if one.is_served or (one.kind.api_version, one.kind.kind) not in planned:
            report.warn(sentence)
        else:  # no later run can link these workloads either
            report.fail(sentence, reason=NOT_LINKED)
    inventory = f"ConfigMap {report.namespace}/{plan.inventory}"
    if lacks_inventory(plan, observation) and not finds_nothing(plan, observation):
        report.fail(
            f"{inventory}: does not exist, and nobody would delete its revisions after an uninstall; "
            f"apply the manifests again",
            reason=NOT_LINKED,
        )
    elif observation.inventory is None and observation.revisions:
        report.warn(f"{inventory}: does not exist; until then nothing is deleted")
    for revision in find_abandoned(plan, observation):
        report.warn(say_abandoned(f"{revision.kind} {report.namespace}/{revision.name}"))
    held = find_unreleased(plan, observation)
    if held:
        report.fail(
            f"{listing(held, is_sentence=True)}: still owned by what the linker has added; until a run has taken that "
            "off, do not remove krm-fn",
            reason=NOT_LINKED,
        )
    for revision, kinds in find_held(plan, observation):
        names = listing((f"{kind.api_version}/{kind.kind}" for kind in kinds), is_sentence=True)
        report.warn(
            f"{revision.kind} {report.namespace}/{revision.name}: is kept, as an object of a kind that the linker "
            f"does not look at, or of which it is not known what is made, may need it; add {names} to "
            "spec.linker.kinds, with the kinds that are made of it, or delete the object"
        )
    for leak in plan_leaks(plan, observation):
        report.warn(
            f"{leak.kind} {report.namespace}/{leak.name}: the linker may no longer delete it, as no Job of its own "
            f"rendering has succeeded since it was created; delete it with its tracker: "
            f"{deletion_command([leak], report.namespace)}"
        )
