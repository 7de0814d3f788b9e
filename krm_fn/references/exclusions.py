"""Fields that look like references to a ConfigMap or Secret of the package, and are none.

`NOT_REFERENCES` mean something else. `WRITTEN` name the object that a controller *writes*: what the controller writes
has exactly that name, so that an object of the package under it, a placeholder to be filled, keeps its name.
"""

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
        "lerentis.uploadfilter24.eu", ("BitwardenSecret",), "spec.content", "`secretName` is a field of a vault's entry"
    ),
)


class WrittenRow(NamedTuple):
    """A field of some kinds of a group.

    `annotated`: only if the object carries one of these annotations. `needs` and `unless` are paths of fields: only if
    the object has all of the first, and none of the second.
    """

    group: str
    kinds: tuple[str, ...]
    path: str
    reason: str
    target: str = "Secret"
    annotated: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    unless: tuple[str, ...] = ()


_ISSUED = "cert-manager issues a certificate into it"
_ISSUED_IF = ("cert-manager.io/issuer", "cert-manager.io/cluster-issuer", "kubernetes.io/tls-acme")
_ACCOUNT = "cert-manager keeps its account in it"
_USERS = "the operator keeps users in it"
_BUCKET = "the address of the bucket is put in it"
_RESULTS = "workflows keep results in it"
_SYNCED = "its operator copies from an outside store into it"
_DECRYPTED = "its operator decrypts into it"
_BUNDLED = "trust-manager copies certificates into it"
_TARGET = "spec/target/name"
_CLUSTER_TARGET = "spec/externalSecretSpec/target/name"

WRITTEN = (
    WrittenRow("cert-manager.io", ("Certificate",), "spec/secretName", _ISSUED),
    WrittenRow(
        "cert-manager.io",
        ("Issuer", "ClusterIssuer"),
        "spec/acme/privateKeySecretRef",
        _ACCOUNT,
    ),
    *(
        WrittenRow(group, ("Ingress",), "spec/tls/secretName", _ISSUED, annotated=_ISSUED_IF)
        for group in ("networking.k8s.io", "extensions")
    ),
    *(
        WrittenRow(
            "gateway.networking.k8s.io", (kind,), "spec/listeners/tls/certificateRefs", _ISSUED, annotated=_ISSUED_IF
        )
        for kind in ("Gateway", "ListenerSet")
    ),
    WrittenRow(
        "networking.internal.knative.dev",
        ("Certificate",),
        "spec/secretName",
        "Knative has a certificate issued into it",
    ),
    # Argo Workflows
    *(
        WrittenRow("argoproj.io", kinds, f"{spec}/{path}/memoize/cache/configMap", _RESULTS, "ConfigMap")
        for kinds, spec in (
            (("Workflow", "WorkflowTemplate", "ClusterWorkflowTemplate"), "spec"),
            (("CronWorkflow",), "spec/workflowSpec"),
        )
        for path in ("templates", "templateDefaults")
    ),
    # Crossplane; `shapes.py` knows `writeConnectionSecretToRef` of its composites and claims.
    *(
        WrittenRow(
            "pkg.crossplane.io", ("ProviderRevision", "FunctionRevision"), path, "Crossplane issues certificates"
        )
        for path in ("spec/tlsServerSecretName", "spec/tlsClientSecretName")
    ),
    # Outside stores of secrets
    WrittenRow("external-secrets.io", ("ExternalSecret",), _TARGET, _SYNCED),
    WrittenRow("external-secrets.io", ("ExternalSecret",), "metadata/name", _SYNCED, unless=(_TARGET,)),
    *(
        WrittenRow(
            "external-secrets.io",
            ("ExternalSecret",),
            path,
            _SYNCED,
            "ConfigMap",
            needs=("spec/target/manifest",),
            unless=unless,
        )
        for path, unless in ((_TARGET, ()), ("metadata/name", (_TARGET,)))
    ),
    *(
        WrittenRow("external-secrets.io", ("ClusterExternalSecret",), path, _SYNCED, unless=unless)
        for path, unless in (
            (_CLUSTER_TARGET, ()),
            ("spec/externalSecretName", (_CLUSTER_TARGET,)),
            ("metadata/name", (_CLUSTER_TARGET, "spec/externalSecretName")),
        )
    ),
    WrittenRow(
        "secrets.hashicorp.com",
        ("VaultStaticSecret", "VaultDynamicSecret", "VaultPKISecret", "HCPVaultSecretsApp"),
        "spec/destination",
        _SYNCED,
    ),
    *(
        WrittenRow("secrets.infisical.com", ("InfisicalSecret", "InfisicalDynamicSecret"), path, _SYNCED)
        for path in ("spec/managedSecretReference/secretName", "spec/managedKubeSecretReferences/secretName")
    ),
    WrittenRow(
        "secrets.infisical.com",
        ("InfisicalSecret",),
        "spec/managedKubeConfigMapReferences/configMapName",
        _SYNCED,
        "ConfigMap",
    ),
    WrittenRow("secrets.doppler.com", ("DopplerSecret",), "spec/managedSecret", _SYNCED),
    WrittenRow("k8s.bitwarden.com", ("BitwardenSecret",), "spec/secretName", _SYNCED),
    WrittenRow("onepassword.com", ("OnePasswordItem",), "metadata/name", _SYNCED),
    WrittenRow("ricoberger.de", ("VaultSecret",), "metadata/name", _SYNCED),
    WrittenRow("redhatcop.redhat.io", ("VaultSecret",), "spec/output", _SYNCED),
    WrittenRow("spv.no", ("AzureKeyVaultSecret",), "spec/output/secret", _SYNCED),
    WrittenRow("spv.no", ("AzureKeyVaultSecret",), "spec/output/configMap", _SYNCED, "ConfigMap"),
    WrittenRow("isindir.github.com", ("SopsSecret",), "spec/secretTemplates", _DECRYPTED),
    WrittenRow("isindir.github.com", ("SopsSecret",), "spec/secret_templates", _DECRYPTED),
    WrittenRow("bitnami.com", ("SealedSecret",), "metadata/name", "the controller unseals into a Secret of its name"),
    WrittenRow(
        "secrets-store.csi.x-k8s.io",
        ("SecretProviderClass",),
        "spec/secretObjects/secretName",
        "the driver mirrors into it",
    ),
    # Certificates, outputs of what was created elsewhere. A bundle has the name of what is made of it.
    *(
        WrittenRow(group, (kind,), "metadata/name", _BUNDLED, target, needs=(f"spec/target/{field}",))
        for group, kind in (("trust.cert-manager.io", "Bundle"), ("trust-manager.io", "ClusterBundle"))
        for field, target in (("configMap", "ConfigMap"), ("secret", "Secret"))
    ),
    WrittenRow(
        "infra.contrib.fluxcd.io", ("Terraform",), "spec/writeOutputsToSecret", "Terraform's outputs are put in it"
    ),
    *(
        WrittenRow("services.k8s.aws", ("FieldExport",), "spec/to", "a field of an AWS resource is put in it", target)
        for target in ("ConfigMap", "Secret")
    ),
    # Databases, brokers, buckets, dashboards
    WrittenRow("kafka.strimzi.io", ("KafkaUser",), "metadata/name", "the user's credentials are put in it"),
    *(
        WrittenRow(
            "mongodbcommunity.mongodb.com",
            ("MongoDBCommunity",),
            f"spec/users/{name}",
            _USERS,
        )
        for name in ("connectionStringSecretName", "scramCredentialsSecretName")
    ),
    WrittenRow("psmdb.percona.com", ("PerconaServerMongoDB",), "spec/secrets/users", _USERS),
    WrittenRow("pxc.percona.com", ("PerconaXtraDBCluster",), "spec/secretsName", _USERS),
    *(
        WrittenRow("objectbucket.io", ("ObjectBucketClaim",), "metadata/name", _BUCKET, target)
        for target in ("ConfigMap", "Secret")
    ),
    WrittenRow(
        "grafana.integreatly.org",
        ("GrafanaServiceAccount",),
        "spec/tokens/secretName",
        "a token is put in it",
    ),
)
