"""Store the objects of one namespace in memory, as an API server does.

Objects are never changed in place.
"""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Any, Self

Object = dict[str, Any]
Key = tuple[str, str]  # kind, name

NAMESPACE = "shop"
NOON = datetime(2026, 6, 1, 12, tzinfo=UTC).timestamp()


class ObjectStore:
    """The objects of a namespace, and the API server's clock in Unix seconds.

    Each name of a kind counts its own writes, for uids and versions. So writes to several objects
    give the same objects in any order.
    """

    def __init__(self, items: list[Object] | None = None, clock: float = NOON) -> None:
        self.clock = clock
        self._writes: dict[Key, int] = {}
        self._objects: dict[Key, Object] = {}
        for item in items or []:
            self.create(item)

    def __iter__(self) -> Iterator[Object]:
        return iter(list(self._objects.values()))

    def of_kind(self, *kinds: str) -> list[Object]:
        return [item for (kind, _), item in self._objects.items() if kind in kinds]

    def find(self, kind: str, name: str) -> Object | None:
        return self._objects.get((kind, name))

    def get(self, kind: str, name: str) -> Object:
        return self._objects[kind, name]

    def create(self, item: Object) -> Object:
        """Store a new object, with uid, resourceVersion and creationTimestamp."""
        key = (item["kind"], item["metadata"]["name"])
        assert key not in self._objects, key
        filled_in = {
            "namespace": NAMESPACE,
            "uid": f"{key[0].lower()}-{key[1]}-{self._writes.get(key, 0) + 1}",
            "creationTimestamp": rfc3339(self.clock),
        }
        return self._store(key, {**item, "metadata": {**filled_in, **item["metadata"]}})

    def update(self, item: Object, **fields: Any) -> Object:
        """Replace fields of an existing object.

        Only different content gets a new resourceVersion.
        """
        key = (item["kind"], item["metadata"]["name"])
        found = self._objects[key]
        return found if {**found, **fields} == found else self._store(key, {**found, **fields})

    def update_metadata(self, item: Object, **fields: Any) -> Object:
        found = self._objects[item["kind"], item["metadata"]["name"]]
        return self.update(item, metadata={**found["metadata"], **fields})

    def remove(self, item: Object) -> None:
        self._objects.pop((item["kind"], item["metadata"]["name"]), None)

    def clone(self) -> Self:
        """Return a store with the same objects, which shares nothing that a write changes."""
        made = object.__new__(type(self))
        vars(made).update(vars(self))
        made._writes, made._objects = {**self._writes}, {**self._objects}
        return made

    def contents(self) -> dict[Key, Object]:
        """Return everything but resourceVersions, for comparisons."""
        return {key: without(item, "resourceVersion") for key, item in self._objects.items()}

    def _store(self, key: Key, item: Object) -> Object:
        self._writes[key] = self._writes.get(key, 0) + 1
        stored = {
            **item,
            "metadata": {**item["metadata"], "resourceVersion": str(self._writes[key])},
        }
        self._objects[key] = stored
        return stored


def without(item: Object, *fields: str) -> Object:
    """Copy an object without some fields of its metadata."""
    return {
        **item,
        "metadata": {key: value for key, value in item["metadata"].items() if key not in fields},
    }


def rfc3339(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


Hook = Callable[[str], None]
"""Called before every API call, with a description of the call."""


def no_hook(_: str) -> None:
    """Let the call pass."""
