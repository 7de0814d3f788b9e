"""An explanation as values. Nothing in it is a Secret's value, or a digest of one."""

from typing import NamedTuple, TypeAlias

from krm_fn.model.problem import ResourceId

ABSENT = "absent"
"""The strategy of an object that is only referenced; also the ground for it, and the reason why nothing follows it."""

OLDER, MISSPELLED, LOOKALIKE, OPTION, FIELD, TEXT = "older", "misspelled", "lookalike", "option", "field", "text"
"""Reasons why a field is not followed, beside those of `PassedOver`."""


class Place(NamedTuple):
    """A file and a line, counted from 1. `""` and 0 where they are not known."""

    file: str = ""
    line: int = 0


NOWHERE = Place()


class Because(NamedTuple):
    """What decides, and how, as a clause. `source`: where the project of a program says so.

    `remedy`: what to do if that is not what is wanted.
    """

    ground: str
    text: str
    place: Place = NOWHERE
    source: str = ""
    remedy: str = ""


class FoundBy(NamedTuple):
    """A rule that found a reference. `text`: which of its kind. `source`: where a project says that it writes there."""

    by: str
    text: str
    source: str = ""


class Reference(NamedTuple):
    """A field that names the object. `who` is the referrer under its base name, `text` the name as it is written.

    `is_changed`: the function changes the field, or adds it. `notes`: what else there is to say.
    """

    who: ResourceId
    place: Place
    field: str
    text: str
    rule: FoundBy
    is_changed: bool
    notes: tuple[str, ...] = ()


class Unfollowed(NamedTuple):
    """What looks like a reference and is none. `reason` is the kind of reason, `text` says it to people."""

    who: ResourceId
    place: Place
    field: str
    reason: str
    text: str


class Restart(NamedTuple):
    """A pod template that gets a checksum of the object. `keys`: those that count, None for all.

    `asked_by`: the controller whose annotation asks for it; `""` where the strategy does. `is_set`: it gets the
    checksum; the template of a Job cannot change.
    """

    who: ResourceId
    place: Place
    field: str
    keys: tuple[str, ...] | None
    asked_by: str
    is_set: bool


Hashed: TypeAlias = tuple[tuple[str, tuple[str, ...]], ...]
"""Fields of a ConfigMap or Secret, and the keys in each."""


class Explained(NamedTuple):
    """One ConfigMap or Secret, under its base name.

    `present_name`: the name that it has. `new_name`: the one that it gets, `""` where it keeps its own. Both are None
    where they are made from a Secret.
    `hashed`: the fields that enter that name, with their keys; None for a name that is not made from them. `hints`: who
    may look it up by its name all the same.
    """

    who: ResourceId
    present_name: str | None
    place: Place
    strategy: str
    reason: Because
    hints: tuple[Because, ...] = ()
    new_name: str | None = ""
    hashed: Hashed | None = None
    references: tuple[Reference, ...] = ()
    unfollowed: tuple[Unfollowed, ...] = ()
    restarts: tuple[Restart, ...] = ()
    warnings: tuple[str, ...] = ()


class Explanation(NamedTuple):
    """All objects that were asked for, in order of namespace, kind and name."""

    objects: tuple[Explained, ...]
