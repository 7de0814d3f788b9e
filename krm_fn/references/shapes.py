"""How fields that name a ConfigMap or Secret look in any object: what the names of the fields say.

These names hold across the whole ecosystem, so that kinds without a schema are read as well. What a name alone does
not say is in `fields`; what it says wrongly, in `exclusions` and `makers`.
"""

import re
from enum import Enum, auto
from functools import lru_cache
from typing import NamedTuple

from krm_fn.references.rule import By, Rule

KINDS = frozenset({"ConfigMap", "Secret"})

CORE_GROUPS = frozenset({"", "v1", "core", "core/v1"})
"""What `apiGroup`, `group` or `apiVersion` beside `kind: ConfigMap` may say."""

GROUP_FIELDS = ("apiGroup", "group", "apiVersion")


class Form(Enum):
    """How a field holds the name."""

    HOLDER = auto()
    """In the `name` of a mapping, or of each mapping in a list."""

    NAME = auto()
    """As its own text, or each text of a list."""


class Word(NamedTuple):
    """What the name of a field says, by which rule."""

    kind: str
    form: Form
    rule: Rule
    written: bool = False


_RULES = {Form.HOLDER: "name in {}", Form.NAME: "{}"}


def _word(kind: str, form: Form, field: str, *, written: bool = False) -> Word:
    return Word(kind, form, Rule(By.SHAPE, _RULES[form].format(field)), written)


# Ends of field names, in whatever case, a plural `s` taken off. The first that fits wins.
_ENDS = {
    end.lower(): _word(kind, form, f"*{end}")
    for kind, form, ends in (
        ("Secret", Form.NAME, ("SecretName", "-secret-name")),
        ("ConfigMap", Form.NAME, ("ConfigMapName",)),
        (
            "ConfigMap",
            Form.HOLDER,
            ("ConfigMap", "ConfigMapRef", "ConfigMapKeyRef", "ConfigMapReference", "ConfigMapTargetRef"),
        ),
        (
            "Secret",
            Form.HOLDER,
            ("Secret", "SecretRef", "SecretKeyRef", "SecretReference", "SecretTargetRef", "SecretKey"),
        ),
    )
    for end in ends
}

_EXACT = {
    field: _word(kind, form, field, written=written)
    for field, kind, form, written in (
        # Gateway API: the kind may be left out here.
        ("certificateRefs", "Secret", Form.HOLDER, False),
        ("clientCertificateRef", "Secret", Form.HOLDER, False),
        ("caCertificateRefs", "ConfigMap", Form.HOLDER, False),
        # KubeVela's volumes
        ("cmName", "ConfigMap", Form.NAME, False),
        # The Secrets Store CSI driver's volumes
        ("secretProviderClass", "SecretProviderClass", Form.NAME, False),
        # Crossplane writes connection details, Strimzi a list of offsets.
        ("writeConnectionSecretToRef", "Secret", Form.HOLDER, True),
        ("publishConnectionDetailsTo", "Secret", Form.HOLDER, True),
        ("toConfigMap", "ConfigMap", Form.HOLDER, True),
    )
}

NAMED_BY_TYPE = "caProvider"
"""External Secrets says `type: ConfigMap` where others say `kind`."""

PASSED_OVER = frozenset({"labels", "annotations", "matchLabels", "ownerReferences", "openAPIV3Schema"})
"""Mappings without references, in any object. (`annotations.py` knows the annotations that are references.)"""

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
