"""A set that was renamed, and what its former name has left in the namespace."""

from krm_fn.base import keys
from tests.linker.manifests import A, B, C, inventory, made_by, of_set, pods, revision, workload
from tests.linker.object_store import Object, ObjectStore

COPIED, LOGIN, KEY = (f"{base}-gggggggggg" for base in ("copied-config", "web-login", "web-key"))


def renamed_set(*, is_former_alive: bool = False) -> ObjectStore:
    """Create set `web`, which has taken over `shop`.

    Of the former one, a ReplicaSet still references A, and nothing C and the Secrets, of which no
    run has linked KEY. COPIED is retained.
    """
    store = ObjectStore()
    store.create(inventory(B, former_sets=["shop"]))
    web = store.create(workload("Deployment", "web", pods(B)))
    store.create(made_by(web, "ReplicaSet", "web-1", pods(A)))
    store.create(made_by(web, "ReplicaSet", "web-2", pods(B)))
    store.create(revision(B))
    tracker = _left(
        store, revision(LOGIN, web, tracker=True, annotations={keys.OWNS_SECRET: "true"})
    )
    _left(store, revision(LOGIN, tracker, kind="Secret"))
    for item in (
        revision(A, web),
        revision(C, web),
        revision(COPIED, retain=True),
        revision(KEY, web, tracker=True),
    ):
        _left(store, item)
    if is_former_alive:
        store.create(of_set("shop", inventory(A), name="shop-linker"))
    return store


def _left(store: ObjectStore, item: Object) -> Object:
    return store.create(of_set("shop", item, creationTimestamp="2026-05-01T12:00:00Z"))
