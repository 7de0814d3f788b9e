"""Find references by the names and shapes of fields.

These hold across the whole ecosystem, so kinds without a schema are read as well.
"""

import re
from enum import Enum, auto
from functools import lru_cache

from krm_fn.base.item import CONFIG_KINDS
from krm_fn.base.named_tuple import NamedTuple
from krm_fn.base.node import (
    Node,
    Path,
    Scalar,
    fields,
    is_null,
    is_scalar,
    spell_path,
    text,
)
from krm_fn.base.problem import ResourceId
from krm_fn.base.producer import RENAMABLE
from krm_fn.base.reference import (
    GROUP_FIELDS,
    By,
    Reference,
    Rule,
    is_of_core,
    namespace_beside,
    read_reference,
)
from krm_fn.core.references.field_rows import (
    KEY_SELECTORS,
    SELECTOR_FIELDS,
    KeySelectors,
    annotations_of,
)
from krm_fn.facts.annotations import VOLUMES_IN_JSON
from krm_fn.facts.exclusions import FREE_KEYS, PASSED_OVER

NOT_WALKED = PASSED_OVER | {"metadata", "status"}
"""At the top of an object. Deeper down, `metadata` and `status` are fields like any other."""

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
    """The kind that the name of a field says, and the rule by which it does."""

    kind: str
    form: WordForm
    rule: Rule
    is_output: bool = False


def _word(kind: str, form: WordForm, field: str, *, is_output: bool = False) -> Word:
    text = f"name in {field}" if form is WordForm.HOLDER else field
    return Word(kind, form, Rule(By.SHAPE, text), is_output)


def _ends(kind: str, form: WordForm, ends: str) -> dict[str, Word]:
    return {end.lower(): _word(kind, form, f"*{end}") for end in ends.split()}


def _beside_kind(kind: str) -> Word:
    return Word(kind, WordForm.HOLDER, Rule(By.SHAPE, f"name beside kind: {kind}"))


# Ends of field names, in whatever case, a plural `s` taken off. The first that fits wins:
# `SecretName` says that the text is the name, and ends in none of the words for mappings.
_ENDS = {
    **_ends("Secret", WordForm.NAME, "SecretName -secret-name"),
    **_ends("ConfigMap", WordForm.NAME, "ConfigMapName"),
    **_ends(
        "ConfigMap",
        WordForm.HOLDER,
        "ConfigMap ConfigMapRef ConfigMapKeyRef ConfigMapReference ConfigMapTargetRef",
    ),
    **_ends(
        "Secret",
        WordForm.HOLDER,
        "Secret SecretRef SecretKeyRef SecretReference SecretTargetRef SecretKey",
    ),
}

_EXACT = {
    field: _word(kind, form, field, is_output=is_output)
    for field, kind, form, is_output in (
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
_KINDS_IN_SMALL = {kind.lower(): kind for kind in CONFIG_KINDS}
"""Programs that read `kind: configmap` in texts of their own compare kinds without case."""
# Kinds of other groups that may be named by the hash of their spec: references to these are
# followed as well.
_OTHER_KINDS = {kind: (group, _beside_kind(kind)) for group, kind in RENAMABLE}
_ANNOTATED = {
    name: Word(row.target, WordForm.NAME, Rule(By.TABLE, f"annotation {name} of pods"))
    for name, row in annotations_of("Pod").items()
}


def find_by_shape(item: Node, resource: ResourceId) -> list[Reference]:
    """Find the references of an object, in the order of its text.

    A mapping of `name` and `key` in a field that says nothing more may name either kind, or
    something else: its reference has no kind, and matches nothing until the objects of the package
    decide (`references`).
    """
    row = _SELECTORS.get(resource.group)
    walk = _ShapeWalk(
        row if row is not None and (not row.kinds or resource.kind in row.kinds) else None
    )
    walk.enter(item, None, "", None)
    return walk.found


@lru_cache(maxsize=8192)
def word_of(field: str) -> Word | None:
    """Return what a field's name says about its value, None for nearly all fields."""
    if field in _EXACT:
        return _EXACT[field]
    end = field.lower().removesuffix("s")
    return next((word for ending, word in _ENDS.items() if end.endswith(ending)), None)


class _ShapeWalk:
    """One walk over an object.

    Every object of a package is walked, so that this is the hottest code of a run.
    """

    def __init__(self, selectors: KeySelectors | None) -> None:
        self.found: list[Reference] = []
        self._has_selectors = selectors is not None
        self._config_maps = selectors.config_maps if selectors is not None else ()

    def enter(self, node: Node, path: Path, key: str, word: Word | None) -> None:
        """Look at the value of field `key`, whose name means `word`.

        This takes one or two frames for each level.
        """
        if node.id == "sequence":
            self._enter_list(node, path, word)
            return
        around = fields(node)
        # A mapping that names an object is asked before its fields: `name` by itself says no kind.
        if "name" in around and (said := self._word_of_holder(around, key, word)):
            self._add(said, around["name"], (path, "name"), around)
        for name, value in around.items():
            meant = word_of(name)
            if value.id == "scalar":
                if meant is not None and meant.form is WordForm.NAME and key not in FREE_KEYS:
                    self._add(meant, value, (path, name), around)
            elif name == "annotations" and path:
                # Those of a pod template; the object's own are read by kind (`find`).
                self._enter_annotations(value, (path, name))
            elif name not in (PASSED_OVER if path else NOT_WALKED):
                if name in self._config_maps:
                    meant = _CONFIG_MAPS[name]
                self.enter(value, (path, name), name, meant)

    def _enter_annotations(self, node: Node, path: Path) -> None:
        for name, value in fields(node).items():
            if name in _ANNOTATED:
                self._add(_ANNOTATED[name], value, (path, name), {})
            elif name in VOLUMES_IN_JSON and is_scalar(value):
                self.found += find_volumes(name, value, spell_path((path, name)))

    def _enter_list(self, node: Node, path: Path, word: Word | None) -> None:
        for index, element in enumerate(node.value):
            # An element has no name of its own: the word of the list says what it means.
            if element.id != "scalar":
                self.enter(element, (path, index), "", word)
            elif word is not None and word.form is WordForm.NAME:
                self._add(word, element, (path, index), {})

    def _word_of_holder(self, around: dict[str, Node], key: str, word: Word | None) -> Word | None:
        """Return the kind that a mapping with a `name` names, None where it names neither."""
        kind = text(around.get("type" if key == _NAMED_BY_TYPE else "kind"))
        kind = _KINDS_IN_SMALL.get(kind.lower(), kind)
        if kind in _CORE_KINDS:
            if not is_of_core(around):
                return None
            return (
                word._replace(kind=kind)
                if word is not None and word.is_output
                else _CORE_KINDS[kind]
            )
        group, beside_kind = _OTHER_KINDS.get(kind, ("", None))
        if beside_kind is not None and _group_beside(around) == group:
            return beside_kind
        if (
            word is not None
            and word.form is WordForm.HOLDER
            and kind.lower() in ("", word.kind.lower())
        ):
            # Beside `secretName` or `configMapName`, `name` is something else.
            return None if any(name in around for name in _FULL_NAMES) else word
        if "key" in around and around.keys() <= _KEYED_FIELDS:
            return self._word_of_keyed(around, key)
        return None

    def _word_of_keyed(self, around: dict[str, Node], key: str) -> Word | None:
        if self._has_selectors and around.keys() <= SELECTOR_FIELDS:
            return _SELECTED
        return None if key in FREE_KEYS else _KEYED

    def _add(
        self, word: Word, name: Node, path: tuple[Path, str | int], around: dict[str, Node]
    ) -> None:
        if is_scalar(name) and name.value and not is_null(name):
            namespace, field = namespace_beside(around, str(path[1])), spell_path(path)
            one = read_reference(
                word.kind,
                name,
                namespace,
                field,
                word.rule,
                is_output=word.is_output,
                around=around,
            )
            self.found.append(one)


def _group_beside(around: dict[str, Node]) -> str:
    """Return the group beside a kind: `external-secrets.io`, also of `external-secrets.io/v1`."""
    return next(
        filter(None, (text(around.get(name)).partition("/")[0] for name in GROUP_FIELDS)), ""
    )


# The last takes the rest of a text that does not end.
_JSON = r'"(?P<text>(?:[^"\\]|\\.)*+)"\s*(?P<is_key>:?)|[{}\[\]]|"[\s\S]*+'
_VOLUME_FIELDS = {
    ("configMap", "name"): "ConfigMap",
    ("secret", "name"): "Secret",
    ("secret", "secretName"): "Secret",
}


def find_volumes(annotation: str, said: Scalar, field: str) -> list[Reference]:
    """Find the names in volumes that are written as JSON, by the fields around each."""
    rule = Rule(By.TABLE, f"annotation {annotation}", source=VOLUMES_IN_JSON[annotation])
    found: list[tuple[str, tuple[int, int]]] = []
    above: list[str] = []
    key = ""
    for token in re.finditer(_JSON, said.value):
        if token["text"] is None:
            if token[0] in "{[":
                above.append(key)
            elif above:
                above.pop()
            key = ""
        elif token["is_key"]:
            key = token["text"]
        else:
            kind = _VOLUME_FIELDS.get((above[-1] if above else "", key))
            if kind is not None:
                found.append((kind, token.span("text")))
            key = ""
    references: list[Reference] = []
    for number, (kind, span) in enumerate(found):
        place = f"{field}[{number}]" if len(found) > 1 else field
        whole = Reference(kind, said, None, place, in_pod=True, is_output=False, rule=rule)
        references.append(whole.around_name(*span)._replace(is_in_json=len(found) > 1))
    return references
