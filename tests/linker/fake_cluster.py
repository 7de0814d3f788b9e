"""A `Cluster` that is no cluster: a `World`, read and written as the API server would."""

from threading import Event
from typing import Any

from krm_fn.linker.cluster import Configs
from krm_fn.linker.objects import Owner, Revision, User
from krm_fn.linker.owners import OwnerPatch
from krm_fn.linker.read import read_config, read_metadata, read_user
from krm_fn.linker.retry import Deadline
from krm_fn.model import keys
from krm_fn.model.kinds import Kind
from tests.linker.world import NAMESPACE, Hook, Object, World, nothing


class Clockwork(Event):
    """Waiting takes no time: it moves the world's clock."""

    def __init__(self, world: World) -> None:
        super().__init__()
        self._world = world

    def wait(self, timeout: float | None = None) -> bool:
        self._world.clock += timeout or 0.0
        return self.is_set()


class FakeCluster:
    """Reads with the functions that read the real API, so that what they make of an object is tested along.

    `hook` is called before every call. It may change the world, as others would in between, or raise, as if the
    process ended there. `writes` are those that were done.
    """

    def __init__(self, world: World, hook: Hook = nothing, timeout: float = 300) -> None:
        self.world = world
        self.hook = hook
        self.stop = Clockwork(world)
        self.writes: list[dict[str, Any]] = []
        self.calls = 0
        self._deadline = Deadline(timeout, self.stop, lambda: world.clock)

    @property
    def namespace(self) -> str:
        return NAMESPACE

    @property
    def deadline(self) -> Deadline:
        return self._deadline

    def configs(self, set_name: str) -> Configs:
        self._call("list configmaps")
        labelled = [item for item in self.world.of_kind("ConfigMap") if _label(item, keys.SET) == set_name]
        found = [read_config(item) for item in labelled]
        return Configs(
            [one for one in found if isinstance(one, Revision)], [one for one in found if isinstance(one, User)]
        )

    def users(self, kind: Kind, wanted: frozenset[str]) -> list[User]:
        self._call(f"list {kind.plural}")
        items = [item for item in self.world.of_kind(kind.kind) if item["apiVersion"] == kind.api_version]
        return [user for item in items if (user := read_user(kind, item, wanted)) is not None]

    def now(self) -> float:
        return self.world.clock

    def patch_owners(self, patch: OwnerPatch) -> bool:
        return self._patch("ConfigMap", patch.revision.name, patch.body)

    def delete(self, revision: Revision) -> bool:
        self._call(f"delete ConfigMap/{revision.name}")
        item = self.world.find("ConfigMap", revision.name)
        if item is None or _precondition(item) != (revision.uid, revision.resource_version):
            return False
        self.writes.append({"delete": f"ConfigMap/{revision.name}", "uid": revision.uid})
        self.world.remove(item)
        return True

    def secret(self, name: str) -> Revision | None:
        self._call(f"get Secret/{name}")
        item = self.world.find("Secret", name)
        return None if item is None else read_metadata(item)

    def own_secret(self, secret: Revision, tag: Owner) -> bool:
        return self._patch("Secret", secret.name, OwnerPatch(secret, (tag,), ()).body)

    def record(self, owner: Owner, reason: str, message: str) -> None:
        self._call(f"record {reason}")
        self.writes.append({"event": str(owner), "reason": reason, "message": message})

    def _call(self, what: str) -> None:
        self.deadline.check()
        self.calls += 1
        self.hook(what)

    def _patch(self, kind: str, name: str, body: dict[str, Any]) -> bool:
        """A strategic merge of owners by their uid, in one go; what else metadata holds are preconditions."""
        self._call(f"patch {kind}/{name}")
        item = self.world.find(kind, name)
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
        self.world.update_metadata(item, ownerReferences=list(owners.values()))
        return True


def _label(item: Object, key: str) -> str | None:
    label: str | None = item["metadata"].get("labels", {}).get(key)
    return label


def _precondition(item: Object) -> tuple[str, str]:
    return item["metadata"]["uid"], item["metadata"]["resourceVersion"]
