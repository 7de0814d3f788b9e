"""What the promise leaves out, each in its fewest steps: a revision goes that something names, and is applied again.

All of them need a revision to be named anew without a run of the linker after that, or a run that comes late.
"""

from collections.abc import Iterator

import pytest

from tests.linker.model.deployers import argo_like, flux_like
from tests.linker.model.rendering import Rendering
from tests.linker.model.town import Deployer, Town

A = Rendering("Deployment", has_api=False)
B = A._replace(shared=1)
A_WITH_ANOTHER_IMAGE = A._replace(image=1)


@pytest.fixture(params=[argo_like, flux_like], ids=["Argo CD", "Flux"])
def town(request: pytest.FixtureRequest) -> Iterator[Town]:
    """Without history, so that nothing old holds on; all at rest under A."""
    deployer: Deployer = request.param
    made = Town(A, deployer, limits=(0, 0))
    made.sync()
    made.rest()
    yield made
    made.close()


def deploy(town: Town, rendering: Rendering, *, until_rest: bool = True) -> None:
    town.commit(rendering)
    town.sync()
    town.follow("web")
    if until_rest:
        town.rest()


def keep_history(town: Town) -> None:
    """So that A's ReplicaSet is still there under B."""
    town.limits["web"] = 1


def trim_all(town: Town) -> None:
    town.limits["web"] = 0
    town.trim("web")
    town.collect_all()


def test_nothing_is_lost_in_an_ordinary_life(town: Town) -> None:
    for rendering in (B, A, A_WITH_ANOTHER_IMAGE, B, A):
        deploy(town, rendering)
    town.quiet()
    assert town.excused == 0


def test_going_back_with_another_image_and_the_job_never_runs(town: Town) -> None:
    keep_history(town)
    deploy(town, B)
    deploy(town, A_WITH_ANOTHER_IMAGE, until_rest=False)
    trim_all(town)  # A hung on its old ReplicaSet
    assert town.excused == 1


def test_going_back_and_the_job_runs_before_history_is_trimmed(town: Town) -> None:
    keep_history(town)
    deploy(town, B)
    deploy(town, A_WITH_ANOTHER_IMAGE, until_rest=False)
    town.run_jobs()
    trim_all(town)
    assert town.excused == 0


def test_an_undo_and_then_a_restart(town: Town) -> None:
    keep_history(town)
    deploy(town, B)
    town.undo("web", 0)
    town.restart("web")
    town.follow("web")
    trim_all(town)
    assert town.excused == 1


def test_the_roster_keeps_what_a_workload_that_is_made_anew_needs(town: Town) -> None:
    town.delete("web", "Background")
    town.collect_all()
    deploy(town, A)  # has the same Job, which has run
    assert town.excused == 0


def test_the_roster_keeps_what_orphans_and_their_new_workload_need(town: Town) -> None:
    town.delete("web", "Orphan")
    deploy(town, A_WITH_ANOTHER_IMAGE)
    assert town.excused == 0


def test_going_back_while_the_job_of_then_is_still_there(town: Town) -> None:
    """As after a sync that failed before it pruned, or where nothing is pruned: a Job runs once."""
    keep_history(town)
    job = town.world.of_kind("Job")[0]
    deploy(town, B, until_rest=False)
    town.world.remove(job)
    town.world.create(job)
    town.rest()  # A is held by that Job and its old ReplicaSet
    deploy(town, A_WITH_ANOTHER_IMAGE, until_rest=False)
    town.rest()
    trim_all(town)
    assert town.excused == 0
    deploy(town, B, until_rest=False)  # which prunes the Job, and the new one has not run yet
    town.collect_all()
    assert town.excused == 1


def test_a_run_that_is_late_by_a_whole_run_of_a_younger_one(town: Town) -> None:
    deploy(town, B, until_rest=False)
    late = town.start(town.waiting_jobs()[0])
    town.advance_to_write(late)  # wants to take the workload off A
    town.collect_all()
    deploy(town, A, until_rest=False)
    town.run_jobs()
    town.advance(late)  # its Job is gone: it ends after the call in hand, and does not look again
    town.restart("web")
    town.follow("web")
    trim_all(town)
    assert town.excused == 1
