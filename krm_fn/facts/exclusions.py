"""Fields that look like references to a ConfigMap or Secret of the package, and mean something else.

A row: group, kinds, path, reason, and options, which are those of `ExcludedField` in
`core/references/field_rows.py`. The path has dots and no list indices, `*` matches anything, and `{a,b}`
stands for a row with a and one with b. The first row that fits a field counts.

Of any object: PASSED_OVER are mappings without references (`annotations.py` knows the annotations
that are some). FREE_KEYS are mappings whose keys the author chooses: a key `secretName` in one of
them is no field. NOT_NAMES are fields that name something else.
"""

PASSED_OVER = {"labels", "annotations", "matchLabels", "ownerReferences", "openAPIV3Schema"}

FREE_KEYS = {"selector", "nodeSelector", "data", "stringData", "binaryData", "encryptedData"}

NOT_NAMES = {"apiVersion", "image", "kind", "namespace", "serviceAccount", "serviceAccountName"}

EXCLUSIONS = (
    (
        "keda.sh",
        "TriggerAuthentication ClusterTriggerAuthentication",
        "spec.{awsSecretManager,azureKeyVault,gcpSecretManager}.secrets",
        "it names a secret in an outside store",
    ),
    (
        "argoproj.io",
        "AnalysisTemplate ClusterAnalysisTemplate AnalysisRun",
        "spec.metrics.provider.datadog.secretRef",
        "looked for in the namespace of the Rollouts controller",
        {"unless": ("namespaced", "true")},
    ),
    (
        "argoproj.io",
        "Application",
        "spec.source*.helm.valuesObject",
        "a chart may create an object with this name, or read one",
        {
            "but_in_pods": True,
            "only": ("configMap", "secret"),
            "applied_in": ("spec.destination.namespace",),
        },
    ),
    (
        "argoproj.io",
        "Application",
        "spec.{source*.helm.values*,source*.helm.parameters,source*.kustomize.patches,source*.plugin,ignoreDifferences}",
        "it is about the namespace it deploys to, not its own",
        {"applied_in": ("spec.destination.namespace",)},
    ),
    ("argoproj.io", "Application", "spec", "it is about the namespace it deploys to, not its own"),
    (
        "argoproj.io",
        "ApplicationSet",
        "spec.{template,generators*.template}.spec.{source*.helm.values*,source*.helm.parameters,source*.kustomize.patches,source*.plugin,ignoreDifferences}",
        "it is about the namespace it deploys to, not its own",
        {"applied_in": ("spec.template.spec.destination.namespace",)},
    ),
    (
        "argoproj.io",
        "ApplicationSet",
        "spec.templatePatch",
        "it is about the namespace it deploys to, not its own",
        {"applied_in": ()},
    ),
    (
        "argoproj.io",
        "ApplicationSet",
        "spec.template",
        "it is about the namespace it deploys to, not its own",
    ),
    (
        "argoproj.io",
        "ApplicationSet",
        "spec.generators*.template",
        "it is about the namespace it deploys to, not its own",
    ),
    (
        "helm.toolkit.fluxcd.io",
        "HelmRelease",
        "spec.values",
        "a chart may create an object with this name, or read one",
        {
            "but_in_pods": True,
            "only": ("configMap", "secret"),
            "applied_in": ("spec.targetNamespace", "metadata.namespace"),
        },
    ),
    (
        "helm.fluxcd.io",
        "HelmRelease",
        "spec.values",
        "a chart may create an object with this name, or read one",
        {
            "but_in_pods": True,
            "only": ("configMap", "secret"),
            "applied_in": ("spec.targetNamespace", "metadata.namespace"),
        },
    ),
    (
        "helm.toolkit.fluxcd.io",
        "HelmRelease",
        "spec.postRenderers",
        "it selects objects of another package",
        {"applied_in": ("spec.targetNamespace", "metadata.namespace")},
    ),
    (
        "kustomize.toolkit.fluxcd.io",
        "Kustomization",
        "spec.{patches,patchesJson6902,patchesStrategicMerge}",
        "it selects objects of another package",
        {"applied_in": ("spec.targetNamespace",)},
    ),
    # k3s and RKE2: the values are YAML in a text (k3s-io/helm-controller,
    # pkg/apis/helm.cattle.io/v1/types.go).
    (
        "helm.cattle.io",
        "HelmChart",
        "spec.set",
        "a chart may create an object with this name, or read one",
        {"applied_in": ("spec.targetNamespace",)},
    ),
    (
        "helm.cattle.io",
        "HelmChart",
        "spec.valuesContent",
        "a chart may create an object with this name, or read one",
        {"applied_in": ("spec.targetNamespace",)},
    ),
    (
        "helm.cattle.io",
        "HelmChartConfig",
        "spec.valuesContent",
        "a chart may create an object with this name, or read one",
        {"applied_in": ("spec.targetNamespace",)},
    ),
    # Sveltos and Cluster API's add-on provider install charts in clusters, of which their own may
    # be one.
    (
        "config.projectsveltos.io",
        "ClusterProfile Profile",
        "spec.{helmCharts.values,patches}",
        "a chart may create an object with this name, or read one",
        {"applied_in": ()},
    ),
    (
        "addons.cluster.x-k8s.io",
        "HelmChartProxy",
        "spec.valuesTemplate",
        "a chart may create an object with this name, or read one",
        {"applied_in": ("spec.namespace",)},
    ),
    # Expressions get objects by name: `resource.Get("v1", "configmaps", NAMESPACE, NAME)`
    # (pkg/cel/libs/context.go).
    (
        "policies.kyverno.io",
        "DeletingPolicy GeneratingPolicy ImageValidatingPolicy MutatingPolicy ValidatingPolicy NamespacedDeletingPolicy NamespacedGeneratingPolicy NamespacedImageValidatingPolicy NamespacedMutatingPolicy NamespacedValidatingPolicy",
        "spec.*xpression",
        "it is an expression",
        {"applied_in": ()},
    ),
    # What Kyverno clones may be of any kind; `fields` has the rows for ConfigMaps and Secrets.
    (
        "kyverno.io",
        "ClusterPolicy Policy",
        "spec.rules.generate*clone",
        "its rule says another kind",
    ),
    (
        "work.open-cluster-management.io",
        "ManifestWork ManifestWorkReplicaSet",
        "spec",
        "its objects are in another cluster",
    ),
    (
        "kubernetes.crossplane.io",
        "Object",
        "spec.forProvider.manifest",
        "its objects are in another cluster",
    ),
    # What a policy applies is in the clusters that it is for. Its templates read objects of the hub
    # by name (stolostron/go-template-utils, pkg/templates: `fromConfigMap`, `fromSecret`,
    # `copySecretData`, ...).
    (
        "policy.open-cluster-management.io",
        "Policy",
        "spec.policy-templates",
        "its objects are in the clusters that the policy is for",
        {"applied_in": ()},
    ),
    (
        "policy.open-cluster-management.io",
        "ConfigurationPolicy",
        "spec.object-templates*",
        "its objects are in the clusters that the policy is for",
        {"applied_in": ()},
    ),
    (
        "external-secrets.io",
        "ClusterExternalSecret",
        "spec.externalSecretName",
        "it names ExternalSecrets",
    ),
    ("external-secrets.io", "ClusterPushSecret", "spec.pushSecretName", "it names PushSecrets"),
    (
        "secrets.infisical.com",
        "InfisicalDynamicSecret",
        "spec.dynamicSecret",
        "it names a secret in an outside store",
    ),
    (
        "secrets.infisical.com",
        "InfisicalPushSecret",
        "spec.push.generators.destinationSecretName",
        "it names a secret in an outside store",
    ),
    (
        "mongodbcommunity.mongodb.com",
        "MongoDBCommunity",
        "spec.users.scramCredentialsSecretName",
        "the operator makes a Secret with a longer name from it",
    ),
    (
        "lerentis.uploadfilter24.eu",
        "BitwardenSecret",
        "spec.content",
        "`secretName` is a field of a vault's entry",
    ),
)
