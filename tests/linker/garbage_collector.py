"""Kubernetes' garbage collector, which processes one object at a time."""

from collections.abc import Iterator
from typing import Any

from tests.linker.manifests import reference
from tests.linker.object_store import Object, ObjectStore, rfc3339


def to_process(store: ObjectStore) -> Iterator[Object]:
    """Yield the objects with an owner that is gone or is being deleted."""
    for item in store:
        if any(not is_solid(store, owner) for owner in item["metadata"].get("ownerReferences", [])):
            yield item


def process(store: ObjectStore, item: Object) -> bool:
    """Delete the live object if no owner is left, else remove the owners that are gone.

    True if it is deleted.
    """
    live = store.find(item["kind"], item["metadata"]["name"])
    if live is None or live["metadata"]["uid"] != item["metadata"]["uid"]:
        return False
    owners = live["metadata"].get("ownerReferences", [])
    solid = [owner for owner in owners if is_solid(store, owner)]
    if owners and not solid:
        store.remove(live)
        return True
    if len(solid) < len(owners):
        store.update_metadata(live, ownerReferences=solid)
    return False


def collect(store: ObjectStore) -> None:
    """Process all objects, and finish the deletions in the foreground."""
    while todo := list(to_process(store)):
        for item in todo:
            process(store, item)
    for item in store:
        finish(store, item)


def delete(store: ObjectStore, item: Object, propagation: str = "Background") -> None:
    """Delete an object with one of the API server's three propagation policies."""
    if propagation == "Foreground":
        store.update_metadata(
            item, deletionTimestamp=rfc3339(store.clock), finalizers=["foregroundDeletion"]
        )
        return
    store.remove(item)
    if propagation == "Orphan":
        for dependent in store:
            owners = dependent["metadata"].get("ownerReferences", [])
            others = [owner for owner in owners if owner["uid"] != item["metadata"]["uid"]]
            if len(others) < len(owners):
                store.update_metadata(dependent, ownerReferences=others)


def finish(store: ObjectStore, item: Object) -> None:
    """Finish a deletion in the foreground, once no object that it controls is left."""
    controlled = reference(item, controller=True)
    if "finalizers" in item["metadata"] and not any(
        controlled in dependent["metadata"].get("ownerReferences", []) for dependent in store
    ):
        store.remove(item)


def is_solid(store: ObjectStore, owner: dict[str, Any]) -> bool:
    """Tell whether the owner exists and is not waiting for its dependents to be deleted."""
    found = store.find(owner["kind"], owner["name"])
    if (
        found is None
        or found["metadata"]["uid"] != owner["uid"]
        or found["apiVersion"] != owner["apiVersion"]
    ):
        return False
    return "finalizers" not in found["metadata"]
