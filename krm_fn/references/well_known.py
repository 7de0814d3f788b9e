"""Names by which well-known programs look up a ConfigMap or Secret through the Kubernetes API.

A program that gets `argocd-cm` by name does not find `argocd-cm-5t7h9k2b4c`. The sources were read in August 2026. A
name that an application might use too counts only with a label or in a namespace of the program, as does a pattern.
Names that an operator derives from its custom resources are left out, as are names that pods only mount.
"""

from collections.abc import Iterable, Iterator, Mapping
from fnmatch import fnmatchcase
from typing import NamedTuple

from krm_fn.model.item import Item


class _Where(NamedTuple):
    """The labels an object must have (`*`: any value) and the namespaces it may be in. Empty: no condition."""

    labels: Mapping[str, str]
    namespaces: tuple[str, ...]


class WellKnown(NamedTuple):
    """A name, or a shell pattern if it has a `*`, that a program looks up. `source` is a place in its code."""

    program: str
    kind: str
    name: str
    source: str
    labels: Mapping[str, str]
    namespaces: tuple[str, ...]


def looked_up_by(item: Item, name: str, namespace: str, made: str = "") -> WellKnown | None:
    """Find the first row for a ConfigMap or Secret with this base name and namespace, literal names before patterns.

    `made`: the kind of what `item` makes, if that has the name.
    """
    kind = made or item.id.kind
    for row in _LITERALS.get((kind, name), ()):
        if _is_where_expected(item, namespace, row):
            return row
    for row in _PATTERNS.get(kind, ()):
        if _is_where_expected(item, namespace, row) and fnmatchcase(name, row.name):
            return row
    return None


def _is_where_expected(item: Item, namespace: str, row: WellKnown) -> bool:
    if row.namespaces and namespace not in row.namespaces:
        return False
    return all(label in item.labels and value in ("*", item.labels[label]) for label, value in row.labels.items())


class _Fact(NamedTuple):
    kind: str
    name: str
    place: str
    where: tuple[_Where, ...]


def _config_map(name: str, place: str, *where: _Where) -> _Fact:
    return _Fact("ConfigMap", name, place, where or (_ANYWHERE,))


def _secret(name: str, place: str, *where: _Where) -> _Fact:
    return _Fact("Secret", name, place, where or (_ANYWHERE,))


def _labelled(labels: Mapping[str, str]) -> _Where:
    return _Where(labels, ())


def _in(*namespaces: str) -> _Where:
    return _Where({}, namespaces)


def _program(program: str, repository: str, *facts: _Fact) -> Iterator[WellKnown]:
    """Yield a row for each fact and each of the places where it holds; a fact's `place` is inside the repository."""
    for fact in facts:
        for where in fact.where:
            source = f"{repository} {fact.place}"
            yield WellKnown(program, fact.kind, fact.name, source, where.labels, where.namespaces)


def may_look_up(image: str, kind: str, name: str) -> bool | None:
    """Tell whether the program of an image looks up an object of this name, wherever it may be; None if nobody knows.

    An image counts from whatever registry it is pulled.
    """
    folder, slash, last = image.partition("@")[0].rpartition("/")
    steps = f"{folder}{slash}{last.partition(':')[0]}".split("/")
    ends = ("/".join(steps[start:]) for start in range(len(steps)))
    program = next((READ_IN_FULL[end] for end in ends if end in READ_IN_FULL), None)
    if program is None:
        return None
    return any(row.program == program and row.kind == kind and fnmatchcase(name, row.name) for row in WELL_KNOWN)


_ANYWHERE = _Where({}, ())

_ARGO_CD = _labelled({"app.kubernetes.io/part-of": "argocd"})
_CLUSTER_API = _labelled({"cluster.x-k8s.io/cluster-name": "*"})
_FLEET = _in("fleet-default", "fleet-local")
_HARBOR_CHART = _labelled({"app": "harbor"})
_HELM = _labelled({"owner": "helm"})
_KNATIVE_EVENTING = (_labelled({"app.kubernetes.io/name": "knative-eventing"}), _in("knative-eventing"))
_KNATIVE_SERVING = (_labelled({"app.kubernetes.io/name": "knative-serving"}), _in("knative-serving"))
_KYVERNO = _labelled({"cert.kyverno.io/managed-by": "kyverno"})
_NGINX_INGRESS_CONTROLLER_F5 = (_labelled({"app.kubernetes.io/name": "nginx-ingress"}), _in("nginx-ingress"))
_OPENSHIFT_CONSOLE = _in("openshift-console", "openshift-config-managed")
_OPENSHIFT_KUBE_APISERVER = _in(
    "openshift-config", "openshift-config-managed", "openshift-etcd", "openshift-kube-apiserver"
)
_PROMETHEUS_OPERATOR = (
    _labelled({"app.kubernetes.io/part-of": "kube-prometheus"}),
    _labelled({"app.kubernetes.io/part-of": "kube-prometheus-stack"}),
)
_RANCHER = (_labelled({"app.kubernetes.io/part-of": "rancher"}), _in("cattle-system"))
_STRIMZI = _labelled({"strimzi.io/cluster": "*"})
_TEKTON_OPERATOR = (_labelled({"operator.tekton.dev/release": "*"}), _in("tekton-operator"))
_TEKTON_PIPELINES = (
    _labelled({"app.kubernetes.io/part-of": "tekton-pipelines"}),
    _in("tekton-pipelines", "tekton-pipelines-resolvers"),
)
_VELERO = (_labelled({"component": "velero"}), _in("velero"))
_ZALANDO_POSTGRES_OPERATOR = (_labelled({"app.kubernetes.io/name": "postgres-operator"}), _in("postgres-operator"))

WELL_KNOWN = (
    *_program(
        "Actions Runner Controller",
        "github.com/actions/actions-runner-controller",
        _config_map("gh-webhook-forwarder", "pkg/hookdeliveryforwarder/configmap/config.go (configmap-name)"),
    ),
    *_program(
        "Airflow",
        "github.com/apache/airflow",
        _config_map(
            "*-config",
            "chart/files/pod-template-file.kubernetes-helm-yaml (airflow_config)",
            _labelled({"tier": "airflow", "component": "config"}),
        ),
    ),
    *_program(
        "Amazon EKS",
        "github.com/aws/amazon-vpc-resource-controller-k8s",
        _config_map("amazon-vpc-cni", "pkg/config/type.go (VpcCniConfigMapName)"),
    ),
    *_program(
        "Amazon EKS",
        "github.com/eksctl-io/eksctl",
        _config_map("aws-auth", "pkg/authconfigmap/authconfigmap.go (ObjectName)"),
        _secret("vpc-admission-webhook-certs", "pkg/addons/vpc_controller.go:119"),
    ),
    *_program(
        "Antrea",
        "github.com/antrea-io/antrea",
        _config_map("antrea-ca", "pkg/apis/resources.go (AntreaCAConfigMapName)"),
        _config_map("antrea-cluster-identity", "pkg/clusteridentity/clusteridentity.go:32"),
        _config_map("antrea-config", "pkg/antctl/raw/supportbundle/command.go:548"),
        _config_map("antrea-ipsec-ca", "pkg/controller/certificatesigningrequest/ipsec_csr_signing_controller.go:53"),
        _config_map("antrea-mc-ca", "multicluster/cmd/multicluster-controller/controller.go (configMapName)"),
        _config_map("flow-aggregator-ca", "pkg/flowaggregator/certificate/provider.go (caConfigMapName)"),
        _config_map(
            "antrea-config*",
            "pkg/apiserver/handlers/featuregates/handler.go (antreaConfigMapName)",
            _labelled({"app": "antrea"}),
        ),
        _config_map(
            "flow-aggregator-configmap*",
            "pkg/antctl/raw/set/flowaggregator/command.go (configMapName)",
            _labelled({"app": "flow-aggregator"}),
        ),
        _secret("antrea-bgp-passwords", "pkg/agent/types/bgppolicy.go (BGPPolicySecretName)"),
        _secret("antrea-controller-tls", "pkg/apis/resources.go (AntreaControllerTLSSecretName)"),
        _secret("antrea-ipsec", "pkg/antctl/raw/check/installation/test_ipsec.go (antreaIPsecSecretName)"),
        _secret("antrea-ipsec-ca", "pkg/controller/certificatesigningrequest/ipsec_csr_signing_controller.go:219"),
        _secret("antrea-memberlist-keys", "pkg/apis/resources.go (AntreaMemberlistSecretName)"),
        _secret("antrea-packetcapture-fileserver-auth", "pkg/apis/resources.go:35"),
        _secret("flow-aggregator-ca-tls", "pkg/flowaggregator/certificate/provider.go (caSecretName)"),
        _secret("flow-aggregator-client-tls", "pkg/flowaggregator/certificate/provider.go (clientSecretName)"),
    ),
    *_program(
        "Argo CD",
        "github.com/argoproj/argo-cd",
        _config_map("argocd-app-controller-shard-cm", "controller/sharding/sharding.go:313"),
        _config_map("argocd-cm", "util/settings/settings.go (getConfigMap)"),
        _config_map("argocd-cmd-params-cm", "cmd/argocd/commands/admin/cluster.go (ArgoCDCmdParamsConfigMapName)"),
        _config_map("argocd-gpg-keys-cm", "util/settings/settings.go (ArgoCDGPGKeysConfigMapName)"),
        _config_map("argocd-notifications-cm", "cmd/argocd-notification/commands/argocd_notification.go:179"),
        _config_map("argocd-rbac-cm", "server/server.go (ArgoCDRBACConfigMapName)"),
        _config_map("argocd-ssh-known-hosts-cm", "util/settings/settings.go (ArgoCDKnownHostsConfigMapName)"),
        _config_map("argocd-tls-certs-cm", "util/settings/settings.go (ArgoCDTLSCertsConfigMapName)"),
        _config_map("argocd-*", "util/settings/settings.go (getConfigMap)", _ARGO_CD),
        _secret("argocd-initial-admin-secret", "util/settings/settings.go (initialPasswordSecretName)"),
        _secret("argocd-notifications-secret", "cmd/argocd-notification/commands/argocd_notification.go:180"),
        _secret("argocd-redis", "common/common.go (RedisInitialCredentials)"),
        _secret("argocd-secret", "util/settings/settings.go (getSecret)"),
        _secret("argocd-server-tls", "util/settings/settings.go (externalServerTLSSecretName)"),
        _secret("argocd-*", "util/settings/settings.go (getSecret)", _ARGO_CD),
    ),
    *_program(
        "Argo Events",
        "github.com/argoproj/argo-events",
        _secret("events-webhook-certs", "pkg/webhook/cmd/start.go (SecretName)"),
    ),
    *_program(
        "Argo Rollouts",
        "github.com/argoproj/argo-rollouts",
        _config_map("argo-rollouts-config", "controller/controller.go (DefaultRolloutsConfigMapName)"),
        _config_map("argo-rollouts-notification-configmap", "cmd/rollouts-controller/main.go:225"),
        _secret("argo-rollouts-notification-secret", "cmd/rollouts-controller/main.go (NotificationSecret)"),
        _secret("datadog", "metricproviders/datadog/datadog.go (DatadogTokensSecretName)", _in("argo-rollouts")),
        _secret("influxdb", "metricproviders/influxdb/influxdb.go:26", _in("argo-rollouts")),
        _secret("newrelic", "metricproviders/newrelic/newrelic.go:27", _in("argo-rollouts")),
        _secret("wavefront-api-tokens", "metricproviders/wavefront/wavefront.go (WavefrontTokensSecretName)"),
    ),
    *_program(
        "Argo Workflows",
        "github.com/argoproj/argo-workflows",
        _config_map("artifact-repositories", "workflow/artifactrepositories/artifactrepositories.go:87"),
        _config_map("workflow-controller-configmap", "cmd/workflow-controller/main.go (ConfigMapName)"),
        _secret("argo-workflows-agent-ca-certificates", "workflow/controller/agent.go:129"),
        _secret("argo-workflows-webhook-clients", "server/auth/webhook/interceptor.go:73"),
        _secret("sso", "server/auth/sso/sso.go (secretName)", _in("argo")),
    ),
    *_program(
        "Azure cloud provider",
        "github.com/kubernetes-sigs/cloud-provider-azure",
        _secret("azure-cloud-provider", "cmd/cloud-controller-manager/app/options/dynamic.go:67"),
    ),
    *_program(
        "Calico",
        "github.com/projectcalico/calico",
        _config_map("calico-config", "kube-controllers/pkg/controllers/flannelmigration/migration_controller.go:42"),
        _config_map(
            "flannel-migration-config", "kube-controllers/pkg/controllers/flannelmigration/migration_controller.go:44"
        ),
    ),
    *_program(
        "Calico (Tigera operator)",
        "github.com/tigera/operator",
        _config_map("active-operator", "pkg/active/active.go (ActiveConfigMapName)", _in("calico-system")),
        _config_map("bgp-layout", "pkg/render/node.go (BGPLayoutConfigMapName)", _in("tigera-operator")),
        _config_map("bird-templates", "pkg/controller/installation/core_controller.go:182", _in("tigera-operator")),
        _config_map("cni-config", "pkg/render/node.go (nodeCNIConfigMap)", _in("calico-system")),
        _config_map("kubernetes-services-endpoint", "pkg/controller/utils/utils.go (K8sSvcEndpointConfigMapName)"),
        _config_map("operator-bootstrap-config", "cmd/main.go (bootstrapConfigMapName)", _in("tigera-operator")),
        _config_map("tigera-ca-bundle", "pkg/tls/certificatemanagement/interface.go (TrustedCertConfigMapName)"),
        _config_map("typha-ca", "pkg/controller/installation/core_controller.go:1625", _in("tigera-operator")),
        _secret("calico-apiserver-certs", "pkg/controller/apiserver/apiserver_controller.go:119"),
        _secret("calico-webhooks-tls", "pkg/controller/apiserver/apiserver_controller.go:144"),
        _secret("goldmane-key-pair", "pkg/controller/goldmane/controller.go (GoldmaneKeyPairSecret)"),
        _secret("node-certs", "pkg/controller/installation/core_controller.go:1622", _in("tigera-operator")),
        _secret("tigera-ca-private", "pkg/tls/certificatemanagement/interface.go (CASecretName)"),
        _secret(
            "tigera-managed-cluster-connection", "pkg/controller/clusterconnection/clusterconnection_controller.go:119"
        ),
        _secret("typha-certs", "pkg/controller/installation/core_controller.go:1623", _in("tigera-operator")),
        _secret("whisker-key-pair", "pkg/controller/whisker/controller.go (WhiskerKeyPairSecret)"),
    ),
    *_program(
        "Ceph CSI",
        "github.com/ceph/ceph-csi",
        _config_map("ceph-csi-kms-config", "internal/kms/vault_tokens.go (vaultTokensDefaultConfigName)"),
        _config_map("csi-kms-connection-details", "internal/kms/kms.go (defaultKMSConfigMapName)"),
        _secret("ceph-csi-aws-credentials", "internal/kms/aws_metadata.go (awsMetadataDefaultSecretsName)"),
        _secret("ceph-csi-azure-credentials", "internal/kms/azure_vault.go (azureDefaultSecretsName)"),
        _secret("ceph-csi-kmip-credentials", "internal/kms/kmip.go (kmipDefaultSecretsName)"),
        _secret("ceph-csi-kms-token", "internal/kms/vault_tokens.go (vaultTokensDefaultTokenName)"),
        _secret("ceph-csi-kp-credentials", "internal/kms/keyprotect.go (keyProtectMetadataDefaultSecretsName)"),
    ),
    *_program(
        "cert-manager",
        "github.com/cert-manager/cert-manager",
        _secret("cert-manager-webhook-ca", "deploy/charts/cert-manager/templates/webhook-deployment.yaml:113"),
    ),
    *_program(
        "Cilium",
        "github.com/cilium/cilium",
        _config_map("cilium-config", "cilium-cli/config/config.go (defaults.ConfigMapName)"),
        _config_map("cilium-envoy-config", "cilium-cli/sysdump/sysdump.go (ciliumEnvoyConfigMapName)"),
        _config_map("cni-configuration", "cilium-cli/sysdump/defaults.go:42", _in("kube-system")),
        _config_map("hubble-relay-config", "cilium-cli/sysdump/sysdump.go (hubbleRelayConfigMapName)"),
        _config_map("spire-agent", "cilium-cli/sysdump/sysdump.go:2051", _in("cilium-spire")),
        _config_map("spire-server", "cilium-cli/sysdump/sysdump.go:2069", _in("cilium-spire")),
        _config_map("tetragon-config", "cilium-cli/sysdump/defaults.go (DefaultTetragonConfigMapName)"),
        _secret("cilium-ca", "cilium-cli/clustermesh/clustermesh.go (defaults.CASecretName)"),
        _secret("cilium-clustermesh", "cilium-cli/clustermesh/clustermesh.go (defaults.ClusterMeshSecretName)"),
        _secret("cilium-ipsec-keys", "cilium-cli/encrypt/ipsec_rotate_key.go (defaults.EncryptionSecretName)"),
        _secret("cilium-kvstoremesh", "cilium-cli/clustermesh/clustermesh.go:735"),
        _secret("clustermesh-apiserver-client-cert", "cilium-cli/clustermesh/clustermesh.go (getDeprecatedName)"),
        _secret("clustermesh-apiserver-remote-cert", "cilium-cli/clustermesh/clustermesh.go:305"),
    ),
    *_program(
        "Cilium",
        "github.com/cilium/certgen",
        _secret("clustermesh-apiserver-admin-cert", "internal/generate/generate.go (StoreAsSecret)"),
        _secret("clustermesh-apiserver-local-cert", "internal/generate/generate.go (StoreAsSecret)"),
        _secret("clustermesh-apiserver-server-cert", "internal/generate/generate.go (StoreAsSecret)"),
        _secret("hubble-relay-client-certs", "internal/generate/generate.go (StoreAsSecret)"),
        _secret("hubble-server-certs", "internal/generate/generate.go (StoreAsSecret)"),
    ),
    *_program(
        "CloudNativePG",
        "github.com/cloudnative-pg/cloudnative-pg",
        _config_map("cnpg-controller-manager-config", "internal/cmd/plugin/report/operator_objects.go:41"),
        _config_map("cnpg-default-monitoring", "api/v1/cluster_defaults.go (DefaultMonitoringConfigMapName)"),
        _secret("cnpg-ca-secret", "internal/cmd/manager/controller/controller.go (CaSecretName)"),
        _secret("cnpg-controller-manager-config", "internal/cmd/plugin/report/operator_objects.go:40"),
        _secret("cnpg-pull-secret", "internal/configuration/configuration.go (DefaultOperatorPullSecretName)"),
        _secret("cnpg-webhook-cert", "internal/cmd/manager/controller/controller.go (WebhookSecretName)"),
    ),
    *_program(
        "Cluster API",
        "github.com/kubernetes-sigs/cluster-api",
        _secret("*-ca", "util/secret/consts.go (ClusterCA)", _CLUSTER_API),
        _secret("*-etcd", "util/secret/consts.go (EtcdCA)", _CLUSTER_API),
        _secret("*-kubeconfig", "util/secret/consts.go (Kubeconfig)", _CLUSTER_API),
        _secret("*-proxy", "util/secret/consts.go (FrontProxyCA)", _CLUSTER_API),
        _secret("*-sa", "util/secret/consts.go (ServiceAccount)", _CLUSTER_API),
    ),
    *_program(
        # The paths are those of branch cluster-autoscaler-release-1.37; the main branch does not have them.
        "Cluster Autoscaler",
        "github.com/kubernetes/autoscaler",
        _config_map("cluster-autoscaler-priority-expander", "cluster-autoscaler/expander/priority/priority.go:37"),
        _config_map("cluster-autoscaler-status", "cluster-autoscaler/config/flags/flags.go (status-config-map-name)"),
    ),
    *_program(
        "Cluster Proportional Autoscaler",
        "github.com/kubernetes-sigs/cluster-proportional-autoscaler",
        _config_map("cluster-proportional-autoscaler", "cmd/cluster-proportional-autoscaler/options/options.go:127"),
    ),
    *_program(
        "Consul",
        "github.com/hashicorp/consul-k8s",
        _config_map("helm-values", "control-plane/controllers/helmvalues/helpers.go:49", _in("consul")),
    ),
    *_program(
        "Containerized Data Importer",
        "github.com/kubevirt/containerized-data-importer",
        _config_map("cdi-apiserver-signer-bundle", "pkg/operator/resources/cert/factory.go:164"),
        _config_map("cdi-config", "pkg/operator/api.go (ConfigMapName)"),
        _config_map("cdi-uploadproxy-signer-bundle", "pkg/operator/controller/route.go (uploadProxyCABundle)"),
        _config_map("cdi-uploadserver-client-signer-bundle", "cmd/cdi-controller/controller.go:98"),
        _config_map("cdi-uploadserver-signer-bundle", "cmd/cdi-controller/controller.go:97"),
        _config_map("trusted-ca-proxy-bundle-cm", "pkg/common/common.go (ImportProxyConfigMapName)"),
        _config_map("v2v-vmware", "pkg/common/common.go (VddkConfigMap)"),
        _secret("cdi-api-signing-key", "pkg/apiserver/apiserver.go (APISigningKeySecretName)"),
        _secret("cdi-apiserver-server-cert", "pkg/operator/resources/cert/factory.go:165"),
        _secret("cdi-apiserver-signer", "pkg/operator/resources/cert/factory.go:159"),
        _secret("cdi-uploadproxy-signer", "pkg/operator/resources/cert/factory.go:174"),
    ),
    *_program(
        "Contour",
        "github.com/projectcontour/contour",
        _secret("cacert", "internal/certgen/certgen.go:215", _in("projectcontour")),
        _secret("contourcert", "internal/certgen/certgen.go:166"),
        _secret("envoycert", "internal/certgen/certgen.go:175"),
    ),
    *_program(
        "CoreDNS (chart)",
        "github.com/kubernetes-sigs/cluster-proportional-autoscaler",
        _config_map("coredns-autoscaler", "pkg/autoscaler/autoscaler_server.go:161"),
    ),
    *_program(
        "Crossplane",
        "github.com/crossplane/crossplane",
        _secret("crossplane-root-ca", "internal/initializer/tls.go (RootCACertSecretName)"),
        _secret("crossplane-tls-client", "cmd/crossplane/core/init.go (TLS_CLIENT_SECRET_NAME)"),
        _secret("crossplane-tls-server", "cmd/crossplane/core/init.go (TLS_SERVER_SECRET_NAME)"),
    ),
    *_program(
        "Crunchy Postgres operator",
        "github.com/CrunchyData/postgres-operator",
        _secret("pgo-root-cacert", "internal/naming/names.go (RootCertSecret)"),
    ),
    *_program(
        "Dapr",
        "github.com/dapr/dapr",
        _config_map("dapr-trust-bundle", "pkg/sentry/server/ca/kube.go (TrustBundleK8sName)"),
        _secret("dapr-trust-bundle", "pkg/sentry/server/ca/kube.go (TrustBundleK8sName)"),
    ),
    *_program(
        "Datadog",
        "github.com/DataDog/helm-charts",
        _config_map("datadog-cluster-id", "charts/datadog/templates/orchestrator-explorer-rbac.yaml:22"),
        _config_map("datadog-custom-metrics", "charts/datadog/templates/cluster-agent-rbac.yaml:90"),
        _config_map("datadogtoken", "charts/datadog/templates/cluster-agent-rbac.yaml:77"),
    ),
    *_program(
        "Datadog",
        "github.com/DataDog/datadog-operator",
        _config_map("datadog-agent-managed-installation-intent", "pkg/fleet/managed_agent_installation_intent.go:28"),
        _config_map("datadog-agent-managed-installation-state", "pkg/fleet/managed_agent_installation_state.go:23"),
        _secret(
            "datadog-private-action-runner-identity",
            "internal/controller/datadogagent/feature/privateactionrunner/rbac.go:15",
        ),
        _secret("datadog-secret", "pkg/fleet/managed_agent_installation.go (fleetCredentialSecretName)"),
    ),
    *_program(
        "Elastic Cloud on Kubernetes",
        "github.com/elastic/cloud-on-k8s",
        _config_map("elastic-licensing", "pkg/license/license.go (LicensingCfgMapName)"),
        _config_map("elastic-operator-uuid", "pkg/about/info.go (UUIDCfgMapName)"),
        _secret("elastic-operator-webhook-cert", "pkg/controller/webhook/reconcile.go:44"),
        _secret("trial-status", "pkg/controller/common/license/trial.go (TrialStatusSecretKey)", _in("elastic-system")),
    ),
    *_program(
        "Emissary-ingress",
        "github.com/emissary-ingress/emissary",
        _secret("emissary-ingress-webhook-ca", "pkg/apiext/defaults/defaults.go (WebhookCASecretName)"),
        _secret("fallback-self-signed-cert", "cmd/entrypoint/secrets.go:275"),
    ),
    *_program(
        "External Secrets",
        "github.com/external-secrets/external-secrets",
        _secret("external-secrets-webhook", "cmd/controller/certcontroller.go (--secret-name)"),
    ),
    *_program(
        "Fleet",
        "github.com/rancher/fleet",
        _config_map("fleet-agent", "internal/config/config.go (AgentConfigName)"),
        _config_map("fleet-controller", "internal/config/config.go (ManagerConfigName)"),
        _config_map("known-hosts", "internal/ssh/knownhosts.go (KnownHostsConfigMap)", _in("cattle-fleet-system")),
        _secret("fleet-agent", "internal/cmd/agent/register/register.go (CredName)"),
        _secret("fleet-agent-bootstrap", "internal/config/config.go (AgentBootstrapConfigName)"),
        _secret("gitcredential", "internal/config/config.go (DefaultGitCredentialsSecretName)", _FLEET),
        _secret("gitjob-webhook", "pkg/webhook/webhook.go (webhookSecretName)"),
        _secret("ocistorage", "internal/config/config.go (DefaultOCIStorageSecretName)", _FLEET),
    ),
    *_program(
        "Flux",
        "github.com/fluxcd/flux2",
        _secret("flux-system", "cmd/flux/bootstrap.go (--secret-name)"),
    ),
    *_program(
        "Gatekeeper",
        "github.com/open-policy-agent/gatekeeper",
        _secret("gatekeeper-webhook-server-cert", "main.go (secretName)"),
    ),
    *_program(
        "GKE Ingress controller",
        "github.com/kubernetes/ingress-gce",
        _config_map("ingress-controller-asm-cm-config", "pkg/flags/flags.go (asm-configmap-based-config-cmname)"),
        _config_map("ingress-uid", "cmd/glbc/app/namer.go (uidConfigMapName)"),
    ),
    *_program(
        "Harbor (chart)",
        "github.com/goharbor/harbor-helm",
        _secret("*-core", "templates/core/core-secret.yaml (lookup)", _HARBOR_CHART),
        _secret("*-database", "templates/_helpers.tpl (lookup)", _HARBOR_CHART),
        _secret("*-jobservice", "templates/jobservice/jobservice-secrets.yaml (lookup)", _HARBOR_CHART),
        _secret("*-registry", "templates/registry/registry-secret.yaml (lookup)", _HARBOR_CHART),
    ),
    *_program(
        "Helm",
        "github.com/helm/helm",
        _config_map("sh.helm.release.v1.*", "pkg/storage/driver/cfgmaps.go (owner)", _HELM),
        _secret("sh.helm.release.v1.*", "pkg/storage/storage.go (HelmStorageType)", _HELM),
    ),
    *_program(
        "ingress-nginx",
        "github.com/kubernetes/ingress-nginx",
        _config_map("ingress-nginx-controller", "internal/ingress/controller/store/store.go (flag --configmap)"),
        _config_map("ingress-nginx-custom-add-headers", "internal/ingress/controller/nginx.go (cfg.AddHeaders)"),
        _config_map("ingress-nginx-custom-proxy-headers", "internal/ingress/controller/nginx.go:558"),
        _config_map("ingress-nginx-tcp", "internal/ingress/controller/controller.go (getStreamServices)"),
        _config_map("ingress-nginx-udp", "internal/ingress/controller/controller.go (getStreamServices)"),
        _config_map("nginx-configuration", "internal/ingress/controller/store/store.go", _in("ingress-nginx")),
        _config_map("tcp-services", "internal/ingress/controller/controller.go", _in("ingress-nginx")),
        _config_map("udp-services", "internal/ingress/controller/controller.go", _in("ingress-nginx")),
        _config_map(
            "*",
            "internal/ingress/controller/store/store.go (flag --configmap)",
            _labelled({"app.kubernetes.io/part-of": "ingress-nginx", "app.kubernetes.io/component": "controller"}),
        ),
        _secret("ingress-nginx-admission", "images/kube-webhook-certgen/rootfs/pkg/k8s/k8s.go:226"),
    ),
    *_program(
        "Istio",
        "github.com/istio/istio",
        _config_map("istio", "pilot/pkg/bootstrap/mesh.go (defaultMeshConfigMapName)"),
        _config_map("istio-ca-crl", "pilot/pkg/features/experimental.go (PILOT_CRL_CONFIGMAP)"),
        _config_map("istio-ca-root-cert", "pilot/pkg/features/experimental.go (PILOT_CA_CERT_CONFIGMAP)"),
        _config_map("istio-sidecar-injector", "pilot/pkg/bootstrap/sidecarinjector.go:38"),
        _config_map("istio-*", "pilot/pkg/bootstrap/mesh.go:98", _labelled({"operator.istio.io/component": "Pilot"})),
        _config_map("istio-sidecar-injector-*", "pilot/pkg/bootstrap/sidecarinjector.go:120", _in("istio-system")),
        _secret("cacerts", "security/pkg/pki/ca/ca.go (CACertsSecret)", _in("istio-system")),
        _secret("istio-ca-secret", "security/pkg/pki/ca/ca.go (CASecret)"),
        _secret(
            "istio-remote-secret-*",
            "istioctl/pkg/multicluster/remote_secret.go:83",
            _labelled({"istio/multiCluster": "true"}),
        ),
    ),
    *_program(
        "Jenkins (chart)",
        "github.com/jenkinsci/helm-charts",
        _config_map("*", "charts/jenkins/templates/_helpers.tpl:678", _labelled({"jenkins-jenkins-config": "true"})),
    ),
    *_program(
        "Jenkins X",
        "github.com/jenkins-x/jx",
        _secret("jx-basic-auth-user-password", "pkg/cmd/dashboard/dashboard.go:88"),
    ),
    *_program(
        "JupyterHub",
        "github.com/jupyterhub/zero-to-jupyterhub-k8s",
        _secret(
            "hub",
            "jupyterhub/templates/hub/_helpers-passwords.tpl (lookup)",
            _labelled({"app": "jupyterhub", "component": "hub"}),
        ),
        _secret("proxy-public-tls-acme", "images/secret-sync/acme-secret-sync.py (update_secret)"),
    ),
    *_program(
        "K3s",
        "github.com/k3s-io/k3s",
        _secret("*.node-password.k3s", "pkg/nodepassword/nodepassword.go (getSecretName)", _in("kube-system")),
    ),
    *_program(
        "kapp-controller",
        "github.com/carvel-dev/kapp-controller",
        _config_map("kapp-controller-config", "pkg/config/config.go (kcConfigName)"),
        _secret("kapp-controller-config", "pkg/config/config.go (kcConfigName)"),
    ),
    *_program(
        "Karmada",
        "github.com/karmada-io/karmada",
        _secret("karmada-kubeconfig", "pkg/controllers/certificate/cert_rotation_controller.go:61"),
    ),
    *_program(
        "Katib",
        "github.com/kubeflow/katib",
        _config_map("katib-config", "pkg/util/v1beta1/katibconfig/config.go (fromConfigMap)"),
        _config_map(
            "*",
            "pkg/controller.v1beta1/consts/const.go (LabelTrialTemplateConfigMapName)",
            _labelled({"katib.kubeflow.org/component": "trial-templates"}),
        ),
        _secret("katib-webhook-cert", "pkg/apis/config/v1beta1/defaults.go (DefaultWebhookSecretName)"),
    ),
    *_program(
        "KEDA",
        "github.com/kedacore/keda",
        _secret("kedaorg-certs", "cmd/operator/main.go (flag --cert-secret-name)"),
    ),
    *_program(
        "Knative Eventing",
        "github.com/knative/eventing",
        _config_map("config-br-defaults", "pkg/apis/config/defaults.go (DefaultsConfigName)"),
        _config_map("config-features", "pkg/apis/feature/store.go (FlagsConfigName)", *_KNATIVE_EVENTING),
        _config_map("config-imc-event-dispatcher", "pkg/reconciler/inmemorychannel/controller/config/config.go:36"),
        _config_map("config-kreference-mapping", "pkg/resolver/mapping_resolver.go (ConfigMapName)"),
        _config_map("config-ping-defaults", "pkg/apis/sources/config/ping_defaults.go (PingDefaultsConfigName)"),
        _config_map("config-sugar", "pkg/apis/sugar/store.go (ConfigName)"),
        _config_map("default-ch-webhook", "pkg/apis/messaging/config/channel_defaults.go:31"),
        _config_map(
            "kn-combined-kne-bundle*",
            "pkg/eventingtls/trust_bundle.go (TrustBundleCombined)",
            _labelled({"networking.knative.dev/trust-bundle": "true"}),
        ),
        _secret("eventing-webhook-certs", "cmd/webhook/main.go (SecretName)"),
        _secret("imc-dispatcher-server-tls", "pkg/eventingtls/eventingtls.go (IMCDispatcherServerTLSSecretName)"),
        _secret("inmemorychannel-webhook-certs", "cmd/in_memory/channel_controller/main.go (SecretName)"),
        _secret("job-sink-server-tls", "pkg/eventingtls/eventingtls.go (JobSinkDispatcherServerTLSSecretName)"),
        _secret("mt-broker-filter-server-tls", "pkg/eventingtls/eventingtls.go:57"),
        _secret("mt-broker-ingress-server-tls", "pkg/eventingtls/eventingtls.go:59"),
        _secret("request-reply-keys", "pkg/reconciler/requestreply/requestreply.go (secretName)"),
        _secret("request-reply-server-tls", "pkg/eventingtls/eventingtls.go (RequestReplyServerTLSSecretName)"),
    ),
    *_program(
        "Knative Eventing",
        "github.com/knative/pkg",
        _config_map("config-leader-election", "leaderelection/config.go:196", *_KNATIVE_EVENTING),
        _config_map("config-logging", "logging/config.go (CONFIG_LOGGING_NAME)", *_KNATIVE_EVENTING),
        _config_map("config-observability", "observability/configmap/parse.go:30", *_KNATIVE_EVENTING),
        _config_map("config-*", "configmap/informer/informed_watcher.go (InformedWatcher)", *_KNATIVE_EVENTING),
    ),
    *_program(
        "Knative Serving",
        "github.com/knative/serving",
        _config_map("config-autoscaler", "pkg/autoscaler/config/config.go (ConfigName)"),
        _config_map("config-certmanager", "pkg/reconciler/certificate/config/cert_manager.go:32", *_KNATIVE_SERVING),
        _config_map("config-defaults", "pkg/apis/config/defaults.go (DefaultsConfigName)", *_KNATIVE_SERVING),
        _config_map("config-deployment", "pkg/deployment/config.go (ConfigName)", *_KNATIVE_SERVING),
        _config_map("config-domain", "pkg/reconciler/route/config/domain.go (DomainConfigName)", *_KNATIVE_SERVING),
        _config_map("config-features", "pkg/apis/config/features.go (FeaturesConfigName)"),
        _config_map("config-gc", "pkg/gc/config.go (ConfigName)", *_KNATIVE_SERVING),
        _secret("routing-serving-certs", "pkg/activator/certificate/cache.go (ServingRoutingCertName)"),
        _secret("webhook-certs", "cmd/webhook/main.go (SecretName)", *_KNATIVE_SERVING),
    ),
    *_program(
        "Knative Serving",
        "github.com/knative/networking",
        _config_map("config-network", "pkg/config/config.go (ConfigMapName)", *_KNATIVE_SERVING),
    ),
    *_program(
        "Knative Serving",
        "github.com/knative/pkg",
        _config_map("config-leader-election", "leaderelection/config.go:196", *_KNATIVE_SERVING),
        _config_map("config-logging", "logging/config.go (CONFIG_LOGGING_NAME)", *_KNATIVE_SERVING),
        _config_map("config-observability", "observability/configmap/parse.go:30", *_KNATIVE_SERVING),
        _config_map("config-*", "configmap/informer/informed_watcher.go (InformedWatcher)", *_KNATIVE_SERVING),
    ),
    *_program(
        "KServe",
        "github.com/kserve/kserve",
        _config_map("inferenceservice-config", "pkg/constants/constants.go (InferenceServiceConfigMapName)"),
    ),
    *_program(
        "Kube-OVN",
        "github.com/kubeovn/kube-ovn",
        _config_map("ovn-external-gw-config", "pkg/util/const.go (ExternalGatewayConfig)"),
        _config_map("ovn-ic-config", "pkg/util/const.go (InterconnectionConfig)"),
        _config_map("ovn-vpc-nat-config", "pkg/util/const.go (VpcNatConfig)"),
        _config_map("ovn-vpc-nat-gw-config", "pkg/util/const.go (VpcNatGatewayConfig)"),
        _config_map("vpc-dns-config", "pkg/util/const.go (VpcDNSConfig)"),
        _secret("kube-ovn-tls", "pkg/controller/kube_ovn_tls.go (kubeOVNTLSSecretName)"),
        _secret("ovn-ipsec-ca", "pkg/util/const.go (DefaultOVNIPSecCA)"),
    ),
    *_program(
        "kube-vip",
        "github.com/kube-vip/kube-vip-cloud-provider",
        _config_map("kubevip", "pkg/provider/provider.go (KubeVipClientConfig)"),
    ),
    *_program(
        "kube-vip",
        "github.com/kube-vip/kube-vip",
        _secret("wireguard", "pkg/manager/worker/wireguard.go:56", _in("kube-system")),
    ),
    *_program(
        "KubeEdge",
        "github.com/kubeedge/kubeedge",
        _config_map("cloudcore", "common/constants/default.go (CloudConfigMapName)"),
        _config_map("tunnelport", "cloud/pkg/common/modules/modules.go (TunnelPort)", _in("kubeedge")),
        _secret("casecret", "cloud/pkg/cloudhub/servers/httpserver/pre_server.go (CaSecretName)", _in("kubeedge")),
        _secret("cloudcoresecret", "cloud/pkg/cloudhub/servers/httpserver/pre_server.go (CloudCoreSecretName)"),
        _secret("tokensecret", "cloud/pkg/cloudhub/servers/httpserver/pre_server.go:39", _in("kubeedge")),
    ),
    *_program(
        "Kubeflow Model Registry",
        "github.com/kubeflow/model-registry",
        _config_map("model-catalog-sources", "clients/ui/bff/internal/integrations/kubernetes/client.go:15"),
        _config_map("default-catalog-sources", "clients/ui/bff/internal/integrations/kubernetes/client.go:16"),
        _config_map("model-catalog-default-sources", "manifests of 2025: the former name of default-catalog-sources"),
    ),
    *_program(
        "Kubeflow Pipelines",
        "github.com/kubeflow/pipelines",
        _config_map("kfp-launcher", "backend/src/v2/config/env.go (configMapName)"),
        _config_map(
            "metadata-grpc-configmap",
            "manifests/kustomize/base/installs/multi-user/pipelines-profile-controller/sync.py:293",
        ),
        _secret("kfp-mlflow-credentials", "backend/src/common/plugins/mlflow/config.go (CredentialSecretName)"),
        _secret("mlpipeline-minio-artifact", "backend/src/v2/config/env.go (minioArtifactSecretName)"),
        _secret("webhook-server-tls", "backend/src/cache/deployer/deploy-cache-service.sh:73", _in("kubeflow")),
    ),
    *_program(
        "Kubeflow Trainer",
        "github.com/kubeflow/training-operator",
        _secret("kubeflow-trainer-webhook-cert", "cmd/trainer-controller-manager/main.go (webhook-secret-name)"),
    ),
    *_program(
        "Kubernetes",
        "github.com/kubernetes/kubernetes",
        _config_map("cluster-info", "pkg/controller/bootstrap/bootstrapsigner.go", _in("kube-public")),
        _config_map("coredns", "cmd/kubeadm/app/constants/constants.go (CoreDNSConfigMap)"),
        _config_map("extension-apiserver-authentication", "pkg/controlplane/controller/clusterauthenticationtrust"),
        _config_map("kube-proxy", "cmd/kubeadm/app/constants/constants.go (KubeProxyConfigMap)"),
        _config_map("kube-root-ca.crt", "pkg/controller/certificates/rootcacertpublisher/publisher.go"),
        _config_map("kubeadm-config", "cmd/kubeadm/app/constants/constants.go (KubeadmConfigConfigMap)"),
        _config_map("kubelet-config", "cmd/kubeadm/app/constants/constants.go (KubeletBaseConfigurationConfigMap)"),
        _secret("kubeadm-certs", "cmd/kubeadm/app/constants/constants.go (KubeadmCertsSecret)"),
    ),
    *_program(
        "Kubernetes Dashboard",
        "github.com/kubernetes/dashboard",
        _config_map("kubernetes-dashboard-settings", "modules/web/pkg/args/args.go (settings-config-map-name)"),
        _config_map("kubernetes-dashboard-web-settings", "modules/web/pkg/args/args.go (settings-config-map-name)"),
    ),
    *_program(
        "KubeVela",
        "github.com/kubevela/kubevela",
        _config_map("vela-addon-registry", "pkg/addon/registry.go (registryConfigMapName)"),
        _config_map("vela-cluster-identity", "pkg/definition/defkit/placement/types.go:22"),
        _config_map("config-template-*", "pkg/config/factory.go (TemplateConfigMapNamePrefix)", _in("vela-system")),
        _secret("addon-registry-*", "pkg/addon/registry.go (tokenSecretNamePrefix)", _in("vela-system")),
    ),
    *_program(
        "KubeVirt",
        "github.com/kubevirt/kubevirt",
        _config_map("kubevirt-backup-ca", "pkg/storage/export/export/backup-source.go (KubeVirtBackupCASecretName)"),
        _config_map("kubevirt-ca", "cmd/virt-handler/virt-handler.go (defaultCAConfigMapName)"),
        _config_map("kubevirt-export-ca", "pkg/storage/export/export/links.go (KubeVirtExportCASecretName)"),
        _config_map("kubevirt-external-ca", "pkg/virt-operator/resource/generate/components/secrets.go:27"),
        _config_map("kubevirt-vm-labels-config", "pkg/monitoring/metrics/common/labels/labels_config.go:42"),
        _secret("kubevirt-backup-ca", "pkg/virt-operator/resource/generate/components/secrets.go:29"),
        _secret("kubevirt-ca", "pkg/virt-operator/resource/generate/components/secrets.go:26"),
        _secret("kubevirt-export-ca", "pkg/virt-operator/resource/generate/components/secrets.go:28"),
        _secret("kubevirt-*-certs", "pkg/virt-operator/resource/generate/components/secrets.go:30", _in("kubevirt")),
    ),
    *_program(
        "Kueue",
        "github.com/kubernetes-sigs/kueue",
        _secret("kueue-webhook-server-cert", "apis/config/v1beta2/defaults.go (DefaultWebhookSecretName)"),
    ),
    *_program(
        "Kyverno",
        "github.com/kyverno/kyverno",
        _config_map("kyverno", "pkg/config/config.go (INIT_CONFIG)"),
        _config_map("kyverno-metrics", "pkg/config/config.go (METRICS_CONFIG)"),
        _secret("kyverno-cleanup-controller.kyverno.svc.kyverno-tls-ca", "cmd/cleanup-controller/main.go:170"),
        _secret("kyverno-cleanup-controller.kyverno.svc.kyverno-tls-pair", "cmd/cleanup-controller/main.go:444"),
        _secret("kyverno-svc.kyverno.svc.kyverno-tls-ca", "pkg/tls/renewer.go (getSecret)"),
        _secret("kyverno-svc.kyverno.svc.kyverno-tls-pair", "pkg/tls/renewer.go (getSecret)"),
        _secret("*.metering.kyverno-tls-ca", "cmd/internal/metrics.go (flag --metricsCASecretName)", _KYVERNO),
        _secret("*.metering.kyverno-tls-pair", "cmd/internal/metrics.go (flag --metricsTLSSecretName)", _KYVERNO),
    ),
    *_program(
        "Linkerd",
        "github.com/linkerd/linkerd2",
        _config_map("linkerd-cni-config", "pkg/healthcheck/healthcheck.go (linkerdCNIConfigMapName)"),
        _config_map("linkerd-config", "pkg/config/config.go (ConfigConfigMapName)"),
        _config_map("linkerd-identity-trust-roots", "pkg/healthcheck/healthcheck.go (FetchTrustBundle)"),
        _config_map(
            "prometheus-config", "viz/pkg/healthcheck/healthcheck.go:289", _labelled({"linkerd.io/extension": "viz"})
        ),
        _secret("linkerd-config-overrides", "cli/cmd/upgrade.go:272"),
        _secret("linkerd-identity-issuer", "pkg/issuercerts/issuercerts.go (IdentityIssuerSecretName)"),
        _secret("linkerd-policy-validator-k8s-tls", "pkg/healthcheck/healthcheck.go:1159"),
        _secret("linkerd-proxy-injector-k8s-tls", "pkg/healthcheck/healthcheck.go (proxyInjectorTLSSecretName)"),
        _secret("linkerd-proxy-injector-tls", "pkg/healthcheck/healthcheck.go (proxyInjectorOldTLSSecretName)"),
        _secret("linkerd-sp-validator-k8s-tls", "pkg/healthcheck/healthcheck.go (spValidatorTLSSecretName)"),
        _secret("linkerd-sp-validator-tls", "pkg/healthcheck/healthcheck.go (spValidatorOldTLSSecretName)"),
        _secret("tap-k8s-tls", "viz/pkg/healthcheck/healthcheck.go (tapTLSSecretName)"),
    ),
    *_program(
        "Longhorn",
        "github.com/longhorn/longhorn-manager",
        _config_map("longhorn-default-resource", "types/types.go (DefaultDefaultResourceConfigMapName)"),
        _config_map("longhorn-default-setting", "types/types.go (DefaultDefaultSettingConfigMapName)"),
        _config_map("longhorn-storageclass", "types/types.go (DefaultStorageClassConfigMapName)"),
        _config_map("recovery-backend-*", "types/types.go (GetConfigMapNameFromHostname)", _in("longhorn-system")),
        _secret("longhorn-grpc-tls", "types/types.go (TLSSecretName)"),
        _secret("longhorn-webhook-ca", "types/webhook.go (CaName)"),
        _secret("longhorn-webhook-tls", "types/webhook.go (CertName)"),
    ),
    *_program(
        "MetalLB",
        "github.com/metallb/metallb",
        _config_map("bgpextras", "internal/k8s/controllers/config_controller.go (bgpExtrasConfigName)"),
        _secret("metallb-memberlist", "controller/main.go (METALLB_ML_SECRET_NAME)"),
        _secret("metallb-webhook-cert", "controller/main.go (flag --webhook-secret)"),
    ),
    *_program(
        "MetalLB",
        "github.com/metallb/frr-k8s",
        _secret("frr-k8s-webhook-server-cert", "cmd/statuscleaner/main.go (webhookSecretName)"),
    ),
    *_program(
        "MinIO operator",
        "github.com/minio/operator",
        _secret("minio-prom-additional-scrape-config", "pkg/apis/minio.min.io/v2/constants.go:222"),
        _secret("sts-tls", "pkg/controller/sts.go (STSTLSSecretName)", _in("minio-operator")),
        _secret("operator-ca-tls*", "pkg/controller/operator.go (OperatorCATLSSecretName)", _in("minio-operator")),
    ),
    *_program(
        "NGINX Ingress Controller (F5)",
        "github.com/nginx/kubernetes-ingress",
        _config_map("nginx-config", "deployments/deployment/nginx-ingress.yaml:93", _in("nginx-ingress")),
        _config_map("nginx-config-mgmt", "deployments/deployment/nginx-plus-ingress.yaml:97", _in("nginx-ingress")),
        _config_map("nginx-ingress", "charts/nginx-ingress/templates/_helpers.tpl:317", *_NGINX_INGRESS_CONTROLLER_F5),
        _secret("default-server-secret", "deployments/deployment/nginx-ingress.yaml:96", _in("nginx-ingress")),
    ),
    *_program(
        "NVIDIA GPU operator",
        "github.com/NVIDIA/gpu-operator",
        _config_map("gpu-operator-trusted-ca", "controllers/object_controls.go (TrustedCAConfigMapName)"),
    ),
    *_program(
        "OPA kube-mgmt",
        "github.com/open-policy-agent/kube-mgmt",
        _config_map("*", "cmd/kube-mgmt/main.go (policy-label)", _labelled({"openpolicyagent.org/policy": "rego"})),
        _config_map("*", "cmd/kube-mgmt/main.go (data-label)", _labelled({"openpolicyagent.org/data": "opa"})),
    ),
    *_program(
        "Open Cluster Management",
        "github.com/open-cluster-management-io/ocm",
        _config_map("ca-bundle-configmap", "pkg/operator/helpers/queuekey.go:48", _in("open-cluster-management-hub")),
        _config_map("ocm-tls-profile", "pkg/common/options/options.go:149"),
        _secret("addon-webhook-serving-cert", "pkg/operator/helpers/queuekey.go (AddonWebhookSecret)"),
        _secret("bootstrap-hub-kubeconfig", "pkg/operator/helpers/queuekey.go (BootstrapHubKubeConfig)"),
        _secret("cluster-import-config", "pkg/registration/hub/importer/importer.go (clusterImportConfigSecret)"),
        _secret("external-hub-kubeconfig", "pkg/operator/helpers/queuekey.go (ExternalHubKubeConfig)"),
        _secret("external-managed-kubeconfig", "pkg/operator/helpers/queuekey.go (ExternalManagedKubeConfig)"),
        _secret("external-managed-kubeconfig-agent", "pkg/operator/helpers/queuekey.go:38"),
        _secret("external-managed-kubeconfig-registration", "pkg/operator/helpers/queuekey.go:32"),
        _secret("external-managed-kubeconfig-work", "pkg/operator/helpers/queuekey.go:35"),
        _secret("grpc-server-serving-cert", "pkg/operator/helpers/queuekey.go:50", _in("open-cluster-management-hub")),
        _secret("hub-kubeconfig-secret", "pkg/operator/helpers/queuekey.go (HubKubeConfig)"),
        _secret("open-cluster-management-image-pull-credentials", "pkg/operator/helpers/helpers.go:76"),
        _secret("registration-webhook-serving-cert", "pkg/operator/helpers/queuekey.go:40"),
        _secret("signer-secret", "pkg/operator/helpers/queuekey.go (SignerSecret)", _in("open-cluster-management-hub")),
        _secret("work-driver-config", "pkg/operator/helpers/helpers.go (WorkDriverConfigSecret)"),
        _secret("work-webhook-serving-cert", "pkg/operator/helpers/queuekey.go (WorkWebhookSecret)"),
    ),
    *_program(
        "OpenCost",
        "github.com/opencost/opencost",
        _config_map("metrics-config", "pkg/env/costmodelenv.go:251", _in("opencost")),
        _config_map("pricing-configs", "pkg/env/costmodelenv.go:247"),
    ),
    *_program(
        "OpenFaaS",
        "github.com/openfaas/faas-netes",
        _secret("*", "pkg/k8s/secrets.go (secretLabel)", _labelled({"app.kubernetes.io/managed-by": "openfaas"})),
    ),
    *_program(
        "OpenKruise",
        "github.com/openkruise/kruise",
        _config_map("kruise-configuration", "pkg/util/configuration/configuration.go (KruiseConfigurationName)"),
        _secret("kruise-webhook-certs", "pkg/webhook/util/util.go:41"),
    ),
    *_program(
        "OpenShift console",
        "github.com/openshift/console-operator",
        _config_map("console-config", "pkg/api/api.go (OpenShiftConsoleConfigMapName)", _OPENSHIFT_CONSOLE),
        _config_map("console-public", "pkg/api/api.go:31", _in("openshift-config-managed")),
        _config_map("default-ingress-cert", "pkg/api/api.go (DefaultIngressCertConfigMapName)", _OPENSHIFT_CONSOLE),
        _config_map("monitoring-shared-config", "pkg/api/api.go:33", _in("openshift-config-managed")),
        _config_map("oauth-serving-cert", "pkg/api/api.go (OAuthServingCertConfigMapName)", _OPENSHIFT_CONSOLE),
        _config_map("trusted-ca-bundle", "pkg/api/api.go (TrustedCAConfigMapName)", _in("openshift-console")),
        _secret(
            "console-oauth-config",
            "pkg/console/controllers/oauthclientsecret/oauthclientsecret.go:99",
            _in("openshift-console"),
        ),
        _secret("session-secret", "pkg/api/api.go (SessionSecretName)", _OPENSHIFT_CONSOLE),
    ),
    *_program(
        "OpenShift kube-apiserver",
        "github.com/openshift/cluster-kube-apiserver-operator",
        _config_map("csr-controller-ca", "pkg/operator/resourcesynccontroller", _OPENSHIFT_KUBE_APISERVER),
        _config_map("etcd-serving-ca", "pkg/operator/resourcesynccontroller", _OPENSHIFT_KUBE_APISERVER),
        _config_map("initial-sa-token-signing-certs", "pkg/operator/resourcesynccontroller", _OPENSHIFT_KUBE_APISERVER),
        _config_map(
            "kube-apiserver-aggregator-client-ca", "pkg/operator/resourcesynccontroller", _OPENSHIFT_KUBE_APISERVER
        ),
        _config_map("kube-apiserver-client-ca", "pkg/operator/resourcesynccontroller", _OPENSHIFT_KUBE_APISERVER),
        _secret("etcd-client", "pkg/operator/resourcesynccontroller", _OPENSHIFT_KUBE_APISERVER),
    ),
    *_program(
        "OpenShift library-go",
        "github.com/openshift/library-go",
        _config_map("bootstrap", "pkg/operator/bootstrap/bootstrap.go:25", _in("kube-system")),
        _config_map(
            "etcd-endpoints", "pkg/operator/configobserver/etcd/observe_etcd_endpoints.go:18", _in("openshift-etcd")
        ),
        _config_map(
            "kube-cloud-config",
            "pkg/operator/configobserver/cloudprovider/observe_cloudprovider.go:16",
            _in("openshift-config-managed"),
        ),
        _config_map("unsupported-cert-rotation-config", "pkg/operator/certrotation/config.go:19"),
    ),
    *_program(
        "OpenShift monitoring",
        "github.com/openshift/cluster-monitoring-operator",
        _config_map("alertmanager-trusted-ca-bundle", "pkg/operator/operator.go:166", _in("openshift-monitoring")),
        _config_map("cluster-monitoring-config", "cmd/operator/main.go (configmap)"),
        _config_map("kubelet-serving-ca", "pkg/operator/operator.go:164", _in("openshift-config-managed")),
        _config_map("telemeter-trusted-ca-bundle", "pkg/operator/operator.go:165", _in("openshift-monitoring")),
        _config_map("user-workload-monitoring-config", "cmd/operator/main.go (userWorkloadConfigMapName)"),
        _secret("alert-relabel-configs", "pkg/alert/relabel_controller.go (secretName)", _in("openshift-monitoring")),
        _secret("federate-client-certs", "pkg/operator/operator.go:523", _in("openshift-monitoring")),
        _secret("metrics-client-certs", "pkg/operator/operator.go:499", _in("openshift-monitoring")),
    ),
    *_program(
        "OpenShift network",
        "github.com/openshift/cluster-network-operator",
        _config_map("cluster-config-v1", "pkg/controller/proxyconfig/controller.go:205", _in("kube-system")),
        _config_map("cni-sysctl-allowlist", "pkg/names/names.go (AllowlistConfigName)"),
        _config_map("gateway-mode-config", "pkg/network/ovn_kubernetes.go:1400", _in("openshift-network-operator")),
        _config_map("hardware-offload-config", "pkg/network/ovn_kubernetes.go:1038", _in("openshift-network-operator")),
        _config_map("mtu", "pkg/util/util.go (MTU_CM_NAME)", _in("openshift-network-operator")),
        _config_map("openshift-service-ca.crt", "pkg/hypershift/hypershift.go:108"),
        _config_map("ovn-kubernetes-config-overrides", "pkg/network/ovn_kubernetes.go:79"),
        _config_map("ovs-flows-config", "pkg/network/ovn_kubernetes.go:78", _in("openshift-network-operator")),
        _config_map("trusted-ca-bundle", "pkg/names/names.go:124", _in("openshift-config-managed")),
        _config_map("applied-*", "pkg/names/names.go (APPLIED_PREFIX)", _in("openshift-network-operator")),
        _secret("signer-ca", "pkg/controller/signer/signer-controller.go:160", _in("openshift-ovn-kubernetes")),
    ),
    *_program(
        "OpenTelemetry operator",
        "github.com/open-telemetry/opentelemetry-operator",
        _config_map(
            "opentelemetry-collector",
            "internal/openshift/dashboards/dashboards.go (configMapName)",
            _in("openshift-config-managed"),
        ),
        _config_map("serving-certs-ca-bundle", "internal/operator-metrics/metrics.go:31", _in("openshift-monitoring")),
    ),
    *_program(
        "Percona operator for MongoDB",
        "github.com/percona/percona-server-mongodb-operator",
        _secret("percona-server-mongodb-users", "pkg/apis/psmdb/v1/psmdb_defaults.go (defaultUsersSecretName)"),
    ),
    *_program(
        "Prometheus operator",
        "github.com/prometheus-operator/prometheus-operator",
        _secret("alertmanager-*", "pkg/alertmanager/operator.go (loadConfigurationFromSecret)", *_PROMETHEUS_OPERATOR),
    ),
    *_program(
        "Rancher",
        "github.com/rancher/rancher",
        _config_map(
            "full-cluster-state", "pkg/controllers/management/certsexpiration/certsexpiration.go:25", _in("kube-system")
        ),
        _config_map("rancher-config", "pkg/controllers/dashboard/chart/chart.go (CustomValueMapName)", *_RANCHER),
        _secret("api-extension", "pkg/ext/rdp.go (apiExtSecretName)", _in("cattle-system")),
        _secret("api-extension-ca-name", "pkg/ext/rdp.go (certSecretName)", _in("cattle-system")),
        _secret("azuread-access-token", "pkg/auth/providers/azure/clients/ms_graph_client.go:34"),
        _secret("bootstrap-secret", "pkg/data/management/bootstrap_password.go:17", _in("cattle-system")),
        _secret(
            "full-cluster-state", "pkg/controllers/management/certsexpiration/certsexpiration.go:26", _in("kube-system")
        ),
        _secret("oidc-signing-key", "pkg/oidc/provider/jwks.go (keySecretName)", _in("cattle-system")),
        _secret("stv-aggregation", "pkg/controllers/managementuser/cavalidator/cavalidator.go:27"),
        _secret("tls-additional", "pkg/controllers/capr/machineprovision/controller.go:859", _in("cattle-system")),
        _secret("tls-ca-additional", "pkg/controllers/dashboard/hostedcluster/controller.go:253", _in("cattle-system")),
        _secret("tls-rancher", "pkg/tls/tls.go:288"),
        _secret("tls-rancher-internal", "pkg/tls/tls.go:115"),
        _secret("tls-rancher-internal-ca", "pkg/tls/tls.go:112"),
        _secret("cattle-credentials-*", "pkg/agent/clean/credentials.go (cattle-credentials-)", _in("cattle-system")),
    ),
    *_program(
        "Rook",
        "github.com/rook/rook",
        _config_map("osd-migration-config", "pkg/operator/ceph/cluster/osd/migrate.go (OSDMigrationConfigName)"),
        _config_map("rook-ceph-csi-config", "pkg/operator/ceph/csi/config.go (ConfigName)"),
        _config_map("rook-ceph-csi-mapping-config", "pkg/operator/ceph/csi/peermap/config.go (mappingConfigName)"),
        _config_map("rook-ceph-mon-endpoints", "pkg/operator/ceph/controller/cluster_info.go:59"),
        _config_map("rook-ceph-operator-config", "pkg/operator/k8sutil/configmap.go:86"),
        _config_map("rook-ceph-osd-env-override", "pkg/operator/ceph/cluster/osd/envs.go (osdConfigMapOverrideName)"),
        _config_map("rook-ceph-pdbstatemap", "pkg/operator/ceph/disruption/clusterdisruption/reconcile.go:43"),
        _config_map("rook-config-override", "pkg/operator/k8sutil/pod.go (ConfigOverrideName)"),
        _config_map("local-device-*", "pkg/daemon/discover/discover.go (LocalDiskCMName)", _in("rook-ceph")),
        _config_map("rook-config-override-*", "pkg/operator/ceph/cluster/osd/spec.go:137", _in("rook-ceph")),
        _secret("rgw-admin-ops-user", "pkg/operator/ceph/object/admin.go (RGWAdminOpsUserSecretName)"),
        _secret("rook-ceph-config", "pkg/operator/ceph/config/store.go (StoreName)"),
        _secret("rook-ceph-dashboard-password", "pkg/operator/ceph/cluster/mgr/dashboard.go:47"),
        _secret("rook-ceph-mon", "pkg/operator/ceph/controller/cluster_info.go (AppName)"),
        _secret("rook-ceph-operator-creds", "pkg/operator/ceph/controller/cluster_info.go (OperatorCreds)"),
        _secret("rook-csi-cephfs-node", "pkg/operator/ceph/csi/secrets.go (CsiCephFSNodeSecret)"),
        _secret("rook-csi-cephfs-provisioner", "pkg/operator/ceph/csi/secrets.go (CsiCephFSProvisionerSecret)"),
        _secret("rook-csi-rbd-node", "pkg/operator/ceph/csi/secrets.go (CsiRBDNodeSecret)"),
        _secret("rook-csi-rbd-provisioner", "pkg/operator/ceph/csi/secrets.go (CsiRBDProvisionerSecret)"),
    ),
    *_program(
        "Sealed Secrets",
        "github.com/bitnami-labs/sealed-secrets",
        _secret("sealed-secrets-key", "cmd/controller/main.go (key-prefix)"),
        _secret(
            "sealed-secrets-key*",
            "pkg/controller/keys.go (GenerateName)",
            _labelled({"sealedsecrets.bitnami.com/sealed-secrets-key": "active"}),
        ),
    ),
    *_program(
        "Seldon Core",
        "github.com/SeldonIO/seldon-core",
        _config_map("seldon-agent", "scheduler/pkg/agent/config/config.go (ConfigMapName)"),
        _config_map("seldon-scaling", "scheduler/pkg/scaling/config/config.go (ConfigMapName)"),
    ),
    *_program(
        "Spark operator",
        "github.com/kubeflow/spark-operator",
        _secret("spark-operator-webhook-certs", "cmd/operator/webhook/start.go (webhook-secret-name)"),
    ),
    *_program(
        "SPIRE",
        "github.com/spiffe/spire",
        _config_map("spire-bundle", "pkg/server/plugin/notifier/k8sbundle/k8sbundle.go:44"),
    ),
    *_program(
        "SR-IOV network operator",
        "github.com/k8snetworkplumbingwg/sriov-network-operator",
        _config_map(
            "device-plugin-config",
            "pkg/consts/constants.go (ConfigMapName)",
            _in("sriov-network-operator", "openshift-sriov-network-operator"),
        ),
        _config_map("supported-nic-ids", "api/v1/helper.go (SupportedNicIDConfigmap)"),
    ),
    *_program(
        "Strimzi",
        "github.com/strimzi/strimzi-kafka-operator",
        _secret("*-clients-ca", "api/src/main/java/io/strimzi/api/kafka/model/kafka/KafkaResources.java:49", _STRIMZI),
        _secret(
            "*-clients-ca-cert", "api/src/main/java/io/strimzi/api/kafka/model/kafka/KafkaResources.java:40", _STRIMZI
        ),
        _secret("*-cluster-ca", "api/src/main/java/io/strimzi/api/kafka/model/kafka/KafkaResources.java:31", _STRIMZI),
        _secret(
            "*-cluster-ca-cert", "api/src/main/java/io/strimzi/api/kafka/model/kafka/KafkaResources.java:22", _STRIMZI
        ),
    ),
    *_program(
        "Strimzi Drain Cleaner",
        "github.com/strimzi/drain-cleaner",
        _secret("strimzi-drain-cleaner", "src/main/resources/application.properties:15"),
    ),
    *_program(
        "Submariner",
        "github.com/submariner-io/submariner-operator",
        _config_map(
            "dns-default", "controllers/servicediscovery/servicediscovery_controller.go:71", _in("openshift-dns")
        ),
        _config_map("submariner-clustersetip-info", "pkg/discovery/clustersetip/config_map.go:37"),
        _config_map("submariner-globalnet-info", "pkg/discovery/globalnet/config_map.go (globalCIDRConfigMapName)"),
    ),
    *_program(
        "Tekton operator",
        "github.com/tektoncd/operator",
        _config_map("config-logging", "config/kubernetes/base/webhook.yaml (CONFIG_LOGGING_NAME)", *_TEKTON_OPERATOR),
        _config_map("pipelines-as-code", "pkg/reconciler/shared/tektonconfig/upgrade/pre_upgrade.go:242"),
        _config_map("tekton-config-observability", "config/kubernetes/base/operator.yaml:62"),
        _config_map("tekton-operator-controller-config-leader-election", "config/kubernetes/base/operator.yaml:64"),
        _config_map("tekton-operator-webhook-config-leader-election", "config/kubernetes/base/webhook.yaml:51"),
        _config_map("tekton-pruner-default-spec", "pkg/reconciler/shared/tektonconfig/upgrade/pre_upgrade.go:137"),
        _secret("proxy-webhook-certs", "cmd/kubernetes/proxy-webhook/main.go (WEBHOOK_SECRET_NAME)"),
        _secret("tekton-operator-webhook-certs", "cmd/kubernetes/webhook/main.go (WEBHOOK_SECRET_NAME)"),
        _secret("tekton-results-postgres", "pkg/reconciler/kubernetes/tektonresult/tektonresult.go:55"),
        _secret("tekton-results-tls", "pkg/reconciler/kubernetes/tektonresult/tektonresult.go (TlsSecretName)"),
    ),
    *_program(
        "Tekton Pipelines",
        "github.com/tektoncd/pipeline",
        _config_map("bundleresolver-config", "pkg/resolution/resolver/bundle/resolver.go (ConfigMapName)"),
        _config_map("cluster-resolver-config", "pkg/resolution/resolver/cluster/resolver.go (ConfigMapName)"),
        _config_map("config-defaults", "pkg/apis/config/default.go (CONFIG_DEFAULTS_NAME)", *_TEKTON_PIPELINES),
        _config_map("config-events", "pkg/apis/config/events.go (CONFIG_EVENTS_NAME)", *_TEKTON_PIPELINES),
        _config_map("config-leader-election-controller", "config/controller.yaml (CONFIG_LEADERELECTION_NAME)"),
        _config_map("config-leader-election-events", "config/events.yaml (CONFIG_LEADERELECTION_NAME)"),
        _config_map("config-leader-election-resolvers", "config/resolvers/resolvers-deployment.yaml:112"),
        _config_map("config-leader-election-webhook", "config/webhook.yaml (CONFIG_LEADERELECTION_NAME)"),
        _config_map("config-observability", "pkg/apis/config/metrics_tls.go:15", *_TEKTON_PIPELINES),
        _config_map("config-spire", "pkg/apis/config/spire_config.go (SpireConfigMapName)", *_TEKTON_PIPELINES),
        _config_map("config-tracing", "pkg/apis/config/tracing.go (CONFIG_TRACING_NAME)", *_TEKTON_PIPELINES),
        _config_map("config-wait-exponential-backoff", "pkg/apis/config/wait_exponential_backoff.go:75"),
        _config_map("feature-flags", "pkg/apis/config/feature_flags.go:252", *_TEKTON_PIPELINES),
        _config_map("git-resolver-config", "pkg/resolution/resolver/git/resolver.go (ConfigMapName)"),
        _config_map("http-resolver-config", "pkg/remoteresolution/resolver/http/resolver.go (configMapName)"),
        _config_map("hubresolver-config", "pkg/remoteresolution/resolver/hub/resolver.go (configMapName)"),
        _config_map("resolver-cache-config", "pkg/remoteresolution/resolver/framework/cache/configstore.go:36"),
        _config_map("resolvers-feature-flags", "pkg/apis/config/resolver/feature_flags.go:67"),
        _secret("webhook-certs", "config/webhook.yaml (WEBHOOK_SECRET_NAME)", *_TEKTON_PIPELINES),
    ),
    *_program(
        "Tekton Pipelines",
        "github.com/knative/pkg",
        _config_map("config-logging", "logging/config.go (CONFIG_LOGGING_NAME)", *_TEKTON_PIPELINES),
        _config_map("config-*", "configmap/informer/informed_watcher.go (InformedWatcher)", *_TEKTON_PIPELINES),
    ),
    *_program(
        "Tekton Triggers",
        "github.com/tektoncd/triggers",
        _config_map("config-defaults-triggers", "pkg/apis/config/default.go (CONFIG_DEFAULTS_NAME)"),
        _config_map("config-leader-election-triggers-controller", "config/controller.yaml"),
        _config_map("config-leader-election-triggers-controllers", "config/controller.yaml:125"),
        _config_map("config-leader-election-triggers-webhook", "config/webhook.yaml (CONFIG_LEADERELECTION_NAME)"),
        _config_map("config-logging-triggers", "config/controller.yaml (CONFIG_LOGGING_NAME)"),
        _config_map("config-observability-triggers", "config/controller.yaml (CONFIG_OBSERVABILITY_NAME)"),
        _config_map("feature-flags-triggers", "pkg/apis/config/feature_flags.go (CONFIG_FEATURE_FLAGS_NAME)"),
        _secret("tekton-triggers-core-interceptors-certs", "config/interceptors/core-interceptors-deployment.yaml:74"),
        _secret("triggers-webhook-certs", "config/webhook.yaml (WEBHOOK_SECRET_NAME)"),
    ),
    *_program(
        "Trivy operator",
        "github.com/aquasecurity/trivy-operator",
        _config_map("trivy-operator", "pkg/trivyoperator/constants.go (ConfigMapName)"),
        _config_map("trivy-operator-policies-config", "pkg/trivyoperator/constants.go (PoliciesConfigMapName)"),
        _config_map("trivy-operator-trivy-config", "pkg/trivyoperator/constants.go (TrivyConfigMapName)"),
        _secret("trivy-operator", "pkg/trivyoperator/constants.go (SecretName)"),
        _secret("trivy-operator-trivy-config", "pkg/trivyoperator/plugin.go (trivy-operator-)"),
    ),
    *_program(
        "Vault Secrets Operator",
        "github.com/hashicorp/vault-secrets-operator",
        _config_map(
            "*",
            "vault/configmap.go (controller-manager)",
            _labelled(
                {
                    "app.kubernetes.io/component": "controller-manager",
                    "app.kubernetes.io/name": "vault-secrets-operator",
                }
            ),
        ),
        _secret("vso-cc-storage-hmac-key", "vault/cache_storage.go (storage-hmac-key)"),
    ),
    *_program(
        "vCluster",
        "github.com/loft-sh/vcluster",
        _secret("vc-config-*", "pkg/setup/config/config.go (vc-config-)", _labelled({"app": "vcluster"})),
    ),
    *_program(
        "Velero",
        "github.com/vmware-tanzu/velero",
        _config_map("enableapigroupversions", "pkg/restore/prioritize_group_version.go:226"),
        _config_map("velero-repo-maintenance", "pkg/cmd/server/config/config.go (repo-maintenance-job-configmap)"),
        _config_map(
            "*",
            "pkg/restore/actions/change_storageclass_action.go (velero.io/change-storage-class)",
            _labelled({"velero.io/plugin-config": "*", "velero.io/change-storage-class": "RestoreItemAction"}),
        ),
        _config_map(
            "*",
            "pkg/restore/actions/change_image_name_action.go (velero.io/change-image-name)",
            _labelled({"velero.io/plugin-config": "*", "velero.io/change-image-name": "RestoreItemAction"}),
        ),
        _config_map(
            "*",
            "pkg/restore/actions/pod_volume_restore_action.go (velero.io/pod-volume-restore)",
            _labelled({"velero.io/plugin-config": "*", "velero.io/pod-volume-restore": "RestoreItemAction"}),
        ),
        _secret("cloud-credentials", "pkg/install/resources.go:211", *_VELERO),
        _secret("velero-repo-credentials", "pkg/repository/keys/keys.go (credentialsSecretName)"),
    ),
    *_program(
        "vSphere CSI driver",
        "github.com/kubernetes-sigs/vsphere-csi-driver",
        _config_map("cns-csi-limits", "pkg/csi/service/common/constants.go (ConfigMapCSILimits)"),
        _config_map("csi-feature-states", "pkg/common/config/config.go:59", _in("vmware-system-csi")),
        _config_map("encrypted-storage-class-names", "pkg/common/cns-lib/crypto/internal/storageclass.go:41"),
        _config_map("internal-feature-states.csi.vsphere.vmware.com", "pkg/common/config/config.go:62"),
        _config_map("wcp-network-config", "pkg/syncer/cnsoperator/util/util.go:83", _in("kube-system")),
    ),
    *_program(
        "Weave Net",
        "github.com/weaveworks/weave",
        _config_map("weave-net", "prog/kube-utils/peerlist.go (configMapName)"),
    ),
    *_program(
        "Zalando postgres-operator",
        "github.com/zalando/postgres-operator",
        _config_map("postgres-operator", "manifests/postgres-operator.yaml:38", *_ZALANDO_POSTGRES_OPERATOR),
    ),
)


def _by_name(rows: Iterable[WellKnown]) -> dict[tuple[str, str], list[WellKnown]]:
    literals: dict[tuple[str, str], list[WellKnown]] = {}
    for row in rows:
        if "*" not in row.name:
            literals.setdefault((row.kind, row.name), []).append(row)
    return literals


def _patterns_by_kind(rows: Iterable[WellKnown]) -> dict[str, list[WellKnown]]:
    patterns: dict[str, list[WellKnown]] = {}
    for row in rows:
        if "*" in row.name:
            patterns.setdefault(row.kind, []).append(row)
    return patterns


_LITERALS = _by_name(WELL_KNOWN)
_PATTERNS = _patterns_by_kind(WELL_KNOWN)

READ_IN_FULL = {
    # Of these, `tests/installs` says what they look up.
    "aquasec/trivy-operator": "Trivy operator",
    "aquasecurity/trivy-operator": "Trivy operator",
    "argoproj/argo-events": "Argo Events",
    "cephcsi/cephcsi": "Ceph CSI",
    "cilium/cilium": "Cilium",
    "datadog/agent": "Datadog",
    "datadog/cluster-agent": "Datadog",
    "datadoghq/agent": "Datadog",
    "datadoghq/cluster-agent": "Datadog",
    "fluent-operator/fluent-operator": "Fluent operator",
    "grafana/grafana": "Grafana",
    "grafana/loki": "Loki",
    "hashicorp/consul-k8s-control-plane": "Consul",
    "jenkins/jenkins": "Jenkins",
    "knative.dev/eventing/cmd/controller": "Knative Eventing",
    "metallb/speaker": "MetalLB",
    "strimzi/operator": "Strimzi",
    # pkg/chop/config_manager.go: a file, and a Secret that this file names; custom resources name the rest.
    "altinity/clickhouse-operator": "Altinity operator for ClickHouse",
    "altinity/metrics-exporter": "Altinity operator for ClickHouse",
    # pulsar-functions/runtime, KubernetesRuntimeFactory.java: what the setting `changeConfigMap` names.
    "apachepulsar/pulsar": "Pulsar",
    "apachepulsar/pulsar-all": "Pulsar",
    # src/resources.py: it lists by label, or gets what an option names.
    "kiwigrid/k8s-sidecar": "k8s-sidecar",
}
"""Ends of images, and programs whose sources were read for all that they look up: `WELL_KNOWN` has every name of it."""
