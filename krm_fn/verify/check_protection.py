"""Check that no deployer prunes a revision while pods use it, and that none changes its name."""

from collections.abc import Iterator

from krm_fn.model import keys
from krm_fn.model.deployers import HOOKS, PROTECTIONS, Protection, is_hook, keep_name, keep_new_name
from krm_fn.model.item import Item, about
from krm_fn.model.problem import Problem, Severity
from krm_fn.stages.early_readers import find_early_readers
from krm_fn.verify.rendering import RenderedSet, Rendering


def check_protection(rendering: Rendering, deployers: tuple[str, ...]) -> Iterator[Problem]:
    """Find revisions and trackers that lack an annotation for these deployers, or for those of their configuration."""
    for one in rendering.sets.values():
        yield from _check_set(one, deployers_of(one, deployers))


def deployers_of(one: RenderedSet, given: tuple[str, ...]) -> tuple[str, ...]:
    """Return the deployers that will apply a set, as far as anybody says."""
    return given or (one.configured.settings.deployers if one.configured else ())


def is_protected(one: RenderedSet, deployer: str) -> bool:
    """Tell whether a set has no such finding for a deployer, not even one that is only a warning."""
    return not any(_check_set(one, (deployer,)))


def _check_set(one: RenderedSet, deployers: tuple[str, ...]) -> Iterator[Problem]:
    for revision in one.revisions:
        item = revision.item
        yield from _check_pruning(item, deployers)
        yield from _check_name(item, keep_name(item.annotations, deployers) if revision.is_renamed else {})
    for item in one.emitted:
        if item.labels.get(keys.COMPONENT) in keys.TRACKERS:
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


def _unprotected(item: Item, deployer: str, protection: Protection, present: str, severity: Severity) -> Problem:
    found = f"found {present!r}" if present else "missing"
    risk = "may prune it while pods use it" if protection.keeps else "reports it as obsolete"
    message = f"{found}: {deployer} {risk}; expected {protection.value!r}"
    return about(item, message, f"metadata.annotations[{protection.annotation}]", severity)


def _check_name(item: Item, wanted: dict[str, str | None] | dict[str, str]) -> Iterator[Problem]:
    """Check the annotations by which deployers append something to a name. None means that one must not be there."""
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
        # Phases and waves are a deployer's own: without knowing which it is, nothing can be said about the order.
        known = deployers_of(one, deployers) or [name for name in PROTECTIONS if _is_any_protected(one, name)]
        renamed = {revision.item for revision in one.revisions if revision.is_renamed}
        for config, readers in find_early_readers(rendering.references, known).items() if renamed else ():
            if config in renamed and not is_hook(config):
                yield from (reader.refuse() for reader in readers.values())
    for item in filter(is_hook, (revision.item for revision in rendering.revisions.rendered)):
        staying = [one.referrer for one in rendering.consumers.get(item, ()) if not is_hook(one.referrer)]
        if staying or item not in rendering.consumers:
            who = f"{staying[0].id} reads it" if staying else "no hook reads it"
            yield _hook(item, f"its deployer deletes hooks, and {who}")
    for item in rendering.package.emitted:
        if is_hook(item):
            yield _hook(item, "the linker must not hold up a deployment, and needs its objects afterwards")


def _is_any_protected(one: RenderedSet, deployer: str) -> bool:
    return any(
        protection.added_to(revision.item.annotations.get(protection.annotation, ""))
        == revision.item.annotations.get(protection.annotation)
        for revision in one.revisions
        for protection in PROTECTIONS[deployer]
        if protection.keeps
    )


def _hook(item: Item, why: str) -> Problem:
    annotation = next(one for one in HOOKS if one in item.annotations)
    found = item.annotations[annotation]
    return about(item, f"is a {found} hook: {why}; remove the annotation", f"metadata.annotations[{annotation}]")
