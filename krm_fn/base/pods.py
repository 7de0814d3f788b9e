"""Pod specs and pod templates in objects of any kind, found by their shape."""

import re
from collections.abc import Iterator
from functools import lru_cache

from krm_fn.base.item import Item
from krm_fn.base.named_tuple import NamedTuple
from krm_fn.base.node import (
    FieldPath,
    Mapping,
    Node,
    descend,
    elements,
    entries,
    fields,
    get,
    is_mapping,
    is_sequence,
    read_path,
    spell,
    text,
)
from krm_fn.facts.kinds import OPAQUE_KINDS

_NOT_SEARCHED = ("metadata", "status")
"""Fields at the top of an object."""

_TEMPLATE = r"(?:^|\.)\w*[tT]emplate(?=\.(?:spec|metadata)\.)"

CONTAINER_LISTS = ("initContainers", "containers", "ephemeralContainers")


class Container(NamedTuple):
    """A container, and its list and position in the pod spec."""

    list_name: str
    position: int
    name: str
    node: Mapping


class PodSpec(NamedTuple):
    """The `spec` of a pod or pod template, its path, and its containers, init containers first."""

    node: Mapping
    path: FieldPath
    containers: tuple[Container, ...]

    @property
    def field(self) -> str:
        """The path for people."""
        return spell(self.path)


class PodTemplate(NamedTuple):
    node: Mapping
    path: FieldPath

    @property
    def field(self) -> str:
        """The path for people."""
        return spell(self.path)


def find_pod_specs(item: Item) -> list[PodSpec]:
    """Find the spec of a Pod, or those of all pod templates, in the order of the text."""
    if item.id.kind == "Pod":
        spec = get(item.node, "spec")
        return [_read_pod_spec(spec, ("spec",))] if is_mapping(spec) else []
    specs = ((get(template.node, "spec"), template.path) for template in find_templates(item.node))
    return [_read_pod_spec(spec, (*path, "spec")) for spec, path in specs if is_mapping(spec)]


def find_containers(item: Item) -> Iterator[tuple[str, Mapping]]:
    """Yield every container below `spec`, with its path for people, whatever shape holds it."""
    spec = get(item.node, "spec")
    if is_mapping(spec) and item.id.kind not in OPAQUE_KINDS:
        yield from _containers_below(spec, "spec")


def find_templates(node: Node, path: FieldPath = ()) -> Iterator[PodTemplate]:
    """Find every pod template of an object, in the order of the text.

    In any kind it is a field whose name ends in `template` and whose `spec` has a list
    `containers`.
    """
    if is_sequence(node):
        for index, element in enumerate(node.value):
            if is_mapping(element):
                yield from find_templates(element, (*path, index))
    for name, value in entries(node):
        # By its shape: definitions such as OpenKruise's have no schema of their templates.
        if name.endswith(("template", "Template")) and is_mapping(value) and _has_containers(value):
            yield PodTemplate(value, (*path, name))
        elif value.id != "scalar" and (path or name not in _NOT_SEARCHED):
            yield from find_templates(value, (*path, name))


def template_source(item: Item) -> tuple[str, str] | None:
    """Return kind and name of the workload whose pod template a Rollout has; None for its own."""
    reference = get(item.node, "spec", "workloadRef") if item.id.kind == "Rollout" else None
    return (
        None if reference is None else (text(get(reference, "kind")), text(get(reference, "name")))
    )


def template_around(item: Node, field: str) -> PodTemplate | None:
    """Return the innermost pod template around a field; None if it is in none."""
    found = (template_at(item, path) for path in _templates_above(field))
    return next((template for template in found if template is not None), None)


def template_at(item: Node, field: str) -> PodTemplate | None:
    """Return the pod template at a path as people write it; None if there is none."""
    path = read_path(field)
    node = descend(item, path)
    return PodTemplate(node, path) if is_mapping(node) and _has_containers(node) else None


def _containers_below(node: Mapping, path: str) -> Iterator[tuple[str, Mapping]]:
    for key, value in node.value:
        if is_mapping(value):
            yield from _containers_below(value, f"{path}.{key.value}")
        elif is_sequence(value):
            for index, element in enumerate(value.value):
                if is_mapping(element):
                    place = f"{path}.{key.value}[{index}]"
                    if key.value in CONTAINER_LISTS:
                        yield place, element
                    else:
                        yield from _containers_below(element, place)


def _read_pod_spec(node: Mapping, path: FieldPath) -> PodSpec:
    lists = fields(node)
    containers: list[Container] = []
    for list_name in ("initContainers", "containers"):
        for position, element in enumerate(elements(lists.get(list_name))):
            if is_mapping(element):
                containers.append(
                    Container(list_name, position, text(get(element, "name")), element)
                )
    return PodSpec(node, path, tuple(containers))


def _has_containers(node: Mapping) -> bool:
    return is_sequence(get(node, "spec", "containers"))


@lru_cache(maxsize=1024)
def _templates_above(field: str) -> tuple[str, ...]:
    """Return the paths that may be a template, the innermost first."""
    return tuple(field[: found.end()] for found in re.finditer(_TEMPLATE, field))[::-1]
