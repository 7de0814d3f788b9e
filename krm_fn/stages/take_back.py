"""Take back what an earlier run in place has made of objects that are no longer to be revisions."""

from collections.abc import Iterable

from krm_fn.model import keys
from krm_fn.model.edit import Patch
from krm_fn.model.item import Item
from krm_fn.model.names import base_name
from krm_fn.model.node import fields, get, is_mapping
from krm_fn.model.settings import Settings
from krm_fn.stages.choose import Choice
from krm_fn.stages.name import REVISED, Revision

_MARKS = {"labels": (keys.SET,), "annotations": (keys.BASE_NAME, keys.RETAIN)}


def take_back(choices: Iterable[Choice], settings: Settings) -> list[Revision]:
    """The objects that get the names back that their author gave them.

    Only of this set, and only if somebody asked for it: what nobody chooses this time may be another run's.
    """
    return [
        Revision(choice.item, base, base, choice.strategy)
        for choice in choices
        if choice.asked and choice.strategy not in REVISED and choice.item.labels.get(keys.SET) == settings.set
        for base in [base_name(choice.item)]
        if keys.BASE_NAME in choice.item.annotations
    ]


def unmark(revision: Revision) -> Patch:
    """Less what said that it is a revision. What cannot change must not have a name that stays."""
    metadata: dict[str, Patch | str | None] = {"name": revision.name}
    for name, marks in _MARKS.items():
        present = [mark for mark in marks if mark in fields(get(revision.item.node, "metadata", name))]
        if present:
            metadata[name] = _without(revision.item, name, present)
    return {**({"immutable": None} if revision.moves else {}), "metadata": metadata}


def _without(item: Item, name: str, marks: list[str]) -> Patch | None:
    """None where nothing would be left."""
    present = get(item.node, "metadata", name)
    return None if is_mapping(present) and len(present.value) == len(marks) else dict.fromkeys(marks)
