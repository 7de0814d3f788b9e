"""A stream as a deployer wants it: without what was meant for tools."""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from itertools import groupby

from krm_fn.model.changes import Patch
from krm_fn.model.item import Item
from krm_fn.model.node import Node, is_mapping
from krm_fn.model.problem import Problem, Rejected
from krm_fn.render.tools import KUSTOMIZATIONS
from krm_fn.wire.apply import settle_shared, splice_edit
from krm_fn.wire.documents import Part, open_list, split_documents
from krm_fn.wire.envelope import Package, open_envelope
from krm_fn.wire.merge_patch import plan_patch
from krm_fn.wire.reader import Document, read_yaml
from krm_fn.wire.splice import Splice, apply_splices


def is_deployable(package: Package) -> bool:
    """Whether the package can go to a deployer as it is."""
    return package.resource_list is None and all(
        is_deployed(item) and not internal_annotations(item) for item in package.items
    )


def deployable(text: str) -> str:
    """The stream without local objects and internal annotations, every other byte as it was.

    A List stays a List unless something in it must go; then its objects become documents, as those of a
    ResourceList always do.
    """
    document = read_yaml(text.encode())
    package = open_envelope(document)
    splices: list[Splice] = []
    staying: list[Item] = []
    for part, items in _by_document(package):
        if package.resource_list is None and all(map(is_deployed, items)):
            staying += items
        else:
            splices.append(Splice(part.start, part.end, _open(document, part.root, items)))
    splices += _strip(document, staying)
    return apply_splices(document.text, splices)


def _by_document(package: Package) -> Iterator[tuple[Part, list[Item]]]:
    """Each document that holds objects, with them. An alias never leaves its document."""
    parts = list(split_documents(package.document))
    ends = [part.end for part in parts]

    def holder(item: Item) -> Part:
        return parts[bisect_right(ends, item.node.start_mark.index)]

    return ((part, list(items)) for part, items in groupby(package.items, key=holder))


def _open(document: Document, root: Node, items: list[Item]) -> str:
    """What is left of a document: nothing of an object that must go, the other objects of a List."""
    if root is items[0].node or not is_mapping(root) or not any(map(is_deployed, items)):
        return ""
    try:
        return deployable(open_list(document.text, root))
    except Rejected as rejected:
        if not document.has_aliases:
            raise
        message = "an object in a List uses an anchor of another; write it out there instead of using an alias"
        raise Rejected(Problem(message)) from rejected


def _strip(document: Document, items: Iterable[Item]) -> Iterator[Splice]:
    edits = [edit for item in items for edit in plan_patch(item, without_internal(item))]
    for edit in settle_shared(document, edits):
        yield from splice_edit(document.text, edit.change)


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
