"""Check that every reference to a revised object has the name of a revision that is here."""

from collections import defaultdict
from collections.abc import Iterator

from krm_fn.base import keys
from krm_fn.base.item import CONFIG_KINDS, Item, about
from krm_fn.base.kind import ROLES
from krm_fn.base.problem import Problem, Severity
from krm_fn.base.reference import Reference, ResolvedReference
from krm_fn.base.suggest import differ_by_a_letter
from krm_fn.core.decide.decide import Revision
from krm_fn.core.names.names import names_of, without_hash
from krm_fn.lint.lint import find_left_behind, report_missing_keys
from krm_fn.tools.common.rendered import is_required
from krm_fn.tools.verify.rendering import Rendering


def check_references(rendering: Rendering) -> Iterator[Problem]:
    """Find references to what is not here, and names in data that are not those of revisions.

    Another revision may be in the cluster, where an author has pinned it. So that is only a warning.
    """
    in_rules: dict[Item, list[ResolvedReference]] = defaultdict(list)
    others = _OtherRevisions(rendering)
    for resolved in rendering.run.references.authored:
        referrer, reference, targets = resolved
        if reference.is_output:
            continue
        if referrer.id.kind in ROLES:
            in_rules[referrer].append(resolved)
        elif not targets:
            yield from others.check(referrer, reference)
    for role, references in in_rules.items():
        yield from _check_absent(role, references, others)
    yield from _check_data(rendering)


def _check_data(rendering: Rendering) -> Iterator[Problem]:
    """Find names in the data of ConfigMaps that are base names, or those of other revisions."""
    renamed = rendering.revisions.renamed
    for one in rendering.run.references.embedded:
        meant = {
            renamed[item].meant_by(one.reference).name if item in renamed else item.id.name
            for item in one.targets
        }
        found = one.reference.target
        if found not in meant and not renamed.keys().isdisjoint(one.targets):
            message = (
                f"found {found!r}, which has been renamed: expected {' or '.join(sorted(meant))}"
            )
            yield about(one.item, message, one.field)


def check_left_behind(rendering: Rendering) -> Iterator[Problem]:
    """Find base names of what kustomize has named by its content: nothing has them.

    Objects that it has yet to name are no rendering.
    """
    for one in find_left_behind(rendering.run):
        if keys.NEEDS_HASH_SUFFIX not in one.item.annotations:
            severity = Severity.ERROR if one.is_certain else Severity.WARNING
            yield about(one.referrer, one.message, one.field, severity)


def check_keys(rendering: Rendering) -> Iterator[Problem]:
    """Find what pods want of a revision, and what it does not have.

    Nobody adds a key to what its content names.
    """
    renamed, references = rendering.revisions.renamed, rendering.run.references
    to_renamed = [one for one in references.authored if renamed.keys() & set(one.targets)]
    for found in report_missing_keys(rendering.package, to_renamed):
        yield found.as_error()


class _OtherRevisions:
    """The revisions by what a name without its hash may be."""

    def __init__(self, rendering: Rendering) -> None:
        self._package = rendering.package
        self._index = rendering.run.references.index
        self._names: dict[tuple[str, str], list[str]] = defaultdict(list)
        for revision in rendering.revisions.renamed.values():
            if revision.hash_in_name:
                place = (revision.id.kind, self._package.namespace_of(revision.item))
                self._names[place].append(revision.name)
        self._copies = {
            (self._package.namespace_of(item), item.id.name) for item in self._package.emitted
        }
        self._by_base: dict[tuple[str, str, str], list[tuple[Revision, str]]] = defaultdict(list)
        for revision in rendering.revisions.renamed.values():
            namespace = self._package.namespace_of(revision.item)
            for name in names_of(revision.item):
                self._by_base[revision.id.kind, namespace, name].append((revision, revision.name))
            for one in revision.generated:
                for name in one.names:
                    self._by_base[one.kind, namespace, name].append(
                        (revision, revision.name_of(one))
                    )

    def check(self, referrer: Item, reference: Reference) -> Iterator[Problem]:
        """Check a reference that no object here matches."""
        namespace = reference.target_namespace or self._package.namespace_of(referrer)
        near = self._find_near(reference.kind, namespace, reference.target)
        copied, infix, _ = reference.target.rpartition(keys.COPY_INFIX)
        is_copy = bool(infix) and self.have_base(referrer, reference, copied)
        if is_copy and (namespace, reference.target) not in self._copies:
            message = f"names the copy of {copied} for hooks, which is not in the input"
            yield about(referrer, message, reference.field)
        elif near:
            message = f"found {reference.target!r}, which is not in the input: expected {near}"
            yield about(referrer, message, reference.field)
        elif _hash_of(reference.target) and referrer.id.kind not in ROLES:
            yield from self._check_content_name(referrer, reference, namespace)

    def have_base(self, referrer: Item, reference: Reference, base: str) -> bool:
        return (reference.kind, self._package.namespace_of(referrer), base) in self._by_base

    def _find_near(self, kind: str, namespace: str, name: str) -> str:
        """Find the revision that is meant by a name with one wrong letter; `""` if there is none.

        Two objects with the same data have the same hash, so a name that differs in what is before
        it may be right.
        """
        for other in self._names.get((kind, namespace), ()):
            if differ_by_a_letter(name, other):
                found, expected = _hash_of(name), _hash_of(other)
                if not found or not expected or found != expected:
                    return other
        return ""

    def _find_of_other_kind(self, reference: Reference, namespace: str) -> str:
        """Find the kind of a revision that has this name, where the reference is to the other kind."""
        for kind in CONFIG_KINDS if reference.kind in CONFIG_KINDS else ():
            if kind != reference.kind and reference.target in self._names[kind, namespace]:
                return kind
        return ""

    def _check_content_name(
        self, referrer: Item, reference: Reference, namespace: str
    ) -> Iterator[Problem]:
        base, content_hash = without_hash(reference.target), _hash_of(reference.target)
        found = self._by_base.get((reference.kind, namespace, base), [])
        names = " and ".join(sorted(name for _, name in found))
        if any(revision.hash_in_name == content_hash for revision, _ in found):
            message = f"found {reference.target!r}, which has been renamed: expected {names}"
            yield about(referrer, message, reference.field)
        elif other := self._find_of_other_kind(reference, namespace):
            message = f"found {reference.target!r}, which is a {other} and no {reference.kind}: pods do not start"
            yield about(referrer, message, reference.field)
        else:
            what, severity = f"is another revision than {names}", Severity.WARNING
            if not found:
                what = "looks like a revision, but is not in the input"
                # Whoever makes a name of content applies the object with the pods that read it.
                severity = Severity.ERROR if is_required(reference) else Severity.WARNING
                if any(self._index.find_passed_over(ResolvedReference(referrer, reference, ()))):
                    what, severity = "is in the input, but in another namespace", Severity.WARNING
            message = f"{reference.target!r} {what}: pods only start if it is in the cluster"
            yield about(referrer, message, reference.field, severity)


def _hash_of(name: str) -> str:
    """Return what looks like a content hash at the end of a name; `""` if there is none."""
    return name.removeprefix(without_hash(name)).removeprefix("-")


def _check_absent(
    role: Item, references: list[ResolvedReference], others: _OtherRevisions
) -> Iterator[Problem]:
    """Find what rules name, and what is not here.

    A rule names a revision beside its base name if the function ran.

    Where the base name is that of an object, the name of a former revision is only a right too
    many.
    """
    named = {(one.reference.kind, one.reference.target) for one in references if not one.targets}
    # A rule may be about several kinds.
    found = {one.reference.name for one in references if one.targets}
    for _, reference, _ in references:
        if reference.name in found:
            continue
        base = without_hash(reference.target) if _hash_of(reference.target) else ""
        if (reference.kind, base) in named and not others.have_base(role, reference, base):
            message = f"names {reference.kind}/{reference.target}, which is not in the input"
            yield about(role, message, reference.field)
        else:
            yield from others.check(role, reference)
