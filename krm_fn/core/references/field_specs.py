"""Find references at field paths, which mean what kustomize's fieldSpecs mean."""

import fnmatch
from collections.abc import Mapping
from functools import lru_cache
from typing import TypeAlias

from krm_fn.base.node import Node, Scalar, elements, entries, fields, is_mapping, is_null, is_scalar, is_sequence, step
from krm_fn.core.references.reference import Reference, Rule, read_reference

Name: TypeAlias = tuple[Scalar, Scalar | None, str, Mapping[str, Node]]
"""A name, the namespace beside it, its field, and the fields of the mapping that it is in."""


def find_at(  # noqa: PLR0913  # the parts of a reference
    item: Node, path: str, kind: str, rule: Rule, *, in_pod: bool = False, written: bool = False
) -> list[Reference]:
    """Find every name at `path`. A field that is missing or has another shape holds none.

    Lists on the way need no mark in the path, and `*` is any field of a mapping, or any part of its name. At
    the end is a name, a mapping with `name`, or a list of either.
    """
    found: list[Name] = []
    _descend(item, split_path(path), "", found)
    return [
        read_reference(kind, name, namespace, field, rule, in_pod=in_pod, written=written, around=around)
        for name, namespace, field, around in found
    ]


def find_missing_step(item: Node, path: str) -> tuple[str, list[str]]:
    """Return the first name in `path` that an object does not have, and the names that it has there.

    If it has all of them, the name is `""`. Of a list, and of what `*` stands for, the first element is looked at.
    """
    node: Node | None = item
    for name in split_path(path):
        node = next(iter(elements(node)), node)
        held = fields(node)
        if name != "*" and name not in held:
            return name, list(held)
        node = next(iter(held.values()), None) if name == "*" else held[name]
    return "", []


@lru_cache(maxsize=1024)
def split_path(path: str) -> tuple[str, ...]:
    r"""Split `a/b\/c` into `a` and `b/c`. A slash in front and `[]` after a name are allowed."""
    first, *rest = path.removeprefix("/").split("/")
    names = [first]
    for part in rest:
        if names[-1].endswith("\\"):
            names[-1] = f"{names[-1][:-1]}/{part}"
        else:
            names.append(part)
    return tuple(name.removesuffix("[]") for name in names)


def beside(held: dict[str, Node], name: str) -> Scalar | None:
    """Return the namespace that goes with the name in field `name` of the same mapping.

    It is `secretNamespace` for `secretName`, `...-secret-namespace` for `...-secret-name`, else `namespace`.
    """
    for ending, other in (("Name", "Namespace"), ("-name", "-namespace")):
        node = held.get(name.removesuffix(ending) + other) if name.endswith(ending) else None
        if is_scalar(node) and not is_null(node):
            return node
    node = held.get("namespace")
    return node if is_scalar(node) and not is_null(node) else None


def _descend(node: Node, names: tuple[str, ...], field: str, found: list[Name]) -> None:
    if is_mapping(node):
        if names[:1] == ("*",):
            for name, value in entries(node):
                _descend(value, names[1:], step(field, name), found)
        elif names and "*" in names[0]:
            for name in fnmatch.filter(fields(node), names[0]):
                _descend_into_field(fields(node), (name, *names[1:]), field, found)
        else:
            _descend_into_field(fields(node), names, field, found)
    elif is_sequence(node):
        for index, element in enumerate(node.value):
            if not is_scalar(element):
                _descend(element, names, f"{field}[{index}]", found)
            elif not names and element.value and not is_null(element):
                # A list of names: only at the end of a path, as a list of text has no fields.
                found.append((element, None, f"{field}[{index}]", {}))


def _descend_into_field(held: dict[str, Node], names: tuple[str, ...], field: str, found: list[Name]) -> None:
    name, *rest = names or ("name",)
    value = held.get(name)
    if is_scalar(value):
        if not rest and value.value and not is_null(value):
            found.append((value, beside(held, name), step(field, name), held))
    elif value is not None and names:
        _descend(value, tuple(rest), step(field, name), found)
