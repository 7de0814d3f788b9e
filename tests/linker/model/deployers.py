"""Three deployers that act step by step.

None prunes a revision: the live object has their annotation.
"""

from collections.abc import Callable
from typing import NamedTuple, Self, TypeAlias

from krm_fn.base import keys
from tests.linker.garbage_collector import delete
from tests.linker.model.rendering import TRACKED, Rendering, render
from tests.linker.object_store import Key, Object, ObjectStore

KEPT = ("ConfigMap", "Secret")

Phase: TypeAlias = Callable[[ObjectStore, Rendering, int], Key | None]
"""Write the object of this number in a part of a sync. Returns None if that part has ended."""


def apply_next(store: ObjectStore, rendering: Rendering, number: int) -> Key | None:
    items = render(rendering)
    return apply(store, items[number]) if number < len(items) else None


def replace_next(store: ObjectStore, rendering: Rendering, number: int) -> Key | None:
    """Write an object as it is rendered: what others have added to its metadata is gone, its owners too."""
    key = apply_next(store, rendering, number)
    if key is not None and key[0] in KEPT:
        rendered = render(rendering)[number]["metadata"].get("annotations", {})
        store.update_metadata(store.get(*key), annotations=rendered, ownerReferences=[])
    return key


def prune_without_owners(store: ObjectStore, rendering: Rendering, _: int) -> Key | None:
    return _prune(
        store, rendering, "Foreground", lambda item: "ownerReferences" not in item["metadata"]
    )


def prune_all(store: ObjectStore, rendering: Rendering, _: int) -> Key | None:
    return _prune(store, rendering, "Background", lambda _: True)


Deployer: TypeAlias = tuple[Phase, ...]

argo_like: Deployer = (prune_without_owners, apply_next)
flux_like: Deployer = (apply_next, prune_all)
replacing: Deployer = (replace_next, prune_all)
"""As `helm rollback` where it finds an object that the current release has not, and Argo CD with `Replace=true`."""

_APPLY = (apply_next, replace_next)


class Sync(NamedTuple):
    """A deployer that is under way with a rendering: `written` objects of this phase."""

    deployer: Deployer
    rendering: Rendering
    phase: int = 0
    written: int = 0

    @property
    def applies_more(self) -> bool:
        phase = next(place for place, one in enumerate(self.deployer) if one in _APPLY)
        return self.phase < phase or (
            self.phase == phase and self.written < len(render(self.rendering))
        )

    def step(self, store: ObjectStore) -> tuple[Key | None, Self]:
        """Write the next object.

        Returns its key, None if nothing is left, and the sync after that.
        """
        for phase in range(self.phase, len(self.deployer)):
            written = self.written if phase == self.phase else 0
            key = self.deployer[phase](store, self.rendering, written)
            if key is not None:
                return key, self._replace(phase=phase, written=written + 1)
        return None, self._replace(phase=len(self.deployer))


def apply(store: ObjectStore, item: Object) -> Key:
    """Apply server-side: fields that others have set stay, but an object may change its set."""
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
        rendered = item["metadata"].get("annotations", {})
        # Nobody else writes to the inventory, and what its deployer applies no more is gone.
        others = {} if keys.RENDERED in rendered else live["metadata"].get("annotations", {})
        labels = {**live["metadata"].get("labels", {}), **item["metadata"].get("labels", {})}
        store.update_metadata(live, annotations={**others, **rendered}, labels=labels)
    return key_of(item)


def key_of(item: Object) -> Key:
    return item["kind"], item["metadata"]["name"]


def _is_inventory(item: Object) -> bool:
    return keys.RENDERED in item["metadata"].get("annotations", {})


def _is_tracked(item: Object) -> bool:
    labels: dict[str, str] = item["metadata"].get("labels", {})
    return TRACKED.items() <= labels.items()


def _prune(
    store: ObjectStore, rendering: Rendering, propagation: str, is_pruned: Callable[[Object], bool]
) -> Key | None:
    wanted = {key_of(item) for item in render(rendering)}
    for item in store:
        is_kept = (
            (item["kind"] in KEPT and not _is_inventory(item))
            or key_of(item) in wanted
            or "deletionTimestamp" in item["metadata"]
        )
        if _is_tracked(item) and not is_kept and is_pruned(item):
            delete(store, item, propagation)
            return key_of(item)
    return None
