"""Programs that write into an object's content in the cluster, as the object itself says.

WRITTEN_TYPES: types of Secrets whose content, or whose name, a controller decides.

WRITTEN_MARKS: labels and annotations of the object, and who writes. What a policy or another object
names instead is a row in `producers.py`.

REPLACED: texts that a program replaces. A row is the program and its source, an annotation that the
object must have (`""`: none), one with the value that forbids it, a part that each such text has,
and a regular expression of the text. A text in base64 begins as the other rows say.

OWN_VARIABLES: what shows the configuration of a program, and variables that the program sets in it.
They are replaced by nobody else.
"""

WRITTEN_TYPES = {
    "kubernetes.io/service-account-token",
    "bootstrap.kubernetes.io/token",
    "helm.sh/release.v1",
}

WRITTEN_MARKS = {
    # openshift/cluster-network-operator: pkg/names/names.go (TRUSTED_CA_BUNDLE_CONFIGMAP_LABEL)
    "config.openshift.io/inject-trusted-cabundle": "OpenShift",
    # openshift/service-ca-operator: pkg/controller/api/api.go (InjectCABundleAnnotationName)
    "service.beta.openshift.io/inject-cabundle": "OpenShift",
    "service.alpha.openshift.io/inject-cabundle": "OpenShift",
    # mittwald/kubernetes-secret-generator: pkg/controller/secret/secret_controller.go (Reconcile)
    "secret-generator.v1.mittwald.de/autogenerate": "kubernetes-secret-generator",
    "secret-generator.v1.mittwald.de/type": "kubernetes-secret-generator",
    # carvel-dev/secretgen-controller: pkg/sharing/secret_reconciler.go (imagePullSecretAnnKey)
    "secretgen.carvel.dev/image-pull-secret": "secretgen-controller",
}

REPLACED = (
    (
        "Argo CD's Vault plugin",
        "argoproj-labs/argocd-vault-plugin: pkg/kube/util.go",
        "",
        ("avp.kubernetes.io/ignore", "true"),
        "<path:",
        "<path:",
    ),
    (
        "Argo CD's Vault plugin",
        "argoproj-labs/argocd-vault-plugin: pkg/kube/util.go",
        "",
        ("avp.kubernetes.io/ignore", "true"),
        "PHBhdGg6",
        r"\APHBhdGg6",
    ),
    # With this annotation, every word in angle brackets is one.
    (
        "Argo CD's Vault plugin",
        "argoproj-labs/argocd-vault-plugin: pkg/kube/util.go",
        "avp.kubernetes.io/path",
        ("avp.kubernetes.io/ignore", "true"),
        "<",
        "<[^<>]+>",
    ),
    # A path and a key, which `vault:` at the head of a YAML file is not. A text of Vault's transit
    # (`vault:v1:...`) is left out: as long as it is the same, what it stands for is the same.
    (
        "Bank-Vaults' webhook",
        "bank-vaults/vault-secrets-webhook: pkg/webhook/secret.go, pkg/webhook/configmap.go, pkg/common/common.go",
        "",
        ("vault.security.banzaicloud.io/mutate", "skip"),
        "vault:",
        r"\A(?:>>)?vault:[^\s#]+#|\$\{(?:>>)?vault:[^\s#{}]+#",
    ),
    (
        "Bank-Vaults' webhook",
        "bank-vaults/vault-secrets-webhook: pkg/webhook/secret.go, pkg/webhook/configmap.go, pkg/common/common.go",
        "",
        ("vault.security.banzaicloud.io/mutate", "skip"),
        "dmF1bHQ6",
        r"\AdmF1bHQ6(?![CDI])",
    ),
    (
        "Bank-Vaults' webhook",
        "bank-vaults/vault-secrets-webhook: pkg/webhook/secret.go, pkg/webhook/configmap.go, pkg/common/common.go",
        "",
        ("vault.security.banzaicloud.io/mutate", "skip"),
        "Pj52YXVsdD",
        r"\APj52YXVsdD[o-r]",
    ),
)

OWN_VARIABLES = (
    # The end of a block, or a line with the parameter that no other format has. fluent/fluentd:
    # lib/fluent/plugin/output.rb (extract_placeholders) and filter_record_transformer.rb
    # (PlaceholderExpander); fluent/fluent-plugin-prometheus: lib/fluent/plugin/prometheus.rb
    (
        r"</match>|(?m:^)[ \t]*@type[ \t]+\w",
        ("tag", "chunk_id", "hostname", "time", "worker_id"),
    ),
)
