"""A store whose equal objects are one object in all of its clones, so that states are compared at once."""

from typing import Any, TypeAlias

from tests.linker.object_store import Key, Object, ObjectStore

State: TypeAlias = tuple[Any, ...]


class SharedStore(ObjectStore):
    """A store whose clones are many, and hold the same few objects."""

    def __init__(self) -> None:
        self._shared: dict[str, Object] = {}
        super().__init__()

    def state(self, kind: str = "", name: str = "") -> State:
        """Return what differs if the clock differs, or any object, one of the kind, or the one of the name."""
        if name:
            return self.clock, id(self.find(kind, name))
        seen = self.of_kind(kind) if kind else self._objects.values()
        return self.clock, *sorted(map(id, seen))

    def _store(self, key: Key, item: Object) -> Object:
        stored = super()._store(key, item)
        self._objects[key] = self._shared.setdefault(repr(stored), stored)
        return self._objects[key]
