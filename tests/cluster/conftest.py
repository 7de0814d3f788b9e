"""The bench: a cluster for the whole run, a namespace for each test."""

import contextlib
import itertools
from collections.abc import Iterator

import pytest

from tests.cluster.api import Api
from tests.cluster.control_plane import ControlPlane, control_plane, until_furnished
from tests.cluster.linker_bench import LinkerBench, State, linker_bench
from tests.cluster.release import DEPLOYERS, Release
from tests.cluster.rollouts_controller import NAME, start_rollouts_controller
from tests.cluster.watcher import Watcher
from tests.tools.require import require_built

_numbers = itertools.count(1)


@pytest.fixture(scope="session")
def cluster() -> Iterator[ControlPlane]:
    """A control plane that runs, started for the first test that asks."""
    with control_plane(require_built) as running:
        yield running


@pytest.fixture(scope="session")
def rollouts(cluster: ControlPlane) -> ControlPlane:
    """The same with the controller of Argo Rollouts, and its kinds, from here to the end of the run."""
    start_rollouts_controller(cluster, require_built(NAME))
    return cluster


@pytest.fixture(scope="session")
def enforcing_cluster() -> Iterator[ControlPlane]:
    """Another, which asks whoever sets an owner for the right to delete what it owns, as OpenShift does."""
    with control_plane(require_built, admission=["OwnerReferencesPermissionEnforcement"]) as running:
        yield running


@pytest.fixture
def namespace(cluster: ControlPlane) -> Iterator[Api]:
    """The administrator's client for a namespace that is this test's own."""
    with _namespace(cluster) as client:
        yield client


@pytest.fixture
def enforcing_namespace(enforcing_cluster: ControlPlane) -> Iterator[Api]:
    """The same in the other cluster."""
    with _namespace(enforcing_cluster) as client:
        yield client


@contextlib.contextmanager
def _namespace(cluster: ControlPlane) -> Iterator[Api]:
    name = f"test-{next(_numbers)}"
    cluster.api.create({"kind": "Namespace", "metadata": {"name": name}})
    client = cluster.api.within(name)
    until_furnished(client)
    yield client
    # Nobody waits until it is empty; the next test has another.
    cluster.api.delete("Namespace", name)


@pytest.fixture
def invariants(namespace: Api) -> Iterator[Watcher]:
    """No pod starts without what it names, and nothing that is named is deleted: checked when the test ends."""
    with Watcher(namespace) as watcher:
        yield watcher
        watcher.check()


@pytest.fixture
def shop(namespace: Api, deployer: str) -> Release:
    """An application of this test's own, for the deployer the test is run with."""
    return Release(api=namespace, deployer=DEPLOYERS[deployer](namespace))


@pytest.fixture(scope="module")
def lasting(
    request: pytest.FixtureRequest, cluster: ControlPlane, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[LinkerBench]:
    """A linker's scene for a whole module, in the namespace that the module's `BENCH` names."""
    with linker_bench(cluster, request.module.BENCH, tmp_path_factory.mktemp("linker")) as bench:
        yield bench


@pytest.fixture
def bench(lasting: LinkerBench) -> Iterator[LinkerBench]:
    """The same with everything as it was in the beginning."""
    with lasting.fresh():
        yield lasting


@pytest.fixture
def undisturbed(bench: LinkerBench) -> State:
    """What the namespace is to look like in the end."""
    return bench.undisturbed()
