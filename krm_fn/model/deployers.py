"""What each deployer must read on a revision to leave it alone when it disappears from the package.

Sources: Argo CD's sync-options and compare-options documentation, Flux's Kustomization documentation, cli-utils'
lifecycle directives, Helm's resource policies, kapp's delete strategies.
"""

from collections.abc import Collection, Mapping
from typing import NamedTuple


class Protection(NamedTuple):
    """One annotation. `part_of_list`: the value is one entry of a comma list, whose keys precede a `=`.

    `keeps`: without it the object goes. The others only keep a deployer from complaining that it is still there.
    """

    annotation: str
    value: str
    part_of_list: bool = False
    keeps: bool = True


# Never `Delete=false` for Argo CD: a revision that nothing owns must still go with its Application.
PROTECTIONS: dict[str, tuple[Protection, ...]] = {
    "argocd": (
        Protection("argocd.argoproj.io/sync-options", "Prune=false", part_of_list=True),
        Protection("argocd.argoproj.io/compare-options", "IgnoreExtraneous", part_of_list=True, keeps=False),
    ),
    "flux": (Protection("kustomize.toolkit.fluxcd.io/prune", "disabled"),),
    "kpt": (Protection("client.lifecycle.config.k8s.io/deletion", "detach"),),
    "helm": (Protection("helm.sh/resource-policy", "keep"),),
    "kapp": (Protection("kapp.k14s.io/delete-strategy", "orphan"),),
    "spinnaker": (),  # prunes nothing, but gives objects names of its own: see `deploy_names`
}


NEEDS_HASH_SUFFIX = "internal.config.kubernetes.io/needsHashSuffix"
"""Annotation by kustomize's generators: kustomize hashes the name at the end of the build."""

KAPP_VERSIONED = "kapp.k14s.io/versioned"
"""Annotation by the author, with any value: kapp adds `-ver-1`, and counts on with every change."""

SPINNAKER_VERSIONED = "strategy.spinnaker.io/versioned"
"""Annotation by the author: Spinnaker adds `-v000` to every ConfigMap and Secret unless this says something else."""

_SPINNAKER = "spinnaker"
_NOT_BY_SPINNAKER = "false"


def keep_name(annotations: Mapping[str, str], deployers: Collection[str]) -> dict[str, str | None]:
    """What to set and take away (None) so that the rendered name is the last."""
    spinnaker = {SPINNAKER_VERSIONED: _NOT_BY_SPINNAKER} if SPINNAKER_VERSIONED in annotations else {}
    return {NEEDS_HASH_SUFFIX: None, KAPP_VERSIONED: None, **spinnaker, **keep_new_name(deployers)}


def keep_new_name(deployers: Collection[str]) -> dict[str, str]:
    """The same for a ConfigMap that is made here."""
    return {SPINNAKER_VERSIONED: _NOT_BY_SPINNAKER} if _SPINNAKER in deployers else {}


def is_named_at_deploy(annotations: Mapping[str, str], deployers: Collection[str]) -> bool:
    """Whether nobody can tell before it is deployed what it will be called."""
    by_spinnaker = annotations.get(SPINNAKER_VERSIONED, "true" if _SPINNAKER in deployers else _NOT_BY_SPINNAKER)
    return KAPP_VERSIONED in annotations or by_spinnaker.lower() == "true"
