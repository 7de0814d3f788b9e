"""Add what is asked for beside new names, in this order.

Each is imported where the package or its configuration asks for it: most ask for the linker alone
(decision 31).
"""

from collections.abc import Callable, Collection, Iterable, Iterator
from functools import partial
from typing import TypeAlias

from krm_fn.base import keys
from krm_fn.base.changes import Changes
from krm_fn.base.item import Item
from krm_fn.base.named_tuple import NamedTuple
from krm_fn.base.node import Node
from krm_fn.base.reference import ResolvedReference
from krm_fn.base.settings import Hooks, Jobs, Settings, Strategy
from krm_fn.core.decide.run import Package, Run, Survey
from krm_fn.core.decide.update_references import find_contradictions
from krm_fn.core.references.references import References
from krm_fn.core.references.resolve import Index
from krm_fn.extras.restart_requests import find_opt_ins

Extra: TypeAlias = Callable[[Run], Run]


class Mounted(NamedTuple):
    """The mounts that the configuration asks for.

    Its references count for every decision, and what it writes follows them.

    `own_texts`: the scalars that an earlier run wrote for it, references among them.
    """

    references: Iterable[ResolvedReference] = ()
    own_texts: Collection[Node] = frozenset()
    add: Extra | None = None


FindHooks: TypeAlias = Callable[[References, Iterable[str]], Collection[tuple[Item, Item]]]
"""Finds the hooks that read an object before one of these deployers applies it: object and hook."""


class Copied(NamedTuple):
    """The references that are left where hooks read copies, and what writes the copies."""

    references: References
    add: Extra | None = None


def read_mounted(package: Package, index: Index, settings: Settings) -> Mounted:
    """Read what is to be mounted, and what an earlier run has mounted."""
    mark = keys.MOUNTS + settings.set
    if not settings.mounts and not any(mark in item.annotations for item in package.authored):
        return Mounted()
    from krm_fn.extras.mounts.mount import update_mounts
    from krm_fn.extras.mounts.plan_mounts import read_mounts

    mounts = read_mounts(package.authored, index, settings, package.config_id)
    return Mounted(mounts.references, mounts.own_texts, partial(update_mounts, mounts))


def read_copies(survey: Survey, find_hooks: FindHooks) -> Copied:
    """Read what hooks are to read copies of, and what an earlier run has copied."""
    has_copies = any(keys.COPY_OF in one.annotations for one in survey.package.emitted)
    if survey.settings.hooks is Hooks.LEAVE and not has_copies:
        return Copied(survey.references)
    from krm_fn.extras.hook_copies import find_copies, write_copies

    copies = find_copies(survey, find_hooks)
    return Copied(copies.references, partial(write_copies, copies))


def find_extras(run: Run, mounted: Mounted, copied: Copied) -> Iterator[Extra]:
    """Yield what is asked for."""
    if mounted.add is not None:
        yield mounted.add
    if copied.add is not None:
        yield copied.add
    if _asks_for_checksums(run):
        from krm_fn.extras.checksums import set_checksums

        yield set_checksums
    # Behind all other edits: a Job is named by the spec that will be written (decision 13).
    if run.settings.jobs is Jobs.RENAME:
        from krm_fn.extras.jobs import rename_jobs

        yield rename_jobs
    yield _report_contradictions
    if run.revisions.rendered or run.package.emitted or run.settings.linker.kinds:
        yield add_linker


def add_linker(run: Run) -> Run:
    """Put the linker's objects into the package."""
    from krm_fn.extras.emit_linker import emit_linker

    return emit_linker(run)


def _asks_for_checksums(run: Run) -> bool:
    """Tell whether a strategy, a controller's annotation or the mark of an earlier run asks for them."""
    authored = run.package.authored
    return (
        any(choice.strategy is Strategy.CHECKSUM for choice in run.choices.all)
        or any(keys.CHECKSUM in item.annotations for item in authored)
        or bool(find_opt_ins(authored, run.settings.checksums.controllers))
    )


def _report_contradictions(run: Run) -> Run:
    return run.add(Changes(problems=tuple(find_contradictions(run.changes.edits))))
