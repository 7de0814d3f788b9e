"""Who acts in a scene, one step at a time.

An actor is a value: a step returns what is left of it.
"""

from collections.abc import Callable
from typing import NamedTuple, Protocol

from tests.linker.explorer.recorded_run import End, Linker, Pause
from tests.linker.explorer.shared_store import SharedStore, State
from tests.linker.model.deployers import Deployer
from tests.linker.model.namespace_model import NamespaceModel
from tests.linker.model.rendering import Rendering


class SceneModel(NamespaceModel):
    """A namespace that is cloned at every step, and in which time passes only while a run of the linker sleeps."""

    store: SharedStore
    seconds_per_step = 0.0

    def __init__(self, rendering: Rendering, deployer: Deployer, limits: tuple[int, int]) -> None:
        super().__init__(rendering, deployer, limits, SharedStore())
        self.linkers_under_way = 0

    @property
    def state(self) -> State:
        """All that decides what can happen next, but for the actors."""
        return *self.store.state(), *self.sync_state

    def check_annotations(self) -> None:
        if not self.linkers_under_way:
            super().check_annotations()


class Actor(Protocol):
    @property
    def name(self) -> str: ...

    @property
    def next_step(self) -> str: ...

    def advance(self, model: SceneModel) -> "Actor | None":
        """Make the next step. Returns what is left of the actor, None after its last step."""


class Run(NamedTuple):
    """A run of the linker that nobody ends. `pause`: where it is, None before its first call."""

    name: str
    linker: Linker
    pause: Pause | None = None

    @property
    def next_step(self) -> str:
        return str(self.pause or "begin")

    def advance(self, model: SceneModel) -> "Run | None":
        here: Pause | End | None = self.pause
        if here is None:
            model.linkers_under_way += 1
            here = self.linker.begin(model.store)
        if isinstance(here, Pause):
            here = here.advance(model.store)
        if isinstance(here, Pause):
            return self._replace(pause=here)
        model.linkers_under_way -= 1
        if here.is_done:
            model.check_annotations()
        return None


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
