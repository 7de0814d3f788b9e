"""Find references in any object by how their fields look."""

from collections.abc import Iterator
from typing import NamedTuple, TypeAlias

from krm_fn.model.node import Mapping, Node, Scalar, entries, is_mapping, is_null, is_scalar, text
from krm_fn.model.reference import Reference
from krm_fn.model.reference_fields import SELECTOR_FIELDS, SELECTORS
from krm_fn.model.reference_sites import (
    CORE_GROUPS,
    FREE_KEYS,
    GROUP_FIELDS,
    KINDS,
    NAMED_BY_TYPE,
    PASSED_OVER,
    Form,
    Word,
    word_of,
)
from krm_fn.model.resource import ResourceId
from krm_fn.stages.field_specs import Found, beside, refer, step

_NOT_WALKED = frozenset({"apiVersion", "kind", "metadata", "status"})
"""Fields of an object itself, not of what lies deeper."""

Path: TypeAlias = tuple["Path", str | int] | None
"""Steps from the inside out. Written out as text only where something is found, for that is rare."""


class Sight(NamedTuple):
    """A reference and the fields around its name."""

    reference: Reference
    fields: dict[str, Node]


def find_by_shape(item: Mapping, resource: ResourceId) -> list[Sight]:
    """The references of an object, in the order of its text."""
    walk = _Walk(_has_selectors(resource))
    fields = {name: node for name, node in entries(item) if name not in _NOT_WALKED}
    walk.enter_fields(fields, None, free=False)
    return walk.sights


def _has_selectors(resource: ResourceId) -> bool:
    return any(resource.group == row.group and resource.kind in (row.kinds or (resource.kind,)) for row in SELECTORS)


class _Walk:
    """One frame for each level of nesting."""

    def __init__(self, has_selectors: bool) -> None:
        self.sights: list[Sight] = []
        self._has_selectors = has_selectors

    def enter(self, node: Node, path: Path, key: str, word: Word | None) -> None:
        """Below field `key`, of whose name `word` is what is known."""
        if node.id == "sequence":
            for index, element in enumerate(node.value):
                if element.id != "scalar":
                    self.enter(element, (path, index), key, word)
            return
        fields = dict(entries(node))
        if "name" in fields:
            self._look_at_holder(fields, path, key, word)
        self.enter_fields(fields, path, free=key in FREE_KEYS)

    def enter_fields(self, fields: dict[str, Node], path: Path, *, free: bool) -> None:
        for name, node in fields.items():
            word = word_of(name)
            if node.id != "scalar":
                if name not in PASSED_OVER:
                    self.enter(node, (path, name), name, word if word and word.form is Form.HOLDER else None)
            elif word is not None and word.form is Form.NAME and not free:
                self._see(word.kind, node, name, fields, path)
