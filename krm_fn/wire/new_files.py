"""Which file a new object belongs to, for orchestrators that keep objects in files."""

from collections.abc import Iterable
from typing import Any

from krm_fn.model import keys
from krm_fn.model.emission import Object
from krm_fn.model.item import Item

_PATH = "internal.config.kubernetes.io/path"
_INDEX = "internal.config.kubernetes.io/index"


def with_file(added: Iterable[Object], items: Iterable[Item]) -> list[Object]:
    """The objects with the file they go to and their places in it, both of which kpt asks for.

    Only where the other objects have files, which kustomize's have not.
    """
    taken = {(item.file, item.file_index) for item in items if item.file}
    if not taken:
        return list(added)
    placed = []
    for one in added:
        file = f"{_set_of(one)}-linker.yaml"
        index = max((index for name, index in taken if name == file), default=-1) + 1
        taken.add((file, index))
        placed.append(_annotate(one, {_PATH: file, _INDEX: str(index)}))
    return placed


def _set_of(one: Any) -> str:
    return str(one["metadata"]["labels"][keys.SET])


def _annotate(one: Any, annotations: dict[str, str]) -> Object:
    metadata = one["metadata"]
    return {**one, "metadata": {**metadata, "annotations": {**metadata.get("annotations", {}), **annotations}}}
