"""Two deployers, one step at a time. Neither prunes a revision: their annotation says so, and is read live."""

from collections.abc import Iterator

from tests.linker.garbage_collector import delete
from tests.linker.model.rendering import TRACKED, Rendering, render
from tests.linker.world import Key, Object, World

KEPT = ("ConfigMap", "Secret")


def argo_like(world: World, rendering: Rendering) -> Iterator[Key]:
    """Prune first, what has no owner of whatever kind; then apply. Gives what was touched."""
    wanted = {key_of(item) for item in render(rendering)}
    for item in list(world):
        if _is_tracked(item) and key_of(item) not in wanted and "ownerReferences" not in item["metadata"]:
            yield from _prune(world, item, "Foreground")
    for item in render(rendering):
        yield apply(world, item)


def flux_like(world: World, rendering: Rendering) -> Iterator[Key]:
    """Apply first; then prune, whatever owns it."""
    wanted = {key_of(item) for item in render(rendering)}
    for item in render(rendering):
        yield apply(world, item)
    for item in list(world):
        if _is_tracked(item) and key_of(item) not in wanted:
            yield from _prune(world, item, "Background")


def apply(world: World, item: Object) -> Key:
    """Server-side: what others have set stays."""
    live = world.find(*key_of(item))
    if live is None:
        world.create(item)
        return key_of(item)
    if "spec" in item and item["kind"] != "Job":
        template = {**live["spec"]["template"], **item["spec"]["template"]}
        world.update(live, spec={**live["spec"], "template": template})
    if item["kind"] in KEPT:
        annotations = {**live["metadata"].get("annotations", {}), **item["metadata"].get("annotations", {})}
        world.update_metadata(live, annotations=annotations)
    return key_of(item)


def key_of(item: Object) -> Key:
    return item["kind"], item["metadata"]["name"]


def _is_tracked(item: Object) -> bool:
    labels: dict[str, str] = item["metadata"].get("labels", {})
    return TRACKED.items() <= labels.items()


def _prune(world: World, item: Object, propagation: str) -> Iterator[Key]:
    live = world.find(*key_of(item))
    if live is not None and live["kind"] not in KEPT:
        delete(world, live, propagation)
        yield key_of(item)
