"""What the guarantee assumes of others. Without it a revision is lost, here in the fewest steps.

Applying the manifests again creates it again, and a run of the linker that sees the loss fails.
"""

import contextlib
from collections.abc import Iterator

import pytest

from tests.linker import controllers, garbage_collector
from tests.linker.model import namespace_model
from tests.linker.model.deployers import apply, flux_like, key_of
from tests.linker.model.namespace_model import NamespaceModel, RevisionLost
from tests.linker.model.rendering import Rendering, render

A = Rendering("Deployment")
OTHER_SHARED, OTHER_SECRET = A._replace(shared=1), A._replace(password=1)


@pytest.fixture
def model() -> Iterator[NamespaceModel]:
    """Build a model that has settled with rendering A and keeps no history."""
    made = NamespaceModel(A, flux_like, limits=(0, 0))
    made.sync()
    made.settle()
    yield made
    made.close()


def leave(model: NamespaceModel, rendering: Rendering) -> None:
    """Deploy another rendering, so that the next run deletes what only A references."""
    model.commit(rendering)
    model.sync()
    model.settle()
    model.grow_old()


def go_back_and_stop_after(model: NamespaceModel, kind: str, base: str) -> None:
    """Let the deployer go back to A, and stand still after it has applied this object."""
    model.commit(A)
    steps = [
        (one, name)
        for one, name in map(key_of, render(A))
        if (one, name[:12]) != ("ConfigMap", "api-password")
    ]
    model.sync([one == kind and name.startswith(base) for one, name in steps].index(True) + 1)


def apply_alone(model: NamespaceModel, *kinds: str) -> None:
    """Apply objects of A, and not the inventory that lists them."""
    for item in render(A):
        if item["kind"] in kinds and item["metadata"]["name"] != "web-linker":
            apply(model.store, item)
    model.check()


def test_a_deployer_may_not_stand_still_for_more_than_ten_seconds_before_it_applies_the_inventory(
    model: NamespaceModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It does, too, if the revision is a hook, which Argo CD and Helm apply before the inventory."""
    monkeypatch.setattr(namespace_model, "LONGEST_STANDSTILL", 60)
    leave(model, OTHER_SHARED)
    go_back_and_stop_after(model, "ConfigMap", "shared-config")
    model.advance(model.link_by_hand_of(OTHER_SHARED))
    with pytest.raises(RevisionLost, match="ConfigMap/shared-config-bbbbbbbbbb"):
        model.sync()


@pytest.mark.parametrize(("seconds", "is_lost"), [(50, False), (90, True)])
def test_for_a_scheduled_run_it_may_stand_still_for_nearly_a_minute(
    model: NamespaceModel, seconds: int, monkeypatch: pytest.MonkeyPatch, *, is_lost: bool
) -> None:
    """Such a run may begin in the middle of any release, and has time."""
    monkeypatch.setattr(namespace_model, "LONGEST_STANDSTILL", seconds)
    leave(model, OTHER_SHARED)
    go_back_and_stop_after(model, "ConfigMap", "shared-config")
    model.advance(model.run_on_schedule())
    with pytest.raises(RevisionLost) if is_lost else contextlib.nullcontext():
        model.sync()


def test_a_deployer_that_does_not_stand_still_loses_nothing(model: NamespaceModel) -> None:
    leave(model, OTHER_SHARED)
    go_back_and_stop_after(model, "ConfigMap", "shared-config")
    model.advance(model.link_by_hand_of(OTHER_SHARED))
    model.sync()
    model.finish()


def test_a_deployer_may_not_stand_still_between_a_secret_and_its_tracker_while_the_tracker_is_deleted(
    model: NamespaceModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Applying the Secret writes nothing, so the version of its tracker stays the same."""
    monkeypatch.setattr(namespace_model, "SECRETS_WITH_TRACKERS", False)
    leave(model, OTHER_SECRET)
    run = model.link_by_hand()
    model.advance_to_write(run)  # the mark
    model.advance_to_write(run)  # the deletion, which it has decided on
    go_back_and_stop_after(model, "Secret", "api-password")
    model.advance(run)
    with pytest.raises(RevisionLost, match="Secret/api-password-bbbbbbbbbb"):
        model.sync()


def test_the_garbage_collector_must_delete_a_secret_before_a_deployer_applies_it_again(
    model: NamespaceModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(namespace_model, "SECRETS_WITH_TRACKERS", False)
    monkeypatch.setattr(NamespaceModel, "_collect_secrets", lambda _: None)
    leave(model, OTHER_SECRET)
    model.advance(model.link_by_hand())
    go_back_and_stop_after(model, "Secret", "api-password")
    model.collect_all()
    with pytest.raises(RevisionLost, match="Secret/api-password-bbbbbbbbbb"):
        model.sync()


def test_the_inventory_must_not_be_deleted_before_a_run_has_seen_all_references(
    model: NamespaceModel,
) -> None:
    model.delete("web", "Background")
    model.delete("api", "Background")
    model.commit(A)
    model.sync()  # the same Job, which does not run again: the new workloads are not owners
    garbage_collector.delete(model.store, model.store.get("ConfigMap", "web-linker"))
    with pytest.raises(RevisionLost):
        model.collect_all()


def test_the_inventory_may_be_deleted_once_a_run_has_seen_all_references(
    model: NamespaceModel,
) -> None:
    model.delete("web", "Background")
    model.recreate_inventory()
    model.finish()


def test_the_inventory_may_be_deleted_once_a_run_has_seen_the_pods_of_an_edited_replica_set() -> (
    None
):
    """Its controller is an owner of what a pod reads, though no run has seen the template that the pod was made of."""
    made = NamespaceModel(Rendering("ReplicaSet", has_api=False), flux_like)
    made.sync()
    made.reconcile("web")
    made.commit(made.rendering._replace(shared=1))
    made.recreate_inventory()
    made.finish()
    made.close()


def test_who_references_what_nothing_references_must_apply_it_too(model: NamespaceModel) -> None:
    """It is too late for the second look, and Kubernetes has no precondition across objects."""
    leave(model, OTHER_SHARED)
    run = model.link_by_hand()
    model.advance_to_write(run)  # the mark
    model.advance_to_write(run)  # the deletion, which it has decided on
    apply_alone(model, "Deployment")
    with pytest.raises(
        RevisionLost, match="ConfigMap/shared-config-bbbbbbbbbb, which Deployment/web references"
    ):
        model.advance(run)
    (failure,) = run.report.failures
    assert (
        "Deployment shop/web: references ConfigMap/shared-config-bbbbbbbbbb, which does not exist"
        in failure
    )


def test_who_applies_the_revision_with_the_workload_loses_nothing(model: NamespaceModel) -> None:
    leave(model, OTHER_SHARED)
    run = model.link_by_hand()
    model.advance_to_write(run)
    model.advance_to_write(run)
    apply_alone(model, "ConfigMap", "Deployment")
    model.advance(run)


def test_who_applies_the_revision_must_not_wait_for_a_run_before_the_workload(
    model: NamespaceModel,
) -> None:
    """Not for the ten seconds between mark and deletion.

    Nobody lists what is wanted, so nothing shows that it is.
    """
    leave(model, OTHER_SHARED)
    apply_alone(model, "ConfigMap")
    model.advance(model.link_by_hand())
    with pytest.raises(RevisionLost):
        apply_alone(model, "Deployment")


def test_nobody_may_write_what_he_read_before_it_was_trimmed() -> None:
    """As `kubectl rollout undo` would that stops between its two requests, or a controller with an old cache."""
    made = NamespaceModel(A, flux_like, limits=(1, 1))
    made.sync()
    made.settle()
    leave(made, OTHER_SHARED)
    (old, _) = controllers.history(made.store, made.store.get("Deployment", "web"))
    made.trim_all()
    made.advance(made.link_by_hand())
    workload = made.store.get("Deployment", "web")
    made.store.update(workload, spec={**workload["spec"], "template": controllers.template_of(old)})
    with pytest.raises(RevisionLost):
        made.check()
    made.close()
