"""An edited text without what new objects have in common, so that the proof reads it once.

The objects that are added to many namespaces differ in little but the namespace.
"""

import re
from functools import lru_cache
from typing import NamedTuple

from krm_fn.base.changes import Changes, Object
from krm_fn.base.node import NewValue, elements, get
from krm_fn.core.yaml.envelope import Envelope
from krm_fn.core.yaml.splice import Splice


class Edited(NamedTuple):
    """The envelope after changes, and how it became that: by splices, in the order of the text."""

    changes: Changes
    splices: list[Splice]
    output: str


def shorten(envelope: Envelope, edited: Edited) -> Edited:
    """Leave out fields of new objects so that what is left is right if, and only if, the whole is.

    Only where they are elements behind the last one of the ResourceList, written as lines below one another.
    """
    changes, splices, output = edited
    last = elements(get(envelope.resource_list, "items"))[-1:]
    if not changes.add or not last:
        return edited
    dash = " " * (last[0].column - 2) + "- "
    moved = 0
    for index, splice in enumerate(splices):
        if splice.start > last[0].start and splice.text.startswith(dash):
            start, end = splice.start + moved, splice.start + moved + len(splice.text)
            if output[start:end] != splice.text:
                break
            text, objects = leave_out_repeated(splice.text, changes.add)
            splices = [*splices[:index], splice._replace(text=text), *splices[index + 1 :]]
            return Edited(changes._replace(add=objects), splices, output[:start] + text + output[end:])
        moved += len(splice.text) - (splice.end - splice.start)
    return edited


def leave_out_repeated(text: str, objects: tuple[Object, ...]) -> tuple[str, tuple[Object, ...]]:
    """Leave each field out of elements of a list that an earlier element has in the same words, with the same value.

    The earlier one is read, so both say that value or neither does. Nothing is left out unless the text is what it
    seems to be: whole lines, each field from its name on to the next.
    """
    indent = len(text) - len(text.lstrip(" "))
    written = _fields(text, indent)
    if [*map(len, written)] != [*map(len, objects)]:
        return text, objects
    margin = " " * (indent + 2)
    seen: set[tuple[str, str]] = set()
    lines: list[str] = []
    left: list[Object] = []
    for fields, wanted in zip(written, objects, strict=True):
        kept: dict[str, NewValue] = {}
        for field, (name, value) in zip(fields, wanted.items(), strict=True):
            said = field, repr(value)  # `==` is not enough: 1 equals True
            if said in seen:
                continue
            if field.startswith(f"{margin}{name}:"):  # the line with the dash stays
                seen.add(said)
            lines.append(field)
            kept[name] = value
        left.append(kept)
    return "".join(lines), tuple(left)


def _fields(text: str, indent: int) -> list[list[str]]:
    """Return the lines of each field of each element; nothing if anything else is in the text."""
    found = [*_field(indent).finditer(text)]
    if sum(len(field[0]) for field in found) != len(text):
        return []
    written: list[list[str]] = []
    for field in found:
        if field["dash"]:
            written.append([])
        written[-1].append(field[0])
    return written


@lru_cache
def _field(indent: int) -> re.Pattern[str]:
    """Match a field of an element: the line of its name, and lines that are further to the right or have a dash below.

    None has a `*`, because an alias may mean something else in another place.
    """
    margin = " " * indent
    return re.compile(rf"{margin}(?:(?P<dash>- )|  )[A-Za-z0-9\"'][^*\n]*\n(?:{margin}  [ -][^*\n]*\n)*")
