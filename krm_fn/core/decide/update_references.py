"""Give references the names that their objects get, also those that still have the name of an earlier rendering."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator

from krm_fn.base.changes import Changes, Edit, SetItems, SetText
from krm_fn.base.item import Item, about, locate
from krm_fn.base.node import Node, Scalar, Sequence, elements, get, is_mapping, is_scalar, is_sequence
from krm_fn.base.problem import Problem, ResourceId
from krm_fn.core.decide.near_references import read_base_names, warn_about_near
from krm_fn.core.decide.revisions import Revisions
from krm_fn.core.names.names import base_name, without_hash
from krm_fn.core.references.find import ROLES
from krm_fn.core.references.generated import name_meant
from krm_fn.core.references.reference import Reference, ResolvedReference
from krm_fn.core.references.resolve import Index


def update_references(references: Collection[ResolvedReference], revisions: Revisions, index: Index) -> Changes:
    """Rewrite references to renamed objects, and report those that cannot or should not be rewritten."""
    by_base_name = read_base_names(revisions.renamed.values())
    adopted = {one.item for one in revisions.rendered if not one.is_renamed and one.item.is_config}
    edits: list[Edit] = []
    problems: list[Problem] = []
    in_rules: dict[Item, list[ResolvedReference]] = defaultdict(list)
    for resolved in references:
        reference, targets = resolved.reference, resolved.targets
        is_in_role = resolved.referrer.id.kind in ROLES
        if resolved.is_own:
            edits += _rewrite_own(resolved, revisions)
        elif not targets:
            problems += warn_about_near(resolved, by_base_name, index)
        elif reference.written:
            continue  # a controller writes the object under this name, whoever else has it
        elif revisions.renamed.keys().isdisjoint(targets):
            edits += () if is_in_role else (*_rewrite_stale(resolved, index), *_rewrite_former(resolved, adopted))
        elif is_in_role:
            in_rules[resolved.referrer].append(resolved)
        else:
            meant = {
                revisions.renamed[item].meant_by(reference) if item in revisions.renamed else item.id
                for item in targets
            }
            if len(meant) == 1:
                edits += _rewrite(resolved, meant.pop())
            else:
                problems.append(_ambiguous(resolved))
    for role, several in in_rules.items():
        edits += update_rules(role, several, revisions)
    return Changes(edits=tuple(_join_lists(edits, references)), problems=tuple(problems))


def _rewrite(resolved: ResolvedReference, meant: ResourceId) -> Iterator[Edit]:
    """Write the name, and beside it the namespace where the reference says another one. `""` leaves it as it is."""
    reference = resolved.reference
    if reference.target != meant.name:
        yield Edit(SetText(reference.name, reference.renamed(meant.name)), resolved.referrer, reference.field)
    if reference.namespace is not None and meant.namespace not in ("", reference.namespace.value):
        field = reference.field.rpartition(".")[0] + ".namespace"
        yield Edit(SetText(reference.namespace, meant.namespace), resolved.referrer, field)


def _ambiguous(resolved: ResolvedReference) -> Problem:
    found = " and ".join(map(locate, resolved.targets))
    message = f"{resolved.reference.target!r} matches {found}; give them different names, or exclude one"
    return about(resolved.referrer, message, resolved.reference.field)


def _join_lists(edits: Iterable[Edit], references: Iterable[ResolvedReference]) -> Iterator[Edit]:
    """Make one edit of those of the names in one comma list. What is between the names stays."""
    listed = {(one.referrer, one.reference.field): one.reference for one in references if one.reference.is_listed}
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
        text = node.value
        for _, reference, name in sorted(same, key=lambda one: -len(one[1].before)):  # from the end
            start = len(reference.before)
            text = text[:start] + name + text[start + len(reference.target) :]
        first = same[0][0]
        yield Edit(SetText(node, text), first.item, first.field.rpartition("[")[0])


def _rewrite_own(resolved: ResolvedReference, revisions: Revisions) -> Iterator[Edit]:
    """Give what the referrer generates its name. Where no field says it, it is the name of the referrer itself."""
    revision = revisions.renamed.get(resolved.referrer)
    if revision is not None and resolved.reference.name is not get(resolved.referrer.node, "metadata", "name"):
        yield from _rewrite(resolved, revision.meant_by(resolved.reference)._replace(namespace=""))


def _rewrite_stale(resolved: ResolvedReference, index: Index) -> Iterator[Edit]:
    """Give a reference with a name of an earlier rendering the name that its object has, which is renamed no more."""
    reference = resolved.reference
    for item in resolved.targets:
        if index.is_stale(item, reference.kind, reference.target):
            name = name_meant(reference.kind, without_hash(reference.target), item, {})
            yield from _rewrite(resolved, item.id._replace(name=name, namespace=""))


def _rewrite_former(resolved: ResolvedReference, adopted: set[Item]) -> Iterator[Edit]:
    """Give a reference to an adopted object the name that it has: kustomize does not follow its prefixes everywhere."""
    targets = adopted.intersection(resolved.targets)
    if len(resolved.targets) == len(targets) == 1 and {resolved.reference.target} != {one.id.name for one in targets}:
        yield from _rewrite(resolved, targets.pop().id)


def update_rules(role: Item, references: Iterable[ResolvedReference], revisions: Revisions) -> Iterator[Edit]:
    """Add the names of all revisions to the rules that list their base names, which stay.

    Whoever reads an object by its base name through the API may tolerate "not found", but not "forbidden". A name that
    an earlier run added is rewritten, or removed where the object has its base name again.
    """
    wanted: dict[Node, list[str]] = defaultdict(list)
    outdated: set[Node] = set()
    for resolved in references:
        renamed = [revisions.renamed[item] for item in resolved.targets if item in revisions.renamed]
        names = sorted({revision.meant_by(resolved.reference).name for revision in renamed})
        base_names = {item: base_name(item) for item in resolved.targets}
        base_names |= {revision.item: revision.base_meant_by(resolved.reference) for revision in renamed}
        is_base_name = resolved.reference.target in base_names.values()
        wanted[resolved.reference.name] += [resolved.reference.target, *names] if is_base_name else names
        if all(one in revisions.renamed and one.id.name == resolved.reference.target for one in resolved.targets):
            outdated.add(resolved.reference.name)
    outdated = {name for name in outdated if name.value not in wanted[name]}
    for field, listed in _name_lists(role):
        present = [name.value for name in listed.value]
        kept: list[str] = []
        added: list[str] = []
        dropped: list[int] = []
        for position, name in enumerate(listed.value):
            if name not in wanted:
                kept.append(name.value)
                continue
            taken = {*kept, *present} if name in outdated else kept
            new = [one for one in dict.fromkeys(wanted[name]) if one not in taken]
            if not new and name in outdated:
                dropped.append(position)  # no object has this name any more, and the list has the present one
                continue
            first, *more = new or [name.value]
            kept.append(first)
            added += more
            if first != name.value and is_scalar(name):
                yield Edit(SetText(name, first), role, f"{field}[{position}]")
        added = [name for name in dict.fromkeys(added) if name not in kept and name not in present]
        if added or dropped:
            yield Edit(SetItems(listed, tuple(added), tuple(dropped)), role, field)


def _name_lists(role: Item) -> Iterator[tuple[str, Sequence]]:
    """Return the lists of resourceNames with their field."""
    for place, rule in enumerate(elements(get(role.node, "rules"))):
        if is_mapping(rule):
            for key, names in rule.value:
                if key.value == "resourceNames" and is_sequence(names):
                    yield f"rules[{place}].resourceNames", names


def find_contradictions(edits: Iterable[Edit]) -> Iterator[Problem]:
    """Report fields that name two objects, as a role's rule for both kinds may, which get different names."""
    first: dict[tuple[Item, str], Edit] = {}
    for edit in edits:
        before = first.setdefault((edit.item, edit.field), edit)
        if isinstance(edit.change, SetText) and before.change != edit.change:
            message = "names objects of two kinds that get different names; write one rule for each kind"
            yield about(edit.item, message, edit.field)
