"""What may be shown of a ConfigMap or Secret, key by key. Of a Secret that is never more than sizes.

Not even a digest is shown: who can guess a value could compare it.
"""

from typing import NamedTuple

from krm_fn.model.item import Item
from krm_fn.model.node import Node, fields, get, is_scalar
from krm_fn.naming.content_digest import read_content


class Shown(NamedTuple):
    """The size of a value in bytes, and its text; None for binary data, and for all that is in a Secret."""

    size: int
    text: str | None = None


class KeyChange(NamedTuple):
    """A key whose value differs; None on the side that lacks it."""

    key: str
    old: Shown | None
    new: Shown | None


def show_content(item: Item | None) -> dict[str, Shown]:
    """Return what may be shown of each key."""
    if item is None:
        return {}
    is_secret = item.id.kind == "Secret"
    texts: dict[str, Node] = {} if is_secret else fields(get(item.node, "data"))
    return {
        key: Shown(len(value), value.decode() if is_scalar(texts.get(key)) else None)
        for key, value in read_content(item.node).items()
    }


def compare_content(old: Item | None, new: Item | None) -> tuple[KeyChange, ...]:
    """Compare all bytes, and return what may be shown of the keys that differ, in order."""
    before, after = _bytes_of(old), _bytes_of(new)
    shown_before, shown_after = show_content(old), show_content(new)
    return tuple(
        KeyChange(key, shown_before.get(key), shown_after.get(key))
        for key in sorted(before.keys() | after.keys())
        if before.get(key) != after.get(key)
    )


def _bytes_of(item: Item | None) -> dict[str, bytes]:
    return read_content(item.node) if item is not None else {}
