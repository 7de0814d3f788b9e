"""The fields that reference each object, and what the function makes of them."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from krm_fn.base.changes import Edit, ListPatch, SetItems, SetParts, SetText
from krm_fn.base.item import WORD, Item, collect
from krm_fn.base.kind import ROLES
from krm_fn.base.problem import Severity
from krm_fn.base.reference import EmbeddedReference, HookRead, Reference, ResolvedReference
from krm_fn.core.decide.decide import Run
from krm_fn.core.names.names import authored_id
from krm_fn.tools.explain.explanation import ExplainedReference, say_opt_out
from krm_fn.tools.explain.places import Places


def find_explained_references(found: Run, places: Places) -> dict[Item, list[ExplainedReference]]:
    """Return the references to each object: those that authors wrote, those of mounts, and those in data."""
    reader = _ReferenceReader(found, places)
    return collect((target, reference) for target, reference in reader.read())


class _ReferenceReader:
    def __init__(self, found: Run, places: Places) -> None:
        self._found = found
        self._places = places
        self._edits = collect(((edit.item, edit.field), edit) for edit in found.changes.edits)
        self._problems = collect(
            ((problem.node, problem.field), problem)
            for problem in found.changes.problems
            if problem.severity is not Severity.INFO and problem.field
        )
        # Mounts are patches of whole lists, not edits of fields: only the names in them tell what
        # is mounted.
        self._mounted: dict[Item, set[str]] = defaultdict(set)
        if found.references.mounted:
            for item, patch in found.changes.patches:
                self._mounted[item].update(_texts_in(patch.get("spec")))

    def read(self) -> Iterator[tuple[Item, ExplainedReference]]:
        references = self._found.references
        for resolved in references.authored:
            says_own_name = resolved.is_own and resolved.reference.field == "metadata.name"
            if says_own_name:
                continue
            for target in resolved.targets:
                yield target, self._read_authored(resolved, target)
        for read in self._found.hook_reads:
            for target in read.resolved.targets:
                yield target, self._read_of_hook(read)
        for resolved in references.mounted:
            for target in resolved.targets:
                yield target, self._read_mounted(resolved, target)
        for embedded in references.embedded:
            for target in embedded.targets:
                yield target, self._read_embedded(embedded)

    def _read_authored(self, resolved: ResolvedReference, target: Item) -> ExplainedReference:
        referrer, one = resolved.referrer, resolved.reference
        revision = self._found.revisions.renamed.get(target)
        new_name = revision.meant_by(one).name if revision else ""
        is_changed = bool(new_name) and any(
            _writes(edit, one, new_name) for edit in self._edits_of(resolved)
        )
        notes = []
        if (referrer, f"{one.field.rpartition('.')[0]}.namespace") in self._edits:
            notes.append("the namespace beside it is changed too")
        if resolved.is_own and new_name:
            notes.append(f"it makes {one.kind} {one.target}, which gets the hash of its maker")
        elif one.is_output:
            notes.append(
                f"the name stays: {one.rule.reason or 'a controller writes the object under it'}"
            )
        elif new_name and referrer.id.kind in ROLES:
            is_removed = any(_drops(edit, one) for edit in self._edits_of(resolved))
            removed = "removed: the list has the name that the object gets"
            notes.append(
                removed
                if is_removed
                else "the base name stays, and the names of revisions are added"
            )
        elif new_name and not is_changed and one.target == new_name:
            notes.append("it has the name already")
        opt_out = self._found.opt_outs.get((referrer, target))
        if opt_out is not None:
            notes.append(say_opt_out(opt_out))
        return self._explain(resolved, notes, is_changed=is_changed)

    def _read_of_hook(self, read: HookRead) -> ExplainedReference:
        resolved, name = read.resolved, read.name
        edits = self._edits_of(resolved)
        is_changed = any(_writes(edit, resolved.reference, name) for edit in edits)
        notes = [f"it reads a copy, {name}"] if read.is_copy else []
        return self._explain(resolved, notes, is_changed=is_changed)

    def _explain(
        self, resolved: ResolvedReference, notes: Iterable[str], *, is_changed: bool
    ) -> ExplainedReference:
        referrer, one = resolved.referrer, resolved.reference
        return ExplainedReference(
            authored_id(referrer),
            self._places.of(referrer, one.field),
            one.field,
            one.target,
            one.rule,
            is_changed,
            (*notes, *self._messages(referrer, one.field)),
        )

    def _edits_of(self, resolved: ResolvedReference) -> Iterator[Edit]:
        """Yield the edits of a field; of a name in a role's rule or a comma list also those of the list around it."""
        place, field = resolved.referrer, resolved.reference.field
        yield from self._edits.get((place, field), ())
        if resolved.referrer.id.kind in ROLES or resolved.reference.is_listed:
            yield from self._edits.get((place, field.rpartition("[")[0]), ())

    def _read_mounted(self, resolved: ResolvedReference, target: Item) -> ExplainedReference:
        """Read what is mounted. An earlier run may have mounted it already."""
        referrer, one = resolved.referrer, resolved.reference
        place = self._places.of(referrer, one.field)
        name = self._found.revisions.name_meant(one, target)
        is_changed = name in self._mounted[referrer]
        return ExplainedReference(
            authored_id(referrer), place, one.field, one.target, one.rule, is_changed
        )

    def _read_embedded(self, embedded: EmbeddedReference) -> ExplainedReference:
        holder, field, one = embedded.item, embedded.field, embedded.reference
        changed: set[tuple[int, int]] = set()
        for edit in self._edits.get((holder, field), ()):
            if isinstance(edit.change, SetParts):
                changed |= {(start, end) for start, end, _ in edit.change.parts}
        is_secret = holder.is_like_secret
        place = self._places.of_text(holder, field, embedded.scalar, one.name.start_mark.line)
        return ExplainedReference(
            authored_id(holder),
            self._places.of(holder, field) if is_secret else place,
            # The fields in the values of a Secret are values of it.
            field if is_secret else f"{field}: {one.field}",
            one.target,
            one.rule,
            embedded.span in changed,
        )

    def _messages(self, item: Item, field: str) -> tuple[str, ...]:
        return tuple(problem.message for problem in self._problems.get((item.node, field), ()))


def _writes(edit: Edit, reference: Reference, name: str) -> bool:
    """Tell whether an edit writes a name in the place of a reference, or adds it to the list around it."""
    match edit.change:
        case SetText(text=text) | SetParts(text=text):
            words = WORD.findall(str(text)) if reference.is_listed else []
            return name in words or text == reference.renamed(name)
        case SetItems(add=added):
            return name in added
    return False


def _drops(edit: Edit, reference: Reference) -> bool:
    change = edit.change
    return isinstance(change, SetItems) and any(
        change.node.value[one] is reference.name for one in change.drop
    )


def _texts_in(patch: object) -> Iterator[str]:
    if isinstance(patch, str):
        yield patch
    elif isinstance(patch, Mapping):
        for value in patch.values():
            yield from _texts_in(value)
    elif isinstance(patch, ListPatch):
        for value in (*patch.change.values(), *patch.add):
            yield from _texts_in(value)
    elif isinstance(patch, Sequence):
        for value in patch:
            yield from _texts_in(value)
