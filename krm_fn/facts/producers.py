"""Kinds that make a ConfigMap or Secret in the cluster, and those of them that may be renamed.

PRODUCERS: how the content gets there (a reason, for people), where the project says so, and rows of
a group, kinds, the path of the field with the name of what is made, the kind of what is made, and
options, which are those of `Producer` in `base/producer.py`. Where a field may be left out,
another row says what the name is then, often that of the producer.

RENAMABLE: kinds that may be named by the hash of their spec, and whose Secret goes with them. All
others are never renamed: what they make is issued, generated or leased, and not by their spec
alone. The fields are those of `RenamableProducer`, with `refresh` and `conditions` as mappings of
those of `Refresh` and `RenameCondition`.
"""

PRODUCERS = (
    # cert-manager
    (
        "cert-manager issues a certificate into it",
        "cert-manager/cert-manager: pkg/apis/certmanager/v1/types_certificate.go",
        (("cert-manager.io", "Certificate", "spec/secretName", "Secret"),),
    ),
    (
        "cert-manager keeps its account in it",
        "cert-manager/cert-manager: pkg/apis/acme/v1/types_issuer.go",
        (("cert-manager.io", "Issuer ClusterIssuer", "spec/acme/privateKeySecretRef", "Secret"),),
    ),
    (
        "cert-manager issues a certificate into it",
        "https://cert-manager.io/docs/usage/ingress/",
        (
            (
                "networking.k8s.io",
                "Ingress",
                "spec/tls/secretName",
                "Secret",
                {
                    "annotated": (
                        "cert-manager.io/issuer",
                        "cert-manager.io/cluster-issuer",
                        "kubernetes.io/tls-acme",
                    )
                },
            ),
            (
                "extensions",
                "Ingress",
                "spec/tls/secretName",
                "Secret",
                {
                    "annotated": (
                        "cert-manager.io/issuer",
                        "cert-manager.io/cluster-issuer",
                        "kubernetes.io/tls-acme",
                    )
                },
            ),
        ),
    ),
    (
        "cert-manager issues a certificate into it",
        "https://cert-manager.io/docs/usage/gateway/",
        (
            (
                "gateway.networking.k8s.io",
                "Gateway ListenerSet",
                "spec/listeners/tls/certificateRefs",
                "Secret",
                {"annotated": ("cert-manager.io/issuer", "cert-manager.io/cluster-issuer")},
            ),
        ),
    ),
    (
        "Knative has a certificate issued into it",
        "knative/networking: pkg/apis/networking/v1alpha1/certificate_types.go",
        (("networking.internal.knative.dev", "Certificate", "spec/secretName", "Secret"),),
    ),
    # Argo Workflows
    (
        "workflows keep results in it",
        "argoproj/argo-workflows: pkg/apis/workflow/v1alpha1/workflow_types.go",
        (
            (
                "argoproj.io",
                "Workflow WorkflowTemplate ClusterWorkflowTemplate",
                "spec/templates/memoize/cache/configMap",
                "ConfigMap",
            ),
            (
                "argoproj.io",
                "Workflow WorkflowTemplate ClusterWorkflowTemplate",
                "spec/templateDefaults/memoize/cache/configMap",
                "ConfigMap",
            ),
            (
                "argoproj.io",
                "CronWorkflow",
                "spec/workflowSpec/templates/memoize/cache/configMap",
                "ConfigMap",
            ),
            (
                "argoproj.io",
                "CronWorkflow",
                "spec/workflowSpec/templateDefaults/memoize/cache/configMap",
                "ConfigMap",
            ),
        ),
    ),
    # Crossplane; `shapes.py` knows `writeConnectionSecretToRef` of its composites and claims.
    (
        "Crossplane issues certificates into it",
        "crossplane/crossplane: apis/pkg/v1/package_runtime_types.go",
        (
            (
                "pkg.crossplane.io",
                "ProviderRevision FunctionRevision",
                "spec/tlsServerSecretName",
                "Secret",
            ),
            (
                "pkg.crossplane.io",
                "ProviderRevision FunctionRevision",
                "spec/tlsClientSecretName",
                "Secret",
            ),
        ),
    ),
    # Outside stores of secrets
    (
        "its operator copies from an outside store into it",
        "external-secrets/external-secrets: apis/externalsecrets/v1/externalsecret_types.go",
        (
            ("external-secrets.io", "ExternalSecret", "spec/target/name", "Secret"),
            (
                "external-secrets.io",
                "ExternalSecret",
                "metadata/name",
                "Secret",
                {"unless": ("spec/target/name",)},
            ),
            (
                "external-secrets.io",
                "ExternalSecret",
                "spec/target/name",
                "ConfigMap",
                {"needs": ("spec/target/manifest",)},
            ),
            (
                "external-secrets.io",
                "ExternalSecret",
                "metadata/name",
                "ConfigMap",
                {"needs": ("spec/target/manifest",), "unless": ("spec/target/name",)},
            ),
        ),
    ),
    (
        "its operator copies from an outside store into it",
        "external-secrets/external-secrets: apis/externalsecrets/v1/clusterexternalsecret_types.go",
        (
            (
                "external-secrets.io",
                "ClusterExternalSecret",
                "spec/externalSecretSpec/target/name",
                "Secret",
            ),
            (
                "external-secrets.io",
                "ClusterExternalSecret",
                "spec/externalSecretName",
                "Secret",
                {"unless": ("spec/externalSecretSpec/target/name",)},
            ),
            (
                "external-secrets.io",
                "ClusterExternalSecret",
                "metadata/name",
                "Secret",
                {"unless": ("spec/externalSecretSpec/target/name", "spec/externalSecretName")},
            ),
        ),
    ),
    (
        "its operator copies from an outside store into it",
        "external-secrets/kubernetes-external-secrets: lib/poller.js",
        (("kubernetes-client.io", "ExternalSecret", "metadata/name", "Secret"),),
    ),
    (
        "its operator copies from an outside store into it",
        "hashicorp/vault-secrets-operator: api/v1beta1/common.go",
        (
            (
                "secrets.hashicorp.com",
                "VaultStaticSecret HCPVaultSecretsApp",
                "spec/destination",
                "Secret",
            ),
        ),
    ),
    (
        "its operator keeps short-lived credentials of an outside store in it",
        "hashicorp/vault-secrets-operator: api/v1beta1/common.go",
        (
            (
                "secrets.hashicorp.com",
                "VaultDynamicSecret VaultPKISecret",
                "spec/destination",
                "Secret",
            ),
        ),
    ),
    (
        "its operator copies from an outside store into it",
        "Infisical/kubernetes-operator: api/v1alpha1/infisicalsecret_types.go",
        (
            (
                "secrets.infisical.com",
                "InfisicalSecret",
                "spec/managedSecretReference/secretName",
                "Secret",
            ),
            (
                "secrets.infisical.com",
                "InfisicalSecret",
                "spec/managedKubeSecretReferences/secretName",
                "Secret",
            ),
            (
                "secrets.infisical.com",
                "InfisicalSecret",
                "spec/managedKubeConfigMapReferences/configMapName",
                "ConfigMap",
            ),
        ),
    ),
    (
        "its operator keeps short-lived credentials of an outside store in it",
        "Infisical/kubernetes-operator: api/v1alpha1/infisicaldynamicsecret_types.go",
        (
            (
                "secrets.infisical.com",
                "InfisicalDynamicSecret",
                "spec/managedSecretReference/secretName",
                "Secret",
            ),
        ),
    ),
    (
        "its operator copies from an outside store into it",
        "DopplerHQ/kubernetes-operator: api/v1alpha1/dopplersecret_types.go",
        (("secrets.doppler.com", "DopplerSecret", "spec/managedSecret", "Secret"),),
    ),
    (
        "its operator copies from an outside store into it",
        "bitwarden/sm-kubernetes: api/v1/bitwardensecret_types.go",
        (("k8s.bitwarden.com", "BitwardenSecret", "spec/secretName", "Secret"),),
    ),
    (
        "its operator copies from an outside store into it",
        "1Password/onepassword-operator: internal/controller/onepassworditem_controller.go",
        (("onepassword.com", "OnePasswordItem", "metadata/name", "Secret"),),
    ),
    (
        "its operator copies from an outside store into it",
        "ricoberger/vault-secrets-operator: internal/controller/vaultsecret_controller.go",
        (("ricoberger.de", "VaultSecret", "metadata/name", "Secret"),),
    ),
    (
        "its operator copies from an outside store into it",
        "redhat-cop/vault-config-operator: api/v1alpha1/vaultsecret_types.go",
        (("redhatcop.redhat.io", "VaultSecret", "spec/output", "Secret"),),
    ),
    (
        "its operator copies from an outside store into it",
        "SparebankenVest/azure-key-vault-to-kubernetes: pkg/k8s/apis/azurekeyvault/v2beta1/types.go",
        (
            ("spv.no", "AzureKeyVaultSecret", "spec/output/secret", "Secret"),
            ("spv.no", "AzureKeyVaultSecret", "spec/output/configMap", "ConfigMap"),
        ),
    ),
    (
        "the driver mirrors into it",
        "kubernetes-sigs/secrets-store-csi-driver: apis/v1/secretproviderclass_types.go",
        (
            (
                "secrets-store.csi.x-k8s.io",
                "SecretProviderClass",
                "spec/secretObjects/secretName",
                "Secret",
            ),
        ),
    ),
    # Encrypted in git, or generated
    (
        "its operator decrypts into it",
        "isindir/sops-secrets-operator: api/v1alpha3/sopssecret_types.go",
        (("isindir.github.com", "SopsSecret", "spec/secretTemplates", "Secret"),),
    ),
    (
        "its operator decrypts into it",
        "isindir/sops-secrets-operator: api/v1alpha1/sopssecret_types.go",
        (("isindir.github.com", "SopsSecret", "spec/secret_templates", "Secret"),),
    ),
    # Always the name of the SealedSecret itself, also where its template has a name.
    (
        "the controller unseals into a Secret of its name",
        "bitnami-labs/sealed-secrets: pkg/apis/sealedsecrets/v1alpha1/sealedsecret_expansion.go",
        (("bitnami.com", "SealedSecret", "metadata/name", "Secret"),),
    ),
    (
        "its controller generates its content",
        "mittwald/kubernetes-secret-generator: pkg/controller/crd/types.go",
        (
            (
                "secretgenerator.mittwald.de",
                "StringSecret BasicAuth SSHKeyPair",
                "metadata/name",
                "Secret",
            ),
        ),
    ),
    (
        "its controller generates its content",
        "carvel-dev/secretgen-controller: pkg/reconciler/secret.go",
        (("secretgen.k14s.io", "Password Certificate RSAKey SSHKey", "metadata/name", "Secret"),),
    ),
    (
        "its controller copies a Secret of another namespace into it",
        "carvel-dev/secretgen-controller: pkg/sharing/secret_import_reconciler.go",
        (("secretgen.carvel.dev", "SecretImport", "metadata/name", "Secret"),),
    ),
    (
        "its controller fills it from other objects",
        "carvel-dev/secretgen-controller: pkg/generator/secret_template_reconciler.go",
        (("secretgen.carvel.dev", "SecretTemplate", "metadata/name", "Secret"),),
    ),
    # What a policy changes, also when no object is asked for (`mutateExistingOnPolicyUpdate`). A target
    # says its kind.
    (
        "Kyverno changes its content",
        "kyverno/kyverno: api/kyverno/v1/resource_spec_types.go (TargetResourceSpec)",
        (
            ("kyverno.io", "ClusterPolicy Policy", "spec/rules/mutate/targets/name", "ConfigMap"),
            ("kyverno.io", "ClusterPolicy Policy", "spec/rules/mutate/targets/name", "Secret"),
        ),
    ),
    # Certificates, outputs of what was created elsewhere. A bundle has the name of what is made of
    # it.
    (
        "trust-manager copies certificates into it",
        "cert-manager/trust-manager: pkg/bundle/bundle.go",
        (
            (
                "trust.cert-manager.io",
                "Bundle",
                "metadata/name",
                "ConfigMap",
                {"needs": ("spec/target/configMap",)},
            ),
            (
                "trust.cert-manager.io",
                "Bundle",
                "metadata/name",
                "Secret",
                {"needs": ("spec/target/secret",)},
            ),
        ),
    ),
    (
        "trust-manager copies certificates into it",
        "cert-manager/trust-manager: pkg/apis/trustmanager/v1alpha2/types_cluster_bundle.go",
        (
            (
                "trust-manager.io",
                "ClusterBundle",
                "metadata/name",
                "ConfigMap",
                {"needs": ("spec/target/configMap",)},
            ),
            (
                "trust-manager.io",
                "ClusterBundle",
                "metadata/name",
                "Secret",
                {"needs": ("spec/target/secret",)},
            ),
        ),
    ),
    (
        "Terraform's outputs are put in it",
        "flux-iac/tofu-controller: api/v1alpha2/terraform_types.go",
        (("infra.contrib.fluxcd.io", "Terraform", "spec/writeOutputsToSecret", "Secret"),),
    ),
    (
        "a field of an AWS resource is put in it",
        "aws-controllers-k8s/runtime: apis/core/v1alpha1/field_export.go",
        (
            ("services.k8s.aws", "FieldExport", "spec/to", "ConfigMap"),
            ("services.k8s.aws", "FieldExport", "spec/to", "Secret"),
        ),
    ),
    # Databases, brokers, buckets, dashboards
    (
        "the user's credentials are put in it",
        "strimzi/strimzi-kafka-operator: user-operator/src/main/java/io/strimzi/operator/user/model/KafkaUserModel.java",
        (
            (
                "kafka.strimzi.io",
                "KafkaUser",
                "metadata/name",
                "Secret",
                {"needs": ("spec/authentication",)},
            ),
        ),
    ),
    (
        "the operator puts the user's connection strings in it",
        "mongodb/mongodb-kubernetes: mongodb-community-operator/api/v1/mongodbcommunity_types.go",
        (
            (
                "mongodbcommunity.mongodb.com",
                "MongoDBCommunity",
                "spec/users/connectionStringSecretName",
                "Secret",
            ),
        ),
    ),
    (
        "the operator keeps users in it",
        "percona/percona-server-mongodb-operator: pkg/apis/psmdb/v1/psmdb_types.go",
        (("psmdb.percona.com", "PerconaServerMongoDB", "spec/secrets/users", "Secret"),),
    ),
    (
        "the operator keeps users in it",
        "percona/percona-xtradb-cluster-operator: pkg/apis/pxc/v1/pxc_types.go",
        (("pxc.percona.com", "PerconaXtraDBCluster", "spec/secretsName", "Secret"),),
    ),
    (
        "Rook puts the client's key in it",
        "rook/rook: pkg/apis/ceph.rook.io/v1/types.go (ClientSpec)",
        (("ceph.rook.io", "CephClient", "spec/secretName", "Secret"),),
    ),
    (
        "the address of the bucket is put in it",
        "kube-object-storage/lib-bucket-provisioner: doc/design/object-bucket-lib.md",
        (
            ("objectbucket.io", "ObjectBucketClaim", "metadata/name", "ConfigMap"),
            ("objectbucket.io", "ObjectBucketClaim", "metadata/name", "Secret"),
        ),
    ),
    (
        "a token is put in it",
        "grafana/grafana-operator: api/v1beta1/grafanaserviceaccount_types.go",
        (("grafana.integreatly.org", "GrafanaServiceAccount", "spec/tokens/secretName", "Secret"),),
    ),
)

RENAMABLE = (
    {
        "group": "external-secrets.io",
        "kind": "ExternalSecret",
        "owner": "the maker: its controller sets an ownerReference",
        "source": "external-secrets/external-secrets: apis/externalsecrets/v1/externalsecret_types.go",
        "refresh": {
            "what": "the values in its store",
            "remedy": "pin remoteRef.version, or set refreshPolicy: CreatedOnce",
            "stopped_by": (
                ("spec/refreshPolicy", ("CreatedOnce",)),
                ("spec/refreshInterval", ("0", "0s", "0m", "0h", "0h0m0s")),
            ),
            "pins": "spec/data/remoteRef/version",
            "unpinned": "spec/dataFrom",
        },
        "but": ("spec/refreshInterval", "spec/refreshPolicy", "spec/syncWindows"),
        "conditions": (
            {
                "path": "spec/target/creationPolicy",
                "reason": "it does not own the Secret that it writes to",
                "allowed": ("", "Owner"),
            },
            {
                "path": "spec/target/manifest",
                "reason": "it makes another kind of object than a Secret",
                "allowed": ("",),
            },
            {
                "path": "spec/dataFrom/sourceRef/generatorRef",
                "reason": "a generator makes another value for every name",
                "allowed": ("",),
            },
            {
                "path": "spec/data/sourceRef/generatorRef",
                "reason": "a generator makes another value for every name",
                "allowed": ("",),
            },
        ),
    },
    # The label under which it is encrypted holds its namespace and name, unless an annotation of
    # its own says less: `labelFor`. The controller itself decides by annotations of the template
    # whether it owns and replaces the Secret.
    {
        "group": "bitnami.com",
        "kind": "SealedSecret",
        "owner": "the maker: its controller sets an ownerReference",
        "source": "bitnami-labs/sealed-secrets: pkg/apis/sealedsecrets/v1alpha1/sealedsecret_expansion.go",
        "conditions": (
            {
                "path": "spec/template/metadata/annotations/sealedsecrets.bitnami.com\\/skip-set-owner-references",
                "reason": "it does not own the Secret that it writes to",
                "refused": ("true",),
            },
            {
                "path": "spec/template/metadata/annotations/sealedsecrets.bitnami.com\\/patch",
                "reason": "it merges into a Secret that others write to as well",
                "refused": ("true",),
            },
        ),
        "annotated": (
            "sealedsecrets.bitnami.com/namespace-wide",
            "sealedsecrets.bitnami.com/cluster-wide",
        ),
        "unannotated": "it is sealed for this name only; seal it with --scope namespace-wide",
    },
    {
        "group": "secrets.hashicorp.com",
        "kind": "VaultStaticSecret",
        "owner": "the maker: its controller sets an ownerReference",
        "source": "hashicorp/vault-secrets-operator: api/v1beta1/vaultstaticsecret_types.go, helpers/secrets.go",
        "refresh": {
            "what": "the secret in Vault",
            "remedy": "pin spec.version of a kv-v2 secret",
            "pins": "spec/version",
        },
        "but": (
            "spec/refreshAfter",
            "spec/hmacSecretData",
            "spec/rolloutRestartTargets",
            "spec/syncConfig",
        ),
        "conditions": (
            {
                "path": "spec/destination/create",
                "reason": "it does not own the Secret that it writes to",
                "allowed": ("true", "True", "TRUE"),
            },
        ),
    },
    # The operator ignores the MAC: `customDecryptData`.
    {
        "group": "isindir.github.com",
        "kind": "SopsSecret",
        "owner": "the maker: its controller sets an ownerReference",
        "source": "isindir/sops-secrets-operator: internal/controllers/sopssecret_controller.go",
        "but": ("spec/suspend",),
        "conditions": (
            {
                "path": "spec/secretTemplates/name",
                "reason": "the name of its Secret is encrypted; encrypt only the data, with --encrypted-regex '^(data|stringData)$'",
                "refused": ("ENC[[]*",),
            },
            {
                "path": "spec/secret_templates/name",
                "reason": "the name of its Secret is encrypted; encrypt only the data, with --encrypted-regex '^(data|stringData)$'",
                "refused": ("ENC[[]*",),
            },
        ),
    },
    # Also with the provider of AWS (ASCP), Azure, Google and Vault: `parameters` are the
    # provider's.
    {
        "group": "secrets-store.csi.x-k8s.io",
        "kind": "SecretProviderClass",
        "owner": "the ReplicaSets and other controllers of the pods that mount it, as its driver sets them as owners",
        "source": "kubernetes-sigs/secrets-store-csi-driver: controllers/secretproviderclasspodstatus_controller.go",
        "refresh": {
            "what": "what its provider mounts",
            "remedy": "pin the versions in spec.parameters",
        },
    },
    {
        "group": "onepassword.com",
        "kind": "OnePasswordItem",
        "owner": "the maker: its operator sets an ownerReference, and a finalizer",
        "source": "1Password/onepassword-operator: internal/controller/onepassworditem_controller.go",
        "refresh": {
            "what": "the item in 1Password",
            "remedy": "1Password has no versions to pin; store each value as an item of its own",
        },
        "content": ("spec", "type"),
    },
    {
        "group": "k8s.bitwarden.com",
        "kind": "BitwardenSecret",
        "owner": "the maker: its controller sets an ownerReference",
        "source": "bitwarden/sm-kubernetes: internal/controller/bitwardensecret_controller.go",
        "refresh": {
            "what": "the secrets in Bitwarden",
            "remedy": "Bitwarden has no versions to pin; map another id for each value",
        },
    },
    {
        "group": "secrets.infisical.com",
        "kind": "InfisicalSecret",
        "owner": "the maker: its controller sets an ownerReference",
        "source": "Infisical/kubernetes-operator: internal/services/infisicalsecret/reconciler.go",
        "refresh": {
            "what": "the secrets in Infisical",
            "remedy": "Infisical has no versions to pin; use another path for each value",
        },
        "but": ("spec/resyncInterval", "spec/instantUpdates", "spec/syncConfig"),
        "conditions": (
            {
                "path": "spec/managedSecretReference/creationPolicy",
                "reason": "it does not own the Secret that it writes to",
                "allowed": ("Owner",),
            },
            {
                "path": "spec/managedKubeSecretReferences/creationPolicy",
                "reason": "it does not own the Secret that it writes to",
                "allowed": ("Owner",),
            },
            {
                "path": "spec/managedKubeConfigMapReferences",
                "reason": "it makes another object than a Secret too, whose name would stay",
                "allowed": ("",),
            },
        ),
    },
    {
        "group": "ricoberger.de",
        "kind": "VaultSecret",
        "owner": "the maker: its controller sets an ownerReference",
        "source": "ricoberger/vault-secrets-operator: internal/controller/vaultsecret_controller.go",
        "refresh": {
            "what": "the secret in Vault",
            "remedy": "pin spec.version of a kv-v2 secret",
            "pins": "spec/version",
        },
        "conditions": (
            {
                "path": "spec/reconcileStrategy",
                "reason": "it merges into a Secret that others write to as well",
                "refused": ("Merge",),
            },
        ),
    },
    {
        "group": "spv.no",
        "kind": "AzureKeyVaultSecret",
        "owner": "the maker: its controller sets an ownerReference",
        "source": "SparebankenVest/azure-key-vault-to-kubernetes: cmd/azure-keyvault-controller/controller/secret.go",
        "refresh": {
            "what": "the object in Azure Key Vault",
            "remedy": "pin spec.vault.object.version",
            "pins": "spec/vault/object/version",
        },
        "conditions": (
            {
                "path": "spec/output/configMap",
                "reason": "it makes another object than a Secret too, whose name would stay",
                "allowed": ("",),
            },
        ),
    },
    {
        "group": "secrets.doppler.com",
        "kind": "DopplerSecret",
        "owner": "nobody: its operator sets no ownerReference",
        "source": "DopplerHQ/kubernetes-operator: controllers/dopplersecret_controller_secrets.go",
        "refresh": {
            "what": "the config in Doppler",
            "remedy": "Doppler has no versions to pin; use another config for each value",
        },
        "but": ("spec/resyncSeconds", "spec/expirationSeconds"),
        "never": "its operator does not own the Secret that it makes, so that every Secret would stay for ever",
    },
)
