"""Check that every reference to a revised object has the name of a revision that is here."""

from collections import defaultdict
from collections.abc import Iterator

from krm_fn.model.changes import SetItems, SetText
from krm_fn.model.item import Item, about
from krm_fn.model.problem import Problem, Severity
from krm_fn.naming.names import CONTENT_NAME, hash_in_name, names_of
from krm_fn.references.find import ROLES
from krm_fn.references.reference import Reference, ResolvedReference
from krm_fn.stages.name import Revision
from krm_fn.stages.update_references import update_rules
from krm_fn.verify.rendering import Rendering


def check_references(rendering: Rendering) -> Iterator[Problem]:
    """Find references that have another name than their object: the base name, or that of another revision.

    Another revision may be in the cluster, where an author has pinned it. So that is only a warning.
    """
    renamed = rendering.revisions.renamed
    in_rules: dict[Item, list[ResolvedReference]] = defaultdict(list)
    others = _OtherRevisions(rendering)
    for resolved in rendering.references.authored:
        referrer, reference, targets = resolved
        if resolved.is_own:
            yield from _check(referrer, reference, reference.field, targets, renamed)
        if reference.written:
            continue
        if referrer.id.kind in ROLES:
            in_rules[referrer].append(resolved)
        elif targets:
            yield from _check(referrer, reference, reference.field, targets, renamed)
        else:
            yield from others.check(referrer, reference)
    for embedded in rendering.references.embedded:
        yield from _check(embedded.item, embedded.reference, embedded.field, embedded.targets, renamed)
    for role, references in in_rules.items():
        yield from _check_rules(role, references, rendering)


def _check(
    referrer: Item, reference: Reference, field: str, targets: tuple[Item, ...], renamed: dict[Item, Revision]
) -> Iterator[Problem]:
    wanted = sorted({renamed[target].meant_by(reference).name for target in targets if target in renamed})
    others = {target.id.name for target in targets if target not in renamed}
    if wanted and reference.target not in {*wanted, *others}:
        message = f"found {reference.target!r}, which has been renamed: expected {' or '.join(wanted)}"
        yield about(referrer, message, field)


class _OtherRevisions:
    """The revisions by what a name without its hash may be."""

    def __init__(self, rendering: Rendering) -> None:
        self._package = rendering.package
        self._by_base: dict[tuple[str, str, str], list[tuple[Revision, str]]] = defaultdict(list)
        for revision in rendering.revisions.renamed.values():
            namespace = self._package.namespace_of(revision.item)
            for name in names_of(revision.item):
                self._by_base[revision.id.kind, namespace, name].append((revision, revision.name))
            for made in revision.made:
                for name in made.names:
                    self._by_base[made.kind, namespace, name].append((revision, revision.name_of(made)))

    def check(self, referrer: Item, reference: Reference) -> Iterator[Problem]:
        """Check a reference that no object here matches."""
        match = CONTENT_NAME.fullmatch(reference.target)
        if match is None:
            return
        base, content_hash = match.groups()
        namespace = reference.target_namespace or self._package.namespace_of(referrer)
        found = self._by_base.get((reference.kind, namespace, base), [])
        names = " and ".join(sorted(name for _, name in found))
        if any(hash_in_name(revision.item) == content_hash for revision, _ in found):
            message = f"found {reference.target!r}, which has been renamed: expected {names}"
            yield about(referrer, message, reference.field)
        else:
            what = f"is another revision than {names}" if found else "looks like a revision, but is not in the input"
            message = f"{reference.target!r} {what}: pods only start if it is in the cluster"
            yield about(referrer, message, reference.field, Severity.WARNING)


def _check_rules(role: Item, references: list[ResolvedReference], rendering: Rendering) -> Iterator[Problem]:
    """Check that the rules which name an object name its revisions as well."""
    for edit in update_rules(role, references, rendering.revisions):
        if isinstance(edit.change, SetText):
            message = f"found {edit.change.node.value!r}, which has been renamed: expected {edit.change.text}"
            yield about(role, message, edit.field)
        elif isinstance(edit.change, SetItems):
            names = ", ".join(map(str, edit.change.add))
            yield about(role, f"lacks {names}: who may read the base name may not read this revision", edit.field)
