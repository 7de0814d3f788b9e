"""A Job that runs too late: the known loss of the README, how it is reported, and how it is repaired."""

import pytest

from tests.cluster.api import Api
from tests.cluster.invariant_watcher import InvariantWatcher
from tests.cluster.linker_job import run_linker
from tests.cluster.release import DEPLOYERS, SET, Release
from tests.cluster.workloads import app, config_of, on_each_deployer, until_settled

pytestmark = [pytest.mark.usefixtures("rollouts"), on_each_deployer]


@pytest.fixture
def shop(namespace: Api, deployer: str) -> Release:
    linker = {"minimumAgeSeconds": 0, "timeoutSeconds": 3}
    return Release(api=namespace, deployer=DEPLOYERS[deployer](namespace), settings={"linker": linker})


@pytest.mark.parametrize("kind", ["Deployment", "Rollout"])
def test_a_revision_used_again_is_lost_if_its_old_replica_set_is_deleted_before_the_job_runs(
    kind: str, shop: Release
) -> None:
    """Its only owner is the old ReplicaSet."""
    for content in ("a", "b"):
        shop.release(*app(kind, content, revisionHistoryLimit=1))
        until_settled(shop.api, kind)
    a = shop.revision_of("a", config_of(kind))
    back = app(kind, "a", image="app:2", revisionHistoryLimit=1)
    with InvariantWatcher(shop.api) as watcher:
        shop.sync(*back)
        until_settled(shop.api, kind)
        shop.api.gone("ConfigMap", a)
        assert any(a in violation for violation in watcher.violations())
    late = run_linker(shop.api, SET)
    assert late.exit_code == 1
    assert f"error: ConfigMap {shop.api.namespace}/{a}: does not exist; apply the manifests again" in late.stderr
    shop.release(*back)
    assert f"{kind}/{kind.lower()}" in shop.revisions()[a]
