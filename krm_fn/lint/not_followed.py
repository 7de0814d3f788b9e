"""References that do not follow, or that probably mean something else than they say."""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import chain
from typing import Protocol

from krm_fn.base import keys
from krm_fn.base.item import Item, about, collect, data_texts, warning
from krm_fn.base.keys import NEEDS_HASH_SUFFIX
from krm_fn.base.kind import BUILT_IN_GROUPS, ROLES
from krm_fn.base.named_tuple import NamedTuple
from krm_fn.base.problem import Problem, Problems, ResourceId, Severity
from krm_fn.base.reference import By, Reference, ResolvedReference
from krm_fn.base.settings import Strategy
from krm_fn.base.suggest import find_near
from krm_fn.core.decide.run import Package, Revisions, Run
from krm_fn.core.names.content_hash import Unhashable, content_hash
from krm_fn.core.names.names import authored_id, base_name, is_hashed_by_kustomize
from krm_fn.core.references.generated import (
    find_generated,
    say_unpinned,
    versioned,
    why_not_renamed,
)
from krm_fn.core.references.mentions import Mentions
from krm_fn.core.references.references import References, is_left_behind
from krm_fn.core.references.resolve import Index
from krm_fn.core.references.sighting import FIELD, NO_HASH, TEXT_FOR_PEOPLE
from krm_fn.facts.annotations import KAPP_EXPLICIT_REFERENCE, KAPP_KEEPS_ORIGINAL

_OTHER = {"ConfigMap": "Secret", "Secret": "ConfigMap"}


class Seen(Protocol):
    """The parts of a run that searches read. A rendering that `krm-fn verify` reads has them too."""

    @property
    def package(self) -> Package: ...
    @property
    def references(self) -> References: ...
    @property
    def mentions(self) -> Mentions: ...
    @property
    def revisions(self) -> Revisions: ...


def warn_about_unlisted(run: Run) -> Problems:
    """Warn about each referrer of a revision whose kind no Role may name."""
    rendered = {revision.item for revision in run.revisions.rendered}
    seen = set()
    for referrer, reference, targets in run.references:
        is_consumer = (
            not reference.is_output
            and referrer.id.kind not in ROLES
            and not rendered.isdisjoint(targets)
        )
        # Retained for another reason, which is said.
        is_consumer = is_consumer and reference.rule.by is not By.COPY
        kind = run.package.kinds.of(referrer.id)
        if is_consumer and referrer not in seen and not kind.is_listable:
            seen.add(referrer)
            message = (
                f"the linker must not list this kind (apiVersion {kind.api_version!r}, kind {kind.kind!r}, plural "
                f"{kind.plural!r}): the revisions that it references are retained, and nothing deletes them"
            )
            yield warning(referrer, message)


def warn_about_sightings(run: Run) -> Problems:
    """Warn about each place that says the name of a renamed object, and that no rule follows."""
    renamed = run.revisions.renamed
    if not renamed:
        return
    # A name in data is followed where a reference is recognised by its shape.
    followed = {
        (one.item, one.field, target) for one in run.references.embedded for target in one.targets
    }
    for one in run.mentions.sightings:
        revision = renamed.get(one.target)
        if revision is None or not revision.strategy.makes_revisions or not one.way.warning:
            continue
        if (one.item, one.field, one.target) in followed:
            continue
        if one.field.startswith(f"metadata.annotations[{KAPP_EXPLICIT_REFERENCE}"):
            continue  # `warn_about_kapps_annotations` says more of it
        severity = Severity.WARNING if one.way.because else Severity.INFO
        yield about(one.item, one.way.warning(one, revision.name), one.field, severity)


class LeftBehind(NamedTuple):
    """A field with the base name of an object that kustomize names by its content, so that nothing has it.

    `lookup`: where its referrer looks, if that is the reason. `is_certain`: a reference in a namespaced object. Other
    fields may mean something else, and other referrers an object of another package.
    """

    referrer: Item
    field: str
    item: Item
    remedy: str = ""
    lookup: str = ""
    is_certain: bool = False

    @property
    def message(self) -> str:
        kind, base = self.item.id.kind, base_name(self.item)
        # What a kustomization says in `configurations` or `crds`, its functions cannot see.
        is_late = NEEDS_HASH_SUFFIX in self.item.annotations
        unless = " unless a nameReference follows this field" if is_late else ""
        return (
            f"names {kind} {base}, which is nowhere in the rendering{unless}: kustomize names the object "
            f"{_name_by_kustomize(self.item)}"
        )


def find_left_behind(seen: Seen) -> Iterable[LeftBehind]:
    """Find what keeps the base name of an object that kustomize has named, and that is not renamed here.

    A field is found once, by what says most of it.
    """
    found: dict[tuple[Item, str], LeftBehind] = {}
    for one in _find_left_behind(seen):
        found.setdefault((one.referrer, one.field), one)
    return found.values()


def _find_left_behind(seen: Seen) -> Iterator[LeftBehind]:
    hashed = _find_hashed(seen)
    if not hashed:
        return
    for one in seen.references.authored:
        if not one.reference.is_output and one.referrer.id.kind not in ROLES:
            yield from _find_left_by_reference(one, seen.references.index, hashed)
    for said in seen.mentions.sightings:
        if said.way is not TEXT_FOR_PEOPLE and said.name == hashed.get(said.target):
            remedy = "add the field to spec.references" if said.way.code == FIELD.code else ""
            yield LeftBehind(said.item, said.field, said.target, remedy)


def _find_hashed(seen: Seen) -> dict[Item, str]:
    """Return the base names of what kustomize has named by its content, and what stays so."""
    hashed: dict[Item, str] = {}
    for item in seen.package.configs:
        is_accepted = item.annotations.get(keys.STRATEGY) == Strategy.IGNORE
        is_renamed = item in seen.revisions.renamed
        if not is_renamed and not is_accepted and is_hashed_by_kustomize(item):
            hashed[item] = base_name(item)
    return hashed


def _find_left_by_reference(
    one: ResolvedReference, index: Index, hashed: Collection[Item]
) -> Iterator[LeftBehind]:
    lookup, unclear = index.find_unclear(one)
    meant = one.targets or unclear
    if meant and all(item in hashed and is_left_behind(one, item) for item in meant):
        referrer, field = one.referrer, one.reference.field
        if unclear:
            yield LeftBehind(referrer, field, meant[0], lookup=lookup.said)
        else:
            is_certain = one.reference.installed_in is None  # else a chart may make it
            yield LeftBehind(referrer, field, meant[0], "choose the object", is_certain=is_certain)


def _name_by_kustomize(item: Item) -> str:
    if item.id.name != base_name(item):
        return item.id.name
    try:
        return f"{item.id.name}-{content_hash(item.node)}"
    except Unhashable:
        return f"{item.id.name}-..."


def warn_about_left_behind(run: Run) -> Problems:
    """Warn about each base name that nothing has, because kustomize has named the object."""
    for one in find_left_behind(run):
        kind = one.item.id.kind
        remedy = one.remedy
        if remedy and kind not in run.settings.kinds:
            remedy = f"add {kind} to spec.kinds"
        either = f"{remedy}, or " if remedy else ""
        why = f", and this referrer has no namespace, and {one.lookup}" if one.lookup else ""
        message = f"{one.message}{why}; {either}{NO_HASH}"
        yield warning(one.referrer, message, one.field)


_VARIABLE = r"\$\(([A-Z][A-Z0-9_]*)\)"
"""A reference to one of kustomize's `vars`, as its pages spell them."""


def warn_about_vars(run: Run) -> Problems:
    """Warn about content that kustomize may fill after it has named the object, where this function runs before that.

    Only lines by themselves: scripts and manifests in data have such variables of their own.
    """
    for revision in run.revisions.rendered:
        if revision.is_renamed and NEEDS_HASH_SUFFIX in revision.item.annotations:
            for value in data_texts(revision.item):
                found = None if "\n" in value.text else re.search(_VARIABLE, value.text)
                if found is not None:
                    message = (
                        f"has {found[0]}: if `vars` of kustomize fill it, which comes later, the name is that of other "
                        "content; use `replacements`"
                    )
                    yield warning(revision.item, message, value.field, revision.base_id)
                    break


def warn_about_kapps_annotations(run: Run) -> Problems:
    """Warn about what kapp would have versioned, and what it has kept, of objects that are renamed now."""
    renamed = collect((one.base_name, one) for one in run.revisions.rendered if one.is_renamed)
    for item in run.package.authored:
        for name, value in item.annotations.items():
            if not name.startswith(KAPP_EXPLICIT_REFERENCE):
                continue
            words = dict.fromkeys(re.findall(r"[\w.-]+", value))
            for revision in chain.from_iterable(renamed.get(word, ()) for word in words):
                if revision.base_id.kind in words:
                    message = (
                        f"names {revision.base_id}, and stays as it is: kapp finds no such object any more; remove "
                        "the annotation, and add an entry to spec.references for the field that it is about"
                    )
                    yield warning(item, message, f"metadata.annotations[{name}]")
    for revision in chain.from_iterable(renamed.values()):
        if KAPP_KEEPS_ORIGINAL in revision.item.annotations:
            message = (
                "kapp has kept a copy under this name, which nothing updates any more: its readers keep the "
                "present content; exclude the object if there are any, else delete the copy"
            )
            field = f"metadata.annotations[{KAPP_KEEPS_ORIGINAL}]"
            yield warning(revision.item, message, field, revision.base_id)


def warn_about_copied(run: Run) -> Problems:
    """Warn about each renamed object that a program copies elsewhere.

    Nobody sees who reads the copies.
    """
    for revision in run.revisions.rendered:
        if revision.strategy is not Strategy.RENAME:
            continue
        copy = run.mentions.copies.find(revision.item)
        if copy is not None:
            message = (
                f"{revision.base_id} is renamed to {revision.name}, but {copy.text}; readers of the copies keep "
                "the old name, and a copy may be emptied when the object of that name is deleted; exclude it"
            )
            problem = warning(copy.item, message, copy.field)
            yield problem._replace(resource=revision.id) if copy.item is revision.item else problem


def warn_about_misspelled(run: Run) -> Problems:
    """Warn about each name that the package nearly has."""
    for one in find_misspelled(run):
        yield warning(one.resolved.referrer, one.message, one.resolved.reference.field)


class Misspelled(NamedTuple):
    """A reference, and the kind, the namespace and the name of what it probably means."""

    resolved: ResolvedReference
    kind: str
    namespace: str
    name: str

    @property
    def message(self) -> str:
        kind, name = self.resolved.reference.kind, self.resolved.reference.target
        meant = repr(self.name) if self.kind == kind else f"the {self.kind} of this name"
        return f"{kind} {name!r} is not in the package; did you mean {meant}?"


def find_misspelled(seen: Seen) -> Iterator[Misspelled]:
    """Find each name that the package does not have, if it has one of the same kind and namespace that is near.

    The reference may be optional: Kubernetes does not report such a mistake at all. A name that any object of the
    package has is none: an operator may make a Secret under the name of its own object.
    """
    package, references = seen.package, seen.references
    made: set[tuple[tuple[str, str], str]] = set()
    unresolved: list[ResolvedReference] = []
    for one in references.authored:
        if one.reference.is_output:
            made.add((_place_of(one, package), one.reference.target))
        elif _is_unresolved(one, package):
            unresolved.append(one)
    # Only now: a controller that makes the object may be behind its readers.
    unresolved = [
        one for one in unresolved if (_place_of(one, package), one.reference.target) not in made
    ]
    if not unresolved:
        return
    near = _find_all_near(unresolved, package, references)
    # If something reads an object, its name is right, and one of the other kind may be outside the
    # package.
    read: set[Item] = set()
    for one in references:
        read.update(one.targets)
    unread = {
        (item.id.kind, package.namespace_of(item), item.id.name)
        for item in package.configs
        if item not in read
    }
    for one in unresolved:
        (kind, namespace), name = _place_of(one, package), one.reference.target
        if name in near[kind, namespace]:
            yield Misspelled(one, kind, namespace, near[kind, namespace][name])
        elif one.reference.in_pod and (_OTHER.get(kind), namespace, name) in unread:
            yield Misspelled(one, _OTHER[kind], namespace, name)


def _is_unresolved(one: ResolvedReference, package: Package) -> bool:
    if one.targets or one.reference.is_output or one.referrer.id.kind in ROLES:
        return False
    return one.reference.target_namespace is not None or not package.kinds.is_cluster_scoped(
        one.referrer.id
    )


def _find_all_near(
    unresolved: Iterable[ResolvedReference], package: Package, references: References
) -> Mapping[tuple[str, str], dict[str, str]]:
    """Return what is near each name, by kind and namespace."""
    # What has the name of some other object may be what its operator makes, and no slip of the
    # hand.
    taken = {(package.namespace_of(item), item.id.name) for item in package.authored}
    unknown: dict[tuple[str, str], set[str]] = defaultdict(set)
    for one in unresolved:
        place, name = _place_of(one, package), one.reference.target
        if (place[1], name) not in taken:
            unknown[place].add(name)
    known = collect(
        ((item.id.kind, package.namespace_of(item)), name) for item, name in references.index.named
    )
    return defaultdict(
        dict, {place: find_near(names, known[place]) for place, names in unknown.items()}
    )


def _place_of(one: ResolvedReference, package: Package) -> tuple[str, str]:
    """Return the kind of the object that a reference names, and the namespace where it is expected."""
    return one.reference.kind, one.namespace_meant or package.namespace


def find_unfollowed_affixes(seen: Seen) -> Problems:
    """Warn about each name that is not in the package, and that is there with what its referrer has around its own.

    kustomize gives a custom resource a prefix, but not the names in it. Only its annotations and its tree tell which.
    """
    for one in seen.references.authored:
        is_followed = (
            bool(one.targets) or one.reference.is_output or one.referrer.id.group in BUILT_IN_GROUPS
        )
        if not is_followed and (meant := _find_with_affixes(one, seen.references.index)):
            message = (
                f"names {one.reference.kind} {one.reference.target!r}, which is not in the package, but "
                f"{authored_id(meant)} is: kustomize puts no namePrefix or nameSuffix around names in a "
                f"{one.referrer.id.kind}; list krm-fn in `transformers`, pass the folder of the kustomization to "
                "krm-fn, or write the whole name"
            )
            yield warning(one.referrer, message, one.reference.field)


def _find_with_affixes(one: ResolvedReference, index: Index) -> Item | None:
    kind, name, namespace = one.reference.kind, one.reference.target, one.reference.target_namespace
    for before, behind in _possible_affixes(one.referrer.id.name):
        if found := index.find(one.referrer, kind, before + name + behind, namespace):
            return found[0]
    return None


def _possible_affixes(name: str) -> Iterator[tuple[str, str]]:
    """Yield what kustomize may have put around the name of an object: at any letter, if one of both is at a dash."""
    places = range(1, len(name))
    yield from ((name[:index], "") for index in places)
    yield from (("", name[index:]) for index in places)
    after = {index + 1 for index, letter in enumerate(name) if letter == "-"}
    before = {index - 1 for index in after}
    for end in places:
        yield from ((name[:end], name[start:]) for start in before if end < start)
    for start in places:
        if start not in before:
            yield from ((name[:end], name[start:]) for end in after if end < start)


def report_made_in_cluster(run: Run) -> Problems:
    """Say of each object that another one makes in the cluster, and that pods read, why it is not versioned."""
    strategies = {choice.item: choice.strategy for choice in run.choices.all}
    told = set()
    for producer, reference, namespace, reader in run.references.made_for_pods:
        made = reference.kind, namespace, reference.target
        is_handled = strategies.get(producer, Strategy.IGNORE) is not Strategy.IGNORE
        if made not in told and not is_handled:
            told.add(made)
            yield _say_unversioned(
                producer, reference, reader, is_choosable=producer not in strategies
            )


def _say_unversioned(
    producer: Item, reference: Reference, reader: Item, *, is_choosable: bool
) -> Problem:
    """Say it by base names, so that the next run says the same.

    `is_choosable`: only `spec.kinds` leaves it alone.
    """
    bases = {made.reference.name: made.base_name for made in find_generated(producer)}
    name = bases.get(reference.name, reference.target)
    made = ResourceId(
        "v1", reference.kind, reference.target_namespace or producer.id.namespace, name
    )
    who = reader.id._replace(name=base_name(reader))
    kind = producer.id.kind
    may_be_handled = (
        is_choosable and versioned(producer.id) is not None and why_not_renamed(producer) is None
    )
    remedy = (
        f"add {kind} to spec.kinds to name both by the {kind}'s spec, or let "
        if may_be_handled
        else ""
    )
    why = reference.rule.reason or "a controller writes it"
    message = (
        f"{made}, which {who} reads, is not versioned: {why}, so its name stays, "
        f"and a change restarts no pods; {remedy}a controller such as Reloader {'' if remedy else 'can '}restart them"
    )
    return about(producer, message, reference.field, Severity.INFO, resource=authored_id(producer))


def report_unversioned(run: Run) -> Problems:
    """Say of each producer that pods read what of its content may change under one name."""
    bases = {revision.item: revision.base_id for revision in run.revisions.rendered}
    for choice in run.choices.all:
        if choice.strategy is Strategy.IGNORE or choice.item not in run.references.read_by_pods:
            continue
        unpinned = say_unpinned(choice.item)
        if unpinned:
            problem = about(
                choice.item,
                f"its spec is versioned, but what it makes {unpinned}",
                severity=Severity.INFO,
            )
            yield problem._replace(resource=bases.get(choice.item, choice.item.id))
