"""The hash kustomize appends to the name of a ConfigMap or Secret, bit for bit.

It covers what kustomize's hasher covers: never the name, labels, annotations, `immutable`, a
ConfigMap's `stringData` or a Secret's `binaryData`. If `data` is missing, null or another scalar,
its raw text is hashed; a list is hashed as null.

There is one difference: kustomize changes some folded text (`>`) before it hashes and writes it, so
that two contents may get one hash. Here the hash is that of the text which the author wrote.
"""

import math
from collections.abc import Mapping as Dict
from hashlib import sha256
from json.encoder import encode_basestring
from types import MappingProxyType
from typing import TypeAlias

from krm_fn.base.go_yaml import is_plainly_text, is_text, read_scalar
from krm_fn.base.node import (
    Mapping,
    Node,
    Scalar,
    entries,
    fields,
    is_mapping,
    is_merge,
    is_null,
    is_scalar,
    is_sequence,
    text,
)
from krm_fn.base.problem import UNRENDERED

JsonValue: TypeAlias = bool | float | str | list["JsonValue"] | dict[str, "JsonValue"] | None
"""Go decodes every JSON number to a float."""

# Go makes its JSON safe inside HTML and JavaScript. None of these occurs outside a string.
_ESCAPES = tuple((character, f"\\u{ord(character):04x}") for character in "<>&\u2028\u2029")

_LENGTH = 10

# Without vowels it cannot spell a word; 0, 1 and 3 look like letters.
_ALPHABET = str.maketrans("013ae", "ghkmt")

_ALWAYS = {"ConfigMap": ("data",), "Secret": ("type", "data")}
_UNLESS_SCALAR = {"ConfigMap": "binaryData", "Secret": "stringData"}
_MERGE = "<<"


def go_json(value: JsonValue) -> str:
    """Write JSON without blanks.

    Keys are sorted by code points, which is the order of their UTF-8 bytes.
    """
    text = _encode(value)
    for character, escape in _ESCAPES:
        text = text.replace(character, escape)
    return text


def _encode(value: JsonValue) -> str:
    # No comprehensions: this takes one frame for each level of nesting.
    if isinstance(value, str):
        return encode_basestring(value)
    if isinstance(value, dict):
        members = []
        for name, member in sorted(value.items()):
            text = encode_basestring(member) if isinstance(member, str) else _encode(member)
            members.append(f"{encode_basestring(name)}:{text}")
        return f"{{{','.join(members)}}}"
    if isinstance(value, list):
        return f"[{','.join(map(_encode, value))}]"
    if isinstance(value, float):
        return _number(value)
    if value is None:
        return "null"
    return "true" if value else "false"


def _number(value: float) -> str:
    """Write the shortest digits that read back as this float.

    Only below 1e-6 and from 1e21 they have an exponent.
    """
    if value == 0:
        return "-0" if math.copysign(1, value) < 0 else "0"
    shortest = repr(value)
    if 1e-6 <= abs(value) < 1e21:  # noqa: PLR2004  # the docstring names them
        from decimal import Decimal

        return format(Decimal(shortest).normalize(), "f")
    return shortest.replace("e-0", "e-")


def content_hash(item: Node, texts: Dict[Node, str] = MappingProxyType({})) -> str:
    """Return ten characters. Raises Unhashable for content that kustomize cannot hash either.

    `texts`: the new values of scalars in `data` and its like that are about to change.
    """
    content = _content(item)
    if texts:
        for field, value in content.items():
            if isinstance(value, dict):
                written = entries(fields(item).get(field))
                changed = {key: texts[node] for key, node in written if node in texts}
                content[field] = {**value, **changed}
    return short_digest(go_json(content))


def hashed_keys(item: Node) -> dict[str, tuple[str, ...]]:
    """Return the fields that the hash covers, each with its keys. Raises Unhashable.

    A field that is text, or no mapping at all, has none.
    """
    own = {name: value for name, value in _content(item).items() if name not in {"kind", "name"}}
    return {
        name: tuple(value) if isinstance(value, dict) else ()
        for name, value in own.items()
        if name in fields(item) and value != ""
    }


class Unhashable(ValueError):
    """A field that cannot be hashed, and why, never its value.

    In nearly all cases kustomize cannot hash it either.
    """

    def __init__(self, field: str, message: str) -> None:
        super().__init__(f"{field}: {message}")
        self.field = field
        self.message = message


def short_digest(text: str) -> str:
    """Return ten characters that look like no word."""
    return sha256(text.encode()).hexdigest()[:_LENGTH].translate(_ALPHABET)


def _content(item: Node) -> dict[str, JsonValue]:
    top = fields(item)
    kind = text(top.get("kind"))
    if kind not in _ALWAYS:
        raise Unhashable(field="kind", message="expected ConfigMap or Secret")
    # kustomize looks `metadata/name` up as one key, which no object has: its hash never covers the
    # name.
    content: dict[str, JsonValue] = {"kind": kind, "name": ""}
    for name in _ALWAYS[kind]:
        content[name] = _read_field(top.get(name), name)
    extra = _UNLESS_SCALAR[kind]
    if extra in top and not is_scalar(top[extra]):
        content[extra] = _read_field(top[extra], extra)
    return content


def _read_field(node: Node | None, name: str) -> JsonValue:
    if node is None:
        return ""  # also for the type of a Secret, which kustomize does not take for Opaque
    if is_scalar(node):
        return node.value
    if is_mapping(node):
        return read_data(node, name)
    # A list is hashed as null, but kustomize still fails at an unhashable value in it.
    read_value(node, name)
    return None


def read_data(node: Mapping, field: str) -> dict[str, JsonValue]:
    """Read `data` or a field like it.

    A key may look like a number or a date here: its raw text is the name.
    """
    # Base64 too is hashed as it is written, with its line breaks: kustomize decodes nothing.
    texts: dict[str, JsonValue] = {
        key.value: child.value
        for key, child in node.value
        if is_plainly_text(key) and is_plainly_text(child)
    }
    if len(texts) == len(node.value) and _MERGE not in texts:
        return texts
    in_flow = node.flow_style
    return {
        name: read_value(child, f"{field}.{name}", in_flow=in_flow)
        for name, (_, child) in _fields(node, field).items()
    }


def read_value(node: Node, field: str, *, in_flow: bool = False) -> JsonValue:
    """Read a value inside `data`: in most cases text, but all of YAML is possible.

    The hasher writes YAML and reads it again. Inside `{}` and `[]` its writer adds quotes to a
    value that is empty or has a colon, which turns an empty null and a time of day into text.
    """
    # No comprehensions: this takes one frame for each level of nesting.
    if is_scalar(node):
        if in_flow and node.tag is None and (not node.value or ":" in node.value):
            return node.value
        try:
            return read_scalar(node)
        except ValueError as error:
            raise Unhashable(field, str(error)) from error
    in_flow = in_flow or ((is_mapping(node) or is_sequence(node)) and node.flow_style)
    if is_mapping(node):
        values: dict[str, JsonValue] = {}
        for name, (key, child) in _fields(node, field).items():
            if name and not is_text(key):
                raise Unhashable(field, f"key {name} is not text; quote it")
            values[name] = read_value(child, f"{field}.{name}", in_flow=in_flow)
        return values
    elements: list[JsonValue] = []
    for index, child in enumerate(node.value):
        elements.append(read_value(child, f"{field}[{index}]", in_flow=in_flow))
    return elements


def _fields(node: Mapping, field: str) -> dict[str, tuple[Scalar, Node]]:
    """Return key and value by name.

    Own fields win over merged ones, earlier merges over later ones.
    """
    fields: dict[str, tuple[Scalar, Node]] = {}
    merged: list[Node] = []
    for key, value in node.value:
        if not is_scalar(key):
            raise Unhashable(
                field, UNRENDERED if is_mapping(key) else "a key is a list, expected text"
            )
        name = key.value
        if name in fields:
            raise Unhashable(field, f"duplicate key {name}")
        if is_merge(key):
            merged = value.value if is_sequence(value) else [value]
        elif key.tag is not None and not is_text(key):
            raise Unhashable(field, f"key {name} has a tag, expected plain text")
        elif name and is_null(key):
            raise Unhashable(field, f"key {name} is null; quote it")
        elif name != _MERGE:  # in quotes it merges nothing, but kustomize drops it nevertheless
            fields[name] = (key, value)
    for source in merged:
        if not is_mapping(source):
            raise Unhashable(field, "`<<` expects a mapping or a list of mappings")
        fields = _fields(source, field) | fields
    return fields
