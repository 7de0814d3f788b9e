"""Find references in the annotations of an object."""

import re
from collections import defaultdict
from collections.abc import Iterator

from krm_fn.model.node import Node, entries, get, is_null, is_scalar
from krm_fn.model.reference import Reference
from krm_fn.model.reference_annotations import ANNOTATIONS, AnnotationRow
from krm_fn.model.resource import ResourceId
from krm_fn.stages.field_specs import Found, refer

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
