"""The hash kustomize appends to the name of a ConfigMap or Secret, bit for bit.

What it covers is what kustomize's hasher covers: never the name, labels, annotations, `immutable`, a ConfigMap's
`stringData` or a Secret's `binaryData`. `data` that is missing, null or any other scalar enters as its raw text,
and a list as null.

One thing is not copied: kustomize changes some folded text (`>`) before it hashes and writes it, so that two
contents may become one. Here the hash is of what the author wrote.
"""

from hashlib import sha256

from krm_fn.model.go_json import JsonValue, go_json
from krm_fn.model.hashed_value import Unhashable, read_fields, read_value
from krm_fn.model.node import Node, entries, is_mapping, is_scalar, text

_LENGTH = 10

# Vowels could spell a word, and 0, 1 and 3 look like letters.
_ALPHABET = str.maketrans("013ae", "ghkmt")

_ALWAYS = {"ConfigMap": ("data",), "Secret": ("type", "data")}
_UNLESS_SCALAR = {"ConfigMap": "binaryData", "Secret": "stringData"}


def content_hash(item: Node) -> str:
    """Ten characters. Raises Unhashable for content that kustomize cannot hash either."""
    return short_digest(go_json(_content(item)))


def short_digest(text: str) -> str:
    """Ten characters that look like no word."""
    return sha256(text.encode()).hexdigest()[:_LENGTH].translate(_ALPHABET)


def _content(item: Node) -> dict[str, JsonValue]:
    fields = dict(entries(item))
    kind = text(fields.get("kind"))
    if kind not in _ALWAYS:
        raise Unhashable(field="kind", message="expected ConfigMap or Secret")
    content: dict[str, JsonValue] = {"kind": kind, "name": ""}
    for name in _ALWAYS[kind]:
        content[name] = _read_field(fields.get(name), name)
    extra = _UNLESS_SCALAR[kind]
    if extra in fields and not is_scalar(fields[extra]):
        content[extra] = _read_field(fields[extra], extra)
    return content


def _read_field(node: Node | None, name: str) -> JsonValue:
    if node is None:
        return ""
    if is_scalar(node):
        return node.value
    if is_mapping(node):
        return read_fields(node, name)
    read_value(node, name)  # nothing of a list enters, but what is in it can still be unhashable
    return None
