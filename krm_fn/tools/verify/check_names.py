"""Check every revision: the name of its content, its marks, no double, its protection, and that it comes in time."""

from collections.abc import Collection, Iterator, Mapping

from krm_fn.base import keys
from krm_fn.base.item import Item, about, is_revision, locate
from krm_fn.base.kind import (
    DEPLOYERS,
    HOOKS,
    PROTECTIONS,
    Protection,
    find_passed_over,
    is_hook,
    keep_name,
    keep_new_name,
)
from krm_fn.base.node import FieldPath, scalars
from krm_fn.base.problem import Problem, Severity
from krm_fn.base.reference import ResolvedReference
from krm_fn.core.names.names import Unhashable, base_name, without_hash
from krm_fn.guards.guards import find_early_readers
from krm_fn.tools.common.rendered import is_internal
from krm_fn.tools.verify.rendering import (
    RenderedSet,
    Rendering,
    configure_by_default,
)
from krm_fn.transform import Configured


def check_names(rendering: Rendering) -> Iterator[Problem]:
    """Find content that something has changed after the function has named it: substitution, decryption, a setter."""
    for revision in rendering.revisions.rendered:
        item, found = revision.item, revision.hash_in_name
        if not found:  # adopted
            continue
        try:
            expected = revision.expected_hash()
        except Unhashable as reason:
            yield about(item, reason.message, reason.field)
            continue
        if found != expected:
            # A name that has the hash of a Secret's content would let readers of the message try
            # out weak passwords.
            name = (
                item.id.name.replace(found, expected)
                if item.id.kind != "Secret"
                else "another name"
            )
            message = f"the content belongs to {name}: something has changed it after krm-fn, which must run last"
            yield about(item, message, "metadata.name")
        elif not item.id.name.endswith(found):
            message = f"found {item.id.name!r}, expected the hash at the end: something has added a suffix after krm-fn"
            yield about(item, message, "metadata.name")


def check_labels(rendering: Rendering) -> Iterator[Problem]:
    """Find revisions and copies of which a mark is gone, so that nobody knows them as such any more."""
    for item in rendering.package.configs:
        if keys.BASE_NAME in item.annotations and keys.SET not in item.labels:
            field = f"metadata.labels[{keys.SET}]"
            yield about(
                item, "missing, beside the base name of a revision: no linker knows it", field
            )
        # Somebody may have copied the label to an object of their own, whose name has no hash.
        elif (
            keys.SET in item.labels
            and keys.BASE_NAME not in item.annotations
            and base_name(item) != item.id.name
        ):
            yield about(
                item,
                "missing, beside the label of a revision: no linker knows it",
                _field(keys.BASE_NAME),
            )
        if is_revision(item) and keys.COMPONENT in item.labels:
            found = item.labels[keys.COMPONENT]
            message = f"found {found!r}, expected no such label: the linker takes it for one of its own objects"
            yield about(item, message, f"metadata.labels[{keys.COMPONENT}]")
        if keys.COPY_OF in item.annotations:  # with its label, it is none of the author's objects
            field = f"metadata.labels[{keys.COMPONENT}]"
            yield about(item, "missing, beside the mark of a copy for hooks", field)


def check_duplicates(rendering: Rendering) -> Iterator[Problem]:
    """Find objects that are here twice, of those that the function has written or changed."""
    package = rendering.package
    revised = {revision.item for revision in rendering.revisions.rendered}
    changed = {
        one.referrer for one in rendering.run.references if not revised.isdisjoint(one.targets)
    }
    emitted = set(package.emitted)
    ours = revised | changed | emitted
    first: dict[tuple[str, ...], Item] = {}
    for item in (*package.authored, *package.emitted):
        who = item.id
        subpackage = item.annotations.get(keys.PACKAGE_PATH, "")
        earlier = first.setdefault(
            (who.group, who.kind, package.namespace_of(item), who.name, subpackage), item
        )
        if earlier is not item and (item in ours or earlier in ours):
            message = f"is in the input twice, also as {locate(earlier)}: what is applied last wins; remove one"
            # Two subpackages of kpt may each have an object of this name, and the function has only
            # warned about it.
            is_ours = item in emitted or (item in revised and not _are_equal(item, earlier))
            yield about(item, message, severity=Severity.ERROR if is_ours else Severity.WARNING)


def _are_equal(one: Item, other: Item) -> bool:
    """Tell whether it does not matter which of two objects is applied last: they differ in their files at most."""
    return _texts_in(one) == _texts_in(other)


def _texts_in(item: Item) -> dict[FieldPath, tuple[str, bool]]:
    """Return each scalar by its path, and whether it is in quotes: `yes` and `"yes"` are not equal to all programs."""
    return {
        path: (scalar.value, bool(scalar.style))
        for scalar, path, _ in scalars(item.node)
        if path[:2] != ("metadata", "annotations") or not is_internal(str(path[-1]))
    }


def check_applied(rendering: Rendering, deployers: tuple[str, ...]) -> Iterator[Problem]:
    """Find revisions and objects of the linker that tools leave out, or that their deployer does not apply."""
    for one in rendering.sets.values():
        # Who applies them, nobody may know: then an instruction to any deployer counts.
        known = deployers_of(one, deployers) or tuple(DEPLOYERS)
        for item in (*(revision.item for revision in one.revisions), *one.emitted):
            yield from _check_passed_over(item, known)
            if item.is_local:
                message = "is only for tools, which leave it out of what is applied; remove the annotation"
                yield about(item, message, _field(keys.LOCAL_CONFIG))


def _check_passed_over(item: Item, deployers: Collection[str]) -> Iterator[Problem]:
    for deployer in deployers:
        for field in find_passed_over(item, deployer):
            message = f"{DEPLOYERS[deployer].name} does not apply it, or not again; remove this"
            yield about(item, message, field)


def _field(annotation: str) -> str:
    return f"metadata.annotations[{annotation}]"


_NOT_RUN = "krm-fn has not run over these objects (kustomize skips exec functions unless it has --enable-exec)"


def check_sets(rendering: Rendering, expected: Collection[str]) -> Iterator[Problem]:
    """Find sets without a revision: the expected ones, those of configurations, and those that have a linker.

    Where nothing says what to expect, any sign that the function has run will do, if there is
    something that it renames by default.
    """
    sets = rendering.sets
    is_referenced = any(
        _names_a_missing_revision(one, rendering) for one in rendering.run.references.authored
    )
    needed = {*expected}
    for name, one in sets.items():
        if one.emitted or (one.configured and (is_referenced or one.configured.chosen)):
            needed.add(name)
    for name in sorted(needed):
        if name not in sets or not sets[name].revisions:
            yield _no_revision(name, sets)
    for one in sets.values():
        if one.revisions and one.configured:
            yield from _check_chosen(one.name, one.configured)
    # With strategy `checksum` only, there is no revision.
    if (
        not expected
        and not sets
        and not any(keys.CHECKSUM in one.annotations for one in rendering.package.authored)
        and (is_referenced or configure_by_default(rendering).chosen)
    ):
        yield Problem(f"no revision of any set: {_NOT_RUN}")


def _names_a_missing_revision(resolved: ResolvedReference, rendering: Rendering) -> bool:
    """Tell whether a name may be that of a revision. kustomize names what is in another namespace in this way too."""
    name = resolved.reference.target
    if resolved.targets or without_hash(name) == name:
        return False
    return not any(rendering.run.references.index.find_passed_over(resolved))


def _no_revision(name: str, sets: Mapping[str, RenderedSet]) -> Problem:
    found = [one.name for one in sets.values() if one.revisions]
    return Problem(
        f"no revision of set {name}: " + (f"found set {', '.join(found)}" if found else _NOT_RUN)
    )


def _check_chosen(name: str, configured: Configured) -> Iterator[Problem]:
    """Find objects that the configuration chooses, and that are no revisions."""
    for item in configured.chosen:
        if keys.SET not in item.labels:
            is_selected = (
                configured.settings.select is not None or keys.STRATEGY in item.annotations
            )
            how = "selected" if is_selected else "chosen"
            message = (
                f"{how} for set {name}, but it is no revision: krm-fn has not run over this object"
            )
            yield about(item, message)


def check_protection(rendering: Rendering, deployers: tuple[str, ...]) -> Iterator[Problem]:
    """Find revisions and trackers that lack an annotation for these deployers, or for those of their configuration."""
    for one in rendering.sets.values():
        yield from _check_set(one, deployers_of(one, deployers))


def deployers_of(one: RenderedSet, given: tuple[str, ...]) -> tuple[str, ...]:
    """Return the deployers that will apply a set, as far as anybody says."""
    return given or (one.configured.settings.deployers if one.configured else ())


def find_protecting(one: RenderedSet) -> tuple[str, ...]:
    """Return the deployers from whose pruning some revision is protected: these may apply the set."""
    return tuple(name for name in PROTECTIONS if _is_any_protected(one, name))


def is_protected(one: RenderedSet, deployer: str) -> bool:
    """Tell whether a set has no such finding for a deployer, not even one that is only a warning."""
    return not any(_check_set(one, (deployer,)))


def _check_set(one: RenderedSet, deployers: tuple[str, ...]) -> Iterator[Problem]:
    for revision in one.revisions:
        item = revision.item
        yield from _check_pruning(item, deployers)
        yield from _check_name(
            item, keep_name(item.annotations, deployers) if revision.is_renamed else {}
        )
    for item in one.emitted:
        if item.labels.get(keys.COMPONENT) == keys.TRACKER:
            yield from _check_pruning(item, deployers)
            yield from _check_name(item, keep_new_name(deployers))


def _check_pruning(item: Item, deployers: tuple[str, ...]) -> Iterator[Problem]:
    for deployer in deployers:
        for protection in PROTECTIONS[deployer]:
            present = item.annotations.get(protection.annotation, "")
            wanted = protection.added_to(present)
            if wanted != present:
                # Where the author has written the opposite, the function warns and leaves it.
                severity = Severity.WARNING if wanted is None else Severity.ERROR
                yield _unprotected(item, deployer, protection, present, severity)


def _unprotected(
    item: Item, deployer: str, protection: Protection, present: str, severity: Severity
) -> Problem:
    found = f"found {present!r}" if present else "missing"
    risk = "may prune it while pods use it" if protection.keeps else "reports it as obsolete"
    message = f"{found}: {deployer} {risk}; expected {protection.value!r}"
    return about(item, message, f"metadata.annotations[{protection.annotation}]", severity)


def _check_name(item: Item, wanted: dict[str, str | None] | dict[str, str]) -> Iterator[Problem]:
    """Check the annotations by which deployers append something to a name.

    None means that one must not be there.
    """
    for annotation, value in wanted.items():
        present = item.annotations.get(annotation)
        if present != value:
            found = "missing" if present is None else f"found {present!r}"
            expected = f"; expected {value!r}" if value else ""
            message = f"{found}: the name gets a second suffix when it is deployed{expected}"
            yield about(item, message, f"metadata.annotations[{annotation}]")


def check_order(rendering: Rendering, deployers: tuple[str, ...]) -> Iterator[Problem]:
    """Find workloads that wait for a revision of a later step, and hooks among revisions and the linker's objects.

    Where nobody says what applies the objects, it is what the revisions are protected from.
    """
    for one in rendering.sets.values():
        # Phases and waves are a deployer's own: without knowing which it is, nothing can be said
        # about the order.
        known = deployers_of(one, deployers) or find_protecting(one)
        renamed = {revision.item for revision in one.revisions if revision.is_renamed}
        early = find_early_readers(rendering.run.references, known) if renamed else {}
        for config, readers in early.items():
            if config in renamed and not is_hook(config):
                yield from (reader.refuse() for reader in readers.values())
    for item in filter(is_hook, (revision.item for revision in rendering.revisions.rendered)):
        staying = [
            one.referrer for one in rendering.consumers.get(item, ()) if not is_hook(one.referrer)
        ]
        if staying or item not in rendering.consumers:
            who = f"{staying[0].id} reads it" if staying else "no hook reads it"
            yield _hook(item, f"its deployer deletes hooks, and {who}")
    for item in rendering.package.emitted:
        if is_hook(item) and keys.COPY_OF not in item.annotations:
            yield _hook(
                item, "the linker must not hold up a deployment, and needs its objects afterwards"
            )


def _is_any_protected(one: RenderedSet, deployer: str) -> bool:
    for revision in one.revisions:
        for protection in PROTECTIONS[deployer]:
            found = revision.item.annotations.get(protection.annotation)
            if protection.keeps and found is not None and protection.added_to(found) == found:
                return True
    return False


def _hook(item: Item, why: str) -> Problem:
    annotation = next(one for one in HOOKS if one in item.annotations)
    found = item.annotations[annotation]
    return about(
        item,
        f"is a {found} hook: {why}; remove the annotation",
        f"metadata.annotations[{annotation}]",
    )
