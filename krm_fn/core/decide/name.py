"""Give revisions their content names, and give other objects the names back that their authors gave them."""

from collections import defaultdict
from collections.abc import Generator, Iterable, Iterator, Mapping
from typing import TypeAlias, TypeVar

from krm_fn.base.changes import Edit, SetParts
from krm_fn.base.item import Item, about, locate
from krm_fn.base.keys import NEEDS_HASH_SUFFIX
from krm_fn.base.node import Node, Scalar
from krm_fn.base.problem import Problem, Severity
from krm_fn.base.settings import Strategy
from krm_fn.core.decide.choice import Choice, Choices
from krm_fn.core.decide.revisions import Revision, Revisions, find_clashes, find_too_long
from krm_fn.core.names.content_hash import Unhashable
from krm_fn.core.names.names import CONTENT_NAME, authored_id, base_name
from krm_fn.core.references.embedded import EmbeddedReference
from krm_fn.core.references.generated import find_generated, hash_of
from krm_fn.core.references.reference import ResolvedReference
from krm_fn.core.references.references import References

_Result = TypeVar("_Result")
_Naming: TypeAlias = Generator[Item, None, _Result]
"""Work that yields each object whose name it needs first."""


def name_revisions(choices: Choices, references: References) -> Revisions:
    """Name the chosen objects. Report names that are too long, that clash, or that cannot be made."""
    chosen = [choice for choice in choices.all if choice.strategy.makes_revisions]
    no_longer = [choice for choice in choices.all if choice.gets_base_name_back]
    restored = [_restore(choice) for choice in no_longer]
    namer = _Namer(chosen, restored, references.embedded)
    namer.add_producers([choice.item for choice in choices.all if not choice.item.is_config], references.authored)
    rendered = [revision for choice in chosen if (revision := namer.name(choice.item))]
    namer.update_others()
    others = [choice.item for choice in choices.all]
    problems = [
        *find_too_long(rendered),
        *find_clashes(others, [*rendered, *restored]),
        *map(_announce, rendered),
        *_warn_of_second_hash(rendered),
        *map(_announce_restored, no_longer),
    ]
    return Revisions(rendered, restored, namer.edits, [*namer.problems, *problems], namer.in_producers)


class _Namer:
    """Name revisions by their content: first those that the data of others references.

    No recursion: ConfigMaps may reference each other in a chain of any length.
    """

    def __init__(
        self, chosen: Iterable[Choice], restored: Iterable[Revision], embedded: Iterable[EmbeddedReference]
    ) -> None:
        self.edits: list[Edit] = []
        self.problems: list[Problem] = []
        self._chosen = {choice.item: choice for choice in chosen}
        self._revisions: dict[Item, Revision | None] = {revision.item: revision for revision in restored}
        self._embedded: dict[Item, list[EmbeddedReference]] = defaultdict(list)
        for one in embedded:
            self._embedded[one.item].append(one)
        self._open: set[Item] = set()
        self.in_producers: dict[Node, str] = {}
        self._of_producers: dict[Item, list[ResolvedReference]] = {}

    def add_producers(self, producers: Iterable[Item], references: Iterable[ResolvedReference]) -> None:
        """Take the references of producers: what they read decides the content of what they make."""
        self._of_producers = {item: [] for item in producers}
        for resolved in references if self._of_producers else ():
            if resolved.referrer in self._of_producers and not resolved.reference.written:
                self._of_producers[resolved.referrer].append(resolved)

    def name(self, item: Item) -> Revision | None:
        """Return the revision of an object; None if it is none, or cannot be named."""
        self._finish(self._name_after_others(item))
        return self._revisions.get(item)

    def update_others(self) -> None:
        """Update the data of objects that are no revisions."""
        for item in self._embedded:
            if item not in self._chosen:
                self._finish(self._update_data(item))
        for item in self._of_producers:
            if item not in self._chosen:
                self._finish(self._read_renamed(item))

    def _finish(self, naming: _Naming[object]) -> None:
        """Do some work, before it the work that it waits for, and so on."""
        # A stack of its own: a chain of ConfigMaps may be longer than Python lets calls be nested.
        waiting: list[_Naming[object]] = [naming]
        while waiting:
            needed = next(waiting[-1], None)
            if needed is None:
                waiting.pop()
            else:
                waiting.append(self._name_after_others(needed))

    def _name_after_others(self, item: Item) -> _Naming[None]:
        if item in self._revisions or item not in self._chosen:
            return
        # Until it is removed, whoever needs the name of this object depends on itself.
        self._open.add(item)
        data = yield from self._update_data(item)
        texts = {**data, **(yield from self._read_renamed(item))}
        self._open.remove(item)
        try:
            self._revisions[item] = _name(self._chosen[item], texts)
        except Unhashable as reason:
            self._revisions[item] = None
            self.problems.append(about(item, reason.message, reason.field))

    def _renamed(self, targets: Iterable[Item]) -> _Naming[list[Revision]]:
        """Name objects. Return the revisions of those that get other names."""
        renamed: list[Revision] = []
        for target in targets:
            yield target
            revision = self._revisions.get(target)
            if revision and revision.is_renamed:
                renamed.append(revision)
        return renamed

    def _read_renamed(self, item: Item) -> _Naming[dict[Node, str]]:
        """Return the new texts of the references in a producer."""
        texts: dict[Node, str] = {}
        for one in self._of_producers.get(item, ()):
            others = [target for target in one.targets if target != item]
            open_targets = [target for target in others if target in self._open]
            if open_targets:
                message = f"references {open_targets[0].id}, whose name depends on this object; exclude one of them"
                self.problems.append(about(item, message, one.reference.field))
                continue
            renamed = yield from self._renamed(others)
            if len(renamed) == 1:
                texts[one.reference.name] = one.reference.renamed(renamed[0].meant_by(one.reference).name)
        self.in_producers |= texts
        return texts

    def _update_data(self, item: Item) -> _Naming[dict[Node, str]]:
        """Return the values of an object's data that change with the names in them."""
        parts: dict[Scalar, dict[tuple[int, int], str]] = defaultdict(dict)
        fields: dict[Scalar, str] = {}
        for one in self._embedded.get(item, ()):
            name = yield from self._new_name(one)
            if name and (span := self._span(one)):
                fields[one.scalar] = one.field
                if parts[one.scalar].setdefault(span, name) != name:
                    message = f"{one.reference.target!r} in its data is shared by an alias; write each name out"
                    self.problems.append(about(item, message, one.field))
        changes: list[SetParts] = []
        for scalar, found in parts.items():
            in_order = tuple((*span, name) for span, name in sorted(found.items()))
            changes.append(SetParts(scalar, in_order))
        self.edits += [Edit(change, item, fields[change.node]) for change in changes]
        return {change.node: change.text for change in changes}

    def _span(self, one: EmbeddedReference) -> tuple[int, int] | None:
        """Return where the name is in the data. Report a name that cannot be replaced there."""
        span = one.span
        if span is None:
            message = f"references {one.targets[0].id} with an escaped or folded name; write the name plainly"
            self.problems.append(about(one.item, message, one.field))
        return span

    def _new_name(self, one: EmbeddedReference) -> _Naming[str]:
        """Return the name that a reference in data must have; `""` where it stays as it is."""
        open_targets = [target for target in one.targets if target in self._open]
        if open_targets:
            message = f"its data references {open_targets[0].id}, whose name depends on this data; exclude one of them"
            return self._refuse(one, message)
        renamed = yield from self._renamed(one.targets)
        names = {revision.meant_by(one.reference).name for revision in renamed}
        others = {*one.targets}.difference(revision.item for revision in renamed)
        names |= {other.id.name if other.is_config else one.reference.target for other in others}
        if not renamed or names == {one.reference.target}:
            return ""
        if len(names) > 1:
            found = " and ".join(map(locate, one.targets))
            message = f"{one.reference.target!r} in its data matches {found}; give them different names, or exclude one"
            return self._refuse(one, message)
        if one.is_encoded:
            message = f"references {renamed[0].base_id} in base64, which is not edited; use stringData, or exclude it"
            return self._refuse(one, message)
        return names.pop()

    def _refuse(self, one: EmbeddedReference, message: str) -> str:
        self.problems.append(about(one.item, message, one.field))
        return ""


def _name(choice: Choice, texts: Mapping[Node, str]) -> Revision:
    item = choice.item
    base = base_name(item)
    # An object that kustomize is about to hash gets its content name in any case.
    is_hashed = choice.strategy is Strategy.RENAME or NEEDS_HASH_SUFFIX in item.annotations
    name = f"{base}-{hash_of(item, texts)}" if is_hashed else item.id.name
    return Revision(item, base, name, choice.strategy, tuple(find_generated(item)))


def _restore(choice: Choice) -> Revision:
    """Give a revision of an earlier run in place its base name back."""
    base = base_name(choice.item)
    return Revision(choice.item, base, base, choice.strategy, tuple(find_generated(choice.item)))


def _announce(revision: Revision) -> Problem:
    """Return one info for each revision. It is the same on every run over the same content."""
    problem = about(revision.item, f"revision of {revision.base_name}", severity=Severity.INFO)
    return problem._replace(resource=revision.id)


def _announce_restored(choice: Choice) -> Problem:
    why = f"its strategy is {choice.strategy}" if choice.explicit else choice.reason.text
    message = f"no longer a revision: {why}"
    return about(choice.item, message, severity=Severity.INFO)._replace(resource=authored_id(choice.item))


def _warn_of_second_hash(revisions: Iterable[Revision]) -> Iterator[Problem]:
    """Warn of revisions of an earlier run that have lost what marks them, as in half of a merge: or so it seems."""
    for revision in revisions:
        if revision.is_renamed and revision.item.is_config and CONTENT_NAME.fullmatch(revision.base_name):
            message = "its name ends like a revision's, and gets a hash all the same; write the base name if it is one"
            yield about(revision.item, message, "metadata.name", Severity.WARNING)._replace(resource=revision.base_id)
