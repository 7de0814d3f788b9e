"""Define what a run asks of a cluster, and collect all that it has to see before it decides."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain
from typing import Any, Generic, Protocol, Self, TypeVar

from krm_fn.base.kind import ADD_ON_KINDS, BUILT_IN_KINDS, CONSUMER_KINDS, Kind, made_kinds
from krm_fn.base.link_plan import LinkPlan, ProducerName
from krm_fn.base.named_tuple import NamedTuple
from krm_fn.core.names.names import without_hash
from krm_fn.linker.api import Forbidden, NotServed, NotTold, Refused
from krm_fn.linker.objects import (
    Consumer,
    Inventory,
    LiveRevision,
    Names,
    Observation,
    Owner,
    Unread,
    listed_by,
)
from krm_fn.linker.owners import RevisionPatch
from krm_fn.linker.read import Version, read_consumer, read_version
from krm_fn.linker.retry import Deadline

_LONG = 500
"""Objects of a list of which only the changes are read again. Fewer fit into one page or two."""

_ALONE = 100
"""An object that is read alone takes less time than this many in a list."""

MAX_LOOKUPS = 20
"""ConfigMaps of other sets that are looked up in one observation."""

_T = TypeVar("_T")


class Configs(NamedTuple):
    """The ConfigMaps of a set, and when they were read.

    `revisions` include the trackers of Secrets. `now` is the time by the API server's clock, in
    Unix seconds: `Revision.created` is by the same clock. It is 0 if the API server does not tell
    it, so that nothing is old. `borrowed` and `others`: see `Observation`.
    """

    revisions: list[LiveRevision]
    inventory: Inventory | None
    now: float
    borrowed: tuple[LiveRevision, ...] = ()
    others: tuple[Inventory, ...] = ()

    @classmethod
    def of(cls, configs: Iterable[LiveRevision | Inventory], now: float) -> Self:
        """Tell the inventory from the revisions."""
        found = [*configs]
        revisions = [one for one in found if isinstance(one, LiveRevision)]
        inventories = (one for one in found if isinstance(one, Inventory))
        return cls(revisions, next(inventories, None), now)

    @classmethod
    def with_former(cls, set_name: str, list_set: Callable[[str], Self]) -> Self:
        """Return those of a set, with the revisions of the sets that it has taken over.

        A set that has an inventory is not one of these, whatever the inventory of another set says:
        a tenant may write that to get the revisions of others deleted.
        """
        found = list_set(set_name)
        revisions = [*found.revisions]
        for name in found.inventory.former_sets if found.inventory else ():
            former = list_set(name)
            if former.inventory is None:
                revisions += former.revisions
        return found._replace(revisions=revisions)

    @property
    def is_shared(self) -> bool:
        """Tell whether the inventory leaves the set to the linker of the namespace."""
        return self.inventory is not None and self.inventory.is_shared


def find_inventories(configs: Iterable[Configs]) -> list[Inventory]:
    return [one.inventory for one in configs if one.inventory is not None]


def find_sets(configs: Mapping[str, Configs]) -> list[str]:
    """Return the sets that have a revision or an inventory, but for what a set has taken over."""
    former: set[str] = set()
    for one in configs.values():
        former.update(one.inventory.former_sets if one.inventory else ())
    found: list[str] = []
    for name, one in sorted(configs.items()):
        if one.inventory or (one.revisions and name not in former):
            found.append(name)
    return found


class Reader(Protocol):
    """One namespace of a cluster, to be read.

    All methods raise ApiError for a request that the API server refuses or does not answer, and
    Stopped once the run has been told to stop.
    """

    @property
    def namespace(self) -> str: ...

    def configs(self, plan: LinkPlan) -> Configs:
        """List the ConfigMaps of a set, and of those that it has taken over, without their content."""

    def revision(self, name: str) -> LiveRevision | None:
        """Read the metadata of a revision or tracker of any set; None if there is none."""

    def inventories(self) -> list[Inventory]:
        """List the inventories of all sets."""

    def has_config_map(self, name: str) -> bool:
        """Tell whether there is a ConfigMap of this name, in the set or not."""

    def consumers(self, kind: Kind, names: Names) -> list[Consumer]:
        """List the objects of a kind, with the names that they reference.

        Raises Refused, such as Forbidden without the right to list them, and NotServed if the API
        server does not have the kind.
        """


class Cluster(Reader, Protocol):
    """One namespace of a cluster.

    A write to an object that has changed meanwhile is no error: see each method.
    """

    @property
    def deadline(self) -> Deadline: ...

    def let_grace_pass(self, grace: float, seen: Mapping[str, str], awaited: Sequence[str]) -> bool:
        """Wait until what was seen is so many seconds old: what is missing, and resource versions by uid.

        False if it is that old already.
        """

    def patch(self, patch: RevisionPatch) -> str | None:
        """Patch a revision, and return its new resource version; None if it no longer exists."""

    def delete(self, revision: LiveRevision) -> bool:
        """Delete a revision. False if it no longer exists, or has changed since it was read."""

    def secret(self, name: str, plan: LinkPlan) -> LiveRevision | None:
        """Read the metadata of a Secret; None if there is none, or if it is none of the set."""

    def patch_secret(self, patch: RevisionPatch) -> bool:
        """Patch a Secret. False if that object no longer exists."""

    def producer(self, producer: ProducerName, plan: LinkPlan) -> LiveRevision | None:
        """Read the metadata of a producer of a Secret; None if the set has none."""

    def own_producer(
        self, producer: ProducerName, revision: LiveRevision, owners: tuple[Owner, ...]
    ) -> bool:
        """Make these trackers its owners. False if that object no longer exists."""

    def record_event(
        self, owner: Owner, reason: str, message: str, now: float, *, is_warning: bool = False
    ) -> None:
        """Create an Event for an object, at this time in Unix seconds.

        An Event that is refused is no error.
        """


class Listed(NamedTuple, Generic[_T]):
    """The answer to a list.

    `now` is the API server's time, in Unix seconds; 0 if it does not tell.
    """

    items: list[_T]
    now: float


class ObjectLists(Protocol):
    """The lists of one namespace. It cannot write."""

    @property
    def namespace(self) -> str: ...

    def read(
        self,
        kind: Kind,
        read: Callable[[Any], _T | None],
        *,
        metadata_only: bool = False,
        **selectors: str,
    ) -> Listed[_T]:
        """List the objects of a kind, and return what `read` takes from them. Raises ApiError."""


_Read = dict[Version, Consumer | None]


class ConsumerLists:
    """The consumers of one namespace.

    It looks at a long list again by what has changed since it was read.

    Every look lists which objects there are and their versions, which takes a third of the time. An
    object of the same uid and resource version says what it said: the API server gives an object
    another uid when it is created again, and another version with every write. The others are read
    one by one, and must have the version that was listed. So a look returns what a whole list would
    have returned, at the time of the list of versions; else it reads a whole list.
    """

    def __init__(self, lists: ObjectLists, long: int = _LONG, alone: int = _ALONE) -> None:
        self._lists = lists
        self._long = long
        self._alone = alone
        self._seen: dict[Kind, tuple[Names, _Read]] = {}

    def read(self, kind: Kind, names: Names) -> list[Consumer]:
        """List the objects of a kind, with the names that they reference. Raises ApiError."""
        if kind not in BUILT_IN_KINDS:  # who serves it may not change versions as Kubernetes does
            return self._lists.read(kind, lambda item: read_consumer(kind, item, names)).items
        before = self._seen.pop(kind, None)  # of a list that fails, nothing is left
        found = self._read_changes(kind, names, *before) if before else None
        if found is None:
            found = self._read_all(kind, names)
        if len(found) >= self._long:
            self._seen[kind] = names, found
        return [consumer for consumer in found.values() if consumer is not None]

    def _read_changes(
        self, kind: Kind, names: Names, looked_for: Names, seen: _Read
    ) -> _Read | None:
        """Read what is new and what has changed.

        None if all must be read, or if that is less work.
        """
        # Nobody has looked for a revision that was made meanwhile.
        if not names.known <= looked_for.known:
            return None
        try:
            listed = set(self._lists.read(kind, read_version, metadata_only=True).items)
        except Refused:  # the whole list says why, if that is refused too
            return None
        unchanged = {version for version in listed & seen.keys() if version.resource_version}
        changed = listed - unchanged
        if len(changed) * self._alone > len(listed):
            return None
        found = {
            version: consumer and consumer.narrowed(names)
            for version, consumer in seen.items()
            if version in unchanged
        }
        for version in sorted(changed):  # by a list of one: the Role grants no `get`
            found |= self._read_all(kind, names, fieldSelector=f"metadata.name={version.name}")
        return found if found.keys() == listed else None

    def _read_all(self, kind: Kind, names: Names, **selectors: str) -> _Read:
        def read(item: Any) -> tuple[Version, Consumer | None] | None:
            version = read_version(item)
            return version and (version, read_consumer(kind, item, names))

        # Whole objects: names are in pod templates, and the API server has no way to ask for a part
        # of `spec`.
        return dict(self._lists.read(kind, read, metadata_only=False, **selectors).items)


class DryRun:
    """A `Cluster` that only reads from another one, but for Events if it `records`."""

    def __init__(self, cluster: Cluster, *, records: bool = False) -> None:
        # What it reads is read as it is, but for revisions: the next round sees what this one would
        # have written.
        self.namespace = cluster.namespace
        self.deadline = cluster.deadline
        self.has_config_map, self.consumers = cluster.has_config_map, cluster.consumers
        self.secret, self.producer = cluster.secret, cluster.producer
        self.let_grace_pass = cluster.let_grace_pass
        self._read_configs, self._read_revision = cluster.configs, cluster.revision
        self.inventories = cluster.inventories
        self._record = cluster.record_event if records else None
        self._patches: dict[str, list[RevisionPatch]] = {}
        self._deleted: set[str] = set()

    def configs(self, plan: LinkPlan) -> Configs:
        configs = self._read_configs(plan)
        left = [revision for revision in configs.revisions if revision.uid not in self._deleted]
        return configs._replace(revisions=[self._patched(revision) for revision in left])

    def revision(self, name: str) -> LiveRevision | None:
        found = self._read_revision(name)
        return None if found is None else self._patched(found)

    def _patched(self, revision: LiveRevision) -> LiveRevision:
        for patch in self._patches.get(revision.uid, []):
            revision = patch._replace(revision=revision).result
        return revision

    def patch(self, patch: RevisionPatch) -> str:
        self._patches.setdefault(patch.revision.uid, []).append(patch)
        return patch.revision.resource_version

    def delete(self, revision: LiveRevision) -> bool:
        self._deleted.add(revision.uid)
        return True

    def patch_secret(self, patch: RevisionPatch) -> bool:  # noqa: ARG002  # no run reads it again
        return True

    def own_producer(
        self,
        producer: ProducerName,  # noqa: ARG002  # as above
        revision: LiveRevision,  # noqa: ARG002
        owners: tuple[Owner, ...],  # noqa: ARG002
    ) -> bool:
        return True

    def record_event(
        self, owner: Owner, reason: str, message: str, now: float, *, is_warning: bool = False
    ) -> None:
        if self._record:
            would_be = reason.replace("Revisions", "RevisionsToBe")
            text = (
                message if is_warning else f"found by --check-only, nothing was changed: {message}"
            )
            self._record(owner, would_be, text, now, is_warning=is_warning)


def kinds_to_list(plan: LinkPlan, revisions: Iterable[LiveRevision]) -> list[Kind]:
    """Return the kinds of which an object may reference one of these revisions, in the order of a look."""
    kinds = [*CONSUMER_KINDS, *plan.kinds]
    listed = {kind.group_kind for kind in kinds}
    marked: set[Kind] = set()
    if plan.lists_marked:
        marked.update(*(revision.marked_kinds for revision in revisions))
    for kind in sorted(marked):
        if kind.is_listable and kind.group_kind not in listed:
            kinds.append(kind)
    # Pods last, as templates are edited: one that has started before is found here, and no later
    # one references more.
    return sorted(kinds, key=lambda kind: kind.kind == "Pod")


def observe(plan: LinkPlan, cluster: Reader) -> Observation:
    """Read every object that may reference a revision of the set."""
    configs = _read_configs(plan, cluster)
    marked = [*configs.revisions, *configs.borrowed]
    return _observe_kinds(plan, cluster, configs, kinds_to_list(plan, marked))


def observe_workloads(plan: LinkPlan, cluster: Reader) -> Observation:
    """Read only the kinds of the planned workloads: cheap enough to repeat while waiting."""
    planned = {(workload.api_version, workload.kind) for workload in plan.workloads}
    kinds = [
        kind for kind in (*CONSUMER_KINDS, *plan.kinds) if (kind.api_version, kind.kind) in planned
    ]
    return _observe_kinds(plan, cluster, _read_configs(plan, cluster), kinds)


def _read_configs(plan: LinkPlan, cluster: Reader) -> Configs:
    """Read the ConfigMaps of the set, and those of other sets that it renders too.

    Two packages may have one object in common, as of a Component. Its label is that of the set
    whose deployer has written it last.
    """
    configs = cluster.configs(plan)
    try:
        return _add_those_of_others(configs, plan, cluster)
    except Forbidden as error:
        error.was_permitted = True
        raise


def _add_those_of_others(configs: Configs, plan: LinkPlan, cluster: Reader) -> Configs:
    """Add what other sets have: what the set renders too, and their inventories where they may matter."""
    inventory = configs.inventory
    own = {revision.name for revision in configs.revisions}
    # What is of a later wave is in the inventory, and not there yet.
    planned = {revision.name for revision in plan.rendered}
    awaited = listed_by(inventory) if inventory and inventory.is_shared else planned
    borrowed: list[LiveRevision] = []
    for name in sorted(awaited - own - {""})[:MAX_LOOKUPS]:
        found = cluster.revision(name)
        # What has kept its name may be anybody's.
        if found is not None and found.set_name != plan.set and without_hash(name) != name:
            borrowed.append(found)
    owners = chain.from_iterable(revision.owners for revision in configs.revisions)
    has_another_owner = any(
        owner.group_kind == ("", "ConfigMap") and owner.name != plan.inventory for owner in owners
    )
    others: list[Inventory] = []
    # Only what is not rendered here may go, and only that may be rendered elsewhere alone.
    if borrowed or own - planned - listed_by(inventory) or has_another_owner:
        found_others = cluster.inventories()
        others = [
            one for one in found_others if not (one.set_name == plan.set or one.is_being_deleted)
        ]
    return configs._replace(borrowed=tuple(borrowed), others=tuple(others))


def _observe_kinds(
    plan: LinkPlan, cluster: Reader, configs: Configs, kinds: Iterable[Kind]
) -> Observation:
    inventory = configs.inventory
    existing = [*configs.revisions, *configs.borrowed]
    names = Names.of(
        {revision.name for revision in existing} | {revision.name for revision in plan.rendered}
    )
    made_by: dict[tuple[str, str], frozenset[str]] = {}
    for producer in plan.producers:
        made_by[producer.kind.kind, producer.name] = frozenset(
            made.name for made in producer.revisions
        )
    consumers: list[Consumer] = []
    unread: list[Unread] = []
    seen: set[tuple[str, str]] = set()
    of_plan = {*CONSUMER_KINDS, *plan.kinds}
    for kind in kinds:
        try:
            for consumer in cluster.consumers(kind, names):
                # Two owners of each other would stay for ever (decision 36).
                own = made_by.get((consumer.owner.kind, consumer.owner.name), frozenset())
                consumers.append(
                    consumer._replace(references=consumer.references - own) if own else consumer
                )
            seen.add(kind.group_kind)
        except Refused as error:  # this kind alone: the others can be listed
            if _is_absent(kind, plan, error):
                seen.add(kind.group_kind)
            elif kind in of_plan:
                unread.append(Unread(kind, str(error), is_served=not isinstance(error, NotServed)))
    if inventory and inventory.is_being_deleted:
        # As if it were gone: then nothing is deleted, and no revision gets it as its only owner
        # (decision 9).
        inventory = None
    whole = [*_with_pods([*_with_borrowed_templates(consumers)])]
    return Observation(
        configs.revisions,
        inventory,
        whole,
        configs.now,
        tuple(unread),
        frozenset(seen),
        configs.borrowed,
        configs.others,
    )


def _is_absent(kind: Kind, plan: LinkPlan, error: Refused) -> bool:
    """Tell whether an unlisted kind has no objects.

    So it is for those of Argo Rollouts that are not in the plan, and for what is only made of
    others, or was, where the API server says that it has no such kind.
    """
    planned = {workload[:2] for workload in plan.workloads}
    named = planned | {one[:2] for one in plan.kinds}
    if kind in BUILT_IN_KINDS:
        return False
    if kind in ADD_ON_KINDS:
        if isinstance(error, NotServed):
            return (kind.api_version, kind.kind) not in named
        # Argo Workflows and Events have kinds of the same group.
        is_here = any(one[:2] in named for one in ADD_ON_KINDS)
        return isinstance(error, Forbidden) and not is_here
    is_of_others = kind.group_kind in made_kinds() or kind[:2] not in named
    is_unknown = isinstance(error, NotServed) and not isinstance(error, (Forbidden, NotTold))
    return is_unknown and is_of_others and kind[:2] not in planned


def _with_borrowed_templates(consumers: list[Consumer]) -> Iterable[Consumer]:
    """Add what a borrowed template references: a Rollout may take a Deployment's."""
    references = {
        (consumer.owner.kind, consumer.owner.name): consumer.references for consumer in consumers
    }
    for consumer in consumers:
        source = consumer.template_source
        borrowed = references.get(source, frozenset()) if source else frozenset()
        yield consumer._replace(references=consumer.references | borrowed) if borrowed else consumer


def _with_pods(consumers: list[Consumer]) -> Iterable[Consumer]:
    """Let each controller reference what its pods do: its template may have changed since.

    So it becomes an owner instead of its pods, which are many. What the controller's template or its history
    references is theirs already. A pod whose controller has not been read speaks for itself, if nobody else does.
    """
    others = [consumer for consumer in consumers if not _is_pod(consumer)]
    uids = {consumer.owner.uid for consumer in others}
    by_others = frozenset[str]().union(*(consumer.references for consumer in others))
    by_pods: dict[str, set[str]] = {
        pod.controller: set() for pod in filter(_is_pod, consumers) if pod.controller
    }
    for pod in filter(_is_pod, consumers):
        if pod.controller in uids:
            by_pods[pod.controller] |= pod.references
        elif pod.can_own or not pod.references <= by_others:
            yield pod
    for consumer in others:
        for uid in by_pods.keys() & {consumer.owner.uid, consumer.controller}:
            by_pods[uid] -= consumer.references
    for consumer in others:
        more = by_pods.get(consumer.owner.uid)
        yield consumer._replace(references=consumer.references | more) if more else consumer


def _is_pod(consumer: Consumer) -> bool:
    return consumer.owner.kind == "Pod"
