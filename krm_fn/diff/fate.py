"""What becomes of objects that are no longer rendered, by the annotations on them and by who used them."""

from krm_fn.diff.difference import KEPT, LEFT, PRUNED, RETAINED, UNUSED, Fate
from krm_fn.diff.release import Release, set_of
from krm_fn.model import keys
from krm_fn.model.item import Item
from krm_fn.naming.names import base_name
from krm_fn.render.pruning import find_deployers, find_pruners


def find_fate(item: Item, old: Release, new: Release) -> Fate | None:
    """Return the fate of an object of the old rendering; None if the deployer just deletes it."""
    deployers = tuple(find_deployers(item))
    users = find_users(item, old)
    if not set_of(item):
        return Fate(LEFT, users, deployers) if deployers else None
    if not deployers:
        return Fate(PRUNED, users)
    if keys.RETAIN in item.annotations:
        return Fate(RETAINED, users, deployers)
    is_linked = (set_of(item), old.package.namespace_of(item)) in new.linked_sets
    return Fate(UNUSED if is_linked and not users else KEPT, users, deployers)


def find_hazards(item: Item, successor: Item, old: Release) -> tuple[str, ...]:
    """Return the deployers that would prune an object which gets another name while pods use it."""
    if item.id.name == successor.id.name or not find_users(item, old):
        return ()
    return tuple(find_pruners(item, find_deployers(successor)))


def find_users(item: Item, release: Release) -> tuple[str, ...]:
    """Return the workloads whose pods read an object: `Rollout/web`."""
    users = {one.referrer for one in release.by_target.get(item, ()) if one.reference.in_pod}
    return tuple(sorted(f"{user.id.kind}/{base_name(user)}" for user in users))
