"""Check that the function would change nothing if it ran now, if the configuration is known."""

from collections.abc import Iterator

from krm_fn.function import embedded_reader
from krm_fn.model import keys
from krm_fn.model.changes import Edit, SetFields, combine_patches
from krm_fn.model.item import Item, about
from krm_fn.model.node import step
from krm_fn.model.problem import Problem, Severity
from krm_fn.model.settings import Environment
from krm_fn.stages.transform import transform
from krm_fn.verify.rendering import Rendering
from krm_fn.wire.merge_patch import plan_patch

_CHECKSUM = "is not the checksum of what pods read: something has changed it after krm-fn, which must run last"
_CHANGED = "is not as krm-fn writes it: something has changed it after krm-fn, which must run last"


def check_again(rendering: Rendering) -> Iterator[Problem]:
    """Run the function again, and report what it would change.

    The linker's objects are left out: their image may come from where the function ran. Nothing on an object says
    whose checksum or mount it has, so several configurations cannot be told apart.
    """
    configured = [one.configured for one in rendering.sets.values() if one.configured]
    if len(configured) != 1:
        return
    (only,) = configured
    settings = only.settings._replace(strict=False)
    environment = Environment(namespace=rendering.package.namespace)
    changes = transform(rendering.package, settings, environment, embedded_reader()).changes
    edits = [*changes.edits]
    for item, patch in combine_patches(changes.patches):
        edits += plan_patch(item, patch)
    first: dict[Item, str] = {}
    for edit in edits:
        for field in _fields_of(edit):
            if not field.endswith(f"[{keys.WANTED}]"):  # which version 0.1.0 did not write
                first.setdefault(edit.item, field)
    for item, field in first.items():
        is_checksum = field.endswith(f"[{settings.checksums.annotation}]")
        yield about(item, _CHECKSUM if is_checksum else _CHANGED, field)
    yield from (problem for problem in changes.problems if problem.severity is Severity.ERROR)


def _fields_of(edit: Edit) -> list[str]:
    """Return the fields that an edit changes, also where it adds them to a mapping."""
    added = edit.change.add if isinstance(edit.change, SetFields) else ()
    return [step(edit.field, name) for name, _ in added] or [edit.field]
