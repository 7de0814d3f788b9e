"""Collect what a run does: lines for people at once, one document for machines at its end."""

from collections.abc import Callable

from krm_fn.base.link_plan import LinkPlan
from krm_fn.base.named_tuple import NamedTuple
from krm_fn.base.problem import count, listing, printable
from krm_fn.core.names.names import without_hash
from krm_fn.linker.cluster import Cluster
from krm_fn.linker.objects import LiveRevision, Observation, Owner

_MAX_EVENTS = 10
"""Events of one sort in one run: a thousand Events would displace those of others."""

_MAX_CHANGES = 5
"""Changes that one Event lists."""

REVISION_MISSING, NOT_LINKED = "RevisionMissing", "NotLinked"
"""The reasons of Events about problems."""


class Write(NamedTuple):
    """One write. `remove` holds the last owners of a deleted revision."""

    kind: str
    name: str
    add: tuple[Owner, ...] = ()
    remove: tuple[Owner, ...] = ()
    deleted: bool = False

    def __str__(self) -> str:
        """`web-config-5t7h9k2b4c: + Deployment/web, + ReplicaSet/web-7c9f`."""
        if self.deleted:
            last = f"; last referenced by {', '.join(map(str, self.remove))}" if self.remove else ""
            return f"{self.name}: deleted, nothing references it{last}"
        owners = [*(f"+ {owner}" for owner in self.add), *(f"- {owner}" for owner in self.remove)]
        return f"{self.name}: {', '.join(owners)}"


class LinkProblem(NamedTuple):
    """A problem in a sentence, and the object that has it, if that exists.

    A failure is a revision that is missing and referenced, or a planned kind that the API server
    does not have: no later run would find more. Everything else can only keep objects for too long.
    """

    sentence: str
    owner: Owner | None
    is_failure: bool
    reason: str


class Report:
    """The changes, notes and problems of a run. `log` is called with each line when it happens.

    `refusals_fail`: a write that the API server refuses is a failure, as no Job of a release fails.
    """

    def __init__(
        self, namespace: str, log: Callable[[str], None], *, refusals_fail: bool = False
    ) -> None:
        self.namespace = namespace
        self.log = log
        self._refusals_fail = refusals_fail
        self.changes: list[Write] = []
        self.notes: list[str] = []
        self.problems: list[LinkProblem] = []
        self.revisions = 0
        self.retained = 0

    @property
    def failures(self) -> list[str]:
        return [problem.sentence for problem in self.problems if problem.is_failure]

    @property
    def warnings(self) -> list[str]:
        return [problem.sentence for problem in self.problems if not problem.is_failure]

    def change(self, change: Write) -> None:
        self.changes.append(change)
        self.log(printable(f"{change.kind} {self.namespace}/{change}"))

    def note(self, sentence: str) -> None:
        self.notes.append(sentence)
        self.log(printable(f"note: {sentence}"))

    def fail(
        self, sentence: str, owner: Owner | None = None, reason: str = REVISION_MISSING
    ) -> None:
        self._add(LinkProblem(sentence, owner, is_failure=True, reason=reason))

    def warn(self, sentence: str, owner: Owner | None = None) -> None:
        self._add(LinkProblem(sentence, owner, is_failure=False, reason=NOT_LINKED))

    def refuse(self, sentence: str) -> None:
        """Say that the API server has refused a write, or what comes before it."""
        if self._refusals_fail:
            self.fail(sentence, reason=NOT_LINKED)
        else:
            self.warn(sentence)

    def _add(self, problem: LinkProblem) -> None:
        if problem.is_failure:
            said = problem.sentence
            self.problems = [one for one in self.problems if one.is_failure or one.sentence != said]
        # A run observes several times, and finds the same problem each time.
        if problem.sentence not in {one.sentence for one in self.problems}:
            self.problems.append(problem)

    def count(self, revisions: list[LiveRevision]) -> None:
        """Count the revisions that exist at the end."""
        self.revisions = len(revisions)
        self.retained = sum(revision.is_retained for revision in revisions)

    @property
    def linked(self) -> int:
        """How many objects have got or lost an owner."""
        return len({change[:2] for change in self.changes if not change.deleted})

    @property
    def deleted(self) -> int:
        return sum(change.deleted for change in self.changes)

    def summary(self, *, dry_run: bool = False) -> str:
        """Sum up in one line: `2 revisions in shop: 2 linked, 1 deleted`."""
        would_be = "would be " if dry_run else ""
        found = f"{count(self.revisions, 'revision')} in {self.namespace}"
        retained = f", {self.retained} retained without owners" if self.retained else ""
        failed = f", {len(self.failures)} failed" if self.failures else ""
        warned = f", {count(len(self.warnings), 'warning')}" if self.warnings else ""
        linked, deleted = self.linked, self.deleted
        return f"{found}: {linked} {would_be}linked, {deleted} {would_be}deleted{retained}{failed}{warned}"

    def to_dict(self) -> dict[str, object]:
        changes: list[dict[str, object]] = []
        for change in self.changes:
            add = [owner.reference for owner in change.add]
            remove = [owner.reference for owner in change.remove]
            changes.append(
                {
                    "kind": change.kind,
                    "name": change.name,
                    "add": add,
                    "remove": remove,
                    "deleted": change.deleted,
                }
            )
        return {
            "namespace": self.namespace,
            "changes": changes,
            "notes": self.notes,
            "failures": self.failures,
            "warnings": self.warnings,
            "revisions": self.revisions,
            "retained": self.retained,
        }


def record_events(
    plan: LinkPlan, observation: Observation, report: Report, cluster: Cluster
) -> None:
    """Record owners on workloads, deletions on the inventory, problems where they are.

    A problem without such an object is recorded on the Job of this run, or on the inventory.
    """
    linked = [change for change in report.changes if not change.deleted]
    for owner, changes in _by_workload(plan, observation, linked)[:_MAX_EVENTS]:
        cluster.record_event(owner, "RevisionsLinked", _list(changes), observation.now)
    inventory = observation.inventory.owner if observation.inventory else None
    deleted = [change for change in report.changes if change.deleted]
    if inventory:
        for part in _in_parts(deleted):
            cluster.record_event(inventory, "RevisionsDeleted", _list(part), observation.now)
    # A Job of an earlier rendering may still be there: this run is that of the Job with the same
    # plan.
    arguments = tuple(plan.to_arguments())
    jobs = [consumer.owner for consumer in observation.consumers if consumer.arguments == arguments]
    for problem in report.problems[:_MAX_EVENTS]:
        concerned = problem.owner or next(reversed(jobs), inventory)
        if concerned:
            cluster.record_event(
                concerned, problem.reason, problem.sentence, observation.now, is_warning=True
            )


def _by_workload(
    plan: LinkPlan, observation: Observation, changes: list[Write]
) -> list[tuple[Owner, list[Write]]]:
    """Return the planned workloads that exist, each with the changes of its revisions, if any."""
    owners = {consumer.owner[:3]: consumer.owner for consumer in observation.consumers}
    found = []
    for workload in plan.workloads:
        owner = owners.get(workload[:3])
        bases = {without_hash(revision.name) for revision in workload.revisions}
        concerned = [change for change in changes if without_hash(change.name) in bases]
        if owner and concerned:
            found.append((owner, concerned))
    return found


def _in_parts(changes: list[Write]) -> list[list[Write]]:
    """Split the changes into as many as fit into an Event; the last part holds all others."""
    starts = range(0, len(changes), _MAX_CHANGES)
    parts = [changes[start : start + _MAX_CHANGES] for start in starts[: _MAX_EVENTS - 1]]
    rest = changes[_MAX_CHANGES * (_MAX_EVENTS - 1) :]
    return [*parts, rest] if rest else parts


def _list(changes: list[Write]) -> str:
    return listing((f"{change.kind} {change}" for change in changes), _MAX_CHANGES, "; ", ",")
