"""Name the revisions, and write into each what makes it one.

A revision gets its content name, a label, annotations, `immutable`, and protection from pruning. An
object that is no revision any more gets back the name that its author gave it, and loses these
marks.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TypeVar

from krm_fn.base import keys
from krm_fn.base.changes import Changes, Edit, Patch, SetParts
from krm_fn.base.item import Item, about, collect, locate, warning
from krm_fn.base.keys import NEEDS_HASH_SUFFIX
from krm_fn.base.kind import (
    PROTECTIONS,
    ROLES,
    Kind,
    Protection,
    find_made,
    is_named_at_deploy,
    keep_name,
    protections_of,
)
from krm_fn.base.node import (
    Node,
    Scalar,
    entries,
    fields,
    get,
    is_mapping,
    is_null,
    is_sequence,
    text,
)
from krm_fn.base.problem import Problem, Problems, ResourceId, Severity, listing
from krm_fn.base.reference import EmbeddedReference, ResolvedReference
from krm_fn.base.settings import Settings, Strategy
from krm_fn.core.decide.run import (
    Choice,
    Choices,
    Consumers,
    Package,
    Revision,
    Revisions,
    Survey,
    report_clashes,
    report_too_long,
)
from krm_fn.core.names.content_hash import Unhashable
from krm_fn.core.names.names import CONTENT_NAME, authored_id, base_name, hash_in_name
from krm_fn.core.references.generated import find_generated, hash_of
from krm_fn.core.references.references import References
from krm_fn.facts.kinds import SERVER_METADATA

_Ordered = TypeVar("_Ordered")


def name_revisions(choices: Choices, references: References) -> Revisions:
    """Name the chosen objects.

    Report names that are too long, that clash, or that cannot be made.
    """
    chosen: list[Choice] = []
    no_longer: list[Choice] = []
    producers: list[Item] = []
    for choice in choices.all:
        if choice.strategy.makes_revisions:
            chosen.append(choice)
        if choice.gets_base_name_back:
            no_longer.append(choice)
        if not choice.item.is_config:
            producers.append(choice.item)
    restored = [*map(_restore, no_longer)]
    namer = _Namer(chosen, restored, references.embedded)
    namer.add_producers(producers, references.authored)
    rendered = namer.name_all()
    items = [choice.item for choice in choices.all]
    problems = [
        *report_too_long(rendered),
        *report_clashes(items, [*rendered, *restored]),
        *map(_announce, rendered),
        *_warn_of_second_hash(rendered),
        *map(_announce_restored, no_longer),
    ]
    return Revisions(
        rendered, restored, namer.edits, [*namer.problems, *problems], namer.in_producers
    )


class _Namer:
    """Name revisions by their content: first those that the data of others references."""

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
        self._embedded = collect((one.item, one) for one in embedded)
        self._circular: set[tuple[Item, Item]] = set()
        self.in_producers: dict[Node, str] = {}
        self._of_producers: dict[Item, list[ResolvedReference]] = {}

    def add_producers(
        self, producers: Iterable[Item], references: Iterable[ResolvedReference]
    ) -> None:
        """Take the references of producers: the objects that they read decide what they make."""
        self._of_producers = {item: [] for item in producers}
        if not self._of_producers:
            return
        for resolved in references:
            if resolved.referrer in self._of_producers and not resolved.reference.is_output:
                self._of_producers[resolved.referrer].append(resolved)

    def name_all(self) -> list[Revision]:
        """Name what is chosen, and update the data of all other objects. Return the revisions."""
        # Also those that keep their names: their data may hold the name of one that is renamed.
        items = [*self._chosen, *self._embedded, *self._of_producers]
        order, self._circular = put_in_order(items, self._list_needed)
        for item in order:
            texts = {**self._update_data(item), **self._read_renamed(item)}
            if item in self._chosen:
                self._name(item, texts)
        revisions = [self._revisions[item] for item in self._chosen]
        return [revision for revision in revisions if revision is not None]

    def _name(self, item: Item, texts: Mapping[Node, str]) -> None:
        try:
            self._revisions[item] = _name(self._chosen[item], texts)
        except Unhashable as reason:
            # Known to have no name, so that nobody looks for one: its readers stay as they are.
            self._revisions[item] = None
            self.problems.append(about(item, reason.message, reason.field))

    def _list_needed(self, item: Item) -> Iterator[Item]:
        """Find the chosen objects whose names are a part of an object's content."""
        for embedded in self._embedded.get(item, ()):
            yield from filter(self._chosen.__contains__, embedded.targets)
        for resolved in self._of_producers.get(item, ()):
            for target in resolved.targets:
                # A producer may read what it makes.
                if target in self._chosen and target != item:
                    yield target

    def _find_circular(self, item: Item, targets: Iterable[Item]) -> Item | None:
        """Find a target whose name depends on the content of this object."""
        for target in targets:
            if (item, target) in self._circular:
                return target
        return None

    def _list_renamed(self, targets: Iterable[Item]) -> list[Revision]:
        """Find the revisions of the objects that get other names."""
        renamed: list[Revision] = []
        for target in targets:
            revision = self._revisions.get(target)
            if revision is not None and revision.is_renamed:
                renamed.append(revision)
        return renamed

    def _read_renamed(self, item: Item) -> dict[Node, str]:
        """Return the new texts of the references in a producer."""
        texts: dict[Node, str] = {}
        for one in self._of_producers.get(item, ()):
            others = [target for target in one.targets if target != item]
            circular = self._find_circular(item, others)
            if circular is not None:
                message = f"references {circular.id}, whose name depends on this object; exclude one of them"
                self.problems.append(about(item, message, one.reference.field))
                continue
            renamed = self._list_renamed(others)
            if len(renamed) == 1:
                texts[one.reference.name] = one.reference.renamed(
                    renamed[0].meant_by(one.reference).name
                )
        self.in_producers |= texts
        return texts

    def _update_data(self, item: Item) -> dict[Node, str]:
        """Return the values of an object's data that change with the names in them."""
        parts: dict[Scalar, dict[tuple[int, int], str]] = defaultdict(dict)
        fields: dict[Scalar, str] = {}
        for one in self._embedded.get(item, ()):
            name = self._new_name(one)
            if name and (span := self._span(one)):
                fields[one.scalar] = one.field
                # An alias lets two places share one text. They may be in namespaces with different
                # objects.
                if parts[one.scalar].setdefault(span, name) != name:
                    message = f"{one.reference.target!r} in its data is shared by an alias; write each name out"
                    self.problems.append(about(item, message, one.field))
        texts: dict[Node, str] = {}
        for scalar, found in parts.items():
            change = SetParts(scalar, tuple((*span, name) for span, name in sorted(found.items())))
            self.edits.append(Edit(change, item, fields[scalar]))
            texts[scalar] = change.text
        return texts

    def _span(self, one: EmbeddedReference) -> tuple[int, int] | None:
        """Return where the name is in the data. Report a name that cannot be replaced there."""
        span = one.span
        if span is None:
            message = f"references {one.targets[0].id} with an escaped or folded name; write the name plainly"
            self.problems.append(about(one.item, message, one.field))
        return span

    def _new_name(self, one: EmbeddedReference) -> str:
        """Return the name that a reference in data must have; `""` where it stays as it is."""
        circular = self._find_circular(one.item, one.targets)
        if circular is not None:
            message = f"its data references {circular.id}, whose name depends on this data; exclude one of them"
            return self._refuse(one, message)
        renamed = self._list_renamed(one.targets)
        names = {revision.meant_by(one.reference).name for revision in renamed}
        items = {revision.item for revision in renamed}
        for target in one.targets:
            if target not in items:
                names.add(target.id.name if target.is_config else one.reference.target)
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


def put_in_order(
    items: Iterable[_Ordered], find_needed: Callable[[_Ordered], Iterator[_Ordered]]
) -> tuple[list[_Ordered], set[tuple[_Ordered, _Ordered]]]:
    """Put objects behind those that they need.

    Return also each pair where an object needs another one that needs it in turn.
    """
    order: dict[_Ordered, None] = {}
    circular: set[tuple[_Ordered, _Ordered]] = set()
    for item in items:
        # A stack of its own: ConfigMaps may reference each other in a longer chain than Python lets
        # calls be nested.
        path: dict[_Ordered, Iterator[_Ordered]] = {}
        if item not in order:
            path[item] = find_needed(item)
        while path:
            last = next(reversed(path))
            needed = next(path[last], None)
            if needed is None:
                order[last] = None
                del path[last]
            elif needed in path:
                circular.add((last, needed))
            elif needed not in order:
                path[needed] = find_needed(needed)
    return list(order), circular


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


def read_as_named(item: Item) -> Revision:
    """Return a revision as an earlier run has named it."""
    strategy = Strategy.RENAME if hash_in_name(item) else Strategy.ADOPT
    return Revision(item, base_name(item), item.id.name, strategy, tuple(find_generated(item)))


def _announce(revision: Revision) -> Problem:
    """Return one info for each revision. It is the same on every run over the same content."""
    message = f"revision of {revision.base_name}"
    return about(revision.item, message, severity=Severity.INFO, resource=revision.id)


def _announce_restored(choice: Choice) -> Problem:
    why = f"its strategy is {choice.strategy}" if choice.explicit else choice.reason.text
    message = f"no longer a revision: {why}"
    return about(choice.item, message, severity=Severity.INFO, resource=authored_id(choice.item))


def _warn_of_second_hash(revisions: Iterable[Revision]) -> Problems:
    """Warn of objects that seem to be revisions without their marks, as after half of a merge."""
    for revision in revisions:
        is_renamed_config = revision.is_renamed and revision.item.is_config
        if is_renamed_config and CONTENT_NAME.fullmatch(revision.base_name):
            message = "its name looks like a revision's, but gets another hash; write the base name if it is one"
            yield warning(revision.item, message, "metadata.name", revision.base_id)


# Marks.

_OF_ONE_OBJECT = ("uid", "resourceVersion")
_MARKS = {
    "labels": (keys.SET,),
    "annotations": (keys.BASE_NAME, keys.WANTED, keys.RETAIN, keys.KINDS, keys.LEAVING),
}


def find_consumers(survey: Survey, revisions: Revisions) -> Consumers:
    """Return the references to each revision whose referrers the linker will see as its consumers.

    A revision that is missing here must be retained: its referrers are in another namespace or in
    none, or of a kind that the linker must not list, or is not told; or a program copies it, and
    may delete the copies with it; or its name is only decided when it is deployed; or it is a
    Secret, and the linker has no right on Secrets.
    """
    package, linker = survey.package, survey.settings.linker
    namespaces: dict[Item, str] = {}
    for revision in revisions.rendered:
        if not _may_be_linked(revision, survey):
            continue
        # Copies go with their original. kubernetes-replicator empties one with each source that it
        # has ever had (`ResourceDeletedReplicateFrom`).
        if survey.mentions.copies.find(revision.item) is None:
            namespaces[revision.item] = package.namespace_of(revision.item)
    consumers: dict[Item, list[ResolvedReference]] = defaultdict(list)
    out_of_sight = set()
    for resolved in survey.references:
        referrer, reference, targets = resolved
        # A role says who may read an object, not that anybody does.
        if reference.is_output or referrer.id.kind in ROLES:
            continue
        for target in targets:
            # The garbage collector deletes what has only owners of another namespace.
            is_near = package.namespace_of(referrer) == namespaces.get(target)
            is_seen = is_near and not package.kinds.is_cluster_scoped(referrer.id)
            holding = find_holding(resolved, package)
            is_listable = all(kind.is_listable for kind in holding)
            if is_seen and is_listable and not linker.find_unread(holding):
                consumers[target].append(resolved)
            else:
                # One reader out of sight is enough: the linker would delete the object under its
                # pods.
                out_of_sight.add(target)
    return {item: seen for item, seen in consumers.items() if item not in out_of_sight}


def find_holding(resolved: ResolvedReference, package: Package) -> set[Kind]:
    """Return the kinds beyond those that each linker lists of which an object may hold what a reference says.

    These are that of the referrer, those of the objects in it that it is to make, and what
    controllers make of any of these.
    """
    kind = package.kinds.of(resolved.referrer.id)
    if kind.is_consumer:
        return set()
    if resolved.referrer.objects_around is None:
        resolved.referrer.objects_around = _find_objects_around(resolved.referrer.node)
    kinds = {kind}
    for who in resolved.referrer.objects_around.get(resolved.reference.name, ()):
        made = package.kinds.of(who)
        if made.is_listable:
            kinds.add(made)
    return find_made(kinds)


def _find_objects_around(top: Node) -> dict[Node, frozenset[ResourceId]]:
    """Return the ids of the whole objects, below the top, around each node: for an alias, around each of its places."""
    found: dict[Node, frozenset[ResourceId]] = {}
    # A stack of its own: an object may be deeper than Python lets calls be nested.
    left: list[tuple[Node, frozenset[ResourceId]]] = [(top, frozenset())]
    while left:
        node, around = left.pop()
        if node in found and around <= found[node]:
            continue  # another place of an alias, with nothing new around it
        found[node] = around | found.get(node, frozenset())
        if is_mapping(node):
            api_version, kind = text(get(node, "apiVersion")), text(get(node, "kind"))
            if node is not top and api_version and kind and get(node, "spec") is not None:
                around |= {ResourceId(api_version, kind, "", "")}
            left += [(value, around) for _, value in entries(node)]
        elif is_sequence(node):
            left += [(value, around) for value in node.value]
    return found


def _may_be_linked(revision: Revision, survey: Survey) -> bool:
    settings, item = survey.settings, revision.item
    if revision.id.kind == "Secret" and not settings.linker.secrets:
        return False
    producer = survey.package.kinds.of(item.id)
    if not item.is_config and settings.linker.find_unread([producer]):
        return False  # who is not told the kind of a producer cannot let its trackers own it
    return revision.is_renamed or not is_named_at_deploy(
        revision.item.annotations, settings.deployers
    )


def mark(revisions: Revisions, consumers: Consumers, survey: Survey) -> Changes:
    """Mark every revision. One without consumers in the linker's sight is to be retained."""
    settings = survey.settings
    patches, problems = [], []
    for revision in revisions.rendered:
        protection, warnings = _protect(revision.item, settings)
        marks = marks_for_linker(revision, consumers, survey.package, settings)
        patch = _mark(revision, settings, {**marks, **protection})
        patches.append((revision.item, patch))
        live = _list_server_fields(revision)
        if live:
            patches.append((revision.item, {"metadata": dict.fromkeys(live)}))
            warnings.append(_taken_off(revision, live))
        problems += [warning._replace(resource=revision.id) for warning in warnings]
    return Changes(patches=tuple(patches), problems=tuple(problems))


def marks_for_linker(
    revision: Revision, consumers: Consumers, package: Package, settings: Settings
) -> dict[str, str | None]:
    """Return the annotations of a revision, and of its trackers, that say what the linker may do.

    None removes one: an earlier run may have found no reader, or others.
    """
    kinds: set[Kind] = set()
    for resolved in consumers.get(revision.item, ()):
        kinds |= find_holding(resolved, package)
    return {
        keys.RETAIN: None if revision.item in consumers else "true",
        keys.KINDS: ",".join(sorted(f"{kind.api_version}/{kind.kind}" for kind in kinds)) or None,
        keys.LEAVING: "true" if settings.leave else None,
    }


def mark_reasons(choices: Iterable[Choice]) -> Changes:
    """Mark objects with the reasons that nothing says behind kustomize, or in the rendering of a chart."""
    patches: list[tuple[Item, Patch]] = []
    for choice in choices:
        annotation = choice.reason.annotation
        if annotation and annotation not in choice.item.annotations:
            patches.append((choice.item, {"metadata": {"annotations": {annotation: "true"}}}))
    return Changes(patches=tuple(patches))


def _list_server_fields(revision: Revision) -> list[str]:
    """Return the fields that a renamed object has from a cluster, where it will be a new one."""
    metadata = fields(get(revision.item.node, "metadata"))
    # The API server refuses only `_OF_ONE_OBJECT` in a new object. Beside one of them, the others
    # are from a cluster too, and just as outdated.
    if not revision.is_renamed or metadata.keys().isdisjoint(_OF_ONE_OBJECT):
        return []
    return [name for name in metadata if name in SERVER_METADATA]


def _taken_off(revision: Revision, live: list[str]) -> Problem:
    names = listing((f"metadata.{name}" for name in live), is_sentence=True)
    message = (
        f"was read from a cluster: removed {names}, with which the API server refuses its revision"
    )
    return warning(revision.item, message)


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
        annotations = {
            one.annotation: one.removed_from(present[one.annotation])
            for one in protections_of(settings.deployers)
            if one.annotation in present
        }
        patch: Patch = {"metadata": {"annotations": annotations}} if annotations else {}
        patches.append((revision.item, patch))
    return Changes(patches=tuple(patches))


def _mark(revision: Revision, settings: Settings, marks: dict[str, str | None]) -> Patch:
    annotations: dict[str, str | None] = {
        keys.BASE_NAME: revision.base_name,
        # The linker takes it away before it deletes. A deployer that still wants the object puts it
        # back, and then the linker leaves the object.
        keys.WANTED: "true",
        **marks,
    }
    metadata: dict[str, Patch | str | None] = {}
    if revision.is_renamed:
        metadata["name"] = revision.name
        # Neither kapp nor Spinnaker may make another name of a content name. An adopted name stays
        # as they make it (decision 15).
        annotations |= keep_name(revision.item.annotations, settings.deployers)
    metadata["labels"] = {keys.SET: settings.set}
    metadata["annotations"] = annotations
    patch: dict[str, Patch | bool | None] = {}
    # The content under a content name never changes. Under an adopted name, it may.
    is_open = revision.item.is_config and is_null(get(revision.item.node, "immutable"))
    if revision.strategy is Strategy.RENAME and settings.immutable and is_open:
        patch["immutable"] = True
    patch["metadata"] = metadata
    return patch


def _unmark(revision: Revision) -> Patch:
    """Remove label, annotations and `immutable`: the name will stay the same from now on."""
    metadata: dict[str, Patch | str | None] = {"name": revision.name}
    for name, marks in _MARKS.items():
        present = [one for one in marks if one in fields(get(revision.item.node, "metadata", name))]
        if present:
            metadata[name] = _without(revision.item, name, present)
    patch: dict[str, Patch | bool | None] = {}
    if revision.is_renamed and revision.item.is_config:
        patch["immutable"] = None
    patch["metadata"] = metadata
    return patch


def _without(item: Item, name: str, marks: list[str]) -> Patch | None:
    """Remove these labels or annotations; the mapping too (None) where no other is left."""
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
    return warning(item, message, f"metadata.annotations[{protection.annotation}]")
