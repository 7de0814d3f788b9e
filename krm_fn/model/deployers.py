"""Annotations that stop a deployer from pruning a revision, or from renaming it.

What each does on prune and on uninstall is in the schema (`spec.deployers`) and in docs/deployers.md, as read in these
functions: Argo CD, `shouldBeDeleted` and its sync-options and compare-options documentation; Flux, `deleteObjects` of
kustomize-controller; cli-utils, `PreventRemoveFilter`; Helm, `filterManifestsToKeep` and `update` of its Kubernetes
client; kapp, `DeleteOrphanStrategy`.

Sources: Argo CD's gitops-engine (`sync/hook`, `sync/syncwaves`, `sync/sync_phase.go`), Helm's page on chart hooks.
"""

import re
from collections.abc import Collection, Iterable, Mapping
from enum import IntEnum
from typing import NamedTuple

from krm_fn.model.item import Item


def read_options(text: str) -> list[str]:
    """Read an annotation that is a comma list as Argo CD and Helm do: blanks around an option do not count."""
    return [option.strip() for option in text.split(",")]


class Protection(NamedTuple):
    """One annotation. `part_of_list`: the value is one entry of a comma list, whose keys precede a `=`.

    `keeps`: without it the deployer prunes the object. The others only stop it from reporting the object as obsolete.
    """

    annotation: str
    value: str
    part_of_list: bool = False
    keeps: bool = True

    def added_to(self, present: str) -> str | None:
        """Return the annotation's value with the protection in it, None where the present value is the opposite."""
        if not present:
            return self.value
        if self.is_in(present):
            return present
        key = self.value.partition("=")[0]
        if not self.part_of_list or any(option.partition("=")[0] == key for option in read_options(present)):
            return None
        return f"{present},{self.value}"

    def is_in(self, present: str) -> bool:
        """Tell whether the annotation's value holds the protection."""
        return self.value in (read_options(present) if self.part_of_list else [present])


# Never `Delete=false` for Argo CD: a revision without an owner must still be deleted with its Application.
PROTECTIONS: dict[str, tuple[Protection, ...]] = {
    "argocd": (
        Protection("argocd.argoproj.io/sync-options", "Prune=false", part_of_list=True),
        Protection("argocd.argoproj.io/compare-options", "IgnoreExtraneous", part_of_list=True, keeps=False),
    ),
    "flux": (Protection("kustomize.toolkit.fluxcd.io/prune", "disabled"),),
    "kpt": (Protection("client.lifecycle.config.k8s.io/deletion", "detach"),),
    "helm": (Protection("helm.sh/resource-policy", "keep"),),
    "kapp": (Protection("kapp.k14s.io/delete-strategy", "orphan"),),
    "spinnaker": (),  # it prunes nothing, but renames objects: see `keep_name`
}

NEEDS_HASH_SUFFIX = "internal.config.kubernetes.io/needsHashSuffix"
"""Annotation by kustomize's generators: kustomize adds the hash to the name at the end of the build."""

KAPP_VERSIONED = "kapp.k14s.io/versioned"
"""Annotation by the author, with any value: kapp adds `-ver-1` to the name, and a higher number at every change."""

SPINNAKER_VERSIONED = "strategy.spinnaker.io/versioned"
"""Annotation by the author: unless it is "false", Spinnaker adds `-v000` to the name of a ConfigMap or Secret."""

_SPINNAKER = "spinnaker"
_NOT_BY_SPINNAKER = "false"


def keep_name(annotations: Mapping[str, str], deployers: Collection[str]) -> dict[str, str | None]:
    """Return the annotations to set, and to remove (None), so that no deployer changes the rendered name."""
    spinnaker = {SPINNAKER_VERSIONED: _NOT_BY_SPINNAKER} if SPINNAKER_VERSIONED in annotations else {}
    return {NEEDS_HASH_SUFFIX: None, KAPP_VERSIONED: None, **spinnaker, **keep_new_name(deployers)}


def keep_new_name(deployers: Collection[str]) -> dict[str, str]:
    """Return the annotations to set on a new ConfigMap for the same reason."""
    return {SPINNAKER_VERSIONED: _NOT_BY_SPINNAKER} if _SPINNAKER in deployers else {}


def is_named_at_deploy(annotations: Mapping[str, str], deployers: Collection[str]) -> bool:
    """Tell whether a deployer will change the name, so that it is unknown until then."""
    by_spinnaker = annotations.get(SPINNAKER_VERSIONED, "true" if _SPINNAKER in deployers else _NOT_BY_SPINNAKER)
    return KAPP_VERSIONED in annotations or by_spinnaker.lower() == "true"


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
