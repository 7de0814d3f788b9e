"""Find every field of an object that names a ConfigMap or a Secret."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from fnmatch import fnmatchcase
from typing import TypeVar

from krm_fn.model.item import CONFIG_KINDS
from krm_fn.model.node import Node, fields, get, text
from krm_fn.model.not_references import NOT_REFERENCES, NotReference
from krm_fn.model.reference import Reference
from krm_fn.model.reference_fields import FIELDS, FieldRow
from krm_fn.model.reference_sites import OPAQUE_GROUPS, OPAQUE_KINDS
from krm_fn.model.resource import ResourceId
from krm_fn.model.settings import FieldSpec
from krm_fn.model.written_fields import WRITTEN, WrittenRow
from krm_fn.stages.field_specs import find_by_specs, look_up, refer
from krm_fn.stages.find_by_shape import Sight, find_by_shape
from krm_fn.stages.find_in_annotations import find_in_annotations
from krm_fn.stages.find_in_rules import find_in_rules

_INDEX = re.compile(r"\[\d+\]")

_Row = TypeVar("_Row", FieldRow, WrittenRow, NotReference)


def _by_kind(rows: Iterable[_Row]) -> dict[str, list[_Row]]:
    table = defaultdict(list)
    for row in rows:
        for kind in row.kinds:
            table[kind].append(row)
    return dict(table)


_FIELDS, _WRITTEN, _NOT_REFERENCES = _by_kind(FIELDS), _by_kind(WRITTEN), _by_kind(NOT_REFERENCES)
_ROLES = ("Role", "ClusterRole")


def find_references(item: Node, resource: ResourceId, extra: tuple[FieldSpec, ...]) -> list[Reference]:
    """The references of an object: by shape, by what is known of its kind, and by the user's own paths.

    A field that is found twice counts as what the later of these says it is.
    """
    if not may_refer(resource):
        return []
    sights = find_by_shape(item, resource)
    found = {(one.reference.kind, one.reference.field): one.reference for one in without_lookalikes(sights, resource)}
    for reference in _find_by_kind(item, resource):
        found[reference.kind, reference.field] = reference
    for reference in find_by_specs(item, resource, extra):
        known = found.get((reference.kind, reference.field))
        if known is None or known.written:
            found[reference.kind, reference.field] = reference
    return list(found.values())


def may_refer(resource: ResourceId) -> bool:
    """Whether it is an object at all, and one that names others."""
    if not resource.api_version or not resource.kind or resource.kind in OPAQUE_KINDS:
        return False
    if resource.kind in CONFIG_KINDS and resource.api_version == "v1":
        return False
    return resource.group not in OPAQUE_GROUPS


def without_lookalikes(sights: list[Sight], resource: ResourceId) -> list[Sight]:
    """What was found by shape, but for fields that are known to mean something else."""
    if resource.kind not in _NOT_REFERENCES:
        return sights
    rows = [row for row in _NOT_REFERENCES[resource.kind] if row.group == resource.group]
    return [sight for sight in sights if not any(_looks_alike(sight, row) for row in rows)]


def _looks_alike(sight: Sight, row: NotReference) -> bool:
    if not fnmatchcase(_INDEX.sub("", sight.reference.field), f"{row.path}.*"):
        return False
    if row.but_in_pods and sight.reference.in_pod:
        return False
    return row.unless is None or text(sight.fields.get(row.unless[0])) != row.unless[1]


def _find_by_kind(item: Node, resource: ResourceId) -> Iterator[Reference]:
    kind, group = resource.kind, resource.group
    if kind in _ROLES:
        yield from find_in_rules(item)
    yield from find_in_annotations(item, resource)
    for field in _FIELDS.get(kind, ()):
        if not field.groups or group in field.groups:
            for found in look_up(item, field.path):
                yield refer(found, field.target, in_pod=field.in_pod)
    for row in _WRITTEN.get(kind, ()):
        if row.group == group and (not row.annotated or _is_annotated(item, row.annotated)):
            for found in look_up(item, row.path):
                yield refer(found, row.target, written=True)


def _is_annotated(item: Node, annotations: tuple[str, ...]) -> bool:
    return not fields(get(item, "metadata", "annotations")).keys().isdisjoint(annotations)
