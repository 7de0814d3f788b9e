"""Find every field of an object that names a ConfigMap or a Secret."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from fnmatch import fnmatchcase
from typing import NamedTuple, TypeVar

from krm_fn.model.item import CONFIG_KINDS
from krm_fn.model.kinds import TOOL_GROUPS
from krm_fn.model.node import Node, entries, fields, get, is_null, is_scalar, is_sequence, text
from krm_fn.model.problem import ResourceId
from krm_fn.model.settings import FieldSpec
from krm_fn.references.annotations import ANNOTATIONS, AnnotationRow
from krm_fn.references.exclusions import NOT_REFERENCES, WRITTEN, NotReference, WrittenRow
from krm_fn.references.field_specs import Found, find_by_specs, look_up, refer
from krm_fn.references.fields import FIELDS, FieldRow
from krm_fn.references.find_by_shape import Sight, find_by_shape
from krm_fn.references.reference import Reference
from krm_fn.references.shapes import OPAQUE_KINDS

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
    return resource.group not in TOOL_GROUPS


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


class Resource(NamedTuple):
    """A kind as a rule spells it."""

    kind: str
    group: str
    plural: str


CONFIGS = (Resource("ConfigMap", "", "configmaps"), Resource("Secret", "", "secrets"))


def find_in_rules(item: Node, among: Iterable[Resource] = CONFIGS) -> Iterator[Reference]:
    """`resourceNames` name whatever the same rule's `resources` are, and no namespace."""
    rules = get(item, "rules")
    for place, rule in enumerate(rules.value if is_sequence(rules) else []):
        groups, resources = _texts(rule, "apiGroups"), _texts(rule, "resources")
        kinds = [one.kind for one in among if {one.group, "*"} & groups and {one.plural, "*"} & resources]
        names = get(rule, "resourceNames")
        for index, name in enumerate(names.value if kinds and is_sequence(names) else []):
            if is_scalar(name) and name.value and not is_null(name):
                field = f"rules[{place}].resourceNames[{index}]"
                for kind in kinds:
                    yield Reference(kind, name, None, field, in_pod=False, written=False)


def _texts(rule: Node, field: str) -> set[str]:
    """The words of a list; those that are null do not count, the empty word does."""
    words = get(rule, field)
    return {word.value for word in (words.value if is_sequence(words) else []) if is_scalar(word) and not is_null(word)}


_ROWS: dict[str, dict[str, AnnotationRow]] = defaultdict(dict)
for _row in ANNOTATIONS:
    _ROWS[_row.kind][_row.annotation] = _row


def find_in_annotations(item: Node, resource: ResourceId) -> Iterator[Reference]:
    """The text is a name, `namespace/name`, or JSON with a name inside."""
    if resource.kind not in _ROWS:
        return
    rows = _ROWS[resource.kind]
    for name, node in entries(get(item, "metadata", "annotations")):
        row = rows.get(name)
        if row is None or not is_scalar(node) or not node.value or is_null(node):
            continue
        reference = refer(Found(node, None, f"metadata.annotations[{name}]"), row.target, written=row.written)
        if not row.inside:
            yield reference
        elif match := re.search(rf'("{row.inside}"\s*:\s*")([^"]+)"', node.value):
            yield reference._replace(before=node.value[: match.start(2)], after=node.value[match.end(2) :])
