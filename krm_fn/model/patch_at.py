"""A patch of a part of an object, as one of the whole."""

from krm_fn.model.edit import ListPatch, Patch
from krm_fn.model.field_path import FieldPath


def patch_at(path: FieldPath, patch: Patch) -> Patch:
    """The patch of what lies at a path."""
    if not path:
        return patch
    name, *rest = path
    if rest and isinstance(rest[0], int):
        return {str(name): ListPatch({rest[0]: patch_at(tuple(rest[1:]), patch)})}
    return {str(name): patch_at(tuple(rest), patch)}
