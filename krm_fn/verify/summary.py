"""One line that says what was verified, so that nobody takes a check that had nothing to look at for a success."""

from collections.abc import Collection, Iterator

from krm_fn.model import keys
from krm_fn.model.printable import count
from krm_fn.verify.check_protection import deployers_of, is_protected
from krm_fn.verify.rendering import RenderedSet, Rendering

_MAX_SETS = 5


def summarize(rendering: Rendering, deployers: tuple[str, ...]) -> str:
    """Return `verified: 3 revisions of set shop, 5 references, 1 linker Job; protected from pruning by argocd`."""
    return f"verified: {'; '.join(_clauses(rendering, deployers))}\n"


def _clauses(rendering: Rendering, deployers: tuple[str, ...]) -> Iterator[str]:
    sets = [one for one in rendering.sets.values() if one.revisions]
    revised = {revision.item for revision in rendering.revisions.rendered}
    references = [one for one in rendering.references.authored if not one.reference.written]
    resolved = [one for one in references if not revised.isdisjoint(one.targets)]
    jobs = [item for one in sets for item in one.emitted if item.id.kind == "Job"]
    revisions = f"{_count(revised, 'revision')}{_of([one.name for one in sets])}"
    yield f"{revisions}, {_count(resolved, 'reference')}, {_count(jobs, 'linker Job')}"
    if sets:
        yield from _protections(sets, deployers)
    checksums = [item for item in rendering.package.authored if keys.CHECKSUM in item.annotations]
    if checksums:
        is_checked = sum(one.configured is not None for one in rendering.sets.values()) == 1
        yield f"{_count(checksums, 'workload')} with checksums{'' if is_checked else ', not checked without --config'}"


def _protections(sets: Collection[RenderedSet], deployers: tuple[str, ...]) -> Iterator[str]:
    checked = [(name, is_protected(one, name)) for one in sets for name in deployers_of(one, deployers)]
    failed = dict.fromkeys(name for name, is_safe in checked if not is_safe)
    safe = dict.fromkeys(name for name, _ in checked if name not in failed)
    if safe:
        yield f"protected from pruning by {', '.join(safe)}"
    if failed:
        yield f"not protected from {', '.join(failed)}"
    if not checked:
        yield "protection not checked without --deployer"


def _of(sets: list[str]) -> str:
    if len(sets) > _MAX_SETS:
        return f" of {len(sets)} sets"
    return f" of set{'s' * (len(sets) > 1)} {', '.join(sets)}" if sets else ""


def _count(things: Collection[object], what: str) -> str:
    return count(len(things), what)
