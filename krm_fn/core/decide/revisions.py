"""The revisions that objects become, and which of their names cannot be."""

from collections.abc import Iterable, Mapping
from functools import cached_property
from types import MappingProxyType
from typing import NamedTuple, TypeAlias

from krm_fn.base.changes import Edit, SetParts
from krm_fn.base.item import Item, about
from krm_fn.base.keys import NEEDS_HASH_SUFFIX
from krm_fn.base.node import Node
from krm_fn.base.problem import Problem, ResourceId
from krm_fn.base.settings import Strategy
from krm_fn.core.names.names import without_hash
from krm_fn.core.references.generated import Generated, name_with
from krm_fn.core.references.reference import Reference, ResolvedReference

MAX_NAME = 253


class Revision(NamedTuple):
    """An object under its content name (`rename`), or its own (`adopt`). `generated`: what it makes in the cluster."""

    item: Item
    base_name: str
    name: str
    strategy: Strategy
    generated: tuple[Generated, ...] = ()

    @property
    def is_renamed(self) -> bool:
        """Tell whether its content decides its name, be it the one it has already.

        To adopt what kustomize's generators have named leaves that name, and references must say it all the same.
        """
        is_hashed = NEEDS_HASH_SUFFIX in self.item.annotations or self.name != self.base_name
        return self.strategy is Strategy.RENAME or is_hashed or self.name != self.item.id.name

    @property
    def id(self) -> ResourceId:
        """Who the object is in the output."""
        return self.item.id._replace(name=self.name)

    def meant_by(self, reference: Reference) -> ResourceId:
        """Return what a reference to it, or to what it makes, must mean in the output."""
        one = self._find_generated(reference)
        return self.id if one is None else ResourceId("v1", one.kind, self.id.namespace, self.name_of(one))

    def base_meant_by(self, reference: Reference) -> str:
        """Return the base name of what a reference means."""
        one = self._find_generated(reference)
        return self.base_name if one is None else one.base_name

    def name_of(self, generated: Generated) -> str:
        """Return the name in the output of what it makes: it has the hash of its producer."""
        return name_with(self.name, self.base_name, generated)

    def _find_generated(self, reference: Reference) -> Generated | None:
        if not self.generated:
            return None
        names = {reference.target, without_hash(reference.target)}  # it may be that of an earlier rendering
        named = (one for one in self.generated if one.kind == reference.kind and not names.isdisjoint(one.names))
        return next(named, None)

    @property
    def base_id(self) -> ResourceId:
        """Who it is to its author. Messages say this, so that the next run says the same."""
        return self.item.id._replace(name=self.base_name)


class Revisions:
    """`rendered`: the revisions in the output. `restored`: objects that get their base names back.

    `data`: changes of values in ConfigMaps that reference renamed objects. `in_producers`: the new texts of references
    in producers of Secrets.
    """

    def __init__(
        self,
        rendered: Iterable[Revision] = (),
        restored: Iterable[Revision] = (),
        data: Iterable[Edit] = (),
        problems: Iterable[Problem] = (),
        in_producers: Mapping[Node, str] = MappingProxyType({}),
    ) -> None:
        self.rendered = tuple(rendered)
        self.restored = tuple(restored)
        self.data = tuple(data)
        self.problems = tuple(problems)
        self._in_producers = dict(in_producers)

    @cached_property
    def renamed(self) -> dict[Item, Revision]:
        """Those whose names this function decides, restored ones included."""
        return {one.item: one for one in (*self.rendered, *self.restored) if one.is_renamed}

    @cached_property
    def names(self) -> dict[Item, str]:
        """Their names in the output."""
        return {item: revision.name for item, revision in self.renamed.items()}

    @cached_property
    def texts(self) -> dict[Node, str]:
        """The new values of the scalars that `data` changes, and of references in producers."""
        texts = dict(self._in_producers)
        for edit in self.data:
            if isinstance(edit.change, SetParts):
                texts[edit.change.node] = edit.change.text
        return texts


Consumers: TypeAlias = Mapping[Item, list[ResolvedReference]]
"""The references to each revision, or to what it makes, whose referrers the linker will see."""


def find_too_long(revisions: Iterable[Revision], allowed: int = MAX_NAME) -> list[Problem]:
    """Report names that the API server would refuse."""
    problems = []
    for revision in revisions:
        for name in dict.fromkeys((revision.name, *map(revision.name_of, revision.generated))):
            if len(name) > allowed:
                problems.append(_problem(revision, f"{name!r} has {len(name)} characters, allowed: {allowed}"))
    return problems


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
