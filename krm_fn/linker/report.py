"""Collect what a run has done: lines for people as it happens, one document for machines at its end."""

from collections.abc import Callable
from typing import NamedTuple

from krm_fn.linker.objects import Owner, Revision
from krm_fn.model.printable import count, printable


class Change(NamedTuple):
    """One write. Of a deleted revision, `remove` holds its last owners."""

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


REVISION_MISSING, NOT_LINKED = "RevisionMissing", "NotLinked"
"""The reasons of Events about problems."""


class Problem(NamedTuple):
    """What is wrong, in a sentence, and the object that has the problem, if that exists.

    A failure is a revision that is missing and referenced, or a planned kind that the API server does not have: no
    later run would find more. Everything else can only keep objects for too long.
    """

    sentence: str
    owner: Owner | None
    is_failure: bool
    reason: str


class Report:
    """The changes, notes and problems of a run. `log` is called with each line when it happens."""

    def __init__(self, namespace: str, log: Callable[[str], None]) -> None:
        self.namespace = namespace
        self.log = log
        self.changes: list[Change] = []
        self.notes: list[str] = []
        self.problems: list[Problem] = []
        self.revisions = 0
        self.retained = 0

    @property
    def failures(self) -> list[str]:
        return [problem.sentence for problem in self.problems if problem.is_failure]

    @property
    def warnings(self) -> list[str]:
        return [problem.sentence for problem in self.problems if not problem.is_failure]

    def change(self, change: Change) -> None:
        self.changes.append(change)
        self.log(printable(f"{change.kind} {self.namespace}/{change}"))

    def note(self, sentence: str) -> None:
        self.notes.append(sentence)
        self.log(printable(f"note: {sentence}"))

    def fail(self, sentence: str, owner: Owner | None = None, reason: str = REVISION_MISSING) -> None:
        """Add a failure, unless the same one has been added before."""
        self._add(Problem(sentence, owner, is_failure=True, reason=reason))

    def warn(self, sentence: str, owner: Owner | None = None) -> None:
        """Add a warning, unless the same one has been added before."""
        self._add(Problem(sentence, owner, is_failure=False, reason=NOT_LINKED))

    def _add(self, problem: Problem) -> None:
        if problem.sentence not in {one.sentence for one in self.problems}:
            self.problems.append(problem)

    def count(self, revisions: list[Revision]) -> None:
        """Count the revisions that exist at the end."""
        self.revisions = len(revisions)
        self.retained = sum(revision.is_retained for revision in revisions)

    def summary(self, *, dry_run: bool = False) -> str:
        """Sum up in one line: `2 revisions in shop: 2 linked, 1 deleted`."""
        would_be = "would be " if dry_run else ""
        found = f"{count(self.revisions, 'revision')} in {self.namespace}"
        linked = len({change[:2] for change in self.changes if not change.deleted})
        deleted = sum(change.deleted for change in self.changes)
        retained = f", {self.retained} retained without owners" if self.retained else ""
        failed = f", {len(self.failures)} failed" if self.failures else ""
        warned = f", {count(len(self.warnings), 'warning')}" if self.warnings else ""
        return f"{found}: {linked} {would_be}linked, {deleted} {would_be}deleted{retained}{failed}{warned}"

    def to_dict(self) -> dict[str, object]:
        """Return the report as plain values, for JSON."""
        return {
            "namespace": self.namespace,
            "changes": [
                {
                    "kind": change.kind,
                    "name": change.name,
                    "add": [owner.reference for owner in change.add],
                    "remove": [owner.reference for owner in change.remove],
                    "deleted": change.deleted,
                }
                for change in self.changes
            ],
            "notes": self.notes,
            "failures": self.failures,
            "warnings": self.warnings,
            "revisions": self.revisions,
            "retained": self.retained,
        }
