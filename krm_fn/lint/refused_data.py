"""Find data that no API server accepts. A message about a Secret has its keys, and no values.

The limits are those of `ValidateConfigMap` and `ValidateSecret` in pkg/apis/core/validation.
Observed with Kubernetes 1.36: null is accepted, and base64 may be folded, but not unpadded.
"""

import re
from collections.abc import Collection, Iterator

from krm_fn.base.go_yaml import is_base64, is_boolean_word, is_plainly_text, read_scalar, unfold
from krm_fn.base.item import IS_ENCODED, Item, collect, is_encrypted, warning
from krm_fn.base.kind import DEPLOYERS
from krm_fn.base.node import (
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
from krm_fn.base.problem import Problems, Severity, and_others
from krm_fn.core.decide.run import Run
from krm_fn.core.names.names import authored_id
from krm_fn.guards.guards import is_placeholder

_KEY = re.compile(r"(?!\.\Z|\.\.)[-._a-zA-Z0-9]{1,253}")
_NO_KEY = (
    'the API server refuses this key; allowed: up to 253 letters, digits, "-", "_" and ".", but neither "." alone nor '
    '".." at the beginning'
)
_TWICE = "the key is in data as well: the API server refuses it; remove one of them"
_BOOLEAN = (
    "found yes, no, on, off, y or n without quotes, expected text: kubectl, Argo CD and Helm read a boolean, which the "
    "API server refuses; put it in quotes"
)

_MOST_BYTES = 1024 * 1024
_MOST_BYTES_OF_A_CHARACTER = 4


def warn_about_refused_data(run: Run) -> Problems:
    """Warn about keys and values that no API server accepts, without the value: it may be a Secret's.

    One message is for all keys of an object that are wrong in the same way.
    """
    deployers = run.settings.deployers
    are_words_text = bool(deployers) and all(
        DEPLOYERS[name].keeps_boolean_words for name in deployers
    )
    errors = [problem for problem in run.revisions.problems if problem.severity is Severity.ERROR]
    without_hash = {(problem.node, problem.field) for problem in errors}
    for item in run.package.configs:
        if not item.is_config:
            continue
        wrong = collect(
            (message, field)
            for field, message in _judge(item, are_words_text=are_words_text)
            if (item.node, field) not in without_hash
        )
        for message, (field, *others) in wrong.items():
            whole = message + and_others(others)
            yield warning(item, whole, field, authored_id(item))


def _judge(item: Item, *, are_words_text: bool) -> Iterator[tuple[str, str]]:
    """Yield each field that is wrong, and what is wrong with it.

    An object that SOPS encrypts is judged by its keys alone.
    """
    kind, is_readable = item.id.kind, not is_encrypted(item)
    values: dict[str, tuple[Node, bool]] = {}
    for name, is_encoded in IS_ENCODED[kind].items():
        data = get(item.node, name)
        is_open = is_scalar(data) and is_placeholder(data.value)
        if data is not None and not (is_mapping(data) or is_null(data) or is_open):
            yield name, f"found {describe(data)}, expected a mapping: the API server refuses it"
        for key, value in entries(data):
            field = step(name, key)
            if not _KEY.fullmatch(key) and not is_placeholder(key):
                yield field, _NO_KEY
            if key in values and kind == "ConfigMap":
                yield field, _TWICE
            if is_readable:
                wrong = _judge_text(value, are_words_text=are_words_text)
                if is_encoded:
                    wrong = "" if _is_bytes(value) else wrong or _judge_encoded(value, kind)
                if wrong:
                    yield field, wrong
            # Of a Secret's key in both fields, only that of stringData counts.
            values[key] = value, is_encoded
    size = _size(values.values()) if is_readable else 0
    if size > _MOST_BYTES:
        yield (
            "",
            f"its data has {size} bytes, allowed: {_MOST_BYTES} (1 MiB): the API server refuses it; split it",
        )


def _judge_text(value: Node, *, are_words_text: bool) -> str:
    """Say why a value is no text; `""` for text, and for null, which is read as empty text."""
    if is_plainly_text(value):
        if are_words_text or not is_boolean_word(value):
            return ""
        return _BOOLEAN
    if is_null(value):
        return ""
    found, remedy = describe(value), ""
    if is_scalar(value):
        found, remedy = _describe(value), "; put it in quotes"
    return f"found {found}, expected text: the API server refuses it{remedy}" if found else ""


def _describe(value: Scalar) -> str:
    """Say what a scalar is, `""` for text."""
    try:
        read = read_scalar(value)
    except ValueError:  # infinity, in an object that has no hash
        return "a number"
    if isinstance(read, bool):
        return "a boolean"
    return "a number" if isinstance(read, float) else ""


def _judge_encoded(value: Node, kind: str) -> str:
    """Say that a text is not base64; `""` if it is, or if something may still replace it."""
    if (
        not is_scalar(value)
        or value.tag is not None
        or is_base64(value.value)
        or is_placeholder(value.value)
    ):
        return ""
    other = "stringData" if kind == "Secret" else "data"
    return f"found text that is not base64: the API server refuses it; encode it, or move it to {other}"


def _is_bytes(value: Node) -> bool:
    """Tell whether it is a list of numbers, which the API server reads as bytes."""
    return is_sequence(value) and all(
        is_null(one) or (is_scalar(one) and _describe(one) == "a number") for one in value.value
    )


def _size(values: Collection[tuple[Node, bool]]) -> int:
    """Return how many bytes the values have; 0 where even the longest characters could not make too many."""
    texts = [(value.value, is_encoded) for value, is_encoded in values if is_scalar(value)]
    if sum(len(one) for one, _ in texts) * _MOST_BYTES_OF_A_CHARACTER <= _MOST_BYTES:
        return 0
    return sum(
        _decoded_size(one) if is_encoded else len(one.encode(errors="replace"))
        for one, is_encoded in texts
    )


def _decoded_size(encoded: str) -> int:
    digits = unfold(encoded)
    return len(digits) * 3 // 4 - digits[-2:].count("=")
