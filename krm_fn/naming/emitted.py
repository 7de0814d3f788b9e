"""The objects that this project emits beside revisions: those of the linker, and the trackers of Secrets."""

import re

from krm_fn.model import keys
from krm_fn.model.item import Item
from krm_fn.model.node import get
from krm_fn.naming.names import HASH

_SAME_NAME = re.compile("-linker$")
_NAMES = {
    **dict.fromkeys(("ConfigMap", "ServiceAccount", "Role", "RoleBinding"), _SAME_NAME),
    "Job": re.compile(f"-link-{HASH}$"),
}
"""The kinds of the linker's objects, and how their names end."""


def is_emitted(item: Item) -> bool:
    """Tell whether an earlier run has emitted the object: it is neither chosen nor followed, and may be removed.

    The label alone is not enough: somebody may have copied it, along with others, to an object of their own.
    """
    component = item.labels.get(keys.COMPONENT)
    if component in keys.TRACKERS:
        return item.id.kind == "ConfigMap" and get(item.node, "data") is None and keys.BASE_NAME in item.annotations
    pattern = _NAMES.get(item.id.kind) if component == keys.LINKER else None
    return pattern is not None and pattern.search(item.id.name) is not None


def listed_revisions(item: Item) -> set[str]:
    """Return the names that an inventory lists as rendered; none for any other object."""
    return {name for name in item.annotations.get(keys.RENDERED, "").split(",") if name}
