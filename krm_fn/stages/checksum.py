"""Give pod templates a checksum of what their pods read, so that a change of content rolls them."""

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator
from hashlib import sha256
from typing import NamedTuple

from krm_fn.model import keys
from krm_fn.model.content_digest import content_digest
from krm_fn.model.edit import Patch
from krm_fn.model.field_path import FieldPath, step
from krm_fn.model.item import Item, about
from krm_fn.model.names import base_name
from krm_fn.model.node import Mapping, fields, get
from krm_fn.model.patch_at import patch_at
from krm_fn.model.pod_template import find_templates
from krm_fn.model.problem import Problem, Severity
from krm_fn.stages.read_by import Reading


class Checksums(NamedTuple):
    """Marks on workloads and annotations of their templates, and what there is to say about these."""

    patches: list[tuple[Item, Patch]]
    problems: list[Problem]


def checksum(items: Iterable[Item], readings: Iterable[Reading], annotation: str) -> Checksums:
    """Set the annotation where pods read something, and take back what an earlier run set where they no longer do.

    The mark tells ours from an annotation of the same name that a chart has made.
    """
    digests = _Digests()
    sums = Checksums([], [])
    marked: dict[int, set[FieldPath]] = defaultdict(set)
    for reading in readings:
        item = reading.item
        if id(item.node) not in marked:
            sums.patches.append((item, {"metadata": {"annotations": {keys.CHECKSUM: annotation}}}))
        marked[id(item.node)].add(reading.template.path)
        sums.patches.append(_annotate(reading, annotation, digests.of(reading)))
        sums.problems.extend(_say(reading, annotation))
    for item in items:
        if keys.CHECKSUM in item.annotations and not item.is_local:
            _take_back(item, marked.get(id(item.node), set()), sums)
    return sums


class _Digests:
    """Of readings; that of an object is made once, however many pods read it."""

    def __init__(self) -> None:
        self._entries: dict[tuple[int, frozenset[str] | None], tuple[str, ...]] = {}

    def of(self, reading: Reading) -> str:
        entries = sorted(self._entry(config, read) for config, read in reading.configs.values())
        return sha256(json.dumps(entries).encode()).hexdigest()

    def _entry(self, config: Item, read: frozenset[str] | None) -> tuple[str, ...]:
        key = (id(config.node), read)
        if key not in self._entries:
            kind, namespace = config.id.kind, config.id.namespace
            self._entries[key] = (kind, namespace, base_name(config), content_digest(config.node, read))
        return self._entries[key]


def _annotate(reading: Reading, annotation: str, digest: str) -> tuple[Item, Patch]:
    former = reading.item.annotations.get(keys.CHECKSUM, annotation)
    annotations: Patch = {annotation: digest, **({} if former == annotation else {former: None})}
    return reading.item, patch_at(reading.template.path, {"metadata": {"annotations": annotations}})


def _say(reading: Reading, annotation: str) -> Iterator[Problem]:
    """What the pods roll with, the same on every run over the same references; and what gives way on the first."""
    field = step(f"{reading.template.field}.metadata.annotations", annotation)
    read = ", ".join(sorted(_name(config, read, reading.item) for config, read in reading.configs.values()))
    yield about(reading.item, f"pods roll with {read}", field, Severity.INFO)
    if (
        get(reading.template.node, "metadata", "annotations", annotation)
        and keys.CHECKSUM not in reading.item.annotations
    ):
        yield about(reading.item, "the checksum that was there gives way to ours", field, Severity.INFO)


def _name(config: Item, read: frozenset[str] | None, reader: Item) -> str:
    """By the base name, without the namespace that both are in, and with the keys where not all are read."""
    namespace = "" if config.id.namespace == reader.id.namespace else config.id.namespace
    name = str(config.id._replace(name=base_name(config), namespace=namespace))
    return name if read is None else f"{name} ({', '.join(sorted(read))})"


def _take_back(item: Item, marked: set[FieldPath], sums: Checksums) -> None:
    former = item.annotations[keys.CHECKSUM]
    for template in find_templates(item.node):
        if template.path not in marked and get(template.node, "metadata", "annotations", former) is not None:
            sums.patches.append((item, patch_at(template.path, _without(template.node, former))))
    if not marked:
        sums.patches.append((item, _without(item.node, keys.CHECKSUM)))


def _without(node: Mapping, annotation: str) -> Patch:
    """Take an annotation away, and what would be left empty around it."""
    metadata = fields(get(node, "metadata"))
    if len(fields(metadata["annotations"])) > 1:
        return {"metadata": {"annotations": {annotation: None}}}
    return {"metadata": {"annotations": None} if len(metadata) > 1 else None}
