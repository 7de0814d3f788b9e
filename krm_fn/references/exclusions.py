"""Fields that look like references to a ConfigMap or Secret of the package, and mean something else."""

from typing import NamedTuple


class ExcludedField(NamedTuple):
    """A field of some kinds, and everything below it. The path has dots and no list indices; `*` matches anything.

    `unless`: a field beside the name, and its value, that make it a reference after all. `but_in_pods`: fields of a
    pod spec are references after all. `only`: fields below it of which alone this is true; none: of all.

    `applied_in`: None where it means something else: a thing of another cluster, of another kind, of a vault. A name
    in it says nothing. Otherwise another program makes objects of it, which nothing here can rewrite, and every text
    in it that is the name of an object is a hint. Then these are the fields that may say in which namespace; the first
    that is set counts, and where none is, it may be any.
    """

    group: str
    kinds: tuple[str, ...]
    path: str
    reason: str
    unless: tuple[str, str] | None = None
    but_in_pods: bool = False
    only: tuple[str, ...] = ()
    applied_in: tuple[str, ...] | None = None


_IN_STORE = "it names a secret in an outside store"
_REMOTE = "its objects are in another cluster"
_DEPLOYED = "it is about the namespace it deploys to, not its own"
_CHART = "a chart may create an object with this name, or read one"
_OTHER_PACKAGE = "it selects objects of another package"

_IN_SOURCES = ("helm.values*", "helm.parameters", "kustomize.patches", "plugin")
"""Fields of a source of an Application whose texts end up in objects."""

_RELEASES = ("spec.targetNamespace", "metadata.namespace")
_DESTINATION = "spec.destination.namespace"

NOT_REFERENCES = (
    *(
        ExcludedField("keda.sh", ("TriggerAuthentication", "ClusterTriggerAuthentication"), path, _IN_STORE)
        for path in ("spec.awsSecretManager.secrets", "spec.azureKeyVault.secrets", "spec.gcpSecretManager.secrets")
    ),
    ExcludedField(
        "argoproj.io",
        ("AnalysisTemplate", "ClusterAnalysisTemplate", "AnalysisRun"),
        "spec.metrics.provider.datadog.secretRef",
        "looked for in the namespace of the Rollouts controller",
        unless=("namespaced", "true"),
    ),
    ExcludedField(
        *("argoproj.io", ("Application",), "spec.source*.helm.valuesObject", _CHART),
        but_in_pods=True,
        only=("configMap", "secret"),
        applied_in=(_DESTINATION,),
    ),
    *(
        ExcludedField("argoproj.io", ("Application",), f"spec.{path}", _DEPLOYED, applied_in=(_DESTINATION,))
        for path in (*(f"source*.{field}" for field in _IN_SOURCES), "ignoreDifferences")
    ),
    ExcludedField("argoproj.io", ("Application",), "spec", _DEPLOYED),
    *(
        ExcludedField(
            *("argoproj.io", ("ApplicationSet",), f"spec.{template}.spec.{path}", _DEPLOYED),
            applied_in=(f"spec.template.{_DESTINATION}",),
        )
        for template in ("template", "generators*.template")
        for path in (*(f"source*.{field}" for field in _IN_SOURCES), "ignoreDifferences")
    ),
    ExcludedField("argoproj.io", ("ApplicationSet",), "spec.templatePatch", _DEPLOYED, applied_in=()),
    ExcludedField("argoproj.io", ("ApplicationSet",), "spec.template", _DEPLOYED),
    ExcludedField("argoproj.io", ("ApplicationSet",), "spec.generators*.template", _DEPLOYED),
    *(
        ExcludedField(
            *(group, ("HelmRelease",), "spec.values", _CHART),
            but_in_pods=True,
            only=("configMap", "secret"),
            applied_in=_RELEASES,
        )
        for group in ("helm.toolkit.fluxcd.io", "helm.fluxcd.io")
    ),
    ExcludedField(
        "helm.toolkit.fluxcd.io", ("HelmRelease",), "spec.postRenderers", _OTHER_PACKAGE, applied_in=_RELEASES
    ),
    *(
        ExcludedField(
            "kustomize.toolkit.fluxcd.io",
            ("Kustomization",),
            f"spec.{field}",
            _OTHER_PACKAGE,
            applied_in=(_RELEASES[0],),
        )
        for field in ("patches", "patchesJson6902", "patchesStrategicMerge")
    ),
    # k3s and RKE2: the values are YAML in a text (k3s-io/helm-controller, pkg/apis/helm.cattle.io/v1/types.go).
    ExcludedField("helm.cattle.io", ("HelmChart",), "spec.set", _CHART, applied_in=(_RELEASES[0],)),
    *(
        ExcludedField("helm.cattle.io", (kind,), "spec.valuesContent", _CHART, applied_in=(_RELEASES[0],))
        for kind in ("HelmChart", "HelmChartConfig")
    ),
    # Sveltos and Cluster API's add-on provider install charts in clusters, of which their own may be one.
    *(
        ExcludedField("config.projectsveltos.io", ("ClusterProfile", "Profile"), f"spec.{path}", _CHART, applied_in=())
        for path in ("helmCharts.values", "patches")
    ),
    ExcludedField(
        "addons.cluster.x-k8s.io", ("HelmChartProxy",), "spec.valuesTemplate", _CHART, applied_in=("spec.namespace",)
    ),
    # What Kyverno clones may be of any kind; `fields` has the rows for ConfigMaps and Secrets.
    ExcludedField("kyverno.io", ("ClusterPolicy", "Policy"), "spec.rules.generate*clone", "its rule says another kind"),
    ExcludedField("work.open-cluster-management.io", ("ManifestWork", "ManifestWorkReplicaSet"), "spec", _REMOTE),
    ExcludedField("kubernetes.crossplane.io", ("Object",), "spec.forProvider.manifest", _REMOTE),
    ExcludedField(
        "external-secrets.io", ("ClusterExternalSecret",), "spec.externalSecretName", "it names ExternalSecrets"
    ),
    ExcludedField("external-secrets.io", ("ClusterPushSecret",), "spec.pushSecretName", "it names PushSecrets"),
    ExcludedField("secrets.infisical.com", ("InfisicalDynamicSecret",), "spec.dynamicSecret", _IN_STORE),
    ExcludedField(
        "secrets.infisical.com", ("InfisicalPushSecret",), "spec.push.generators.destinationSecretName", _IN_STORE
    ),
    ExcludedField(
        "mongodbcommunity.mongodb.com",
        ("MongoDBCommunity",),
        "spec.users.scramCredentialsSecretName",
        "the operator makes a Secret with a longer name from it",
    ),
    ExcludedField(
        "lerentis.uploadfilter24.eu", ("BitwardenSecret",), "spec.content", "`secretName` is a field of a vault's entry"
    ),
)
