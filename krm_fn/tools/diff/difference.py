"""The difference between two renderings, as values.

Nothing in it is a Secret's value, or a digest of one.
"""

import re
from collections.abc import Callable, Iterator
from enum import StrEnum
from itertools import chain

from krm_fn.base.named_tuple import NamedTuple
from krm_fn.base.node import step
from krm_fn.report.object_change import (
    Effect,
    FieldChange,
    ObjectChange,
    RemovalOutcome,
    Roll,
    ShownValue,
)

_METADATA = re.compile(r"(?:[\w.]+\.)?metadata\.(?:labels|annotations)(?:[.\[].*)?", re.DOTALL)


class LinkerChange(NamedTuple):
    """How often the linker runs, and the sets, each with its namespace, that have got or lost one."""

    runs: int = 0
    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()


class Risk(StrEnum):
    """A reason to refuse a difference.

    `PRUNE`: a deployer would delete what pods use. `MISSING`: new pods do not start, because they
    lack an object that there was. `SAME_SET`: two packages have one set in one namespace.
    `REFUSED`: the API server does not take the change.
    """

    PRUNE = "prune"
    MISSING = "missing"
    SAME_SET = "same-set"
    REFUSED = "refused"


class SharedChange(NamedTuple):
    """A change that several objects have alike: other labels and annotations, or another linker.

    `places` are `Deployment web`, each once, and `number` counts the objects of all packages.
    `change` is that of one of them, and `rolls` are those of all.
    """

    change: ObjectChange
    places: tuple[str, ...]
    number: int
    rolls: tuple[Roll, ...]
    is_metadata: bool


class Difference(NamedTuple):
    """Everything that differs. `revisions` and `objects` are in order of namespace, kind and name.

    `unchanged` is the number of revisions that do not differ. `notes` are sentences about the
    comparison itself. `shared`: what is shown once for all that have it, where packages are put
    together.
    """

    old: str
    new: str
    revisions: tuple[ObjectChange, ...]
    objects: tuple[ObjectChange, ...]
    linker: LinkerChange
    unchanged: int
    notes: tuple[str, ...] = ()
    shared: tuple[SharedChange, ...] = ()

    @property
    def changes(self) -> tuple[ObjectChange, ...]:
        return (*self.revisions, *self.objects)

    @property
    def rolls(self) -> list[Roll]:
        """All rolls because of any change, once for each of them."""
        shared = chain.from_iterable(one.rolls for one in self.shared)
        return [*chain.from_iterable(change.rolls for change in self.changes), *shared]

    @property
    def risks(self) -> dict[Risk, list[ObjectChange]]:
        """The changes that bring a risk, by risk. Two packages with one set are not among them."""
        found: dict[Risk, list[ObjectChange]] = {risk: [] for risk in _RISKS}
        for change in self.changes:
            for risk, is_risk in _RISKS.items():
                if is_risk(change):
                    found[risk].append(change)
        return {risk: changes for risk, changes in found.items() if changes}

    def __bool__(self) -> bool:
        return bool(self.changes or self.shared or self.linker != LinkerChange())


def _may_prune(change: ObjectChange) -> bool:
    fate = change.fate
    is_pruned = fate is not None and fate.outcome is RemovalOutcome.PRUNED and bool(fate.users)
    return bool(change.hazards) or is_pruned or change.empties


def _lacks_something(change: ObjectChange) -> bool:
    return bool(change.missing)


def _is_refused(change: ObjectChange) -> bool:
    return bool(change.refusal) or any(roll.effect is Effect.REFUSED for roll in change.rolls)


_RISKS: dict[Risk, Callable[[ObjectChange], bool]] = {
    Risk.PRUNE: _may_prune,
    Risk.MISSING: _lacks_something,
    Risk.REFUSED: _is_refused,
}


def is_of_metadata(change: ObjectChange) -> bool:
    """Tell whether an object keeps its name and content, and has other labels, annotations, or another set."""
    old, new = change.old, change.new
    if old is None or new is None or change.has_new_name or change.keys or old.base != new.base:
        return False
    is_changed = bool(change.fields) or old.set != new.set
    return is_changed and is_metadata(write_one_by_one(change))


def is_metadata(change: ObjectChange) -> bool:
    """Tell whether all fields that differ are labels and annotations."""
    return all(_METADATA.fullmatch(field.path) for field in change.fields)


def write_one_by_one(change: ObjectChange) -> ObjectChange:
    """Return a change with a field of its own for each value of a mapping that is on one side only."""
    return change._replace(fields=tuple(chain.from_iterable(map(_flatten, change.fields))))


def _flatten(field: FieldChange) -> Iterator[FieldChange]:
    """Yield the fields in a mapping that is on one side only, as if the other side had an empty one."""
    if field.old is not None and field.new is not None:
        yield field
        return
    is_added = field.old is None
    # No recursion: objects may be nested deep.
    stack: list[tuple[str, ShownValue | None]] = [
        (field.path, field.new if is_added else field.old)
    ]
    while stack:
        path, value = stack.pop()
        if isinstance(value, dict) and value:
            stack += [(step(path, name), child) for name, child in reversed(value.items())]
        elif is_added:
            yield FieldChange(path, None, value)
        else:
            yield FieldChange(path, value, None)


class PackageState(StrEnum):
    """The state of one of several packages.

    `UNAFFECTED`: no file that it reads differs, so it was not rendered.

    `MOVED`: it was elsewhere, and is compared with that.

    `LEFT_OUT`: a sparse checkout leaves files of it out, so nothing is known.
    """

    UNAFFECTED = "unaffected"
    SAME = "same"
    CHANGED = "changed"
    ADDED = "added"
    REMOVED = "removed"
    MOVED = "moved"
    FAILED = "failed"
    LEFT_OUT = "left-out"


class PackageDifference(NamedTuple):
    """One of several packages.

    `errors`: why it cannot be rendered or, if it has a difference, why its base cannot.
    `moved_from`: the folder that it was in; empty if that is the same.
    """

    path: str
    state: PackageState
    difference: Difference | None = None
    errors: tuple[str, ...] = ()
    moved_from: str = ""


class SameChange(NamedTuple):
    """Packages that change in the same way.

    `apart`: in what they differ, which the difference leaves out.
    """

    packages: tuple[PackageDifference, ...]
    difference: Difference
    apart: tuple[str, ...] = ()

    @property
    def paths(self) -> tuple[str, ...]:
        return tuple(package.path for package in self.packages)


class PackageDifferences(NamedTuple):
    """All packages in order, and the changes in those that differ. `old` is a revision of git, or `live`.

    `shared_sets`: those that several packages have, each with its namespace. `missing`: what pods of
    another package still need.
    """

    old: str
    packages: tuple[PackageDifference, ...]
    changes: tuple[SameChange, ...] = ()
    shared_sets: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()

    def having(self, *states: PackageState) -> list[PackageDifference]:
        return [package for package in self.packages if package.state in states]
