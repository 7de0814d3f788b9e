"""A cluster that an earlier version has linked, in the middle of a canary, is taken over by this version, and back."""

from pathlib import Path
from typing import Any

import pytest

from tests.cluster.api import Api, Object
from tests.cluster.earlier_versions import COMMITS, unpack
from tests.cluster.invariant_watcher import InvariantWatcher
from tests.cluster.linker_job import ROOT, run_linker
from tests.cluster.manifests import secret
from tests.cluster.release import DEPLOYERS, IN_SET, SET, Release, with_image
from tests.cluster.rollouts_controller import abort, promote, rollout_in_phase
from tests.cluster.test_control_plane import pods_by_config
from tests.cluster.workloads import (
    app,
    assert_linked,
    delete_pods,
    on_each_deployer,
    until_unreferenced,
    web,
)
from tests.wait import until

pytestmark = [pytest.mark.usefixtures("rollouts"), on_each_deployer]
OLD, NEW = "old", "new"
SETTINGS: dict[str, Any] = {"kinds": ["ConfigMap", "Secret"], "linker": {"minimumAgeSeconds": 0}}
INVENTORY = f"ConfigMap/{SET}-linker"


@pytest.fixture(params=COMMITS)
def earlier(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return unpack(COMMITS[request.param], tmp_path_factory.getbasetemp() / request.param)


@pytest.fixture
def left(namespace: Api, deployer: str, earlier: Path) -> Release:
    """Release twice with the earlier version, paused at the second; from now on, this version renders and links."""
    shop = Release(
        api=namespace,
        deployer=DEPLOYERS[deployer](namespace),
        settings=dict(SETTINGS),
        program=earlier,
    )
    for content, phase in ((OLD, "Healthy"), (NEW, "Paused")):
        shop.sync(*shop_objects(content))
        rollout_in_phase(namespace, "web", phase)
        namespace.ready("Deployment", "deployment")
        shop.link()
    shop.program = ROOT
    return shop


def shop_objects(content: str) -> list[Object]:
    """Build a Rollout with a ConfigMap and a Secret, and a Deployment with a ConfigMap."""
    config, made = web(content)
    made["spec"]["template"]["spec"]["containers"][0]["envFrom"] = [
        {"secretRef": {"name": "web-password"}}
    ]
    password = {**secret("web-password"), "stringData": {"content": content}}
    return [config, password, made, *app("Deployment", content)]


def owners_in(api: Api) -> dict[str, list[str]]:
    """Return the owners of each revision, tracker and Secret: `{"ConfigMap/web-config-…": ["Rollout/web"]}`."""
    return {
        f"{kind}/{item['metadata']['name']}": sorted(
            f"{owner['kind']}/{owner['name']}"
            for owner in item["metadata"].get("ownerReferences", [])
        )
        for kind in ("ConfigMap", "Secret")
        for item in api.list(kind, labels=IN_SET)
    }


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


def test_the_same_release_rolls_nothing_and_owns_everything(
    left: Release, invariants: InvariantWatcher
) -> None:
    names, before = set(owners_in(left.api)), started(left.api)
    left.release(*shop_objects(NEW))
    assert started(left.api) == before
    assert set(owners_in(left.api)) == names
    assert_linked(left)
    secrets = {
        name: owners for name, owners in owners_in(left.api).items() if name.startswith("Secret/")
    }
    assert len(secrets) == 2
    assert all(
        owners == [f"ConfigMap/{name.removeprefix('Secret/')}"] for name, owners in secrets.items()
    )
    mounted = pods_by_config(left.api)
    assert {left.revision_of(OLD), left.revision_of(NEW)} < set(mounted)
    delete_pods(left.api, "app=web")
    until(
        "each is back on its own revision",
        lambda: pods_by_config(left.api),
        lambda found: found == mounted,
    )
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
    until(
        "the Secret is gone with its tracker",
        lambda: left.api.find("Secret", password),
        lambda found: not found,
    )
    assert new in left.revisions()
    assert invariants.violations() == []


def test_back_at_the_earlier_version_nothing_in_use_is_lost_and_nothing_rolls(
    left: Release, earlier: Path, invariants: InvariantWatcher
) -> None:
    old, new = left.revision_of(OLD), left.revision_of(NEW)
    used = {old, new, password_of(left, old), password_of(left, new)}
    left.release(*shop_objects(NEW))
    before = started(left.api)
    left.program = earlier
    left.release(*shop_objects(NEW))
    assert started(left.api) == before
    assert used <= set(left.revisions())
    abort(left.api, "web")
    rollout_in_phase(left.api, "web", "Degraded")
    left.link()
    assert used <= set(left.revisions())
    delete_pods(left.api, "app=web")
    until(
        "the pods are back on the old revision",
        lambda: set(pods_by_config(left.api)),
        lambda found: old in found,
    )
    assert invariants.violations() == []


def test_what_an_earlier_version_leaves_over_after_its_return_is_deleted_by_this_one(
    left: Release, earlier: Path, invariants: InvariantWatcher
) -> None:
    old = left.revision_of(OLD)
    password = password_of(left, old)
    left.release(*shop_objects(NEW))
    left.program = earlier
    for content in (NEW, "newer"):
        left.release(*shop_objects(content))
        rollout_in_phase(left.api, "web", "Paused")
        promote(left.api, "web")
        rollout_in_phase(left.api, "web", "Healthy")
    left.link()
    until_unreferenced(left, old, password)
    assert left.revision_of("newer") in left.revisions()
    left.program = ROOT
    left.release(*shop_objects("newer"))
    assert not {old, password} & set(left.revisions())
    assert_linked(left)
    assert invariants.violations() == []
