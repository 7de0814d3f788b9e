"""A `Cluster` without an API server: it reads and writes an `ObjectStore` with the API server's rules."""

from threading import Event
from typing import Any

from krm_fn.linker.cluster import Configs
from krm_fn.linker.objects import Consumer, Owner, Revision
from krm_fn.linker.owners import OwnerPatch
from krm_fn.linker.read import read_config, read_consumer, read_metadata
from krm_fn.linker.retry import Deadline
from krm_fn.model import keys
from krm_fn.model.kinds import Kind
from tests.linker.object_store import NAMESPACE, Hook, Object, ObjectStore, no_hook


class SimulatedWait(Event):
    """An Event whose `wait` returns at once and advances the store's clock."""

    def __init__(self, store: ObjectStore) -> None:
        super().__init__()
        self._store = store

    def wait(self, timeout: float | None = None) -> bool:
        self._store.clock += timeout or 0.0
        return self.is_set()


class FakeCluster:
    """A cluster that interprets objects with the same functions as the real one.

    `hook` is called before every call. It may change the store, as other clients do between two calls, or raise, as
    if the process ended there. `writes` lists the writes that were done.
    """

    def __init__(self, store: ObjectStore, hook: Hook = no_hook, timeout: float = 300) -> None:
        self.store = store
        self.hook = hook
        self.stop = SimulatedWait(store)
        self.writes: list[dict[str, Any]] = []
        self.calls = 0
        self._deadline = Deadline(timeout, self.stop, lambda: store.clock)

    @property
    def namespace(self) -> str:
        return NAMESPACE

    @property
    def deadline(self) -> Deadline:
        return self._deadline

    def configs(self, set_name: str) -> Configs:
        self._call("list configmaps")
        labelled = [item for item in self.store.of_kind("ConfigMap") if _label(item, keys.SET) == set_name]
        found = [read_config(item) for item in labelled]
        return Configs(
            revisions=[one for one in found if isinstance(one, Revision)],
            inventories=[one for one in found if isinstance(one, Consumer)],
            now=self.store.clock,
        )

    def consumers(self, kind: Kind, names: frozenset[str]) -> list[Consumer]:
        self._call(f"list {kind.plural}")
        items = [item for item in self.store.of_kind(kind.kind) if item["apiVersion"] == kind.api_version]
        return [consumer for item in items if (consumer := read_consumer(kind, item, names)) is not None]

    def patch_owners(self, patch: OwnerPatch) -> bool:
        return self._patch("ConfigMap", patch.revision.name, patch.body)

    def delete(self, revision: Revision) -> bool:
        self._call(f"delete ConfigMap/{revision.name}")
        item = self.store.find("ConfigMap", revision.name)
        if item is None or _precondition(item) != (revision.uid, revision.resource_version):
            return False
        self.writes.append({"delete": f"ConfigMap/{revision.name}", "uid": revision.uid})
        self.store.remove(item)
        return True

    def secret(self, name: str) -> Revision | None:
        self._call(f"get Secret/{name}")
        item = self.store.find("Secret", name)
        return None if item is None else read_metadata(item)

    def add_secret_owner(self, secret: Revision, tracker: Owner) -> bool:
        return self._patch("Secret", secret.name, OwnerPatch(secret, (tracker,), ()).body)

    def record_event(self, owner: Owner, reason: str, message: str, now: float) -> None:
        self._call(f"record {reason}")
        self.writes.append({"event": str(owner), "reason": reason, "message": message, "now": now})

    def _call(self, what: str) -> None:
        self.deadline.check()
        self.calls += 1
        self.hook(what)

    def _patch(self, kind: str, name: str, body: dict[str, Any]) -> bool:
        """Merge owners by uid, as a strategic merge patch does. Other fields of the metadata are preconditions."""
        self._call(f"patch {kind}/{name}")
        item = self.store.find(kind, name)
        *preconditions, (_, entries) = body["metadata"].items()
        if item is None or any(item["metadata"][key] != value for key, value in preconditions):
            return False
        owners = {owner["uid"]: owner for owner in item["metadata"].get("ownerReferences", [])}
        for entry in entries:
            if entry.get("$patch") == "delete":
                owners.pop(entry["uid"], None)
            else:
                owners[entry["uid"]] = {**owners.get(entry["uid"], {}), **entry}
        self.writes.append({"patch": f"{kind}/{name}", **body})
        self.store.update_metadata(item, ownerReferences=list(owners.values()))
        return True


def _label(item: Object, key: str) -> str | None:
    label: str | None = item["metadata"].get("labels", {}).get(key)
    return label


def _precondition(item: Object) -> tuple[str, str]:
    return item["metadata"]["uid"], item["metadata"]["resourceVersion"]
