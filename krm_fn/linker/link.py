"""Keep ownerReferences in step with the objects that use each revision."""

from krm_fn.linker.api_errors import ApiError
from krm_fn.linker.cluster import Cluster
from krm_fn.linker.events import record_events
from krm_fn.linker.objects import Owner
from krm_fn.linker.observe import Observation, observe
from krm_fn.linker.owners import OwnerPatch, plan_deletions, plan_owners
from krm_fn.linker.report import Change, Report
from krm_fn.linker.wait import wait_for_history, wait_for_workloads
from krm_fn.model.link_plan import LinkPlan

_ROUNDS = 3
"""How often owners are compared again with what changed meanwhile. A busy namespace is left to the next run."""


def link(plan: LinkPlan, cluster: Cluster, report: Report) -> None:
    """Make the consumers of each revision its owners, once.

    Waits until the workloads reference what was rendered for them. Then adds and removes owners, makes each tracker the
    owner of its Secret, deletes what nothing references, and reports what is missing. Raises ApiError and Stopped.
    """
    missing = wait_for_workloads(plan, cluster)
    before, without_history = wait_for_history(plan, cluster)
    linked = _link_revisions(plan, before, cluster, report)
    _link_secrets(plan, linked, cluster, report)
    after = _delete_unreferenced(plan, linked, cluster, report)
    lost = _deleted_though_referenced(before, after, cluster.namespace)
    _report_missing([*missing, *lost], without_history, report)
    report.count(after.revisions)
    record_events(plan, after, report.changes, cluster)


def _link_revisions(plan: LinkPlan, observation: Observation, cluster: Cluster, report: Report) -> Observation:
    """Patch owners until nothing differs. Returns what was observed after the last patch."""
    rendered = {revision.name for revision in plan.rendered}
    for _ in range(_ROUNDS):
        patches = plan_owners(observation.revisions, observation.consumers, rendered)
        attempted = [_patch(patch, cluster, report) for patch in patches]
        if not any(attempted):
            break
        observation = observe(plan, cluster)
    return observation


def _patch(patch: OwnerPatch, cluster: Cluster, report: Report) -> bool:
    """Patch one revision. False if the API server refused, so that another try would not help."""
    try:
        is_patched = cluster.patch_owners(patch)
    except ApiError as error:
        report.fail(str(error))
        return False
    if is_patched:
        report.change(Change(patch.revision.kind, patch.revision.name, patch.add, patch.remove))
    return True


def _link_secrets(plan: LinkPlan, observation: Observation, cluster: Cluster, report: Report) -> None:
    """Make each tracker that has an owner the owner of its Secret.

    A tracker without an owner may still be deleted as unreferenced, and would take the Secret along.
    """
    trackers = {
        revision.name: revision for revision in observation.revisions if revision.is_tracker and revision.owners
    }
    for kind, name in sorted(plan.rendered):
        if kind != "Secret" or name not in trackers:
            continue
        tracker = Owner("v1", "ConfigMap", name, trackers[name].uid)
        try:
            secret = cluster.secret(name)
            if secret is None:
                report.fail(f"Secret {cluster.namespace}/{name}: does not exist; apply the manifests again")
                continue
            has_tracker = tracker.uid in {owner.uid for owner in secret.owners}
            if not has_tracker and cluster.add_secret_owner(secret, tracker):
                report.change(Change(kind, name, add=(tracker,)))
        except ApiError as error:
            report.fail(str(error))


def _delete_unreferenced(plan: LinkPlan, observation: Observation, cluster: Cluster, report: Report) -> Observation:
    """Delete what a second observation finds unreferenced as well. Returns the last observation."""
    rendered = {revision.name for revision in plan.rendered}
    created_before = observation.now - plan.minimum_age
    if not plan_deletions(observation.revisions, observation.consumers, rendered, created_before):
        return observation
    observation = observe(plan, cluster)
    for revision in plan_deletions(observation.revisions, observation.consumers, rendered, created_before):
        try:
            if cluster.delete(revision):
                report.change(Change(revision.kind, revision.name, deleted=True))
        except ApiError as error:
            report.fail(str(error))
    return observe(plan, cluster)


def _deleted_though_referenced(before: Observation, after: Observation, namespace: str) -> list[str]:
    """Find revisions that were deleted during the run although a current object references them again."""
    live = {revision.name for revision in after.revisions}
    current = [consumer for consumer in after.consumers if consumer.is_current]
    consumers = {name: consumer for consumer in current for name in consumer.references}
    return [
        f"{revision.kind} {namespace}/{revision.name}: was deleted although {consumers[revision.name].owner} "
        "references it"
        for revision in before.revisions
        if revision.name not in live and revision.name in consumers
    ]


def _report_missing(missing: list[str], without_history: list[str], report: Report) -> None:
    for sentence in missing:
        report.fail(f"{sentence}; apply the manifests again, or find out why applying them failed")
    for sentence in without_history:
        report.note(f"{sentence}; the next run links it, and its revisions are kept until then")
