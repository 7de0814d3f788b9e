"""A cluster that version 0.1.0 has linked, in the middle of a canary, is taken over by this version."""

from typing import Any

import pytest

from tests.cluster.api import Api
from tests.cluster.invariant_watcher import InvariantWatcher
from tests.cluster.linker_job import run_linker
from tests.cluster.release import DEPLOYERS, SET, Release, with_image
from tests.cluster.rollouts_controller import abort, promote, rollout_in_phase
from tests.cluster.test_control_plane import pods_by_config
from tests.cluster.upgrade import CONTENTS, SETTINGS, leave, owners_in, shop_objects
from tests.cluster.wait import until
from tests.cluster.workloads import assert_linked, on_each_deployer, until_unreferenced

pytestmark = [pytest.mark.usefixtures("rollouts"), on_each_deployer]
OLD, NEW = CONTENTS
INVENTORY = f"ConfigMap/{SET}-linker"


@pytest.fixture
def left(namespace: Api, deployer: str) -> Release:
    """Create what version 0.1.0 left; from now on, this version renders and links."""
    shop = Release(api=namespace, deployer=DEPLOYERS[deployer](namespace), settings=dict(SETTINGS))
    leave(shop)
    return shop


def password_of(shop: Release, config: str) -> str:
    """Return the Secret of the ReplicaSet that mounts this ConfigMap."""
    (template,) = (
        item["spec"]["template"]["spec"]
        for item in shop.api.list("ReplicaSet", labels="app=web")
        if item["spec"]["template"]["spec"]["volumes"][0]["configMap"]["name"] == config
    )
    return str(template["containers"][0]["envFrom"][0]["secretRef"]["name"])


def started(api: Api) -> dict[str, Any]:
    """Return the pods and ReplicaSets of the workloads, by uid."""
    return {
        item["metadata"]["uid"]: item["metadata"]["name"]
        for kind in ("Pod", "ReplicaSet")
        for item in api.list(kind, labels="app")
    }


def test_the_same_release_rolls_nothing_and_owns_everything(left: Release, invariants: InvariantWatcher) -> None:
    names, before = set(owners_in(left.api)), started(left.api)
    left.release(*shop_objects(NEW))
    assert started(left.api) == before
    assert set(owners_in(left.api)) == names
    assert_linked(left)
    secrets = {name: owners for name, owners in owners_in(left.api).items() if name.startswith("Secret/")}
    assert len(secrets) == 2
    assert all(owners == [f"ConfigMap/{name.removeprefix('Secret/')}"] for name, owners in secrets.items())
    mounted = pods_by_config(left.api)
    assert {left.revision_of(OLD), left.revision_of(NEW)} < set(mounted)
    for pod in left.api.names("Pod", labels="app=web"):
        left.api.delete("Pod", pod)
    until("each is back on its own revision", lambda: pods_by_config(left.api), lambda found: found == mounted)
    assert invariants.violations() == []


def test_before_the_first_run_of_the_new_linker_nothing_in_use_is_lost(
    left: Release, invariants: InvariantWatcher
) -> None:
    old, new = left.revision_of(OLD), left.revision_of(NEW)
    left.sync(*shop_objects("newer"))
    rollout_in_phase(left.api, "web", "Paused")
    assert {old, new, password_of(left, old)} <= set(left.revisions())
    abort(left.api, "web")
    rollout_in_phase(left.api, "web", "Degraded")
    left.link()
    assert old in left.revisions()
    assert_linked(left)
    assert invariants.violations() == []


def test_rolling_back_during_the_upgrade(left: Release, invariants: InvariantWatcher) -> None:
    old = left.revision_of(OLD)
    left.release(*shop_objects(OLD))
    rollout_in_phase(left.api, "web", "Healthy")
    assert INVENTORY in left.revisions()[old]
    assert_linked(left)
    assert invariants.violations() == []


def test_what_the_history_no_longer_needs_is_deleted_with_its_secret(
    left: Release, invariants: InvariantWatcher
) -> None:
    old, new = left.revision_of(OLD), left.revision_of(NEW)
    password = password_of(left, old)
    left.release(*shop_objects(NEW))
    promote(left.api, "web")
    rollout_in_phase(left.api, "web", "Healthy")
    for image in ("app:2", "app:3"):
        config, secret, rollout, *others = shop_objects(NEW)
        left.sync(config, secret, with_image(rollout, image), *others)
        rollout_in_phase(left.api, "web", "Paused")
        promote(left.api, "web")
        rollout_in_phase(left.api, "web", "Healthy")
    until_unreferenced(left, old, password)
    assert run_linker(left.api, SET).exit_code == 0
    assert not {old, password} & set(left.revisions())
    until("the Secret is gone with its tracker", lambda: left.api.find("Secret", password), lambda found: not found)
    assert new in left.revisions()
    assert invariants.violations() == []
