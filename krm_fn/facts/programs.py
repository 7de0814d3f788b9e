"""Names by which well-known programs look up a ConfigMap or Secret through the Kubernetes API.

The sources were read in August 2026. Names that pods only mount are left out.

A row is a name and its place in the code of a program, by program, repository and kind. A name with
a `*` is a shell pattern. A pattern, and a name that an application might use too, counts only with
labels (`*`: any value) or in a namespace of the program: that is a mapping after the place, or a
name of WHERES. One of several suffices. A pattern with the group of a program needs neither.

NAMED_AFTER: names that an operator makes of the name of its own object (`{}`), by group and kind of
that object: the program, its source, and patterns of the names by kind. It takes what is there under such a
name, or makes it.
"""

WHERES = {
    "argo-cd": ({"labels": {"app.kubernetes.io/part-of": "argocd"}},),
    "cluster-api": ({"labels": {"cluster.x-k8s.io/cluster-name": "*"}},),
    "fleet": ({"namespaces": "fleet-default fleet-local"},),
    "harbor-chart": ({"labels": {"app": "harbor"}},),
    "helm": ({"labels": {"owner": "helm"}},),
    "knative-eventing": (
        {"labels": {"app.kubernetes.io/name": "knative-eventing"}},
        {"namespaces": "knative-eventing"},
    ),
    "knative-serving": (
        {"labels": {"app.kubernetes.io/name": "knative-serving"}},
        {"namespaces": "knative-serving"},
    ),
    "kyverno": ({"labels": {"cert.kyverno.io/managed-by": "kyverno"}},),
    "linkerd": (
        {"labels": {"linkerd.io/control-plane-component": "*"}},
        {"namespaces": "linkerd"},
    ),
    "nginx-ingress-controller-f5": (
        {"labels": {"app.kubernetes.io/name": "nginx-ingress"}},
        {"namespaces": "nginx-ingress"},
    ),
    "openshift-console": ({"namespaces": "openshift-console openshift-config-managed"},),
    "openshift-kube-apiserver": (
        {
            "namespaces": "openshift-config openshift-config-managed openshift-etcd openshift-kube-apiserver"
        },
    ),
    "patroni": (
        {"labels": {"application": "patroni", "cluster-name": "*"}},
        {"labels": {"application": "spilo", "cluster-name": "*"}},
    ),
    "prometheus-operator": (
        {"labels": {"app.kubernetes.io/part-of": "kube-prometheus"}},
        {"labels": {"app.kubernetes.io/part-of": "kube-prometheus-stack"}},
    ),
    "prow": ({"labels": {"app": "prow"}}, {"namespaces": "prow"}),
    "rancher": (
        {"labels": {"app.kubernetes.io/part-of": "rancher"}},
        {"namespaces": "cattle-system"},
    ),
    "strimzi": ({"labels": {"strimzi.io/cluster": "*"}},),
    "tekton-operator": (
        {"labels": {"operator.tekton.dev/release": "*"}},
        {"namespaces": "tekton-operator"},
    ),
    "tekton-pipelines": (
        {"labels": {"app.kubernetes.io/part-of": "tekton-pipelines"}},
        {"namespaces": "tekton-pipelines tekton-pipelines-resolvers"},
    ),
    "velero": ({"labels": {"component": "velero"}}, {"namespaces": "velero"}),
    "zalando-postgres-operator": (
        {"labels": {"app.kubernetes.io/name": "postgres-operator"}},
        {"namespaces": "postgres-operator"},
    ),
}

PROGRAMS = (
    (
        "Actions Runner Controller",
        "github.com/actions/actions-runner-controller",
        {
            "ConfigMap": {
                "gh-webhook-forwarder": "pkg/hookdeliveryforwarder/configmap/config.go (configmap-name)",
            }
        },
    ),
    (
        "Airflow",
        "github.com/apache/airflow",
        {
            "ConfigMap": {
                "*-config": (
                    "chart/files/pod-template-file.kubernetes-helm-yaml (airflow_config)",
                    {"labels": {"tier": "airflow", "component": "config"}},
                ),
            }
        },
    ),
    (
        "Amazon EKS",
        "github.com/aws/amazon-vpc-resource-controller-k8s",
        {
            "ConfigMap": {
                "amazon-vpc-cni": "pkg/config/type.go (VpcCniConfigMapName)",
            }
        },
    ),
    (
        "Amazon EKS",
        "github.com/eksctl-io/eksctl",
        {
            "ConfigMap": {
                "aws-auth": "pkg/authconfigmap/authconfigmap.go (ObjectName)",
            },
            "Secret": {
                "vpc-admission-webhook-certs": "pkg/addons/vpc_controller.go:119",
            },
        },
    ),
    (
        "Antrea",
        "github.com/antrea-io/antrea",
        {
            "ConfigMap": {
                "antrea-ca": "pkg/apis/resources.go (AntreaCAConfigMapName)",
                "antrea-cluster-identity": "pkg/clusteridentity/clusteridentity.go:32",
                "antrea-config": "pkg/antctl/raw/supportbundle/command.go:548",
                "antrea-ipsec-ca": "pkg/controller/certificatesigningrequest/ipsec_csr_signing_controller.go:53",
                "antrea-mc-ca": "multicluster/cmd/multicluster-controller/controller.go (configMapName)",
                "flow-aggregator-ca": "pkg/flowaggregator/certificate/provider.go (caConfigMapName)",
                "antrea-config*": (
                    "pkg/apiserver/handlers/featuregates/handler.go (antreaConfigMapName)",
                    {"labels": {"app": "antrea"}},
                ),
                "flow-aggregator-configmap*": (
                    "pkg/antctl/raw/set/flowaggregator/command.go (configMapName)",
                    {"labels": {"app": "flow-aggregator"}},
                ),
            },
            "Secret": {
                "antrea-bgp-passwords": "pkg/agent/types/bgppolicy.go (BGPPolicySecretName)",
                "antrea-controller-tls": "pkg/apis/resources.go (AntreaControllerTLSSecretName)",
                "antrea-ipsec": "pkg/antctl/raw/check/installation/test_ipsec.go (antreaIPsecSecretName)",
                "antrea-ipsec-ca": "pkg/controller/certificatesigningrequest/ipsec_csr_signing_controller.go:219",
                "antrea-memberlist-keys": "pkg/apis/resources.go (AntreaMemberlistSecretName)",
                "antrea-packetcapture-fileserver-auth": "pkg/apis/resources.go:35",
                "flow-aggregator-ca-tls": "pkg/flowaggregator/certificate/provider.go (caSecretName)",
                "flow-aggregator-client-tls": "pkg/flowaggregator/certificate/provider.go (clientSecretName)",
            },
        },
    ),
    (
        "Argo CD",
        "github.com/argoproj/argo-cd",
        {
            "ConfigMap": {
                "argocd-app-controller-shard-cm": "controller/sharding/sharding.go:313",
                "argocd-cm": "util/settings/settings.go (getConfigMap)",
                "argocd-cmd-params-cm": "cmd/argocd/commands/admin/cluster.go (ArgoCDCmdParamsConfigMapName)",
                "argocd-gpg-keys-cm": "util/settings/settings.go (ArgoCDGPGKeysConfigMapName)",
                "argocd-notifications-cm": "cmd/argocd-notification/commands/argocd_notification.go:179",
                "argocd-rbac-cm": "server/server.go (ArgoCDRBACConfigMapName)",
                "argocd-ssh-known-hosts-cm": "util/settings/settings.go (ArgoCDKnownHostsConfigMapName)",
                "argocd-tls-certs-cm": "util/settings/settings.go (ArgoCDTLSCertsConfigMapName)",
                "argocd-*-cm": ("util/settings/settings.go (getConfigMap)", "argo-cd"),
            },
            "Secret": {
                "argocd-initial-admin-secret": "util/settings/settings.go (initialPasswordSecretName)",
                "argocd-notifications-secret": "cmd/argocd-notification/commands/argocd_notification.go:180",
                "argocd-redis": "common/common.go (RedisInitialCredentials)",
                "argocd-secret": "util/settings/settings.go (getSecret)",
                "argocd-server-tls": "util/settings/settings.go (externalServerTLSSecretName)",
                "argocd-*": ("util/settings/settings.go (getSecret)", "argo-cd"),
            },
        },
    ),
    (
        "Argo Events",
        "github.com/argoproj/argo-events",
        {
            "Secret": {
                "events-webhook-certs": "pkg/webhook/cmd/start.go (SecretName)",
            }
        },
    ),
    (
        "Argo Rollouts",
        "github.com/argoproj/argo-rollouts",
        {
            "ConfigMap": {
                "argo-rollouts-config": "controller/controller.go (DefaultRolloutsConfigMapName)",
                "argo-rollouts-notification-configmap": "cmd/rollouts-controller/main.go:225",
            },
            "Secret": {
                "argo-rollouts-notification-secret": "cmd/rollouts-controller/main.go (NotificationSecret)",
                "datadog": (
                    "metricproviders/datadog/datadog.go (DatadogTokensSecretName)",
                    {"namespaces": "argo-rollouts"},
                ),
                "influxdb": (
                    "metricproviders/influxdb/influxdb.go:26",
                    {"namespaces": "argo-rollouts"},
                ),
                "newrelic": (
                    "metricproviders/newrelic/newrelic.go:27",
                    {"namespaces": "argo-rollouts"},
                ),
                "wavefront-api-tokens": "metricproviders/wavefront/wavefront.go (WavefrontTokensSecretName)",
            },
        },
    ),
    (
        "Argo Workflows",
        "github.com/argoproj/argo-workflows",
        {
            "ConfigMap": {
                "artifact-repositories": "workflow/artifactrepositories/artifactrepositories.go:87",
                "workflow-controller-configmap": "cmd/workflow-controller/main.go (ConfigMapName)",
            },
            "Secret": {
                "argo-workflows-agent-ca-certificates": "workflow/controller/agent.go:129",
                "argo-workflows-webhook-clients": "server/auth/webhook/interceptor.go:73",
                "sso": ("server/auth/sso/sso.go (secretName)", {"namespaces": "argo"}),
            },
        },
    ),
    (
        "Azure cloud provider",
        "github.com/kubernetes-sigs/cloud-provider-azure",
        {
            "Secret": {
                "azure-cloud-provider": "cmd/cloud-controller-manager/app/options/dynamic.go:67",
            }
        },
    ),
    (
        "Calico",
        "github.com/projectcalico/calico",
        {
            "ConfigMap": {
                "calico-config": "kube-controllers/pkg/controllers/flannelmigration/migration_controller.go:42",
                "flannel-migration-config": "kube-controllers/pkg/controllers/flannelmigration/migration_controller.go:44",
            }
        },
    ),
    (
        "Calico (Tigera operator)",
        "github.com/tigera/operator",
        {
            "ConfigMap": {
                "active-operator": (
                    "pkg/active/active.go (ActiveConfigMapName)",
                    {"namespaces": "calico-system"},
                ),
                "bgp-layout": (
                    "pkg/render/node.go (BGPLayoutConfigMapName)",
                    {"namespaces": "tigera-operator"},
                ),
                "bird-templates": (
                    "pkg/controller/installation/core_controller.go:182",
                    {"namespaces": "tigera-operator"},
                ),
                "cni-config": (
                    "pkg/render/node.go (nodeCNIConfigMap)",
                    {"namespaces": "calico-system"},
                ),
                "kubernetes-services-endpoint": "pkg/controller/utils/utils.go (K8sSvcEndpointConfigMapName)",
                "operator-bootstrap-config": (
                    "cmd/main.go (bootstrapConfigMapName)",
                    {"namespaces": "tigera-operator"},
                ),
                "tigera-ca-bundle": "pkg/tls/certificatemanagement/interface.go (TrustedCertConfigMapName)",
                "typha-ca": (
                    "pkg/controller/installation/core_controller.go:1625",
                    {"namespaces": "tigera-operator"},
                ),
            },
            "Secret": {
                "calico-apiserver-certs": "pkg/controller/apiserver/apiserver_controller.go:119",
                "calico-webhooks-tls": "pkg/controller/apiserver/apiserver_controller.go:144",
                "goldmane-key-pair": "pkg/controller/goldmane/controller.go (GoldmaneKeyPairSecret)",
                "node-certs": (
                    "pkg/controller/installation/core_controller.go:1622",
                    {"namespaces": "tigera-operator"},
                ),
                "tigera-ca-private": "pkg/tls/certificatemanagement/interface.go (CASecretName)",
                "tigera-managed-cluster-connection": "pkg/controller/clusterconnection/clusterconnection_controller.go:119",
                "typha-certs": (
                    "pkg/controller/installation/core_controller.go:1623",
                    {"namespaces": "tigera-operator"},
                ),
                "whisker-key-pair": "pkg/controller/whisker/controller.go (WhiskerKeyPairSecret)",
            },
        },
    ),
    (
        "Ceph CSI",
        "github.com/ceph/ceph-csi",
        {
            "ConfigMap": {
                "ceph-csi-kms-config": "internal/kms/vault_tokens.go (vaultTokensDefaultConfigName)",
                "csi-kms-connection-details": "internal/kms/kms.go (defaultKMSConfigMapName)",
            },
            "Secret": {
                "ceph-csi-aws-credentials": "internal/kms/aws_metadata.go (awsMetadataDefaultSecretsName)",
                "ceph-csi-azure-credentials": "internal/kms/azure_vault.go (azureDefaultSecretsName)",
                "ceph-csi-kmip-credentials": "internal/kms/kmip.go (kmipDefaultSecretsName)",
                "ceph-csi-kms-token": "internal/kms/vault_tokens.go (vaultTokensDefaultTokenName)",
                "ceph-csi-kp-credentials": "internal/kms/keyprotect.go (keyProtectMetadataDefaultSecretsName)",
            },
        },
    ),
    (
        "cert-manager",
        "github.com/cert-manager/cert-manager",
        {
            "Secret": {
                "cert-manager-webhook-ca": "deploy/charts/cert-manager/templates/webhook-deployment.yaml:113",
            }
        },
    ),
    (
        "Cilium",
        "github.com/cilium/cilium",
        {
            "ConfigMap": {
                "cilium-config": "cilium-cli/config/config.go (defaults.ConfigMapName)",
                "cilium-envoy-config": "cilium-cli/sysdump/sysdump.go (ciliumEnvoyConfigMapName)",
                "cni-configuration": (
                    "cilium-cli/sysdump/defaults.go:42",
                    {"namespaces": "kube-system"},
                ),
                "hubble-relay-config": "cilium-cli/sysdump/sysdump.go (hubbleRelayConfigMapName)",
                "spire-agent": (
                    "cilium-cli/sysdump/sysdump.go:2051",
                    {"namespaces": "cilium-spire"},
                ),
                "spire-server": (
                    "cilium-cli/sysdump/sysdump.go:2069",
                    {"namespaces": "cilium-spire"},
                ),
                "tetragon-config": "cilium-cli/sysdump/defaults.go (DefaultTetragonConfigMapName)",
            },
            "Secret": {
                "cilium-ca": "cilium-cli/clustermesh/clustermesh.go (defaults.CASecretName)",
                "cilium-clustermesh": "cilium-cli/clustermesh/clustermesh.go (defaults.ClusterMeshSecretName)",
                "cilium-ipsec-keys": "cilium-cli/encrypt/ipsec_rotate_key.go (defaults.EncryptionSecretName)",
                "cilium-kvstoremesh": "cilium-cli/clustermesh/clustermesh.go:735",
                "clustermesh-apiserver-client-cert": "cilium-cli/clustermesh/clustermesh.go (getDeprecatedName)",
                "clustermesh-apiserver-remote-cert": "cilium-cli/clustermesh/clustermesh.go:305",
            },
        },
    ),
    (
        "Cilium",
        "github.com/cilium/certgen",
        {
            "Secret": {
                "clustermesh-apiserver-admin-cert": "internal/generate/generate.go (StoreAsSecret)",
                "clustermesh-apiserver-local-cert": "internal/generate/generate.go (StoreAsSecret)",
                "clustermesh-apiserver-server-cert": "internal/generate/generate.go (StoreAsSecret)",
                "hubble-relay-client-certs": "internal/generate/generate.go (StoreAsSecret)",
                "hubble-server-certs": "internal/generate/generate.go (StoreAsSecret)",
            }
        },
    ),
    (
        "CloudNativePG",
        "github.com/cloudnative-pg/cloudnative-pg",
        {
            "ConfigMap": {
                "cnpg-controller-manager-config": "internal/cmd/plugin/report/operator_objects.go:41",
                "cnpg-default-monitoring": "api/v1/cluster_defaults.go (DefaultMonitoringConfigMapName)",
            },
            "Secret": {
                "cnpg-ca-secret": "internal/cmd/manager/controller/controller.go (CaSecretName)",
                "cnpg-controller-manager-config": "internal/cmd/plugin/report/operator_objects.go:40",
                "cnpg-pull-secret": "internal/configuration/configuration.go (DefaultOperatorPullSecretName)",
                "cnpg-webhook-cert": "internal/cmd/manager/controller/controller.go (WebhookSecretName)",
            },
        },
    ),
    (
        "Cluster API",
        "github.com/kubernetes-sigs/cluster-api",
        {
            "Secret": {
                "*-ca": ("util/secret/consts.go (ClusterCA)", "cluster-api"),
                "*-etcd": ("util/secret/consts.go (EtcdCA)", "cluster-api"),
                "*-kubeconfig": ("util/secret/consts.go (Kubeconfig)", "cluster-api"),
                "*-proxy": ("util/secret/consts.go (FrontProxyCA)", "cluster-api"),
                "*-sa": ("util/secret/consts.go (ServiceAccount)", "cluster-api"),
            }
        },
    ),
    (
        "Cluster API provider AWS",
        "github.com/kubernetes-sigs/cluster-api-provider-aws",
        {
            "Secret": {
                "capa-manager-bootstrap-credentials": "cmd/clusterawsadm/controller/helper.go (BootstrapCredsSecret)"
            }
        },
    ),
    # The paths are those of branch cluster-autoscaler-release-1.37; the main branch does not have
    # them.
    (
        "Cluster Autoscaler",
        "github.com/kubernetes/autoscaler",
        {
            "ConfigMap": {
                "cluster-autoscaler-priority-expander": "cluster-autoscaler/expander/priority/priority.go:37",
                "cluster-autoscaler-status": "cluster-autoscaler/config/flags/flags.go (status-config-map-name)",
            }
        },
    ),
    (
        "Cluster Proportional Autoscaler",
        "github.com/kubernetes-sigs/cluster-proportional-autoscaler",
        {
            "ConfigMap": {
                "cluster-proportional-autoscaler": "cmd/cluster-proportional-autoscaler/options/options.go:127",
            }
        },
    ),
    (
        "Consul",
        "github.com/hashicorp/consul-k8s",
        {
            "ConfigMap": {
                "helm-values": (
                    "control-plane/controllers/helmvalues/helpers.go:49",
                    {"namespaces": "consul"},
                ),
            }
        },
    ),
    (
        "Containerized Data Importer",
        "github.com/kubevirt/containerized-data-importer",
        {
            "ConfigMap": {
                "cdi-apiserver-signer-bundle": "pkg/operator/resources/cert/factory.go:164",
                "cdi-config": "pkg/operator/api.go (ConfigMapName)",
                "cdi-uploadproxy-signer-bundle": "pkg/operator/controller/route.go (uploadProxyCABundle)",
                "cdi-uploadserver-client-signer-bundle": "cmd/cdi-controller/controller.go:98",
                "cdi-uploadserver-signer-bundle": "cmd/cdi-controller/controller.go:97",
                "trusted-ca-proxy-bundle-cm": "pkg/common/common.go (ImportProxyConfigMapName)",
                "v2v-vmware": "pkg/common/common.go (VddkConfigMap)",
            },
            "Secret": {
                "cdi-api-signing-key": "pkg/apiserver/apiserver.go (APISigningKeySecretName)",
                "cdi-apiserver-server-cert": "pkg/operator/resources/cert/factory.go:165",
                "cdi-apiserver-signer": "pkg/operator/resources/cert/factory.go:159",
                "cdi-uploadproxy-signer": "pkg/operator/resources/cert/factory.go:174",
            },
        },
    ),
    (
        "Contour",
        "github.com/projectcontour/contour",
        {
            "Secret": {
                "cacert": ("internal/certgen/certgen.go:215", {"namespaces": "projectcontour"}),
                "contourcert": "internal/certgen/certgen.go:166",
                "envoycert": "internal/certgen/certgen.go:175",
            }
        },
    ),
    (
        "CoreDNS (chart)",
        "github.com/kubernetes-sigs/cluster-proportional-autoscaler",
        {
            "ConfigMap": {
                "coredns-autoscaler": "pkg/autoscaler/autoscaler_server.go:161",
            }
        },
    ),
    (
        "Crossplane",
        "github.com/crossplane/crossplane",
        {
            "Secret": {
                "crossplane-root-ca": "internal/initializer/tls.go (RootCACertSecretName)",
                "crossplane-tls-client": "cmd/crossplane/core/init.go (TLS_CLIENT_SECRET_NAME)",
                "crossplane-tls-server": "cmd/crossplane/core/init.go (TLS_SERVER_SECRET_NAME)",
            }
        },
    ),
    (
        "Crunchy Postgres operator",
        "github.com/CrunchyData/postgres-operator",
        {
            "Secret": {
                "pgo-root-cacert": "internal/naming/names.go (RootCertSecret)",
            }
        },
    ),
    (
        "Dapr",
        "github.com/dapr/dapr",
        {
            "ConfigMap": {
                "dapr-trust-bundle": "pkg/sentry/server/ca/kube.go (TrustBundleK8sName)",
            },
            "Secret": {
                "dapr-trust-bundle": "pkg/sentry/server/ca/kube.go (TrustBundleK8sName)",
            },
        },
    ),
    (
        "Datadog",
        "github.com/DataDog/helm-charts",
        {
            "ConfigMap": {
                "datadog-cluster-id": "charts/datadog/templates/orchestrator-explorer-rbac.yaml:22",
                "datadog-custom-metrics": "charts/datadog/templates/cluster-agent-rbac.yaml:90",
                "datadogtoken": "charts/datadog/templates/cluster-agent-rbac.yaml:77",
            }
        },
    ),
    (
        "Datadog",
        "github.com/DataDog/datadog-operator",
        {
            "ConfigMap": {
                "datadog-agent-managed-installation-intent": "pkg/fleet/managed_agent_installation_intent.go:28",
                "datadog-agent-managed-installation-state": "pkg/fleet/managed_agent_installation_state.go:23",
            },
            "Secret": {
                "datadog-private-action-runner-identity": "internal/controller/datadogagent/feature/privateactionrunner/rbac.go:15",
                "datadog-secret": "pkg/fleet/managed_agent_installation.go (fleetCredentialSecretName)",
            },
        },
    ),
    (
        "DevWorkspace operator",
        "github.com/devfile/devworkspace-operator",
        # It mounts each below its name. Two of them at one path are an error.
        {
            "ConfigMap": {
                "*": (
                    "pkg/provision/automount/configmap.go (getDevWorkspaceConfigmaps)",
                    {"labels": {"controller.devfile.io/mount-to-devworkspace": "true"}},
                ),
            },
            "Secret": {
                "*": (
                    "pkg/provision/automount/secret.go (getDevWorkspaceSecrets)",
                    {"labels": {"controller.devfile.io/mount-to-devworkspace": "true"}},
                ),
            },
        },
    ),
    (
        "Elastic Cloud on Kubernetes",
        "github.com/elastic/cloud-on-k8s",
        {
            "ConfigMap": {
                "elastic-licensing": "pkg/license/license.go (LicensingCfgMapName)",
                "elastic-operator-uuid": "pkg/about/info.go (UUIDCfgMapName)",
            },
            "Secret": {
                "elastic-operator-webhook-cert": "pkg/controller/webhook/reconcile.go:44",
                "trial-status": (
                    "pkg/controller/common/license/trial.go (TrialStatusSecretKey)",
                    {"namespaces": "elastic-system"},
                ),
            },
        },
    ),
    (
        "Emissary-ingress",
        "github.com/emissary-ingress/emissary",
        {
            "Secret": {
                "emissary-ingress-webhook-ca": "pkg/apiext/defaults/defaults.go (WebhookCASecretName)",
                "fallback-self-signed-cert": "cmd/entrypoint/secrets.go:275",
            }
        },
    ),
    (
        "External Secrets",
        "github.com/external-secrets/external-secrets",
        {
            "Secret": {
                "external-secrets-webhook": "cmd/controller/certcontroller.go (--secret-name)",
            }
        },
    ),
    (
        "Fleet",
        "github.com/rancher/fleet",
        {
            "ConfigMap": {
                "fleet-agent": "internal/config/config.go (AgentConfigName)",
                "fleet-controller": "internal/config/config.go (ManagerConfigName)",
                "known-hosts": (
                    "internal/ssh/knownhosts.go (KnownHostsConfigMap)",
                    {"namespaces": "cattle-fleet-system"},
                ),
            },
            "Secret": {
                "fleet-agent": "internal/cmd/agent/register/register.go (CredName)",
                "fleet-agent-bootstrap": "internal/config/config.go (AgentBootstrapConfigName)",
                "gitcredential": (
                    "internal/config/config.go (DefaultGitCredentialsSecretName)",
                    "fleet",
                ),
                "gitjob-webhook": "pkg/webhook/webhook.go (webhookSecretName)",
                "ocistorage": ("internal/config/config.go (DefaultOCIStorageSecretName)", "fleet"),
            },
        },
    ),
    (
        "Flux",
        "github.com/fluxcd/flux2",
        {
            "Secret": {
                "flux-system": "cmd/flux/bootstrap.go (--secret-name)",
            }
        },
    ),
    (
        "Gatekeeper",
        "github.com/open-policy-agent/gatekeeper",
        {
            "Secret": {
                "gatekeeper-webhook-server-cert": "main.go (secretName)",
            }
        },
    ),
    (
        "GKE Ingress controller",
        "github.com/kubernetes/ingress-gce",
        {
            "ConfigMap": {
                "ingress-controller-asm-cm-config": "pkg/flags/flags.go (asm-configmap-based-config-cmname)",
                "ingress-uid": "cmd/glbc/app/namer.go (uidConfigMapName)",
            }
        },
    ),
    (
        "Harbor (chart)",
        "github.com/goharbor/harbor-helm",
        {
            "Secret": {
                "*-core": ("templates/core/core-secret.yaml (lookup)", "harbor-chart"),
                "*-database": ("templates/_helpers.tpl (lookup)", "harbor-chart"),
                "*-jobservice": (
                    "templates/jobservice/jobservice-secrets.yaml (lookup)",
                    "harbor-chart",
                ),
                "*-registry": ("templates/registry/registry-secret.yaml (lookup)", "harbor-chart"),
            }
        },
    ),
    (
        "Helm",
        "github.com/helm/helm",
        {
            "ConfigMap": {
                "sh.helm.release.v1.*": ("pkg/storage/driver/cfgmaps.go (owner)", "helm"),
            },
            "Secret": {
                "sh.helm.release.v1.*": ("pkg/storage/storage.go (HelmStorageType)", "helm"),
            },
        },
    ),
    (
        "ingress-nginx",
        "github.com/kubernetes/ingress-nginx",
        {
            "ConfigMap": {
                "ingress-nginx-controller": "internal/ingress/controller/store/store.go (flag --configmap)",
                "ingress-nginx-custom-add-headers": "internal/ingress/controller/nginx.go (cfg.AddHeaders)",
                "ingress-nginx-custom-proxy-headers": "internal/ingress/controller/nginx.go:558",
                "ingress-nginx-tcp": "internal/ingress/controller/controller.go (getStreamServices)",
                "ingress-nginx-udp": "internal/ingress/controller/controller.go (getStreamServices)",
                "nginx-configuration": (
                    "internal/ingress/controller/store/store.go",
                    {"namespaces": "ingress-nginx"},
                ),
                "tcp-services": (
                    "internal/ingress/controller/controller.go",
                    {"namespaces": "ingress-nginx"},
                ),
                "udp-services": (
                    "internal/ingress/controller/controller.go",
                    {"namespaces": "ingress-nginx"},
                ),
                "*": (
                    "internal/ingress/controller/store/store.go (flag --configmap)",
                    {
                        "labels": {
                            "app.kubernetes.io/part-of": "ingress-nginx",
                            "app.kubernetes.io/component": "controller",
                        }
                    },
                ),
            },
            "Secret": {
                "ingress-nginx-admission": "images/kube-webhook-certgen/rootfs/pkg/k8s/k8s.go:226",
            },
        },
    ),
    (
        "Istio",
        "github.com/istio/istio",
        {
            "ConfigMap": {
                "istio": "pilot/pkg/bootstrap/mesh.go (defaultMeshConfigMapName)",
                "istio-ca-crl": "pilot/pkg/features/experimental.go (PILOT_CRL_CONFIGMAP)",
                "istio-ca-root-cert": "pilot/pkg/features/experimental.go (PILOT_CA_CERT_CONFIGMAP)",
                "istio-sidecar-injector": "pilot/pkg/bootstrap/sidecarinjector.go:38",
                "istio-*": (
                    "pilot/pkg/bootstrap/mesh.go:98",
                    {"labels": {"operator.istio.io/component": "Pilot"}},
                ),
                "istio-sidecar-injector-*": (
                    "pilot/pkg/bootstrap/sidecarinjector.go:120",
                    {"namespaces": "istio-system"},
                ),
            },
            "Secret": {
                "cacerts": (
                    "security/pkg/pki/ca/ca.go (CACertsSecret)",
                    {"namespaces": "istio-system"},
                ),
                "istio-ca-secret": "security/pkg/pki/ca/ca.go (CASecret)",
                "istio-remote-secret-*": (
                    "istioctl/pkg/multicluster/remote_secret.go:83",
                    {"labels": {"istio/multiCluster": "true"}},
                ),
            },
        },
    ),
    (
        "Jenkins (chart)",
        "github.com/jenkinsci/helm-charts",
        {
            "ConfigMap": {
                "*": (
                    "charts/jenkins/templates/_helpers.tpl:678",
                    {"labels": {"jenkins-jenkins-config": "true"}},
                ),
            }
        },
    ),
    (
        "Jenkins Kubernetes Credentials Provider",
        "github.com/jenkinsci/kubernetes-credentials-provider-plugin",
        {
            "Secret": {
                "*": (
                    "src/main/java/com/cloudbees/jenkins/plugins/kubernetes_credentials_provider/SecretUtils.java (getCredentialId)",
                    {"labels": {"jenkins.io/credentials-type": "*"}},
                ),
            }
        },
    ),
    (
        "Jenkins X",
        "github.com/jenkins-x/jx",
        {
            "Secret": {
                "jx-basic-auth-user-password": "pkg/cmd/dashboard/dashboard.go:88",
            }
        },
    ),
    (
        "JupyterHub",
        "github.com/jupyterhub/zero-to-jupyterhub-k8s",
        {
            "Secret": {
                "hub": (
                    "jupyterhub/templates/hub/_helpers-passwords.tpl (lookup)",
                    {"labels": {"app": "jupyterhub", "component": "hub"}},
                ),
                "proxy-public-tls-acme": "images/secret-sync/acme-secret-sync.py (update_secret)",
            }
        },
    ),
    (
        "K3s",
        "github.com/k3s-io/k3s",
        {
            "Secret": {
                "*.node-password.k3s": (
                    "pkg/nodepassword/nodepassword.go (getSecretName)",
                    {"namespaces": "kube-system"},
                ),
            }
        },
    ),
    (
        "kapp-controller",
        "github.com/carvel-dev/kapp-controller",
        {
            "ConfigMap": {
                "kapp-controller-config": "pkg/config/config.go (kcConfigName)",
            },
            "Secret": {
                "kapp-controller-config": "pkg/config/config.go (kcConfigName)",
            },
        },
    ),
    (
        "Karmada",
        "github.com/karmada-io/karmada",
        {
            "Secret": {
                "karmada-kubeconfig": "pkg/controllers/certificate/cert_rotation_controller.go:61",
            }
        },
    ),
    (
        "Katib",
        "github.com/kubeflow/katib",
        {
            "ConfigMap": {
                "katib-config": "pkg/util/v1beta1/katibconfig/config.go (fromConfigMap)",
                "*": (
                    "pkg/controller.v1beta1/consts/const.go (LabelTrialTemplateConfigMapName)",
                    {"labels": {"katib.kubeflow.org/component": "trial-templates"}},
                ),
            },
            "Secret": {
                "katib-webhook-cert": "pkg/apis/config/v1beta1/defaults.go (DefaultWebhookSecretName)",
            },
        },
    ),
    (
        "KEDA",
        "github.com/kedacore/keda",
        {
            "Secret": {
                "kedaorg-certs": "cmd/operator/main.go (flag --cert-secret-name)",
            }
        },
    ),
    (
        "Knative Eventing",
        "github.com/knative/eventing",
        {
            "ConfigMap": {
                "config-br-defaults": "pkg/apis/config/defaults.go (DefaultsConfigName)",
                "config-features": (
                    "pkg/apis/feature/store.go (FlagsConfigName)",
                    "knative-eventing",
                ),
                "config-imc-event-dispatcher": "pkg/reconciler/inmemorychannel/controller/config/config.go:36",
                "config-kreference-mapping": "pkg/resolver/mapping_resolver.go (ConfigMapName)",
                "config-ping-defaults": "pkg/apis/sources/config/ping_defaults.go (PingDefaultsConfigName)",
                "config-sugar": "pkg/apis/sugar/store.go (ConfigName)",
                "default-ch-webhook": "pkg/apis/messaging/config/channel_defaults.go:31",
                "kn-combined-kne-bundle*": (
                    "pkg/eventingtls/trust_bundle.go (TrustBundleCombined)",
                    {"labels": {"networking.knative.dev/trust-bundle": "true"}},
                ),
            },
            "Secret": {
                "eventing-webhook-certs": "cmd/webhook/main.go (SecretName)",
                "imc-dispatcher-server-tls": "pkg/eventingtls/eventingtls.go (IMCDispatcherServerTLSSecretName)",
                "inmemorychannel-webhook-certs": "cmd/in_memory/channel_controller/main.go (SecretName)",
                "job-sink-server-tls": "pkg/eventingtls/eventingtls.go (JobSinkDispatcherServerTLSSecretName)",
                "mt-broker-filter-server-tls": "pkg/eventingtls/eventingtls.go:57",
                "mt-broker-ingress-server-tls": "pkg/eventingtls/eventingtls.go:59",
                "request-reply-keys": "pkg/reconciler/requestreply/requestreply.go (secretName)",
                "request-reply-server-tls": "pkg/eventingtls/eventingtls.go (RequestReplyServerTLSSecretName)",
            },
        },
    ),
    (
        "Knative Eventing",
        "github.com/knative/pkg",
        {
            "ConfigMap": {
                "config-leader-election": ("leaderelection/config.go:196", "knative-eventing"),
                "config-logging": ("logging/config.go (CONFIG_LOGGING_NAME)", "knative-eventing"),
                "config-observability": ("observability/configmap/parse.go:30", "knative-eventing"),
                "config-*": (
                    "configmap/informer/informed_watcher.go (InformedWatcher)",
                    "knative-eventing",
                ),
            }
        },
    ),
    (
        "Knative Serving",
        "github.com/knative/serving",
        {
            "ConfigMap": {
                "config-autoscaler": "pkg/autoscaler/config/config.go (ConfigName)",
                "config-certmanager": (
                    "pkg/reconciler/certificate/config/cert_manager.go:32",
                    "knative-serving",
                ),
                "config-defaults": (
                    "pkg/apis/config/defaults.go (DefaultsConfigName)",
                    "knative-serving",
                ),
                "config-deployment": ("pkg/deployment/config.go (ConfigName)", "knative-serving"),
                "config-domain": (
                    "pkg/reconciler/route/config/domain.go (DomainConfigName)",
                    "knative-serving",
                ),
                "config-features": "pkg/apis/config/features.go (FeaturesConfigName)",
                "config-gc": ("pkg/gc/config.go (ConfigName)", "knative-serving"),
            },
            "Secret": {
                "routing-serving-certs": "pkg/activator/certificate/cache.go (ServingRoutingCertName)",
                "webhook-certs": ("cmd/webhook/main.go (SecretName)", "knative-serving"),
            },
        },
    ),
    (
        "Knative Serving",
        "github.com/knative/networking",
        {
            "ConfigMap": {
                "config-network": ("pkg/config/config.go (ConfigMapName)", "knative-serving"),
            }
        },
    ),
    (
        "Knative Serving",
        "github.com/knative/pkg",
        {
            "ConfigMap": {
                "config-leader-election": ("leaderelection/config.go:196", "knative-serving"),
                "config-logging": ("logging/config.go (CONFIG_LOGGING_NAME)", "knative-serving"),
                "config-observability": ("observability/configmap/parse.go:30", "knative-serving"),
                "config-*": (
                    "configmap/informer/informed_watcher.go (InformedWatcher)",
                    "knative-serving",
                ),
            }
        },
    ),
    (
        "KServe",
        "github.com/kserve/kserve",
        {
            "ConfigMap": {
                "inferenceservice-config": "pkg/constants/constants.go (InferenceServiceConfigMapName)",
            }
        },
    ),
    (
        "Kube-OVN",
        "github.com/kubeovn/kube-ovn",
        {
            "ConfigMap": {
                "ovn-external-gw-config": "pkg/util/const.go (ExternalGatewayConfig)",
                "ovn-ic-config": "pkg/util/const.go (InterconnectionConfig)",
                "ovn-vpc-nat-config": "pkg/util/const.go (VpcNatConfig)",
                "ovn-vpc-nat-gw-config": "pkg/util/const.go (VpcNatGatewayConfig)",
                "vpc-dns-config": "pkg/util/const.go (VpcDNSConfig)",
            },
            "Secret": {
                "kube-ovn-tls": "pkg/controller/kube_ovn_tls.go (kubeOVNTLSSecretName)",
                "ovn-ipsec-ca": "pkg/util/const.go (DefaultOVNIPSecCA)",
            },
        },
    ),
    (
        "kube-vip",
        "github.com/kube-vip/kube-vip-cloud-provider",
        {
            "ConfigMap": {
                "kubevip": "pkg/provider/provider.go (KubeVipClientConfig)",
            }
        },
    ),
    (
        "kube-vip",
        "github.com/kube-vip/kube-vip",
        {
            "Secret": {
                "wireguard": ("pkg/manager/worker/wireguard.go:56", {"namespaces": "kube-system"}),
            }
        },
    ),
    (
        "KubeEdge",
        "github.com/kubeedge/kubeedge",
        {
            "ConfigMap": {
                "cloudcore": "common/constants/default.go (CloudConfigMapName)",
                "tunnelport": (
                    "cloud/pkg/common/modules/modules.go (TunnelPort)",
                    {"namespaces": "kubeedge"},
                ),
            },
            "Secret": {
                "casecret": (
                    "cloud/pkg/cloudhub/servers/httpserver/pre_server.go (CaSecretName)",
                    {"namespaces": "kubeedge"},
                ),
                "cloudcoresecret": "cloud/pkg/cloudhub/servers/httpserver/pre_server.go (CloudCoreSecretName)",
                "tokensecret": (
                    "cloud/pkg/cloudhub/servers/httpserver/pre_server.go:39",
                    {"namespaces": "kubeedge"},
                ),
            },
        },
    ),
    (
        "Kubeflow Model Registry",
        "github.com/kubeflow/model-registry",
        {
            "ConfigMap": {
                "model-catalog-sources": "clients/ui/bff/internal/integrations/kubernetes/client.go:15",
                "default-catalog-sources": "clients/ui/bff/internal/integrations/kubernetes/client.go:16",
                "model-catalog-default-sources": "manifests of 2025: the former name of default-catalog-sources",
            }
        },
    ),
    (
        "Kubeflow Pipelines",
        "github.com/kubeflow/pipelines",
        {
            "ConfigMap": {
                "kfp-launcher": "backend/src/v2/config/env.go (configMapName)",
                "metadata-grpc-configmap": "manifests/kustomize/base/installs/multi-user/pipelines-profile-controller/sync.py:293",
            },
            "Secret": {
                "kfp-mlflow-credentials": "backend/src/common/plugins/mlflow/config.go (CredentialSecretName)",
                "mlpipeline-minio-artifact": "backend/src/v2/config/env.go (minioArtifactSecretName)",
                "webhook-server-tls": (
                    "backend/src/cache/deployer/deploy-cache-service.sh:73",
                    {"namespaces": "kubeflow"},
                ),
            },
        },
    ),
    (
        "Kubeflow Trainer",
        "github.com/kubeflow/training-operator",
        {
            "Secret": {
                "kubeflow-trainer-webhook-cert": "cmd/trainer-controller-manager/main.go (webhook-secret-name)",
            }
        },
    ),
    (
        "Kubernetes",
        "github.com/kubernetes/kubernetes",
        {
            "ConfigMap": {
                "cluster-info": (
                    "pkg/controller/bootstrap/bootstrapsigner.go",
                    {"namespaces": "kube-public"},
                ),
                "coredns": "cmd/kubeadm/app/constants/constants.go (CoreDNSConfigMap)",
                "extension-apiserver-authentication": "pkg/controlplane/controller/clusterauthenticationtrust",
                "kube-proxy": "cmd/kubeadm/app/constants/constants.go (KubeProxyConfigMap)",
                "kube-root-ca.crt": "pkg/controller/certificates/rootcacertpublisher/publisher.go",
                "kubeadm-config": "cmd/kubeadm/app/constants/constants.go (KubeadmConfigConfigMap)",
                "kubelet-config": "cmd/kubeadm/app/constants/constants.go (KubeletBaseConfigurationConfigMap)",
            },
            "Secret": {
                "kubeadm-certs": "cmd/kubeadm/app/constants/constants.go (KubeadmCertsSecret)",
            },
        },
    ),
    (
        "Kubernetes Dashboard",
        "github.com/kubernetes/dashboard",
        {
            "ConfigMap": {
                "kubernetes-dashboard-settings": "modules/web/pkg/args/args.go (settings-config-map-name)",
                "kubernetes-dashboard-web-settings": "modules/web/pkg/args/args.go (settings-config-map-name)",
            }
        },
    ),
    (
        "Kubescape",
        "github.com/kubescape/operator",
        {
            "ConfigMap": {
                "kubescape-cronjob-template": "mainhandler/kubescapehandler.go:26 (KubescapeCronJobTemplateName)",
                "kubevuln-cronjob-template": "mainhandler/vulnscanhandler.go:16 (VulnScanCronjobTemplateName)",
                "registry-scan-cronjob-template": "watcher/registryhandler.go:39 (registryCronjobTemplate)",
            }
        },
    ),
    (
        "KubeSphere",
        "github.com/kubesphere/kubesphere",
        {
            "ConfigMap": {
                "kubesphere-config": "pkg/constants/constants.go:16 (KubeSphereConfigName)",
            }
        },
    ),
    (
        "KubeVela",
        "github.com/kubevela/kubevela",
        {
            "ConfigMap": {
                "vela-addon-registry": "pkg/addon/registry.go (registryConfigMapName)",
                "vela-cluster-identity": "pkg/definition/defkit/placement/types.go:22",
                "config-template-*": (
                    "pkg/config/factory.go (TemplateConfigMapNamePrefix)",
                    {"namespaces": "vela-system"},
                ),
            },
            "Secret": {
                "addon-registry-*": (
                    "pkg/addon/registry.go (tokenSecretNamePrefix)",
                    {"namespaces": "vela-system"},
                ),
            },
        },
    ),
    (
        "KubeVirt",
        "github.com/kubevirt/kubevirt",
        {
            "ConfigMap": {
                "kubevirt-backup-ca": "pkg/storage/export/export/backup-source.go (KubeVirtBackupCASecretName)",
                "kubevirt-ca": "cmd/virt-handler/virt-handler.go (defaultCAConfigMapName)",
                "kubevirt-export-ca": "pkg/storage/export/export/links.go (KubeVirtExportCASecretName)",
                "kubevirt-external-ca": "pkg/virt-operator/resource/generate/components/secrets.go:27",
                "kubevirt-vm-labels-config": "pkg/monitoring/metrics/common/labels/labels_config.go:42",
            },
            "Secret": {
                "kubevirt-backup-ca": "pkg/virt-operator/resource/generate/components/secrets.go:29",
                "kubevirt-ca": "pkg/virt-operator/resource/generate/components/secrets.go:26",
                "kubevirt-export-ca": "pkg/virt-operator/resource/generate/components/secrets.go:28",
                "kubevirt-*-certs": (
                    "pkg/virt-operator/resource/generate/components/secrets.go:30",
                    {"namespaces": "kubevirt"},
                ),
            },
        },
    ),
    (
        "Kueue",
        "github.com/kubernetes-sigs/kueue",
        {
            "Secret": {
                "kueue-webhook-server-cert": "apis/config/v1beta2/defaults.go (DefaultWebhookSecretName)",
            }
        },
    ),
    (
        "Kyverno",
        "github.com/kyverno/kyverno",
        {
            "ConfigMap": {
                "kyverno": "pkg/config/config.go (INIT_CONFIG)",
                "kyverno-metrics": "pkg/config/config.go (METRICS_CONFIG)",
            },
            "Secret": {
                "kyverno-cleanup-controller.kyverno.svc.kyverno-tls-ca": "cmd/cleanup-controller/main.go:170",
                "kyverno-cleanup-controller.kyverno.svc.kyverno-tls-pair": "cmd/cleanup-controller/main.go:444",
                "kyverno-svc.kyverno.svc.kyverno-tls-ca": "pkg/tls/renewer.go (getSecret)",
                "kyverno-svc.kyverno.svc.kyverno-tls-pair": "pkg/tls/renewer.go (getSecret)",
                "*.metering.kyverno-tls-ca": (
                    "cmd/internal/metrics.go (flag --metricsCASecretName)",
                    "kyverno",
                ),
                "*.metering.kyverno-tls-pair": (
                    "cmd/internal/metrics.go (flag --metricsTLSSecretName)",
                    "kyverno",
                ),
            },
        },
    ),
    (
        "Linkerd",
        "github.com/linkerd/linkerd2",
        {
            "ConfigMap": {
                "linkerd-cni-config": "pkg/healthcheck/healthcheck.go (linkerdCNIConfigMapName)",
                "linkerd-config": ("pkg/config/config.go (ConfigConfigMapName)", "linkerd"),
                "linkerd-identity-trust-roots": "pkg/healthcheck/healthcheck.go (FetchTrustBundle)",
                "prometheus-config": (
                    "viz/pkg/healthcheck/healthcheck.go:289",
                    {"labels": {"linkerd.io/extension": "viz"}},
                ),
            },
            "Secret": {
                "linkerd-config-overrides": "cli/cmd/upgrade.go:272",
                "linkerd-identity-issuer": "pkg/issuercerts/issuercerts.go (IdentityIssuerSecretName)",
                "linkerd-policy-validator-k8s-tls": "pkg/healthcheck/healthcheck.go:1159",
                "linkerd-proxy-injector-k8s-tls": "pkg/healthcheck/healthcheck.go (proxyInjectorTLSSecretName)",
                "linkerd-proxy-injector-tls": "pkg/healthcheck/healthcheck.go (proxyInjectorOldTLSSecretName)",
                "linkerd-sp-validator-k8s-tls": "pkg/healthcheck/healthcheck.go (spValidatorTLSSecretName)",
                "linkerd-sp-validator-tls": "pkg/healthcheck/healthcheck.go (spValidatorOldTLSSecretName)",
                "tap-k8s-tls": "viz/pkg/healthcheck/healthcheck.go (tapTLSSecretName)",
            },
        },
    ),
    # It mounts the scripts of this ConfigMap in pods that it makes for each volume, and looks up
    # what no option names.
    (
        "Litmus",
        "github.com/litmuschaos/litmus",
        {
            "ConfigMap": {
                "subscriber-config": "chaoscenter/subscriber/pkg/k8s/operations.go (InfraConfigName)",
            },
            "Secret": {
                "subscriber-secret": "chaoscenter/subscriber/pkg/k8s/operations.go (InfraSecretName)",
            },
        },
    ),
    (
        "Local Path Provisioner",
        "github.com/rancher/local-path-provisioner",
        {
            "ConfigMap": {
                "local-path-config": "main.go (DefaultConfigMapName), provisioner.go:749",
            }
        },
    ),
    (
        "Longhorn",
        "github.com/longhorn/longhorn-manager",
        {
            "ConfigMap": {
                "longhorn-default-resource": "types/types.go (DefaultDefaultResourceConfigMapName)",
                "longhorn-default-setting": "types/types.go (DefaultDefaultSettingConfigMapName)",
                "longhorn-storageclass": "types/types.go (DefaultStorageClassConfigMapName)",
                "recovery-backend-*": (
                    "types/types.go (GetConfigMapNameFromHostname)",
                    {"namespaces": "longhorn-system"},
                ),
            },
            "Secret": {
                "longhorn-grpc-tls": "types/types.go (TLSSecretName)",
                "longhorn-webhook-ca": "types/webhook.go (CaName)",
                "longhorn-webhook-tls": "types/webhook.go (CertName)",
            },
        },
    ),
    (
        "MetalLB",
        "github.com/metallb/metallb",
        {
            "ConfigMap": {
                "bgpextras": "internal/k8s/controllers/config_controller.go (bgpExtrasConfigName)",
            },
            "Secret": {
                "metallb-memberlist": "controller/main.go (METALLB_ML_SECRET_NAME)",
                "metallb-webhook-cert": "controller/main.go (flag --webhook-secret)",
            },
        },
    ),
    (
        "MetalLB",
        "github.com/metallb/frr-k8s",
        {
            "Secret": {
                "frr-k8s-webhook-server-cert": "cmd/statuscleaner/main.go (webhookSecretName)",
            }
        },
    ),
    (
        "MinIO operator",
        "github.com/minio/operator",
        {
            "Secret": {
                "minio-prom-additional-scrape-config": "pkg/apis/minio.min.io/v2/constants.go:222",
                "sts-tls": (
                    "pkg/controller/sts.go (STSTLSSecretName)",
                    {"namespaces": "minio-operator"},
                ),
                "operator-ca-tls*": (
                    "pkg/controller/operator.go (OperatorCATLSSecretName)",
                    {"namespaces": "minio-operator"},
                ),
            }
        },
    ),
    (
        "Nephio",
        "github.com/nephio-project/nephio",
        {
            "Secret": {
                "git-user-secret": "controllers/pkg/giteaclient/giteaclient.go (GIT_SECRET_NAME)"
            }
        },
    ),
    (
        "NGINX Ingress Controller (F5)",
        "github.com/nginx/kubernetes-ingress",
        {
            "ConfigMap": {
                "nginx-config": (
                    "deployments/deployment/nginx-ingress.yaml:93",
                    {"namespaces": "nginx-ingress"},
                ),
                "nginx-config-mgmt": (
                    "deployments/deployment/nginx-plus-ingress.yaml:97",
                    {"namespaces": "nginx-ingress"},
                ),
                "nginx-ingress": (
                    "charts/nginx-ingress/templates/_helpers.tpl:317",
                    "nginx-ingress-controller-f5",
                ),
            },
            "Secret": {
                "default-server-secret": (
                    "deployments/deployment/nginx-ingress.yaml:96",
                    {"namespaces": "nginx-ingress"},
                ),
            },
        },
    ),
    (
        "NVIDIA GPU operator",
        "github.com/NVIDIA/gpu-operator",
        {
            "ConfigMap": {
                "gpu-operator-trusted-ca": "controllers/object_controls.go (TrustedCAConfigMapName)",
            }
        },
    ),
    (
        "OPA kube-mgmt",
        "github.com/open-policy-agent/kube-mgmt",
        {
            "ConfigMap": {
                "*": (
                    "cmd/kube-mgmt/main.go (policy-label)",
                    {"labels": {"openpolicyagent.org/policy": "rego"}},
                ),
            }
        },
    ),
    (
        "OPA kube-mgmt",
        "github.com/open-policy-agent/kube-mgmt",
        {
            "ConfigMap": {
                "*": (
                    "cmd/kube-mgmt/main.go (data-label)",
                    {"labels": {"openpolicyagent.org/data": "opa"}},
                ),
            }
        },
    ),
    (
        "Open Cluster Management",
        "github.com/open-cluster-management-io/ocm",
        {
            "ConfigMap": {
                "ca-bundle-configmap": (
                    "pkg/operator/helpers/queuekey.go:48",
                    {"namespaces": "open-cluster-management-hub"},
                ),
                "ocm-tls-profile": "pkg/common/options/options.go:149",
            },
            "Secret": {
                "addon-webhook-serving-cert": "pkg/operator/helpers/queuekey.go (AddonWebhookSecret)",
                "bootstrap-hub-kubeconfig": "pkg/operator/helpers/queuekey.go (BootstrapHubKubeConfig)",
                "cluster-import-config": "pkg/registration/hub/importer/importer.go (clusterImportConfigSecret)",
                "external-hub-kubeconfig": "pkg/operator/helpers/queuekey.go (ExternalHubKubeConfig)",
                "external-managed-kubeconfig": "pkg/operator/helpers/queuekey.go (ExternalManagedKubeConfig)",
                "external-managed-kubeconfig-agent": "pkg/operator/helpers/queuekey.go:38",
                "external-managed-kubeconfig-registration": "pkg/operator/helpers/queuekey.go:32",
                "external-managed-kubeconfig-work": "pkg/operator/helpers/queuekey.go:35",
                "grpc-server-serving-cert": (
                    "pkg/operator/helpers/queuekey.go:50",
                    {"namespaces": "open-cluster-management-hub"},
                ),
                "hub-kubeconfig-secret": "pkg/operator/helpers/queuekey.go (HubKubeConfig)",
                "open-cluster-management-image-pull-credentials": "pkg/operator/helpers/helpers.go:76",
                "registration-webhook-serving-cert": "pkg/operator/helpers/queuekey.go:40",
                "signer-secret": (
                    "pkg/operator/helpers/queuekey.go (SignerSecret)",
                    {"namespaces": "open-cluster-management-hub"},
                ),
                "work-driver-config": "pkg/operator/helpers/helpers.go (WorkDriverConfigSecret)",
                "work-webhook-serving-cert": "pkg/operator/helpers/queuekey.go (WorkWebhookSecret)",
            },
        },
    ),
    (
        "OpenCost",
        "github.com/opencost/opencost",
        {
            "ConfigMap": {
                "metrics-config": ("pkg/env/costmodelenv.go:251", {"namespaces": "opencost"}),
                "pricing-configs": "pkg/env/costmodelenv.go:247",
            }
        },
    ),
    (
        "OpenFaaS",
        "github.com/openfaas/faas-netes",
        {
            "Secret": {
                "*": (
                    "pkg/k8s/secrets.go (secretLabel)",
                    {"labels": {"app.kubernetes.io/managed-by": "openfaas"}},
                ),
            }
        },
    ),
    (
        "OpenKruise",
        "github.com/openkruise/kruise",
        {
            "ConfigMap": {
                "kruise-configuration": "pkg/util/configuration/configuration.go (KruiseConfigurationName)",
            },
            "Secret": {
                "kruise-webhook-certs": "pkg/webhook/util/util.go:41",
            },
        },
    ),
    (
        "OpenShift console",
        "github.com/openshift/console-operator",
        {
            "ConfigMap": {
                "console-config": (
                    "pkg/api/api.go (OpenShiftConsoleConfigMapName)",
                    "openshift-console",
                ),
                "console-public": ("pkg/api/api.go:31", {"namespaces": "openshift-config-managed"}),
                "default-ingress-cert": (
                    "pkg/api/api.go (DefaultIngressCertConfigMapName)",
                    "openshift-console",
                ),
                "monitoring-shared-config": (
                    "pkg/api/api.go:33",
                    {"namespaces": "openshift-config-managed"},
                ),
                "oauth-serving-cert": (
                    "pkg/api/api.go (OAuthServingCertConfigMapName)",
                    "openshift-console",
                ),
                "trusted-ca-bundle": (
                    "pkg/api/api.go (TrustedCAConfigMapName)",
                    {"namespaces": "openshift-console"},
                ),
            },
            "Secret": {
                "console-oauth-config": (
                    "pkg/console/controllers/oauthclientsecret/oauthclientsecret.go:99",
                    {"namespaces": "openshift-console"},
                ),
                "session-secret": ("pkg/api/api.go (SessionSecretName)", "openshift-console"),
            },
        },
    ),
    (
        "OpenShift kube-apiserver",
        "github.com/openshift/cluster-kube-apiserver-operator",
        {
            "ConfigMap": {
                "csr-controller-ca": (
                    "pkg/operator/resourcesynccontroller",
                    "openshift-kube-apiserver",
                ),
                "etcd-serving-ca": (
                    "pkg/operator/resourcesynccontroller",
                    "openshift-kube-apiserver",
                ),
                "initial-sa-token-signing-certs": (
                    "pkg/operator/resourcesynccontroller",
                    "openshift-kube-apiserver",
                ),
                "kube-apiserver-aggregator-client-ca": (
                    "pkg/operator/resourcesynccontroller",
                    "openshift-kube-apiserver",
                ),
                "kube-apiserver-client-ca": (
                    "pkg/operator/resourcesynccontroller",
                    "openshift-kube-apiserver",
                ),
            },
            "Secret": {
                "etcd-client": ("pkg/operator/resourcesynccontroller", "openshift-kube-apiserver"),
            },
        },
    ),
    (
        "OpenShift library-go",
        "github.com/openshift/library-go",
        {
            "ConfigMap": {
                "bootstrap": (
                    "pkg/operator/bootstrap/bootstrap.go:25",
                    {"namespaces": "kube-system"},
                ),
                "etcd-endpoints": (
                    "pkg/operator/configobserver/etcd/observe_etcd_endpoints.go:18",
                    {"namespaces": "openshift-etcd"},
                ),
                "kube-cloud-config": (
                    "pkg/operator/configobserver/cloudprovider/observe_cloudprovider.go:16",
                    {"namespaces": "openshift-config-managed"},
                ),
                "unsupported-cert-rotation-config": "pkg/operator/certrotation/config.go:19",
            }
        },
    ),
    (
        "OpenShift monitoring",
        "github.com/openshift/cluster-monitoring-operator",
        {
            "ConfigMap": {
                "alertmanager-trusted-ca-bundle": (
                    "pkg/operator/operator.go:166",
                    {"namespaces": "openshift-monitoring"},
                ),
                "cluster-monitoring-config": "cmd/operator/main.go (configmap)",
                "kubelet-serving-ca": (
                    "pkg/operator/operator.go:164",
                    {"namespaces": "openshift-config-managed"},
                ),
                "telemeter-trusted-ca-bundle": (
                    "pkg/operator/operator.go:165",
                    {"namespaces": "openshift-monitoring"},
                ),
                "user-workload-monitoring-config": "cmd/operator/main.go (userWorkloadConfigMapName)",
            },
            "Secret": {
                "alert-relabel-configs": (
                    "pkg/alert/relabel_controller.go (secretName)",
                    {"namespaces": "openshift-monitoring"},
                ),
                "federate-client-certs": (
                    "pkg/operator/operator.go:523",
                    {"namespaces": "openshift-monitoring"},
                ),
                "metrics-client-certs": (
                    "pkg/operator/operator.go:499",
                    {"namespaces": "openshift-monitoring"},
                ),
            },
        },
    ),
    (
        "OpenShift network",
        "github.com/openshift/cluster-network-operator",
        {
            "ConfigMap": {
                "cluster-config-v1": (
                    "pkg/controller/proxyconfig/controller.go:205",
                    {"namespaces": "kube-system"},
                ),
                "cni-sysctl-allowlist": "pkg/names/names.go (AllowlistConfigName)",
                "gateway-mode-config": (
                    "pkg/network/ovn_kubernetes.go:1400",
                    {"namespaces": "openshift-network-operator"},
                ),
                "hardware-offload-config": (
                    "pkg/network/ovn_kubernetes.go:1038",
                    {"namespaces": "openshift-network-operator"},
                ),
                "mtu": (
                    "pkg/util/util.go (MTU_CM_NAME)",
                    {"namespaces": "openshift-network-operator"},
                ),
                "openshift-service-ca.crt": "pkg/hypershift/hypershift.go:108",
                "ovn-kubernetes-config-overrides": "pkg/network/ovn_kubernetes.go:79",
                "ovs-flows-config": (
                    "pkg/network/ovn_kubernetes.go:78",
                    {"namespaces": "openshift-network-operator"},
                ),
                "trusted-ca-bundle": (
                    "pkg/names/names.go:124",
                    {"namespaces": "openshift-config-managed"},
                ),
                "applied-*": (
                    "pkg/names/names.go (APPLIED_PREFIX)",
                    {"namespaces": "openshift-network-operator"},
                ),
            },
            "Secret": {
                "signer-ca": (
                    "pkg/controller/signer/signer-controller.go:160",
                    {"namespaces": "openshift-ovn-kubernetes"},
                ),
            },
        },
    ),
    (
        "OpenTelemetry operator",
        "github.com/open-telemetry/opentelemetry-operator",
        {
            "ConfigMap": {
                "opentelemetry-collector": (
                    "internal/openshift/dashboards/dashboards.go (configMapName)",
                    {"namespaces": "openshift-config-managed"},
                ),
                "serving-certs-ca-bundle": (
                    "internal/operator-metrics/metrics.go:31",
                    {"namespaces": "openshift-monitoring"},
                ),
            }
        },
    ),
    (
        "Patroni",
        "github.com/patroni/patroni",
        {
            "ConfigMap": {
                "*-config": ("patroni/dcs/kubernetes.py (_cluster_from_nodes)", "patroni"),
                "*-failover": ("patroni/dcs/kubernetes.py (_cluster_from_nodes)", "patroni"),
                "*-leader": ("patroni/dcs/kubernetes.py (_cluster_from_nodes)", "patroni"),
                "*-sync": ("patroni/dcs/kubernetes.py (_cluster_from_nodes)", "patroni"),
            }
        },
    ),
    (
        "Percona operator for MongoDB",
        "github.com/percona/percona-server-mongodb-operator",
        {
            "Secret": {
                "percona-server-mongodb-users": "pkg/apis/psmdb/v1/psmdb_defaults.go (defaultUsersSecretName)",
            }
        },
    ),
    (
        "Prometheus operator",
        "github.com/prometheus-operator/prometheus-operator",
        {
            "Secret": {
                "alertmanager-*": (
                    "pkg/alertmanager/operator.go (loadConfigurationFromSecret)",
                    "prometheus-operator",
                ),
            }
        },
    ),
    (
        "Prow",
        "github.com/kubernetes-sigs/prow",
        {
            "ConfigMap": {
                "config": ("pkg/plugins/config.go (SetDefaults)", "prow"),
                "plugins": ("pkg/plugins/config.go (SetDefaults)", "prow"),
                # Its hook writes whatever `config_updater.maps` of its plugins.yaml names.
                "*": ("pkg/plugins/updateconfig/updateconfig.go:504", {"labels": {"app": "prow"}}),
            },
            "Secret": {
                "hmac-token": ("cmd/tackle/main.go:729", "prow"),
            },
        },
    ),
    (
        "Rancher",
        "github.com/rancher/rancher",
        {
            "ConfigMap": {
                "full-cluster-state": (
                    "pkg/controllers/management/certsexpiration/certsexpiration.go:25",
                    {"namespaces": "kube-system"},
                ),
                "rancher-config": (
                    "pkg/controllers/dashboard/chart/chart.go (CustomValueMapName)",
                    "rancher",
                ),
            },
            "Secret": {
                "api-extension": (
                    "pkg/ext/rdp.go (apiExtSecretName)",
                    {"namespaces": "cattle-system"},
                ),
                "api-extension-ca-name": (
                    "pkg/ext/rdp.go (certSecretName)",
                    {"namespaces": "cattle-system"},
                ),
                "azuread-access-token": "pkg/auth/providers/azure/clients/ms_graph_client.go:34",
                "bootstrap-secret": (
                    "pkg/data/management/bootstrap_password.go:17",
                    {"namespaces": "cattle-system"},
                ),
                "full-cluster-state": (
                    "pkg/controllers/management/certsexpiration/certsexpiration.go:26",
                    {"namespaces": "kube-system"},
                ),
                "oidc-signing-key": (
                    "pkg/oidc/provider/jwks.go (keySecretName)",
                    {"namespaces": "cattle-system"},
                ),
                "stv-aggregation": "pkg/controllers/managementuser/cavalidator/cavalidator.go:27",
                "tls-additional": (
                    "pkg/controllers/capr/machineprovision/controller.go:859",
                    {"namespaces": "cattle-system"},
                ),
                "tls-ca-additional": (
                    "pkg/controllers/dashboard/hostedcluster/controller.go:253",
                    {"namespaces": "cattle-system"},
                ),
                "tls-rancher": "pkg/tls/tls.go:288",
                "tls-rancher-internal": "pkg/tls/tls.go:115",
                "tls-rancher-internal-ca": "pkg/tls/tls.go:112",
                "cattle-credentials-*": (
                    "pkg/agent/clean/credentials.go (cattle-credentials-)",
                    {"namespaces": "cattle-system"},
                ),
            },
        },
    ),
    (
        "Rook",
        "github.com/rook/rook",
        {
            "ConfigMap": {
                "osd-migration-config": "pkg/operator/ceph/cluster/osd/migrate.go (OSDMigrationConfigName)",
                "rook-ceph-csi-config": "pkg/operator/ceph/csi/config.go (ConfigName)",
                "rook-ceph-csi-mapping-config": "pkg/operator/ceph/csi/peermap/config.go (mappingConfigName)",
                "rook-ceph-mon-endpoints": "pkg/operator/ceph/controller/cluster_info.go:59",
                "rook-ceph-operator-config": "pkg/operator/k8sutil/configmap.go:86",
                "rook-ceph-osd-env-override": "pkg/operator/ceph/cluster/osd/envs.go (osdConfigMapOverrideName)",
                "rook-ceph-pdbstatemap": "pkg/operator/ceph/disruption/clusterdisruption/reconcile.go:43",
                "rook-config-override": "pkg/operator/k8sutil/pod.go (ConfigOverrideName)",
                "local-device-*": (
                    "pkg/daemon/discover/discover.go (LocalDiskCMName)",
                    {"namespaces": "rook-ceph"},
                ),
                "rook-config-override-*": (
                    "pkg/operator/ceph/cluster/osd/spec.go:137",
                    {"namespaces": "rook-ceph"},
                ),
            },
            "Secret": {
                "rgw-admin-ops-user": "pkg/operator/ceph/object/admin.go (RGWAdminOpsUserSecretName)",
                "rook-ceph-config": "pkg/operator/ceph/config/store.go (StoreName)",
                "rook-ceph-dashboard-password": "pkg/operator/ceph/cluster/mgr/dashboard.go:47",
                "rook-ceph-mon": "pkg/operator/ceph/controller/cluster_info.go (AppName)",
                "rook-ceph-operator-creds": "pkg/operator/ceph/controller/cluster_info.go (OperatorCreds)",
                "rook-csi-cephfs-node": "pkg/operator/ceph/csi/secrets.go (CsiCephFSNodeSecret)",
                "rook-csi-cephfs-provisioner": "pkg/operator/ceph/csi/secrets.go (CsiCephFSProvisionerSecret)",
                "rook-csi-rbd-node": "pkg/operator/ceph/csi/secrets.go (CsiRBDNodeSecret)",
                "rook-csi-rbd-provisioner": "pkg/operator/ceph/csi/secrets.go (CsiRBDProvisionerSecret)",
            },
        },
    ),
    (
        "SAP BTP service operator",
        "github.com/SAP/sap-btp-service-operator",
        {
            "Secret": {
                "sap-btp-service-operator": "internal/utils/secret_resolver.go (SAPBTPOperatorSecretName)",
                "sap-btp-service-operator-tls": "internal/utils/secret_resolver.go (SAPBTPOperatorTLSSecretName)",
                "*-sap-btp-service-operator": (
                    "internal/utils/secret_resolver.go (GetSecretForResource)",
                    {"namespaces": "sap-btp-operator"},
                ),
            }
        },
    ),
    (
        "Sealed Secrets",
        "github.com/bitnami-labs/sealed-secrets",
        {
            "Secret": {
                "sealed-secrets-key": "cmd/controller/main.go (key-prefix)",
                "sealed-secrets-key*": (
                    "pkg/controller/keys.go (GenerateName)",
                    {"labels": {"sealedsecrets.bitnami.com/sealed-secrets-key": "active"}},
                ),
            }
        },
    ),
    (
        "Seldon Core",
        "github.com/SeldonIO/seldon-core",
        {
            "ConfigMap": {
                "seldon-agent": "scheduler/pkg/agent/config/config.go (ConfigMapName)",
                "seldon-scaling": "scheduler/pkg/scaling/config/config.go (ConfigMapName)",
            }
        },
    ),
    (
        "Spark operator",
        "github.com/kubeflow/spark-operator",
        {
            "Secret": {
                "spark-operator-webhook-certs": "cmd/operator/webhook/start.go (webhook-secret-name)",
            }
        },
    ),
    (
        "SPIRE",
        "github.com/spiffe/spire",
        {
            "ConfigMap": {
                "spire-bundle": "pkg/server/plugin/notifier/k8sbundle/k8sbundle.go:44",
            }
        },
    ),
    (
        "SR-IOV network operator",
        "github.com/k8snetworkplumbingwg/sriov-network-operator",
        {
            "ConfigMap": {
                "device-plugin-config": (
                    "pkg/consts/constants.go (ConfigMapName)",
                    {"namespaces": "sriov-network-operator openshift-sriov-network-operator"},
                ),
                "supported-nic-ids": "api/v1/helper.go (SupportedNicIDConfigmap)",
            }
        },
    ),
    (
        "Strimzi",
        "github.com/strimzi/strimzi-kafka-operator",
        {
            "Secret": {
                "*-clients-ca": (
                    "api/src/main/java/io/strimzi/api/kafka/model/kafka/KafkaResources.java:49",
                    "strimzi",
                ),
                "*-clients-ca-cert": (
                    "api/src/main/java/io/strimzi/api/kafka/model/kafka/KafkaResources.java:40",
                    "strimzi",
                ),
                "*-cluster-ca": (
                    "api/src/main/java/io/strimzi/api/kafka/model/kafka/KafkaResources.java:31",
                    "strimzi",
                ),
                "*-cluster-ca-cert": (
                    "api/src/main/java/io/strimzi/api/kafka/model/kafka/KafkaResources.java:22",
                    "strimzi",
                ),
            }
        },
    ),
    (
        "Strimzi Drain Cleaner",
        "github.com/strimzi/drain-cleaner",
        {
            "Secret": {
                "strimzi-drain-cleaner": "src/main/resources/application.properties:15",
            }
        },
    ),
    (
        "Submariner",
        "github.com/submariner-io/submariner-operator",
        {
            "ConfigMap": {
                "dns-default": (
                    "controllers/servicediscovery/servicediscovery_controller.go:71",
                    {"namespaces": "openshift-dns"},
                ),
                "submariner-clustersetip-info": "pkg/discovery/clustersetip/config_map.go:37",
                "submariner-globalnet-info": "pkg/discovery/globalnet/config_map.go (globalCIDRConfigMapName)",
            }
        },
    ),
    (
        "Tekton operator",
        "github.com/tektoncd/operator",
        {
            "ConfigMap": {
                "config-logging": (
                    "config/kubernetes/base/webhook.yaml (CONFIG_LOGGING_NAME)",
                    "tekton-operator",
                ),
                "pipelines-as-code": "pkg/reconciler/shared/tektonconfig/upgrade/pre_upgrade.go:242",
                "tekton-config-observability": "config/kubernetes/base/operator.yaml:62",
                "tekton-operator-controller-config-leader-election": "config/kubernetes/base/operator.yaml:64",
                "tekton-operator-webhook-config-leader-election": "config/kubernetes/base/webhook.yaml:51",
                "tekton-pruner-default-spec": "pkg/reconciler/shared/tektonconfig/upgrade/pre_upgrade.go:137",
            },
            "Secret": {
                "proxy-webhook-certs": "cmd/kubernetes/proxy-webhook/main.go (WEBHOOK_SECRET_NAME)",
                "tekton-operator-webhook-certs": "cmd/kubernetes/webhook/main.go (WEBHOOK_SECRET_NAME)",
                "tekton-results-postgres": "pkg/reconciler/kubernetes/tektonresult/tektonresult.go:55",
                "tekton-results-tls": "pkg/reconciler/kubernetes/tektonresult/tektonresult.go (TlsSecretName)",
            },
        },
    ),
    (
        "Tekton Pipelines",
        "github.com/tektoncd/pipeline",
        {
            "ConfigMap": {
                "bundleresolver-config": "pkg/resolution/resolver/bundle/resolver.go (ConfigMapName)",
                "cluster-resolver-config": "pkg/resolution/resolver/cluster/resolver.go (ConfigMapName)",
                "config-defaults": (
                    "pkg/apis/config/default.go (CONFIG_DEFAULTS_NAME)",
                    "tekton-pipelines",
                ),
                "config-events": (
                    "pkg/apis/config/events.go (CONFIG_EVENTS_NAME)",
                    "tekton-pipelines",
                ),
                "config-leader-election-controller": "config/controller.yaml (CONFIG_LEADERELECTION_NAME)",
                "config-leader-election-events": "config/events.yaml (CONFIG_LEADERELECTION_NAME)",
                "config-leader-election-resolvers": "config/resolvers/resolvers-deployment.yaml:112",
                "config-leader-election-webhook": "config/webhook.yaml (CONFIG_LEADERELECTION_NAME)",
                "config-observability": ("pkg/apis/config/metrics_tls.go:15", "tekton-pipelines"),
                "config-spire": (
                    "pkg/apis/config/spire_config.go (SpireConfigMapName)",
                    "tekton-pipelines",
                ),
                "config-tracing": (
                    "pkg/apis/config/tracing.go (CONFIG_TRACING_NAME)",
                    "tekton-pipelines",
                ),
                "config-wait-exponential-backoff": "pkg/apis/config/wait_exponential_backoff.go:75",
                "feature-flags": ("pkg/apis/config/feature_flags.go:252", "tekton-pipelines"),
                "git-resolver-config": "pkg/resolution/resolver/git/resolver.go (ConfigMapName)",
                "http-resolver-config": "pkg/remoteresolution/resolver/http/resolver.go (configMapName)",
                "hubresolver-config": "pkg/remoteresolution/resolver/hub/resolver.go (configMapName)",
                "resolver-cache-config": "pkg/remoteresolution/resolver/framework/cache/configstore.go:36",
                "resolvers-feature-flags": "pkg/apis/config/resolver/feature_flags.go:67",
            },
            "Secret": {
                "webhook-certs": ("config/webhook.yaml (WEBHOOK_SECRET_NAME)", "tekton-pipelines"),
            },
        },
    ),
    (
        "Tekton Pipelines",
        "github.com/knative/pkg",
        {
            "ConfigMap": {
                "config-logging": ("logging/config.go (CONFIG_LOGGING_NAME)", "tekton-pipelines"),
                "config-*": (
                    "configmap/informer/informed_watcher.go (InformedWatcher)",
                    "tekton-pipelines",
                ),
            }
        },
    ),
    (
        "Tekton Triggers",
        "github.com/tektoncd/triggers",
        {
            "ConfigMap": {
                "config-defaults-triggers": "pkg/apis/config/default.go (CONFIG_DEFAULTS_NAME)",
                "config-leader-election-triggers-controller": "config/controller.yaml",
                "config-leader-election-triggers-controllers": "config/controller.yaml:125",
                "config-leader-election-triggers-webhook": "config/webhook.yaml (CONFIG_LEADERELECTION_NAME)",
                "config-logging-triggers": "config/controller.yaml (CONFIG_LOGGING_NAME)",
                "config-observability-triggers": "config/controller.yaml (CONFIG_OBSERVABILITY_NAME)",
                "feature-flags-triggers": "pkg/apis/config/feature_flags.go (CONFIG_FEATURE_FLAGS_NAME)",
            },
            "Secret": {
                "tekton-triggers-core-interceptors-certs": "config/interceptors/core-interceptors-deployment.yaml:74",
                "triggers-webhook-certs": "config/webhook.yaml (WEBHOOK_SECRET_NAME)",
            },
        },
    ),
    (
        "Trivy operator",
        "github.com/aquasecurity/trivy-operator",
        {
            "ConfigMap": {
                "trivy-operator": "pkg/trivyoperator/constants.go (ConfigMapName)",
                "trivy-operator-policies-config": "pkg/trivyoperator/constants.go (PoliciesConfigMapName)",
                "trivy-operator-trivy-config": "pkg/trivyoperator/constants.go (TrivyConfigMapName)",
            },
            "Secret": {
                "trivy-operator": "pkg/trivyoperator/constants.go (SecretName)",
                "trivy-operator-trivy-config": "pkg/trivyoperator/plugin.go (trivy-operator-)",
            },
        },
    ),
    (
        "Vault Secrets Operator",
        "github.com/hashicorp/vault-secrets-operator",
        {
            "ConfigMap": {
                "*": (
                    "vault/configmap.go (controller-manager)",
                    {
                        "labels": {
                            "app.kubernetes.io/component": "controller-manager",
                            "app.kubernetes.io/name": "vault-secrets-operator",
                        }
                    },
                ),
            },
            "Secret": {
                "vso-cc-storage-hmac-key": "vault/cache_storage.go (storage-hmac-key)",
            },
        },
    ),
    (
        "vCluster",
        "github.com/loft-sh/vcluster",
        {
            "Secret": {
                "vc-config-*": (
                    "pkg/setup/config/config.go (vc-config-)",
                    {"labels": {"app": "vcluster"}},
                ),
            }
        },
    ),
    (
        "Velero",
        "github.com/vmware-tanzu/velero",
        {
            "ConfigMap": {
                "enableapigroupversions": "pkg/restore/prioritize_group_version.go:226",
                "velero-repo-maintenance": "pkg/cmd/server/config/config.go (repo-maintenance-job-configmap)",
                "*": (
                    "pkg/restore/actions/change_storageclass_action.go (velero.io/change-storage-class)",
                    {
                        "labels": {
                            "velero.io/plugin-config": "*",
                            "velero.io/change-storage-class": "RestoreItemAction",
                        }
                    },
                ),
            }
        },
    ),
    (
        "Velero",
        "github.com/vmware-tanzu/velero",
        {
            "ConfigMap": {
                "*": (
                    "pkg/restore/actions/change_image_name_action.go (velero.io/change-image-name)",
                    {
                        "labels": {
                            "velero.io/plugin-config": "*",
                            "velero.io/change-image-name": "RestoreItemAction",
                        }
                    },
                ),
            }
        },
    ),
    (
        "Velero",
        "github.com/vmware-tanzu/velero",
        {
            "ConfigMap": {
                "*": (
                    "pkg/restore/actions/pod_volume_restore_action.go (velero.io/pod-volume-restore)",
                    {
                        "labels": {
                            "velero.io/plugin-config": "*",
                            "velero.io/pod-volume-restore": "RestoreItemAction",
                        }
                    },
                ),
            },
            "Secret": {
                "cloud-credentials": ("pkg/install/resources.go:211", "velero"),
                "velero-repo-credentials": "pkg/repository/keys/keys.go (credentialsSecretName)",
            },
        },
    ),
    (
        "vSphere CSI driver",
        "github.com/kubernetes-sigs/vsphere-csi-driver",
        {
            "ConfigMap": {
                "cns-csi-limits": "pkg/csi/service/common/constants.go (ConfigMapCSILimits)",
                "csi-feature-states": (
                    "pkg/common/config/config.go:59",
                    {"namespaces": "vmware-system-csi"},
                ),
                "encrypted-storage-class-names": "pkg/common/cns-lib/crypto/internal/storageclass.go:41",
                "internal-feature-states.csi.vsphere.vmware.com": "pkg/common/config/config.go:62",
                "wcp-network-config": (
                    "pkg/syncer/cnsoperator/util/util.go:83",
                    {"namespaces": "kube-system"},
                ),
            }
        },
    ),
    (
        "Weave Net",
        "github.com/weaveworks/weave",
        {
            "ConfigMap": {
                "weave-net": "prog/kube-utils/peerlist.go (configMapName)",
            }
        },
    ),
    (
        "Zalando postgres-operator",
        "github.com/zalando/postgres-operator",
        {
            "ConfigMap": {
                "postgres-operator": (
                    "manifests/postgres-operator.yaml:38",
                    "zalando-postgres-operator",
                ),
            },
            "Secret": {
                "*.credentials.postgresql.acid.zalan.do": "pkg/util/config/config.go (SecretNameTemplate)",
            },
        },
    ),
)

NAMED_AFTER = {
    ("elasticsearch.k8s.elastic.co", "Elasticsearch"): (
        "ECK",
        "github.com/elastic/cloud-on-k8s pkg/apis/elasticsearch/v1/name.go, pkg/controller/common/certificates/secret.go, pkg/controller/common/certificates/ca_reconcile.go",
        {
            "Secret": "{}-es-elastic-user {}-es-internal-users {}-es-xpack-file-realm {}-es-secure-settings {}-es-keystore-password {}-es-file-settings {}-es-policy-config {}-es-license {}-es-remote-ca {}-es-remote-api-keys {}-es-http-certs-* {}-es-http-ca-internal {}-es-transport-certs-public {}-es-transport-ca-internal",
            "ConfigMap": "{}-es-scripts {}-es-unicast-hosts",
        },
    ),
    ("kibana.k8s.elastic.co", "Kibana"): (
        "ECK",
        "github.com/elastic/cloud-on-k8s pkg/apis/kibana/v1/name.go, pkg/controller/common/certificates/secret.go, pkg/controller/common/certificates/ca_reconcile.go",
        {"Secret": "{}-kb-config {}-kb-http-certs-* {}-kb-http-ca-internal"},
    ),
    ("rabbitmq.com", "RabbitmqCluster"): (
        "RabbitMQ's cluster operator",
        "github.com/rabbitmq/cluster-operator internal/resource/default_user_secret.go, internal/resource/erlang_cookie.go",
        {"Secret": "{}-default-user {}-erlang-cookie"},
    ),
    ("postgres-operator.crunchydata.com", "PostgresCluster"): (
        "Crunchy's operator for PostgreSQL",
        "github.com/CrunchyData/postgres-operator internal/naming/names.go",
        {
            "Secret": "{}-pguser-* {}-pguser {}-monitoring {}-pgbackrest {}-cluster-cert {}-replication-cert",
            "ConfigMap": "{}-exporter-web-config {}-exporter-queries-config",
        },
    ),
    ("pgv2.percona.com", "PerconaPGCluster"): (
        "Percona's operator for PostgreSQL",
        "github.com/percona/percona-postgresql-operator internal/naming/names.go",
        {
            "Secret": "{}-pguser-* {}-pguser {}-monitoring {}-pgbackrest {}-pgbackrest-client-tls {}-pgbackrest-repo-tls {}-cluster-ca-cert {}-cluster-cert {}-replication-cert",
            "ConfigMap": "{}-exporter-web-config {}-exporter-queries-config",
        },
    ),
    ("psmdb.percona.com", "PerconaServerMongoDB"): (
        "Percona's operator for MongoDB",
        "github.com/percona/percona-server-mongodb-operator pkg/apis/psmdb/v1/psmdb_defaults.go, pkg/apis/psmdb/v1/psmdb_types.go, pkg/naming/naming.go",
        {
            "Secret": "internal-{}-users {}-mongodb-encryption-key {}-mongodb-keyfile {}-ssl {}-ssl-internal {}-custom-user-secret",
            "ConfigMap": "{}-*-mongod {}-mongos",
        },
    ),
    ("pxc.percona.com", "PerconaXtraDBCluster"): (
        "Percona's operator for XtraDB",
        "github.com/percona/percona-xtradb-cluster-operator pkg/apis/pxc/v1/pxc_types.go (CheckNSetDefaults), pkg/controller/pxc/secrets.go, pkg/pxc/app/config/configmap.go",
        {
            "Secret": "{}-secrets internal-{} {}-ssl {}-ssl-internal {}-vault {}-log-collector {}-env-vars-pxc {}-env-vars-haproxy {}-env-vars-proxysql",
            "ConfigMap": "{}-pxc {}-haproxy {}-proxysql {}-logcollector auto-{}-pxc",
        },
    ),
    ("awx.ansible.com", "AWX"): (
        "AWX's operator",
        "github.com/ansible/awx-operator roles/installer/tasks/cleanup.yml, roles/installer/tasks/database_configuration.yml, roles/installer/tasks/resources_configuration.yml, roles/installer/templates/secrets/app_credentials.yaml.j2",
        {
            "Secret": "{}-admin-password {}-postgres-configuration {}-old-postgres-configuration {}-secret-key {}-broadcast-websocket {}-receptor-ca {}-receptor-work-signing {}-app-credentials"
        },
    ),
    ("grafana.integreatly.org", "Grafana"): (
        "Grafana's operator",
        "github.com/grafana/grafana-operator controllers/resources/resources.go",
        {"Secret": "{}-admin-credentials", "ConfigMap": "{}-ini"},
    ),
    ("k8ssandra.io", "K8ssandraCluster"): (
        "K8ssandra's operator",
        "github.com/k8ssandra/k8ssandra-operator pkg/secret/replicated.go (DefaultSuperuserSecretName), pkg/reaper/secrets.go",
        {"Secret": "{}-superuser {}-reaper {}-reaper-ui"},
    ),
    # A user's Secret is named by its database too, which is `admin` unless a field says another.
    ("mongodbcommunity.mongodb.com", "MongoDBCommunity"): (
        "MongoDB's operator",
        "github.com/mongodb/mongodb-kubernetes-operator api/v1/mongodbcommunity_types.go",
        {
            "Secret": "{}-admin-* {}-config {}-agent-password {}-keyfile {}-ca-certificate {}-server-certificate-key {}-prometheus-certificate-key"
        },
    ),
    ("pingcap.com", "TidbCluster"): (
        "TiDB's operator",
        "github.com/pingcap/tidb-operator pkg/util/util.go",
        {
            "Secret": "{}-cluster-client-secret {}-*-cluster-secret {}-tidb-client-secret {}-tidb-server-secret {}-tidb-auth-token-jwks-secret"
        },
    ),
    ("pingcap.com", "DMCluster"): (
        "TiDB's operator",
        "github.com/pingcap/tidb-operator pkg/util/util.go",
        {"Secret": "{}-dm-client-secret {}-*-cluster-secret"},
    ),
    ("postgresql.cnpg.io", "Cluster"): (
        "CloudNativePG",
        "github.com/cloudnative-pg/cloudnative-pg api/v1/cluster_types.go",
        {"Secret": "{}-app {}-superuser {}-ca {}-server {}-replication {}-pull-secret"},
    ),
}

# Where programs are found by name: moby/moby, pkg/system/path_deprecated.go (defaultUnixPathEnv).
FOLDERS_ON_PATH = (
    "/usr/local/sbin",
    "/usr/local/bin",
    "/usr/sbin",
    "/usr/bin",
    "/sbin",
    "/bin",
)

# Ends of images, and programs whose sources were read for all that they look up: PROGRAMS has every
# name of them.
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
    # Only this one of Prow's programs writes ConfigMaps.
    "k8s-infra-prow/images/hook": "Prow",
    "k8s-prow/hook": "Prow",
    # pkg/upgrade of rancher/system-upgrade-controller: nodes, Jobs, and the Secrets of its Plans.
    "rancher/system-upgrade-controller": "System Upgrade Controller",
    # discovery/kubernetes: it lists what can be scraped, and no ConfigMaps or Secrets.
    "prom/prometheus": "Prometheus",
    "prometheus/prometheus": "Prometheus",
    # plugins/filter_kubernetes: pods, namespaces, and `aws-auth`, which is nobody's file.
    "fluent/fluent-bit": "Fluent Bit",
    # src/sources/kubernetes_logs: pods, namespaces and nodes.
    "timberio/vector": "Vector",
    # clients/pkg/promtail of grafana/loki: pods, by the discovery of Prometheus.
    "grafana/promtail": "Promtail",
    # images/mysql-operator-orchestrator of bitpoke/mysql-operator: templates beside the program,
    # which has no client.
    "bitpoke/mysql-operator-orchestrator": "Orchestrator",
    "presslabs/mysql-operator-orchestrator": "Orchestrator",
    "kubescape/operator": "Kubescape",
    # Of ConfigMaps only `aws-auth`, which is nobody's file: pkg/cloudmetadata/metadata.go.
    "kubescape/node-agent": "Kubescape",
    # pkg/chop/config_manager.go: a file, and a Secret that this file names; custom resources name
    # the rest.
    "altinity/clickhouse-operator": "Altinity operator for ClickHouse",
    "altinity/metrics-exporter": "Altinity operator for ClickHouse",
    # pulsar-functions/runtime, KubernetesRuntimeFactory.java: what the setting `changeConfigMap`
    # names.
    "apachepulsar/pulsar": "Pulsar",
    "apachepulsar/pulsar-all": "Pulsar",
    # src/resources.py: it lists by label, or gets what an option names.
    "kiwigrid/k8s-sidecar": "k8s-sidecar",
    # backend/src/cache/client/kubernetes_core.go: pods alone. frontend/server/workflow-helper.ts:
    # `artifact-repositories`, which is not its own, and Secrets that a workflow names.
    "kubeflow/kfp-cache-server": "Kubeflow Pipelines",
    "kubeflow/kfp-frontend": "Kubeflow Pipelines",
    "ml-pipeline/frontend": "Kubeflow Pipelines",
    "ml-pipeline/cache-server": "Kubeflow Pipelines",
    # pkg/reconciler: ConfigMaps of what it installs; config/kubernetes/base/operator.yaml: variables.
    "tektoncd/operator/cmd/kubernetes/operator": "Tekton operator",
    # cmd/operator/main.go: the file of `telemetry-config` has a path by default.
    "openshift/origin-cluster-monitoring-operator": "OpenShift monitoring",
    # go.mod of hyperledger/fabric: no client.
    "hyperledger/fabric-orderer": "Hyperledger Fabric",
    "hyperledger/fabric-peer": "Hyperledger Fabric",
    # src/go/plugin/go.d/agent/discovery/sd/discoverer/kubernetes/pod.go: what variables of live pods reference.
    "netdata/netdata": "Netdata",
}

# Files of a home folder, and whose they are by its manual. A key of this name is for that program, whoever mounts it.
DOTFILES = {
    ".bashrc": "bash",
    ".boto": "gsutil",
    ".condarc": "conda",
    ".curlrc": "curl",
    ".gitconfig": "git",
    ".my.cnf": "MySQL",
    ".netrc": "curl",
    ".npmrc": "npm",
    ".pgpass": "libpq",
    ".psqlrc": "psql",
    ".pypirc": "twine",
    ".s3cfg": "s3cmd",
    ".terraformrc": "Terraform",
    ".vimrc": "Vim",
    ".wgetrc": "Wget",
    ".yarnrc": "Yarn",
}
