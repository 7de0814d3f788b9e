"""When a deployer applies an object: in which phase and sync wave, as its annotations say.

Sources: Argo CD's gitops-engine (`sync/hook`, `sync/syncwaves`, `sync/sync_phase.go`), Helm's page on chart hooks.
"""

import re
from collections.abc import Iterable
from enum import IntEnum
from typing import NamedTuple

from krm_fn.model.deployers import read_options
from krm_fn.model.item import Item

ARGO_HOOK = "argocd.argoproj.io/hook"
HELM_HOOK = "helm.sh/hook"
HOOKS = (HELM_HOOK, ARGO_HOOK)
"""Annotations of objects that a deployer creates and deletes during one step of a deployment."""

SYNC_WAVE = "argocd.argoproj.io/sync-wave"
_HOOK_WEIGHT = "helm.sh/hook-weight"
"""Argo CD reads it as the wave of an object that has none."""

_ORDERING = frozenset({*HOOKS, SYNC_WAVE, _HOOK_WEIGHT})
_NUMBER = re.compile("[-+]?[0-9]{1,18}")


class Phase(IntEnum):
    """The parts of one deployment, in order. All of one is done before the next begins."""

    BEFORE = 0
    MAIN = 1
    AFTER = 2


class Step(NamedTuple):
    """A place in the order of one deployment. `hook` is the kind of hook that is there, `""` for a plain object."""

    phase: Phase
    wave: int
    hook: str = ""

    def is_before(self, other: "Step") -> bool:
        """Tell whether the deployer is done with this step before it begins the other."""
        return (self.phase, self.wave) < (other.phase, other.wave)


# Hooks that are missing here have no place in this order: they run when something fails or is deleted, or never.
_ARGO_HOOKS = {"PreSync": Phase.BEFORE, "Sync": Phase.MAIN, "PostSync": Phase.AFTER}

# As Helm runs them, and as Argo CD reads them. No `pre-rollback`: what it reads is of an earlier release, and was kept.
_HELM_HOOKS = {
    "pre-install": Phase.BEFORE,
    "pre-upgrade": Phase.BEFORE,
    "post-install": Phase.AFTER,
    "post-upgrade": Phase.AFTER,
}


def is_hook(item: Item) -> bool:
    """Tell whether the object lives and dies with one step of a deployment."""
    return any(hook in item.annotations for hook in HOOKS)


def is_ordered(item: Item) -> bool:
    """Tell whether any annotation says when the object is to be applied."""
    return not _ORDERING.isdisjoint(item.annotations)


def first_step(item: Item, deployer: str) -> Step | None:
    """Return when the deployer first applies the object; None for a hook outside of the order.

    A deployer that knows neither hooks nor waves applies everything in one step.
    """
    if deployer == "helm":
        return _first_of(_helm_hooks(item), 0) if HELM_HOOK in item.annotations else Step(Phase.MAIN, 0)
    if deployer == "argocd":
        wave = _number_of_wave(item)
        if not is_hook(item):
            return Step(Phase.MAIN, wave)
        # Helm's hooks do not count beside its own.
        return _first_of(_argo_hooks(item) if ARGO_HOOK in item.annotations else _helm_hooks(item), wave)
    return Step(Phase.MAIN, 0)


def wave_of(item: Item) -> str:
    """Return the sync wave as written; `""` for none, which Argo CD reads as 0."""
    return item.annotations.get(SYNC_WAVE, "")


def wave_order(wave: str) -> tuple[int, str]:
    """Return a key that sorts waves as Argo CD does."""
    return (_read_number(wave) or 0, wave)


def first_wave(wave: str, items: Iterable[Item]) -> str:
    """Return the wave as written, or that of the first of the objects where Argo CD applies it earlier."""
    own = _read_number(wave) or 0
    first = min((own, *map(_number_of_wave, items)))
    return wave if first == own else str(first)


def _first_of(hooks: dict[str, Phase], wave: int) -> Step | None:
    return min((Step(phase, wave, hook) for hook, phase in hooks.items()), default=None)


def _argo_hooks(item: Item) -> dict[str, Phase]:
    return {
        word: _ARGO_HOOKS[word] for word in read_options(item.annotations.get(ARGO_HOOK, "")) if word in _ARGO_HOOKS
    }


def _helm_hooks(item: Item) -> dict[str, Phase]:
    return {
        word: _HELM_HOOKS[word] for word in read_options(item.annotations.get(HELM_HOOK, "")) if word in _HELM_HOOKS
    }


def _number_of_wave(item: Item) -> int:
    numbers = (_read_number(item.annotations.get(name, "")) for name in (SYNC_WAVE, _HOOK_WEIGHT))
    return next((number for number in numbers if number is not None), 0)


def _read_number(text: str) -> int | None:
    return int(text) if _NUMBER.fullmatch(text) else None
