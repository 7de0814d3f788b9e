"""The difference between two renderings, as values. Nothing in it is a Secret's value, or a digest of one."""

from enum import StrEnum
from typing import NamedTuple, TypeAlias

from krm_fn.report.secrets import KeyChange

ShownValue: TypeAlias = str | dict[str, "ShownValue"] | list["ShownValue"]
"""What is shown of a field: every scalar as text, with quotes where it would mean something else without them."""


class Cause(StrEnum):
    """What in a pod template has changed, the most telling first."""

    NAME = "name"
    CHECKSUM = "checksum"
    IMAGE = "image"
    TEMPLATE = "template"


class Effect(StrEnum):
    """What a change of a reference does. `CHANGES`: to an object without pods."""

    ROLLS = "rolls"
    NEXT_RUN = "next-run"
    RUNS = "runs-again"
    NEW_PODS = "new-pods"
    REFUSED = "refused"
    CHANGES = "changes"


class RemovalOutcome(StrEnum):
    """What becomes of an object that is no longer rendered.

    `KEPT`: until nothing in the cluster uses it; `RETAINED`: for good; `UNUSED`: the linker deletes it with the next
    run; `PRUNED`: at once by the deployer; `LEFT`: the deployer does not prune it, and nothing else deletes it.
    """

    KEPT = "kept"
    RETAINED = "retained"
    UNUSED = "unused"
    PRUNED = "pruned"
    LEFT = "left"


class ComparedObject(NamedTuple):
    """An object. `name` is None for a Secret whose name is made from its content."""

    api_version: str
    kind: str
    namespace: str
    name: str | None
    base: str
    set: str = ""


class FieldChange(NamedTuple):
    """A field that differs; None on the side that lacks it. Of what may not be shown, the values are sizes."""

    path: str
    old: ShownValue | None
    new: ShownValue | None


class Roll(NamedTuple):
    """What a change does to a workload, and by what in its pod template."""

    kind: str
    namespace: str
    name: str
    effect: Effect
    by: tuple[Cause, ...]


class Removal(NamedTuple):
    """What becomes of an object that is no longer rendered. `users` are the workloads that still used it.

    `rollouts`: after how many more of a user its history has lost the object; None if nobody has looked.
    """

    outcome: RemovalOutcome
    users: tuple[str, ...] = ()
    deployers: tuple[str, ...] = ()
    rollouts: int | None = None


class HandEdit(NamedTuple):
    """A field of a live object that somebody else than its deployer has set: the manager of the field, and when."""

    path: str
    manager: str
    time: str


class ObjectChange(NamedTuple):
    """One object that differs; None on the side that lacks it.

    `has_new_name`: it is another ConfigMap or Secret to the cluster. `rolls` are the workloads that roll because of it;
    for a workload that rolls by itself, that one. `hazards` are the deployers that would prune the old one while pods
    use it. `edits` are the fields of a live one that would be set back. `whole`: what is there of an object that is on
    one side only, by which packages are compared. It is not written.
    """

    old: ComparedObject | None
    new: ComparedObject | None
    has_new_name: bool = False
    keys: tuple[KeyChange, ...] = ()
    fields: tuple[FieldChange, ...] = ()
    rolls: tuple[Roll, ...] = ()
    fate: Removal | None = None
    hazards: tuple[str, ...] = ()
    edits: tuple[HandEdit, ...] = ()
    whole: ShownValue | None = None

    @property
    def who(self) -> ComparedObject:
        """The object, as it is called now."""
        who = self.new or self.old
        assert who is not None, "no object is missing on both sides"  # noqa: S101  # for the type checker
        return who


class LinkerChange(NamedTuple):
    """How often the linker runs, and the sets, each with its namespace, that have got or lost one."""

    runs: int = 0
    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()


class Difference(NamedTuple):
    """Everything that differs. `revisions` and `objects` are in order of namespace, kind and name.

    `unchanged` is the number of revisions that do not differ. `notes` are sentences about the comparison itself.
    """

    old: str
    new: str
    revisions: tuple[ObjectChange, ...]
    objects: tuple[ObjectChange, ...]
    linker: LinkerChange
    unchanged: int
    notes: tuple[str, ...] = ()

    @property
    def changes(self) -> tuple[ObjectChange, ...]:
        return (*self.revisions, *self.objects)

    def __bool__(self) -> bool:
        return bool(self.revisions or self.objects or self.linker != LinkerChange())


class PackageState(StrEnum):
    """What became of one of several packages. `UNAFFECTED`: no file that it reads differs, so it was not rendered.

    `LEFT_OUT`: a sparse checkout leaves files of it out, so nothing is known.
    """

    UNAFFECTED = "unaffected"
    SAME = "same"
    CHANGED = "changed"
    ADDED = "added"
    REMOVED = "removed"
    FAILED = "failed"
    LEFT_OUT = "left-out"


class PackageDifference(NamedTuple):
    """One of several packages. `errors`: why it cannot be rendered or, if it has a difference, why its base cannot."""

    path: str
    state: PackageState
    difference: Difference | None = None
    errors: tuple[str, ...] = ()


class SameChange(NamedTuple):
    """Packages that change in the same way. `apart`: in what they differ, which the difference leaves out."""

    packages: tuple[PackageDifference, ...]
    difference: Difference
    apart: tuple[str, ...] = ()

    @property
    def paths(self) -> tuple[str, ...]:
        return tuple(package.path for package in self.packages)


class PackageDifferences(NamedTuple):
    """All packages in order, and the changes in those that differ. `old` is a revision of git."""

    old: str
    packages: tuple[PackageDifference, ...]
    changes: tuple[SameChange, ...]

    def having(self, *states: PackageState) -> list[PackageDifference]:
        return [package for package in self.packages if package.state in states]
