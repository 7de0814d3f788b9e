"""Find references in any object by the names and shapes of its fields.

These names hold across the whole ecosystem, so that kinds without a schema are read as well. What a name alone does
not say is in `facts/fields.py`; what it says wrongly, in `facts/exclusions.py` and `facts/producers.py`.
"""

from collections.abc import Mapping
from enum import Enum, auto
from functools import lru_cache
from typing import NamedTuple

from krm_fn.base.item import CONFIG_KINDS
from krm_fn.base.node import Node, Path, fields, is_null, is_scalar, spell_path, text
from krm_fn.base.problem import ResourceId
from krm_fn.base.producer import RENAMABLE
from krm_fn.core.references.field_specs import beside
from krm_fn.core.references.known_fields import KEY_SELECTORS, SELECTOR_FIELDS, KeySelectors, annotations_of
from krm_fn.core.references.reference import By, Reference, Rule, read_reference

CORE_GROUPS = frozenset({"", "v1", "core", "core/v1"})
"""What `apiGroup`, `group` or `apiVersion` beside `kind: ConfigMap` may say."""

GROUP_FIELDS = ("apiGroup", "group", "apiVersion")

PASSED_OVER = frozenset({"labels", "annotations", "matchLabels", "ownerReferences", "openAPIV3Schema"})
"""Mappings without references, in any object. (`annotations.py` knows the annotations that are references.)"""

NOT_WALKED = PASSED_OVER | {"metadata", "status"}
"""At the top of an object. Deeper down, `metadata` and `status` are fields like any other."""

FREE_KEYS = frozenset({"selector", "nodeSelector", "data", "stringData", "binaryData", "encryptedData"})
"""Mappings whose keys the author chooses: a key `secretName` in one of them is no field."""

_NAMED_BY_TYPE = "caProvider"
"""External Secrets says `type: ConfigMap` where others say `kind`."""

_FULL_NAMES = ("secretName", "configMapName", "cmName")

_SELECTORS = {row.group: row for row in KEY_SELECTORS}

_KEYED_FIELDS = SELECTOR_FIELDS | {"namespace"}


class WordForm(Enum):
    """How a field holds the name."""

    HOLDER = auto()
    """In the `name` of a mapping, or of each mapping in a list."""

    NAME = auto()
    """As its own text, or each text of a list."""


class Word(NamedTuple):
    """What the name of a field says, by which rule."""

    kind: str
    form: WordForm
    rule: Rule
    written: bool = False


def _word(kind: str, form: WordForm, field: str, *, written: bool = False) -> Word:
    text = f"name in {field}" if form is WordForm.HOLDER else field
    return Word(kind, form, Rule(By.SHAPE, text), written)


def _ends(kind: str, form: WordForm, ends: str) -> dict[str, Word]:
    return {end.lower(): _word(kind, form, f"*{end}") for end in ends.split()}


def _beside_kind(kind: str) -> Word:
    return Word(kind, WordForm.HOLDER, Rule(By.SHAPE, f"name beside kind: {kind}"))


# Ends of field names, in whatever case, a plural `s` taken off. The first that fits wins: `SecretName` says that the
# text is the name, and ends in none of the words for mappings.
_ENDS = {
    **_ends("Secret", WordForm.NAME, "SecretName -secret-name"),
    **_ends("ConfigMap", WordForm.NAME, "ConfigMapName"),
    **_ends(
        "ConfigMap", WordForm.HOLDER, "ConfigMap ConfigMapRef ConfigMapKeyRef ConfigMapReference ConfigMapTargetRef"
    ),
    **_ends("Secret", WordForm.HOLDER, "Secret SecretRef SecretKeyRef SecretReference SecretTargetRef SecretKey"),
}

_EXACT = {
    field: _word(kind, form, field, written=written)
    for field, kind, form, written in (
        # Gateway API: the kind may be left out here.
        ("certificateRefs", "Secret", WordForm.HOLDER, False),
        ("clientCertificateRef", "Secret", WordForm.HOLDER, False),
        ("caCertificateRefs", "ConfigMap", WordForm.HOLDER, False),
        # KubeVela's volumes
        ("cmName", "ConfigMap", WordForm.NAME, False),
        # The Secrets Store CSI driver's volumes
        ("secretProviderClass", "SecretProviderClass", WordForm.NAME, False),
        # Crossplane writes connection details, Strimzi a list of offsets.
        ("writeConnectionSecretToRef", "Secret", WordForm.HOLDER, True),
        ("publishConnectionDetailsTo", "Secret", WordForm.HOLDER, True),
        ("toConfigMap", "ConfigMap", WordForm.HOLDER, True),
    )
}

_SELECTED = Word("Secret", WordForm.HOLDER, Rule(By.TABLE, "name beside key"))
_KEYED = Word("", WordForm.HOLDER, Rule(By.SHAPE, "name beside key"))
_CONFIG_MAPS = {
    field: Word("ConfigMap", WordForm.HOLDER, Rule(By.TABLE, f"name in {field}"))
    for row in KEY_SELECTORS
    for field in row.config_maps
}
_CORE_KINDS = {kind: _beside_kind(kind) for kind in CONFIG_KINDS}
# Kinds of other groups that may be named by the hash of their spec: references to these are followed as well.
_OTHER_KINDS = {kind: (group, _beside_kind(kind)) for group, kind in RENAMABLE}
_ANNOTATED = {
    name: Word(row.target, WordForm.NAME, Rule(By.TABLE, f"annotation {name} of pods"))
    for name, row in annotations_of("Pod").items()
}


def find_by_shape(item: Node, resource: ResourceId) -> list[Reference]:
    """Find the references of an object, in the order of its text.

    A mapping of `name` and `key` in a field that says nothing more may name either kind, or something else: its
    reference has no kind, and matches nothing until the objects of the package decide (`references`).
    """
    row = _SELECTORS.get(resource.group)
    walk = _ShapeWalk(row if row is not None and (not row.kinds or resource.kind in row.kinds) else None)
    walk.enter(item, None, "", None)
    return walk.found


@lru_cache(maxsize=8192)
def word_of(field: str) -> Word | None:
    """Return what a field's name says about its value, None for nearly all fields."""
    if field in _EXACT:
        return _EXACT[field]
    end = field.lower().removesuffix("s")
    return next((word for ending, word in _ENDS.items() if end.endswith(ending)), None)


def is_of_core(held: Mapping[str, Node]) -> bool:
    """Tell whether a mapping that names an object says no group but the core one, or none at all."""
    return all(text(held.get(name)) in CORE_GROUPS for name in GROUP_FIELDS)


class _ShapeWalk:
    """One walk over an object. Every object of a package is walked, so that this is the hottest code of a run."""

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
                # Those of a pod template; the object's own are read by kind (`find`).
                for annotation, said_there in fields(value).items():
                    if annotation in _ANNOTATED:
                        self._add(_ANNOTATED[annotation], said_there, ((path, name), annotation), {})
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

    def _word_of_holder(self, held: dict[str, Node], key: str, word: Word | None) -> Word | None:
        """Return the kind that a mapping with a `name` names, None where it names neither."""
        kind = text(held.get("type" if key == _NAMED_BY_TYPE else "kind"))
        if kind in _CORE_KINDS:
            if not is_of_core(held):
                return None
            return word._replace(kind=kind) if word is not None and word.written else _CORE_KINDS[kind]
        group, beside_kind = _OTHER_KINDS.get(kind, ("", None))
        if beside_kind is not None and _group_beside(held) == group:
            return beside_kind
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
            namespace, field = beside(held, str(path[1])), spell_path(path)
            one = read_reference(word.kind, name, namespace, field, word.rule, written=word.written, around=held)
            self.found.append(one)


def _group_beside(held: dict[str, Node]) -> str:
    """Return the group beside a kind, with or without a version: `external-secrets.io` of `external-secrets.io/v1`."""
    return next(filter(None, (text(held.get(name)).partition("/")[0] for name in GROUP_FIELDS)), "")
