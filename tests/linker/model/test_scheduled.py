"""Scheduled runs at every moment: of a release, of the release's own Job, of a restore and of a paused rollout.

`NamespaceModel` raises if a live object references a revision that is gone.
"""

import pytest

from krm_fn.linker.link import GRACE
from tests.linker.model.deployers import Deployer, argo_like, flux_like
from tests.linker.model.namespace_model import CONFIGS, NamespaceModel
from tests.linker.model.rendering import Rendering

A = Rendering("Deployment")
B = A._replace(shared=1, config=1, password=1)
DEPLOYERS = pytest.mark.parametrize("deployer", [argo_like, flux_like], ids=["Argo CD", "Flux"])
STEPS = 12
"""More than a deployer writes."""

PACES = [(1, 1), (3, 1), (1, 3), (10, 1), (1, 10), (30, 7), (7, 30)]
"""How many calls two runs make by turns."""


@pytest.mark.rows(test=6, submission=30)
@DEPLOYERS
@pytest.mark.parametrize("steps", range(STEPS))
@pytest.mark.parametrize(
    "to", [A, B._replace(image=1), B._replace(shared=2)], ids=["back", "image", "new"]
)
def test_a_run_with_the_plan_of_the_last_release_while_the_next_is_applied(
    deployer: Deployer, steps: int, to: Rendering
) -> None:
    model = superseded(deployer)
    model.commit(to)
    model.sync(steps)
    model.advance(model.run_on_schedule())
    model.sync()
    model.advance(model.run_on_schedule())
    end(model)


@DEPLOYERS
@pytest.mark.parametrize(("of_job", "of_schedule"), PACES)
@pytest.mark.parametrize("steps", [0, 3, STEPS])
def test_a_run_at_the_same_time_as_the_job_of_the_release(
    deployer: Deployer, of_job: int, of_schedule: int, steps: int
) -> None:
    model = superseded(deployer)
    before = model.run_on_schedule()
    model.advance(before, of_schedule)
    model.commit(A._replace(image=1))
    model.sync(steps)
    model.advance(before, of_schedule)
    model.sync()
    (job,) = model.waiting_jobs()
    runs = [(model.start(job), of_job), (before, of_schedule)]
    while model.runs:
        for run, calls in runs:
            if not run.is_over:
                model.advance(run, calls)
    end(model)


@DEPLOYERS
@pytest.mark.parametrize("steps", range(STEPS))
def test_a_job_that_comes_late_after_scheduled_runs(deployer: Deployer, steps: int) -> None:
    model = superseded(deployer)
    late = model.start(model.waiting_jobs()[0]) if model.waiting_jobs() else model.link_by_hand()
    model.commit(A)
    model.sync(steps)
    model.advance(model.run_on_schedule())
    model.advance(late)
    end(model)


@DEPLOYERS
@pytest.mark.parametrize("kind", ["Deployment", "StatefulSet"])
def test_a_run_after_each_object_that_is_restored_from_a_backup(
    deployer: Deployer, kind: str
) -> None:
    """A revision is young then. The next run gives it the owners that the backup does not have."""
    model = superseded(deployer, kind)
    everything = configs(model)
    for _ in model.restore():
        model.advance(model.run_on_schedule())
    assert configs(model) == everything
    model.settle()
    model.advance(model.run_on_schedule())
    rendered = {name.name for name in model.rendering.names}
    for item in model.store.of_kind(*CONFIGS):
        assert "ownerReferences" in item["metadata"] or item["metadata"]["name"] not in rendered
    end(model)


@DEPLOYERS
def test_a_paused_canary_is_not_waited_for_and_loses_nothing(deployer: Deployer) -> None:
    """Nor is one for which its controller has made no ReplicaSet yet."""
    model = NamespaceModel(A, deployer)
    model.sync()
    model.settle()
    model.pause("web")
    model.commit(B)
    model.sync()
    model.run_jobs()
    model.grow_old()
    everything = configs(model)
    for _ in range(3):
        began = model.store.clock
        run = model.run_on_schedule()
        model.advance(run)
        assert (run.is_done, run.report.problems, run.cluster.said) == (True, [], [])
        assert model.store.clock - began < GRACE
    assert configs(model) == everything
    end(model)


@DEPLOYERS
def test_the_run_after_the_last_replica_set_deletes_without_a_release(deployer: Deployer) -> None:
    model = superseded(deployer)
    old = {name.name for name in A.names}
    assert old <= configs(model)
    model.advance(model.run_on_schedule())
    model.collect_all()
    assert not old & configs(model)
    end(model)


def test_two_runs_of_the_cron_job_are_never_due_at_once() -> None:
    model = superseded(flux_like)
    run = model.run_on_schedule()
    assert not model.is_scheduled_run_due
    model.advance(run)
    assert model.is_scheduled_run_due
    end(model)


def superseded(deployer: Deployer, kind: str = "Deployment") -> NamespaceModel:
    """Build a model with rendering B, in which nothing references what only A has: the next run would delete it."""
    model = NamespaceModel(A._replace(kind=kind), deployer, limits=(0, 0))
    for rendering in (A._replace(kind=kind), B._replace(kind=kind)):
        model.commit(rendering)
        model.sync()
        model.settle()
    model.grow_old()
    return model


def configs(model: NamespaceModel) -> set[str]:
    return {item["metadata"]["name"] for item in model.store.of_kind(*CONFIGS)}


def end(model: NamespaceModel) -> None:
    model.finish()
    model.close()
