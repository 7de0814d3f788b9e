"""What each deployer must read on a revision to leave it alone when it disappears from the package.

Sources: Argo CD's sync-options and compare-options documentation, Flux's Kustomization documentation, cli-utils'
lifecycle directives, Helm's resource policies, kapp's delete strategies.
"""

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
