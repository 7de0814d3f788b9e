"""A run that is kept does what the real linker does in a thread, in any schedule."""

from random import Random

import pytest

from tests.linker.explorer import scenes
from tests.linker.explorer.actors import Actor, Run, SceneModel
from tests.linker.explorer.scenes import WATCHED, Cast, scene
from tests.linker.model.deployers import key_of
from tests.linker.object_store import Key, Object
from tests.linker.stepwise_run import StepwiseRun
from tests.volume import part_of, seed_of


def by_key(model: SceneModel) -> dict[Key, Object]:
    return {key_of(item): item for item in model.store}


class Threads:
    """The same scene once more, in which each run of the linker is a thread."""

    def __init__(self, model: SceneModel) -> None:
        self.model = model
        self._runs: dict[str, StepwiseRun] = {}
        self._calls: dict[str, int] = {}

    def advance(self, before: Run, after: Run | None) -> None:
        """Let the run make as many calls as that one, after which it pauses or ends."""
        linker = before.linker
        run = self._runs.get(before.name)
        if run is None:
            run = StepwiseRun(
                linker.plan, self.model.store, linker.timeout, self.model.apply_configs_in_time
            )
            self._runs[before.name] = run
        if after is None or after.pause is None:
            run.finish()
            assert run.is_over
        else:
            run.advance(after.pause.answers - self._calls.get(before.name, 0))
            assert not run.is_over
            self._calls[before.name] = after.pause.answers

    def close(self) -> None:
        for run in self._runs.values():
            run.kill()


@pytest.mark.volume
@pytest.mark.parametrize("kind", WATCHED)
def test_it_does_what_a_thread_does(kind: str) -> None:
    whole = scene(scenes.back_then_forth_with_a_cron_job, Cast(kind))
    for number in range(part_of(500)):
        chance = Random(seed_of(number))
        model, twin = whole.model.clone(), Threads(whole.model.clone())
        left: list[Actor] = list(filter(None, whole.actors))
        while left:
            actor = chance.choice(left)
            for _ in range(chance.choice([1, 3, 10, 30])):
                rest = actor.advance(model)
                if isinstance(actor, Run):
                    assert rest is None or isinstance(rest, Run)
                    twin.advance(actor, rest)
                else:
                    actor.advance(twin.model)
                for one in (model, twin.model):
                    one.apply_configs_in_time()
                assert twin.model.store.state()[0] == model.store.state()[0], "the clock"
                assert by_key(twin.model) == by_key(model)
                left.remove(actor)
                if rest is None:
                    break
                left.append(rest)
                actor = rest
        twin.close()
