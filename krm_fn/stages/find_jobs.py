"""Find every field of an object that names a Job."""

from collections.abc import Iterator
from typing import TypeAlias

from krm_fn.model.field_path import step
from krm_fn.model.item import Item
from krm_fn.model.node import Node, fields, is_scalar, text
from krm_fn.model.reference import Reference
from krm_fn.model.reference_sites import GROUP_FIELDS, PASSED_OVER
from krm_fn.stages.field_specs import Found, beside, refer
from krm_fn.stages.find import may_refer, without_lookalikes
from krm_fn.stages.find_by_shape import Sight
from krm_fn.stages.find_in_rules import Resource, find_in_rules

_GROUPS = frozenset({"", "batch", "batch/v1"})
_RULES = (Resource("Job", "batch", "jobs"), Resource("Job", "batch", "jobs/status"), Resource("Job", "batch", "jobs/*"))
_ROLES = ("Role", "ClusterRole")

Place: TypeAlias = tuple[Node, str]
"""A node and its field."""


def is_job(item: Item) -> bool:
    return (item.id.group, item.id.kind) == ("batch", "Job")


def find_jobs(item: Item) -> list[Reference]:
    """`{kind: Job, name: ...}` wherever it stands, and the names in a role's rules.

    Nothing in a Job's own spec can name another Job: looking there would make its name depend on itself.
    """
    if not may_refer(item.id) or is_job(item):
        return []
    sights = without_lookalikes(list(_sights(item.node)), item.id)
    in_rules = find_in_rules(item.node, _RULES) if item.id.kind in _ROLES else ()
    found = {reference.field: reference for reference in [*(sight.reference for sight in sights), *in_rules]}
    return list(found.values())


def _sights(root: Node) -> Iterator[Sight]:
    stack: list[Place] = [
        (node, step("", name)) for name, node in fields(root).items() if name not in ("metadata", "status")
    ]
    while stack:
        node, field = stack.pop()
        if node.id == "sequence":
            stack += [(element, f"{field}[{place}]") for place, element in enumerate(node.value)]
        elif node.id == "mapping":
            held = fields(node)
            name = held.get("name")
            if is_scalar(name) and text(name) and _means_a_job(held):
                found = Found(name, beside(held, "name"), step(field, "name"))
                yield Sight(refer(found, "Job"), held)
            stack += [(child, step(field, key)) for key, child in held.items() if key not in PASSED_OVER]


def _means_a_job(held: dict[str, Node]) -> bool:
    return text(held.get("kind")) == "Job" and all(text(held.get(name)) in _GROUPS for name in GROUP_FIELDS)
