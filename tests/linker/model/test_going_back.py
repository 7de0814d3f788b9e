"""Workloads that go back to a revision that no run of the linker has linked to them.

Each was a loss once.

`NamespaceModel` raises if a live object references a revision that is gone.
"""

from collections.abc import Iterator

import pytest

from tests.linker.model.deployers import Deployer, argo_like, flux_like
from tests.linker.model.namespace_model import NamespaceModel
from tests.linker.model.rendering import Rendering

A = Rendering("Deployment", has_api=False)
B = A._replace(shared=1)
A_WITH_ANOTHER_IMAGE = A._replace(image=1)


@pytest.fixture(params=[argo_like, flux_like], ids=["Argo CD", "Flux"])
def model(request: pytest.FixtureRequest) -> Iterator[NamespaceModel]:
    """Build a model that has settled with rendering A and keeps no history, so that no old object is an owner."""
    deployer: Deployer = request.param
    made = NamespaceModel(A, deployer, limits=(0, 0))
    made.sync()
    made.settle()
    yield made
    made.finish()
    made.close()


def deploy(model: NamespaceModel, rendering: Rendering, *, settles: bool = True) -> None:
    model.commit(rendering)
    model.sync()
    model.reconcile("web")
    if settles:
        model.settle()


def keep_history(model: NamespaceModel) -> None:
    """Keep A's ReplicaSet when B is deployed."""
    model.limits["web"] = 1


def trim_all(model: NamespaceModel) -> None:
    model.trim_all()
    model.collect_all()


def test_ordinary_deployments(model: NamespaceModel) -> None:
    for rendering in (B, A, A_WITH_ANOTHER_IMAGE, B, A):
        deploy(model, rendering)


def test_a_revision_is_used_again_and_the_job_never_runs(model: NamespaceModel) -> None:
    keep_history(model)
    deploy(model, B)
    deploy(model, A_WITH_ANOTHER_IMAGE, settles=False)
    trim_all(model)  # deletes its old ReplicaSet


def test_a_revision_is_used_again_and_the_job_is_killed(model: NamespaceModel) -> None:
    keep_history(model)
    deploy(model, B)
    deploy(model, A_WITH_ANOTHER_IMAGE, settles=False)
    model.kill(model.start(model.waiting_jobs()[0]))
    trim_all(model)


def test_an_undo_and_a_restart_without_a_run(model: NamespaceModel) -> None:
    keep_history(model)
    deploy(model, B)
    model.undo("web", 0)
    model.restart("web")
    model.reconcile("web")
    trim_all(model)


def test_a_workload_that_is_created_again(model: NamespaceModel) -> None:
    model.delete("web", "Background")
    model.collect_all()
    deploy(model, A)  # the same Job, which does not run again


def test_orphans_and_their_new_workload(model: NamespaceModel) -> None:
    model.delete("web", "Orphan")
    deploy(model, A_WITH_ANOTHER_IMAGE)


def test_going_back_while_the_job_of_that_rendering_still_exists(model: NamespaceModel) -> None:
    """The Job exists after a sync that failed before pruning, or without pruning.

    A Job runs only once.
    """
    keep_history(model)
    job = model.store.of_kind("Job")[0]
    deploy(model, B, settles=False)
    model.store.remove(job)
    model.store.create(job)
    model.settle()
    deploy(model, A_WITH_ANOTHER_IMAGE, settles=False)
    model.settle()
    trim_all(model)
    deploy(model, B, settles=False)  # prunes that Job; the new one has not run yet
    model.collect_all()


def test_a_run_that_writes_after_a_whole_run_of_a_later_job(model: NamespaceModel) -> None:
    deploy(model, B, settles=False)
    late = model.start(model.waiting_jobs()[0])
    model.advance_to_write(late)
    model.collect_all()
    deploy(model, A, settles=False)
    model.run_jobs()
    model.advance(late)  # its Job is gone: it ends after this call, and reads nothing again
    model.restart("web")
    model.reconcile("web")
    trim_all(model)
