"""Programs that write into an object's content in the cluster, as the object itself says.

WRITTEN_MARKS: labels and annotations of the object, and who writes. What a policy or another object
names instead is a row in `producers.py`.

REPLACED: texts that a program replaces. A row is the program and its source, an annotation that the
object must have (`""`: none), one with the value that forbids it, a part that each such text has,
and a regular expression of the text. A text in base64 begins as the other rows say.
"""

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
