"""No interleaving of the linker with other clients deletes a revision that a live object references.

Every client acts step by step and may be late: both deployers, the controllers, the garbage collector, users, and the
real linker, which pauses before every call.
"""

from collections.abc import Callable
from contextlib import closing
from typing import Any, TypeAlias

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    precondition,
    rule,
    run_state_machine_as_test,
)

from tests.linker.controllers import WITH_OLD_PODS
from tests.linker.model import mutants
from tests.linker.model.deployers import Deployer, argo_like, flux_like
from tests.linker.model.mutants import MUTATIONS, Mutation
from tests.linker.model.namespace_model import AnnotationLost, NamespaceModel, RevisionLost
from tests.linker.model.rendering import Rendering
from tests.linker.stepwise_run import StepwiseRun
from tests.volume import part_of

STEPS = part_of(100_000)
MAX_STEPS_PER_MODEL = 50
MIN_STEPS_PER_MODEL = 40
"""About what a model makes of its maximum, as some end early."""

WORKLOAD = st.sampled_from(["web", "api"])
WHICH = st.integers(0, 3)
FIELDS = st.sampled_from(
    [
        *("shared", "shared", "config", "password", "image", "image", "has_api", "is_shared"),
        *("nightly", "nightly", "has_nightly"),
    ]
)
FLAGS = ("has_api", "is_shared", "has_nightly")


Story: TypeAlias = "Callable[[Machine], None]"


class Machine(RuleBasedStateMachine):
    """The steps that can happen next."""

    model: NamespaceModel
    tells_on_schedule = False
    """Whether the stories run the CronJob, and not the linker by hand."""

    @initialize(
        kind=st.sampled_from(["Deployment", "Deployment", "StatefulSet", *WITH_OLD_PODS]),
        deployer=st.sampled_from([argo_like, flux_like]),
        limits=st.tuples(WHICH, WHICH),
        has_api=st.booleans(),
    )
    def install(
        self, kind: str, deployer: Deployer, limits: tuple[int, int], *, has_api: bool
    ) -> None:
        self.model = NamespaceModel(Rendering(kind, has_api=has_api), deployer, limits)
        self.model.sync()

    @rule(field=FIELDS, version=st.integers(0, 2), settles=st.booleans())
    def deploy(self, field: str, version: int, *, settles: bool) -> None:
        self._commit(field, version)
        self.model.sync()
        if settles:
            self.model.settle()

    @rule(field=FIELDS, version=st.integers(0, 2), steps=st.integers(0, 12))
    def begin_to_deploy(self, field: str, version: int, steps: int) -> None:
        self._commit(field, version)
        self.model.sync(steps)

    @precondition(lambda self: not self.model.runs)
    @rule(
        field=st.sampled_from(["shared", "config", "password"]),
        version=st.integers(0, 2),
        writes=st.integers(0, 3),
        steps=st.sampled_from([*range(9), 30, 30]),
        more_writes=st.integers(0, 3),
        scheduled=st.booleans(),
    )
    def go_back_during_a_deletion(  # noqa: PLR0913  # all that can differ
        self,
        field: str,
        version: int,
        writes: int,
        steps: int,
        more_writes: int,
        *,
        scheduled: bool,
    ) -> None:
        """Go back to a revision that a run is about to delete.

        Deployer and run stand still somewhere.
        """
        self.model.sync()
        before = self.model.rendering
        self._commit(field, version)
        self.model.sync()
        self.model.settle()
        self.model.trim_all()
        self.model.grow_old()
        run = self._run_on_schedule() if scheduled else self.model.link_by_hand()
        self._advance_to_writes(run, writes)
        self.model.commit(before)
        self.model.sync(steps)
        self._advance_to_writes(run, more_writes)

    @rule(steps=st.sampled_from([1, 3, 30]))
    def continue_to_deploy(self, steps: int) -> None:
        self.model.sync(steps)

    @rule()
    def apply_again(self) -> None:
        self.model.commit(self.model.rendering)
        self.model.sync()

    @rule(name=WORKLOAD)
    def reconcile(self, name: str) -> None:
        self.model.reconcile(name)

    @rule(name=WORKLOAD)
    def trim(self, name: str) -> None:
        self.model.trim(name)

    @rule(which=WHICH)
    def stop_a_pod(self, which: int) -> None:
        self.model.stop_pod(which)

    @rule()
    def begin_a_workflow(self) -> None:
        self.model.begin_workflow()

    @rule(which=WHICH)
    def end_a_workflow(self, which: int) -> None:
        self.model.end_workflow(which)

    @rule(which=WHICH)
    def collect(self, which: int) -> None:
        self.model.collect(which)

    @rule()
    def collect_all(self) -> None:
        self.model.collect_all()

    @precondition(lambda self: self.model.waiting_jobs())
    @rule(which=WHICH)
    def start_a_job(self, which: int) -> None:
        jobs = self.model.waiting_jobs()
        self.model.start(jobs[which % len(jobs)])

    @rule()
    def run_jobs(self) -> None:
        self.model.run_jobs()

    @precondition(lambda self: len(self.model.runs) < 3)
    @rule()
    def link_by_hand(self) -> None:
        self.model.link_by_hand()

    @precondition(lambda self: len(self.model.runs) < 3)
    @rule(version=st.integers(0, 2))
    def link_by_hand_with_another_plan(self, version: int) -> None:
        self.model.link_by_hand_of(self.model.rendering._replace(shared=version))

    @precondition(lambda self: self.model.is_scheduled_run_due)
    @rule()
    def run_on_schedule(self) -> None:
        self.model.run_on_schedule()

    @precondition(lambda self: len(self.model.runs) < 3)
    @rule()
    def run_for_all_sets(self) -> None:
        self.model.run_for_all_sets()

    @precondition(lambda self: self.model.runs)
    @rule(which=WHICH, calls=st.sampled_from([1, 10, 30, 1000]))
    def advance_a_run(self, which: int, calls: int) -> None:
        self.model.advance(self.model.runs[which % len(self.model.runs)], calls)

    @precondition(lambda self: self.model.runs)
    @rule(which=WHICH)
    def advance_a_run_to_a_write(self, which: int) -> None:
        self.model.advance_to_write(self.model.runs[which % len(self.model.runs)])

    @precondition(lambda self: self.model.runs)
    @rule(which=WHICH)
    def kill(self, which: int) -> None:
        self.model.kill(self.model.runs[which % len(self.model.runs)])

    @rule()
    def settle(self) -> None:
        self.model.settle()

    @rule(name=WORKLOAD)
    def restart(self, name: str) -> None:
        self.model.restart(name)

    @rule(name=WORKLOAD, which=WHICH)
    def undo(self, name: str, which: int) -> None:
        self.model.undo(name, which)

    @rule(name=WORKLOAD)
    def pause(self, name: str) -> None:
        self.model.pause(name)

    @rule(name=WORKLOAD, propagation=st.sampled_from(["Background", "Foreground", "Orphan"]))
    def delete(self, name: str, propagation: str) -> None:
        self.model.delete(name, propagation)

    @precondition(lambda self: not self.model.runs)
    @rule()
    def recreate_inventory(self) -> None:
        self.model.recreate_inventory()

    @rule()
    def wait_long(self) -> None:
        self.model.grow_old()

    def teardown(self) -> None:
        if not hasattr(self, "model"):
            return
        with closing(self.model):
            self.model.finish()

    def _advance_to_writes(self, run: StepwiseRun, number: int) -> None:
        for _ in range(number):
            if not run.is_over:
                self.model.advance_to_write(run)

    def _run_on_schedule(self) -> StepwiseRun:
        """Start a run of the CronJob, or of the one linker of the namespace where there is none."""
        if self.model.store.of_kind("CronJob"):
            return self.model.run_on_schedule()
        return self.model.run_for_all_sets()

    def _commit(self, field: str, version: int) -> None:
        value: Any = bool(version % 2) if field in FLAGS else version
        self.model.commit(self.model.rendering._replace(**{field: value}))


def run_model(steps: int, *phases: Phase) -> None:
    profile = settings(
        max_examples=max(1, steps // MIN_STEPS_PER_MODEL),
        stateful_step_count=MAX_STEPS_PER_MODEL,
        phases=phases,
        suppress_health_check=list(HealthCheck),
        database=None,
    )
    run_state_machine_as_test(Machine, settings=profile)


@pytest.mark.volume
def test_exactly_the_referenced_revisions_are_kept() -> None:
    run_model(STEPS, Phase.generate, Phase.shrink)


@pytest.mark.nightly
@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda mutation: mutation.__name__)
def test_the_model_finds_a_linker_with_a_bug(
    mutation: Mutation, monkeypatch: pytest.MonkeyPatch
) -> None:
    mutation(monkeypatch)
    with pytest.raises((RevisionLost, AnnotationLost)):
        run_model(100_000, Phase.generate)


def go_back(writes: int, more_writes: int = 0) -> Story:
    def story(machine: Machine) -> None:
        scheduled = machine.tells_on_schedule
        machine.go_back_during_a_deletion("shared", 1, writes, 0, more_writes, scheduled=scheduled)

    return story


def leave_again_before_the_second_look(machine: Machine) -> None:
    """Go back, then forward: the inventory lists the revision no more, while the workload still references it."""
    machine.go_back_during_a_deletion("shared", 1, 1, 30, 0, scheduled=machine.tells_on_schedule)
    machine.delete("api", "Background")
    machine.begin_to_deploy("shared", version=1, steps=4)
    machine.advance_a_run(which=0, calls=1000)


def leave_history_before_the_second_look(machine: Machine) -> None:
    """Go back, then forward: only a new ReplicaSet references the revision."""
    machine.go_back_during_a_deletion("shared", 1, 1, 30, 0, scheduled=machine.tells_on_schedule)
    machine.reconcile("web")
    machine.begin_to_deploy("shared", version=1, steps=30)
    machine.advance_a_run(which=0, calls=1000)


def recreate_the_inventory(machine: Machine) -> None:
    machine.recreate_inventory()


def deploy_without_a_workload_that_stays(machine: Machine) -> None:
    machine.recreate_inventory()
    machine.delete("api", "Background")
    machine.apply_again()


def go_back_and_recreate_the_inventory(machine: Machine) -> None:
    go_back(writes=0)(machine)
    machine.deploy("shared", version=0, settles=True)
    machine.recreate_inventory()


def go_back_before_anything_is_waited_for(machine: Machine) -> None:
    machine.begin_to_deploy("shared", version=1, steps=0)
    machine.go_back_during_a_deletion("shared", 0, 1, 3, 1, scheduled=machine.tells_on_schedule)
    machine.recreate_inventory()


def go_back_and_stand_still_before_the_workloads(machine: Machine) -> None:
    go_back(writes=0)(machine)
    machine.continue_to_deploy(5)
    machine.advance_a_run(0, 1000)
    machine.continue_to_deploy(30)


def go_on_while_a_workflow_idles(machine: Machine) -> None:
    begin_a_workflow(machine)
    machine.deploy("nightly", version=1, settles=True)
    link_when_old(machine)


def drop_what_began_a_workflow(machine: Machine) -> None:
    begin_a_workflow(machine)
    machine.deploy("has_nightly", version=0, settles=True)
    link_when_old(machine)


def begin_a_workflow(machine: Machine) -> None:
    machine.deploy("has_nightly", version=1, settles=True)
    machine.begin_a_workflow()


def link_when_old(machine: Machine) -> None:
    machine.wait_long()
    if machine.tells_on_schedule:
        machine.run_on_schedule()
    else:
        machine.link_by_hand()
    machine.advance_a_run(which=0, calls=10**6)


STORIES = [
    (
        "Deployment",
        go_back_and_stand_still_before_the_workloads,
        mutants.only_its_own_plan_is_rendered,
    ),
    ("Deployment", deploy_without_a_workload_that_stays, mutants.the_inventory_is_no_owner),
    ("Deployment", recreate_the_inventory, mutants.only_the_inventory_is_an_owner),
    ("Deployment", go_back_and_recreate_the_inventory, mutants.owners_are_replaced),
    ("Deployment", go_back_before_anything_is_waited_for, mutants.it_does_not_wait),
    ("Deployment", go_back(writes=1), mutants.it_does_not_look_again),
    ("Deployment", go_back(writes=2), mutants.it_deletes_any_version),
    ("Deployment", go_back(writes=0, more_writes=1), mutants.annotations_are_not_given_back),
    ("StatefulSet", go_back(writes=0), mutants.templates_speak_for_their_pods),
    ("Deployment", leave_again_before_the_second_look, mutants.versions_are_not_compared),
    ("Deployment", leave_history_before_the_second_look, mutants.new_objects_are_not_read),
    ("Deployment", go_on_while_a_workflow_idles, mutants.only_makers_are_looked_at),
    ("Deployment", drop_what_began_a_workflow, mutants.marks_do_not_count),
]
"""What the search has found for each bug, without the steps that do not matter."""


@pytest.mark.parametrize("scheduled", [False, True], ids=["by hand", "scheduled"])
@pytest.mark.parametrize(
    ("kind", "story", "mutation"), STORIES, ids=[one[-1].__name__ for one in STORIES]
)
def test_a_story_loses_a_revision_only_with_the_bug(
    kind: str, story: Story, mutation: Mutation, monkeypatch: pytest.MonkeyPatch, *, scheduled: bool
) -> None:
    monkeypatch.setattr(Machine, "tells_on_schedule", scheduled)
    tell(story, kind)
    mutation(monkeypatch)
    with pytest.raises((RevisionLost, AnnotationLost)):
        tell(story, kind)


def tell(story: Story, kind: str) -> None:
    machine = Machine()
    machine.install(kind, flux_like, (0, 0), has_api=True)
    story(machine)
    machine.teardown()
