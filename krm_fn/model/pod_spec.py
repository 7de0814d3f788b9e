"""Where an object says what its pods are made of."""

from typing import NamedTuple

from krm_fn.model.field_path import FieldPath, spell
from krm_fn.model.item import Item
from krm_fn.model.node import Mapping, Node, fields, get, is_mapping, is_sequence, text
from krm_fn.model.pod_template import find_templates

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


class Container(NamedTuple):
    """A container and its place in the pod's spec."""

    list_name: str
    position: int
    name: str
    node: Mapping


class PodSpec(NamedTuple):
    """The `spec` of a pod or pod template, the way to it, and its init containers and containers, in this order."""

    node: Mapping
    path: FieldPath
    containers: tuple[Container, ...]

    @property
    def field(self) -> str:
        """The path for people."""
        return spell(self.path)


def find_pod_specs(item: Item) -> list[PodSpec]:
    """All of an object, in the order of its text."""
    if item.id.kind == "Pod":
        spec = get(item.node, "spec")
        return [_pod_spec(spec, ("spec",))] if is_mapping(spec) else []
    specs = ((get(template.node, "spec"), template.path) for template in find_templates(item.node))
    return [_pod_spec(spec, (*path, "spec")) for spec, path in specs if is_mapping(spec)]


def _pod_spec(node: Mapping, path: FieldPath) -> PodSpec:
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
