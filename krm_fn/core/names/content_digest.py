"""Compute a digest of the content that pods get from a ConfigMap or Secret.

It covers the bytes of each key, whatever YAML they are written in. It is in annotations of pod
templates: if the digest of the same content ever changed, every workload would restart.
"""

from base64 import b64decode
from binascii import Error
from collections.abc import Mapping
from hashlib import sha256
from itertools import chain
from types import MappingProxyType

from krm_fn.base.node import Node, entries, get, is_mapping, is_scalar, text

_TEXT = {"ConfigMap": "data", "Secret": "stringData"}
_BASE64 = {"ConfigMap": "binaryData", "Secret": "data"}


def content_digest(
    item: Node, keys: frozenset[str] | None = None, texts: Mapping[Node, str] = MappingProxyType({})
) -> str:
    """Return a hexadecimal digest of the given keys, or of all.

    A missing key differs from an empty one.

    `texts`: the new values of scalars that are about to change.
    """
    content = read_content(item, texts)
    digest = sha256()
    for key in sorted(content if keys is None else keys):
        value = content.get(key)
        # With its length in front of each part, no two contents run together into the same bytes.
        for part in (key.encode(), b"" if value is None else b"=" + value):
            digest.update(b"%d:%b" % (len(part), part))
    return digest.hexdigest()


def read_content(item: Node, texts: Mapping[Node, str] = MappingProxyType({})) -> dict[str, bytes]:
    """Return the bytes of each key.

    Fields are merged as the API server does: a Secret's `stringData` wins.
    """
    kind = text(get(item, "kind"))
    content = {key: _decode(value) for key, value in entries(get(item, _BASE64[kind]))}
    for key, value in entries(get(item, _TEXT[kind])):
        content[key] = texts[value].encode() if value in texts else _encode(value)
    return content


def _decode(value: Node) -> bytes:
    """Decode base64. Anything else, such as a placeholder that is replaced later, counts as it is."""
    written = _encode(value)
    try:
        return b64decode(written.replace(b"\r", b"").replace(b"\n", b""), validate=True)
    except Error:
        return written


def _encode(value: Node) -> bytes:
    """Encode text. The API server accepts nothing else, but other values still make a difference."""
    if is_scalar(value):
        return text(value).encode()
    parts = chain.from_iterable(value.value) if is_mapping(value) else value.value
    return b"".join(b"%d:%b" % (len(part), part) for part in map(_encode, parts))
