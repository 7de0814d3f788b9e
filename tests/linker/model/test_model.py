"""No interleaving of the linker with anybody else takes away what something live names.

Everybody acts in steps and everybody may be late: both deployers, the controllers, the garbage collector, people, and
the linker itself, which is the real one and stands still before every call. KRM_FN_MODEL_STEPS says how many steps.
"""

import os
from contextlib import closing
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule, run_state_machine_as_test

from tests.linker.model.deployers import argo_like, flux_like
from tests.linker.model.mutants import MUTATIONS, Mutation
from tests.linker.model.rendering import MINIMUM_AGE, Rendering
from tests.linker.model.town import Deployer, Lost, Town

STEPS = int(os.environ.get("KRM_FN_MODEL_STEPS", "2000"))
IN_ONE_TOWN = 50
LEAST = 40
"""Of these, as some end early."""

WORKLOAD = st.sampled_from(["web", "api"])
WHICH = st.integers(0, 3)
FIELDS = st.sampled_from(["shared", "shared", "config", "password", "image", "image", "has_api"])


class Machine(RuleBasedStateMachine):
    """What may happen next."""

    town: Town

    @initialize(
        kind=st.sampled_from(["Deployment", "StatefulSet"]),
        deployer=st.sampled_from([argo_like, flux_like]),
        limits=st.tuples(WHICH, WHICH),
        has_api=st.booleans(),
    )
    def install(self, kind: str, deployer: Deployer, limits: tuple[int, int], *, has_api: bool) -> None:
        self.town = Town(Rendering(kind, has_api=has_api), deployer, limits)
        self.town.sync()

    @rule(field=FIELDS, version=st.integers(0, 2), is_quiet=st.booleans())
    def deploy(self, field: str, version: int, *, is_quiet: bool) -> None:
        self._commit(field, version)
        self.town.sync()
        if is_quiet:
            self.town.rest()

    @rule(field=FIELDS, version=st.integers(0, 2), steps=st.integers(0, 12))
    def begin_to_deploy(self, field: str, version: int, steps: int) -> None:
        self._commit(field, version)
        self.town.sync(steps)

    @rule(steps=st.sampled_from([1, 3, 30]))
    def go_on_deploying(self, steps: int) -> None:
        self.town.sync(steps)

    @rule()
    def apply_again(self) -> None:
        self.town.commit(self.town.rendering)
        self.town.sync()

    @rule(name=WORKLOAD)
    def follow(self, name: str) -> None:
        self.town.follow(name)

    @rule(name=WORKLOAD)
    def trim(self, name: str) -> None:
        self.town.trim(name)

    @rule(which=WHICH)
    def collect(self, which: int) -> None:
        self.town.collect(which)

    @rule()
    def collect_all(self) -> None:
        self.town.collect_all()

    @precondition(lambda self: self.town.waiting_jobs())
    @rule(which=WHICH)
    def start_a_job(self, which: int) -> None:
        jobs = self.town.waiting_jobs()
        self.town.start(jobs[which % len(jobs)])

    @rule()
    def run_jobs(self) -> None:
        self.town.run_jobs()

    @precondition(lambda self: len(self.town.runs) < 3)
    @rule()
    def link_by_hand(self) -> None:
        self.town.link_by_hand()

    @precondition(lambda self: self.town.runs)
    @rule(which=WHICH, calls=st.sampled_from([1, 10, 30, 1000]))
    def go_on_linking(self, which: int, calls: int) -> None:
        self.town.advance(self.town.runs[which % len(self.town.runs)], calls)

    @precondition(lambda self: self.town.runs)
    @rule(which=WHICH)
    def go_on_linking_until_a_write(self, which: int) -> None:
        self.town.advance_to_write(self.town.runs[which % len(self.town.runs)])

    @precondition(lambda self: self.town.runs)
    @rule(which=WHICH)
    def kill(self, which: int) -> None:
        self.town.kill(self.town.runs[which % len(self.town.runs)])

    @rule()
    def rest(self) -> None:
        self.town.rest()

    @rule(name=WORKLOAD)
    def restart(self, name: str) -> None:
        self.town.restart(name)

    @rule(name=WORKLOAD, which=WHICH)
    def undo(self, name: str, which: int) -> None:
        self.town.undo(name, which)

    @rule(name=WORKLOAD)
    def pause(self, name: str) -> None:
        self.town.pause(name)

    @rule(name=WORKLOAD, propagation=st.sampled_from(["Background", "Foreground", "Orphan"]))
    def delete(self, name: str, propagation: str) -> None:
        self.town.delete(name, propagation)

    @rule()
    def wait_long(self) -> None:
        self.town.world.clock += MINIMUM_AGE

    def teardown(self) -> None:
        if not hasattr(self, "town"):
            return
        with closing(self.town):
            self.town.quiet()

    def _commit(self, field: str, version: int) -> None:
        value: Any = bool(version % 2) if field == "has_api" else version
        self.town.commit(self.town.rendering._replace(**{field: value}))


def run_model(steps: int, *phases: Phase, **other: Any) -> None:
    towns = settings(
        max_examples=max(1, steps // LEAST),
        stateful_step_count=IN_ONE_TOWN,
        phases=phases,
        suppress_health_check=list(HealthCheck),
        database=None,
        **other,
    )
    run_state_machine_as_test(Machine, settings=towns)


def test_what_is_named_stays_and_nothing_else_does() -> None:
    run_model(STEPS, Phase.generate, Phase.shrink)


@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda mutation: mutation.__name__)
def test_a_wrong_linker_is_caught(mutation: Mutation, monkeypatch: pytest.MonkeyPatch) -> None:
    mutation(monkeypatch)
    with pytest.raises(Lost):
        run_model(200_000, Phase.generate, derandomize=True)
