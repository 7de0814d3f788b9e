"""Who acts in a scene, one step at a time.

An actor is a value: a step returns what is left of it.
"""

from collections.abc import Callable
from typing import NamedTuple, Protocol

from krm_fn.base.link_plan import LinkPlan
from tests.linker import garbage_collector
from tests.linker.explorer.recorded_run import End, Linker, Pause
from tests.linker.explorer.shared_store import SharedStore, State
from tests.linker.model.deployers import Deployer
from tests.linker.model.namespace_model import NamespaceModel
from tests.linker.model.rendering import Rendering
from tests.linker.object_store import Key


class NotLinked(AssertionError):
    """A Job has succeeded, and has not linked what it saw, or says nothing of what it did not see."""


class SceneModel(NamespaceModel):
    """A namespace that is cloned at every step, and in which time passes only while a run of the linker sleeps."""

    store: SharedStore
    seconds_per_step = 0.0

    def __init__(self, rendering: Rendering, deployer: Deployer, limits: tuple[int, int]) -> None:
        super().__init__(rendering, deployer, limits, SharedStore())
        self.linkers_under_way = 0
        self.has_late_collector = False

    @property
    def state(self) -> State:
        """All that decides what can happen next, but for the actors."""
        return *self.store.state(), *self.sync_state

    def check_annotations(self) -> None:
        if not self.linkers_under_way:
            super().check_annotations()

    def _collect_secrets(self) -> None:
        if not self.has_late_collector:
            super()._collect_secrets()

    def find_planned(self, plan: LinkPlan) -> frozenset[Key]:
        """Return what exists of a plan: the inventory, revisions and trackers, and workloads that reference theirs."""
        found = {("ConfigMap", plan.inventory), *_revisions(plan)}
        for workload in plan.workloads:
            item = self.store.find(workload.kind, workload.name)
            names = {revision.name for revision in workload.revisions}
            if item and names <= self._names_in(item):
                found.add((workload.kind, workload.name))
        return frozenset(key for key in found if self.store.find(*key))

    def check_linked(self, plan: LinkPlan, seen: frozenset[Key], problems: tuple[str, ...]) -> None:
        """Check what a Job promises that has succeeded, after it `saw` so much at its last look.

        It links all of that, and tells of the rest. But it must have linked every Secret: no later run has the right
        to. Raises NotLinked.
        """
        planned = _revisions(plan) | {(one.kind, one.name) for one in plan.workloads}
        if not seen & planned:
            sentence = "it has seen nothing of what is planned"
            raise NotLinked(sentence)
        for kind, name in sorted(planned - seen):
            if not any(f"/{name}: " in problem for problem in problems):
                sentence = f"it says nothing of {kind}/{name}, which it has not seen"
                raise NotLinked(sentence)
        owners = {("ConfigMap", plan.inventory): plan.rendered}
        owners |= {(one.kind, one.name): frozenset(one.revisions) for one in plan.workloads}
        for owner, revisions in owners.items():
            for revision in revisions:
                if {owner, ("ConfigMap", revision.name)} <= seen:
                    self._check_owner(("ConfigMap", revision.name), owner)
        for name in plan.secrets:
            self._check_owner(("Secret", name), ("ConfigMap", name))

    def _check_owner(self, key: Key, owner: Key) -> None:
        item, owning = self.store.find(*key), self.store.find(*owner)
        uids = {one["uid"] for one in item["metadata"].get("ownerReferences", [])} if item else ()
        if owning is None or owning["metadata"]["uid"] not in uids:
            sentence = f"{'/'.join(owner)} is no owner of {'/'.join(key)}"
            raise NotLinked(sentence)


def _revisions(plan: LinkPlan) -> frozenset[Key]:
    return frozenset(("ConfigMap", revision.name) for revision in plan.rendered)


class Actor(Protocol):
    @property
    def name(self) -> str: ...

    @property
    def next_step(self) -> str: ...

    def advance(self, model: SceneModel) -> "Actor | None":
        """Make the next step. Returns what is left of the actor, None after its last step."""


class Run(NamedTuple):
    """A run of the linker that nobody ends. `pause`: where it is, None before its first call.

    `seen`: what was there of its plan at its last look, if it is to link all of that; else None.
    """

    name: str
    linker: Linker
    pause: Pause | None = None
    seen: frozenset[Key] | None = None

    @property
    def next_step(self) -> str:
        return str(self.pause or "begin")

    def advance(self, model: SceneModel) -> "Run | None":
        here: Pause | End | None = self.pause
        if here is None:
            model.linkers_under_way += 1
            here = self.linker.begin(model.store)
        seen = self.seen
        if isinstance(here, Pause):
            if seen is not None and here.is_look:
                seen = model.find_planned(self.linker.plan)
            here = here.advance(model.store)
        if isinstance(here, Pause):
            return self._replace(pause=here, seen=seen)
        model.linkers_under_way -= 1
        if here.is_done:
            model.check_annotations()
            if seen is not None:
                model.check_linked(self.linker.plan, seen, here.problems)
        return None


class LateCollector(NamedTuple):
    """A garbage collector that is behind: it has to look at one object after the other, Secrets too."""

    name: str = "late collector"

    @property
    def next_step(self) -> str:
        return "look at the next object"

    def advance(self, model: SceneModel) -> "LateCollector | None":
        todo = garbage_collector.to_process(model.store)
        item = next(todo, None)
        if item is None:
            return None
        garbage_collector.process(model.store, item)
        return self


class Release(NamedTuple):
    """A deployer that applies a rendering, object by object.

    All of them are of kinds that runs watch.
    """

    name: str
    rendering: Rendering
    is_under_way: bool = False

    @property
    def next_step(self) -> str:
        return "apply the next object" if self.is_under_way else "apply the first object"

    def advance(self, model: SceneModel) -> "Release | None":
        if not self.is_under_way:
            model.commit(self.rendering)
        elif model.rendering is not self.rendering:
            return None  # the next release has taken its place
        model.sync_step()
        return self._replace(is_under_way=True) if model.applies_more else None


class Step(NamedTuple):
    """What somebody does: `act` returns False if there is nothing to go on with."""

    sentence: str
    act: Callable[[SceneModel], bool | None]


class Hands(NamedTuple):
    """A person, or controllers.

    `patience`: who has waited for so many seconds between two steps does no other.
    """

    name: str
    steps: tuple[Step, ...]
    patience: float = float("inf")
    waits_since: float | None = None

    @property
    def next_step(self) -> str:
        return self.steps[0].sentence

    def advance(self, model: SceneModel) -> "Hands | None":
        now = model.store.clock
        if self.waits_since is not None and now - self.waits_since >= self.patience:
            return None
        step, *others = self.steps
        if step.act(model) is False or not others:
            return None
        return self._replace(steps=tuple(others), waits_since=now)
