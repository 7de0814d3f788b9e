"""A stream as it goes to a deployer: without the objects and annotations that are only for tools."""

from bisect import bisect_right
from collections.abc import Iterator
from itertools import groupby

from krm_fn.base.changes import Changes, Patch
from krm_fn.base.item import Item, read_item
from krm_fn.base.node import Node, elements, get, is_mapping
from krm_fn.base.problem import Problem, Rejected
from krm_fn.core.yaml.apply import Applied, plan_splices
from krm_fn.core.yaml.envelope import (
    Envelope,
    Part,
    find_objects,
    open_envelope,
    open_list,
    split_documents,
)
from krm_fn.core.yaml.reader import Document, read_yaml
from krm_fn.core.yaml.splice import Splice, apply_splices
from krm_fn.tools.common.rendered import is_deployed, is_internal


def deployable(text: str) -> str:
    """Return the stream without local objects and internal annotations, every other byte as it was.

    A List stays a List unless one of its objects must go; then the others become documents. The
    objects of a ResourceList always do.
    """
    document = read_yaml(text.encode(), may_repeat=True)
    envelope = open_envelope(document)
    splices: list[Splice] = []
    staying: list[Item] = []
    for part, items in _by_document(envelope):
        if envelope.resource_list is None and all(map(is_deployed, items)):
            staying += items
        else:
            splices.append(Splice(part.start, part.end, _open(document, part.root, items)))
    splices += plan_splices(
        envelope, Changes(patches=tuple((item, without_internal(item)) for item in staying))
    )
    return apply_splices(document.text, splices)


def read_deployable(envelope: Envelope, edited: Applied) -> Iterator[Item]:
    """Yield the objects that `deployable` leaves, without the annotations that it removes: their nodes still have them.

    Nothing is read that has been read for the proof, unless to leave something out may fail.
    """
    if envelope.document.has_aliases or envelope.document.repeated:
        stream = edited.text if is_deployable(envelope) else deployable(edited.text)
        nodes = read_yaml(stream.encode(), may_repeat=True).roots
    else:
        nodes = edited.proof.complete() or read_yaml(edited.text.encode(), may_repeat=True).roots
        if envelope.resource_list is not None:
            nodes = [one for root in nodes for one in elements(get(root, "items"))]
    for item in map(read_item, find_objects(nodes)):
        if is_deployed(item):
            annotations = {
                name: value for name, value in item.annotations.items() if not is_internal(name)
            }
            yield Item(item.node, item.id, annotations, item.labels)


def is_deployable(envelope: Envelope) -> bool:
    """Tell whether `deployable` would change nothing, which is cheaper to find out."""
    return envelope.resource_list is None and all(
        is_deployed(item) and not internal_annotations(item) for item in envelope.items
    )


def internal_annotations(item: Item) -> list[str]:
    """Return the names of the annotations that tools write for one another while they render."""
    return [name for name in item.annotations if is_internal(name)]


def without_internal(item: Item) -> Patch:
    """Return the patch that removes internal annotations, and `annotations` itself if there are no others."""
    internal = internal_annotations(item)
    if not internal:
        return {}
    every = len(internal) == len(item.annotations)
    return {"metadata": {"annotations": None if every else dict.fromkeys(internal)}}


def _by_document(envelope: Envelope) -> Iterator[tuple[Part, list[Item]]]:
    """Yield each document that holds objects, with them. An alias never leaves its document."""
    parts = list(split_documents(envelope.document))
    ends = [part.end for part in parts]

    def holder(item: Item) -> Part:
        return parts[bisect_right(ends, item.node.start)]

    return ((part, list(items)) for part, items in groupby(envelope.items, key=holder))


def _open(document: Document, root: Node, items: list[Item]) -> str:
    """Return what is left of a document: the objects of a List that stay, nothing of any other object."""
    if root is items[0].node or not is_mapping(root) or not any(map(is_deployed, items)):
        return ""
    try:
        return deployable(open_list(document.text, root))
    except Rejected as rejected:
        if not document.has_aliases:
            raise
        message = "an object in a List uses a YAML anchor of another object; write the value out instead of the alias"
        raise Rejected(Problem(message)) from rejected
