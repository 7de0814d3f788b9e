"""The fields of kustomizations and of the configurations of plugins, as kustomize reads them.

What is checked must be what is used. kustomize makes JSON of a mapping, with its keys in the order
of the alphabet. Go reads that into named fields, whose names it takes in any case: of two that
differ in case only, the last one counts. Its parser of kustomizations lets `<<` replace the fields
in front of it, against YAML. So what could be read in two ways is an error here. Maps that are
free, such as labels and the values of a chart, have no named fields.
"""

import re
from collections.abc import Iterator, Mapping

from krm_fn.base.go_yaml import fold_name
from krm_fn.base.node import (
    Node,
    elements,
    entries,
    fields,
    is_mapping,
    is_merge,
    is_null,
    is_scalar,
    is_sequence,
    walk,
)
from krm_fn.base.problem import Problem, Problems, Rejected, at
from krm_fn.core.yaml.yaml import read_yaml

_SEPARATOR = re.compile(r"^---[^ \t\r\n]", re.MULTILINE)
"""What separates documents of a plugin to kustomize, if a comment follows, and is a text to every YAML parser."""


_FREE = frozenset(
    map(
        fold_name,
        (
            *("labels", "commonLabels", "matchLabels", "pairs", "annotations", "commonAnnotations"),
            *("valuesInline", "valuesLocal", "data", "stringData", "binaryData"),
        ),
    )
)
"""Fields whose mappings are free."""


def named_fields(node: Node | None) -> Mapping[str, Node]:
    """Return the fields of a mapping by their folded names; none for any other node."""
    return {fold_name(name): value for name, value in entries(node)}


def named_field(node: Node | None, name: str) -> Node | None:
    return named_fields(node).get(fold_name(name))


def read_kustomization(data: bytes) -> list[Node]:
    """Read a kustomization. Raises Rejected for what kustomize could read in another way.

    kustomize reads the first document, and no other.
    """
    roots = read_plainly(data)
    for root in roots[1:]:
        if not is_null(root):
            raise Rejected(
                at(
                    root.start_mark,
                    "kustomize reads one document of a kustomization; remove the others",
                )
            )
    return roots[:1]


def read_plainly(data: bytes) -> list[Node]:
    """Read YAML in which every name and path is written as it is.

    Raises Rejected for what could hide one.

    kustomize decodes base64, keys too. It merges behind a `<<` in quotes if that has the tag `!`,
    which no node shows.
    """
    document = read_yaml(data)
    if hidden := _SEPARATOR.search(document.text):
        line = document.text.count("\n", 0, hidden.start()) + 1
        message = "kustomize could take this line for the end of a document; write --- alone"
        raise Rejected(Problem(message, line=line, column=1))
    for node in walk(document.roots):
        if node.tag == "tag:yaml.org,2002:binary":
            raise Rejected(
                at(node.start_mark, "a name or path must not be in base64 (!!binary); write it out")
            )
        if node.value == "<<" and is_scalar(node) and node.style:
            raise Rejected(at(node.start_mark, "a merge key must not be in quotes; write `<<`"))
    unclear = [problem for node in _find_named(document.roots) for problem in _find_unclear(node)]
    if unclear:
        raise Rejected(*unclear)
    return document.roots


def _find_named(roots: list[Node]) -> Iterator[Node]:
    """Find the mappings that have named fields, at any depth."""
    seen: set[Node] = set()
    pending = [*roots]
    while pending:
        node = pending.pop()
        if node in seen:
            continue
        seen.add(node)
        pending += elements(node)
        if not is_mapping(node):
            continue
        yield node
        for key, value in node.value:
            is_free = is_scalar(key) and fold_name(key.value) in _FREE and is_mapping(value)
            pending += [] if is_free else [value]


def _find_unclear(mapping: Node) -> Problems:
    """Find what kustomize would not read as it is written: names that are one to it, and what `<<` replaces."""
    seen: dict[str, str] = {}
    for key, value in mapping.value:
        if not is_scalar(key):
            continue
        merged = _names_merged(value) if is_merge(key) else set()
        if not merged.isdisjoint(seen.values()):
            yield at(
                key.start_mark,
                "kustomize lets a merge key replace the fields in front of it; write << first",
            )
        for name in sorted(merged) or [key.value]:
            other = seen.setdefault(fold_name(name), name)
            if other != name:
                yield at(
                    key.start_mark,
                    f"found {other} and {name}, which kustomize reads as one field; remove one",
                )


def _names_merged(value: Node) -> set[str]:
    sources = elements(value) if is_sequence(value) else [value]
    return {name for source in sources for name in fields(source)}
