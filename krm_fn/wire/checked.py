"""Plain values as what they must be, or nothing."""

from collections.abc import Collection
from typing import NoReturn

from krm_fn.wire.plain_value import Plain


class Invalid(Exception):
    """The schema does not allow this; it is for the schema to say why."""


def refuse() -> NoReturn:
    raise Invalid


def an_object(value: Plain, allowed: Collection[str] | None = None) -> dict[str, Plain]:
    if not isinstance(value, dict) or (allowed is not None and not value.keys() <= set(allowed)):
        refuse()
    return value


def a_list(value: Plain) -> list[Plain]:
    return value if isinstance(value, list) else refuse()


def filled(value: Plain) -> list[Plain]:
    return a_list(value) or refuse()


def a_text(value: Plain) -> str:
    return value if isinstance(value, str) else refuse()


def texts(value: Plain) -> dict[str, str]:
    return {key: a_text(text) for key, text in an_object(value).items()}


def a_boolean(value: Plain) -> bool:
    return value if isinstance(value, bool) else refuse()


def a_whole_number(value: Plain, *, highest: int) -> int:
    """From 0; `1.0` is one, as it is to JSON Schema."""
    if isinstance(value, bool) or not isinstance(value, int | float) or value != value // 1:
        refuse()
    return int(value) if 0 <= value <= highest else refuse()


def one_of(value: Plain, allowed: Collection[str]) -> str:
    text = a_text(value)
    return text if text in allowed else refuse()
