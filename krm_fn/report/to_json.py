"""Values as JSON in version 1 of the schemas: every command that prints JSON writes it by this."""

import json
from collections.abc import Callable, Mapping, Sequence
from operator import attrgetter
from typing import Any, TypeAlias

VERSION = 1
"""A later version 1 may add fields. What is there keeps its name and meaning."""

Source: TypeAlias = str | tuple[str, Callable[[Any], object]]

Forms: TypeAlias = Mapping[type, Sequence[Source]]
"""By type, its fields in order, where these are not just all fields of the NamedTuple under their own names.

`present_name` is written as `presentName`, `baseName=base` has another name, `*place` adds the fields of a value to
those around it, and a pair has a name and what computes the value.
"""


def write_json(value: object, forms: Forms, *, in_one_line: bool = False) -> str:
    """Write a document: the fields of the value, behind the version."""
    return json.dumps({"version": VERSION, **as_json(value, forms)}, indent=None if in_one_line else 2) + "\n"


def as_json(value: object, forms: Forms) -> Any:
    """Return what json.dumps writes as it is."""
    if not isinstance(value, tuple):
        # Lists and mappings are fields of manifests, and may be deeper than Python calls functions in one another.
        return value
    if not hasattr(value, "_fields"):
        return [as_json(one, forms) for one in value]
    written: dict[str, object] = {}
    for source in forms.get(type(value), value._fields):
        name, part = _read(value, source)
        # People read JSON too: the order is that of the schemas, and not of the alphabet.
        written |= as_json(part, forms) if name.startswith("*") else {name: as_json(part, forms)}
    return written


def _read(value: object, source: Source) -> tuple[str, object]:
    if not isinstance(source, str):
        name, compute = source
        return name, compute(value)
    name, _, attribute = source.rpartition("=")
    return name or _camel_case(attribute), attrgetter(attribute.removeprefix("*"))(value)


def _camel_case(name: str) -> str:
    first, *others = name.split("_")
    return first + "".join(map(str.capitalize, others))
