"""Read the objects that a producer makes in the cluster.

A producer says their names, whether these may change, and what decides their content.
"""

import re
from collections.abc import Collection, Iterator, Mapping
from fnmatch import fnmatchcase
from functools import lru_cache
from hashlib import sha256
from types import MappingProxyType

from krm_fn.base.go_yaml import read_scalar
from krm_fn.base.item import HASH, Item
from krm_fn.base.named_tuple import NamedTuple
from krm_fn.base.node import (
    Node,
    Scalar,
    entries,
    fields,
    get,
    is_mapping,
    is_null,
    is_scalar,
    is_sequence,
    spell,
    step,
    text,
)
from krm_fn.base.problem import ResourceId
from krm_fn.base.producer import PRODUCERS, RENAMABLE, Producer, RenamableProducer
from krm_fn.base.reference import By, Reference, Rule, find_at, split_path
from krm_fn.core.names.content_hash import (
    JsonValue,
    Unhashable,
    content_hash,
    go_json,
    hashed_keys,
    short_digest,
)
from krm_fn.core.names.names import base_name, hash_in_name, names_of

_OWN_NAME = "metadata.name"
_NOTHING: Mapping[Node, str] = MappingProxyType({})


class Generated(NamedTuple):
    """An object that a producer makes.

    `reference` is the field of the producer that says its kind and name.

    `names` are those that a reference may use, the present one first.
    """

    reference: Reference
    names: tuple[str, ...]
    base_name: str

    @property
    def kind(self) -> str:
        return self.reference.kind


class RenameBlocker(NamedTuple):
    """Why an object must not be renamed, the field that says so, and where its project says why."""

    reason: str
    field: str
    source: str = ""


_PRODUCER_KINDS = frozenset((row.group, kind) for row in PRODUCERS for kind in row.kinds)


def makes_config(item: Item) -> bool:
    """Tell whether an object may make a ConfigMap or Secret in the cluster."""
    return item.id.group_kind in _PRODUCER_KINDS


def versioned(who: ResourceId) -> RenamableProducer | None:
    """Return the row of a kind of producers that can be revisions; None for every other kind."""
    return RENAMABLE.get(who.group_kind)


def find_generated(item: Item) -> list[Generated]:
    """Find what a producer makes; nothing for objects of kinds that cannot be revisions."""
    if versioned(item.id) is None:
        return []
    suffix = f"-{hash_in_name(item)}"
    found = []
    for reference in read_product_names(item.node, item.id):
        if reference.field == _OWN_NAME:
            found.append(Generated(reference, tuple(names_of(item)), base_name(item)))
        else:
            # An earlier run gave it the hash of its producer.
            base = reference.target.removesuffix(suffix)
            found.append(Generated(reference, tuple(dict.fromkeys((reference.target, base))), base))
    return found


def _pick_generated(kind: str, name: str, item: Item) -> Generated | None:
    return next(
        (one for one in find_generated(item) if one.kind == kind and name in one.names), None
    )


def known_names(item: Item) -> list[tuple[str, str]]:
    """Return every kind and name by which a reference may mean an object, or what it makes."""
    names = [(item.id.kind, name) for name in names_of(item)]
    for one in find_generated(item):
        names += [(one.kind, name) for name in one.names]
    return names


def read_name(kind: str, name: str, target: Item) -> Node | None:
    """Return the text with the name that `kind` and `name` mean: of `target`, or of its product."""
    meant = _pick_generated(kind, name, target)
    return meant.reference.name if meant else get(target.node, "metadata", "name")


def name_meant(kind: str, name: str, target: Item, names: Mapping[Item, str]) -> str:
    """Return the name in the output of what `kind` and `name` mean by `target`.

    `names`: the new names of objects.
    """
    new_name = names.get(target, target.id.name)
    meant = _pick_generated(kind, name, target) if kind != target.id.kind else None
    if meant is None:
        return new_name
    return (
        name_with(new_name, base_name(target), meant) if target in names else meant.reference.target
    )


def name_with(producer_name: str, producer_base: str, generated: Generated) -> str:
    """Return the name of what a producer of this name makes: both have the hash of the producer."""
    suffix = producer_name.removeprefix(producer_base)
    return generated.base_name + suffix if re.fullmatch(f"-{HASH}", suffix) else generated.base_name


def read_product_names(node: Node, who: ResourceId) -> Iterator[Reference]:
    """Find the fields of an object that hold the names of what its controller makes."""
    for row in _producers_of(who.kind):
        if row.group == who.group and _applies(row, node):
            rule = Rule(By.PRODUCER, row.path, row.reason, row.source)
            for one in find_at(node, row.path, row.target, rule, is_output=True):
                if text(one.around.get("kind")).lower() in ("", row.target.lower()):
                    yield one


@lru_cache(maxsize=256)
def _producers_of(kind: str) -> tuple[Producer, ...]:
    return tuple(row for row in PRODUCERS if kind in row.kinds)


def _applies(row: Producer, item: Node) -> bool:
    """Tell whether the object has what the row asks for besides its kind."""
    if row.annotated and fields(get(item, "metadata", "annotations")).keys().isdisjoint(
        row.annotated
    ):
        return False
    return all(_has(item, path) for path in row.needs) and not any(
        _has(item, path) for path in row.unless
    )


def _has(item: Node, path: str) -> bool:
    node = get(item, *split_path(path))
    return not is_null(node) and not (is_scalar(node) and not node.value)


def why_not_renamed(item: Item) -> RenameBlocker | None:
    """Say why a producer must not be renamed, whatever the package holds; None where it may."""
    row = versioned(item.id)
    if row is None:
        return None
    if row.never:
        return RenameBlocker(row.never, "kind", row.source)
    if row.annotated and not any(item.annotations.get(name) == "true" for name in row.annotated):
        return RenameBlocker(row.unannotated, "metadata.annotations", row.source)
    for condition in row.conditions:
        for said, field in _texts_at(item.node, split_path(condition.path)):
            is_allowed = any(fnmatchcase(said, pattern) for pattern in condition.allowed)
            if not is_allowed or any(fnmatchcase(said, pattern) for pattern in condition.refused):
                return RenameBlocker(condition.reason, field, row.source)
    return None


def say_unpinned(item: Item) -> str:
    """Say what the controller reads again; `""` for nothing.

    Then the content may change under one name.
    The sentence continues after the name of what is made.
    """
    row = versioned(item.id)
    refresh = row.refresh if row is not None else None
    if refresh is None:
        return ""
    for path, texts in refresh.stopped_by:
        if any(text in texts for text, _ in _texts_at(item.node, split_path(path))):
            return ""
    pins: list[str] = []
    if refresh.pins:
        pins = [text for text, _ in _texts_at(item.node, split_path(refresh.pins))]
    is_unpinned = bool(refresh.unpinned) and _has(item.node, refresh.unpinned)
    if pins and not is_unpinned and all(pin not in ("", "0") for pin in pins):
        return ""
    return f"follows {refresh.what}, which may change under this name and restart no pods; {refresh.remedy}"


def _texts_at(
    node: Node | None, path: tuple[str, ...], field: str = ""
) -> Iterator[tuple[str, str]]:
    """Yield the text at every place of a path, and its field.

    The text is `""` for a missing field, and `{}` for a value that is no text.
    """
    name, *rest = path
    if is_sequence(node):
        for index, element in enumerate(node.value):
            yield from _texts_at(element, path, f"{field}[{index}]")
    elif is_mapping(node):
        value, below = fields(node).get(name), step(field, name)
        if rest:
            yield from _texts_at(value, tuple(rest), below)
        elif value is None or is_null(value):
            yield "", below
        elif is_scalar(value):
            yield value.value, below
        else:
            yield "{}" if value.value else "", below


def hash_of(item: Item, texts: Mapping[Node, str] = _NOTHING) -> str:
    """Return the hash that a revision has in its name. Raises Unhashable.

    The hash of a producer covers what decides the content of the Secret: the names that it writes
    there count without their hashes. `texts`: the new values of scalars that are about to change.
    """
    row = versioned(item.id)
    if row is None:
        return content_hash(item.node, texts)
    return short_digest(_content_of(item, row, texts))


def digest_of(item: Item, texts: Mapping[Node, str]) -> str:
    """Return a hexadecimal digest of what the hash of a producer covers."""
    row = versioned(item.id)
    return sha256(_content_of(item, row, texts).encode()).hexdigest() if row is not None else ""


def hashed_fields(item: Item) -> dict[str, tuple[str, ...]]:
    """Return the top fields that the hash covers, each with the names below it. Raises Unhashable."""
    if item.is_config:
        return hashed_keys(item.node)
    row = versioned(item.id)
    if row is None:
        return {}
    left_out = _left_out(row)
    hashed: dict[str, tuple[str, ...]] = {}
    for name, node in _deciding_fields(item, row).items():
        hashed[name] = tuple(key for key in fields(node) if f"{name}.{key}" not in left_out)
    return hashed


def _deciding_fields(item: Item, row: RenamableProducer) -> dict[str, Node]:
    held = fields(item.node)
    return {name: held[name] for name in row.content if name in held}


def _left_out(row: RenamableProducer) -> set[str]:
    return {spell(split_path(path)) for path in row.but}


def _content_of(item: Item, row: RenamableProducer, texts: Mapping[Node, str]) -> str:
    new = dict(texts)
    for one in find_generated(item):
        new[one.reference.name] = one.reference.renamed(one.base_name)
    reader = _FieldReader(new, _left_out(row))
    content: dict[str, JsonValue] = {"kind": item.id.kind}
    for name, node in _deciding_fields(item, row).items():
        content[name] = reader.read(node, name)
    return go_json(content)


class _FieldReader:
    """Read YAML as JSON, with new texts in it, and without the fields `but`."""

    def __init__(self, texts: Mapping[Node, str], but: Collection[str]) -> None:
        self._texts = texts
        self._but = but

    def read(self, node: Node, field: str) -> JsonValue:
        # No comprehensions: this takes one frame for each level of nesting.
        if is_scalar(node):
            return self._texts[node] if node in self._texts else _read_scalar(node, field)
        if is_sequence(node):
            values: list[JsonValue] = []
            for index, element in enumerate(node.value):
                values.append(self.read(element, f"{field}[{index}]"))
            return values
        held: dict[str, JsonValue] = {}
        for name, value in entries(node):
            place = step(field, name)
            if place not in self._but and not is_null(value):
                held[name] = self.read(value, place)
        return held


def _read_scalar(node: Scalar, field: str) -> JsonValue:
    try:
        return read_scalar(node)
    except ValueError as error:
        raise Unhashable(field, str(error)) from error
