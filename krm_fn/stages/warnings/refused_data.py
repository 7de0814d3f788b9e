"""Data of ConfigMaps and Secrets that no API server accepts, whoever applies it.

Observed with Kubernetes 1.36: null is accepted, and base64 may be folded, but not unpadded. The limits are those of
`ValidateConfigMap` and `ValidateSecret` in pkg/apis/core/validation.
"""

import re
from collections.abc import Collection, Iterator

from krm_fn.model.deployers import DEPLOYERS
from krm_fn.model.item import Item, about
from krm_fn.model.node import (
    Node,
    Scalar,
    describe,
    entries,
    get,
    is_mapping,
    is_null,
    is_scalar,
    is_sequence,
    step,
)
from krm_fn.model.problem import Problem, Severity
from krm_fn.naming.go_yaml import is_base64, is_plainly_text, read_scalar, unfold
from krm_fn.naming.names import authored_id
from krm_fn.stages.name import Revisions
from krm_fn.stages.package import Package
from krm_fn.stages.sops import is_encrypted
from krm_fn.stages.warnings.objects import is_placeholder

_FIELDS = {
    "ConfigMap": {"data": False, "binaryData": True},
    "Secret": {"data": True, "stringData": False},
}
"""The fields with data, and whether their values are base64. A key of `stringData` wins over the same one of `data`."""

_KEY = re.compile(r"(?!\.\Z|\.\.)[-._a-zA-Z0-9]{1,253}")
_MOST_BYTES = 1024 * 1024
_MOST_BYTES_OF_A_CHARACTER = 4

BOOLEAN_WORDS = frozenset(
    word for text in ("y", "yes", "on", "n", "no", "off") for word in (text, text.capitalize(), text.upper())
)
"""Words that sigs.k8s.io/yaml reads as booleans, and the YAML of kustomize and kpt as text."""


_WRONG_KEY = (
    'the API server refuses this key; allowed: up to 253 letters, digits, "-", "_" and ".", but neither "." alone nor '
    '".." at the beginning'
)
_WORD = (
    "found yes, no, on, off, y or n without quotes, expected text: kubectl, Argo CD and Helm read a boolean, which the "
    "API server refuses; put it in quotes"
)


def find_refused_data(package: Package, revisions: Revisions, deployers: Collection[str]) -> Iterator[Problem]:
    """Warn about each key and value, without the value: it may be a Secret's."""
    are_words_text = bool(deployers) and all(DEPLOYERS[name].keeps_boolean_words for name in deployers)
    errors = [problem for problem in revisions.problems if problem.severity is Severity.ERROR]
    said = {(problem.node, problem.field) for problem in errors}  # what has no hash
    for item in package.configs:
        for field, message in _judge(item, are_words_text=are_words_text) if item.is_config else ():
            if (item.node, field) not in said:
                yield about(item, message, field, Severity.WARNING)._replace(resource=authored_id(item))


def _judge(item: Item, *, are_words_text: bool) -> Iterator[tuple[str, str]]:
    """Yield each field that is wrong, and what is wrong with it. Of what SOPS encrypts, only keys are judged."""
    held: dict[str, tuple[Node, bool]] = {}
    is_readable = not is_encrypted(item)
    for name, is_encoded in _FIELDS[item.id.kind].items():
        data = get(item.node, name)
        if data is not None and not is_mapping(data) and not is_null(data):
            yield name, f"found {describe(data)}, expected a mapping: the API server refuses it"
        for key, value in entries(data):
            field = step(name, key)
            if not _KEY.fullmatch(key) and not is_placeholder(key):
                yield field, _WRONG_KEY
            if key in held and item.id.kind == "ConfigMap":
                yield field, "the key is in data as well: the API server refuses it; remove one of them"
            held[key] = value, is_encoded
            wrong = _judge_value(value, are_words_text=are_words_text) if is_readable else ""
            if is_encoded and is_readable:
                wrong = "" if _is_bytes(value) else wrong or _judge_encoded(value, item.id.kind)
            if wrong:
                yield field, wrong
    if is_readable and (size := _size(held.values())) > _MOST_BYTES:
        yield "", f"its data has {size} bytes, allowed: {_MOST_BYTES} (1 MiB): the API server refuses it; split it"


def _judge_value(value: Node, *, are_words_text: bool) -> str:
    """Say why a value is no text; `""` for text, and for null, which is read as empty text."""
    if is_plainly_text(value):
        is_word = not value.style and value.value in BOOLEAN_WORDS
        return _WORD if is_word and not are_words_text else ""
    found = describe(value) if not is_scalar(value) else "" if is_null(value) else _describe(value)
    remedy = "; put it in quotes" if is_scalar(value) else ""
    return f"found {found}, expected text: the API server refuses it{remedy}" if found else ""


def _describe(value: Scalar) -> str:
    """Say what a scalar is, `""` for text."""
    try:
        read = read_scalar(value)
    except ValueError:  # infinity, in an object that has no hash
        return "a number"
    return "a boolean" if isinstance(read, bool) else "a number" if isinstance(read, float) else ""


def _judge_encoded(value: Node, kind: str) -> str:
    """Say that a text is not base64; `""` if it is, or if something may still replace it."""
    if not is_scalar(value) or value.tag is not None or is_base64(value.value) or is_placeholder(value.value):
        return ""
    other = "stringData" if kind == "Secret" else "data"
    return f"found text that is not base64: the API server refuses it; encode it, or move it to {other}"


def _is_bytes(value: Node) -> bool:
    """Tell whether it is a list of numbers, which the API server reads as bytes."""
    return is_sequence(value) and all(
        is_null(one) or (is_scalar(one) and _describe(one) == "a number") for one in value.value
    )


def _size(held: Collection[tuple[Node, bool]]) -> int:
    """Return how many bytes the values have, as far as it matters."""
    texts = [(value.value, is_encoded) for value, is_encoded in held if is_scalar(value)]
    if sum(len(text) for text, _ in texts) * _MOST_BYTES_OF_A_CHARACTER <= _MOST_BYTES:
        return 0
    return sum(_decoded_size(text) if is_encoded else len(text.encode(errors="replace")) for text, is_encoded in texts)


def _decoded_size(text: str) -> int:
    digits = unfold(text)
    return len(digits) * 3 // 4 - digits[-2:].count("=")
