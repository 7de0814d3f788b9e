"""The main use case: each pod keeps its configuration while a canary is paused, promoted or aborted."""

import pytest

from tests.cluster.invariant_watcher import InvariantWatcher
from tests.cluster.release import Release, with_image
from tests.cluster.rollouts_controller import abort, promote, rollout_in_phase
from tests.cluster.test_control_plane import pods_by_config
from tests.cluster.workloads import delete_pods, on_each_deployer, until_unreferenced, web
from tests.wait import until

pytestmark = [pytest.mark.usefixtures("rollouts"), on_each_deployer]


def replace_pods(shop: Release) -> None:
    """Delete all pods, as if nodes were removed: new pods read their configuration again."""
    delete_pods(shop.api, "app=web")
    until(
        "the pods are back",
        lambda: pods_by_config(shop.api),
        lambda mounted_configs: len(mounted_configs) == 2,
    )


def test_replaced_pods_come_back_on_their_own_revision(
    paused: Release, invariants: InvariantWatcher
) -> None:
    old, new = paused.revision_of("old"), paused.revision_of("new")
    assert pods_by_config(paused.api) == sorted([old, new])
    replace_pods(paused)
    until(
        "each is on its own revision",
        lambda: pods_by_config(paused.api),
        lambda found: found == sorted([old, new]),
    )
    assert invariants.violations() == []


def test_after_promotion_the_old_revision_is_deleted_by_the_run_after_its_last_replica_set(
    paused: Release, invariants: InvariantWatcher
) -> None:
    old, new = paused.revision_of("old"), paused.revision_of("new")
    promote(paused.api, "web")
    rollout_in_phase(paused.api, "web", "Healthy")
    assert set(paused.revisions()) == {old, new}, "the old revision is needed for a rollback"
    for image in ("app:2", "app:3"):  # the configuration does not change, so no Job runs
        objects = web("new")
        paused.sync(objects[0], with_image(objects[1], image))
        rollout_in_phase(paused.api, "web", "Paused")
        promote(paused.api, "web")
        rollout_in_phase(paused.api, "web", "Healthy")
    until_unreferenced(paused, old)
    paused.link()
    assert old not in paused.revisions()
    assert "Rollout/web" in paused.revisions()[new]
    assert invariants.violations() == []


def test_after_an_abort_both_revisions_are_kept(
    paused: Release, invariants: InvariantWatcher
) -> None:
    old, new = paused.revision_of("old"), paused.revision_of("new")
    abort(paused.api, "web")
    rollout_in_phase(paused.api, "web", "Degraded")
    until(
        "all pods are old again",
        lambda: pods_by_config(paused.api),
        lambda found: found == [old, old],
    )
    replace_pods(paused)
    assert set(paused.revisions()) == {old, new}
    assert invariants.violations() == []


def test_a_second_change_during_the_pause_deletes_no_revision_in_use(
    paused: Release, invariants: InvariantWatcher
) -> None:
    old = paused.revision_of("old")
    paused.release(*web("newer"))
    rollout_in_phase(paused.api, "web", "Paused")
    newer = paused.revision_of("newer")
    assert pods_by_config(paused.api) == sorted([old, newer])
    replace_pods(paused)
    assert {old, newer} <= set(paused.revisions())
    assert invariants.violations() == []


def test_going_back_to_a_revision_whose_replica_set_still_exists(
    paused: Release, invariants: InvariantWatcher
) -> None:
    old = paused.revision_of("old")
    promote(paused.api, "web")
    rollout_in_phase(paused.api, "web", "Healthy")
    paused.release(*web("old"))
    rollout_in_phase(paused.api, "web", "Paused")
    promote(paused.api, "web")
    rollout_in_phase(paused.api, "web", "Healthy")
    assert pods_by_config(paused.api) == [old, old]
    assert "Rollout/web" in paused.revisions()[old]
    assert invariants.violations() == []


def test_going_back_to_a_deleted_revision_creates_it_again(
    paused: Release, invariants: InvariantWatcher
) -> None:
    old = paused.revision_of("old")
    for content in ("new", "newer", "newest"):
        paused.release(*web(content))
        rollout_in_phase(paused.api, "web", "Paused")
        promote(paused.api, "web")
        rollout_in_phase(paused.api, "web", "Healthy")
    until_unreferenced(paused, old)
    paused.link()
    assert old not in paused.revisions()
    paused.release(*web("old"))
    rollout_in_phase(paused.api, "web", "Paused")
    promote(paused.api, "web")
    rollout_in_phase(paused.api, "web", "Healthy")
    assert pods_by_config(paused.api) == [old, old]
    assert invariants.violations() == []
