"""Recognise the linker's own objects by label and name."""

import re

from krm_fn.model import keys
from krm_fn.model.item import Item
from krm_fn.model.node import get
from krm_fn.naming.names import HASH

_STABLE = re.compile("-linker$")
_NAMES = {
    **dict.fromkeys(("ConfigMap", "ServiceAccount", "Role", "RoleBinding"), _STABLE),
    "Job": re.compile(f"-link-{HASH}$"),
}
"""The kinds that are emitted, and how their names end."""


def is_emitted(item: Item) -> bool:
    """Whether a run of this function made the object. Such objects are neither chosen nor followed, and may go.

    The label alone does not say so: an author may have copied it, with others, to an object of the package.
    """
    component = item.labels.get(keys.COMPONENT)
    if component in keys.TRACKERS:
        return item.id.kind == "ConfigMap" and get(item.node, "data") is None and keys.BASE_NAME in item.annotations
    pattern = _NAMES.get(item.id.kind) if component == keys.LINKER else None
    return pattern is not None and pattern.search(item.id.name) is not None
