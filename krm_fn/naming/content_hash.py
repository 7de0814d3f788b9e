"""The hash kustomize appends to the name of a ConfigMap or Secret, bit for bit.

What it covers is what kustomize's hasher covers: never the name, labels, annotations, `immutable`, a ConfigMap's
`stringData` or a Secret's `binaryData`. `data` that is missing, null or any other scalar enters as its raw text,
and a list as null.

One thing is not copied: kustomize changes some folded text (`>`) before it hashes and writes it, so that two
contents may become one. Here the hash is of what the author wrote.
"""

import json
from collections.abc import Mapping as Dict
from hashlib import sha256

from krm_fn.model.changes import Value
from krm_fn.model.node import (
    Mapping,
    Node,
    Scalar,
    entries,
    is_mapping,
    is_merge,
    is_null,
    is_scalar,
    is_sequence,
    text,
)
from krm_fn.naming.go_json import JsonValue, go_json
from krm_fn.naming.go_yaml import is_plainly_text, is_text, read_scalar

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


_MERGE = "<<"


class Unhashable(ValueError):
    """Content without a hash, nearly always in kustomize as well: which field and why, never what it holds."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(f"{field}: {message}")
        self.field = field
        self.message = message


def read_fields(node: Mapping, field: str) -> dict[str, JsonValue]:
    """`data` and its like. A key may be a number or a date here: its raw text is the name."""
    texts: dict[str, JsonValue] = {
        key.value: child.value for key, child in node.value if is_plainly_text(key) and is_plainly_text(child)
    }
    if len(texts) == len(node.value) and _MERGE not in texts:
        return texts
    in_flow = node.flow_style
    return {
        name: read_value(child, f"{field}.{name}", in_flow=in_flow) for name, (_, child) in _fields(node, field).items()
    }


def read_value(node: Node, field: str, *, in_flow: bool = False) -> JsonValue:
    """What is inside `data`: text as a rule, but all of YAML is possible.

    The hasher writes YAML and reads it again. Inside `{}` and `[]` its writer puts quotes around what is empty
    or has a colon, which makes text of a blank null and of a time of day.
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
    """Key and value by name. A mapping's own fields win over merged ones, earlier merges over later ones."""
    fields: dict[str, tuple[Scalar, Node]] = {}
    merged: list[Node] = []
    for key, value in node.value:
        if not is_scalar(key):
            raise Unhashable(field, "a key is a list or a mapping, expected text")
        name = key.value
        if name in fields:
            raise Unhashable(field, f"key {name} is there twice")
        if is_merge(key):
            merged = value.value if is_sequence(value) else [value]
        elif key.tag is not None and not is_text(key):
            raise Unhashable(field, f"key {name} has a tag, expected plain text")
        elif name and is_null(key):
            raise Unhashable(field, f"key {name} is null; quote it")
        elif name != _MERGE:  # with quotes it merges nothing, but kustomize drops it all the same
            fields[name] = (key, value)
    for source in merged:
        if not is_mapping(source):
            raise Unhashable(field, "`<<` merges what is not a mapping")
        fields = _fields(source, field) | fields
    return fields


MAX_JOB_NAME = 63
"""A Job's name becomes a label of its pods."""


def content_name(base: str, ending: str, content: Dict[str, Value]) -> str:
    """`<base><ending>-<ten characters>`, the base cut short where it would not fit."""
    tail = f"{ending}-{short_digest(json.dumps(content, sort_keys=True))}"
    return base[: MAX_JOB_NAME - len(tail)].rstrip("-.") + tail
