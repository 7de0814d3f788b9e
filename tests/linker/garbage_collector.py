"""Kubernetes' garbage collector, one object at a time."""

from collections.abc import Iterator
from typing import Any

from tests.linker.manifests import reference
from tests.linker.world import Object, World, rfc3339


def lost(world: World) -> Iterator[Object]:
    """What the collector has to attend to: it has an owner that is gone, or on its way out."""
    for item in world:
        if any(not is_solid(world, owner) for owner in item["metadata"].get("ownerReferences", [])):
            yield item


def attend(world: World, item: Object) -> bool:
    """Look at it live: delete it if no owner is left, else take those off it that are gone. Whether it is deleted."""
    live = world.find(item["kind"], item["metadata"]["name"])
    if live is None or live["metadata"]["uid"] != item["metadata"]["uid"]:
        return False
    owners = live["metadata"].get("ownerReferences", [])
    solid = [owner for owner in owners if is_solid(world, owner)]
    if owners and not solid:
        world.remove(live)
        return True
    if len(solid) < len(owners):
        world.update_metadata(live, ownerReferences=solid)
    return False


def collect(world: World) -> None:
    """All there is to do. Whoever waits for what it owns goes once that has gone."""
    while todo := list(lost(world)):
        for item in todo:
            attend(world, item)
    for item in world:
        finish(world, item)


def delete(world: World, item: Object, propagation: str = "Background") -> None:
    """As somebody asks the API server to."""
    if propagation == "Foreground":
        world.update_metadata(item, deletionTimestamp=rfc3339(world.clock), finalizers=["foregroundDeletion"])
        return
    world.remove(item)
    if propagation == "Orphan":
        for dependent in world:
            owners = dependent["metadata"].get("ownerReferences", [])
            others = [owner for owner in owners if owner["uid"] != item["metadata"]["uid"]]
            if len(others) < len(owners):
                world.update_metadata(dependent, ownerReferences=others)


def finish(world: World, item: Object) -> None:
    """The end of a deletion in the foreground: nothing that it controls is left."""
    controlled = reference(item, controller=True)
    if "finalizers" in item["metadata"] and not any(
        controlled in dependent["metadata"].get("ownerReferences", []) for dependent in world
    ):
        world.remove(item)


def is_solid(world: World, owner: dict[str, Any]) -> bool:
    found = world.find(owner["kind"], owner["name"])
    if found is None or found["metadata"]["uid"] != owner["uid"] or found["apiVersion"] != owner["apiVersion"]:
        return False
    return "finalizers" not in found["metadata"]
