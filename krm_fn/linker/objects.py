"""The parts of live objects that the linker keeps: owners, consumers and revisions."""

from collections.abc import Iterable
from typing import Self

from krm_fn.base.kind import Kind, find_made, kind_named
from krm_fn.base.named_tuple import NamedTuple
from krm_fn.core.names.names import without_hash


class Owner(NamedTuple):
    """An entry of `metadata.ownerReferences`."""

    api_version: str
    kind: str
    name: str
    uid: str  # with a wrong one, the garbage collector deletes what is owned within seconds

    @property
    def reference(self) -> dict[str, str]:
        """The entry as Kubernetes writes it.

        It sets neither `controller`, which the owner is not, nor `blockOwnerDeletion`, which would
        delay its deletion.
        """
        return {
            "apiVersion": self.api_version,
            "kind": self.kind,
            "name": self.name,
            "uid": self.uid,
        }

    @property
    def group(self) -> str:
        """`apps` of `apps/v1`, `""` of `v1`."""
        return self.api_version.rpartition("/")[0]

    @property
    def group_kind(self) -> tuple[str, str]:
        return self.group, self.kind

    def __str__(self) -> str:
        return f"{self.kind}/{self.name}"


class Names(NamedTuple):
    """The names to look for: `known` revisions, and others with one of these base names.

    None of them has fewer letters than `shortest`.
    """

    known: frozenset[str]
    bases: frozenset[str]
    shortest: int

    @classmethod
    def of(cls, known: Iterable[str]) -> Self:
        """Take the base names from the names of the known revisions."""
        names = frozenset(known)
        bases = frozenset(base for name in names if (base := without_hash(name)) != name)
        return cls(names, bases, min(map(len, names), default=0))

    def are_like(self, name: str) -> bool:
        """Tell whether the name is one of these, or has one of the base names and a hash."""
        base = without_hash(name)
        return name in self.known or (base != name and base in self.bases)


class Consumer(NamedTuple):
    """A live object that may reference revisions.

    `is_current`: it says what is wanted now, as a Deployment does; a ReplicaSet says what was
    wanted at its creation. `references`: the names of the revisions that it references. `required`:
    names of ConfigMaps, like those of revisions, without which its pods do not start. `controller`:
    the uid of its controller, `""` for none. `template_source`: kind and name of the object that
    holds its pod template, from a Rollout's `workloadRef`. `arguments`: those of `krm-fn`, if it is
    a linker's Job. `is_being_deleted`: it has a deletion timestamp. `can_own`: False for a pod that
    lives no longer than its controller: that one owns what its pods reference.
    """

    owner: Owner
    is_current: bool
    references: frozenset[str]
    required: frozenset[str] = frozenset()
    controller: str = ""
    template_source: tuple[str, str] | None = None
    arguments: tuple[str, ...] = ()
    is_being_deleted: bool = False
    can_own: bool = True

    def narrowed(self, names: Names) -> Self:
        """Return it as it is read with fewer names to look for."""
        references, required = (
            self.references & names.known,
            frozenset(filter(names.are_like, self.required)),
        )
        is_same = len(references) == len(self.references) and len(required) == len(self.required)
        return self if is_same else self._replace(references=references, required=required)


class Inventory(NamedTuple):
    """The ConfigMap that lists what is rendered. `references` are the names of these revisions.

    `is_being_deleted`: it has a deletion timestamp. `told_kinds` are those of `spec.linker.kinds`,
    by group and kind. `former_sets`: those that the set has taken over. `is_leaving`: no later
    release has krm-fn. `is_shared`: the linker of the namespace links the set.
    """

    owner: Owner
    references: frozenset[str]
    set_name: str = ""
    is_shared: bool = False
    is_being_deleted: bool = False
    told_kinds: frozenset[tuple[str, str]] = frozenset()
    is_leaving: bool = False
    former_sets: tuple[str, ...] = ()


def listed_by(inventory: Inventory | None) -> frozenset[str]:
    """Return the names of the revisions that are rendered now: none without an inventory."""
    return inventory.references if inventory else frozenset()


class LiveRevision(NamedTuple):
    """A live ConfigMap of a set: a revision, or the tracker of a Secret revision.

    `created` is in Unix seconds.

    The other fields are about its annotations: see `keys`. `owns_secret`, `stands_for` and
    `made_by` are for trackers. `rendered_kinds` and `seen_kinds` are texts such as
    `example.com/v1/Widget`.
    """

    name: str
    uid: str
    resource_version: str
    created: float
    owners: tuple[Owner, ...] = ()
    is_retained: bool = False
    is_tracker: bool = False
    is_wanted: bool = False
    owns_secret: bool = False
    stands_for: str = ""
    made_by: str = ""
    is_in_kpt_inventory: bool = False
    rendered_kinds: frozenset[str] = frozenset()
    seen_kinds: frozenset[str] = frozenset()
    set_name: str = ""

    @property
    def marked_kinds(self) -> set[Kind]:
        """The kinds beyond those that each run lists of which an object may need it."""
        return find_made(map(kind_named, self.rendered_kinds | self.seen_kinds))

    @property
    def kind(self) -> str:
        """The kind of the revision: for a tracker the kind that it stands for, mostly Secret."""
        return (self.stands_for or "Secret") if self.is_tracker else "ConfigMap"


class Unread(NamedTuple):
    """A kind of consumers that could not be listed, and why, in a sentence.

    `is_served`: False if the API server does not have the kind, or not under this plural.
    """

    kind: Kind
    sentence: str
    is_served: bool


class Observation(NamedTuple):
    """The revisions of a set, the inventory that lists those rendered now, and all consumers.

    Revisions are read first. So an object that is not among the consumers of a revision did not
    reference it when the revision was read. `now` is the time by the API server's clock, in Unix
    seconds. `inventory` is None if there is none, or if it is being deleted. `unread`: the kinds of
    the plan of which consumers are missing. `seen`: the kinds of which none is missing, by group
    and kind. `borrowed`: what the set renders too, with the label of another set. `others`: the
    inventories of other sets.
    """

    revisions: list[LiveRevision]
    inventory: Inventory | None
    consumers: list[Consumer]
    now: float
    unread: tuple[Unread, ...] = ()
    seen: frozenset[tuple[str, str]] = frozenset()
    borrowed: tuple[LiveRevision, ...] = ()
    others: tuple[Inventory, ...] = ()

    @property
    def existing(self) -> list[LiveRevision]:
        """What exists of the rendering and of earlier ones, with whatever label."""
        return [*self.revisions, *self.borrowed]

    @property
    def rendered_elsewhere(self) -> frozenset[str]:
        """The names that the inventories of other sets list."""
        return frozenset[str]().union(*(one.references for one in self.others))

    @property
    def peers(self) -> frozenset[Owner]:
        """The inventories of the sets that are linked in the same way: linkers add these as owners."""
        is_shared = self.inventory is not None and self.inventory.is_shared
        return frozenset(one.owner for one in self.others if one.is_shared == is_shared)

    @property
    def is_leaving(self) -> bool:
        return self.inventory is not None and self.inventory.is_leaving
