"""The difference between two renderings, as values.

Nothing in it is a Secret's value, or a digest of one.
"""

from enum import StrEnum
from itertools import chain
from typing import NamedTuple

from krm_fn.report.object_change import ObjectChange, Roll


class LinkerChange(NamedTuple):
    """How often the linker runs, and the sets, each with its namespace, that have got or lost one."""

    runs: int = 0
    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()


class Difference(NamedTuple):
    """Everything that differs. `revisions` and `objects` are in order of namespace, kind and name.

    `unchanged` is the number of revisions that do not differ. `notes` are sentences about the
    comparison itself.
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

    @property
    def rolls(self) -> list[Roll]:
        """What rolls because of any change, once for each of them."""
        return [*chain.from_iterable(change.rolls for change in self.changes)]

    def __bool__(self) -> bool:
        return bool(self.revisions or self.objects or self.linker != LinkerChange())


class PackageState(StrEnum):
    """What became of one of several packages.

    `UNAFFECTED`: no file that it reads differs, so it was not rendered.

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
    """One of several packages.

    `errors`: why it cannot be rendered or, if it has a difference, why its base cannot.
    """

    path: str
    state: PackageState
    difference: Difference | None = None
    errors: tuple[str, ...] = ()


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
    """All packages in order, and the changes in those that differ. `old` is a revision of git."""

    old: str
    packages: tuple[PackageDifference, ...]
    changes: tuple[SameChange, ...]

    def having(self, *states: PackageState) -> list[PackageDifference]:
        return [package for package in self.packages if package.state in states]
