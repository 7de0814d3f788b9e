"""Name the revisions, and write into each what makes it one.

A revision gets its content name, a label, annotations, `immutable`, and protection from pruning. An
object that is no revision any more gets back the name that its author gave it, and loses these
marks.
"""

from collections import defaultdict
from collections.abc import Generator, Iterable, Iterator, Mapping
from typing import TypeAlias, TypeVar

from krm_fn.base import keys
from krm_fn.base.changes import Changes, Edit, Patch, SetParts
from krm_fn.base.item import Item, about, locate
from krm_fn.base.keys import NEEDS_HASH_SUFFIX
from krm_fn.base.kind import PROTECTIONS, Protection, is_named_at_deploy, keep_name, protections_of
from krm_fn.base.node import Node, Scalar, fields, get, is_mapping, is_null
from krm_fn.base.problem import Problem, Severity, listing
from krm_fn.base.settings import Settings, Strategy
from krm_fn.core.decide.run import (
    Choice,
    Choices,
    Consumers,
    Package,
    Revision,
    Revisions,
    find_clashes,
    find_too_long,
)
from krm_fn.core.names.content_hash import Unhashable
from krm_fn.core.names.names import CONTENT_NAME, authored_id, base_name
from krm_fn.core.references.find import ROLES
from krm_fn.core.references.generated import find_generated, hash_of
from krm_fn.core.references.mentions import Mentions
from krm_fn.core.references.reference import ResolvedReference
from krm_fn.core.references.references import EmbeddedReference, References
from krm_fn.facts.kinds import SERVER_METADATA

_Result = TypeVar("_Result")
_Naming: TypeAlias = Generator[Item, None, _Result]
"""Work that yields each object whose name it needs first."""


def name_revisions(choices: Choices, references: References) -> Revisions:
    """Name the chosen objects.

    Report names that are too long, that clash, or that cannot be made.
    """
    chosen = [choice for choice in choices.all if choice.strategy.makes_revisions]
    no_longer = [choice for choice in choices.all if choice.gets_base_name_back]
    restored = [_restore(choice) for choice in no_longer]
    namer = _Namer(chosen, restored, references.embedded)
    namer.add_producers(
        [choice.item for choice in choices.all if not choice.item.is_config], references.authored
    )
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
    return Revisions(
        rendered, restored, namer.edits, [*namer.problems, *problems], namer.in_producers
    )


class _Namer:
    """Name revisions by their content: first those that the data of others references.

    No recursion: ConfigMaps may reference each other in a chain of any length.
    """

    def __init__(
        self,
        chosen: Iterable[Choice],
        restored: Iterable[Revision],
        embedded: Iterable[EmbeddedReference],
    ) -> None:
        self.edits: list[Edit] = []
        self.problems: list[Problem] = []
        self._chosen = {choice.item: choice for choice in chosen}
        self._revisions: dict[Item, Revision | None] = {
            revision.item: revision for revision in restored
        }
        self._embedded: dict[Item, list[EmbeddedReference]] = defaultdict(list)
        for one in embedded:
            self._embedded[one.item].append(one)
        self._open: set[Item] = set()
        self.in_producers: dict[Node, str] = {}
        self._of_producers: dict[Item, list[ResolvedReference]] = {}

    def add_producers(
        self, producers: Iterable[Item], references: Iterable[ResolvedReference]
    ) -> None:
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
                texts[one.reference.name] = one.reference.renamed(
                    renamed[0].meant_by(one.reference).name
                )
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
    return about(choice.item, message, severity=Severity.INFO)._replace(
        resource=authored_id(choice.item)
    )


def _warn_of_second_hash(revisions: Iterable[Revision]) -> Iterator[Problem]:
    """Warn of revisions of an earlier run that have lost what marks them, as in half of a merge: or so it seems."""
    for revision in revisions:
        if (
            revision.is_renamed
            and revision.item.is_config
            and CONTENT_NAME.fullmatch(revision.base_name)
        ):
            message = "its name ends like a revision's, and gets a hash all the same; write the base name if it is one"
            yield about(revision.item, message, "metadata.name", Severity.WARNING)._replace(
                resource=revision.base_id
            )


# Marks.

_OF_ONE_OBJECT = ("uid", "resourceVersion")
_MARKS = {"labels": (keys.SET,), "annotations": (keys.BASE_NAME, keys.WANTED, keys.RETAIN)}


def find_consumers(
    package: Package,
    references: References,
    mentions: Mentions,
    revisions: Revisions,
    settings: Settings,
) -> Consumers:
    """Return the references to each revision whose referrers the linker will see as its consumers.

    A revision that is missing here must be retained: its referrers are in another namespace or in
    none, or of a kind that the linker must not list; or a program copies it, and may delete the
    copies with it; or its name is only decided when it is deployed; or it is a Secret, and the
    linker has no right on Secrets.
    """
    namespaces = {
        revision.item: package.namespace_of(revision.item)
        for revision in revisions.rendered
        # Copies go with their original. kubernetes-replicator empties one with each source that it
        # has ever had (`ResourceDeletedReplicateFrom`).
        if _may_be_linked(revision, settings) and mentions.copies.find(revision.item) is None
    }
    consumers: dict[Item, list[ResolvedReference]] = defaultdict(list)
    out_of_sight = set()
    for resolved in references:
        referrer, reference, targets = resolved
        # A role says who may read an object, not that anybody does.
        if reference.written or referrer.id.kind in ROLES:
            continue
        for target in targets:
            is_near = package.namespace_of(referrer) == namespaces.get(target)
            is_seen = is_near and not package.kinds.is_cluster_scoped(referrer.id)
            if is_seen and package.kinds.of(referrer.id).is_listable:
                consumers[target].append(resolved)
            else:
                out_of_sight.add(target)
    return {item: seen for item, seen in consumers.items() if item not in out_of_sight}


def _may_be_linked(revision: Revision, settings: Settings) -> bool:
    if revision.id.kind == "Secret" and not settings.linker.secrets:
        return False
    return revision.is_renamed or not is_named_at_deploy(
        revision.item.annotations, settings.deployers
    )


def mark(revisions: Revisions, consumers: Consumers, settings: Settings) -> Changes:
    """Mark every revision. One without consumers in the linker's sight is to be retained."""
    patches, problems = [], []
    for revision in revisions.rendered:
        protection, warnings = _protect(revision.item, settings)
        patches.append(
            (
                revision.item,
                _mark(revision, settings, protection, has_consumers=revision.item in consumers),
            )
        )
        live = _find_live_fields(revision)
        if live:
            patches.append((revision.item, {"metadata": dict.fromkeys(live)}))
            warnings.append(_taken_off(revision, live))
        problems += [warning._replace(resource=revision.id) for warning in warnings]
    return Changes(patches=tuple(patches), problems=tuple(problems))


def mark_fixed_names(choices: Iterable[Choice]) -> Changes:
    """Mark what is left alone because its author asked for a fixed name: behind kustomize nothing else says so."""
    patches: list[tuple[Item, Patch]] = []
    for choice in choices:
        annotation = choice.reason.annotation
        if annotation and annotation not in choice.item.annotations:
            patches.append((choice.item, {"metadata": {"annotations": {annotation: "true"}}}))
    return Changes(patches=tuple(patches))


def _find_live_fields(revision: Revision) -> list[str]:
    """Return the fields that a renamed object has from a cluster, where it will be another object."""
    metadata = fields(get(revision.item.node, "metadata"))
    if not revision.is_renamed or metadata.keys().isdisjoint(_OF_ONE_OBJECT):
        return []
    return [name for name in metadata if name in SERVER_METADATA]


def _taken_off(revision: Revision, live: list[str]) -> Problem:
    names = listing((f"metadata.{name}" for name in live), is_sentence=True)
    message = (
        f"was read from a cluster: removed {names}, with which the API server refuses its revision"
    )
    return about(revision.item, message, severity=Severity.WARNING)


def restore(revisions: Revisions) -> Changes:
    """Give restored objects their names back, and remove what marks them as revisions."""
    # Protection stays: the author may have set it, and an object too many is better than a missing
    # one (decision 14).
    return Changes(
        patches=tuple((revision.item, _unmark(revision)) for revision in revisions.restored)
    )


def unprotect(revisions: Revisions, settings: Settings) -> Changes:
    """Remove from restored objects what stops the deployers from pruning.

    The next run that chooses them writes it.
    """
    patches: list[tuple[Item, Patch]] = []
    for revision in revisions.restored:
        present = revision.item.annotations
        protections = [
            one for one in protections_of(settings.deployers) if one.annotation in present
        ]
        annotations = {
            one.annotation: one.removed_from(present[one.annotation]) for one in protections
        }
        patches.append(
            (revision.item, {"metadata": {"annotations": annotations}} if annotations else {})
        )
    return Changes(patches=tuple(patches))


def _mark(
    revision: Revision, settings: Settings, protection: dict[str, str], *, has_consumers: bool
) -> Patch:
    is_rename = revision.strategy is Strategy.RENAME
    is_open = revision.item.is_config and is_null(get(revision.item.node, "immutable"))
    return {
        # What a content name stands for never changes. Under an adopted name, the content may.
        **({"immutable": True} if is_rename and settings.immutable and is_open else {}),
        "metadata": {
            **({"name": revision.name} if revision.is_renamed else {}),
            "labels": {keys.SET: settings.set},
            "annotations": {
                keys.BASE_NAME: revision.base_name,
                keys.WANTED: "true",
                keys.RETAIN: None if has_consumers else "true",
                **protection,
                # An adopted name must not change, also not in what kapp or Spinnaker make of it
                # (decision 15).
                **(
                    keep_name(revision.item.annotations, settings.deployers)
                    if revision.is_renamed
                    else {}
                ),
            },
        },
    }


def _unmark(revision: Revision) -> Patch:
    """Remove label, annotations and, because the name will stay the same from now on, `immutable`."""
    metadata: dict[str, Patch | str | None] = {"name": revision.name}
    for name, marks in _MARKS.items():
        present = [one for one in marks if one in fields(get(revision.item.node, "metadata", name))]
        if present:
            metadata[name] = _without(revision.item, name, present)
    was_immutable = revision.is_renamed and revision.item.is_config
    return {**({"immutable": None} if was_immutable else {}), "metadata": metadata}


def _without(item: Item, name: str, marks: list[str]) -> Patch | None:
    """Remove these labels or annotations; None, which removes the mapping, where no other is left."""
    present = get(item.node, "metadata", name)
    return (
        None if is_mapping(present) and len(present.value) == len(marks) else dict.fromkeys(marks)
    )


def _protect(item: Item, settings: Settings) -> tuple[dict[str, str], list[Problem]]:
    """Return the annotations that stop the deployers from pruning, merged into what is there.

    Where the author wants the opposite, the author's value stays, with a warning.
    """
    annotations: dict[str, str] = {}
    problems = []
    for deployer in settings.deployers:
        for protection in PROTECTIONS[deployer]:
            present = item.annotations.get(protection.annotation, "")
            merged = protection.added_to(present)
            if merged is None:
                problems.append(_opposite(item, deployer, protection, present))
            else:
                annotations[protection.annotation] = merged
    return annotations, problems


def _opposite(item: Item, deployer: str, protection: Protection, present: str) -> Problem:
    message = f"left as {present!r}: {deployer} may prune it while pods use it; {protection.value!r} prevents that"
    return about(item, message, f"metadata.annotations[{protection.annotation}]", Severity.WARNING)
