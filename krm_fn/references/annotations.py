"""Annotations whose text names a ConfigMap or Secret, by the kind that carries them."""

from typing import NamedTuple


class AnnotationRow(NamedTuple):
    """`inside`: the field of JSON text that holds the name; `""` where the text is the name, or `namespace/name`.

    `in_pod`: pods read the object. `written`: a controller writes it. `copied_by`: the program that copies it from
    there into the object with the annotation.
    """

    kind: str
    annotation: str
    target: str = "Secret"
    inside: str = ""
    in_pod: bool = False
    written: bool = False
    copied_by: str = ""


_SECRETS_OF_INGRESS = (
    "nginx.ingress.kubernetes.io/auth-secret",
    "nginx.ingress.kubernetes.io/auth-tls-secret",
    "nginx.ingress.kubernetes.io/proxy-ssl-secret",
    "nginx.ingress.kubernetes.io/secure-verify-ca-secret",
    "nginx.org/basic-auth-secret",
    "nginx.com/jwt-key",
    # HAProxy Ingress, with its own prefix and the common one; ingress-nginx and Traefik once used the latter too.
    *(
        f"{prefix}/{name}"
        for prefix in ("ingress.kubernetes.io", "haproxy-ingress.github.io")
        for name in ("auth-secret", "auth-tls-secret", "secure-crt-secret", "secure-verify-ca-secret")
    ),
    # HAProxy Technologies' controller
    *(
        f"{prefix}/{name}"
        for prefix in ("haproxy.org", "haproxy.com")
        for name in ("auth-secret", "client-ca", "server-ca", "server-crt", "ssl-certificate")
    ),
)

_CONFIG_MAPS_OF_INGRESS = (
    "nginx.ingress.kubernetes.io/auth-proxy-set-headers",
    "nginx.ingress.kubernetes.io/custom-headers",
    "nginx.ingress.kubernetes.io/fastcgi-params-configmap",
)

POD_ANNOTATIONS = {
    "sidecar.istio.io/bootstrapOverride": "ConfigMap",
    "vault.hashicorp.com/agent-configmap": "ConfigMap",
    "vault.hashicorp.com/agent-extra-secret": "Secret",
    "vault.hashicorp.com/tls-secret": "Secret",
    "dapr.io/api-token-secret": "Secret",
    "dapr.io/app-token-secret": "Secret",
}
"""Annotations of pods and pod templates: an injected sidecar mounts what they name."""

LISTS_IN_VALUES = {
    "configmap.reloader.stakater.com/reload": "ConfigMap",
    "secret.reloader.stakater.com/reload": "Secret",
}
"""Annotations that the values of a Helm chart give to workloads or pods, each a comma list of names, for Reloader.

On workloads of the package they stay as they are: where a name changes with the content, Reloader has nothing to do.
In values, whoever reads them may restart pods for no other reason.
"""

_REFLECTOR = "reflector.v1.k8s.emberstack.com"
_REPLICATOR = "replicator.v1.mittwald.de"

# emberstack/kubernetes-reflector: Mirroring/Core/Annotations.cs; mittwald/kubernetes-replicator:
# replicate/common/consts.go; config-syncer/config-syncer: docs/guides/config-syncer.
COPIED = {
    **dict.fromkeys(
        (f"{_REFLECTOR}/reflection-allowed", f"{_REFLECTOR}/reflection-auto-enabled"),
        "reflector",
    ),
    **dict.fromkeys(
        (f"{_REPLICATOR}/replicate-to", f"{_REPLICATOR}/replicate-to-matching", f"{_REPLICATOR}/replication-allowed"),
        "kubernetes-replicator",
    ),
    **dict.fromkeys(("kubed.appscode.com/sync", "kubed.appscode.com/sync-contexts"), "Config Syncer"),
}
"""Annotations of objects that a program copies elsewhere under their names, unless the text is `false`."""

ANNOTATIONS = (
    *(AnnotationRow("Ingress", name) for name in _SECRETS_OF_INGRESS),
    *(AnnotationRow("Ingress", name, "ConfigMap") for name in _CONFIG_MAPS_OF_INGRESS),
    *(AnnotationRow("Pod", name, target, in_pod=True) for name, target in POD_ANNOTATIONS.items()),
    # The AWS load balancer controller reads these of Services as well.
    *(
        AnnotationRow(kind, "alb.ingress.kubernetes.io/auth-idp-oidc", inside="secretName")
        for kind in ("Ingress", "Service")
    ),
    *(AnnotationRow("Service", f"haproxy.org/{name}") for name in ("server-ca", "server-crt")),
    AnnotationRow("Service", "konghq.com/client-cert"),
    # CloudNativePG reads the certificates of its plugins.
    *(AnnotationRow("Service", f"cnpg.io/{name}") for name in ("pluginClientSecret", "pluginServerSecret")),
    # cert-manager copies a certificate authority from the Secret.
    *(
        AnnotationRow(kind, "cert-manager.io/inject-ca-from-secret")
        for kind in ("APIService", "MutatingWebhookConfiguration", "ValidatingWebhookConfiguration")
    ),
    # Programs that keep a ConfigMap or Secret the same as one of its kind.
    *(
        AnnotationRow(kind, annotation, kind, copied_by=program)
        for kind in ("ConfigMap", "Secret")
        for annotation, program in (
            (f"{_REFLECTOR}/reflects", "reflector"),
            (f"{_REPLICATOR}/replicate-from", "kubernetes-replicator"),
        )
    ),
    # 1Password's operator creates the Secret.
    AnnotationRow("Deployment", "operator.1password.io/item-name", written=True),
    # OpenShift's service CA writes the certificate into a Secret of this name.
    *(
        AnnotationRow("Service", f"service.{stage}.openshift.io/serving-cert-secret-name", written=True)
        for stage in ("alpha", "beta")
    ),
)
