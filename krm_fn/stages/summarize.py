"""What a run has done with the package as a whole, in one line."""

from collections import Counter
from collections.abc import Collection, Iterable

from krm_fn.model.item import Item
from krm_fn.model.problem import Problem, Severity
from krm_fn.model.settings import Settings, Strategy
from krm_fn.references.generated import versioned
from krm_fn.stages.checksums import Checksums
from krm_fn.stages.choose import Choice, Choices
from krm_fn.stages.reason import ReasonCode

_MOST = 3
"""Kinds to name."""

_RENAMED, _ADOPTED, _CHECKSUM = "renamed", "adopted", "with a checksum"
_LEFT_ALONE, _OF_ANOTHER_SET = "left alone", "of another set"
_CHOSEN = {Strategy.RENAME: _RENAMED, Strategy.ADOPT: _ADOPTED, Strategy.CHECKSUM: _CHECKSUM}


def summarize(choices: Choices, checksums: Checksums, settings: Settings, authored: Iterable[Item]) -> Problem:
    """Return `2 renamed, 1 left alone (krm-fn explain PATH says why)`.

    It counts what objects are, not what was edited, so that the next run says the same. Where nothing is to be chosen,
    it names what makes Secrets in the cluster: that `Secret` includes it is a mistake that is easily made.
    """
    restarting = {config for reading in checksums.readings.restarted for config in reading.configs}
    counts = Counter(_outcome(choice, restarting, settings) for choice in choices.all)
    done = [f"{counts[outcome]} {outcome}" for outcome in _CHOSEN.values() if counts[outcome]]
    others = [f"{counts[outcome]} {outcome}" for outcome in (_LEFT_ALONE, _OF_ANOTHER_SET) if counts[outcome]]
    if not done and not others:
        producers = sorted({one.id.kind for one in authored if versioned(one.id) is not None} - {*settings.kinds})
        is_meant = bool(producers) and "Secret" in settings.kinds
        without = f"; spec.kinds does not contain {', '.join(producers[:_MOST])}" if is_meant else ""
        message = f"nothing renamed: the package has no {' or '.join(sorted(settings.kinds))} to choose{without}"
    else:
        why = " (krm-fn explain PATH says why)" if others else ""
        message = f"{', '.join([*(done or ['nothing renamed']), *others])}{why}"
    return Problem(message, severity=Severity.INFO)


def _outcome(choice: Choice, restarting: Collection[Item], settings: Settings) -> str:
    """Return what became of an object; `""` for one that nobody would expect to be a revision."""
    if choice.strategy in _CHOSEN:
        return _CHOSEN[choice.strategy]
    if choice.item in restarting:
        return _CHECKSUM  # a controller's annotation on the workload asks for it
    if choice.reason.ground is ReasonCode.OTHER_SET:
        return _OF_ANOTHER_SET
    is_candidate = choice.item.id.kind in settings.kinds and choice.reason.ground is not ReasonCode.FIXED_NAME
    return _LEFT_ALONE if is_candidate else ""
