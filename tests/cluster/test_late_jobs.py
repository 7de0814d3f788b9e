"""A Job that never runs, or too late: what is lost then."""

import pytest

from tests.cluster.api import Api
from tests.cluster.release import DEPLOYERS, Release
from tests.cluster.wait import throughout
from tests.cluster.watcher import Watcher
from tests.cluster.workloads import app, config_of, on_each_deployer, settled

pytestmark = [pytest.mark.usefixtures("rollouts"), on_each_deployer]


@pytest.fixture
def shop(namespace: Api, deployer: str) -> Release:
    return Release(api=namespace, deployer=DEPLOYERS[deployer](namespace))


@pytest.mark.parametrize("kind", ["Deployment", "Rollout"])
@pytest.mark.xfail(
    strict=True,
    raises=AssertionError,
    reason="the workload let go of it, and its one owner is trimmed before the Job runs",
)
def test_back_to_an_old_revision_with_another_image_it_outlives_its_replica_set(kind: str, shop: Release) -> None:
    with Watcher(shop.api) as watcher:
        shop.release(*app(kind, "a", revisionHistoryLimit=1))
        settled(shop.api, kind)
        shop.release(*app(kind, "b", revisionHistoryLimit=1))
        settled(shop.api, kind)
        a = shop.revision_of("a", config_of(kind))
        shop.sync(*app(kind, "a", image="app:2", revisionHistoryLimit=1))  # nobody runs the Job
        settled(shop.api, kind)
        throughout("it is there", lambda: shop.api.names("ConfigMap"), lambda names: a in names, seconds=2)
        watcher.check()
