"""Check that the deployer applies every revision before the pods that read it, and does not delete it with a hook."""

from collections.abc import Iterator

from krm_fn.model.deployers import PROTECTIONS
from krm_fn.model.item import Item, about
from krm_fn.model.problem import Problem
from krm_fn.model.sync_order import HOOKS, is_hook
from krm_fn.stages.early_readers import find_early_readers
from krm_fn.verify.check_protection import deployers_of
from krm_fn.verify.rendering import RenderedSet, Rendering


def check_order(rendering: Rendering, deployers: tuple[str, ...]) -> Iterator[Problem]:
    """Find workloads that wait for a revision of a later step, and hooks among revisions and the linker's objects.

    Where nobody says what applies the objects, it is what the revisions are protected from.
    """
    for one in rendering.sets.values():
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
