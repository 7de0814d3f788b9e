"""Fixtures: one cluster for the whole test run, one namespace for each test."""

import contextlib
import itertools
from collections.abc import Iterator

import pytest

from tests.cluster.api import Api
from tests.cluster.control_plane import ControlPlane, control_plane, new_namespace
from tests.cluster.external_secrets import NAME as EXTERNAL_SECRETS
from tests.cluster.external_secrets import start_external_secrets
from tests.cluster.invariant_watcher import InvariantWatcher
from tests.cluster.linker_harness import LinkerHarness, State, linker_harness
from tests.cluster.release import DEPLOYERS, Release
from tests.cluster.rollouts_controller import NAME, rollout_in_phase, start_rollouts_controller
from tests.cluster.sealed_secrets import CONTROLLER, KUBESEAL, SealedSecrets, start_sealed_secrets
from tests.cluster.workloads import web
from tests.tools.require import require_built, require_on_demand

_numbers = itertools.count(1)


@pytest.fixture(scope="session")
def cluster() -> Iterator[ControlPlane]:
    """Start a control plane for the first test that needs it."""
    with control_plane(require_built) as running:
        yield running


@pytest.fixture(scope="session")
def rollouts(cluster: ControlPlane) -> ControlPlane:
    """Add Argo Rollouts to the control plane, from now to the end of the test run."""
    start_rollouts_controller(cluster, require_built(NAME))
    return cluster


@pytest.fixture(scope="session")
def sealed_secrets(cluster: ControlPlane) -> SealedSecrets:
    """Add Sealed Secrets to the control plane, from now to the end of the test run."""
    return start_sealed_secrets(cluster, require_built(CONTROLLER), require_built(KUBESEAL))


@pytest.fixture(scope="session")
def external_secrets(cluster: ControlPlane) -> ControlPlane:
    """Add External Secrets to the control plane, from now to the end of the test run."""
    start_external_secrets(cluster, require_on_demand(EXTERNAL_SECRETS))
    return cluster


@pytest.fixture(scope="session")
def enforcing_cluster() -> Iterator[ControlPlane]:
    """Start a control plane with OwnerReferencesPermissionEnforcement, as OpenShift has it."""
    with control_plane(
        require_built, admission=["OwnerReferencesPermissionEnforcement"]
    ) as running:
        yield running


@pytest.fixture
def namespace(cluster: ControlPlane) -> Iterator[Api]:
    """Create a namespace for this test, with an administrator's client."""
    with _namespace(cluster) as client:
        yield client


@pytest.fixture
def enforcing_namespace(enforcing_cluster: ControlPlane) -> Iterator[Api]:
    """Create a namespace in the enforcing cluster."""
    with _namespace(enforcing_cluster) as client:
        yield client


@contextlib.contextmanager
def _namespace(cluster: ControlPlane) -> Iterator[Api]:
    client = new_namespace(cluster, f"test-{next(_numbers)}")
    yield client
    # Without waiting until it is gone: the next test has another namespace.
    cluster.api.delete("Namespace", client.namespace)


@pytest.fixture
def invariants(namespace: Api) -> Iterator[InvariantWatcher]:
    """Check after the test: no pod started without a required object, no referenced revision was deleted."""
    with InvariantWatcher(namespace) as watcher:
        yield watcher
        watcher.check()


@pytest.fixture
def shop(namespace: Api, deployer: str) -> Release:
    """Create an application for this test and the deployer that it runs with."""
    return Release(api=namespace, deployer=DEPLOYERS[deployer](namespace))


@pytest.fixture
def paused(shop: Release) -> Release:
    """Release old configuration, then new configuration, and pause at the canary."""
    shop.release(*web("old"))
    rollout_in_phase(shop.api, "web", "Healthy")
    shop.release(*web("new"))
    rollout_in_phase(shop.api, "web", "Paused")
    return shop


@pytest.fixture(scope="module")
def module_harness(
    request: pytest.FixtureRequest, cluster: ControlPlane, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[LinkerHarness]:
    """Create a linker harness for a whole module, in the namespace `HARNESS_NAMESPACE` of the module."""
    with linker_harness(
        cluster, request.module.HARNESS_NAMESPACE, tmp_path_factory.mktemp("linker")
    ) as harness:
        yield harness


@pytest.fixture
def harness(module_harness: LinkerHarness) -> Iterator[LinkerHarness]:
    """Restore the module's harness to its initial state."""
    with module_harness.restored():
        yield module_harness


@pytest.fixture
def undisturbed(harness: LinkerHarness) -> State:
    """Return the state after a run that nothing disturbs."""
    return harness.undisturbed()


def pytest_itemcollected(item: pytest.Item) -> None:
    item.add_marker(pytest.mark.needs("a control plane"))
