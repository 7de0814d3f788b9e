"""What a plain value has to be, or the configuration is invalid."""

import re
from collections.abc import Collection, Iterable
from difflib import get_close_matches
from typing import NoReturn, TypeAlias

from krm_fn.model.node import Node, Scalar, fields, is_mapping, is_null, is_scalar

Plain: TypeAlias = "str | bool | int | float | list[Plain] | dict[str, Plain] | None"


class Invalid(Exception):
    """The schema does not allow this; it is for the schema to say why."""


def a_mapping(value: Plain, allowed: Collection[str] | None = None) -> dict[str, Plain]:
    """With no other fields than those allowed."""
    if not isinstance(value, dict) or (allowed is not None and not value.keys() <= set(allowed)):
        refuse()
    return value


def a_list(value: Plain) -> list[Plain]:
    return value if isinstance(value, list) else refuse()


def a_filled_list(value: Plain) -> list[Plain]:
    return a_list(value) or refuse()


def a_text(value: Plain) -> str:
    return value if isinstance(value, str) else refuse()


def filled_text(value: Plain) -> str:
    return a_text(value) or refuse()


def texts(value: Plain) -> dict[str, str]:
    return {key: a_text(text) for key, text in a_mapping(value).items()}


def a_boolean(value: Plain) -> bool:
    return value if isinstance(value, bool) else refuse()


def a_number(value: Plain, minimum: int | None = None, maximum: int | None = None) -> int:
    """A whole one. `1.0` is one as well, says JSON Schema."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if not isinstance(value, int) or isinstance(value, bool):
        refuse()
    if (minimum is not None and value < minimum) or (maximum is not None and value > maximum):
        refuse()
    return value


def one_of(value: Plain, allowed: Collection[str]) -> str:
    text = a_text(value)
    return text if text in allowed else refuse()


def refuse() -> NoReturn:
    raise Invalid


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


def suggest(found: str, allowed: Iterable[str]) -> str:
    """`; did you mean "rename"? allowed: rename, adopt, checksum, ignore`, the question only for a near miss."""
    names = list(allowed)
    near = get_close_matches(found, names, n=1, cutoff=0.7)
    question = f'did you mean "{near[0]}"? ' if near else ""
    return f"; {question}allowed: {', '.join(names)}"
