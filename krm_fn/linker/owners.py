"""Who must own which revision: exactly the live objects that name it."""

from collections.abc import Collection, Iterable, Iterator
from typing import NamedTuple

from krm_fn.linker.objects import Owner, Revision, User


class OwnerPatch(NamedTuple):
    """What changes in a revision's ownerReferences."""

    revision: Revision
    add: tuple[Owner, ...]
    remove: tuple[Owner, ...]

    @property
    def body(self) -> dict[str, object]:
        """A strategic merge patch. The uid is a precondition: an object made anew under this name is another one."""
        added = [owner.reference for owner in self.add]
        removed = [{"$patch": "delete", "uid": owner.uid} for owner in self.remove]
        return {"metadata": {"uid": self.revision.uid, "ownerReferences": [*added, *removed]}}


def plan_owners(revisions: Iterable[Revision], users: Collection[User], rendered: Collection[str]) -> list[OwnerPatch]:
    """One patch for each revision whose owners are not the objects that name it.

    `rendered` are the names of the present rendering. One of these that nothing current names yet is left alone: an
    owner from its earlier days could go, and take it along, before the deployer comes to its workload.
    """
    by_name = _by_name(users)
    live = {user.owner.uid for user in users}
    patches = []
    for revision in revisions:
        naming = by_name.get(revision.name, [])
        if revision.name in rendered and not any(user.current for user in naming) and not revision.is_retained:
            continue
        patch = _patch(revision, [] if revision.is_retained else naming, live)
        if patch.add or patch.remove:
            patches.append(patch)
    return patches


def plan_deletions(
    revisions: Iterable[Revision], users: Iterable[User], rendered: Collection[str], oldest: float
) -> list[Revision]:
    """Revisions that nothing names and nobody will: without an owner the garbage collector never looks at them.

    Those made after `oldest` (Unix seconds) may belong to a rendering that is just being applied.
    """
    named = {name for user in users for name in user.names}
    return [
        revision
        for revision in revisions
        if revision.name not in named
        and revision.name not in rendered
        and not revision.owners
        and not revision.is_retained
        and revision.created < oldest
    ]


def _by_name(users: Iterable[User]) -> dict[str, list[User]]:
    by_name: dict[str, list[User]] = {}
    for user in users:
        for name in user.names:
            by_name.setdefault(name, []).append(user)
    return by_name


def _patch(revision: Revision, naming: list[User], live: Collection[str]) -> OwnerPatch:
    own = {owner.uid for owner in revision.owners}
    add = [user.owner for user in _holders(naming) if user.owner.uid not in own]
    keep = {user.owner.uid for user in naming}
    remove = [owner for owner in revision.owners if owner.uid in live and owner.uid not in keep]
    return OwnerPatch(revision, tuple(sorted(add)), tuple(sorted(remove)))


def _holders(naming: list[User]) -> Iterator[User]:
    """Who is to be an owner: all but what is on its way out.

    A linker's Job names what it has linked. While its workload does so too that says nothing. Once the workload has
    moved on, it says that applying that rendering again would not run the Job again, so the Job has to hold on.
    """
    has_current = any(user.current for user in naming)
    for user in naming:
        if not user.is_leaving and not (user.is_linker and has_current):
            yield user
