"""Try every schedule of a scene: every order in which its actors can make their steps, with at most so many switches.

A switch takes the turn from an actor that has not ended. After the last step of an actor anybody may go on. Schedules
that come to the same state go on in the same ways: these are counted, and not tried again.
"""

from collections.abc import Iterator
from itertools import groupby
from typing import NamedTuple, TypeAlias

from tests.linker.explorer.actors import Actor, SceneModel
from tests.linker.explorer.shared_store import State

Actors: TypeAlias = tuple[Actor | None, ...]
"""Those of a scene, each at its place: None once it has ended."""


class Scene(NamedTuple):
    """A namespace, and who acts in it."""

    model: SceneModel
    actors: Actors


class Loss(NamedTuple):
    """A schedule that ends in a loss: its switches, its number of steps, what is lost, and who did what."""

    switches: int
    steps: int
    sentence: str
    story: tuple[tuple[str, str], ...] = ()

    def __str__(self) -> str:
        """One line for each turn, with its first and last step."""
        turns = [
            (name, [what for _, what in steps])
            for name, steps in groupby(self.story, lambda step: step[0])
        ]
        lines = [
            f"{name}: {' ... '.join(dict.fromkeys((whats[0], whats[-1])))}" for name, whats in turns
        ]
        return "\n".join([*lines, self.sentence])


class Found(NamedTuple):
    """How many schedules there are, how many of them end in a loss, and the shortest of these."""

    schedules: int
    losing: int = 0
    shortest: Loss | None = None


class Search:
    """The schedules of one scene. `states`: how many different moments they have."""

    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        self._found: dict[State, Found] = {}
        self._ends: dict[State, Found] = {}

    @property
    def states(self) -> int:
        return len(self._found)

    def explore(self, switches: int) -> Found:
        return self._explore(self._scene.model, self._scene.actors, None, switches)

    def _explore(self, model: SceneModel, actors: Actors, turn: int | None, switches: int) -> Found:
        """Let everybody act next who may.

        `turn`: the place of who has acted last, None if that one has ended.
        """
        key = model.state, actors, turn, switches
        if key not in self._found:
            if any(actors):
                self._found[key] = _sum_up(self._steps(model, actors, turn, switches))
            else:
                self._found[key] = self._end(model)
        return self._found[key]

    def _steps(
        self, model: SceneModel, actors: Actors, turn: int | None, switches: int
    ) -> Iterator[Found]:
        for place, actor in enumerate(actors):
            is_switch = turn not in (None, place)
            if actor is None or (is_switch and not switches):
                continue
            after = model.clone()
            try:
                left = actor.advance(after)
                after.apply_configs_in_time()
                if after.store.state() != model.store.state():
                    after.check()
            except AssertionError as error:
                found = Found(1, 1, Loss(0, 0, f"{type(error).__name__}: {error}"))
            else:
                others = (*actors[:place], left, *actors[place + 1 :])
                found = self._explore(after, others, place if left else None, switches - is_switch)
            yield _preceded(found, actor, is_switch=is_switch)

    def _end(self, model: SceneModel) -> Found:
        """Let everything finish: then exactly what is referenced is left."""
        if model.state not in self._ends:
            try:
                model.clone().finish()
                self._ends[model.state] = Found(1)
            except AssertionError as error:
                self._ends[model.state] = Found(1, 1, Loss(0, 0, f"at the end, {error}"))
        return self._ends[model.state]


def _sum_up(found: Iterator[Found]) -> Found:
    schedules, losing, shortest = 0, 0, None
    for one in found:
        schedules += one.schedules
        losing += one.losing
        if one.shortest and (shortest is None or one.shortest[:2] < shortest[:2]):
            shortest = one.shortest
    return Found(schedules, losing, shortest)


def _preceded(found: Found, actor: Actor, *, is_switch: bool) -> Found:
    loss = found.shortest
    if loss is None:
        return found
    story = ((actor.name, actor.next_step), *loss.story)
    return found._replace(
        shortest=Loss(loss.switches + is_switch, loss.steps + 1, loss.sentence, story)
    )
