"""A `Cluster` without an API server: it reads and writes an `ObjectStore` with the API server's rules."""

from collections.abc import Callable, Mapping, Sequence
from threading import Event
from typing import Any, TypeVar

from krm_fn.base import keys
from krm_fn.base.kind import Kind
from krm_fn.base.link_plan import LinkPlan, ProducerName
from krm_fn.linker.api import ApiError
from krm_fn.linker.cluster import Configs, ConsumerLists, Listed
from krm_fn.linker.objects import Consumer, Inventory, LiveRevision, Names, Owner
from krm_fn.linker.owners import RevisionPatch
from krm_fn.linker.read import (
    OfSet,
    read_any_revision,
    read_inventory,
    read_live_revision,
    read_of_any_set,
    read_of_set,
)
from krm_fn.linker.retry import Deadline
from tests.linker.object_store import NAMESPACE, Hook, Object, ObjectStore, no_hook

_T = TypeVar("_T")


class SimulatedWait(Event):
    """An Event whose `wait` returns at once and lets a clock advance."""

    def __init__(self, advance: Callable[[float], None]) -> None:
        super().__init__()
        self._advance = advance

    def wait(self, timeout: float | None = None) -> bool:
        self._advance(timeout or 0.0)
        return self.is_set()


class FakeCluster:
    """A cluster that interprets objects with the same functions as the real one.

    `hook` is called before every call. It may change the store, as other clients do between two
    calls, or raise, as if the process ended there. `writes` lists the writes that were done, `said`
    the lines about what was waited for.
    """

    def __init__(self, store: ObjectStore, hook: Hook = no_hook, timeout: float = 300) -> None:
        self.store = store
        self.hook = hook
        self.stop = SimulatedWait(self._sleep)
        self.writes: list[dict[str, Any]] = []
        self.said: list[str] = []
        self.calls = 0
        self._deadline = Deadline(timeout, self.stop, lambda: self.store.clock, self.said.append)
        # Whatever their number, it reads only changes again.
        self._consumers = ConsumerLists(self, long=0, alone=0)

    @property
    def namespace(self) -> str:
        return NAMESPACE

    @property
    def deadline(self) -> Deadline:
        return self._deadline

    def configs(self, plan: LinkPlan) -> Configs:
        return Configs.with_former(plan.set, lambda name: self.list_set(plan._replace(set=name)))

    def list_set(self, plan: LinkPlan) -> Configs:
        self._call("list configmaps")
        labelled = [
            item for item in self.store.of_kind("ConfigMap") if _label(item, keys.SET) == plan.set
        ]
        found = [read_of_set(item, plan) for item in labelled]
        return Configs.of((one for one in found if one is not None), self.store.clock)

    def configs_of_all(self) -> Listed[OfSet]:
        self._call("list configmaps")
        found = map(read_of_any_set, self.store.of_kind("ConfigMap"))
        return Listed([one for one in found if one is not None], self.store.clock)

    def revision(self, name: str) -> LiveRevision | None:
        self._call(f"read the revision ConfigMap/{name}")
        item = self.store.find("ConfigMap", name)
        return None if item is None else read_any_revision(item)

    def inventories(self) -> list[Inventory]:
        self._call("list inventories")
        found = (read_inventory(item) for item in self.store.of_kind("ConfigMap"))
        return [inventory for inventory in found if inventory is not None]

    def has_config_map(self, name: str) -> bool:
        self._call(f"look up ConfigMap/{name}")
        return self.store.find("ConfigMap", name) is not None

    def consumers(self, kind: Kind, names: Names) -> list[Consumer]:
        return self._consumers.read(kind, names)

    def read(
        self,
        kind: Kind,
        read: Callable[[Any], _T | None],
        *,
        metadata_only: bool = False,
        **selectors: str,
    ) -> Listed[_T]:
        """List objects, as the API server does. It knows one selector."""
        self._call(f"{'read one of' if selectors else 'list'} {kind.plural}")
        items = [
            item for item in self.store.of_kind(kind.kind) if item["apiVersion"] == kind.api_version
        ]
        if selectors:
            name = selectors["fieldSelector"].removeprefix("metadata.name=")
            items = [item for item in items if item["metadata"]["name"] == name]
        shown = [{"metadata": item["metadata"]} if metadata_only else item for item in items]
        return Listed([one for item in shown if (one := read(item)) is not None], self.store.clock)

    def let_grace_pass(
        self,
        grace: float,
        seen: Mapping[str, str],  # noqa: ARG002  # as in the real one
        awaited: Sequence[str],
    ) -> bool:
        self.deadline.sleep(grace, awaited, grace)
        return True

    def patch(self, patch: RevisionPatch) -> str | None:
        patched = self._patch("ConfigMap", patch)
        return None if patched is None else str(patched["metadata"]["resourceVersion"])

    def delete(self, revision: LiveRevision) -> bool:
        self._call(f"delete ConfigMap/{revision.name}")
        item = self.store.find("ConfigMap", revision.name)
        if item is None or _precondition(item) != (revision.uid, revision.resource_version):
            return False
        self.writes.append({"delete": f"ConfigMap/{revision.name}", "uid": revision.uid})
        self.store.remove(item)
        return True

    def secret(self, name: str, plan: LinkPlan) -> LiveRevision | None:
        self._call(f"get Secret/{name}")
        item = self.store.find("Secret", name)
        return None if item is None else read_live_revision(item, plan)

    def patch_secret(self, patch: RevisionPatch) -> bool:
        return self._patch("Secret", patch) is not None

    def producer(self, producer: ProducerName, plan: LinkPlan) -> LiveRevision | None:
        self._call(f"get {producer.kind.kind}/{producer.name}")
        item = self.store.find(producer.kind.kind, producer.name)
        return None if item is None else read_live_revision(item, plan)

    def own_producer(
        self, producer: ProducerName, revision: LiveRevision, owners: tuple[Owner, ...]
    ) -> bool:
        """Set the owners that it has applied, as a server-side apply does: ConfigMaps.

        The uid is a precondition.
        """
        self._call(f"patch {producer.kind.kind}/{producer.name}")
        item = self.store.find(producer.kind.kind, producer.name)
        if item is None or item["metadata"]["uid"] != revision.uid:
            return False
        applied = [owner.reference for owner in owners]
        others = [
            one for one in item["metadata"].get("ownerReferences", []) if one["kind"] != "ConfigMap"
        ]
        self.writes.append(
            {"apply": f"{producer.kind.kind}/{producer.name}", "ownerReferences": applied}
        )
        self.store.update_metadata(item, ownerReferences=[*others, *applied])
        return True

    def record_event(
        self, owner: Owner, reason: str, message: str, now: float, *, is_warning: bool = False
    ) -> None:
        self._call(f"record {reason}")
        warning = {"warning": True} if is_warning else {}
        self.writes.append(
            {"event": str(owner), "reason": reason, "message": message, "now": now, **warning}
        )

    def _sleep(self, seconds: float) -> None:
        self.store.clock += seconds

    def _call(self, what: str) -> None:
        self.deadline.check()
        self.calls += 1
        self.hook(what)

    def _patch(self, kind: str, patch: RevisionPatch) -> Object | None:
        """Merge owners by uid and annotations by name, as a strategic merge patch does.

        The uid is a precondition, and the version where there is one.
        """
        name = patch.revision.name
        self._call(f"patch {kind}/{name}")
        item = self.store.find(kind, name)
        body: dict[str, Any] = patch.body
        metadata = body["metadata"]
        if item is None or item["metadata"]["uid"] != metadata["uid"]:
            return None
        if metadata.get("resourceVersion", _precondition(item)[1]) != _precondition(item)[1]:
            return None
        owners = {owner["uid"]: owner for owner in item["metadata"].get("ownerReferences", [])}
        for entry in metadata.get("ownerReferences", []):
            if entry.get("$patch") == "delete":
                owners.pop(entry["uid"], None)
            else:
                owners[entry["uid"]] = {**owners.get(entry["uid"], {}), **entry}
        annotations = {**item["metadata"].get("annotations", {}), **metadata.get("annotations", {})}
        self.writes.append({"patch": f"{kind}/{name}", **body})
        fields: dict[str, Any] = {
            "annotations": {key: value for key, value in annotations.items() if value is not None}
        }
        if "ownerReferences" in metadata:
            fields["ownerReferences"] = list(owners.values())
        return self.store.update_metadata(item, **fields)


def _label(item: Object, key: str) -> str | None:
    label: str | None = item["metadata"].get("labels", {}).get(key)
    return label


def _precondition(item: Object) -> tuple[str, str]:
    return item["metadata"]["uid"], item["metadata"]["resourceVersion"]


def refused(call: str) -> Hook:
    """Return a hook by which the API server refuses this call."""

    def hook(what: str) -> None:
        if what == call:
            raise ApiError(what, "refused")

    return hook
