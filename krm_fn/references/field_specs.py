"""Find references where field paths say, with the meaning that kustomize's fieldSpecs have."""

from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple

from krm_fn.model.node import Node, Scalar, fields, is_mapping, is_null, is_scalar, is_sequence, step
from krm_fn.model.problem import ResourceId
from krm_fn.model.settings import FieldSpec
from krm_fn.references.reference import Reference
from krm_fn.references.shapes import is_in_pod


class Found(NamedTuple):
    """A name at the end of a path, the namespace beside it, and its field for people."""

    name: Scalar
    namespace: Scalar | None
    field: str


def find_by_specs(item: Node, resource: ResourceId, specs: Iterable[FieldSpec]) -> Iterator[Reference]:
    """The references at the user's own paths."""
    for spec in specs:
        if _means(spec, resource):
            for found in look_up(item, spec.path):
                yield refer(found, spec.target)


def refer(
    found: Found, kind: str, *, in_pod: bool = False, written: bool = False, around: dict[str, Node] | None = None
) -> Reference:
    """A found text as a reference; it may be the name, or `namespace/name`."""
    before = found.name.value[: found.name.value.rfind("/") + 1]
    in_pod = in_pod or is_in_pod(found.field)
    return Reference(
        kind, found.name, found.namespace, found.field, in_pod, written, before, around=around if in_pod else None
    )


def look_up(item: Node, path: str) -> list[Found]:
    """Every name at `path`. What is missing, or of another shape than the path, is passed over.

    Lists on the way are entered without a word. At the end stands a name, a mapping with `name`, or a list of either.
    """
    found: list[Found] = []
    _descend(item, split_path(path), "", found)
    return found


@lru_cache(maxsize=1024)
def split_path(path: str) -> tuple[str, ...]:
    r"""`a/b\/c` is `a` and `b/c`. One slash in front is allowed, and `[]` after a name."""
    first, *rest = path.removeprefix("/").split("/")
    names = [first]
    for part in rest:
        if names[-1].endswith("\\"):
            names[-1] = f"{names[-1][:-1]}/{part}"
        else:
            names.append(part)
    return tuple(name.removesuffix("[]") for name in names)


def beside(held: dict[str, Node], name: str) -> Scalar | None:
    """The namespace that goes with the name in field `name` of the same mapping.

    Beside `secretName` that is `secretNamespace`, beside `csi.../node-stage-secret-name` its like.
    """
    for ending, other in (("Name", "Namespace"), ("-name", "-namespace")):
        node = held.get(name.removesuffix(ending) + other) if name.endswith(ending) else None
        if is_scalar(node) and not is_null(node):
            return node
    node = held.get("namespace")
    return node if is_scalar(node) and not is_null(node) else None


def _means(spec: FieldSpec, resource: ResourceId) -> bool:
    return (
        spec.kind in ("", resource.kind)
        and spec.group in ("", resource.group)
        and spec.version in ("", resource.api_version.rpartition("/")[2])
    )


def _descend(node: Node, names: tuple[str, ...], field: str, found: list[Found]) -> None:
    if is_mapping(node):
        held = fields(node)
        name, *rest = names or ("name",)
        value = held.get(name)
        if is_scalar(value):
            if not rest and value.value and not is_null(value):
                found.append(Found(value, beside(held, name), step(field, name)))
        elif value is not None and names:
            _descend(value, tuple(rest), step(field, name), found)
    elif is_sequence(node):
        for index, element in enumerate(node.value):
            if not is_scalar(element):
                _descend(element, names, f"{field}[{index}]", found)
            elif not names and element.value and not is_null(element):
                found.append(Found(element, None, f"{field}[{index}]"))
