"""Decide which live objects own which revision, and which revisions are deleted."""

from collections.abc import Collection, Iterable, Iterator
from typing import NamedTuple

from krm_fn.linker.objects import Consumer, Owner, Revision


class OwnerPatch(NamedTuple):
    """A change of a revision's ownerReferences."""

    revision: Revision
    add: tuple[Owner, ...]
    remove: tuple[Owner, ...]

    @property
    def body(self) -> dict[str, object]:
        """The strategic merge patch.

        The uid is a precondition: the API server refuses the patch if another object has the name by now.
        """
        added = [owner.reference for owner in self.add]
        removed = [{"$patch": "delete", "uid": owner.uid} for owner in self.remove]
        return {"metadata": {"uid": self.revision.uid, "ownerReferences": [*added, *removed]}}


def plan_owners(
    revisions: Iterable[Revision], consumers: Collection[Consumer], rendered: Collection[str]
) -> list[OwnerPatch]:
    """Plan one patch for each revision whose owners are not its consumers.

    `rendered` holds the names of the current rendering. A rendered revision that no current object references yet is
    left alone: an old owner could be deleted, and the revision with it, before the deployer applies the workload.
    """
    consumers_by_name = _by_referenced_name(consumers)
    live = {consumer.owner.uid for consumer in consumers}
    patches = []
    for revision in revisions:
        its_consumers = consumers_by_name.get(revision.name, [])
        is_referenced_now = any(consumer.is_current for consumer in its_consumers)
        if revision.name in rendered and not is_referenced_now and not revision.is_retained:
            continue
        patch = _patch(revision, [] if revision.is_retained else its_consumers, live)
        if patch.add or patch.remove:
            patches.append(patch)
    return patches


def plan_deletions(
    revisions: Iterable[Revision], consumers: Iterable[Consumer], rendered: Collection[str], created_before: float
) -> list[Revision]:
    """Find the revisions that nothing references or owns: the garbage collector ignores objects without owners.

    A revision created at `created_before` (Unix seconds) or later may belong to a rendering that is being applied.
    """
    referenced = {name for consumer in consumers for name in consumer.references}
    return [
        revision
        for revision in revisions
        if revision.name not in referenced
        and revision.name not in rendered
        and not revision.owners
        and not revision.is_retained
        and revision.created < created_before
    ]


def _by_referenced_name(consumers: Iterable[Consumer]) -> dict[str, list[Consumer]]:
    by_name: dict[str, list[Consumer]] = {}
    for consumer in consumers:
        for name in consumer.references:
            by_name.setdefault(name, []).append(consumer)
    return by_name


def _patch(revision: Revision, consumers: list[Consumer], live: Collection[str]) -> OwnerPatch:
    owners = {owner.uid for owner in revision.owners}
    add = [consumer.owner for consumer in _new_owners(consumers) if consumer.owner.uid not in owners]
    keep = {consumer.owner.uid for consumer in consumers}
    remove = [owner for owner in revision.owners if owner.uid in live and owner.uid not in keep]
    return OwnerPatch(revision, tuple(sorted(add)), tuple(sorted(remove)))


def _new_owners(consumers: list[Consumer]) -> Iterator[Consumer]:
    """Yield the consumers that may become owners: all but those that are being deleted.

    A linker's Job references what it links. As long as a workload references the revision too, the Job adds nothing.
    Once the workload references another revision, the Job has to be an owner: it does not run again when the earlier
    manifests are applied again.
    """
    has_current = any(consumer.is_current for consumer in consumers)
    for consumer in consumers:
        if not consumer.is_being_deleted and not (consumer.is_linker_job and has_current):
            yield consumer
