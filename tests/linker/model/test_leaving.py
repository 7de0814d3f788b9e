"""The last release with krm-fn takes owners off: what a later release deletes takes nothing along.

`NamespaceModel` raises if a live object references a revision that is gone.
"""

import pytest

from tests.linker.model.deployers import Deployer, argo_like, flux_like
from tests.linker.model.namespace_model import NamespaceModel, RevisionLost
from tests.linker.model.rendering import Rendering

INSTALLED = Rendering("Deployment", has_nightly=True)
DEPLOYERS = pytest.mark.parametrize("deployer", [argo_like, flux_like], ids=["argo", "flux"])


def installed(deployer: Deployer, before: Rendering) -> NamespaceModel:
    """Build a model in the middle of a release, with a Workflow that began before it."""
    model = NamespaceModel(before, deployer, limits=(1, 1))
    for one in (before, before._replace(shared=1, config=1, password=1, nightly=1)):
        model.commit(one)
        model.sync()
        model.settle()
        model.advance(model.run_for_all_sets())
        model.begin_workflow()
    return model


def leave(model: NamespaceModel) -> None:
    """Release without krm-fn, delete what is left of it, then create the workloads anew."""
    left = model.rendering._replace(is_leaving=False, has_left=True)
    model.commit(left)
    model.sync()
    model.delete_inventory()
    model.collect_all()
    model.tidy_up()
    model.collect_all()
    for name in ("web", "api"):
        model.delete(name, "Background")
        model.collect_all()
        model.commit(left)
        model.sync()
        model.settle()
    model.check()


@DEPLOYERS
@pytest.mark.parametrize("is_shared", [False, True], ids=["its own Job", "the one linker"])
@pytest.mark.parametrize("calls", [0, 12, 20, 25, 30, 35, 40, 50])
def test_after_a_last_run_nothing_goes_with_anything(
    deployer: Deployer, calls: int, *, is_shared: bool
) -> None:
    """The first run is killed after so many calls."""
    model = installed(deployer, INSTALLED._replace(is_shared=is_shared))
    model.commit(model.rendering._replace(is_leaving=True))
    model.sync()
    for number in (calls, 10**9):
        run = model.run_for_all_sets() if is_shared else model.link_by_hand()
        model.advance(run, number)
        if not run.is_over:
            model.kill(run)
    assert not run.report.failures
    for item in model.store.of_kind("ConfigMap", "Secret"):
        owners = item["metadata"].get("ownerReferences", [])
        # The Role names no Secret of an earlier rendering: it goes with its tracker, as the page says.
        is_earlier = item["kind"] == "Secret" and item["metadata"]["name"].endswith("b" * 10)
        assert not owners or is_earlier, item["metadata"]["name"]
    leave(model)


@DEPLOYERS
def test_without_that_run_something_goes(deployer: Deployer) -> None:
    model = installed(deployer, INSTALLED)
    with pytest.raises(RevisionLost):
        leave(model)


@DEPLOYERS
def test_a_set_that_stays_after_all_is_linked_again(deployer: Deployer) -> None:
    model = installed(deployer, INSTALLED)
    stays = model.rendering
    for one in (stays._replace(is_leaving=True), stays):
        model.commit(one)
        model.sync()
        model.settle()
    model.finish()
    model.close()
