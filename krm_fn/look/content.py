"""What may be shown of a ConfigMap or Secret, key by key. Of a Secret that is never more than sizes.

Not even a digest is shown: who can guess a value could compare it.
"""

from collections.abc import Mapping
from typing import NamedTuple

from krm_fn.model.item import Item
from krm_fn.model.node import Node, fields, get, is_scalar
from krm_fn.naming.content_digest import read_content


class Shown(NamedTuple):
    """The size of a value in bytes, and its text; None for binary data, and for all that is in a Secret."""

    size: int
    text: str | None = None


class Value(NamedTuple):
    """The bytes of a value, and its text; None for binary data, and for all that is in a Secret."""

    content: bytes
    text: str | None

    @property
    def shown(self) -> Shown:
        """What may be shown of it."""
        return Shown(len(self.content), self.text)


class KeyChange(NamedTuple):
    """A key whose value differs; None on the side that lacks it."""

    key: str
    old: Shown | None
    new: Shown | None


def show_content(item: Item | None) -> dict[str, Shown]:
    """Return what may be shown of each key."""
    return {key: value.shown for key, value in _values_of(item).items()}


def compare_content(old: Item | None, new: Item | None) -> tuple[KeyChange, ...]:
    """Compare all bytes, and return what may be shown of the keys that differ, in order."""
    return compare_values(_values_of(old), _values_of(new))


def compare_values(old: Mapping[str, Value], new: Mapping[str, Value]) -> tuple[KeyChange, ...]:
    """Compare all bytes, and return what may be shown of the keys that differ, in order."""
    return tuple(
        KeyChange(key, *(side[key].shown if key in side else None for side in (old, new)))
        for key in sorted(old.keys() | new.keys())
        if _bytes_of(old.get(key)) != _bytes_of(new.get(key))
    )


def _values_of(item: Item | None) -> dict[str, Value]:
    if item is None or not item.is_config:
        return {}
    is_secret = item.id.kind == "Secret"
    texts: dict[str, Node] = {} if is_secret else fields(get(item.node, "data"))
    return {
        key: Value(value, value.decode() if is_scalar(texts.get(key)) else None)
        for key, value in read_content(item.node).items()
    }


def _bytes_of(value: Value | None) -> bytes | None:
    return value and value.content
