"""What of a package reaches a cluster, and which of its annotations do."""

import re

from krm_fn.model.edit import Patch
from krm_fn.model.item import Item
from krm_fn.render.tools import KUSTOMIZATIONS

# Groups of objects that are for tools: kustomizations, Kptfiles, configurations of functions.
_TOOL_GROUPS = frozenset(
    {"config.kubernetes.io", "fn.kpt.dev", "kpt.dev", "kustomize.config.k8s.io", "revisions.krm-fn.io"}
)
# Of these, what lives in clusters: kpt's inventory.
_DEPLOYED_ALL_THE_SAME = frozenset({"ResourceGroup"})

# An object with one of these configures a function, whatever its kind.
_DECLARES_FUNCTION = ("config.kubernetes.io/function", "config.k8s.io/function")

_INTERNAL = re.compile(
    r"internal\.(?:config\.kubernetes\.io|kpt\.dev)/.+"
    r"|config\.kubernetes\.io/(?:index|path)"
    r"|(?:kustomize\.)?config\.k8s\.io/id"
)


def is_deployed(item: Item) -> bool:
    """Whether the object is for a cluster, and not for the tools that make what is for a cluster."""
    if item.is_local or any(name in item.annotations for name in _DECLARES_FUNCTION):
        return False
    if not item.id.kind:  # a kustomization need not say what it is; it is known by its file
        return item.file.rpartition("/")[2] not in KUSTOMIZATIONS
    return item.id.group not in _TOOL_GROUPS or item.id.kind in _DEPLOYED_ALL_THE_SAME


def internal_annotations(item: Item) -> list[str]:
    """Notes that tools write to one another while they render."""
    return [name for name in item.annotations if _INTERNAL.fullmatch(name)]


def without_internal(item: Item) -> Patch:
    """The patch that takes the notes out, and the annotations with them if there are no others."""
    internal = internal_annotations(item)
    if not internal:
        return {}
    every = len(internal) == len(item.annotations)
    return {"metadata": {"annotations": None if every else dict.fromkeys(internal)}}
