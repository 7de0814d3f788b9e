"""Let the sets of a namespace share what a run lists: the requests of one look serve all of them."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Protocol, Self

from krm_fn.base.item import collect
from krm_fn.base.kind import Kind
from krm_fn.base.link_plan import LinkPlan
from krm_fn.base.named_tuple import NamedTuple
from krm_fn.core.names.names import without_hash
from krm_fn.linker.api import ApiError, Refused
from krm_fn.linker.cluster import Cluster, Configs, Listed, find_inventories, find_sets
from krm_fn.linker.objects import Consumer, Inventory, LiveRevision, Names
from krm_fn.linker.read import OfSet
from krm_fn.linker.retry import Deadline

_FRESH = 5.0
"""Seconds after the last list of a look in which another set may begin with it."""


class Namespace(Cluster, Protocol):
    """A `Cluster` that lists the sets of its namespace, too."""

    def configs_of_all(self) -> Listed[OfSet]:
        """List the ConfigMaps of all sets. Raises ApiError.

        Of each, only what a run needs is kept: an annotation of another program may be long.
        """


class _Kind(NamedTuple):
    """The objects of a kind, read with these names; or why they cannot be listed.

    `bare`: the same objects without a reference, as most sets see most of them. `places`: where in
    the list the objects are that reference a name, or one with a hash behind a base name.
    """

    names: Names
    found: list[Consumer]
    bare: list[Consumer]
    places: dict[str, list[int]]
    refusal: Refused | None = None

    @classmethod
    def of(cls, names: Names, found: list[Consumer]) -> Self:
        places: dict[str, list[int]] = defaultdict(list)
        for place, consumer in enumerate(found):
            said = consumer.references | consumer.required
            for name in said.union(map(without_hash, consumer.required)):
                places[name].append(place)
        nothing = frozenset[str]()
        bare = [one._replace(references=nothing, required=nothing) for one in found]
        return cls(names, found, bare, dict(places))

    def narrowed(self, names: Names) -> list[Consumer]:
        """Return the objects as they are read with fewer names to look for."""
        consumers = [*self.bare]
        for name in names.known | names.bases:
            for place in self.places.get(name, ()):
                consumers[place] = self.found[place].narrowed(names)
        # A pod that its controller stands for is read only for what it references.
        return [one for one in consumers if one.can_own or one.references]


class Look:
    """One look at a namespace, for all of its sets: a `Reader` of what was there.

    ConfigMaps are listed first, and each kind when the first set asks for it, with the names of all
    sets. A list that is refused is not asked for again.
    """

    def __init__(self, cluster: Namespace) -> None:
        """List the ConfigMaps. Raises ApiError."""
        self._cluster = cluster
        self.has_config_map = cluster.has_config_map
        listed = cluster.configs_of_all()
        self._now = listed.now
        by_set = collect((one.set_name, one) for one in listed.items)
        self._configs = {name: Configs.of(own, listed.now) for name, own in by_set.items()}
        revisions = (one.revisions for one in self._configs.values())
        self._names = frozenset(one.name for one in chain.from_iterable(revisions))
        self._revisions: dict[str, LiveRevision] = {}
        for configs in self._configs.values():
            if configs.is_shared:
                self._revisions |= {one.name: one for one in configs.revisions}
        self._kinds: dict[Kind, _Kind] = {}
        self._listed_at = cluster.deadline.left()

    @property
    def namespace(self) -> str:
        return self._cluster.namespace

    @property
    def sets(self) -> list[str]:
        """The names of the sets that have a revision or an inventory, but for what a set has taken over."""
        return find_sets(self._configs)

    @property
    def is_fresh(self) -> bool:
        """Whether another set may begin with it."""
        return self._listed_at - self._cluster.deadline.left() < _FRESH

    def is_left_alone(self, name: str) -> bool:
        """Tell whether the inventory of a set leaves it to a Job of its own."""
        inventory = self._configs[name].inventory if name in self._configs else None
        return inventory is not None and not inventory.is_shared

    def inventories(self) -> list[Inventory]:
        return find_inventories(self._configs.values())

    def revision(self, name: str) -> LiveRevision | None:
        """Return a revision of a set that is marked for this run; an inventory is written by anybody."""
        return self._revisions.get(name)

    def configs(self, plan: LinkPlan) -> Configs:
        nothing = Configs([], None, self._now)
        return Configs.with_former(plan.set, lambda name: self._configs.get(name, nothing))

    def consumers(self, kind: Kind, names: Names) -> list[Consumer]:
        """Return the objects of a kind as a list for this set alone would have. Raises ApiError."""
        listed = self._kinds.get(kind)
        # A plan may name what has no ConfigMap any more.
        if listed is None or not names.known <= listed.names.known:
            listed = self._kinds[kind] = self._list(kind, names)
        if listed.refusal:
            raise listed.refusal
        return listed.narrowed(names)

    def _list(self, kind: Kind, names: Names) -> _Kind:
        of_all = Names.of(self._names | names.known)
        try:
            listed = _Kind.of(of_all, self._cluster.consumers(kind, of_all))
        except Refused as error:
            listed = _Kind(of_all, [], [], {}, error)
        self._listed_at = self._cluster.deadline.left()
        return listed


class SharedLooks:
    """A `Cluster` for several sets, one after the other: they share its looks.

    The first look of a set may be one that another set has begun with, as long as that is fresh. A
    set that has used a look begins a new one.

    So nothing is deleted that a run for one set would not delete. In each look, revisions are read
    before what may reference them, as in a look of one set: whoever uses it later sees both a bit
    older, in the same order. What was written meanwhile for another set has another label. A patch
    that a look of some seconds ago suggests names the uid of the revision, as ever.

    A deletion needs a second look after the grace. The set has used the first one, so it begins the
    second one itself, and only when the mark is as old as the grace: it waits, or several sets have
    waited together, and the revision still has the version that its mark gave it.
    """

    def __init__(self, cluster: Namespace) -> None:
        """Begin the first look. Raises ApiError."""
        self._cluster = cluster
        self.has_config_map, self.patch, self.delete = (
            cluster.has_config_map,
            cluster.patch,
            cluster.delete,
        )
        self.secret, self.patch_secret = cluster.secret, cluster.patch_secret
        self.producer, self.own_producer = cluster.producer, cluster.own_producer
        self.record_event = cluster.record_event
        self._seen: dict[str, str] = {}
        self.failure: ApiError | None = None
        """Why a list has failed that no set can do without."""
        self.look = self._begin()
        self._used: set[str] = set()

    @property
    def namespace(self) -> str:
        return self._cluster.namespace

    @property
    def deadline(self) -> Deadline:
        return self._cluster.deadline

    def let_grace_pass(self, grace: float, seen: Mapping[str, str], awaited: Sequence[str]) -> bool:
        # Several sets have waited together. Whoever has written to one meanwhile has given it another version.
        waits = not seen.items() <= self._seen.items()
        if waits:
            self.deadline.sleep(grace, awaited, grace)
            self._seen.update(seen)
        return waits

    def look_for(self, name: str) -> Look:
        """Return the look that this set uses next. Raises ApiError."""
        if name in self._used or not self.look.is_fresh:
            self.look, self._used = self._begin(), set()
        return self.look

    def revision(self, name: str) -> LiveRevision | None:
        return self.look.revision(name)

    def inventories(self) -> list[Inventory]:
        return self.look.inventories()

    def configs(self, plan: LinkPlan) -> Configs:
        look = self.look_for(plan.set)
        self._used.add(plan.set)
        return look.configs(plan)

    def consumers(self, kind: Kind, names: Names) -> list[Consumer]:
        try:
            return self.look.consumers(kind, names)
        except Refused:  # this kind alone: the others can be listed
            raise
        except ApiError as error:
            self.failure = error
            raise

    def _begin(self) -> Look:
        try:
            return Look(self._cluster)
        except ApiError as error:
            self.failure = error
            raise
