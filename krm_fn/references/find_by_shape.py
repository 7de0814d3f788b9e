"""Find references in any object by how their fields look."""

from typing import NamedTuple, TypeAlias

from krm_fn.model.node import Node, fields, is_null, is_scalar, spell, text
from krm_fn.model.problem import ResourceId
from krm_fn.references.annotations import POD_ANNOTATIONS
from krm_fn.references.field_specs import Found, beside, refer
from krm_fn.references.fields import SELECTOR_FIELDS, SELECTORS
from krm_fn.references.reference import Reference
from krm_fn.references.shapes import (
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

_NOT_WALKED = PASSED_OVER | {"metadata", "status"}
"""At the top of an object; deeper down, fields of these two names are like all others."""

_FULL_NAMES = ("secretName", "configMapName")

_SELECTORS = dict(SELECTORS)
_SELECTED = Word("Secret", Form.HOLDER)

Path: TypeAlias = "tuple[Path, str | int] | None"
"""Steps from the inside out. Spelled only where something is found, for that is rare."""


class Sight(NamedTuple):
    """A reference and the fields around its name."""

    reference: Reference
    fields: dict[str, Node]


def find_by_shape(item: Node, resource: ResourceId) -> list[Sight]:
    """The references of an object, in the order of its text."""
    walk = _Walk(has_selectors=_has_selectors(resource))
    walk.enter(item, None, "", None)
    return walk.sights


def _has_selectors(resource: ResourceId) -> bool:
    kinds = _SELECTORS.get(resource.group)
    return kinds is not None and (not kinds or resource.kind in kinds)


class _Walk:
    def __init__(self, *, has_selectors: bool) -> None:
        self.sights: list[Sight] = []
        self._has_selectors = has_selectors

    def enter(self, node: Node, path: Path, key: str, word: Word | None) -> None:
        """Look at what field `key` holds; `word` is what that name says. One or two frames a level."""
        if node.id == "sequence":
            self._enter_list(node, path, word)
            return
        held = fields(node)
        if "name" in held and (said := self._word_of_holder(held, key, word)):
            self._see(said, held["name"], (path, "name"), held)
        for name, value in held.items():
            meant = word_of(name)
            if name == "annotations" and path:
                self._see_annotations(value, (path, name))
            elif value.id != "scalar":
                if name not in (PASSED_OVER if path else _NOT_WALKED):
                    self.enter(value, (path, name), name, meant)
            elif meant is not None and meant.form is Form.NAME and key not in FREE_KEYS:
                self._see(meant, value, (path, name), held)

    def _enter_list(self, node: Node, path: Path, word: Word | None) -> None:
        for index, element in enumerate(node.value):
            if element.id != "scalar":
                self.enter(element, (path, index), "", word)
            elif word is not None and word.form is Form.NAME:
                self._see(word, element, (path, index), {})

    def _see_annotations(self, node: Node, path: Path) -> None:
        """A pod template's annotations."""
        for name, value in fields(node).items():
            if name in POD_ANNOTATIONS:
                self._see(Word(POD_ANNOTATIONS[name], Form.NAME), value, (path, name), {})

    def _word_of_holder(self, held: dict[str, Node], key: str, word: Word | None) -> Word | None:
        """What is to be said of a mapping with a `name`, if it names one of our kinds."""
        kind = text(held.get("type" if key == NAMED_BY_TYPE else "kind"))
        if kind in KINDS:
            is_core = all(text(held.get(name)) in CORE_GROUPS for name in GROUP_FIELDS)
            return Word(kind, Form.HOLDER, word is not None and word.written) if is_core else None
        if word is not None and word.form is Form.HOLDER and kind.lower() in ("", word.kind.lower()):
            # Where the full name of the field stands beside it, `name` is something else.
            return None if any(name in held for name in _FULL_NAMES) else word
        return _SELECTED if self._has_selectors and "key" in held and held.keys() <= SELECTOR_FIELDS else None

    def _see(self, word: Word, name: Node, path: tuple[Path, str | int], held: dict[str, Node]) -> None:
        if is_scalar(name) and name.value and not is_null(name):
            found = Found(name, beside(held, str(path[1])), _spell(path))
            self.sights.append(Sight(refer(found, word.kind, written=word.written, around=held), held))


def _spell(path: Path) -> str:
    steps = []
    while path is not None:
        path, one = path
        steps.append(one)
    return spell(reversed(steps))
