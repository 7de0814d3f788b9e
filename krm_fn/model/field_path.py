"""How a field is named to people."""

from collections.abc import Iterable
from typing import TypeAlias

FieldPath: TypeAlias = tuple[str | int, ...]
"""Names of fields, and places in lists."""


def spell(path: Iterable[str | int]) -> str:
    """A whole path: `spec.templates[0].name`."""
    field = ""
    for one in path:
        field = f"{field}[{one}]" if isinstance(one, int) else step(field, one)
    return field


def step(field: str, name: str) -> str:
    """The path of a field one further down; brackets where a dot or slash in the name would mislead."""
    if "." in name or "/" in name:
        return f"{field}[{name}]"
    return f"{field}.{name}" if field else name
