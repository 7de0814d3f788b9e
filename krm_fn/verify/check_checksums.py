"""Check that the checksum on every pod template is that of what its pods read, if the configuration is known."""

from collections.abc import Iterator

from krm_fn.model.changes import combine_patches
from krm_fn.model.item import about
from krm_fn.model.problem import Problem
from krm_fn.stages.checksums import find_opt_ins, plan_checksums, set_checksums
from krm_fn.verify.rendering import Rendering
from krm_fn.wire.merge_patch import plan_patch

_CHANGED = "is not the checksum of what pods read: something has changed it after krm-fn, which must run last"


def check_checksums(rendering: Rendering) -> Iterator[Problem]:
    """Compute the checksums again, and report those that would change.

    Nothing on a pod template says which set its checksum belongs to. So several configurations cannot be told apart.
    """
    configured = [one.configured for one in rendering.sets.values() if one.configured]
    if len(configured) != 1:
        return
    (only,) = configured
    package, settings = rendering.package, only.settings
    opt_ins = find_opt_ins(package.authored, settings.checksums.controllers)
    checksums = plan_checksums(only.references, only.choices, opt_ins)
    changes = set_checksums(package, checksums, {}, settings)
    for item, patch in combine_patches(changes.patches):
        for edit in plan_patch(item, patch):
            yield about(item, _CHANGED, edit.field)
