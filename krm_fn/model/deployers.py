"""Annotations that stop a deployer from pruning a revision, or from renaming it.

What each does on prune and on uninstall is in the schema (`spec.deployers`) and in docs/deployers.md, as read in these
functions: Argo CD, `shouldBeDeleted` and its sync-options and compare-options documentation; Flux, `deleteObjects` of
kustomize-controller; cli-utils, `PreventRemoveFilter`; Helm, `filterManifestsToKeep` and `update` of its Kubernetes
client; kapp, `DeleteOrphanStrategy`.
"""

from collections.abc import Collection, Mapping
from typing import NamedTuple


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
