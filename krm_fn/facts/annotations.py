"""Annotations whose text names a ConfigMap or Secret, and signs on an object that others copy or write it.

A row of ANNOTATIONS: kinds that carry it, the annotation, what it names, and options, which are
those of `AnnotationRow` in `core/references/field_rows.py`. `{a,b}` stands for a row with a and one with
b. A Pod is also a pod template.
"""

ANNOTATIONS = (
    (
        "Ingress",
        "nginx.ingress.kubernetes.io/{auth-secret,auth-tls-secret,proxy-ssl-secret,secure-verify-ca-secret}",
        "Secret",
    ),
    ("Ingress", "nginx.org/basic-auth-secret", "Secret"),
    ("Ingress", "nginx.com/jwt-key", "Secret"),
    (
        "Ingress",
        "ingress.kubernetes.io/{auth-secret,auth-tls-secret,secure-crt-secret,secure-verify-ca-secret}",
        "Secret",
    ),
    (
        "Ingress",
        "haproxy-ingress.github.io/{auth-secret,auth-tls-secret,secure-crt-secret,secure-verify-ca-secret}",
        "Secret",
    ),
    (
        "Ingress",
        "haproxy.org/{auth-secret,client-ca,server-ca,server-crt,ssl-certificate}",
        "Secret",
    ),
    (
        "Ingress",
        "haproxy.com/{auth-secret,client-ca,server-ca,server-crt,ssl-certificate}",
        "Secret",
    ),
    (
        "Ingress",
        "nginx.ingress.kubernetes.io/{auth-proxy-set-headers,custom-headers,fastcgi-params-configmap}",
        "ConfigMap",
    ),
    ("Pod", "sidecar.istio.io/bootstrapOverride", "ConfigMap", {"in_pod": True}),
    ("Pod", "vault.hashicorp.com/agent-configmap", "ConfigMap", {"in_pod": True}),
    ("Pod", "vault.hashicorp.com/{agent-extra-secret,tls-secret}", "Secret", {"in_pod": True}),
    ("Pod", "dapr.io/{api-token-secret,app-token-secret}", "Secret", {"in_pod": True}),
    # The AWS load balancer controller reads these of Services as well.
    (
        "Ingress Service",
        "alb.ingress.kubernetes.io/auth-idp-oidc",
        "Secret",
        {"inside": r'"secretName"\s*:\s*"(?P<name>[^"]+)"'},
    ),
    ("Service", "haproxy.org/{server-ca,server-crt}", "Secret"),
    ("Service", "konghq.com/client-cert", "Secret"),
    # CloudNativePG reads the certificates of its plugins.
    ("Service", "cnpg.io/{pluginClientSecret,pluginServerSecret}", "Secret"),
    # cert-manager copies a certificate authority from the Secret.
    (
        "APIService MutatingWebhookConfiguration ValidatingWebhookConfiguration",
        "cert-manager.io/inject-ca-from-secret",
        "Secret",
    ),
    # Programs that keep a ConfigMap or Secret the same as one of its kind.
    (
        "ConfigMap",
        "reflector.v1.k8s.emberstack.com/reflects",
        "ConfigMap",
        {"copied_by": "reflector"},
    ),
    (
        "ConfigMap",
        "replicator.v1.mittwald.de/replicate-from",
        "ConfigMap",
        {"copied_by": "kubernetes-replicator"},
    ),
    ("Secret", "reflector.v1.k8s.emberstack.com/reflects", "Secret", {"copied_by": "reflector"}),
    (
        "Secret",
        "replicator.v1.mittwald.de/replicate-from",
        "Secret",
        {"copied_by": "kubernetes-replicator"},
    ),
    # 1Password's operator creates the Secret.
    ("Deployment", "operator.1password.io/item-name", "Secret", {"written": True}),
    # OpenShift's service CA writes the certificate into a Secret of this name.
    ("Service", "service.alpha.openshift.io/serving-cert-secret-name", "Secret", {"written": True}),
    ("Service", "service.beta.openshift.io/serving-cert-secret-name", "Secret", {"written": True}),
)

# Annotations of pods whose text is JSON with volumes, or with what has the fields of one:
# `configMap.name`, `secret.secretName` and, in projected volumes, `secret.name`. The second is the
# place in the program that reads it.
VOLUMES_IN_JSON = {
    "sidecar.istio.io/userVolume": "github.com/istio/istio manifests/charts/istio-control/istio-discovery/files/injection-template.yaml",
    "consul.hashicorp.com/consul-sidecar-user-volume": "github.com/hashicorp/consul-k8s control-plane/connect-inject/constants/annotations_and_labels.go (AnnotationConsulSidecarUserVolume)",
    "hooks.kubevirt.io/hookSidecars": "github.com/kubevirt/kubevirt pkg/hooks/hooks.go (HookSidecarListAnnotationName)",
}

# Annotations that the values of a Helm chart give to workloads or pods, each a comma list of names,
# for Reloader. On workloads of the package they stay as they are: where a name changes with the
# content, Reloader has nothing to do. In values, whoever reads them may restart pods for no other
# reason.
LISTS_IN_VALUES = {
    "configmap.reloader.stakater.com/reload": "ConfigMap",
    "secret.reloader.stakater.com/reload": "Secret",
}

# A label of objects that a program deletes where no annotation of a reader has their name, under a
# key with a hash of it, which begins with `read_from`. gardener/gardener: pkg/resourcemanager/controller/garbagecollector/
# reconciler.go and references/references.go.
COLLECTED = {
    "label": "resources.gardener.cloud/garbage-collectable-reference",
    "program": "Gardener",
    "read_from": "reference.resources.gardener.cloud/...",
}

# The fields of built-in kinds, outside of pod specs, in which kustomize gives a name its hash, where
# they are the name alone. kubernetes-sigs/kustomize@12f9e6391:
# api/internal/konfig/builtinpluginconsts/namereference.go
FOLLOWED_BY_KUSTOMIZE = (
    "imagePullSecrets.name",
    "metadata.annotations[ingress.kubernetes.io/auth-secret]",
    "metadata.annotations[nginx.ingress.kubernetes.io/auth-secret]",
    "metadata.annotations[nginx.ingress.kubernetes.io/auth-tls-secret]",
    "metadata.annotations[nginx.ingress.kubernetes.io/fastcgi-params-configmap]",
    "parameters.adminSecretName",
    "parameters.secretName",
    "parameters.secretRef",
    "parameters.userSecretName",
    "spec.azureFile.secretName",
    "spec.configSource.configMap",
    "spec.tls.secretName",
)

# What kapp reads of objects that it versions. carvel-dev/kapp: pkg/kapp/diff/versioned_resource.go:
# an annotation, or several with a dot and a suffix, whose text is apiVersion, kind and name of what
# the object references; and one on an object of which kapp keeps a copy without a version.
KAPP_EXPLICIT_REFERENCE = "kapp.k14s.io/versioned-explicit-ref"
KAPP_KEEPS_ORIGINAL = "kapp.k14s.io/versioned-keep-original"

# Annotations of objects that a program copies elsewhere under their names, unless the text is
# `false`. emberstack/kubernetes-reflector: Mirroring/Core/Annotations.cs;
# mittwald/kubernetes-replicator: replicate/common/consts.go; config-syncer/config-syncer:
# docs/guides/config-syncer.
COPIED = {
    "reflector.v1.k8s.emberstack.com/reflection-allowed": "reflector",
    "reflector.v1.k8s.emberstack.com/reflection-auto-enabled": "reflector",
    "replicator.v1.mittwald.de/replicate-to": "kubernetes-replicator",
    "replicator.v1.mittwald.de/replicate-to-matching": "kubernetes-replicator",
    "replicator.v1.mittwald.de/replication-allowed": "kubernetes-replicator",
    "kubed.appscode.com/sync": "Config Syncer",
    "kubed.appscode.com/sync-contexts": "Config Syncer",
}

# Annotations by which a workload, or its pod template, asks a controller to restart it: controller,
# kind that the annotation is about, its use, and itself. `on` and `auto` are about everything that
# the pods read, and `search` about objects that ask for it themselves. `named` lists objects, and
# `excluded` those that count nowhere. wave-k8s/wave: README, and the annotations that the code
# reads; stakater/Reloader: README and its reference of annotations.
RESTART_REQUESTS = (
    ("wave", "", "on", "wave.pusher.com/update-on-config-change"),
    ("wave", "ConfigMap", "named", "wave.pusher.com/extra-configmaps"),
    ("wave", "Secret", "named", "wave.pusher.com/extra-secrets"),
    ("reloader", "", "auto", "reloader.stakater.com/auto"),
    ("reloader", "", "search", "reloader.stakater.com/search"),
    ("reloader", "ConfigMap", "auto", "configmap.reloader.stakater.com/auto"),
    ("reloader", "ConfigMap", "named", "configmap.reloader.stakater.com/reload"),
    ("reloader", "ConfigMap", "excluded", "configmaps.exclude.reloader.stakater.com/reload"),
    ("reloader", "Secret", "auto", "secret.reloader.stakater.com/auto"),
    ("reloader", "Secret", "named", "secret.reloader.stakater.com/reload"),
    ("reloader", "Secret", "excluded", "secrets.exclude.reloader.stakater.com/reload"),
)

# Who writes into the content of an object in the cluster, as the object itself says. WRITTEN_TYPES:
# types of Secrets whose content, or whose name, a controller decides.
WRITTEN_TYPES = {
    "kubernetes.io/service-account-token",
    "bootstrap.kubernetes.io/token",
    "helm.sh/release.v1",
}

# Labels and annotations of the object, and who writes.
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

# Programs that replace texts: the program, its source, an annotation with the value that forbids it,
# and the texts. Each has an annotation that the object must have (`""`: none), a part that each such
# text has, and a regular expression of it. A text in base64 begins as the others say.
REPLACED = (
    (
        "Argo CD's Vault plugin",
        "argoproj-labs/argocd-vault-plugin: pkg/kube/util.go",
        ("avp.kubernetes.io/ignore", "true"),
        (
            ("", "<path:", "<path:"),
            ("", "PHBhdGg6", r"\APHBhdGg6"),
            # With this annotation, every word in angle brackets is one.
            ("avp.kubernetes.io/path", "<", "<[^<>]+>"),
        ),
    ),
    (
        "Bank-Vaults' webhook",
        "bank-vaults/vault-secrets-webhook: pkg/webhook/secret.go, pkg/webhook/configmap.go, pkg/common/common.go",
        ("vault.security.banzaicloud.io/mutate", "skip"),
        (
            # A path and a key, which `vault:` at the head of a YAML file is not. A text of Vault's transit
            # (`vault:v1:...`) is left out: as long as it is the same, what it stands for is the same.
            ("", "vault:", r"\A(?:>>)?vault:[^\s#]+#|\$\{(?:>>)?vault:[^\s#{}]+#"),
            ("", "dmF1bHQ6", r"\AdmF1bHQ6(?![CDI])"),
            ("", "Pj52YXVsdD", r"\APj52YXVsdD[o-r]"),
        ),
    ),
)

# What shows the configuration of a program, and variables that the program sets in it, so that nobody
# else replaces them.
OWN_VARIABLES = (
    # The end of a block, or a line with the parameter that no other format has. Placeholders of
    # fluent/fluentd: lib/fluent/plugin/output.rb, lib/fluent/plugin/filter_record_transformer.rb;
    # fluent/fluent-plugin-prometheus: lib/fluent/plugin/prometheus.rb
    (
        r"</match>|(?m:^)[ \t]*@type[ \t]+\w",
        ("tag", "chunk_id", "hostname", "time", "worker_id"),
    ),
)

# What shows a dashboard of Grafana, which names its own variables.
OF_DASHBOARD = ('"templating"', '"__inputs"')
