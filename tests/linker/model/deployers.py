"""Two deployers that act step by step. Neither prunes a revision: the live object has their annotation."""

from collections.abc import Iterator

from tests.linker.garbage_collector import delete
from tests.linker.model.rendering import TRACKED, Rendering, render
from tests.linker.object_store import Key, Object, ObjectStore

KEPT = ("ConfigMap", "Secret")


def argo_like(store: ObjectStore, rendering: Rendering) -> Iterator[Key]:
    """Prune objects without owners first, then apply. Yields the key of each object it writes."""
    wanted = {key_of(item) for item in render(rendering)}
    for item in list(store):
        if _is_tracked(item) and key_of(item) not in wanted and "ownerReferences" not in item["metadata"]:
            yield from _prune(store, item, "Foreground")
    for item in render(rendering):
        yield apply(store, item)


def flux_like(store: ObjectStore, rendering: Rendering) -> Iterator[Key]:
    """Apply first, then prune, with or without owners. Yields the key of each object it writes."""
    wanted = {key_of(item) for item in render(rendering)}
    for item in render(rendering):
        yield apply(store, item)
    for item in list(store):
        if _is_tracked(item) and key_of(item) not in wanted:
            yield from _prune(store, item, "Background")


def apply(store: ObjectStore, item: Object) -> Key:
    """Apply server-side: fields that others have set stay."""
    live = store.find(*key_of(item))
    if live is None:
        store.create(item)
        return key_of(item)
    if item["kind"] == "CronJob":
        store.update(live, spec=item["spec"])
    elif "spec" in item and item["kind"] != "Job":
        template = {**live["spec"]["template"], **item["spec"]["template"]}
        store.update(live, spec={**live["spec"], "template": template})
    if item["kind"] in KEPT:
        annotations = {**live["metadata"].get("annotations", {}), **item["metadata"].get("annotations", {})}
        store.update_metadata(live, annotations=annotations)
    return key_of(item)


def key_of(item: Object) -> Key:
    return item["kind"], item["metadata"]["name"]


def _is_tracked(item: Object) -> bool:
    labels: dict[str, str] = item["metadata"].get("labels", {})
    return TRACKED.items() <= labels.items()


def _prune(store: ObjectStore, item: Object, propagation: str) -> Iterator[Key]:
    live = store.find(*key_of(item))
    if live is not None and live["kind"] not in KEPT:
        delete(store, live, propagation)
        yield key_of(item)
