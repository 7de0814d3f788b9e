"""Check every revision: the name of its content, its marks and fields, no double, its protection, its time."""

from collections.abc import Collection, Iterator, Mapping
from itertools import product

from krm_fn.base import keys
from krm_fn.base.go_yaml import read_scalar
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
    who_may_apply,
)
from krm_fn.base.node import (
    FieldPath,
    Node,
    describe,
    elements,
    entries,
    fields,
    get,
    is_null,
    is_scalar,
    scalars,
    step,
    text,
)
from krm_fn.base.pods import find_pod_specs
from krm_fn.base.problem import Problem, Severity
from krm_fn.base.reference import ResolvedReference
from krm_fn.base.settings import Settings
from krm_fn.core.names.names import Unhashable, base_name, without_hash
from krm_fn.guards.guards import find_early_readers
from krm_fn.tools.common.rendered import is_internal
from krm_fn.tools.verify.rendering import RenderedSet, Rendering
from krm_fn.transform import choose_with


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
                f"metadata.annotations[{keys.BASE_NAME}]",
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
            # warned about it. Of two that differ in their files at most, either may be the last.
            is_other = item in revised and _texts_in(item) != _texts_in(earlier)
            is_ours = item in emitted or is_other
            yield about(item, message, severity=Severity.ERROR if is_ours else Severity.WARNING)


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
                yield about(item, message, f"metadata.annotations[{keys.LOCAL_CONFIG}]")


def _check_passed_over(item: Item, deployers: Collection[str]) -> Iterator[Problem]:
    for deployer in who_may_apply(deployers):
        for says, field in find_passed_over(item, deployer):
            yield about(item, f"{says}; remove this", field)


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
        if one.emitted or (one.settings and (is_referenced or one.chosen)):
            needed.add(name)
    for name in sorted(needed):
        if name not in sets or not sets[name].revisions:
            yield _no_revision(name, sets)
    for one in sets.values():
        if one.revisions and one.settings:
            yield from _check_chosen(one, one.settings)
    # With strategy `checksum` only, there is no revision.
    if (
        not expected
        and not sets
        and not any(keys.CHECKSUM in one.annotations for one in rendering.package.authored)
        and (is_referenced or choose_with(rendering.run.survey, Settings()))
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


def _check_chosen(one: RenderedSet, settings: Settings) -> Iterator[Problem]:
    """Find objects that the configuration chooses, and that are no revisions."""
    for item in one.chosen:
        if keys.SET not in item.labels:
            is_selected = settings.select is not None or keys.STRATEGY in item.annotations
            how = "selected" if is_selected else "chosen"
            message = f"{how} for set {one.name}, but it is no revision: krm-fn has not run over this object"
            yield about(item, message)


def check_protection(rendering: Rendering, deployers: tuple[str, ...]) -> Iterator[Problem]:
    """Find revisions and trackers that lack an annotation for these deployers, or for those of their configuration."""
    for one in rendering.sets.values():
        yield from _check_set(one, deployers_of(one, deployers))


def deployers_of(one: RenderedSet, given: tuple[str, ...]) -> tuple[str, ...]:
    """Return the deployers that will apply a set, as far as anybody says."""
    return given or (one.settings.deployers if one.settings else ())


def find_protecting(one: RenderedSet) -> tuple[str, ...]:
    """Return the deployers from whose pruning some revision is protected: these may apply the set."""
    annotations = [revision.item.annotations for revision in one.revisions]
    found: dict[str, None] = {}
    for name, protections in PROTECTIONS.items():
        for protection, held in product(protections, annotations):
            if protection.keeps and protection.is_in(held.get(protection.annotation, "")):
                found[name] = None
    return tuple(found)


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


def _hook(item: Item, why: str) -> Problem:
    annotation = next(one for one in HOOKS if one in item.annotations)
    found = item.annotations[annotation]
    return about(
        item,
        f"is a {found} hook: {why}; remove the annotation",
        f"metadata.annotations[{annotation}]",
    )


# Fields.

_OF_LIFE = {
    "ownerReferences": "the garbage collector deletes what has no live owner, and only the linker adds owners",
    "finalizers": "an object with a finalizer stays when it is deleted, until somebody removes that",
}
"""Metadata that decides when an object goes, and what is wrong with it."""

_OF_THE_API_SERVER = dict.fromkeys(
    ("managedFields", "resourceVersion", "uid"), "the API server refuses it in a new object"
)
"""Metadata of a live object. An adopted one may have it, as it keeps its name."""


def check_fields(rendering: Rendering) -> Iterator[Problem]:
    """Find metadata that no object of the function may have, and values of another type than the API server takes."""
    for revision in rendering.revisions.rendered:
        of_a_new_one = _OF_THE_API_SERVER if revision.is_renamed else {}
        yield from _check_metadata(revision.item, {**_OF_LIFE, **of_a_new_one})
        immutable = get(revision.item.node, "immutable")
        wrong = find_type(immutable, bool) if immutable and not is_null(immutable) else ""
        if wrong:
            yield about(revision.item, wrong, "immutable")
    for item in rendering.package.emitted:
        yield from _check_metadata(item, {**_OF_LIFE, **_OF_THE_API_SERVER})


def check_volumes(rendering: Rendering) -> Iterator[Problem]:
    """Find two volumes of one name in pods that read a revision: the API server refuses them."""
    readers: dict[Item, None] = {}
    for found in rendering.consumers.values():
        readers.update(dict.fromkeys(one.referrer for one in found))
    for item in readers:
        for pod in find_pod_specs(item):
            first: dict[str, int] = {}
            for index, volume in enumerate(elements(get(pod.node, "volumes"))):
                name = text(get(volume, "name"))
                earlier = first.setdefault(name, index)
                if name and earlier != index:
                    message = f"is the name of volumes[{earlier}] too: the API server refuses it; remove one of them"
                    yield about(item, message, f"{pod.field}.volumes[{index}].name")


def _check_metadata(item: Item, unwanted: Mapping[str, str]) -> Iterator[Problem]:
    metadata = fields(get(item.node, "metadata"))
    for name, why in unwanted.items():
        value = metadata.get(name)
        if not is_null(value) and not _is_empty(value):
            yield about(item, f"found a value, expected none: {why}", f"metadata.{name}")
    for where in ("labels", "annotations"):
        for name, value in entries(metadata.get(where)):
            wrong = "" if is_null(value) else find_type(value, str)
            if wrong:
                yield about(item, wrong, step(f"metadata.{where}", name))


def _is_empty(value: object) -> bool:
    held: object = getattr(value, "value", None)
    return isinstance(held, list) and not held


_TYPES: dict[type, str] = {str: "text", bool: "a boolean", int: "a number", float: "a number"}


def find_type(found: Node, wanted: type) -> str:
    """Say that a value is of another type than the API server takes; `""` if it is of this one."""
    if not is_scalar(found):
        is_what = describe(found)
    else:
        try:
            is_what = _TYPES.get(type(read_scalar(found)), "text")
        except ValueError:
            is_what = "a number"
    if is_what == _TYPES[wanted]:
        return ""
    remedy = ""
    if is_scalar(found) and wanted is str:
        remedy = "; put it in quotes"
    elif is_scalar(found) and is_what == "text":
        remedy = "; remove the quotes"
    return f"found {is_what}, expected {_TYPES[wanted]}: the API server refuses it{remedy}"
