"""Find references in any object by the names and shapes of its fields."""

from typing import TypeAlias

from krm_fn.model.node import Node, fields, is_null, is_scalar, spell, text
from krm_fn.model.problem import ResourceId
from krm_fn.model.producers import RENAMABLE
from krm_fn.references.field_specs import beside
from krm_fn.references.fields import KEY_SELECTORS, SELECTOR_FIELDS, KeySelectors, annotations_of
from krm_fn.references.reference import Reference, read_reference
from krm_fn.references.shapes import (
    CORE_GROUPS,
    FREE_KEYS,
    GROUP_FIELDS,
    KINDS,
    NAMED_BY_TYPE,
    PASSED_OVER,
    By,
    Rule,
    Word,
    WordForm,
    word_of,
)

NOT_WALKED = PASSED_OVER | {"metadata", "status"}
"""At the top of an object. Deeper down, `metadata` and `status` are fields like any other."""

_FULL_NAMES = ("secretName", "configMapName", "cmName")

_SELECTORS = {row.group: row for row in KEY_SELECTORS}
_SELECTED = Word("Secret", WordForm.HOLDER, Rule(By.TABLE, "name beside key"))
_KEYED = Word("", WordForm.HOLDER, Rule(By.SHAPE, "name beside key"))
_KEYED_FIELDS = SELECTOR_FIELDS | {"namespace"}
_CONFIG_MAPS = {
    field: Word("ConfigMap", WordForm.HOLDER, Rule(By.TABLE, f"name in {field}"))
    for row in KEY_SELECTORS
    for field in row.config_maps
}
_BESIDE_KIND = {
    kind: Word(kind, WordForm.HOLDER, Rule(By.SHAPE, f"name beside kind: {kind}")) for kind in sorted(KINDS)
}
_PRODUCERS = {producer.kind: producer for producer in RENAMABLE.values()}
_BESIDE_PRODUCER = {
    kind: Word(kind, WordForm.HOLDER, Rule(By.SHAPE, f"name beside kind: {kind}")) for kind in _PRODUCERS
}
_ANNOTATED = {
    name: Word(row.target, WordForm.NAME, Rule(By.TABLE, f"annotation {name} of pods"))
    for name, row in annotations_of("Pod").items()
}

Path: TypeAlias = "tuple[Path, str | int] | None"
"""Steps from the inside out, written out only where something is found, which is rare."""


def find_by_shape(item: Node, resource: ResourceId) -> list[Reference]:
    """Find the references of an object, in the order of its text.

    A mapping of `name` and `key` in a field that says nothing more may name either kind, or something else: its
    reference has no kind, and matches nothing until the objects of the package decide (`references`).
    """
    walk = _ShapeWalk(_selectors_of(resource))
    walk.enter(item, None, "", None)
    return walk.found


def _selectors_of(resource: ResourceId) -> KeySelectors | None:
    row = _SELECTORS.get(resource.group)
    return row if row is not None and (not row.kinds or resource.kind in row.kinds) else None


class _ShapeWalk:
    def __init__(self, selectors: KeySelectors | None) -> None:
        self.found: list[Reference] = []
        self._has_selectors = selectors is not None
        self._config_maps = selectors.config_maps if selectors is not None else ()

    def enter(self, node: Node, path: Path, key: str, word: Word | None) -> None:
        """Look at the value of field `key`, whose name means `word`. This takes one or two frames for each level."""
        if node.id == "sequence":
            self._enter_list(node, path, word)
            return
        held = fields(node)
        if "name" in held and (said := self._word_of_holder(held, key, word)):
            self._add(said, held["name"], (path, "name"), held)
        for name, value in held.items():
            meant = word_of(name)
            if name == "annotations" and path:
                self._add_annotations(value, (path, name))
            elif value.id != "scalar":
                if name not in (PASSED_OVER if path else NOT_WALKED):
                    self.enter(value, (path, name), name, _CONFIG_MAPS[name] if name in self._config_maps else meant)
            elif meant is not None and meant.form is WordForm.NAME and key not in FREE_KEYS:
                self._add(meant, value, (path, name), held)

    def _enter_list(self, node: Node, path: Path, word: Word | None) -> None:
        for index, element in enumerate(node.value):
            if element.id != "scalar":
                self.enter(element, (path, index), "", word)
            elif word is not None and word.form is WordForm.NAME:
                self._add(word, element, (path, index), {})

    def _add_annotations(self, node: Node, path: Path) -> None:
        """Look at the annotations of a pod template."""
        for name, value in fields(node).items():
            if name in _ANNOTATED:
                self._add(_ANNOTATED[name], value, (path, name), {})

    def _word_of_holder(self, held: dict[str, Node], key: str, word: Word | None) -> Word | None:
        """Return the kind that a mapping with a `name` names, None where it names neither."""
        kind = text(held.get("type" if key == NAMED_BY_TYPE else "kind"))
        if kind in KINDS:
            if not all(text(held.get(name)) in CORE_GROUPS for name in GROUP_FIELDS):
                return None
            return word._replace(kind=kind) if word is not None and word.written else _BESIDE_KIND[kind]
        if kind in _PRODUCERS and _group_beside(held) == _PRODUCERS[kind].group:
            return _BESIDE_PRODUCER[kind]
        if word is not None and word.form is WordForm.HOLDER and kind.lower() in ("", word.kind.lower()):
            # Beside `secretName` or `configMapName`, `name` is something else.
            return None if any(name in held for name in _FULL_NAMES) else word
        return self._word_of_keyed(held, key) if "key" in held and held.keys() <= _KEYED_FIELDS else None

    def _word_of_keyed(self, held: dict[str, Node], key: str) -> Word | None:
        if self._has_selectors and held.keys() <= SELECTOR_FIELDS:
            return _SELECTED
        return None if key in FREE_KEYS else _KEYED

    def _add(self, word: Word, name: Node, path: tuple[Path, str | int], held: dict[str, Node]) -> None:
        if is_scalar(name) and name.value and not is_null(name):
            namespace = beside(held, str(path[1]))
            self.found.append(
                read_reference(
                    word.kind, name, namespace, spell_path(path), word.rule, written=word.written, around=held
                )
            )


def _group_beside(held: dict[str, Node]) -> str:
    """Return the group beside a kind, with or without a version: `external-secrets.io` of `external-secrets.io/v1`."""
    return next(filter(None, (text(held.get(name)).partition("/")[0] for name in GROUP_FIELDS)), "")


def spell_path(path: Path) -> str:
    """Write the steps as a field: `spec.list[0].name`."""
    steps = []
    while path is not None:
        path, one = path
        steps.append(one)
    return spell(reversed(steps))
