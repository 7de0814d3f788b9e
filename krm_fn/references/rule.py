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


class Reads(NamedTuple):
    """What the consumer of a field does with a name, beside finding the object by it. By default, nothing.

    `endings`: it tells by these ends of the name what is in the object. `path`: it mounts the object there, with the
    name in the place of `{}`, so that others may write this path. `beside`: it also reads another object, whose name
    is this one with that end. `source`: where its project says so.
    """

    endings: tuple[str, ...] = ()
    path: str = ""
    beside: str = ""
    source: str = ""


THE_VALUE = Reads()


class Rule(NamedTuple):
    """A rule. `text`: which of its kind, for people.

    `reason`: how a controller writes or copies the object; `source`: where its project says so. Both may be unknown.
    """

    by: By
    text: str
    reason: str = ""
    source: str = ""
    reads: Reads = THE_VALUE
