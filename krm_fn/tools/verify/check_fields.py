"""Check the fields that decide whether the cluster takes, deletes or keeps what the function has written."""

from collections.abc import Iterator, Mapping

from krm_fn.base.go_yaml import read_scalar
from krm_fn.base.item import Item, about
from krm_fn.base.node import (
    Node,
    describe,
    elements,
    entries,
    fields,
    get,
    is_null,
    is_scalar,
    step,
    text,
)
from krm_fn.base.pods import find_pod_specs
from krm_fn.base.problem import Problem
from krm_fn.tools.verify.rendering import Rendering

_OF_LIFE = {
    "ownerReferences": "the garbage collector deletes what has no live owner, and only the linker adds owners",
    "finalizers": "an object with a finalizer stays when it is deleted, until somebody removes that",
}
"""Metadata that decides when an object goes, and what is wrong with it."""

_OF_THE_API_SERVER = dict.fromkeys(
    ("managedFields", "resourceVersion", "uid"), "the API server refuses it in a new object"
)
"""Metadata of a live object. An adopted one may have it, as it keeps its name."""


def check_fields(rendering: Rendering) -> Iterator[Problem]:
    """Find metadata that no object of the function may have, and values of another type than the API server takes."""
    for revision in rendering.revisions.rendered:
        of_a_new_one = _OF_THE_API_SERVER if revision.is_renamed else {}
        yield from _check_metadata(revision.item, {**_OF_LIFE, **of_a_new_one})
        yield from _check_type(revision.item)
    for item in rendering.package.emitted:
        yield from _check_metadata(item, {**_OF_LIFE, **_OF_THE_API_SERVER})


def check_volumes(rendering: Rendering) -> Iterator[Problem]:
    """Find two volumes of one name in pods that read a revision: the API server refuses them."""
    readers: dict[Item, None] = {}
    for found in rendering.consumers.values():
        readers.update(dict.fromkeys(one.referrer for one in found))
    for item in readers:
        for pod in find_pod_specs(item):
            first: dict[str, int] = {}
            for index, volume in enumerate(elements(get(pod.node, "volumes"))):
                name = text(get(volume, "name"))
                earlier = first.setdefault(name, index)
                if name and earlier != index:
                    message = f"is the name of volumes[{earlier}] too: the API server refuses it; remove one of them"
                    yield about(item, message, f"{pod.field}.volumes[{index}].name")


def _check_metadata(item: Item, unwanted: Mapping[str, str]) -> Iterator[Problem]:
    metadata = fields(get(item.node, "metadata"))
    for name, why in unwanted.items():
        value = metadata.get(name)
        if not is_null(value) and not _is_empty(value):
            yield about(item, f"found a value, expected none: {why}", f"metadata.{name}")
    for where in ("labels", "annotations"):
        for name, value in entries(metadata.get(where)):
            wrong = "" if is_null(value) else find_type(value, str)
            if wrong:
                yield about(item, wrong, step(f"metadata.{where}", name))


def _is_empty(value: object) -> bool:
    held: object = getattr(value, "value", None)
    return isinstance(held, list) and not held


def _check_type(revision: Item) -> Iterator[Problem]:
    """Check the type of what says that a revision never changes."""
    immutable = get(revision.node, "immutable")
    wrong = "" if immutable is None or is_null(immutable) else find_type(immutable, bool)
    if wrong:
        yield about(revision, wrong, "immutable")


_TYPES: dict[type, str] = {str: "text", bool: "a boolean", int: "a number", float: "a number"}


def find_type(found: Node, wanted: type) -> str:
    """Say that a value is of another type than the API server takes; `""` if it is of this one."""
    if not is_scalar(found):
        is_what = describe(found)
    else:
        try:
            is_what = _TYPES.get(type(read_scalar(found)), "text")
        except ValueError:
            is_what = "a number"
    if is_what == _TYPES[wanted]:
        return ""
    remedy = ""
    if is_scalar(found) and wanted is str:
        remedy = "; put it in quotes"
    elif is_scalar(found) and is_what == "text":
        remedy = "; remove the quotes"
    return f"found {is_what}, expected {_TYPES[wanted]}: the API server refuses it{remedy}"
