"""The one line with which each run ends.

This is the door by which the tools enter the room.
"""

from collections import Counter
from collections.abc import Collection

from krm_fn.base import keys
from krm_fn.base.item import Item
from krm_fn.base.problem import Problem, Severity, listing
from krm_fn.base.settings import Settings, Strategy
from krm_fn.core.decide.run import (
    Choice,
    Package,
    Reason,
    ReasonCode,
    Revision,
    Revisions,
    Run,
    read_package,
)
from krm_fn.core.decide.update_references import find_older, why_passed_over
from krm_fn.core.names.names import authored_id
from krm_fn.core.references.generated import versioned

__all__ = [
    "Choice",
    "Package",
    "Reason",
    "Revision",
    "Revisions",
    "Run",
    "find_older",
    "read_package",
    "say_unchosen_makers",
    "summarize_run",
    "why_passed_over",
]

_MOST_KINDS = 3
"""Kinds that the summary names."""

_MOST_MAKERS = 2
"""Objects that it names."""


_RENAMED, _ADOPTED, _CHECKSUM = "renamed", "adopted", "with a checksum"
_LEFT_ALONE, _OF_ANOTHER_SET = "left alone", "of another set"
_CHOSEN = {Strategy.RENAME: _RENAMED, Strategy.ADOPT: _ADOPTED, Strategy.CHECKSUM: _CHECKSUM}


def summarize_run(run: Run) -> Problem:
    """Return `2 renamed, 1 left alone (krm-fn explain PATH says why)`.

    It is no problem among those of the changes: only what prints the changes says it. It counts
    what objects are, not what was edited, so that the next run says the same.
    """
    counts = _count(run)
    done = [f"{counts[outcome]} {outcome}" for outcome in _CHOSEN.values() if counts[outcome]]
    others = [
        f", {counts[outcome]} {outcome}"
        for outcome in (_LEFT_ALONE, _OF_ANOTHER_SET)
        if counts[outcome]
    ]
    if not done and not others:
        message = _say_nothing_to_choose(run)
    else:
        retained = _count_retained(run)
        why = " (krm-fn explain PATH says why)" if others or retained else ""
        kept = f" (the linker can never delete {retained} of them)" if retained else ""
        made = _behind(say_unchosen_makers(run))
        message = f"{', '.join(done or ['nothing renamed'])}{kept}{''.join(others)}{why}{made}"
    return Problem(message, severity=Severity.INFO)


def _behind(clause: str) -> str:
    return f"; {clause}" if clause else ""


def say_unchosen_makers(run: Run) -> str:
    """Say which objects make Secrets that pods read, and could be chosen; `""` if there are none.

    They are left alone as all else outside of spec.kinds is, and no table of reasons has them: most
    teams keep these in git, and no Secrets.
    """
    kinds = run.settings.kinds
    found: dict[Item, None] = {}  # in order, each once
    for made in run.references.made_for_pods:
        if made.writer.id.kind not in kinds and versioned(made.writer.id) is not None:
            found[made.writer] = None
    if not found:
        return ""
    names = sorted(str(authored_id(one)) for one in found)
    makers = listing(names, _MOST_MAKERS, is_sentence=True)
    missing = listing(sorted({one.id.kind for one in found}), _MOST_KINDS)
    verb = "makes" if len(found) == 1 else "make"
    return (
        f"pods read what {makers} {verb}: add {missing} to spec.kinds to version it; "
        f"if it is deployed, first sync it with the annotation {keys.STRATEGY}: {Strategy.ADOPT}"
    )


def _count(run: Run) -> Counter[str]:
    restarting: set[Item] = set()
    for one in run.checksums:
        if one.restarts:
            restarting.update(one.configs)
    return Counter(_outcome(choice, restarting, run.settings) for choice in run.choices.all)


def _count_retained(run: Run) -> int:
    """Count the revisions that nothing will ever delete.

    Without a linker, another message says it of all.
    """
    if not run.settings.linker.enabled:
        return 0
    return sum(revision.item not in run.consumers for revision in run.revisions.rendered)


def _say_nothing_to_choose(run: Run) -> str:
    """Name the objects that make Secrets in the cluster.

    It is a mistake easily made that `Secret` in spec.kinds includes them.
    """
    kinds = run.settings.kinds
    producers = {one.id.kind for one in run.package.authored if versioned(one.id) is not None}
    others = sorted(producers.difference(kinds))
    if others and "Secret" in kinds:
        without = f"spec.kinds does not contain {', '.join(others[:_MOST_KINDS])}"
    else:
        without = say_unchosen_makers(run)
    return f"nothing renamed: the package has no {' or '.join(sorted(kinds))} to choose{_behind(without)}"


def _outcome(choice: Choice, restarting: Collection[Item], settings: Settings) -> str:
    """Return what became of an object; `""` for one that nobody would expect to be a revision."""
    if choice.strategy in _CHOSEN:
        return _CHOSEN[choice.strategy]
    if choice.item in restarting:
        return _CHECKSUM  # a controller's annotation on the workload asks for it
    if choice.reason.code is ReasonCode.OTHER_SET:
        return _OF_ANOTHER_SET
    is_candidate = (
        choice.item.id.kind in settings.kinds and choice.reason.code is not ReasonCode.FIXED_NAME
    )
    return _LEFT_ALONE if is_candidate else ""
