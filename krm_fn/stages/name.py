"""Give revisions their content names, and give other objects the names back that their authors gave them."""

from collections.abc import Iterable
from functools import cached_property
from typing import NamedTuple

from krm_fn.model import keys
from krm_fn.model.deployers import NEEDS_HASH_SUFFIX
from krm_fn.model.item import Item, about
from krm_fn.model.problem import Problem, ResourceId, Severity
from krm_fn.model.settings import Settings, Strategy
from krm_fn.naming.content_hash import Unhashable, content_hash
from krm_fn.naming.names import base_name
from krm_fn.stages.choose import Choice, Choices

MAX_NAME = 253
_REVISED = (Strategy.RENAME, Strategy.ADOPT)


class Revision(NamedTuple):
    """An object under its content name (`rename`), or under its own (`adopt`)."""

    item: Item
    base_name: str
    name: str
    strategy: Strategy

    @property
    def is_renamed(self) -> bool:
        """Tell whether this function decides its name, be it the one it has already."""
        return self.strategy is Strategy.RENAME or self.name != self.item.id.name

    @property
    def id(self) -> ResourceId:
        """Who the object is in the output."""
        return self.item.id._replace(name=self.name)

    @property
    def base_id(self) -> ResourceId:
        """Who it is to its author. Messages say this, so that the next run says the same."""
        return self.item.id._replace(name=self.base_name)


class Revisions:
    """`rendered`: the revisions in the output. `restored`: objects that get their base names back."""

    def __init__(
        self, rendered: Iterable[Revision] = (), restored: Iterable[Revision] = (), problems: Iterable[Problem] = ()
    ) -> None:
        self.rendered = tuple(rendered)
        self.restored = tuple(restored)
        self.problems = tuple(problems)

    @cached_property
    def renamed(self) -> dict[Item, Revision]:
        """Those whose names this function decides, restored ones included."""
        return {one.item: one for one in (*self.rendered, *self.restored) if one.is_renamed}

    @cached_property
    def names(self) -> dict[Item, str]:
        """Their names in the output."""
        return {item: revision.name for item, revision in self.renamed.items()}


def name_revisions(choices: Choices, settings: Settings) -> Revisions:
    """Name the chosen objects. Report names that are too long, that clash, or that cannot be made."""
    rendered: list[Revision] = []
    unhashable: list[Problem] = []
    for choice in choices.all:
        if choice.strategy in _REVISED:
            try:
                rendered.append(_name(choice))
            except Unhashable as reason:
                unhashable.append(about(choice.item, reason.message, reason.field))
    restored = list(_restored(choices, settings))
    others = [choice.item for choice in choices.all]
    problems = [*find_too_long(rendered), *find_clashes(others, [*rendered, *restored]), *map(_announce, rendered)]
    return Revisions(rendered, restored, [*unhashable, *problems])


def _name(choice: Choice) -> Revision:
    item = choice.item
    base = base_name(item)
    # An object that kustomize is about to hash gets its content name in any case.
    is_hashed = choice.strategy is Strategy.RENAME or NEEDS_HASH_SUFFIX in item.annotations
    name = f"{base}-{content_hash(item.node)}" if is_hashed else item.id.name
    return Revision(item, base, name, choice.strategy)


def _restored(choices: Choices, settings: Settings) -> Iterable[Revision]:
    """Find revisions of an earlier run in place that are explicitly chosen to be none any more.

    Only those of this set: what no entry chooses may be another run's revision.
    """
    for choice in choices.all:
        item = choice.item
        is_own = item.labels.get(keys.SET) == settings.set and keys.BASE_NAME in item.annotations
        if is_own and choice.explicit and choice.strategy not in _REVISED:
            base = base_name(item)
            yield Revision(item, base, base, choice.strategy)


def find_too_long(revisions: Iterable[Revision], allowed: int = MAX_NAME) -> list[Problem]:
    """Report names that the API server would refuse."""
    return [
        _problem(revision, f"{revision.name!r} has {len(revision.name)} characters, allowed: {allowed}")
        for revision in revisions
        if len(revision.name) > allowed
    ]


def find_clashes(items: Iterable[Item], revisions: list[Revision]) -> list[Problem]:
    """Report objects that have different names in the input and the same in the output."""
    named = {revision.item for revision in revisions}
    taken = {item.id: item.id for item in items if item not in named}
    problems = []
    for revision in revisions:
        before = taken.setdefault(revision.id, revision.item.id)
        if before != revision.item.id:
            message = f"would be named {revision.name}, like {before}; remove one of them"
            problems.append(_problem(revision, message))
    return problems


def _problem(revision: Revision, message: str) -> Problem:
    return about(revision.item, message, "metadata.name")


def _announce(revision: Revision) -> Problem:
    """Return one info for each revision. It is the same on every run over the same content."""
    problem = about(revision.item, f"revision of {revision.base_name}", severity=Severity.INFO)
    return problem._replace(resource=revision.id)
