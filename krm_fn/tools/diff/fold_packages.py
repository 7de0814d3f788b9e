"""Put together what is the same: packages with the same change, and objects with the same other labels.

Two packages have the same change if nothing differs between what is shown of each, but for their
own namespace, their kustomization's own prefix and suffix, hashes in names, and the set of an
object, which nothing shows where it stays. Nor does it matter which of their objects have the same
other labels and annotations, or are of a linker that is another one in all of them. Such a change
says the same of each object, whatever its name, and is shown once for all of them.

A change of a Secret shows sizes, which are no proof that two are equal: a difference with one, or
with any other value that is not shown, stands alone.
"""

import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from itertools import chain, compress, product
from pathlib import Path
from typing import TypeAlias

from krm_fn.base.named_tuple import NamedTuple
from krm_fn.base.problem import Rejected
from krm_fn.report.change_lines import write_place
from krm_fn.report.object_change import (
    ComparedObject,
    Effect,
    FieldChange,
    ObjectChange,
    Removal,
    Roll,
    spell_texts,
)
from krm_fn.tools.builds.builds import find_own_affixes
from krm_fn.tools.common.files import Allowance, Files, Limits
from krm_fn.tools.diff.difference import (
    Difference,
    LinkerChange,
    PackageDifference,
    SameChange,
    SharedChange,
    is_metadata,
    write_one_by_one,
)
from krm_fn.tools.diff.write_difference import write_json

_NOT_SHOWN = re.compile(r"\(hash(?: \d+)?\)|\([\d,]+ bytes?\)")
"""What stands in the place of a value that is not shown. Two of them may stand for two values."""

_SET, _NAMESPACE = "SET", "NAMESPACE"
"""The placeholder of the names of a package in the objects of its linker."""

_OBJECTS = "objects"
"""Stands behind what is left out if the same labels are of other objects."""


class _Names(NamedTuple):
    """The parts of names that are a package's own: its namespace, and what its kustomization adds."""

    namespace: str = ""
    prefix: str = ""
    suffix: str = ""


class _LeftOut(NamedTuple):
    """The kinds of names that are left out of a difference."""

    namespace: bool
    affixes: bool
    hash: bool
    set: bool

    def say(self) -> Iterator[str]:
        return compress(("namespace", "prefix and suffix", "hash", "set"), self)


_EVERYTHING = _LeftOut(namespace=True, affixes=True, hash=True, set=True)
_FEWEST_FIRST = sorted(
    map(_LeftOut._make, product((False, True), repeat=len(_EVERYTHING))),
    key=lambda left_out: left_out.count(True),
)


class _PackageChange(NamedTuple):
    """A package with its difference, and the names that are its own."""

    package: PackageDifference
    difference: Difference
    names: _Names

    def without(self, left_out: _LeftOut) -> Difference:
        """Return the difference without what is to be left out, and without the names of its sides."""
        return _Eraser(self.names, left_out).erase(self.difference)


def fold_packages(
    packages: Iterable[tuple[PackageDifference, Difference]], limits: Limits
) -> list[SameChange]:
    """Put together the packages with the same change, in the order of the first of each."""
    alike: dict[object, list[_PackageChange]] = defaultdict(list)
    for package, difference in packages:
        named = _PackageChange(package, difference, _read_names(package.path, difference, limits))
        same = _write_same(named.without(_EVERYTHING))
        wholes = json.dumps([change.whole for change in difference.changes])
        is_alone = (
            package.errors
            or package.moved_from
            or _hides_a_value(difference, write_json(difference) + wholes)
        )
        key = (package.path,) if is_alone else (package.state, same)
        alike[key].append(named)
    return [_join(found) for found in alike.values()]


def _write_same(difference: Difference) -> str:
    """Write what is the same in packages with the same change, whichever objects have it."""
    alike = _collect_alike(difference)
    rest = _without_told(difference, chain.from_iterable(alike.values()))
    return write_json(rest) + json.dumps([[one.whole for one in rest.changes], sorted(alike)])


def _join(alike: list[_PackageChange]) -> SameChange:
    """Leave out of a difference what is not the same in all packages, and nothing else."""
    said_apart: tuple[str, ...] = ()
    left_out = _find_least(alike, write_json, _FEWEST_FIRST)
    if left_out is None:
        # Other objects have the same labels. A list of them all names each as it is.
        said_apart = (_OBJECTS,)
        left_out = _find_least(alike, _write_same, _list_fitting(alike)) or _EVERYTHING
    differences = [one.without(left_out) for one in alike]
    shown = _share_all(differences, has_other_objects=bool(said_apart))
    first = alike[0].difference
    unchanged = first.unchanged
    notes: dict[str, None] = {}  # in order, each once
    for one in alike:
        notes |= dict.fromkeys(one.difference.notes)
        if one.difference.unchanged != first.unchanged:
            unchanged = 0
    shown = shown._replace(old=first.old, new=first.new, unchanged=unchanged, notes=tuple(notes))
    packages = tuple(one.package for one in alike)
    return SameChange(packages, shown, (*left_out.say(), *said_apart))


def _list_fitting(alike: list[_PackageChange]) -> list[_LeftOut]:
    """Return the ways that leave out what names the same objects in a list of them all."""
    namespaces: set[str] = set()
    sets: set[str] = set()
    for named in alike:
        namespaces.add(named.names.namespace)
        sets.update(change.who.linker for change in named.difference.changes)
    has_namespaces, has_sets = len(namespaces) > 1, len(sets - {""}) > 1
    fitting: list[_LeftOut] = []
    for one in _FEWEST_FIRST:
        is_enough = (one.namespace or not has_namespaces) and (one.set or not has_sets)
        if is_enough:
            fitting.append(one)
    return fitting


def _find_least(
    alike: list[_PackageChange],
    write: Callable[[Difference], str],
    ways: Iterable[_LeftOut],
) -> _LeftOut | None:
    """Return the least that is to be left out so that all packages say the same."""
    for left_out in ways:
        texts = (write(one.without(left_out)) for one in alike)
        first = next(texts)
        if all(text == first for text in texts):
            return left_out
    return None


def _hides_a_value(difference: Difference, written: str) -> bool:
    if _NOT_SHOWN.search(written) is not None:
        return True
    for change in difference.changes:
        for _, old, new in change.keys:
            if any(side and side.text is None for side in (old, new)):
                return True
    return False


def _read_names(path: str, difference: Difference, limits: Limits) -> _Names:
    """Return the one namespace in which anything changes, and what the kustomization adds to names."""
    namespaces = {roll.namespace for roll in difference.rolls}
    for linker in (*difference.linker.added, *difference.linker.removed):
        namespaces.add(linker.rpartition("/")[0])
    for change in difference.changes:
        namespaces |= {who.namespace for who in (change.old, change.new) if who}
    namespaces.discard("")
    affixes = ("", "")
    # What cannot be read has been said, and names then count as they are.
    with suppress(OSError, Rejected):
        files = Files(limits.root or Path(path), Allowance(limits))
        affixes = find_own_affixes(Path(path), files)
    return _Names(namespaces.pop() if len(namespaces) == 1 else "", *affixes)


class _Eraser:
    """Leaves the own names of a package out of a difference."""

    def __init__(self, names: _Names, left_out: _LeftOut) -> None:
        self._left_out = left_out
        self._namespace = names.namespace if left_out.namespace else ""
        self._prefix = names.prefix if left_out.affixes else ""
        self._suffix = names.suffix if left_out.affixes else ""

    def erase(self, difference: Difference) -> Difference:
        return Difference(
            "",
            "",
            tuple(map(self._erase_in_change, difference.revisions)),
            tuple(map(self._erase_in_change, difference.objects)),
            self._erase_in_linkers(difference.linker),
            0,
        )

    def _erase_in_change(self, change: ObjectChange) -> ObjectChange:
        return change._replace(
            old=self._erase_in_object(change.old, change.new),
            new=self._erase_in_object(change.new, change.old),
            fields=tuple(self._erase_in_field(one, change.who.linker) for one in change.fields),
            rolls=tuple(map(self._erase_in_roll, change.rolls)),
            fate=None if change.fate is None else self._erase_in_removal(change.fate),
            whole=spell_texts(change.whole, self._erase_in_text),
        )

    def _erase_in_object(
        self, one: ComparedObject | None, other: ComparedObject | None
    ) -> ComparedObject | None:
        """Return what an object is called. `other`: what it is called on the other side."""
        if one is None:
            return None
        namespace = self._place(one.namespace)
        if self._left_out.set and one.base.startswith(f"{one.linker}-link"):
            name = one.base.removeprefix(f"{one.linker}-")
            return one._replace(namespace=namespace, name=name, base=name, linker=_SET)
        base = self._base(one.base)
        by_content = None if self._left_out.hash else one.name
        name_or_none = base if one.name == one.base else by_content
        # People read both sets where an object gets another one.
        has_same_set = other is None or one.set == other.set
        own_set = "" if self._left_out.set and has_same_set else one.set
        return one._replace(namespace=namespace, name=name_or_none, base=base, set=own_set)

    def _erase_in_field(self, field: FieldChange, linker: str) -> FieldChange:
        """Leave the namespace, and the set where it is not to be shown, out of a field of a linker's object."""
        if not linker:
            return field
        spelled = re.compile(rf"(?<![\w./-]){re.escape(linker)}(?=-link|\]|\Z)")

        def erase(text: str) -> str:
            if self._namespace and text == self._namespace:
                return _NAMESPACE
            return spelled.sub(_SET, text) if self._left_out.set else text

        old, new = (spell_texts(value, erase) for value in (field.old, field.new))
        return FieldChange(erase(field.path), old, new)

    def _erase_in_roll(self, roll: Roll) -> Roll:
        return roll._replace(namespace=self._place(roll.namespace), name=self._base(roll.name))

    def _erase_in_removal(self, removal: Removal) -> Removal:
        users: list[str] = []
        for user in removal.users:
            kind, _, name = user.partition("/")
            users.append(f"{kind}/{self._base(name)}")
        return removal._replace(users=tuple(users))

    def _erase_in_linkers(self, change: LinkerChange) -> LinkerChange:
        """Leave out where linkers come or go, and their sets, but not what a set was called before."""
        is_named = not self._left_out.set or bool(change.added and change.removed)

        def erase(linker: str) -> str:
            namespace, _, name = linker.rpartition("/")
            parts = [self._place(namespace), name if is_named else ""]
            return "/".join(part for part in parts if part)

        return change._replace(
            added=tuple(map(erase, change.added)), removed=tuple(map(erase, change.removed))
        )

    def _erase_in_text(self, text: str) -> str:
        return self._base(self._place(text))

    def _place(self, namespace: str) -> str:
        return "" if namespace == self._namespace else namespace

    def _base(self, name: str) -> str:
        return name.removeprefix(self._prefix).removesuffix(self._suffix)


_Alike: TypeAlias = Mapping[str, list[ObjectChange]]
"""The changes of several objects, by what they say."""


def _share_all(differences: list[Difference], *, has_other_objects: bool) -> Difference:
    """Return the first difference, with what several objects have alike told once."""
    found = [_collect_alike(one) for one in differences]
    told = [what for what, changes in found[0].items() if has_other_objects or len(changes) > 1]
    shared: list[SharedChange] = []
    in_first: list[ObjectChange] = []
    for what in told:
        shared.append(_share(chain.from_iterable(alike[what] for alike in found)))
        in_first += found[0][what]
    return _without_told(differences[0], in_first)._replace(shared=tuple(shared))


def _collect_alike(difference: Difference) -> _Alike:
    """Find the changes that say nothing of the object by itself, and write the fields of each one by one."""
    found: dict[str, list[ObjectChange]] = defaultdict(list)
    for change in difference.changes:
        if not _can_be_shared(change):
            continue
        flat = write_one_by_one(change)
        if not is_metadata(flat):
            flat = flat._replace(fields=tuple(map(_without_job, flat.fields)))
        found[_say(flat)].append(flat)
    return found


def _can_be_shared(change: ObjectChange) -> bool:
    """Tell whether only fields differ, and it rolls nothing but itself."""
    old, who = change.old, change.new
    if old is None or who is None or (old.base, old.set) != (who.base, who.set):
        return False
    says_more = (change.has_new_name, change.keys, change.fate, change.hazards, change.missing)
    if any(says_more) or change.refusal or change.edits or not change.fields:
        return False
    own = who.kind, who.namespace, who.base
    if any(roll[:3] != own or roll.effect is Effect.REFUSED for roll in change.rolls):
        return False
    is_of_linker = bool(old.linker) and bool(who.linker)
    return is_of_linker or is_metadata(write_one_by_one(change))


def _without_job(field: FieldChange) -> FieldChange:
    """Call a field of the linker's CronJob as that of its Job."""
    return field._replace(path=field.path.removeprefix("spec.jobTemplate."))


def _say(change: ObjectChange) -> str:
    rolls = [(roll.effect, roll.by) for roll in change.rolls]
    return json.dumps([is_metadata(change), change.fields, rolls])


def _without_told(difference: Difference, alike: Iterable[ObjectChange]) -> Difference:
    """Return a difference without changes that are told in another way."""
    told = {(one.old, one.new) for one in alike}

    def leave_out(changes: Iterable[ObjectChange]) -> tuple[ObjectChange, ...]:
        return tuple(one for one in changes if (one.old, one.new) not in told)

    return difference._replace(
        revisions=leave_out(difference.revisions), objects=leave_out(difference.objects)
    )


def _share(changes: Iterable[ObjectChange]) -> SharedChange:
    alike = [*changes]
    rolls = chain.from_iterable(one.rolls for one in alike)
    places = sorted({write_place(one) for one in alike})
    return SharedChange(alike[0], tuple(places), len(alike), tuple(rolls), is_metadata(alike[0]))
