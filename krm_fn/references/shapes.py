"""Which rule found a reference, or decided that a field is none.

These names hold across the whole ecosystem, so that kinds without a schema are read as well. What a name alone does
not say is in `facts/fields.py`; what it says wrongly, in `facts/exclusions.py` and `facts/producers.py`.
"""

import re
from enum import Enum, StrEnum, auto
from functools import lru_cache
from typing import NamedTuple


class By(StrEnum):
    """The kinds of rules."""

    SHAPE = "shape"
    """The names of the fields, in objects of any kind: `shapes`."""

    TABLE = "table"
    """A row for this kind of objects: `fields`, `annotations`, `admission_params`."""

    PRODUCER = "maker"
    """A row of `producers`: a controller writes the object."""

    COPY = "copy"
    """A row for what a program copies from there, by its name."""

    RBAC = "rbac"
    """The `resourceNames` of a rule."""

    REFERENCES = "references"
    """An entry of `spec.references`."""

    MOUNTS = "mounts"
    """An entry of `spec.mounts`."""


class Reads(NamedTuple):
    """What the consumer of a field does with a name, beside finding the object by it. By default, nothing.

    `endings`: it tells by these ends of the name what is in the object. `path`: it mounts the object there, with the
    name in the place of `{}`, so that others may write this path. `beside`: it also reads another object, whose name
    is this one with that end. `source`: where its project says so.
    """

    endings: tuple[str, ...] = ()
    path: str = ""
    beside: str = ""
    source: str = ""


THE_VALUE = Reads()


class Rule(NamedTuple):
    """A rule. `text`: which of its kind, for people.

    `reason`: how a controller writes or copies the object; `source`: where its project says so. Both may be unknown.
    """

    by: By
    text: str
    reason: str = ""
    source: str = ""
    reads: Reads = THE_VALUE


KINDS = frozenset({"ConfigMap", "Secret"})

CORE_GROUPS = frozenset({"", "v1", "core", "core/v1"})
"""What `apiGroup`, `group` or `apiVersion` beside `kind: ConfigMap` may say."""

GROUP_FIELDS = ("apiGroup", "group", "apiVersion")


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


_RULES = {WordForm.HOLDER: "name in {}", WordForm.NAME: "{}"}


def _word(kind: str, form: WordForm, field: str, *, written: bool = False) -> Word:
    return Word(kind, form, Rule(By.SHAPE, _RULES[form].format(field)), written)


# Ends of field names, in whatever case, a plural `s` taken off. The first that fits wins.
_ENDS = {
    end.lower(): _word(kind, form, f"*{end}")
    for kind, form, ends in (
        ("Secret", WordForm.NAME, ("SecretName", "-secret-name")),
        ("ConfigMap", WordForm.NAME, ("ConfigMapName",)),
        (
            "ConfigMap",
            WordForm.HOLDER,
            ("ConfigMap", "ConfigMapRef", "ConfigMapKeyRef", "ConfigMapReference", "ConfigMapTargetRef"),
        ),
        (
            "Secret",
            WordForm.HOLDER,
            ("Secret", "SecretRef", "SecretKeyRef", "SecretReference", "SecretTargetRef", "SecretKey"),
        ),
    )
    for end in ends
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

NAMED_BY_TYPE = "caProvider"
"""External Secrets says `type: ConfigMap` where others say `kind`."""

PASSED_OVER = frozenset({"labels", "annotations", "matchLabels", "ownerReferences", "openAPIV3Schema"})
"""Mappings without references, in any object. (`facts/annotations.py` has the annotations that are references.)"""

FREE_KEYS = frozenset({"selector", "nodeSelector", "data", "stringData", "binaryData", "encryptedData"})
"""Mappings whose keys the author chooses: a key `secretName` in one of them is no field."""

OPAQUE_KINDS = frozenset({"CustomResourceDefinition"})

_POD_LISTS = ("env", "envFrom", "volumes", "templatedVolumes", "workspaces", "imagePullSecrets")
"""Lists of a pod spec, wherever it is. The imagePullSecrets of a ServiceAccount are at the top instead."""

_IN_POD = re.compile(
    rf"\.(?:{'|'.join(_POD_LISTS)})\["
    r"|\.volumeMounts\.(?:configMap|secret)\["  # KubeVela
    r"|\.(?:driver|executor)\.(?:secrets|configMaps)\["
    r"|\.metadata\.annotations\["  # below the top they are a template's
)


@lru_cache(maxsize=8192)
def word_of(field: str) -> Word | None:
    """Return what a field's name says about its value, None for nearly all fields."""
    if field in _EXACT:
        return _EXACT[field]
    end = field.lower().removesuffix("s")
    return next((word for ending, word in _ENDS.items() if end.endswith(ending)), None)


def is_in_pod(field: str) -> bool:
    """Tell whether pods read the object that the field at this path names, judged by the lists in the path."""
    return _IN_POD.search(field) is not None
