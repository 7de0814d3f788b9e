"""What each template is to its workload: stable, canary, rolling out or past."""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from krm_fn.history.facts import Fact, Progress
from krm_fn.history.history import Role


class Roles(NamedTuple):
    """The role of each object that was made of a template, by uid, and after how many more rollouts it is deleted."""

    roles: Mapping[str, Role]
    rollouts_left: Mapping[str, int]


def newest_first(made: Iterable[Fact]) -> list[Fact]:
    """Sort what a controller made of templates. One that is used again gets a new number."""
    return sorted(made, key=lambda one: (one.number, one.created, one.name), reverse=True)


def find_roles(progress: Progress, made: Iterable[Fact], with_pods: Iterable[str]) -> Roles:
    """Find the roles of what a controller made. `with_pods` are the uids of those that have pods."""
    ordered = newest_first(made)
    newest = next((one for one in ordered if progress.newest in one.marks), None)
    if newest is None and not progress.newest:
        newest = next(iter(ordered), None)
    used = set(with_pods)
    roles = {one.uid: _role(one, newest, progress, has_pods=one.uid in used) for one in ordered}
    return Roles(roles, _count_rollouts(progress, [one for one in ordered if one is not newest]))


def _role(one: Fact, newest: Fact | None, progress: Progress, *, has_pods: bool) -> Role:
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


def _count_rollouts(progress: Progress, old: Sequence[Fact]) -> dict[str, int]:
    """Return after how many more rollouts of new templates each old one is deleted: controllers delete the oldest.

    Both controllers keep `revisionHistoryLimit` old ReplicaSets, and delete only those without pods: cleanupDeployment
    in Kubernetes' deployment/sync.go, reconcileRevisionHistoryLimit in Argo Rollouts' sync.go.
    """
    return {one.uid: max(0, progress.limit - position) for position, one in enumerate(old)}
