"""Where an object says what its pods are made of."""

from collections.abc import Iterator
from typing import NamedTuple

from krm_fn.model.field_path import step
from krm_fn.model.item import Item
from krm_fn.model.node import Mapping, Node, entries, fields, get, is_mapping, is_sequence, text

WORKLOAD_KINDS = frozenset(
    {
        "CronJob",
        "DaemonSet",
        "Deployment",
        "Job",
        "Pod",
        "ReplicaSet",
        "ReplicationController",
        "Rollout",
        "StatefulSet",
    }
)
"""Kinds whose pod template is the whole point of them."""

_NOT_WALKED = ("metadata", "status")
"""At the top of an object."""


class Container(NamedTuple):
    """A container and its place in the pod's spec."""

    list_name: str
    position: int
    name: str
    node: Mapping


class PodSpec(NamedTuple):
    """The `spec` of a pod or pod template, the way to it, and its init containers and containers, in this order."""

    node: Mapping
    path: tuple[str | int, ...]
    containers: tuple[Container, ...]

    @property
    def field(self) -> str:
        """The path for people."""
        field = ""
        for one in self.path:
            field = f"{field}[{one}]" if isinstance(one, int) else step(field, one)
        return field


def find_pod_specs(item: Item) -> list[PodSpec]:
    """All of an object, in the order of its text.

    Whatever the kind, a pod template is a field called `template`, or something ending in it, whose `spec` lists
    `containers`.
    """
    if item.id.kind == "Pod":
        spec = get(item.node, "spec")
        return [_pod_spec(spec, ("spec",))] if is_mapping(spec) else []
    return list(_search(item.node, ()))


def _search(node: Node, path: tuple[str | int, ...]) -> Iterator[PodSpec]:
    for index, element in enumerate(elements(node)):
        if is_mapping(element):
            yield from _search(element, (*path, index))
    for name, value in entries(node):
        spec = get(value, "spec") if name.lower().endswith("template") else None
        if is_mapping(spec) and is_sequence(get(spec, "containers")):
            yield _pod_spec(spec, (*path, name, "spec"))
        elif value.id != "scalar" and (path or name not in _NOT_WALKED):
            yield from _search(value, (*path, name))


def _pod_spec(node: Mapping, path: tuple[str | int, ...]) -> PodSpec:
    held = fields(node)
    containers = tuple(
        Container(list_name, position, text(get(element, "name")), element)
        for list_name in ("initContainers", "containers")
        for position, element in enumerate(elements(held.get(list_name)))
        if is_mapping(element)
    )
    return PodSpec(node, path, containers)


def elements(node: Node | None) -> list[Node]:
    """What a list holds; nothing for any other node."""
    return node.value if is_sequence(node) else []
