"""Which fields of an object may hold a Secret's value, or a digest of one, and so are never shown."""

from collections.abc import Mapping

from krm_fn.model import keys
from krm_fn.model.deployers import KAPP_VERSIONED, NEEDS_HASH_SUFFIX, PROTECTIONS, SPINNAKER_VERSIONED
from krm_fn.model.makers import VERSIONED_NAMES
from krm_fn.model.node import FieldPath, Node, is_mapping, text

_SECRET = "Secret"  # noqa: S105  # the name of a kind
_VALUES = ("data", "stringData", "binaryData")

_IN_MAKERS = (*_VALUES, "encryptedData")
"""Where makers of Secrets hold ciphertext, or templates with values in them. A list of this name holds references."""

_OPEN_FIELDS = ("apiVersion", "kind", "type", "immutable")
_OPEN_METADATA = ("name", "namespace", "labels")
_OPEN_ANNOTATIONS = {
    KAPP_VERSIONED,
    NEEDS_HASH_SUFFIX,
    SPINNAKER_VERSIONED,
    *(one.annotation for protections in PROTECTIONS.values() for one in protections),
}

_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"
"""Annotation by `kubectl apply`: the whole object, and so the values of a Secret."""

_DIGESTS = ("checksum", "digest", "hash")
"""Words in the name of an annotation whose value is a digest of content, as in `checksum/config`."""


def is_hidden(kind: str, path: FieldPath, around: Mapping[str, Node]) -> bool:
    """Tell whether a field is never shown, with all that is below it. Ask for each field on the way.

    `kind` is that of the object. `around` are the fields of the mapping that the field is in: it may be a Secret within
    another object, such as a template.
    """
    *above, name = path
    if kind == _SECRET and not _is_open(path, around):
        return True
    if above and name in _VALUES and text(around.get("kind")) == _SECRET:
        return True
    if kind in VERSIONED_NAMES and (path == ("sops",) or (name in _IN_MAKERS and is_mapping(around.get(str(name))))):
        return True
    return above[-1:] == ["annotations"] and isinstance(name, str) and _is_hidden_annotation(name)


def _is_open(path: FieldPath, around: Mapping[str, Node]) -> bool:
    """Tell whether a field of a Secret says nothing about its values."""
    match path:
        case ("metadata",) | ("metadata", "annotations"):
            return is_mapping(around.get(str(path[-1])))  # each field in it is asked about
        case ("metadata", "annotations", str(annotation), *_):
            return annotation in _OPEN_ANNOTATIONS or annotation.startswith(keys.PREFIX)
        case ("metadata", name, *_):
            return name in _OPEN_METADATA
    return path[0] in _OPEN_FIELDS


def _is_hidden_annotation(name: str) -> bool:
    return name == _APPLIED or any(word in name.lower() for word in _DIGESTS)
