"""What a plain value has to be, or the configuration is invalid."""

from collections.abc import Collection
from typing import NoReturn

from krm_fn.wire.plain_value import Plain


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
