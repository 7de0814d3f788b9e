"""An explanation as values. Nothing in it is a Secret's value, or a digest of one."""

from collections import Counter
from enum import StrEnum
from typing import TypeAlias

from krm_fn.base.named_tuple import NamedTuple
from krm_fn.base.problem import ResourceId, count
from krm_fn.base.reference import Rule
from krm_fn.core.decide.decide import Reason
from krm_fn.report.object_change import Effect
from krm_fn.tools.common.kept import Kept
from krm_fn.tools.explain.places import NOWHERE, SourceLine

ABSENT = "absent"
"""The strategy of an object that is only referenced; also the reason why nothing follows it."""

OLDER, MISSPELLED, LOOKALIKE, TEXT = "older", "misspelled", "lookalike", "text"
"""Reasons why a field is not followed, beside those of `PassedOver` and other ways of a `Sighting`."""


class Because(NamedTuple):
    """The reason that decides, and where it is written."""

    reason: Reason
    place: SourceLine = NOWHERE


class ExplainedReference(NamedTuple):
    """A field that names the object.

    `who` is the referrer under its base name, `text` the name as it is written.

    `is_changed`: the function changes the field, or adds it. `notes`: what else there is to say.
    """

    who: ResourceId
    place: SourceLine
    field: str
    text: str
    rule: Rule
    is_changed: bool
    notes: tuple[str, ...] = ()


class Unfollowed(NamedTuple):
    """A field that looks like a reference and is none.

    `reason` is the kind of reason, `text` says it to people.
    """

    who: ResourceId
    place: SourceLine
    field: str
    reason: str
    text: str


class Restart(NamedTuple):
    """A pod template that gets a checksum of the object. `keys`: those that count, None for all.

    `asked_by`: the controller whose annotation asks for it; `""` where the strategy does. `is_set`:
    it gets the checksum; the template of a Job cannot change.
    """

    who: ResourceId
    place: SourceLine
    field: str
    keys: tuple[str, ...] | None
    asked_by: str
    is_set: bool


Hashed: TypeAlias = tuple[tuple[str, tuple[str, ...]], ...]
"""Fields of a ConfigMap or Secret, and the keys in each."""


class Explained(NamedTuple):
    """One ConfigMap or Secret, under its base name.

    `present_name`: the name that it has. `new_name`: the one that it gets, `""` where it keeps its
    own. Both are None where they have the hash of a Secret. `hashed`: the fields that this hash
    covers, with their keys; None without a hash. `hints`: who may look it up by its name all the
    same. `kept`: how many revisions of it there are at most; None where it has none, or where
    nothing deletes them.
    """

    who: ResourceId
    present_name: str | None
    place: SourceLine
    strategy: str
    because: Because
    hints: tuple[Because, ...] = ()
    new_name: str | None = ""
    hashed: Hashed | None = None
    references: tuple[ExplainedReference, ...] = ()
    unfollowed: tuple[Unfollowed, ...] = ()
    restarts: tuple[Restart, ...] = ()
    warnings: tuple[str, ...] = ()
    kept: Kept | None = None


class ReadField(NamedTuple):
    """A field of a workload that names an object: its kind, and its name as it is written.

    `new_text`: the name that is rendered there; `""` where it stays, None where it has the hash of
    a Secret. `is_optional`: pods start without the object. `is_pin`: the text is the name of a
    revision, and stays.
    """

    place: SourceLine
    field: str
    kind: str
    text: str
    new_text: str | None
    rule: Rule
    is_optional: bool
    is_pin: bool


class How(StrEnum):
    """The effect of an object's new content on a workload."""

    NAME = "name"
    """The name in the reference: it has the hash of the content."""

    CHECKSUM = "checksum"
    """The checksum on the pod template."""


class WorkloadChange(NamedTuple):
    """How a change of an object's content changes a workload, and what that does.

    `keys`: those that count, or None.

    `asked_by`: the controller whose annotation asks for it. `through`: the object whose content has
    the name of this one in it, so that both change; None where the workload itself names or counts
    this one.
    """

    how: How
    effect: Effect
    keys: tuple[str, ...] | None = None
    asked_by: str = ""
    through: ResourceId | None = None


def say_opt_out(annotation: str) -> str:
    return f"no checksum restarts it: {annotation} opts out of Reloader"


class ReadObject(NamedTuple):
    """An object that a workload reads, or whose change changes it.

    `opt_out`: the annotation for which no checksum of it restarts the workload.

    Without `fields`, the workload reads it as a program, or it is only named in what the workload
    reads.
    """

    config: Explained
    fields: tuple[ReadField, ...]
    changes: tuple[WorkloadChange, ...]
    opt_out: str = ""


def strongest_effect(read: ReadObject) -> Effect | None:
    """Return what a change of the object does to the workload; None if nothing."""
    effects = [change.effect for change in read.changes]
    return min(effects, key=[*Effect].index, default=None)


class ExplainedWorkload(NamedTuple):
    """An object with pods, and the ConfigMaps and Secrets that it reads, first those whose change rolls it.

    `missing_template`: the workload whose pod template it takes, where that is not in the package.
    """

    who: ResourceId
    place: SourceLine
    reads: tuple[ReadObject, ...]
    missing_template: str = ""


class Explanation(NamedTuple):
    """All objects that were asked for, in order of namespace, kind and name.

    `note`: what is to be said of the package beside them.
    """

    objects: tuple[Explained, ...]
    workloads: tuple[ExplainedWorkload, ...] = ()
    note: str = ""


_OUTCOMES = {
    "rename": "renamed",
    "adopt": "adopted",
    "checksum": "with a checksum",
    ABSENT: "not in the package",
}


def sum_up_explanation(explanation: Explanation) -> str:
    """Return `2 renamed, 1 left alone`."""
    if explanation.workloads:
        return "; ".join(map(_sum_up_workload, explanation.workloads))
    counts = Counter(outcome(one) for one in explanation.objects)
    outcomes = ", ".join(f"{number} {outcome}" for outcome, number in sorted(counts.items()))
    said = outcomes or "no ConfigMap or Secret in the package"
    return "; ".join(filter(None, [said, explanation.note]))


def _sum_up_workload(one: ExplainedWorkload) -> str:
    if one.missing_template:
        return f"{one.who}: takes the pod template of {one.missing_template}, which is not in the package"
    rolling = sum(bool(read.changes) for read in one.reads)
    return f"{one.who}: {rolling} of {count(len(one.reads), 'object')} that it reads change it"


def outcome(one: Explained) -> str:
    """Say in a word or two what happens to an object: `renamed`, `left alone`."""
    if one.strategy == "ignore":
        return "restored" if one.new_name else "left alone"
    return _OUTCOMES[one.strategy]
