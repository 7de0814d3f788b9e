"""Values in the data of revisions that are no text. The hash covers them, but no API server accepts them."""

from collections.abc import Iterable, Iterator

from krm_fn.model.item import about
from krm_fn.model.node import Node, describe, entries, get, is_null, is_scalar, step
from krm_fn.model.problem import Problem, Severity
from krm_fn.naming.go_yaml import read_scalar
from krm_fn.stages.name import Revision

_FIELDS = {"ConfigMap": ("data", "binaryData"), "Secret": ("data", "stringData")}


def find_not_text(revisions: Iterable[Revision]) -> Iterator[Problem]:
    """Warn about each value that must be quoted, without the value: it may be a Secret's."""
    for revision in revisions:
        for field in _FIELDS.get(revision.item.id.kind, ()):
            for key, value in entries(get(revision.item.node, field)):
                found = _describe(value)
                if found:
                    remedy = "; put it in quotes" if is_scalar(value) else ""
                    message = f"found {found}, expected text: the API server refuses it{remedy}"
                    problem = about(revision.item, message, step(field, key), Severity.WARNING)
                    yield problem._replace(resource=revision.base_id)


def _describe(value: Node) -> str:
    """Say what a value is, `""` for text, and for null, which is read as empty text."""
    if not is_scalar(value):
        return describe(value)
    if is_null(value):
        return ""
    try:
        read = read_scalar(value)
    except ValueError:  # infinity, in an adopted object: others have no hash then
        return "a number"
    return "a boolean" if isinstance(read, bool) else "a number" if isinstance(read, float) else ""
