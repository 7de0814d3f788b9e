"""A Job that comes too late: the one thing README says can be lost, how loud that is, and how it is mended."""

import pytest

from tests.cluster.api import Api
from tests.cluster.linker_job import run_linker
from tests.cluster.release import DEPLOYERS, SET, Release
from tests.cluster.watcher import Watcher
from tests.cluster.workloads import app, config_of, on_each_deployer, settled

pytestmark = [pytest.mark.usefixtures("rollouts"), on_each_deployer]


@pytest.fixture
def shop(namespace: Api, deployer: str) -> Release:
    linker = {"minimumAgeSeconds": 0, "timeoutSeconds": 3}
    return Release(api=namespace, deployer=DEPLOYERS[deployer](namespace), settings={"linker": linker})


@pytest.mark.parametrize("kind", ["Deployment", "Rollout"])
def test_back_to_the_oldest_revision_with_another_image_before_the_job_has_run(kind: str, shop: Release) -> None:
    """Its only owner is the ReplicaSet of its first days, and that is trimmed."""
    for content in ("a", "b"):
        shop.release(*app(kind, content, revisionHistoryLimit=1))
        settled(shop.api, kind)
    a = shop.revision_of("a", config_of(kind))
    back = app(kind, "a", image="app:2", revisionHistoryLimit=1)
    with Watcher(shop.api) as watcher:
        shop.sync(*back)
        settled(shop.api, kind)
        shop.api.gone("ConfigMap", a)
        assert any(a in violation for violation in watcher.violations())
    late = run_linker(shop.api, SET)
    assert late.exit_code == 1
    assert f"error: ConfigMap {shop.api.namespace}/{a}: does not exist; apply the rendering again" in late.stderr
    shop.release(*back)
    assert f"{kind}/{kind.lower()}" in shop.revisions()[a]
