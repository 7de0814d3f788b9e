"""The bench: a cluster for the whole run, a namespace for each test."""

import itertools
from collections.abc import Iterator

import pytest

from tests.cluster.api import Api
from tests.cluster.control_plane import ControlPlane, control_plane, until_furnished
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


@pytest.fixture
def namespace(cluster: ControlPlane) -> Iterator[Api]:
    """The administrator's client for a namespace that is this test's own."""
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
