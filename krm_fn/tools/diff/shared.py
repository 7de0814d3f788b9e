"""Find what many objects have alike: other labels and annotations, or what another version of the linker is.

Such a change says the same of each object, whatever its name, and is shown once for all of them.
"""

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import TypeAlias

from krm_fn.base.node import step
from krm_fn.report.change_lines import write_place
from krm_fn.report.object_change import (
    Effect,
    FieldChange,
    ObjectChange,
    ShownValue,
    spell_texts,
)
from krm_fn.tools.diff.difference import Difference, SharedChange

_METADATA = re.compile(r"(?:[\w.]+\.)?metadata\.(?:labels|annotations)(?:[.\[].*)?", re.DOTALL)

SET, _NAMESPACE = "SET", "NAMESPACE"
"""What stands for the names of a package in the objects of its linker."""

Alike: TypeAlias = Mapping[str, list[ObjectChange]]
"""The changes of several objects, by what they say."""


def find_alike(difference: Difference) -> Alike:
    """Find the changes that say nothing of the object by itself, and write the fields of each one by one."""
    found: dict[str, list[ObjectChange]] = defaultdict(list)
    for change in filter(_can_be_shared, difference.changes):
        flat = _write_one_by_one(change)
        if not _is_metadata(flat):
            flat = flat._replace(fields=tuple(map(_without_job, flat.fields)))
        found[_say(flat)].append(flat)
    return found


def _say(change: ObjectChange) -> str:
    rolls = [(roll.effect, roll.by) for roll in change.rolls]
    return json.dumps([_is_metadata(change), change.fields, rolls])


def without(difference: Difference, alike: Iterable[ObjectChange]) -> Difference:
    """Return a difference without changes that are told in another way."""
    told = {(one.old, one.new) for one in alike}
    revisions, objects = (
        tuple(one for one in changes if (one.old, one.new) not in told)
        for changes in (difference.revisions, difference.objects)
    )
    return difference._replace(revisions=revisions, objects=objects)


def share(changes: Iterable[ObjectChange]) -> SharedChange:
    alike = [*changes]
    rolls = chain.from_iterable(one.rolls for one in alike)
    places = sorted({*map(write_place, alike)})
    return SharedChange(alike[0], tuple(places), len(alike), tuple(rolls), _is_metadata(alike[0]))


def is_of_metadata(change: ObjectChange) -> bool:
    """Tell whether an object keeps its name and content, and has other labels, annotations, or another set."""
    old, new = change.old, change.new
    if old is None or new is None or change.has_new_name or change.keys or old.base != new.base:
        return False
    is_changed = bool(change.fields) or old.set != new.set
    return is_changed and _is_metadata(_write_one_by_one(change))


def _write_one_by_one(change: ObjectChange) -> ObjectChange:
    return change._replace(fields=tuple(chain.from_iterable(map(_flatten, change.fields))))


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
    return _is_of_linker(change) or _is_metadata(_write_one_by_one(change))


def _is_of_linker(change: ObjectChange) -> bool:
    return all(one is not None and bool(one.linker) for one in (change.old, change.new))


def _is_metadata(change: ObjectChange) -> bool:
    return all(_METADATA.fullmatch(field.path) for field in change.fields)


def _flatten(field: FieldChange) -> Iterator[FieldChange]:
    """Yield the fields in a mapping that is on one side only, as if the other side had an empty one."""
    stack: list[tuple[str, ShownValue | None]] = [
        (field.path, field.new if field.old is None else field.old)
    ]
    if field.old is not None and field.new is not None:
        yield field
        return
    while stack:
        path, value = stack.pop()
        if isinstance(value, dict) and value:
            stack += [(step(path, name), child) for name, child in reversed(value.items())]
        else:
            yield FieldChange(path, *((None, value) if field.old is None else (value, None)))


def _without_job(field: FieldChange) -> FieldChange:
    """Call a field of the linker's CronJob as that of its Job."""
    return field._replace(path=field.path.removeprefix("spec.jobTemplate."))


def leave_out_of_linker(
    field: FieldChange, linker: str, *, namespace: str, has_set: bool
) -> FieldChange:
    """Leave a namespace, and the name of a set where it is not to be shown, out of a field of its linker's object."""
    if not linker:
        return field
    spelled = re.compile(rf"(?<![\w./-]){re.escape(linker)}(?=-link|\]|\Z)")

    def plain(text: str) -> str:
        if namespace and text == namespace:
            return _NAMESPACE
        return text if has_set else spelled.sub(SET, text)

    old, new = (spell_texts(value, plain) for value in (field.old, field.new))
    return FieldChange(plain(field.path), old, new)
