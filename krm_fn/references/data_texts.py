"""The texts that a ConfigMap or Secret holds as data."""

from base64 import b64decode
from binascii import Error
from collections.abc import Iterator
from typing import NamedTuple

from krm_fn.model.item import Item
from krm_fn.model.node import Scalar, entries, get, is_scalar, step

_DATA = ("data", "stringData")


class DataText(NamedTuple):
    """One value: `key` in the data, `field` its path, `scalar` as written, `text` as pods read it.

    `is_encoded`: the scalar is base64.
    """

    key: str
    field: str
    scalar: Scalar
    text: str
    is_encoded: bool


def data_texts(item: Item) -> Iterator[DataText]:
    """Read the values of an object's data. Bytes that are no text are skipped."""
    for field in _DATA:
        is_encoded = field == "data" and item.id.kind == "Secret"
        for key, scalar in entries(get(item.node, field)):
            if is_scalar(scalar):
                text = _decode(scalar.value) if is_encoded else scalar.value
                if text:
                    yield DataText(key, step(field, key), scalar, text, is_encoded)


def _decode(value: str) -> str:
    try:
        return b64decode(value).decode()
    except (Error, ValueError):
        return ""
