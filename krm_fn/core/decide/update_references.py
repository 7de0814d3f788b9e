"""Give references the names that their objects get.

A reference may still have the name of an earlier rendering: `find_stale` finds the object that it
means. A reference may have a name that is nearly right, or be in another namespace:
`warn_about_near` says what it misses. Rules of Roles that list names get the new ones, and two
edits of one text that disagree are a problem.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import chain
from typing import TypeAlias

from krm_fn.base import keys
from krm_fn.base.changes import Changes, Edit, SetItems, SetParts, SetText
from krm_fn.base.item import Item, about, collect, is_revision, listed_revisions, locate, warning
from krm_fn.base.kind import ROLES
from krm_fn.base.named_tuple import NamedTuple
from krm_fn.base.node import (
    Node,
    Scalar,
    Sequence,
    elements,
    get,
    is_mapping,
    is_scalar,
    is_sequence,
    text,
)
from krm_fn.base.problem import Problem, Problems, ResourceId
from krm_fn.base.reference import Reference, ResolvedReference
from krm_fn.base.settings import Strategy
from krm_fn.core.decide.run import FIXED_NAMES, Revision, Revisions, Survey
from krm_fn.core.names.names import CONTENT_NAME, authored_id, base_name, without_hash
from krm_fn.core.references.generated import name_meant
from krm_fn.core.references.references import References
from krm_fn.core.references.resolve import Index, MoreNames, PassedOver

# References that miss an object by little.

ByBaseName: TypeAlias = Mapping[tuple[str, str], list[Revision]]
"""Renamed objects, by kind and base name."""


def read_base_names(revisions: Iterable[Revision]) -> ByBaseName:
    """Return the revisions whose strategy is to rename by their base names."""
    return collect(
        ((revision.item.id.kind, revision.base_name), revision)
        for revision in revisions
        if revision.strategy is Strategy.RENAME
    )


def warn_about_near(
    resolved: ResolvedReference, by_base_name: ByBaseName, index: Index
) -> Problems:
    """Warn about a reference without a target that may mean a revision, or what its pods need."""
    referrer, reference = resolved.referrer, resolved.reference
    kind, name = reference.kind, reference.target
    lookup, unclear = index.find_unclear(resolved)
    for revision in by_base_name.get((kind, name), ()):
        if revision.item in unclear:
            message = (
                f"not rewritten: {kind} {name} is renamed to {revision.name}, but this referrer has no namespace, and "
                f"{lookup.said}; exclude the object if it is meant"
            )
            yield warning(referrer, message, reference.field)
    for item, reason in _find_meant(resolved, by_base_name, index):
        message = f"not rewritten: {kind} {name} {why_passed_over(resolved, item, reason)}"
        yield warning(referrer, message, reference.field)
    for revision in find_pinned(resolved, by_base_name):
        message = f"not rewritten: {name!r} is another revision of {revision.base_name}, now {revision.name}"
        yield warning(referrer, message, reference.field)


def _find_meant(
    resolved: ResolvedReference, by_base_name: ByBaseName, index: Index
) -> Iterator[tuple[Item, PassedOver]]:
    """Yield the object that is most probably meant.

    It is one that is renamed, or else one that pods cannot start without.
    """
    # Its own namespace says nothing about the object's.
    if index.kinds.is_cluster_scoped(resolved.referrer.id):
        return
    name, reference = resolved.reference.target, resolved.reference
    place = reference.kind, name, reference.target_namespace
    renamed = (revision.item for revision in by_base_name.get((reference.kind, name), ()))
    is_required = not reference.is_optional and name not in FIXED_NAMES
    needed = reference.in_pod and not reference.is_output and is_required
    # Pods that miss something do not start, so even an object far away is worth a warning.
    others = index.find_in_other_namespaces(resolved.referrer, *place) if needed else ()
    item = next(chain(renamed, others), None)
    reason = None if item is None else index.why_passed_over(resolved.referrer, item, *place)
    if item is not None and reason is not None:
        yield item, reason


def find_pinned(resolved: ResolvedReference, by_base_name: ByBaseName) -> Iterator[Revision]:
    """Yield the revisions of whose history the reference names another one."""
    # A rule may list the names of several kinds, and those of older revisions.
    if resolved.referrer.id.kind in ROLES:
        return
    older = CONTENT_NAME.fullmatch(resolved.reference.target)
    if older is None:
        return
    for revision in by_base_name.get((resolved.reference.kind, older[1]), ()):
        if revision.id.namespace == resolved.namespace_meant:
            yield revision


def find_older(
    references: References, revisions: Revisions
) -> Iterator[tuple[ResolvedReference, Revision]]:
    """Yield the references that name another revision of an object, with what it is now."""
    by_base_name = read_base_names(revisions.renamed.values())
    for resolved in references.authored:
        if not resolved.targets:
            for revision in find_pinned(resolved, by_base_name):
                yield resolved, revision


def why_passed_over(resolved: ResolvedReference, item: Item, reason: PassedOver) -> str:
    """Say of an object why a reference with one of its names does not mean it."""
    match reason:
        case PassedOver.NAMESPACE:
            there = (
                f"is in namespace {item.id.namespace}" if item.id.namespace else "sets no namespace"
            )
            return f"{there}; {_say_namespace(resolved)}"
        case PassedOver.AFFIXES:
            return "has other prefixes or suffixes of kustomize than this referrer"
        case PassedOver.PACKAGE:
            return (
                "is in another package of kpt than this referrer, and a nearer one has the name too"
            )
        case PassedOver.NAME:
            return "had this name before, and another object has it now"


def _say_namespace(resolved: ResolvedReference) -> str:
    namespace = resolved.namespace_meant
    if resolved.reference.target_namespace is not None:
        return f"this reference names namespace {namespace}"
    return f"this referrer is in namespace {namespace}" if namespace else "this referrer sets none"


# Names of earlier renderings.


class Stale(NamedTuple):
    """Kinds and names of earlier renderings that mean an object, and their problems."""

    names: MoreNames
    problems: tuple[Problem, ...]


def find_stale(survey: Survey) -> Stale:
    """Find references without a target that mean an object under an earlier name.

    They are there after a merge of renderings. A name that is a base name and a hash, and that no
    object has, is one of two things. Somebody has pinned an older revision: then others name the
    present one, and the pin stays. Or the object has got another name where the reference has not
    followed, as when the two sides of a conflict are taken by halves: then nobody would read it.
    """
    judge = _Judge(survey)
    names: dict[Item, set[tuple[str, str]]] = defaultdict(set)
    problems: list[Problem] = []
    for resolved in survey.references.authored:
        verdict = judge.about(resolved)
        if verdict is None:
            continue
        problems.append(verdict.problem)
        if verdict.item is not None:
            names[verdict.item].add((resolved.reference.kind, resolved.reference.target))
    return Stale(names, tuple(problems))


def find_present(references: References, revisions: Revisions) -> MoreNames:
    """Find references without a target that say the very name that an object gets.

    Such a reference was a pin before a change of the content. The next run finds the object under
    this name, so that this run must take the pin for its reader too.
    """
    found: dict[Item, set[tuple[str, str]]] = defaultdict(set)
    for resolved in references.authored:
        referrer, reference, _ = resolved
        base = _base_of_missing(resolved)
        if not base:
            continue
        namespace = reference.target_namespace
        # By the base name: the index knows the object under its present names alone.
        for item in references.index.find(referrer, reference.kind, base, namespace):
            revision = revisions.renamed.get(item)
            if revision is not None and revision.meant_by(reference).name == reference.target:
                found[item].add((reference.kind, reference.target))
    return found


def _base_of_missing(resolved: ResolvedReference) -> str:
    """Return the base name in a content name that nothing here has; `""` otherwise."""
    if resolved.targets or _says_nothing(resolved):
        return ""
    match = CONTENT_NAME.fullmatch(resolved.reference.target)
    return "" if match is None else match[1]


class _Verdict(NamedTuple):
    """A problem with a reference. `item`: the object that it means; None where it stays."""

    problem: Problem
    item: Item | None = None


class _Judge:
    """Judge references with names that nothing in the package has.

    `_listed` are the names that earlier runs of this configuration have rendered, and
    `_listed_by_others` those of other sets. `_used` are the objects that something else references.
    """

    def __init__(self, survey: Survey) -> None:
        references, emitted = survey.references, survey.package.emitted
        own_sets = survey.settings.own_sets
        self._index = references.index
        self._settings = survey.settings
        self._listed = _listed(item for item in emitted if item.labels.get(keys.SET) in own_sets)
        self._used = _list_used(references) | {*self._find_named_as_listed(references)}
        self._listed_by_others = _listed(emitted) - self._listed

    def about(self, resolved: ResolvedReference) -> _Verdict | None:
        """Judge a reference by the first rule that applies; None where nothing is to be said."""
        reference, base = resolved.reference, _base_of_missing(resolved)
        if not base:
            return None
        name = reference.target
        found = self._index.find(
            resolved.referrer, reference.kind, base, reference.target_namespace
        )
        # Another run of this function looks after it.
        if name in self._listed_by_others or any(map(self._is_of_another_set, found)):
            return None
        is_listed = name in self._listed
        # A pin: others read the object under the name that it has, or the cluster has this one.
        if not is_listed and (not found or not self._used.isdisjoint(found)):
            return None
        return self._judge_missing(resolved, found)

    def _judge_missing(self, resolved: ResolvedReference, found: tuple[Item, ...]) -> _Verdict:
        """Say what a name means that nothing has. `found`: the objects with its base name."""
        reference, name = resolved.reference, resolved.reference.target
        is_listed = name in self._listed
        if not found:
            message = (
                f"{name!r} is not in the package any more: pods only start if it is in the cluster"
            )
            return _warn(resolved, message)
        if len(found) > 1:
            # To guess would start pods with the content of another application.
            message = f"{name!r} is not in the package, and may mean {' and '.join(map(locate, found))}; correct it"
            return _Verdict(about(resolved.referrer, message, reference.field))
        (item,) = found
        # Some other tool may have given it the name, with a hash of the same form.
        is_ours = is_revision(item) or item.id.kind in self._settings.kinds
        if not is_listed and not is_ours:
            what = f"is not in the package, and looks like a revision of {authored_id(item)}"
            message = f"not rewritten: {name!r} {what}; write the base name, or add {reference.kind} to spec.kinds"
            return _warn(resolved, message)
        why = "nothing here names it otherwise"
        if is_listed:
            why = "an earlier run had rendered it under this name"
        message = f"{name!r} is not in the package, and is taken for {authored_id(item)}: {why}"
        return _warn(resolved, message, item)

    def _is_of_another_set(self, item: Item) -> bool:
        return is_revision(item) and item.labels[keys.SET] not in self._settings.own_sets

    def _find_named_as_listed(self, references: References) -> Iterator[Item]:
        """Find what is named as an earlier run has rendered it.

        These references follow, so that others may be pins.
        """
        for one in references.authored:
            reference, base = one.reference, _base_of_missing(one)
            if base and reference.target in self._listed:
                yield from self._index.find(
                    one.referrer, reference.kind, base, reference.target_namespace
                )


def _warn(resolved: ResolvedReference, message: str, item: Item | None = None) -> _Verdict:
    problem = warning(resolved.referrer, message, resolved.reference.field)
    return _Verdict(problem, item)


def _list_used(references: References) -> frozenset[Item]:
    """Return the objects that something references by one of their names.

    A role does not say that anybody reads it.
    """
    named: set[Item] = set()
    for one in references:
        if not _says_nothing(one):
            named.update(one.targets)
    for in_data in references.embedded:
        named.update(in_data.targets)
    return frozenset(named)


def _says_nothing(resolved: ResolvedReference) -> bool:
    return resolved.reference.is_output or resolved.referrer.id.kind in ROLES


def _listed(emitted: Iterable[Item]) -> frozenset[str]:
    """Return the names that inventories and the plans of Jobs list: what earlier runs rendered.

    A pin is in neither.
    """
    names: set[str] = set()
    for item in emitted:
        names.update(listed_revisions(item), _planned(item))
    return frozenset(names)


def _planned(item: Item) -> Iterator[str]:
    """Yield the names of revisions in a Job's arguments.

    Those of a merge need not be a plan that anything can read.
    """
    if item.id.kind == "Job":
        for container in elements(get(item.node, "spec", "template", "spec", "containers")):
            for argument in elements(get(container, "args")):
                yield from (
                    one.rpartition("/")[2] for one in text(argument).rpartition("=")[2].split(",")
                )


def update_references(
    references: Collection[ResolvedReference], revisions: Revisions, index: Index
) -> Changes:
    """Rewrite references to renamed objects, and report those that stay as they are."""
    by_base_name = read_base_names(revisions.renamed.values())
    adopted = {one.item for one in revisions.rendered if not one.is_renamed and one.item.is_config}
    edits: list[Edit] = []
    problems: list[Problem] = []
    in_rules: dict[Item, list[ResolvedReference]] = defaultdict(list)
    for resolved in references:
        reference, targets = resolved.reference, resolved.targets
        # The names of a rule are one list, which is edited as a whole below.
        is_in_role = resolved.referrer.id.kind in ROLES
        if resolved.is_own:
            edits += _rewrite_own(resolved, revisions)
        elif not targets:
            problems += warn_about_near(resolved, by_base_name, index)
        elif reference.is_output:
            continue  # a controller writes the object under this name, whoever else has it
        elif revisions.renamed.keys().isdisjoint(targets):
            if not is_in_role:
                # A rule that still lists an older name is only a right too many.
                edits += _rewrite_stale(resolved, index)
                edits += _rewrite_former(resolved, adopted)
        elif is_in_role:
            in_rules[resolved.referrer].append(resolved)
        else:
            meant = _list_meant_ids(resolved, revisions)
            if len(meant) == 1:
                edits += _rewrite(resolved, meant.pop())
            else:
                problems.append(_ambiguous(resolved))
    for role, several in in_rules.items():
        edits += update_rules(role, several, revisions)
    return Changes(edits=tuple(_join_lists(edits, references)), problems=tuple(problems))


def _list_meant_ids(resolved: ResolvedReference, revisions: Revisions) -> set[ResourceId]:
    """Return who the targets of a reference are in the output."""
    meant: set[ResourceId] = set()
    for item in resolved.targets:
        revision = revisions.renamed.get(item)
        meant.add(item.id if revision is None else revision.meant_by(resolved.reference))
    return meant


def _rewrite(resolved: ResolvedReference, meant: ResourceId) -> Iterator[Edit]:
    """Write the name, and beside it the namespace where the reference says another one.

    `""` leaves it as it is.
    """
    reference = resolved.reference
    if reference.target != meant.name:
        yield Edit(
            SetText(reference.name, reference.renamed(meant.name)),
            resolved.referrer,
            reference.field,
        )
    # kustomize's namespace transformer passes over fields that it does not know.
    if reference.namespace is not None and meant.namespace not in ("", reference.namespace.value):
        field = reference.field.rpartition(".")[0] + ".namespace"
        yield Edit(SetText(reference.namespace, meant.namespace), resolved.referrer, field)


def _ambiguous(resolved: ResolvedReference) -> Problem:
    found = " and ".join(map(locate, resolved.targets))
    message = (
        f"{resolved.reference.target!r} matches {found}; give them different names, or exclude one"
    )
    return about(resolved.referrer, message, resolved.reference.field)


def _join_lists(edits: Iterable[Edit], references: Iterable[ResolvedReference]) -> Iterator[Edit]:
    """Make one edit of those of the names in one comma list. The text between the names stays."""
    listed = {
        (one.referrer, one.reference.field): one.reference
        for one in references
        if one.reference.is_listed
    }
    several: dict[Scalar, list[tuple[Edit, Reference, str]]] = defaultdict(list)
    for edit in edits:
        reference = listed.get((edit.item, edit.field))
        if reference is not None and isinstance(edit.change, SetText):
            text = str(edit.change.text)
            name = text[len(reference.before) : len(text) - len(reference.after)]
            several[edit.change.node].append((edit, reference, name))
        else:
            yield edit
    for node, same in several.items():
        starts = {len(reference.before): (reference, name) for _, reference, name in same}
        parts: list[tuple[int, int, str]] = []
        for start, (reference, name) in sorted(starts.items()):
            parts.append((start, start + len(reference.target), name))
        names = SetParts(node, tuple(parts))
        # A block stays a block. No other text can be shown to have its names as they are written.
        change = names if node.style == "|" else SetText(node, names.text)
        first = same[0][0]
        yield Edit(change, first.item, first.field.rpartition("[")[0])


def _rewrite_own(resolved: ResolvedReference, revisions: Revisions) -> Iterator[Edit]:
    """Give what the referrer generates its name.

    Where no field says it, it is the name of the referrer itself.
    """
    revision = revisions.renamed.get(resolved.referrer)
    if revision is not None and resolved.reference.name is not get(
        resolved.referrer.node, "metadata", "name"
    ):
        yield from _rewrite(resolved, revision.meant_by(resolved.reference)._replace(namespace=""))


def _rewrite_stale(resolved: ResolvedReference, index: Index) -> Iterator[Edit]:
    """Give a reference with a name of an earlier rendering the name of its object.

    The object is renamed no more.
    """
    reference = resolved.reference
    for item in resolved.targets:
        if index.is_stale(item, reference.kind, reference.target):
            name = name_meant(reference.kind, without_hash(reference.target), item, {})
            yield from _rewrite(resolved, item.id._replace(name=name, namespace=""))


def _rewrite_former(resolved: ResolvedReference, adopted: set[Item]) -> Iterator[Edit]:
    """Give a reference to an adopted object the name that it has.

    kustomize does not follow its prefixes everywhere.
    """
    targets = adopted.intersection(resolved.targets)
    if len(resolved.targets) == len(targets) == 1 and {resolved.reference.target} != {
        one.id.name for one in targets
    }:
        yield from _rewrite(resolved, targets.pop().id)


def update_rules(
    role: Item, references: Iterable[ResolvedReference], revisions: Revisions
) -> Iterator[Edit]:
    """Add the names of all revisions to the rules that list their base names, which stay.

    A program that reads an object by its base name through the API may tolerate "not found", but
    not "forbidden". A name that an earlier run added is rewritten, or removed where the object has its
    base name again.
    """
    wanted, outdated = _read_wanted(references, revisions)
    for field, listed in _name_lists(role):
        yield from _update_list(role, field, listed, wanted, outdated)


def _read_wanted(
    references: Iterable[ResolvedReference], revisions: Revisions
) -> tuple[dict[Node, list[str]], set[Node]]:
    """Return the names that each element of the lists stands for, and the outdated elements.

    An element is outdated where all its objects have other names now, and none has it as its base
    name. A rule for ConfigMaps and Secrets makes two references of one element.
    """
    wanted: dict[Node, list[str]] = defaultdict(list)
    renamed: set[Node] = set()
    for resolved in references:
        element = resolved.reference.name
        wanted[element] += _find_wanted(resolved, revisions)
        if all(
            item in revisions.renamed and item.id.name == resolved.reference.target
            for item in resolved.targets
        ):
            renamed.add(element)
    return wanted, {element for element in renamed if element.value not in wanted[element]}


def _find_wanted(resolved: ResolvedReference, revisions: Revisions) -> list[str]:
    """Return the names that a rule must list for a reference. A base name stays, as the first."""
    reference = resolved.reference
    names: set[str] = set()
    base_names: set[str] = set()
    for item in resolved.targets:
        revision = revisions.renamed.get(item)
        if revision is None:
            base_names.add(base_name(item))
        else:
            names.add(revision.meant_by(reference).name)
            if keys.NEEDS_HASH_SUFFIX not in item.annotations:  # kustomize would make both one name
                base_names.add(revision.base_meant_by(reference))
    wanted = sorted(names)
    if reference.target in base_names:
        wanted.insert(0, reference.target)
    return wanted


def _update_list(
    role: Item,
    field: str,
    listed: Sequence,
    wanted: Mapping[Node, list[str]],
    outdated: Collection[Node],
) -> Iterator[Edit]:
    """Rewrite the elements of one list in their places, and add the other names behind them."""
    named = [(position, one) for position, one in enumerate(listed.value) if is_scalar(one)]
    present = {element.value for _, element in named}
    kept: set[str] = set()
    added: list[str] = []
    dropped: list[int] = []
    for position, element in named:
        if element not in wanted:
            kept.add(element.value)
            continue
        new = [name for name in dict.fromkeys(wanted[element]) if name not in kept]
        if element in outdated:  # it gives its place to a name that no other element has
            new = [name for name in new if name not in present]
        if not new and element in outdated:
            # No object has this name any more, and the list has the present one.
            dropped.append(position)
            continue
        first, *more = new or [element.value]
        kept.add(first)
        added += more
        if first != element.value:
            yield Edit(SetText(element, first), role, f"{field}[{position}]")
    added = [name for name in dict.fromkeys(added) if name not in kept and name not in present]
    if added or dropped:
        yield Edit(SetItems(listed, tuple(added), tuple(dropped)), role, field)


def _name_lists(role: Item) -> Iterator[tuple[str, Sequence]]:
    """Return the lists of resourceNames with their field."""
    for index, rule in enumerate(elements(get(role.node, "rules"))):
        if is_mapping(rule):
            for key, names in rule.value:
                if key.value == "resourceNames" and is_sequence(names):
                    yield f"rules[{index}].resourceNames", names


def find_contradictions(edits: Iterable[Edit]) -> Problems:
    """Report fields that name two objects with different names, as a rule for both kinds may."""
    first: dict[tuple[Item, str], Edit] = {}
    for edit in edits:
        before = first.setdefault((edit.item, edit.field), edit)
        if isinstance(edit.change, SetText) and before.change != edit.change:
            message = (
                "names objects of two kinds that get different names; write one rule for each kind"
            )
            yield about(edit.item, message, edit.field)
