"""What each live revision is to its workload: in use, canary, on the way out."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from krm_fn.history.history import Pods, Role
from krm_fn.history.live_object import LiveObject, Pod, Progress
from krm_fn.history.snapshot import Snapshot
from krm_fn.model.kinds import consumer_named


class Roles(NamedTuple):
    """The role of each object that was made of a template, by uid, and after how many more rollouts it is deleted."""

    roles: Mapping[str, Role]
    rollouts_left: Mapping[str, int]


def newest_first(made: Iterable[LiveObject]) -> list[LiveObject]:
    """Sort what a controller made of templates. One that is used again gets a new number."""
    return sorted(made, key=lambda one: (one.number, one.created, one.name), reverse=True)


def find_roles(progress: Progress, made: Iterable[LiveObject], with_pods: Iterable[str]) -> Roles:
    """Find the roles of what a controller made. `with_pods` are the uids of those that have pods."""
    ordered = newest_first(made)
    newest = next((one for one in ordered if progress.newest in one.marks), None)
    if newest is None and not progress.newest:
        newest = next(iter(ordered), None)
    used = set(with_pods)
    roles = {one.uid: _role(one, newest, progress, has_pods=one.uid in used) for one in ordered}
    return Roles(roles, _count_rollouts(progress, [one for one in ordered if one is not newest]))


def _role(one: LiveObject, newest: LiveObject | None, progress: Progress, *, has_pods: bool) -> Role:
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


def _count_rollouts(progress: Progress, old: Sequence[LiveObject]) -> dict[str, int]:
    """Return after how many more rollouts of new templates each old one is deleted: controllers delete the oldest.

    Both controllers keep `revisionHistoryLimit` old ReplicaSets, and delete only those without pods: cleanupDeployment
    in Kubernetes' deployment/sync.go, reconcileRevisionHistoryLimit in Argo Rollouts' sync.go.
    """
    return {one.uid: max(0, progress.limit - position) for position, one in enumerate(old)}


_NO_ROLES = Roles({}, {})


class Live:
    """The pods and roles of a snapshot."""

    def __init__(self, snapshot: Snapshot) -> None:
        self.snapshot = snapshot
        self._by_controller: dict[str, list[Pod]] = defaultdict(list)
        self._by_name = {pod.name: pod for pod in snapshot.pods or ()}
        self._by_reference: dict[str, list[Pod]] = defaultdict(list)
        for pod in snapshot.pods or ():
            self._by_controller[pod.controller].append(pod)
            for name in pod.references:
                self._by_reference[name].append(pod)
        self._made: dict[str, list[LiveObject]] = defaultdict(list)
        for fact in snapshot.facts.values():
            if fact.kind != "Pod":
                self._made[fact.controller].append(fact)
        self._roles = {
            uid: find_roles(fact.progress, self._made[uid], [one.uid for one in self._made[uid] if self._has_pods(one)])
            for uid, fact in snapshot.facts.items()
            if fact.progress is not None
        }

    def made_by(self, workload: LiveObject) -> list[LiveObject]:
        """Return what the controller of a workload made of its templates."""
        return self._made[workload.uid]

    def role_of(self, fact: LiveObject) -> Role | None:
        """Return what a template is to its workload; None for any other object, or if the workload is unknown."""
        return self._roles.get(fact.controller, _NO_ROLES).roles.get(fact.uid)

    def rollouts_left(self, fact: LiveObject) -> int | None:
        """Return after about how many more rollouts the object is deleted; None if nobody deletes it."""
        return self._roles.get(fact.controller, _NO_ROLES).rollouts_left.get(fact.uid)

    def pods_with(self, revision: str) -> Pods | None:
        """Count the pods whose own spec references a revision; None if pods could not be listed."""
        return None if self.snapshot.pods is None else count_pods(self._by_reference.get(revision, ()))

    def pods_of(self, fact: LiveObject) -> Pods | None:
        """Count the pods of an object that makes pods, or of a pod; None if nothing says how many there are."""
        if self.snapshot.pods is None:
            return None if fact.replicas is None else Pods(fact.replicas)
        pods = self._pods_of(fact)
        return count_pods(pods) if pods or consumer_named(fact.kind).expects_pods else None

    def _pods_of(self, fact: LiveObject) -> list[Pod]:
        if fact.progress is not None:
            return []  # they are those of what its controller made
        if fact.kind == "Pod":
            return [self._by_name[fact.name]] if fact.name in self._by_name else []
        if fact.kind == "ControllerRevision":
            return [pod for pod in self._by_controller.get(fact.controller, ()) if pod.marks & fact.marks]
        return self._by_controller.get(fact.uid, [])

    def _has_pods(self, fact: LiveObject) -> bool:
        pods = self.pods_of(fact)
        return pods is not None and pods.total > 0


def count_pods(pods: Iterable[Pod]) -> Pods:
    """Count pods. Of several problems, the most frequent one is told."""
    found = list(pods)
    problems = Counter(pod.problem for pod in found if pod.problem)
    problem = min(problems, key=lambda one: (-problems[one], one), default="")
    return Pods(len(found), sum(pod.is_ready for pod in found), problem)
