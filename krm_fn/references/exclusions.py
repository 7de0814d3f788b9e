"""Fields that look like references to a ConfigMap or Secret of the package, and mean something else."""

from typing import NamedTuple


class NotReference(NamedTuple):
    """A field of some kinds, and everything below it. The path has dots and no list indices; `*` matches anything.

    `unless`: a field beside the name, and its value, that make it a reference after all. `but_in_pods`: fields of a
    pod spec are references after all.
    """

    group: str
    kinds: tuple[str, ...]
    path: str
    reason: str
    unless: tuple[str, str] | None = None
    but_in_pods: bool = False


_IN_STORE = "it names a secret in an outside store"
_REMOTE = "its objects are in another cluster"
_DEPLOYED = "it is about the namespace it deploys to, not its own"
_CHART = "a chart may create an object with this name, or read one"
_OTHER_PACKAGE = "it selects objects of another package"

NOT_REFERENCES = (
    *(
        NotReference("keda.sh", ("TriggerAuthentication", "ClusterTriggerAuthentication"), path, _IN_STORE)
        for path in ("spec.awsSecretManager.secrets", "spec.azureKeyVault.secrets", "spec.gcpSecretManager.secrets")
    ),
    NotReference(
        "argoproj.io",
        ("AnalysisTemplate", "ClusterAnalysisTemplate", "AnalysisRun"),
        "spec.metrics.provider.datadog.secretRef",
        "looked for in the namespace of the Rollouts controller",
        unless=("namespaced", "true"),
    ),
    *(
        NotReference(
            "argoproj.io", ("Application",), f"spec.source*.helm.valuesObject*.{name}", _CHART, but_in_pods=True
        )
        for name in ("configMap", "secret")
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
        "external-secrets.io", ("ClusterExternalSecret",), "spec.externalSecretName", "it names ExternalSecrets"
    ),
    NotReference("external-secrets.io", ("ClusterPushSecret",), "spec.pushSecretName", "it names PushSecrets"),
    NotReference("secrets.infisical.com", ("InfisicalDynamicSecret",), "spec.dynamicSecret", _IN_STORE),
    NotReference(
        "secrets.infisical.com", ("InfisicalPushSecret",), "spec.push.generators.destinationSecretName", _IN_STORE
    ),
    NotReference(
        "mongodbcommunity.mongodb.com",
        ("MongoDBCommunity",),
        "spec.users.scramCredentialsSecretName",
        "the operator makes a Secret with a longer name from it",
    ),
    NotReference(
        "lerentis.uploadfilter24.eu", ("BitwardenSecret",), "spec.content", "`secretName` is a field of a vault's entry"
    ),
)
