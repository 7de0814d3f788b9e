"""Give revisions their content names."""

from collections.abc import Iterable
from typing import NamedTuple

from krm_fn.model import keys
from krm_fn.model.changes import Patch
from krm_fn.model.deployers import NEEDS_HASH_SUFFIX, keep_name
from krm_fn.model.item import Item, about
from krm_fn.model.node import fields, get, is_mapping, is_null
from krm_fn.model.problem import Problem, ResourceId, Severity
from krm_fn.model.settings import Settings, Strategy
from krm_fn.naming.content_hash import Unhashable, content_hash
from krm_fn.naming.names import base_name
from krm_fn.stages.choose import Choice

MAX_NAME = 253
REVISED = (Strategy.RENAME, Strategy.ADOPT)


class Revision(NamedTuple):
    """An object under its content name (`rename`), or under its own (`adopt`)."""

    item: Item
    base_name: str
    name: str
    strategy: Strategy

    @property
    def is_renamed(self) -> bool:
        """Whether its name is this function's to say."""
        return self.strategy is Strategy.RENAME or self.name != self.item.id.name

    @property
    def id(self) -> ResourceId:
        """Who the object is from now on."""
        return self.item.id._replace(name=self.name)

    @property
    def base_id(self) -> ResourceId:
        """Who it is to its author: what remarks say, so that they say the same on the next run."""
        return self.item.id._replace(name=self.base_name)


def name_revisions(choices: Iterable[Choice], taken_back: list[Revision]) -> tuple[list[Revision], list[Problem]]:
    """The revisions among the choices, and what is wrong with their names and with those that are taken back."""
    revisions: list[Revision] = []
    unhashable: list[Problem] = []
    for choice in choices:
        if choice.strategy in REVISED:
            try:
                revisions.append(_name(choice))
            except Unhashable as reason:
                unhashable.append(about(choice.item, reason.message, reason.field))
    remarks = [*find_too_long(revisions), *find_clashes(choices, [*revisions, *taken_back]), *map(_say, revisions)]
    return revisions, [*unhashable, *remarks]


def _name(choice: Choice) -> Revision:
    item = choice.item
    base = base_name(item)
    # What kustomize is about to hash is called so in the end, whoever hashes it.
    is_hashed = choice.strategy is Strategy.RENAME or NEEDS_HASH_SUFFIX in item.annotations
    name = f"{base}-{content_hash(item.node)}" if is_hashed else item.id.name
    return Revision(item, base, name, choice.strategy)


def mark_revision(revision: Revision, settings: Settings, protection: dict[str, str], *, held: bool) -> Patch:
    """What the object itself must say: name, label, annotations (`protection` among them), `immutable`.

    `held`: the linker will see who needs it. What nobody is seen to need it must never delete.
    """
    renamed = revision.strategy is Strategy.RENAME
    immutable = renamed and settings.immutable and is_null(get(revision.item.node, "immutable"))
    return {
        **({"immutable": True} if immutable else {}),
        "metadata": {
            **({"name": revision.name} if revision.is_renamed else {}),
            "labels": {keys.SET: settings.set},
            "annotations": {
                keys.BASE_NAME: revision.base_name,
                keys.RETAIN: None if held else "true",
                **protection,
                **(keep_name(revision.item.annotations, settings.deployers) if revision.is_renamed else {}),
            },
        },
    }


def find_too_long(revisions: list[Revision], allowed: int = MAX_NAME) -> list[Problem]:
    """Names that the API server would refuse."""
    return [
        _problem(revision, f"{revision.name!r} has {len(revision.name)} characters, allowed: {allowed}")
        for revision in revisions
        if len(revision.name) > allowed
    ]


def find_clashes(choices: Iterable[Choice], revisions: list[Revision]) -> list[Problem]:
    """Two objects that were told apart by their names and no longer are."""
    nodes = {id(revision.item.node) for revision in revisions}
    taken = {choice.item.id: choice.item.id for choice in choices if id(choice.item.node) not in nodes}
    problems = []
    for revision in revisions:
        before = taken.setdefault(revision.id, revision.item.id)
        if before != revision.item.id:
            problems.append(
                _problem(revision, f"would become {revision.id}, and so would {before}; remove one of them")
            )
    return problems


def _problem(revision: Revision, message: str) -> Problem:
    return about(revision.item, message, "metadata.name")


def _say(revision: Revision) -> Problem:
    """One info per revision; it says the same on every run over the same content."""
    problem = about(revision.item, f"revision of {revision.base_name}", severity=Severity.INFO)
    return problem._replace(resource=revision.id)


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
    return {**({"immutable": None} if revision.is_renamed else {}), "metadata": metadata}


def _without(item: Item, name: str, marks: list[str]) -> Patch | None:
    """None where nothing would be left."""
    present = get(item.node, "metadata", name)
    return None if is_mapping(present) and len(present.value) == len(marks) else dict.fromkeys(marks)
