"""What changed between each revision and the one before it. Only this requests the content of ConfigMaps."""

from base64 import b64decode
from binascii import Error
from collections.abc import Collection, Iterator
from itertools import pairwise
from typing import Any

from krm_fn.diff.difference import Change, Who
from krm_fn.history.facts import text
from krm_fn.history.history import Entry, History, SetHistory
from krm_fn.history.snapshot import CONFIG_MAPS, Source
from krm_fn.linker.names import mapping
from krm_fn.look.content import Value, compare_values
from krm_fn.model import keys


def add_changes(history: History, source: Source, bases: Collection[str]) -> History:
    """Add to each revision of these base names its difference to the next older one.

    Secrets are left out: only their trackers are read, which hold nothing. Raises ApiError.
    """
    return history._replace(sets=tuple(_add_changes(one, history.namespace, source, bases) for one in history.sets))


def _add_changes(one: SetHistory, namespace: str, source: Source, bases: Collection[str]) -> SetHistory:
    wanted = [entry for entry in one.entries if entry.base in bases and _has_content(entry)]
    if not wanted:
        return one
    names = {entry.name for entry in wanted}
    listed = source.read(CONFIG_MAPS, lambda item: _read_content(item, names), labelSelector=f"{keys.SET}={one.name}")
    contents = dict(listed.items)
    changes = {
        newer.name: Change(
            _who(older, one.name, namespace),
            _who(newer, one.name, namespace),
            has_new_name=True,
            keys=compare_values(contents[older.name], contents[newer.name]),
        )
        for newer, older in _neighbours(wanted)
        if newer.name in contents and older.name in contents
    }
    entries = tuple(entry._replace(change=changes.get(entry.name)) for entry in one.entries)
    return one._replace(entries=entries)


def _has_content(entry: Entry) -> bool:
    return entry.kind == "ConfigMap" and entry.created is not None


def _neighbours(entries: list[Entry]) -> Iterator[tuple[Entry, Entry]]:
    """Yield each revision with the next older one of its base name. They are in order, the newest first."""
    for newer, older in pairwise(entries):
        if newer.base == older.base:
            yield newer, older


def _who(entry: Entry, set_name: str, namespace: str) -> Who:
    return Who("v1", entry.kind, namespace, entry.name, entry.base, set_name)


def _read_content(item: Any, names: Collection[str]) -> tuple[str, dict[str, Value]] | None:
    """Read the content of a ConfigMap with one of these names."""
    name = text(mapping(mapping(item).get("metadata")), "name")
    if name not in names:
        return None
    plain, binary = (mapping(mapping(item).get(field)) for field in ("data", "binaryData"))
    values = {key: Value(_decode(value), None) for key, value in binary.items() if isinstance(value, str)}
    texts = {key: value for key, value in plain.items() if isinstance(value, str)}
    return name, values | {key: Value(value.encode("utf-8", "surrogatepass"), value) for key, value in texts.items()}


def _decode(value: str) -> bytes:
    try:
        return b64decode(value, validate=True)
    except (Error, ValueError):
        return value.encode("utf-8", "surrogatepass")
