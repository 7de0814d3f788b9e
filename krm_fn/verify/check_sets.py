"""Check that the function has run: kustomize skips it without a word if it may not start programs."""

from collections.abc import Collection, Iterator, Mapping

from krm_fn.model import keys
from krm_fn.model.item import about
from krm_fn.model.problem import Problem
from krm_fn.naming.names import CONTENT_NAME
from krm_fn.references.reference import ResolvedReference
from krm_fn.verify.rendering import Configured, RenderedSet, Rendering

_NOT_RUN = "krm-fn has not run over these objects (kustomize skips exec functions unless it has --enable-exec)"


def check_sets(rendering: Rendering, expected: Collection[str]) -> Iterator[Problem]:
    """Find sets without a revision: the expected ones, those of configurations, and those that have a linker.

    Where nothing says what to expect, any sign that the function has run will do.
    """
    sets = rendering.sets
    is_referenced = any(map(_names_a_missing_revision, rendering.references.authored))
    needed = {
        name
        for name, one in sets.items()
        if one.emitted or (one.configured and (is_referenced or _chooses_any(one.configured)))
    }
    for name in sorted({*expected, *needed}):
        if name not in sets or not sets[name].revisions:
            yield _no_revision(name, sets)
    for one in sets.values():
        if one.revisions and one.configured:
            yield from _check_chosen(one.name, one.configured)
    if not expected and not sets and not _has_checksums(rendering):
        yield Problem(f"no revision of any set: {_NOT_RUN}")


def _names_a_missing_revision(resolved: ResolvedReference) -> bool:
    return not resolved.targets and CONTENT_NAME.fullmatch(resolved.reference.target) is not None


def _chooses_any(configured: Configured) -> bool:
    """Tell whether the function would make revisions if it ran now."""
    return any(choice.strategy.makes_revisions for choice in configured.choices.all)


def _no_revision(name: str, sets: Mapping[str, RenderedSet]) -> Problem:
    found = [one.name for one in sets.values() if one.revisions]
    return Problem(f"no revision of set {name}: " + (f"found set {', '.join(found)}" if found else _NOT_RUN))


def _check_chosen(name: str, configured: Configured) -> Iterator[Problem]:
    """Find objects that the configuration chooses, and that are no revisions."""
    for choice in configured.choices.all:
        if choice.strategy.makes_revisions and keys.SET not in choice.item.labels:
            is_selected = configured.settings.select is not None or keys.STRATEGY in choice.item.annotations
            how = "selected" if is_selected else "chosen"
            message = f"{how} for set {name}, but it is no revision: krm-fn has not run over this object"
            yield about(choice.item, message)


def _has_checksums(rendering: Rendering) -> bool:
    """Tell whether the function has run with strategy `checksum` only."""
    return any(keys.CHECKSUM in item.annotations for item in rendering.package.authored)
