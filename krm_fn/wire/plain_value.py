"""Nodes as plain values, resolved as YAML 1.2 does: what a Kubernetes tool would make of them."""

import re
from typing import TypeAlias

from krm_fn.model.node import Node, Scalar, fields, is_mapping, is_null, is_scalar

Plain: TypeAlias = "str | bool | int | float | list[Plain] | dict[str, Plain] | None"

_INTEGER = re.compile(r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+")
_OCTAL = re.compile(r"[-+]?0[0-7]+")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?|[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)")
_BOOLEANS = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}


def plain_value(node: Node) -> Plain:
    """The value of a node. A field that says null is left out, as it means its default."""
    if is_scalar(node):
        return _scalar(node)
    if is_mapping(node):
        return {key: plain_value(value) for key, value in fields(node).items() if not is_null(value)}
    return [plain_value(child) for child in node.value]


def _scalar(node: Scalar) -> Plain:
    if is_null(node):
        return None
    if node.style or (node.tag is not None and node.tag.endswith(":str")):
        return node.value
    if node.value in _BOOLEANS:
        return _BOOLEANS[node.value]
    if _OCTAL.fullmatch(node.value):  # as Kubernetes' tools read it, and people write the modes of files
        return int(node.value, 8)
    if _INTEGER.fullmatch(node.value):
        return int(node.value, 0) if node.value[:2] in ("0o", "0x") else int(node.value)
    return float(node.value.replace(".inf", "inf").replace(".nan", "nan")) if _is_float(node.value) else node.value


def _is_float(text: str) -> bool:
    return bool(_FLOAT.fullmatch(text))
