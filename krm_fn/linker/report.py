"""What a run has done, for people as it happens and for machines at its end."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

from krm_fn.linker.objects import Owner, Revision


class Change(NamedTuple):
    """One write."""

    kind: str
    name: str
    add: tuple[Owner, ...] = ()
    remove: tuple[Owner, ...] = ()
    deleted: bool = False

    def __str__(self) -> str:
        """`web-config-5t7h9k2b4c: + ReplicaSet/web-7c9f, - Deployment/web`."""
        if self.deleted:
            return f"{self.name}: deleted, as nothing names it"
        owners = [*(f"+ {owner}" for owner in self.add), *(f"- {owner}" for owner in self.remove)]
        return f"{self.name}: {', '.join(owners)}"


@dataclass
class Report:
    """Changes, notes and failures of a run. `say` gets each line as it comes about."""

    namespace: str
    say: Callable[[str], None]
    changes: list[Change] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)
    revisions: int = 0
    retained: int = 0

    def change(self, change: Change) -> None:
        self.changes.append(change)
        self.say(f"{change.kind} {self.namespace}/{change}")

    def note(self, sentence: str) -> None:
        self.notes.append(sentence)
        self.say(f"note: {sentence}")

    def fail(self, sentence: str) -> None:
        """Each is said once, however often it comes up."""
        if sentence not in self.failures:
            self.failures.append(sentence)

    def count(self, revisions: list[Revision]) -> None:
        """What there is in the end."""
        self.revisions = len(revisions)
        self.retained = sum(revision.is_retained for revision in revisions)

    def summary(self, what: str = "") -> str:
        """One line; `what` may be `would be `, for a run that only says what it would do."""
        deleted = sum(change.deleted for change in self.changes)
        linked = len({change[:2] for change in self.changes if not change.deleted})
        kept = f", {self.retained} kept without owners" if self.retained else ""
        failed = f", {len(self.failures)} failed" if self.failures else ""
        found = f"{self.revisions} revision{'s' * (self.revisions != 1)} in {self.namespace}"
        return f"{found}: {linked} {what}linked, {deleted} {what}deleted{kept}{failed}"

    def to_dict(self) -> dict[str, object]:
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
            "revisions": self.revisions,
            "retained": self.retained,
        }
