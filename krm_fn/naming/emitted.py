"""The objects that this project emits beside revisions: those of the linker, and the trackers of Secrets."""

import re

from krm_fn.model import keys
from krm_fn.model.item import Item
from krm_fn.model.node import get
from krm_fn.naming.names import HASH

_SAME_NAME = ("ConfigMap", "ServiceAccount", "Role", "RoleBinding")
"""The kinds of the linker's objects that are called `<set>-linker`."""

_JOB = re.compile(f"-link-{HASH}")


def is_emitted(item: Item) -> bool:
    """Tell whether an earlier run has emitted the object: it is neither chosen nor followed, and may be removed.

    The label alone is not enough: somebody may have copied it, along with others, to an object of their own. A prefix
    or suffix may have been added to the name since.
    """
    component = item.labels.get(keys.COMPONENT)
    if component in keys.TRACKERS:
        return item.id.kind == "ConfigMap" and get(item.node, "data") is None and keys.BASE_NAME in item.annotations
    if component != keys.LINKER:
        return False
    if item.id.kind == "Job":
        return _JOB.search(item.id.name) is not None
    return item.id.kind in _SAME_NAME and f"{item.labels.get(keys.SET, '')}-linker" in item.id.name


def listed_revisions(item: Item) -> set[str]:
    """Return the names that an inventory lists as rendered; none for any other object."""
    return {name for name in item.annotations.get(keys.RENDERED, "").split(",") if name}
