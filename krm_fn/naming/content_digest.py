"""A digest of what pods get from a ConfigMap or Secret: bytes by key, however they are written down.

Names in the cluster do not depend on it; the annotations on pod templates do, so that another digest for the same
content rolls every workload.
"""

from base64 import b64decode
from binascii import Error
from hashlib import sha256

from krm_fn.model.node import Node, entries, get, is_mapping, is_scalar, text

_TEXT = {"ConfigMap": "data", "Secret": "stringData"}
_BASE64 = {"ConfigMap": "binaryData", "Secret": "data"}


def content_digest(item: Node, keys: frozenset[str] | None = None) -> str:
    """In hexadecimal, of the given keys or of all. A key that is missing is not a key that is empty."""
    content = _content(item)
    digest = sha256()
    for key in sorted(content if keys is None else keys):
        value = content.get(key)
        for part in (key.encode(), b"" if value is None else b"=" + value):
            digest.update(b"%d:%b" % (len(part), part))
    return digest.hexdigest()


def _content(item: Node) -> dict[str, bytes]:
    """As the API server merges the fields: a Secret's `stringData` wins."""
    kind = text(get(item, "kind"))
    content = {key: _decode(value) for key, value in entries(get(item, _BASE64[kind]))}
    return content | {key: _encode(value) for key, value in entries(get(item, _TEXT[kind]))}


def _decode(value: Node) -> bytes:
    """The bytes behind base64. What is none, a placeholder that is filled in later, counts as it stands."""
    written = _encode(value)
    try:
        return b64decode(written.replace(b"\r", b"").replace(b"\n", b""), validate=True)
    except Error:
        return written


def _encode(value: Node) -> bytes:
    """The text. The API server takes nothing else; what is there instead still makes a difference."""
    if is_scalar(value):
        return text(value).encode()
    parts = [part for pair in value.value for part in pair] if is_mapping(value) else value.value
    return b"".join(b"%d:%b" % (len(part), part) for part in map(_encode, parts))
