"""The one linker of a namespace at every moment of a release, beside Jobs, and where a set changes to it and back.

`NamespaceModel` raises if a live object references a revision that is gone.
"""

import pytest

from krm_fn.linker import link_all_sets
from tests.linker.model.deployers import Deployer, argo_like, flux_like
from tests.linker.model.namespace_model import CONFIGS, NamespaceModel
from tests.linker.model.rendering import Rendering
from tests.linker.model.test_scheduled import DEPLOYERS, PACES, STEPS
from tests.linker.stepwise_run import StepwiseRun

OWN = Rendering("Deployment")
SHARED = OWN._replace(is_shared=True)
OTHERS = ("a-shop", "z-shop")
"""Sets that a run comes to before the one of the model, and after it."""


def following(rendering: Rendering) -> Rendering:
    """Return the next rendering: each of its revisions has another name."""
    return rendering._replace(shared=1, config=1, password=1)


@pytest.fixture(autouse=True)
def _in_order(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(link_all_sets, "shuffle", lambda names: names.sort())


def superseded(rendering: Rendering, deployer: Deployer) -> NamespaceModel:
    """Build a model with the next rendering, in which nothing references what only the first one has."""
    model = NamespaceModel(rendering, deployer, limits=(0, 0))
    for one in (rendering, following(rendering)):
        model.commit(one)
        model.sync()
        model.settle()
        model.advance(model.run_for_all_sets())
    for name in OTHERS:
        model.add_other_set(name)
    model.grow_old()
    return model


def take_turns(model: NamespaceModel, runs: list[tuple[StepwiseRun, int]]) -> None:
    while model.runs:
        for run, calls in runs:
            if not run.is_over:
                model.advance(run, calls)


def end(model: NamespaceModel) -> None:
    """Let a last run link all sets, and check that each has what is referenced, and no more."""
    run = model.run_for_all_sets()
    model.advance(run)
    assert run.is_done
    left = {item["metadata"]["name"] for item in model.store.of_kind(*CONFIGS)}
    for name in OTHERS:
        assert f"{name}-config-bbbbbbbbbb" in left
        assert f"{name}-config-cccccccccc" not in left
    model.finish()
    model.close()


@pytest.mark.rows(test=6, submission=30)
@DEPLOYERS
@pytest.mark.parametrize("steps", range(STEPS))
@pytest.mark.parametrize(
    "to",
    [SHARED, following(SHARED)._replace(image=1), SHARED._replace(shared=2)],
    ids=["back", "image", "new"],
)
def test_a_run_while_a_release_is_applied(deployer: Deployer, steps: int, to: Rendering) -> None:
    model = superseded(SHARED, deployer)
    model.commit(to)
    model.sync(steps)
    model.advance(model.run_for_all_sets())
    model.sync()
    model.advance(model.run_for_all_sets())
    end(model)


CHANGES = {
    "from its own Job": (OWN, SHARED),
    "to its own Job": (SHARED, OWN),
    "stays shared": (SHARED, SHARED),
    "keeps its own Job": (OWN, OWN),
}


@pytest.mark.rows(test=6, submission=40)
@DEPLOYERS
@pytest.mark.parametrize(("before", "after"), CHANGES.values(), ids=CHANGES)
@pytest.mark.parametrize(("of_job", "of_shared"), PACES)
@pytest.mark.parametrize("steps", [0, 3, STEPS])
def test_a_set_that_changes_while_both_run(  # noqa: PLR0913, PLR0917  # each of them matters
    deployer: Deployer, before: Rendering, after: Rendering, of_job: int, of_shared: int, steps: int
) -> None:
    """The release goes back to what is unreferenced until then, and a late Job of the rendering before it runs too."""
    model = superseded(before, deployer)
    late = model.link_by_hand()
    shared = model.run_for_all_sets()
    model.advance(late, of_job)
    model.advance(shared, of_shared)
    model.commit(after._replace(image=1))
    model.sync(steps)
    model.advance(shared, of_shared)
    model.sync()
    jobs = [model.start(job) for job in model.waiting_jobs()]
    runs = [*((job, of_job) for job in jobs), (shared, of_shared), (late, of_job)]
    take_turns(model, runs)
    end(model)


@DEPLOYERS
def test_a_set_that_changes_and_goes_back(deployer: Deployer) -> None:
    model = superseded(OWN, deployer)
    for rendering in (SHARED, following(OWN), following(SHARED), OWN):
        model.commit(rendering)
        model.sync()
        model.settle()
        model.advance(model.run_for_all_sets())
        model.grow_old()
    end(model)


@pytest.mark.parametrize("calls", range(0, 60, 3))
def test_two_runs_of_the_one_linker_at_the_same_time(calls: int) -> None:
    """Kubernetes starts no second one, but people may."""
    model = superseded(SHARED, argo_like)
    first, second = model.run_for_all_sets(), model.run_for_all_sets()
    model.advance(first, calls)
    model.commit(SHARED)
    model.sync()
    take_turns(model, [(second, 7), (first, 3)])
    end(model)


def test_a_set_with_its_own_job_is_left_alone() -> None:
    model = superseded(OWN, flux_like)
    before = versions(model)
    model.advance(model.run_for_all_sets())
    assert versions(model) == before
    end(model)


def versions(model: NamespaceModel) -> dict[str, str]:
    found = [item["metadata"] for item in model.store.of_kind("ConfigMap")]
    return {
        one["name"]: one["resourceVersion"] for one in found if one["name"] not in model.of_others
    }


@DEPLOYERS
@pytest.mark.parametrize("has_run", [True, False], ids=["after a run", "before any run"])
def test_what_no_linker_sees_any_more_stays_while_it_is_rendered(
    deployer: Deployer, *, has_run: bool
) -> None:
    """The one linker is not told the kind that reads it, and its reader is created anew."""
    model = NamespaceModel(OWN._replace(has_nightly=True), deployer, limits=(0, 0))
    model.sync()
    model.settle()
    shared = model.rendering._replace(is_shared=True)
    model.commit(shared)
    model.sync()
    if has_run:
        model.advance(model.run_for_all_sets())
    model.commit(shared._replace(has_nightly=False))
    model.delete("nightly", "Background")
    model.collect_all()
    model.commit(shared._replace(shared=1))
    model.sync()
    for _ in range(2):
        model.grow_old()
        model.advance(model.run_for_all_sets())
        model.collect_all()
    model.check()
    model.close()


@DEPLOYERS
@pytest.mark.parametrize("is_shared", [False, True], ids=["its own Job", "the one linker"])
def test_what_idles_without_a_pod_keeps_what_it_began_with(
    deployer: Deployer, *, is_shared: bool
) -> None:
    """Its maker has moved on, or has left the package, before any run has seen the two."""
    model = NamespaceModel(OWN._replace(has_nightly=True), deployer, limits=(0, 0))
    model.sync()
    model.begin_workflow()
    for change in ({"nightly": 1}, {"has_nightly": False}):
        model.commit(model.rendering._replace(is_shared=is_shared, **change))
        model.sync()
        model.collect_all()
        model.grow_old()
        model.advance(model.run_for_all_sets() if is_shared else model.link_by_hand())
        model.collect_all()
    model.end_workflow(0)
    model.finish()
    model.close()
