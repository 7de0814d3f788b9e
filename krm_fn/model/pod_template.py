"""Where the pod templates of an object are, in kinds with and without a schema: by their shape."""

import re
from collections.abc import Iterator
from functools import lru_cache

from krm_fn.model.field_path import step
from krm_fn.model.node import Mapping, Node, entries, get, is_mapping, is_sequence

_TEMPLATE = re.compile(r"(?:^|\.)\w*[tT]emplate(?=\.(?:spec|metadata)\.)")
_STEP = re.compile(r"\[(?P<index>[0-9]+)\]|\[(?P<quoted>[^\]]*)\]|(?P<name>[^.\[\]]+)")


def template_around(item: Node, field: str) -> tuple[str, Mapping] | None:
    """The nearest pod template above a field, and its own path; None where there is none."""
    for path in _templates_above(field):
        node = template_at(item, path)
        if node is not None:
            return path, node
    return None


def template_at(item: Node, path: str) -> Mapping | None:
    """The pod template at a path, None where there is none."""
    node: Node | None = item
    for name in _steps(path):
        if isinstance(name, str):
            node = get(node, name)
        else:
            node = node.value[name] if is_sequence(node) and name < len(node.value) else None
    return node if is_mapping(node) and _has_containers(node) else None


def find_templates(node: Node, path: str = "") -> Iterator[tuple[str, Mapping]]:
    """Every pod template of an object with its path."""
    if is_sequence(node):
        for index, element in enumerate(node.value):
            yield from find_templates(element, f"{path}[{index}]")
    for name, value in entries(node):
        field = step(path, name)
        if name.endswith(("template", "Template")) and is_mapping(value) and _has_containers(value):
            yield field, value
        else:
            yield from find_templates(value, field)


def _has_containers(node: Mapping) -> bool:
    return get(node, "spec", "containers") is not None


@lru_cache(maxsize=1024)
def _templates_above(field: str) -> tuple[str, ...]:
    """What may be one, the innermost first."""
    return tuple(field[: found.end()] for found in _TEMPLATE.finditer(field))[::-1]


@lru_cache(maxsize=1024)
def _steps(path: str) -> tuple[str | int, ...]:
    return tuple(
        int(found["index"]) if found["index"] else found["quoted"] or found["name"] for found in _STEP.finditer(path)
    )
