"""The run."""

from krm_fn.linker.cluster import Cluster, Failed
from krm_fn.linker.events import tell
from krm_fn.linker.objects import Owner
from krm_fn.linker.observe import Seen, observe
from krm_fn.linker.owners import OwnerPatch, plan_deletions, plan_owners
from krm_fn.linker.report import Change, Report
from krm_fn.linker.wait import wait_for_history, wait_for_workloads
from krm_fn.model.link_plan import LinkPlan

_ROUNDS = 3
"""How often to mend what changed while the last round was written. A busy namespace is left to the next run."""


def link(plan: LinkPlan, cluster: Cluster, report: Report) -> None:
    """Make ownership mirror use, once.

    Wait until the workloads name what was rendered for them. Tie every revision to whoever names it, and look again.
    Hand Secrets to their tags. Delete what nobody can need. Say what is missing.
    """
    late = wait_for_workloads(plan, cluster)
    before, unborn = wait_for_history(plan, cluster)
    tied = _tie(plan, before, cluster, report)
    _hand_over_secrets(plan, tied, cluster, report)
    after = _delete_unused(plan, tied, cluster, report)
    _say_what_is_missing([*late, *_vanished(before, after, cluster.namespace)], unborn, report)
    report.count(after.revisions)
    tell(plan, after.users, report.changes, cluster)


def _tie(plan: LinkPlan, seen: Seen, cluster: Cluster, report: Report) -> Seen:
    """Patch until nothing differs. What is returned was seen after the last patch."""
    rendered = {revision.name for revision in plan.rendered}
    for _ in range(_ROUNDS):
        patches = plan_owners(seen.revisions, seen.users, rendered)
        done = [_patch(patch, cluster, report) for patch in patches]
        if not any(done):
            break
        seen = observe(plan, cluster)
    return seen


def _patch(patch: OwnerPatch, cluster: Cluster, report: Report) -> bool:
    try:
        done = cluster.patch_owners(patch)
    except Failed as failed:
        report.fail(str(failed))
        return False
    if done:
        report.change(Change(patch.revision.kind, patch.revision.name, patch.add, patch.remove))
    return True


def _hand_over_secrets(plan: LinkPlan, seen: Seen, cluster: Cluster, report: Report) -> None:
    """A Secret goes with its tag. Not before the tag has an owner: until then it could be deleted for having none."""
    tags = {revision.name: revision for revision in seen.revisions if revision.is_tag and revision.owners}
    for kind, name in sorted(plan.rendered):
        if kind != "Secret" or name not in tags:
            continue
        owner = Owner("v1", "ConfigMap", name, tags[name].uid)
        try:
            secret = cluster.secret(name)
            if secret is None:
                report.fail(f"Secret {cluster.namespace}/{name}: does not exist; apply the rendering again")
            elif owner.uid not in {one.uid for one in secret.owners} and cluster.own_secret(secret, owner):
                report.change(Change(kind, name, add=(owner,)))
        except Failed as failed:
            report.fail(str(failed))


def _delete_unused(plan: LinkPlan, seen: Seen, cluster: Cluster, report: Report) -> Seen:
    """Delete what a second look finds without owners and unnamed as well, and look once more."""
    rendered = {revision.name for revision in plan.rendered}
    oldest = cluster.now() - plan.minimum_age
    if not plan_deletions(seen.revisions, seen.users, rendered, oldest):
        return seen
    seen = observe(plan, cluster)
    for revision in plan_deletions(seen.revisions, seen.users, rendered, oldest):
        try:
            if cluster.delete(revision):
                report.change(Change(revision.kind, revision.name, deleted=True))
        except Failed as failed:
            report.fail(str(failed))
    return observe(plan, cluster)


def _vanished(before: Seen, after: Seen, namespace: str) -> list[str]:
    """What went while something live wants it: somebody went back to a revision in the moment of its collection."""
    live = {revision.name for revision in after.revisions}
    wanted = {name: user for user in after.users if user.current for name in user.names}
    return [
        f"{revision.kind} {namespace}/{revision.name}: is gone, though {wanted[revision.name].owner} names it"
        for revision in before.revisions
        if revision.name not in live and revision.name in wanted
    ]


def _say_what_is_missing(missing: list[str], unborn: list[str], report: Report) -> None:
    for sentence in missing:
        report.fail(f"{sentence}; apply the rendering again, or see why that failed")
    for sentence in unborn:
        report.note(f"{sentence}; it is linked by the next run, and safe until then")
