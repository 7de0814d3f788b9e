"""Kinds that make a ConfigMap or Secret in the cluster: where its name is written, and when that may change.

What a controller writes has exactly that name, and content that the package does not know. So an object of the package
under it, a placeholder to be filled, keeps its name. A producer itself may be a revision: then it and what it makes get
names that say what its spec says. `VERSIONED` says of which kinds that is so, and under which conditions.
"""

from typing import NamedTuple

from krm_fn.model.node import TRUE


class Producer(NamedTuple):
    """A field, of some kinds of a group, that holds the name of what is made: of a Secret, or of another `target`.

    Where a field may be left out, another row says what the name is then, often that of the producer itself. `reason`
    says to people how the content gets there, `source` where the project says so.

    `annotated`: only if the object carries one of these annotations. `needs` and `unless` are paths of fields: only if
    the object has all of the first, and none of the second.
    """

    group: str
    kinds: tuple[str, ...]
    path: str
    reason: str
    source: str
    target: str = "Secret"
    annotated: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    unless: tuple[str, ...] = ()


_ISSUED = "cert-manager issues a certificate into it"
_ISSUED_IF = ("cert-manager.io/issuer", "cert-manager.io/cluster-issuer")
_ACCOUNT = "cert-manager keeps its account in it"
_USERS = "the operator keeps users in it"
_BUCKET = "the address of the bucket is put in it"
_RESULTS = "workflows keep results in it"
_SYNCED = "its operator copies from an outside store into it"
_LEASED = "its operator keeps short-lived credentials of an outside store in it"
_DECRYPTED = "its operator decrypts into it"
_GENERATED = "its controller generates its content"
_BUNDLED = "trust-manager copies certificates into it"
_NAME = "metadata/name"
_TARGET = "spec/target/name"
_CLUSTER_TARGET = "spec/externalSecretSpec/target/name"

_ESO = "external-secrets/external-secrets: apis/externalsecrets/v1/externalsecret_types.go"
_CLUSTER_ESO = "external-secrets/external-secrets: apis/externalsecrets/v1/clusterexternalsecret_types.go"
_VSO = "hashicorp/vault-secrets-operator: api/v1beta1/common.go"
_INFISICAL = "Infisical/kubernetes-operator: api/v1alpha1/infisicalsecret_types.go"
_AKV2K8S = "SparebankenVest/azure-key-vault-to-kubernetes: pkg/k8s/apis/azurekeyvault/v2beta1/types.go"
_SOPS = "isindir/sops-secrets-operator: api"

PRODUCERS = (
    # cert-manager
    Producer(
        "cert-manager.io",
        ("Certificate",),
        "spec/secretName",
        _ISSUED,
        "cert-manager/cert-manager: pkg/apis/certmanager/v1/types_certificate.go",
    ),
    Producer(
        "cert-manager.io",
        ("Issuer", "ClusterIssuer"),
        "spec/acme/privateKeySecretRef",
        _ACCOUNT,
        "cert-manager/cert-manager: pkg/apis/acme/v1/types_issuer.go",
    ),
    *(
        Producer(
            group,
            ("Ingress",),
            "spec/tls/secretName",
            _ISSUED,
            "https://cert-manager.io/docs/usage/ingress/",
            annotated=(*_ISSUED_IF, "kubernetes.io/tls-acme"),
        )
        for group in ("networking.k8s.io", "extensions")
    ),
    Producer(
        "gateway.networking.k8s.io",
        ("Gateway", "ListenerSet"),
        "spec/listeners/tls/certificateRefs",
        _ISSUED,
        "https://cert-manager.io/docs/usage/gateway/",
        annotated=_ISSUED_IF,
    ),
    Producer(
        "networking.internal.knative.dev",
        ("Certificate",),
        "spec/secretName",
        "Knative has a certificate issued into it",
        "knative/networking: pkg/apis/networking/v1alpha1/certificate_types.go",
    ),
    # Argo Workflows
    *(
        Producer(
            "argoproj.io",
            kinds,
            f"{spec}/{path}/memoize/cache/configMap",
            _RESULTS,
            "argoproj/argo-workflows: pkg/apis/workflow/v1alpha1/workflow_types.go",
            "ConfigMap",
        )
        for kinds, spec in (
            (("Workflow", "WorkflowTemplate", "ClusterWorkflowTemplate"), "spec"),
            (("CronWorkflow",), "spec/workflowSpec"),
        )
        for path in ("templates", "templateDefaults")
    ),
    # Crossplane; `shapes.py` knows `writeConnectionSecretToRef` of its composites and claims.
    *(
        Producer(
            "pkg.crossplane.io",
            ("ProviderRevision", "FunctionRevision"),
            path,
            "Crossplane issues certificates into it",
            "crossplane/crossplane: apis/pkg/v1/package_runtime_types.go",
        )
        for path in ("spec/tlsServerSecretName", "spec/tlsClientSecretName")
    ),
    # Outside stores of secrets
    Producer("external-secrets.io", ("ExternalSecret",), _TARGET, _SYNCED, _ESO),
    Producer("external-secrets.io", ("ExternalSecret",), _NAME, _SYNCED, _ESO, unless=(_TARGET,)),
    *(
        Producer(
            "external-secrets.io",
            ("ExternalSecret",),
            path,
            _SYNCED,
            _ESO,
            "ConfigMap",
            needs=("spec/target/manifest",),
            unless=unless,
        )
        for path, unless in ((_TARGET, ()), (_NAME, (_TARGET,)))
    ),
    *(
        Producer("external-secrets.io", ("ClusterExternalSecret",), path, _SYNCED, _CLUSTER_ESO, unless=unless)
        for path, unless in (
            (_CLUSTER_TARGET, ()),
            ("spec/externalSecretName", (_CLUSTER_TARGET,)),
            (_NAME, (_CLUSTER_TARGET, "spec/externalSecretName")),
        )
    ),
    Producer(
        "kubernetes-client.io",
        ("ExternalSecret",),
        _NAME,
        _SYNCED,
        "external-secrets/kubernetes-external-secrets: lib/poller.js",
    ),
    Producer("secrets.hashicorp.com", ("VaultStaticSecret", "HCPVaultSecretsApp"), "spec/destination", _SYNCED, _VSO),
    Producer("secrets.hashicorp.com", ("VaultDynamicSecret", "VaultPKISecret"), "spec/destination", _LEASED, _VSO),
    *(
        Producer("secrets.infisical.com", ("InfisicalSecret",), path, _SYNCED, _INFISICAL)
        for path in ("spec/managedSecretReference/secretName", "spec/managedKubeSecretReferences/secretName")
    ),
    Producer(
        "secrets.infisical.com",
        ("InfisicalSecret",),
        "spec/managedKubeConfigMapReferences/configMapName",
        _SYNCED,
        _INFISICAL,
        "ConfigMap",
    ),
    Producer(
        "secrets.infisical.com",
        ("InfisicalDynamicSecret",),
        "spec/managedSecretReference/secretName",
        _LEASED,
        "Infisical/kubernetes-operator: api/v1alpha1/infisicaldynamicsecret_types.go",
    ),
    Producer(
        "secrets.doppler.com",
        ("DopplerSecret",),
        "spec/managedSecret",
        _SYNCED,
        "DopplerHQ/kubernetes-operator: api/v1alpha1/dopplersecret_types.go",
    ),
    Producer(
        "k8s.bitwarden.com",
        ("BitwardenSecret",),
        "spec/secretName",
        _SYNCED,
        "bitwarden/sm-kubernetes: api/v1/bitwardensecret_types.go",
    ),
    Producer(
        "onepassword.com",
        ("OnePasswordItem",),
        _NAME,
        _SYNCED,
        "1Password/onepassword-operator: internal/controller/onepassworditem_controller.go",
    ),
    Producer(
        "ricoberger.de",
        ("VaultSecret",),
        _NAME,
        _SYNCED,
        "ricoberger/vault-secrets-operator: internal/controller/vaultsecret_controller.go",
    ),
    Producer(
        "redhatcop.redhat.io",
        ("VaultSecret",),
        "spec/output",
        _SYNCED,
        "redhat-cop/vault-config-operator: api/v1alpha1/vaultsecret_types.go",
    ),
    Producer("spv.no", ("AzureKeyVaultSecret",), "spec/output/secret", _SYNCED, _AKV2K8S),
    Producer("spv.no", ("AzureKeyVaultSecret",), "spec/output/configMap", _SYNCED, _AKV2K8S, "ConfigMap"),
    Producer(
        "secrets-store.csi.x-k8s.io",
        ("SecretProviderClass",),
        "spec/secretObjects/secretName",
        "the driver mirrors into it",
        "kubernetes-sigs/secrets-store-csi-driver: apis/v1/secretproviderclass_types.go",
    ),
    # Encrypted in git, or generated
    Producer(
        "isindir.github.com",
        ("SopsSecret",),
        "spec/secretTemplates",
        _DECRYPTED,
        f"{_SOPS}/v1alpha3/sopssecret_types.go",
    ),
    Producer(
        "isindir.github.com",
        ("SopsSecret",),
        "spec/secret_templates",
        _DECRYPTED,
        f"{_SOPS}/v1alpha1/sopssecret_types.go",
    ),
    # Always the name of the SealedSecret itself, also where its template has a name.
    Producer(
        "bitnami.com",
        ("SealedSecret",),
        _NAME,
        "the controller unseals into a Secret of its name",
        "bitnami-labs/sealed-secrets: pkg/apis/sealedsecrets/v1alpha1/sealedsecret_expansion.go",
    ),
    Producer(
        "secretgenerator.mittwald.de",
        ("StringSecret", "BasicAuth", "SSHKeyPair"),
        _NAME,
        _GENERATED,
        "mittwald/kubernetes-secret-generator: pkg/controller/crd/types.go",
    ),
    Producer(
        "secretgen.k14s.io",
        ("Password", "Certificate", "RSAKey", "SSHKey"),
        _NAME,
        _GENERATED,
        "carvel-dev/secretgen-controller: pkg/reconciler/secret.go",
    ),
    Producer(
        "secretgen.carvel.dev",
        ("SecretImport",),
        _NAME,
        "its controller copies a Secret of another namespace into it",
        "carvel-dev/secretgen-controller: pkg/sharing/secret_import_reconciler.go",
    ),
    Producer(
        "secretgen.carvel.dev",
        ("SecretTemplate",),
        _NAME,
        "its controller fills it from other objects",
        "carvel-dev/secretgen-controller: pkg/generator/secret_template_reconciler.go",
    ),
    # Certificates, outputs of what was created elsewhere. A bundle has the name of what is made of it.
    *(
        Producer(
            group,
            (kind,),
            _NAME,
            _BUNDLED,
            f"cert-manager/trust-manager: {source}",
            target,
            needs=(f"spec/target/{field}",),
        )
        for group, kind, source in (
            ("trust.cert-manager.io", "Bundle", "pkg/bundle/bundle.go"),
            ("trust-manager.io", "ClusterBundle", "pkg/apis/trustmanager/v1alpha2/types_cluster_bundle.go"),
        )
        for field, target in (("configMap", "ConfigMap"), ("secret", "Secret"))
    ),
    Producer(
        "infra.contrib.fluxcd.io",
        ("Terraform",),
        "spec/writeOutputsToSecret",
        "Terraform's outputs are put in it",
        "flux-iac/tofu-controller: api/v1alpha2/terraform_types.go",
    ),
    *(
        Producer(
            "services.k8s.aws",
            ("FieldExport",),
            "spec/to",
            "a field of an AWS resource is put in it",
            "aws-controllers-k8s/runtime: apis/core/v1alpha1/field_export.go",
            target,
        )
        for target in ("ConfigMap", "Secret")
    ),
    # Databases, brokers, buckets, dashboards
    Producer(
        "kafka.strimzi.io",
        ("KafkaUser",),
        _NAME,
        "the user's credentials are put in it",
        "strimzi/strimzi-kafka-operator: "
        "user-operator/src/main/java/io/strimzi/operator/user/model/KafkaUserModel.java",
        needs=("spec/authentication",),
    ),
    Producer(
        "mongodbcommunity.mongodb.com",
        ("MongoDBCommunity",),
        "spec/users/connectionStringSecretName",
        "the operator puts the user's connection strings in it",
        "mongodb/mongodb-kubernetes: mongodb-community-operator/api/v1/mongodbcommunity_types.go",
    ),
    Producer(
        "psmdb.percona.com",
        ("PerconaServerMongoDB",),
        "spec/secrets/users",
        _USERS,
        "percona/percona-server-mongodb-operator: pkg/apis/psmdb/v1/psmdb_types.go",
    ),
    Producer(
        "pxc.percona.com",
        ("PerconaXtraDBCluster",),
        "spec/secretsName",
        _USERS,
        "percona/percona-xtradb-cluster-operator: pkg/apis/pxc/v1/pxc_types.go",
    ),
    *(
        Producer(
            "objectbucket.io",
            ("ObjectBucketClaim",),
            _NAME,
            _BUCKET,
            "kube-object-storage/lib-bucket-provisioner: doc/design/object-bucket-lib.md",
            target,
        )
        for target in ("ConfigMap", "Secret")
    ),
    Producer(
        "grafana.integreatly.org",
        ("GrafanaServiceAccount",),
        "spec/tokens/secretName",
        "a token is put in it",
        "grafana/grafana-operator: api/v1beta1/grafanaserviceaccount_types.go",
    ),
)


class RenameCondition(NamedTuple):
    """What must hold at every place of `path` so that a producer may be renamed. `reason` says to people what is wrong.

    The text there must match one of the patterns `allowed`, and none of `refused`. A field that is missing in a mapping
    that is there has the text `""`, and a field that holds no text has `{}`.
    """

    path: str
    reason: str
    allowed: tuple[str, ...] = ("*",)
    refused: tuple[str, ...] = ()


class Refresh(NamedTuple):
    """What of the content may change under one name, because the controller reads it again.

    `what`: what it reads, for people. `stopped_by`: paths and texts, one of which says that it reads only once.
    `pins`: a path at every place of which a version is set, `""` if nothing can pin one; `unpinned`: a path of what has
    no version. `remedy`: how to pin it.
    """

    what: str
    remedy: str
    stopped_by: tuple[tuple[str, tuple[str, ...]], ...] = ()
    pins: str = ""
    unpinned: str = ""


class RenamableProducer(NamedTuple):
    """A kind of producers whose objects can be revisions.

    `content`: the fields at the top of the object that decide what is made; `but`: paths in them that do not.
    `conditions` are those of a rename, and `annotated`: it needs one of these annotations with the value `true`.
    `never`: why it is never renamed; such a kind has strategy `checksum` only. `refresh` is None where the object holds
    all of the content. `owner`: whose deletion deletes what is made. `source`: where the project says so.
    """

    group: str
    kind: str
    owner: str
    source: str
    refresh: Refresh | None = None
    content: tuple[str, ...] = ("spec",)
    but: tuple[str, ...] = ()
    conditions: tuple[RenameCondition, ...] = ()
    annotated: tuple[str, ...] = ()
    unannotated: str = ""
    never: str = ""


_ITSELF = "the maker: its controller sets an ownerReference"
_NOT_ITS_OWN = "it does not own the Secret that it writes to"
_ANEW = "a generator makes another value for every name"
_MERGES = "it merges into a Secret that others write to as well"
_OTHER_OUTPUT = "it makes another object than a Secret too, whose name would stay"
_ENCRYPTED_NAME = (
    "the name of its Secret is encrypted; encrypt only the data, with --encrypted-regex '^(data|stringData)$'"
)
_ZERO = ("0", "0s", "0m", "0h", "0h0m0s")
_SEALED = "sealedsecrets.bitnami.com/"
_SEALED_ANNOTATIONS = r"spec/template/metadata/annotations/sealedsecrets.bitnami.com\/"

VERSIONED = (
    RenamableProducer(
        "external-secrets.io",
        "ExternalSecret",
        _ITSELF,
        "external-secrets/external-secrets: apis/externalsecrets/v1/externalsecret_types.go",
        Refresh(
            "the values in its store",
            "pin remoteRef.version, or set refreshPolicy: CreatedOnce",
            stopped_by=(("spec/refreshPolicy", ("CreatedOnce",)), ("spec/refreshInterval", _ZERO)),
            pins="spec/data/remoteRef/version",
            unpinned="spec/dataFrom",
        ),
        but=("spec/refreshInterval", "spec/refreshPolicy", "spec/syncWindows"),
        conditions=(
            RenameCondition("spec/target/creationPolicy", _NOT_ITS_OWN, allowed=("", "Owner")),
            RenameCondition("spec/target/manifest", "it makes another kind of object than a Secret", allowed=("",)),
            RenameCondition("spec/dataFrom/sourceRef/generatorRef", _ANEW, allowed=("",)),
            RenameCondition("spec/data/sourceRef/generatorRef", _ANEW, allowed=("",)),
        ),
    ),
    # The label under which it is encrypted holds its namespace and name, unless an annotation of its own says less:
    # `labelFor`. The controller itself decides by annotations of the template whether it owns and replaces the Secret.
    RenamableProducer(
        "bitnami.com",
        "SealedSecret",
        _ITSELF,
        "bitnami-labs/sealed-secrets: pkg/apis/sealedsecrets/v1alpha1/sealedsecret_expansion.go",
        conditions=(
            RenameCondition(f"{_SEALED_ANNOTATIONS}skip-set-owner-references", _NOT_ITS_OWN, refused=("true",)),
            RenameCondition(f"{_SEALED_ANNOTATIONS}patch", _MERGES, refused=("true",)),
        ),
        annotated=(f"{_SEALED}namespace-wide", f"{_SEALED}cluster-wide"),
        unannotated="it is sealed for this name only; seal it with --scope namespace-wide",
    ),
    RenamableProducer(
        "secrets.hashicorp.com",
        "VaultStaticSecret",
        _ITSELF,
        "hashicorp/vault-secrets-operator: api/v1beta1/vaultstaticsecret_types.go, helpers/secrets.go",
        Refresh("the secret in Vault", "pin spec.version of a kv-v2 secret", pins="spec/version"),
        but=("spec/refreshAfter", "spec/hmacSecretData", "spec/rolloutRestartTargets", "spec/syncConfig"),
        conditions=(RenameCondition("spec/destination/create", _NOT_ITS_OWN, allowed=TRUE),),
    ),
    # The operator ignores the MAC: `customDecryptData`.
    RenamableProducer(
        "isindir.github.com",
        "SopsSecret",
        _ITSELF,
        "isindir/sops-secrets-operator: internal/controllers/sopssecret_controller.go",
        but=("spec/suspend",),
        conditions=tuple(
            RenameCondition(f"spec/{field}/name", _ENCRYPTED_NAME, refused=("ENC[[]*",))
            for field in ("secretTemplates", "secret_templates")
        ),
    ),
    # Also with the provider of AWS (ASCP), Azure, Google and Vault: `parameters` are the provider's.
    RenamableProducer(
        "secrets-store.csi.x-k8s.io",
        "SecretProviderClass",
        "the ReplicaSets and other controllers of the pods that mount it, as its driver sets them as owners",
        "kubernetes-sigs/secrets-store-csi-driver: controllers/secretproviderclasspodstatus_controller.go",
        Refresh("what its provider mounts", "pin the versions in spec.parameters"),
    ),
    RenamableProducer(
        "onepassword.com",
        "OnePasswordItem",
        "the maker: its operator sets an ownerReference, and a finalizer",
        "1Password/onepassword-operator: internal/controller/onepassworditem_controller.go",
        Refresh("the item in 1Password", "1Password has no versions to pin; store each value as an item of its own"),
        content=("spec", "type"),
    ),
    RenamableProducer(
        "k8s.bitwarden.com",
        "BitwardenSecret",
        _ITSELF,
        "bitwarden/sm-kubernetes: internal/controller/bitwardensecret_controller.go",
        Refresh("the secrets in Bitwarden", "Bitwarden has no versions to pin; map another id for each value"),
    ),
    RenamableProducer(
        "secrets.infisical.com",
        "InfisicalSecret",
        _ITSELF,
        "Infisical/kubernetes-operator: internal/services/infisicalsecret/reconciler.go",
        Refresh("the secrets in Infisical", "Infisical has no versions to pin; use another path for each value"),
        but=("spec/resyncInterval", "spec/instantUpdates", "spec/syncConfig"),
        conditions=(
            RenameCondition("spec/managedSecretReference/creationPolicy", _NOT_ITS_OWN, allowed=("Owner",)),
            RenameCondition("spec/managedKubeSecretReferences/creationPolicy", _NOT_ITS_OWN, allowed=("Owner",)),
            RenameCondition("spec/managedKubeConfigMapReferences", _OTHER_OUTPUT, allowed=("",)),
        ),
    ),
    RenamableProducer(
        "ricoberger.de",
        "VaultSecret",
        _ITSELF,
        "ricoberger/vault-secrets-operator: internal/controller/vaultsecret_controller.go",
        Refresh("the secret in Vault", "pin spec.version of a kv-v2 secret", pins="spec/version"),
        conditions=(RenameCondition("spec/reconcileStrategy", _MERGES, refused=("Merge",)),),
    ),
    RenamableProducer(
        "spv.no",
        "AzureKeyVaultSecret",
        _ITSELF,
        "SparebankenVest/azure-key-vault-to-kubernetes: cmd/azure-keyvault-controller/controller/secret.go",
        Refresh("the object in Azure Key Vault", "pin spec.vault.object.version", pins="spec/vault/object/version"),
        conditions=(RenameCondition("spec/output/configMap", _OTHER_OUTPUT, allowed=("",)),),
    ),
    RenamableProducer(
        "secrets.doppler.com",
        "DopplerSecret",
        "nobody: its operator sets no ownerReference",
        "DopplerHQ/kubernetes-operator: controllers/dopplersecret_controller_secrets.go",
        Refresh("the config in Doppler", "Doppler has no versions to pin; use another config for each value"),
        but=("spec/resyncSeconds", "spec/expirationSeconds"),
        never="its operator does not own the Secret that it makes, so that every Secret would stay for ever",
    ),
)
"""Those of which a name by the spec's content says enough, and whose Secret goes with them.

All others are never renamed: what they make is issued, generated or leased, and not by their spec alone.
"""

VERSIONED_KINDS = {(one.group, one.kind): one for one in VERSIONED}
VERSIONED_NAMES = tuple(one.kind for one in VERSIONED)
"""As `spec.kinds` names them. No two groups share one of these kinds."""
