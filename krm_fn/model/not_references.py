"""Fields that look like references to a ConfigMap or Secret of the package, and mean something else."""

from typing import NamedTuple


class NotReference(NamedTuple):
    """Everything below a field of some kinds. The path is written with dots, without lists; `*` stands for anything.

    `unless`: a field beside the name, and its value, that make it a reference after all; `but_in_pods`: so does the
    shape of a pod's spec.
    """

    group: str
    kinds: tuple[str, ...]
    path: str
    reason: str
    unless: tuple[str, str] | None = None
    but_in_pods: bool = False


_REMOTE = "the objects in it live in another cluster"
_DEPLOYED = "it speaks of the namespace it deploys to, not of its own"
_CHART = "a chart may create an object of the name it is given, as well as read one"
_OTHER_PACKAGE = "it selects objects of the package that it renders"

NOT_REFERENCES = (
    *(
        NotReference(
            "keda.sh", ("TriggerAuthentication", "ClusterTriggerAuthentication"), path, "names in a cloud's own store"
        )
        for path in ("spec.awsSecretManager.secrets", "spec.azureKeyVault.secrets", "spec.gcpSecretManager.secrets")
    ),
    NotReference(
        "argoproj.io",
        ("AnalysisTemplate", "ClusterAnalysisTemplate", "AnalysisRun"),
        "spec.metrics.provider.datadog.secretRef",
        "looked for in the namespace of the Rollouts controller",
        unless=("namespaced", "true"),
    ),
    NotReference("argoproj.io", ("Application",), "spec", _DEPLOYED),
    NotReference("argoproj.io", ("ApplicationSet",), "spec.template", _DEPLOYED),
    NotReference("argoproj.io", ("ApplicationSet",), "spec.generators*.template", _DEPLOYED),
    *(
        NotReference("helm.toolkit.fluxcd.io", ("HelmRelease",), f"spec.values*.{name}", _CHART, but_in_pods=True)
        for name in ("configMap", "secret")
    ),
    NotReference("kustomize.toolkit.fluxcd.io", ("Kustomization",), "spec.patches", _OTHER_PACKAGE),
    NotReference("helm.toolkit.fluxcd.io", ("HelmRelease",), "spec.postRenderers", _OTHER_PACKAGE),
    NotReference("work.open-cluster-management.io", ("ManifestWork", "ManifestWorkReplicaSet"), "spec", _REMOTE),
    NotReference("kubernetes.crossplane.io", ("Object",), "spec.forProvider.manifest", _REMOTE),
    NotReference(
        "lerentis.uploadfilter24.eu", ("BitwardenSecret",), "spec.content", "`secretName` is a field of a vault's entry"
    ),
)
