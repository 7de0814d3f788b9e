"""Which rule found a reference, or decided that a field is none."""

from enum import StrEnum
from typing import NamedTuple


class By(StrEnum):
    """The kinds of rules."""

    SHAPE = "shape"
    """The names of the fields, in objects of any kind: `shapes`."""

    TABLE = "table"
    """A row for this kind of objects: `fields`, `annotations`, `admission_params`."""

    MAKER = "maker"
    """A row of `makers`: a controller writes the object."""

    COPY = "copy"
    """A row for what a program copies from there, by its name."""

    RBAC = "rbac"
    """The `resourceNames` of a rule."""

    REFERENCES = "references"
    """An entry of `spec.references`."""

    MOUNTS = "mounts"
    """An entry of `spec.mounts`."""


class Rule(NamedTuple):
    """A rule. `text`: which of its kind, for people.

    `reason`: how a controller writes or copies the object; `source`: where its project says so. Both may be unknown.
    """

    by: By
    text: str
    reason: str = ""
    source: str = ""
