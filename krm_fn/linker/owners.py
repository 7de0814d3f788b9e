"""Decide which live objects own which revision, and which revisions are deleted.

Owners are only added: the inventory and every consumer that a run has seen. So nothing is lost when
the history of a workload is trimmed, or when a workload goes back to an earlier revision and no run
has seen that yet.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from enum import StrEnum

from krm_fn.base import keys
from krm_fn.base.item import WORD
from krm_fn.base.kind import ALWAYS_LISTED, CONSUMER_KINDS, Kind, find_made, is_making_known
from krm_fn.base.link_plan import LinkPlan
from krm_fn.base.named_tuple import NamedTuple
from krm_fn.base.producer import RENAMABLE
from krm_fn.linker.objects import (
    Consumer,
    Inventory,
    LiveRevision,
    Observation,
    Owner,
    listed_by,
)

_GROUPS = {kind: group for group, kind in RENAMABLE}  # no two groups share one of these kinds


class Keeper(StrEnum):
    """Why a run does not delete a revision."""

    REFERENCED = "referenced"
    RENDERED = "rendered"
    RETAINED = "retained"
    FOREIGN_OWNER = "foreign owner"
    YOUNG = "young"
    UNSEEN = "unseen kind"
    """An object of a kind that the run has not seen may need it."""

    UNLINKED_TRACKER = "unlinked tracker"
    """No run has linked the Secret of this tracker in time: the Secret would stay without it."""


class Leak(NamedTuple):
    """An unneeded Secret, or producer, that no run may delete any more, with its trackers.

    A person deletes it before its trackers: an ExternalSecret that stays would make its Secret anew, and without the
    tracker nobody would know of it.
    """

    kind: str
    name: str
    trackers: tuple[LiveRevision, ...]

    @property
    def objects(self) -> list[str]:
        """The objects to delete, in order, as kubectl names them.

        Two operators may share a kind, so with its group.
        """
        resource = ".".join(filter(None, [self.kind.lower(), _GROUPS.get(self.kind)]))
        return [
            f"{resource}/{self.name}",
            *(f"configmap/{tracker.name}" for tracker in self.trackers),
        ]


class RevisionPatch(NamedTuple):
    """A change of a revision's metadata. The value None removes an annotation.

    `is_of_version`: it is refused if anybody has written to the revision since it was read.
    """

    revision: LiveRevision
    add: tuple[Owner, ...] = ()
    remove: tuple[Owner, ...] = ()
    annotations: tuple[tuple[str, str | None], ...] = ()
    is_of_version: bool = False

    @property
    def body(self) -> dict[str, object]:
        """The strategic merge patch.

        The uid is a precondition: the API server refuses the patch if another object has the name
        by now.
        """
        added = [owner.reference for owner in self.add]
        removed = [{"$patch": "delete", "uid": owner.uid} for owner in self.remove]
        owners = {"ownerReferences": [*added, *removed]} if added or removed else {}
        annotations = {"annotations": dict(self.annotations)} if self.annotations else {}
        metadata = {"uid": self.revision.uid, **annotations, **owners}
        if self.is_of_version:
            metadata["resourceVersion"] = self.revision.resource_version
        return {"metadata": metadata}

    @property
    def result(self) -> LiveRevision:
        """The revision as it is after the patch, but for its resource version."""
        owners = tuple(
            owner for owner in (*self.revision.owners, *self.add) if owner not in self.remove
        )
        values = dict(self.annotations)
        is_wanted = values.get(keys.WANTED, "true" if self.revision.is_wanted else None) == "true"
        owned = "true" if self.revision.owns_secret else None
        seen_kinds = values.get(keys.SEEN_KINDS)
        return self.revision._replace(
            owners=owners,
            is_wanted=is_wanted,
            owns_secret=values.get(keys.OWNS_SECRET, owned) == "true",
            seen_kinds=frozenset(seen_kinds.split(",")) if seen_kinds else self.revision.seen_kinds,
        )


def plan_owners(plan: LinkPlan, observation: Observation) -> list[RevisionPatch]:
    """Plan one patch for each revision that lacks an owner or an annotation.

    A retained revision loses the owners that a linker has added: its consumers are not known. So
    does each revision of a set whose package leaves krm-fn.
    """
    consumers = by_referenced_name(observation.consumers)
    wanted = {
        *consumers,
        *rendered_names(plan, observation),
        *observation.rendered_elsewhere,
    }
    patches = []
    for revision in observation.revisions:
        own = consumers.get(revision.name, [])
        annotations: list[tuple[str, str | None]] = []
        kinds = _kinds_to_remember(revision, own)
        if kinds:
            annotations.append((keys.SEEN_KINDS, kinds))
        remove: tuple[Owner, ...] = ()
        if revision.is_retained or observation.is_leaving:
            hold = _find_hold(plan, revision, observation)
            remove = tuple(
                one for one in linker_owners(plan, observation, revision) if one not in hold
            )
            add = tuple(one for one in hold if one not in revision.owners)
        else:
            add = _missing_owners(revision, observation.inventory, own)
        if revision.name in wanted and not revision.is_wanted and not revision.is_retained:
            annotations.append((keys.WANTED, "true"))
        if add or remove or annotations:
            patches.append(RevisionPatch(revision, add, remove, tuple(annotations)))
    return [*patches, *_plan_borrowed(observation, consumers)]


def _plan_borrowed(
    observation: Observation, consumers: Mapping[str, list[Consumer]]
) -> Iterator[RevisionPatch]:
    """Plan the owners of revisions with the label of another set: these only get more of them.

    Each inventory that lists one owns it, so that it outlives any one of its sets. None is given
    its first owner, unless by its own set it would have that.
    """
    if observation.is_leaving:
        return
    for revision in observation.borrowed:
        listing = [one for one in observation.others if revision.name in one.references]
        lender = next((one for one in listing if one.set_name == revision.set_name), None)
        is_released = revision.is_retained or (lender is not None and lender.is_leaving)
        has_owner = bool(revision.owners) or (lender and lender.owner in observation.peers)
        if is_released or not has_owner:
            continue
        own = consumers.get(revision.name, [])
        add = {one.owner for one in listing if one.owner in observation.peers}
        add |= {*_missing_owners(revision, observation.inventory, own)}
        add -= {*revision.owners}
        kinds = _kinds_to_remember(revision, own)
        annotations = ((keys.SEEN_KINDS, kinds),) if kinds else ()
        if add or annotations:
            yield RevisionPatch(revision, tuple(sorted(add)), annotations=annotations)


def _kinds_to_remember(revision: LiveRevision, consumers: Iterable[Consumer]) -> str:
    """Return the annotation with all kinds that a run has seen of it; `""` if that is there already."""
    kinds = revision.seen_kinds | revision.rendered_kinds
    for consumer in consumers:
        owner = consumer.owner
        if owner.group_kind not in ALWAYS_LISTED:
            kinds |= {f"{owner.api_version}/{owner.kind}"}
    return "" if kinds == revision.seen_kinds else ",".join(sorted(kinds))


def _find_hold(
    plan: LinkPlan, revision: LiveRevision, observation: Observation
) -> tuple[Owner, ...]:
    """Return the inventory where a retained revision has an owner that is not taken off.

    It would go with the last of these. A linker that knew its kind may have added that owner.
    """
    inventory = observation.inventory
    if inventory is None or inventory.is_leaving or revision.name not in inventory.references:
        return ()
    has_others = len(linker_owners(plan, observation, revision)) < len(revision.owners)
    return (inventory.owner,) if has_others else ()


def plan_deletions(plan: LinkPlan, observation: Observation) -> list[LiveRevision]:
    """Find the revisions that no live object references.

    A young revision may belong to a rendering that is being applied.
    """
    return [revision for revision, keepers in _judge(plan, observation) if not keepers]


def _judge(
    plan: LinkPlan, observation: Observation
) -> list[tuple[LiveRevision, frozenset[Keeper]]]:
    """Find what keeps each revision, to delete it.

    None is judged while a kind of consumers cannot be read, or while there is no inventory to say
    what is rendered now.
    """
    if observation.inventory is None or observation.unread:
        return []
    return find_keepers(plan, observation)


def plan_leaks(plan: LinkPlan, observation: Observation) -> list[Leak]:
    """Find what stays as no run has linked it in time, and what a person may delete.

    A producer of several Secrets stays as long as one of them has another reason to.
    """
    trackers: dict[tuple[str, str], list[LiveRevision]] = defaultdict(list)
    needed = set()
    for revision, keepers in _judge(plan, observation):
        if revision.is_tracker:
            trackers[_origin(revision)].append(revision)
            if keepers != {Keeper.UNLINKED_TRACKER}:
                needed.add(_origin(revision))
    return [
        Leak(kind, name, tuple(found))
        for (kind, name), found in trackers.items()
        if (kind, name) not in needed and (kind == "Secret" or kind in _GROUPS)
    ]


def find_unreleased(plan: LinkPlan, observation: Observation) -> list[str]:
    """Find what is rendered in the last release, and would still go with something else."""
    if not observation.is_leaving:
        return []
    listed = listed_by(observation.inventory)
    return [
        revision.name
        for revision in observation.revisions
        if revision.name in listed and linker_owners(plan, observation, revision)
    ]


def find_abandoned(plan: LinkPlan, observation: Observation) -> list[LiveRevision]:
    """Find the revisions whose owners are all gone: the garbage collector is about to delete them.

    An owner that no linker adds may be of a kind that is not read.
    """
    if observation.unread:
        return []
    live = {consumer.owner.uid for consumer in observation.consumers}
    live |= {inventory.owner.uid for inventory in observation.others}
    if observation.inventory:
        live.add(observation.inventory.owner.uid)
    return [
        revision
        for revision in observation.revisions
        if revision.owners
        and linker_owners(plan, observation, revision) == tuple(sorted(revision.owners))
        and live.isdisjoint(owner.uid for owner in revision.owners)
    ]


def say_abandoned(names: str, number: int = 1) -> str:
    """Say that the garbage collector is about to delete so many revisions."""
    whose = "its" if number == 1 else "their"
    return f"{names}: all {whose} owners are gone: about to be collected; apply the manifests again"


def deletion_command(leaks: Iterable[Leak], namespace: str) -> str:
    objects: list[str] = []
    for leak in leaks:
        objects += leak.objects
    return f"kubectl delete {' '.join(objects)} -n {namespace} --ignore-not-found"


def _origin(tracker: LiveRevision) -> tuple[str, str]:
    """Return kind and name of what goes with the tracker: what it stands for, or what makes that.

    An annotation may say anything. A tracker that no version here writes has the kind `""`, and is in no command.
    """
    kind, _, name = tracker.made_by.partition("/")
    if not tracker.made_by:
        return tracker.kind, tracker.name
    return (kind, name) if WORD.fullmatch(name) else ("", tracker.made_by)


def find_keepers(
    plan: LinkPlan, observation: Observation
) -> list[tuple[LiveRevision, frozenset[Keeper]]]:
    referenced = by_referenced_name(observation.consumers)
    rendered = rendered_names(plan, observation) | observation.rendered_elsewhere
    found = []
    for revision in observation.revisions:
        kinds = _owner_kinds(plan, revision)
        is_kept_by = {
            Keeper.REFERENCED: revision.name in referenced,
            Keeper.RENDERED: revision.name in rendered,
            Keeper.RETAINED: revision.is_retained,
            Keeper.FOREIGN_OWNER: not all(
                _is_linker_owner(plan, observation, kinds, owner) for owner in revision.owners
            ),
            Keeper.UNSEEN: bool(find_unseen(plan, observation, revision)),
            Keeper.YOUNG: revision.created >= observation.now - plan.minimum_age,
            Keeper.UNLINKED_TRACKER: revision.is_tracker and not revision.owns_secret,
        }
        found.append(
            (revision, frozenset(keeper for keeper, is_kept in is_kept_by.items() if is_kept))
        )
    return found


def find_unseen(plan: LinkPlan, observation: Observation, revision: LiveRevision) -> list[Kind]:
    """Find the kinds of which an object may need a revision, and that the run has not seen.

    A kind of which no table says what is made of it has been seen once `spec.linker.kinds` names it.
    """
    told = (
        observation.inventory.told_kinds if observation.inventory else frozenset[tuple[str, str]]()
    )
    kinds = revision.marked_kinds
    # What an earlier version has linked has no marks yet.
    of_owners = {owner.group_kind for owner in revision.owners}
    kinds |= find_made(kind for kind in plan.kinds if kind.group_kind in of_owners)
    found = []
    for kind in sorted(kinds):
        pair = kind.group_kind
        if pair not in observation.seen or not (is_making_known(kind) or pair in told):
            found.append(kind)
    return found


def find_held(plan: LinkPlan, observation: Observation) -> list[tuple[LiveRevision, list[Kind]]]:
    """Find the revisions that are kept for nothing but kinds that the run has not seen, with these kinds."""
    found = []
    for revision, keepers in _judge(plan, observation):
        if keepers == {Keeper.UNSEEN}:
            found.append((revision, find_unseen(plan, observation, revision)))
    return found


def is_left_to_kpt(plan: LinkPlan, observation: Observation, revision: LiveRevision) -> bool:
    """Tell whether kpt is about to let go of the revision.

    It fails if somebody changes the object meanwhile.
    """
    inventory = observation.inventory
    rendered = inventory.references if inventory else rendered_names(plan, observation)
    return revision.is_in_kpt_inventory and revision.name not in rendered


def rendered_names(plan: LinkPlan, observation: Observation) -> frozenset[str]:
    """Return the revisions of the run's rendering and of the newest: a late Job has an old plan."""
    return listed_by(observation.inventory) | {revision.name for revision in plan.rendered}


def _is_linker_owner(
    plan: LinkPlan, observation: Observation, kinds: frozenset[tuple[str, str]], owner: Owner
) -> bool:
    if owner.group_kind == ("", "ConfigMap"):
        return owner.name == plan.inventory or owner in observation.peers
    return owner.group_kind in kinds


def _owner_kinds(plan: LinkPlan, revision: LiveRevision) -> frozenset[tuple[str, str]]:
    kinds = (*CONSUMER_KINDS, *plan.kinds, *revision.marked_kinds)
    return frozenset(kind.group_kind for kind in kinds)


def _missing_owners(
    revision: LiveRevision, inventory: Inventory | None, consumers: Collection[Consumer]
) -> tuple[Owner, ...]:
    """Return the owners to add.

    Without an inventory, a revision that has no owner gets none: the garbage collector ignores it,
    and would delete it with the last of its consumers. Likewise what is left of a former set: that
    may be on its way back, and this inventory about to go.
    """
    may_lose_all = inventory is None or revision.set_name != inventory.set_name
    if may_lose_all and not revision.owners:
        return ()
    present = {owner.uid for owner in revision.owners}
    can_own = {one.owner for one in consumers if one.can_own and not one.is_being_deleted}
    if inventory is not None:
        can_own.add(inventory.owner)
    return tuple(sorted(owner for owner in can_own if owner.uid not in present))


def linker_owners(
    plan: LinkPlan, observation: Observation, revision: LiveRevision
) -> tuple[Owner, ...]:
    """Return the owners that a linker adds: inventories, and objects of kinds that it reads."""
    kinds = _owner_kinds(plan, revision)
    return tuple(
        sorted(
            owner for owner in revision.owners if _is_linker_owner(plan, observation, kinds, owner)
        )
    )


def by_referenced_name(consumers: Iterable[Consumer]) -> dict[str, list[Consumer]]:
    by_name: dict[str, list[Consumer]] = {}
    for consumer in consumers:
        for name in consumer.references:
            by_name.setdefault(name, []).append(consumer)
    return by_name
