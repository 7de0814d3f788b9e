"""A field of a ConfigMap or Secret as the values that kustomize's hasher makes of it: what JSON can hold."""

from krm_fn.model.go_json import JsonValue
from krm_fn.model.node import Mapping, Node, Scalar, is_mapping, is_merge, is_null, is_scalar, is_sequence
from krm_fn.model.yaml_scalar import is_plainly_text, is_text, read_scalar

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
