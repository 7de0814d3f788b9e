"""Fields that name a ConfigMap or Secret though their own names do not say so.

Most hold the name as text where the ecosystem's habit is a mapping.

A row of FIELDS: groups (none: any), kinds, path, what it names, and options. The path is as in
kustomize: lists are not marked. `{a,b}` in it stands for a row with a and one with b; in another
column, those rows take a and b in turn. The options are those of `FieldRow` in
`core/references/field_rows.py`. `reads` is left out where the consumer reads the value only: it gets the
object through the API, or mounts it at a path that the name is no part of. The sources of what
mounts were read for this: the operators of Spark, NVIDIA, Strimzi, Redis, MinIO, Percona, Zalando,
Cassandra, Loki, Tempo and KubeVirt's CDI mount at fixed paths. Solr's mounts a basicAuthSecret at
/etc/secrets/NAME, and writes that path itself, for its own probe.

DEFAULT_CONFIGS: the Secret that an operator takes for its configuration, by the name of its object,
where none of these fields of the spec is set. WITHOUT_PATHS: its fields that select objects which
name no files.

A row of SELECTORS: a group, its kinds (none: all), and the fields in which a key of a ConfigMap is
selected.
"""

READS = {
    "VictoriaMetrics": {
        "path": "/etc/vm/{secrets,configs}/{}",
        "volume": "{secret,configmap}-{}",
        "source": "github.com/VictoriaMetrics/operator api/operator/v1beta1/vmextra_types.go (SecretsDir, ConfigMapsDir)",
    },
    "StarRocks": {
        "volume": "{} {}-????",
        "source": "github.com/StarRocks/starrocks-kubernetes-operator pkg/k8sutils/templates/pod/mount.go (getVolumeName)",
    },
    "Argo Workflows": {
        "identity": "lock",
        "source": "github.com/argoproj/argo-workflows workflow/sync/lock_name.go (getSemaphoreLockName)",
    },
    "Sveltos": {
        "identity": "source of what it deploys",
        "source": "github.com/projectsveltos/libsveltos lib/deployer/utils.go (ValidateObjectForUpdate: refuses what has come from another one)",
    },
    "Istio": {
        "beside": "-cacert",
        "source": "github.com/istio/istio pilot/pkg/credentials/kube/secrets.go (GetCaCert)",
    },
}

WITHOUT_PATHS = ("dashboardNamespaceSelector", "ruleNamespaceSelector")

DEFAULT_CONFIGS = {
    # prometheus-operator pkg/prometheus/server/operator.go (unmanagedPrometheusConfiguration)
    ("monitoring.coreos.com", "Prometheus"): (
        "prometheus-{}",
        ("serviceMonitorSelector", "podMonitorSelector", "probeSelector", "scrapeConfigSelector"),
    ),
    # prometheus-operator pkg/alertmanager/statefulset.go (defaultConfigSecretName)
    ("monitoring.coreos.com", "Alertmanager"): (
        "alertmanager-{}",
        ("configSecret", "alertmanagerConfiguration"),
    ),
}

FIELDS = (
    ("", "StorageClass", "parameters/secretRef", "Secret"),
    # Prometheus operator
    # (The CRD of ThanosRuler has neither list at present; its other volumes are below /etc/thanos.)
    (
        "monitoring.coreos.com",
        "Prometheus PrometheusAgent",
        "spec/{secrets,configMaps}",
        "{Secret,ConfigMap}",
        {
            "in_pod": True,
            "reads": {
                "path": "/etc/prometheus/{secrets,configmaps}/{}",
                "volume": "{secret,configmap}-{}",
                "source": "github.com/prometheus-operator/prometheus-operator pkg/prometheus/common.go (secretsDir, configmapsDir)",
            },
        },
    ),
    (
        "monitoring.coreos.com",
        "Alertmanager",
        "spec/{secrets,configMaps}",
        "{Secret,ConfigMap}",
        {
            "in_pod": True,
            "reads": {
                "path": "/etc/alertmanager/{secrets,configmaps}/{}",
                "volume": "{secret,configmap}-{}",
                "source": "github.com/prometheus-operator/prometheus-operator pkg/alertmanager/statefulset.go (secretsDir, configmapsDir)",
            },
        },
    ),
    (
        "monitoring.coreos.com",
        "ThanosRuler",
        "spec/{secrets,configMaps}",
        "{Secret,ConfigMap}",
        {
            "in_pod": True,
            "reads": {
                "path": "/etc/thanos/{secrets,configmaps}/{}",
                "volume": "{secret,configmap}-{}",
                "source": "github.com/prometheus-operator/prometheus-operator pkg/thanos/statefulset.go",
            },
        },
    ),
    ("monitoring.coreos.com", "Alertmanager", "spec/configSecret", "Secret"),
    # OpenTelemetry operator
    (
        "opentelemetry.io",
        "OpenTelemetryCollector",
        "spec/configmaps",
        "ConfigMap",
        {
            "in_pod": True,
            "reads": {
                "path": "/var/conf/{mountpath}/configmap-{}",
                "volume": "configmap-{}",
                "source": "github.com/open-telemetry/opentelemetry-operator internal/manifests/collector/container.go, internal/naming/main.go (ConfigMapExtra)",
            },
        },
    ),
    # Keycloak's operator
    (
        "k8s.keycloak.org",
        "Keycloak",
        "spec/truststores/*/{secret,configMap}",
        "{Secret,ConfigMap}",
        {
            "in_pod": True,
            "reads": {
                "path": "/opt/keycloak/conf/truststores/{secret,configmap}-{}",
                "volume": "truststore-{secret,configmap}-{}",
                "source": "github.com/keycloak/keycloak operator/src/main/java/org/keycloak/operator/controllers/KeycloakDeploymentDependentResource.java (addTruststores)",
            },
        },
    ),
    # Tekton mounts the Secrets of a ServiceAccount that have its annotations.
    (
        "",
        "ServiceAccount",
        "secrets",
        "Secret",
        {
            "reads": {
                "path": "/tekton/creds-secrets/{}",
                "source": "github.com/tektoncd/pipeline pkg/pod/creds_init.go (credsInit)",
            },
        },
    ),
    # StarRocks operator
    (
        "starrocks.com",
        "StarRocksCluster",
        "spec/{starRocksFeSpec,starRocksBeSpec,starRocksCnSpec,starRocksFeProxySpec}/{configMaps,secrets}",
        "{ConfigMap,Secret}",
        {"in_pod": True, "reads": "StarRocks"},
    ),
    # Argo Workflows: a lock's key is the namespace, `configmap`, the name and the key.
    (
        "argoproj.io",
        "Workflow WorkflowTemplate ClusterWorkflowTemplate",
        "spec/{synchronization,templateDefaults/synchronization,templates/synchronization}/{semaphore,semaphores}/configMapKeyRef",
        "ConfigMap",
        {"reads": "Argo Workflows"},
    ),
    (
        "argoproj.io",
        "CronWorkflow",
        "spec/workflowSpec/{synchronization,templateDefaults/synchronization,templates/synchronization}/{semaphore,semaphores}/configMapKeyRef",
        "ConfigMap",
        {"reads": "Argo Workflows"},
    ),
    # VictoriaMetrics operator
    (
        "operator.victoriametrics.com",
        "VMAgent VMAlert VMAlertmanager VMAnomaly VMAuth VMSingle VLAgent VLSingle VLogs VTSingle",
        "spec/{secrets,configMaps}",
        "{Secret,ConfigMap}",
        {"in_pod": True, "reads": "VictoriaMetrics"},
    ),
    (
        "operator.victoriametrics.com",
        "VMCluster",
        "spec/{vminsert,vmselect,vmstorage,requestsLoadBalancer/spec}/{secrets,configMaps}",
        "{Secret,ConfigMap}",
        {"in_pod": True, "reads": "VictoriaMetrics"},
    ),
    (
        "operator.victoriametrics.com",
        "VLCluster",
        "spec/{vlinsert,vlselect,vlstorage,requestsLoadBalancer/spec}/{secrets,configMaps}",
        "{Secret,ConfigMap}",
        {"in_pod": True, "reads": "VictoriaMetrics"},
    ),
    (
        "operator.victoriametrics.com",
        "VTCluster",
        "spec/{insert,select,storage,requestsLoadBalancer/spec}/{secrets,configMaps}",
        "{Secret,ConfigMap}",
        {"in_pod": True, "reads": "VictoriaMetrics"},
    ),
    (
        "operator.victoriametrics.com",
        "VMAlertmanager",
        "spec/templates",
        "ConfigMap",
        {
            "reads": {
                "path": "/etc/vm/templates/{}",
                "source": "github.com/VictoriaMetrics/operator api/operator/v1beta1/vmextra_types.go (TemplatesDir)",
            }
        },
    ),
    ("operator.victoriametrics.com", "VMAlertmanager VMAuth", "spec/configSecret", "Secret"),
    # Grafana operator, up to version 4
    (
        "integreatly.org",
        "Grafana",
        "spec/{secrets,configMaps}",
        "{Secret,ConfigMap}",
        {
            "in_pod": True,
            "reads": {
                "path": "/etc/grafana-{secrets,configmaps}/{}",
                "source": "github.com/grafana/grafana-operator v4 controllers/config/controller_config.go (SecretsMountDir, ConfigMapsMountDir)",
            },
        },
    ),
    # Grafana operator, from version 5 (grafana/grafana-operator: api/v1beta1/grafana_types.go)
    (
        "grafana.integreatly.org",
        "Grafana",
        "spec/external/{adminPassword,adminUser,apiKey}",
        "Secret",
    ),
    # Spark operator
    (
        "sparkoperator.k8s.io",
        "SparkApplication",
        "spec/{sparkConfigMap,hadoopConfigMap}",
        "ConfigMap",
        {"in_pod": True},
    ),
    (
        "sparkoperator.k8s.io",
        "SparkApplication",
        "spec/imagePullSecrets",
        "Secret",
        {"in_pod": True},
    ),
    (
        "sparkoperator.k8s.io",
        "ScheduledSparkApplication",
        "spec/template/{sparkConfigMap,hadoopConfigMap}",
        "ConfigMap",
        {"in_pod": True},
    ),
    (
        "sparkoperator.k8s.io",
        "ScheduledSparkApplication",
        "spec/template/imagePullSecrets",
        "Secret",
        {"in_pod": True},
    ),
    # NVIDIA's GPU operator
    (
        "nvidia.com",
        "ClusterPolicy",
        "spec/{devicePlugin/config,migManager/config,migManager/gpuClientsConfig,dcgmExporter/config}",
        "ConfigMap",
    ),
    # AMD's GPU operator (ROCm/gpu-operator: api/v1alpha1/deviceconfig_types.go)
    (
        "amd.com",
        "DeviceConfig",
        "spec/{configManager,metricsExporter,remediationWorkflow,testRunner}/config",
        "ConfigMap",
    ),
    # Jenkins operator (jenkinsci/kubernetes-operator: api/v1alpha2/jenkins_types.go)
    (
        "jenkins.io",
        "Jenkins",
        "spec/{configurationAsCode,groovyScripts}/configurations",
        "ConfigMap",
    ),
    # kro (kubernetes-sigs/kro: api/v1alpha1/resourcegraphdefinition_types.go)
    (
        "kro.run",
        "ResourceGraphDefinition",
        "spec/resources/externalRef/metadata/name",
        "ConfigMap",
        {"beside_kind": True},
    ),
    (
        "kro.run",
        "ResourceGraphDefinition",
        "spec/resources/externalRef/metadata/name",
        "Secret",
        {"beside_kind": True},
    ),
    # Sveltos (projectsveltos/addon-controller: api/v1beta1/spec.go)
    (
        "config.projectsveltos.io",
        "ClusterProfile Profile",
        "spec/policyRefs/name",
        "ConfigMap",
        {"beside_kind": True, "reads": "Sveltos"},
    ),
    (
        "config.projectsveltos.io",
        "ClusterProfile Profile",
        "spec/policyRefs/name",
        "Secret",
        {"beside_kind": True, "reads": "Sveltos"},
    ),
    # Kyverno (kyverno/kyverno: api/kyverno/v1/common_types.go)
    (
        "kyverno.io",
        "ClusterPolicy Policy",
        "spec/rules/generate/clone/name",
        "ConfigMap",
        {"beside_kind": True, "copied_by": "Kyverno"},
    ),
    (
        "kyverno.io",
        "ClusterPolicy Policy",
        "spec/rules/generate/clone/name",
        "Secret",
        {"beside_kind": True, "copied_by": "Kyverno"},
    ),
    (
        "kyverno.io",
        "ClusterPolicy Policy",
        "spec/rules/generate/foreach/clone/name",
        "ConfigMap",
        {"beside_kind": True, "copied_by": "Kyverno"},
    ),
    (
        "kyverno.io",
        "ClusterPolicy Policy",
        "spec/rules/generate/foreach/clone/name",
        "Secret",
        {"beside_kind": True, "copied_by": "Kyverno"},
    ),
    # ActiveMQ Artemis
    (
        "broker.amq.io broker.arkmq.org",
        "ActiveMQArtemis Broker",
        "spec/deploymentPlan/extraMounts/{secrets,configMaps}",
        "{Secret,ConfigMap}",
        {
            "in_pod": True,
            "reads": {
                "endings": ("-bp", "-jaas-config", "-logging-config"),
                "path": "/amq/extra/{secrets,configmaps}/{}",
                "source": "github.com/arkmq-org/activemq-artemis-operator controllers/broker_reconciler.go (getConfigExtraMount)",
            },
        },
    ),
    (
        "broker.amq.io broker.arkmq.org",
        "ActiveMQArtemis Broker",
        "spec/{acceptors,connectors,console}/{sslSecret,trustSecret}",
        "Secret",
        {
            "reads": {
                "endings": ("-ptls",),
                "path": "/etc/{}-volume",
                "source": "github.com/arkmq-org/activemq-artemis-operator pkg/utils/certutil/certutil.go (Cert_provided_secret_suffix)",
            }
        },
    ),
    # OpenShift; its objects lie in openshift-config
    ("config.openshift.io", "OAuth", "spec/identityProviders/htpasswd/fileData", "Secret"),
    (
        "config.openshift.io",
        "OAuth",
        "spec/identityProviders/{basicAuth,github,gitlab,keystone,ldap,openID,requestHeader}/ca",
        "ConfigMap",
    ),
    # Strimzi
    ("kafka.strimzi.io", "KafkaConnect", "spec/build/output/pushSecret", "Secret"),
    (
        "kafka.strimzi.io",
        "KafkaConnect KafkaMirrorMaker2",
        "spec/template/buildConfig/pullSecret",
        "Secret",
    ),
    # Argo CD, Argo Workflows
    (
        "argoproj.io",
        "ApplicationSet",
        "spec/generators/{clusterDecisionResource,matrix/generators/clusterDecisionResource,merge/generators/clusterDecisionResource}/configMapRef",
        "ConfigMap",
    ),
    (
        "argoproj.io",
        "Workflow WorkflowTemplate ClusterWorkflowTemplate",
        "spec/artifactRepositoryRef/configMap",
        "ConfigMap",
    ),
    (
        "argoproj.io",
        "CronWorkflow",
        "spec/workflowSpec/artifactRepositoryRef/configMap",
        "ConfigMap",
    ),
    # OpenKruise
    ("apps.kruise.io", "ImagePullJob ImageListPullJob", "spec/pullSecrets", "Secret"),
    (
        "apps.kruise.io",
        "AdvancedCronJob",
        "spec/template/{imagePullJobTemplate,imageListPullJobTemplate}/spec/pullSecrets",
        "Secret",
    ),
    # Traefik
    ("traefik.io traefik.containo.us", "Middleware", "spec/basicAuth/secret", "Secret"),
    ("traefik.io traefik.containo.us", "Middleware", "spec/digestAuth/secret", "Secret"),
    ("traefik.io traefik.containo.us", "Middleware", "spec/forwardAuth/tls/caSecret", "Secret"),
    ("traefik.io traefik.containo.us", "Middleware", "spec/forwardAuth/tls/certSecret", "Secret"),
    (
        "traefik.io traefik.containo.us",
        "ServersTransport",
        "spec/{rootCAsSecrets,certificatesSecrets,rootCAs/secret}",
        "Secret",
    ),
    ("traefik.io traefik.containo.us", "ServersTransport", "spec/rootCAs/configMap", "ConfigMap"),
    (
        "traefik.io traefik.containo.us",
        "ServersTransportTCP",
        "spec/tls/{rootCAsSecrets,certificatesSecrets,rootCAs/secret}",
        "Secret",
    ),
    (
        "traefik.io traefik.containo.us",
        "ServersTransportTCP",
        "spec/tls/rootCAs/configMap",
        "ConfigMap",
    ),
    # Config Sync takes immutable ConfigMaps alone, in its own namespace
    # (GoogleContainerTools/kpt-config-sync: pkg/api/configsync/v1beta1/helmconfig.go).
    ("configsync.gke.io", "RepoSync RootSync", "spec/helm/valuesFileRefs", "ConfigMap"),
    # The other gateways and ingress controllers
    (
        "k8s.nginx.org",
        "Policy",
        "spec/{apiKey/clientSecret,basicAuth/secret,egressMTLS/tlsSecret,egressMTLS/trustedCertSecret,ingressMTLS/clientCertSecret,jwt/secret,oidc/clientSecret,oidc/trustedCertSecret,externalAuth/trustedCertSecret,waf/apBundleSource/secret,waf/apBundleSource/trustedCertSecret,waf/securityLogs/apLogBundleSource/secret,waf/securityLogs/apLogBundleSource/trustedCertSecret}",
        "Secret",
    ),
    ("k8s.nginx.org", "TransportServer VirtualServer", "spec/tls/secret", "Secret"),
    ("getambassador.io", "TLSContext", "spec/{secret,ca_secret,crl_secret}", "Secret"),
    ("getambassador.io", "Host", "spec/tls/{ca_secret,crl_secret}", "Secret"),
    (
        "networking.istio.io",
        "Gateway",
        "spec/servers/tls/credentialName",
        "Secret",
        {"reads": "Istio"},
    ),
    (
        "networking.istio.io",
        "DestinationRule",
        "spec/trafficPolicy/tls/credentialName",
        "Secret",
        {"reads": "Istio"},
    ),
    ("extensions.istio.io", "WasmPlugin", "spec/imagePullSecret", "Secret"),
    ("gateway.envoyproxy.io", "SecurityPolicy", "spec/basicAuth/users", "Secret"),
    ("projectcontour.io", "HTTPProxy", "spec/virtualhost/tls/clientValidation/caSecret", "Secret"),
    ("projectcontour.io", "HTTPProxy", "spec/routes/services/validation/caSecret", "Secret"),
    ("configuration.konghq.com", "KongConsumer", "credentials", "Secret"),
    # Databases
    (
        "postgresql.cnpg.io",
        "Cluster",
        "spec/certificates/{clientCASecret,replicationTLSSecret,serverCASecret,serverTLSSecret}",
        "Secret",
    ),
    (
        "acid.zalan.do",
        "OperatorConfiguration",
        "configuration/kubernetes/pod_environment_configmap",
        "ConfigMap",
    ),
    (
        "acid.zalan.do",
        "OperatorConfiguration",
        "configuration/{kubernetes/pod_environment_secret,kubernetes/infrastructure_roles_secret_name,kubernetes/oauth_token_secret_name,aws_or_gcp/additional_secret_mount,logical_backup/logical_backup_cronjob_environment_secret}",
        "Secret",
    ),
    ("cassandra.datastax.com", "CassandraDatacenter", "spec/configSecret", "Secret"),
    (
        "redis.redis.opstreelabs.in",
        "Redis RedisCluster RedisReplication",
        "spec/redisConfig/additionalRedisConfig",
        "ConfigMap",
        {"in_pod": True},
    ),
    (
        "redis.redis.opstreelabs.in",
        "RedisCluster",
        "spec/{redisLeader,redisFollower}/redisConfig/additionalRedisConfig",
        "ConfigMap",
        {"in_pod": True},
    ),
    (
        "redis.redis.opstreelabs.in",
        "RedisReplication",
        "spec/sentinel/additionalSentinelConfig",
        "ConfigMap",
        {"in_pod": True},
    ),
    (
        "redis.redis.opstreelabs.in",
        "RedisSentinel",
        "spec/redisSentinelConfig/additionalSentinelConfig",
        "ConfigMap",
        {"in_pod": True},
    ),
    # spotahome/redis-operator: api/redisfailover/v1/types.go
    ("databases.spotahome.com", "RedisFailover", "spec/auth/secretPath", "Secret"),
    (
        "databases.spotahome.com",
        "RedisFailover",
        "spec/{redis/shutdownConfigMap,redis/startupConfigMap,sentinel/startupConfigMap}",
        "ConfigMap",
    ),
    # ClickHouse (Altinity/clickhouse-operator: pkg/apis/clickhouse.altinity.com/v1/type_setting.go,
    # parseDataSourceAddress; pkg/model/chi/normalizer/normalizer-configuration-user.go)
    (
        "clickhouse.altinity.com",
        "ClickHouseInstallation ClickHouseInstallationTemplate",
        "spec/configuration/users/*k8s_secret_*",
        "Secret",
        {"text": r"\A(?:[^/]+/)?(?P<name>[^/]+)/[^/]+\Z"},
    ),
    # Percona's operators
    (
        "psmdb.percona.com",
        "PerconaServerMongoDB",
        "spec/backup/storages/*/{azure,gcs,minio,oss,s3}/credentialsSecret",
        "Secret",
    ),
    (
        "psmdb.percona.com",
        "PerconaServerMongoDBRestore",
        "spec/backupSource/{azure,gcs,minio,oss,s3}/credentialsSecret",
        "Secret",
    ),
    (
        "psmdb.percona.com",
        "PerconaServerMongoDB",
        "spec/{secrets/encryptionKey,secrets/keyFile,secrets/ldapSecret,secrets/sse,secrets/ssl,secrets/sslInternal,secrets/vault,vault/syncUsers/tokenSecret,vault/tlsSecret}",
        "Secret",
    ),
    (
        "psmdb.percona.com",
        "PerconaServerMongoDBClusterSync",
        "spec/source/credentialsSecret",
        "Secret",
    ),
    (
        "pxc.percona.com",
        "PerconaXtraDBCluster",
        "spec/backup/storages/*/{azure,s3}/credentialsSecret",
        "Secret",
    ),
    (
        "pxc.percona.com",
        "PerconaXtraDBClusterRestore",
        "spec/{backupSource/azure,backupSource/s3,pitr/backupSource/azure,pitr/backupSource/s3}/credentialsSecret",
        "Secret",
    ),
    (
        "pxc.percona.com",
        "PerconaXtraDBCluster",
        "spec/{haproxy,proxysql,pxc}/envVarsSecret",
        "Secret",
        {"in_pod": True},
    ),
    # Solr operator
    (
        "solr.apache.org",
        "SolrCloud",
        "spec/customSolrKubeOptions/configMapOptions/providedConfigMap",
        "ConfigMap",
        {"in_pod": True},
    ),
    (
        "solr.apache.org",
        "SolrPrometheusExporter",
        "spec/customKubeOptions/configMapOptions/providedConfigMap",
        "ConfigMap",
        {"in_pod": True},
    ),
    ("solr.apache.org", "SolrCloud", "spec/solrSecurity/basicAuthSecret", "Secret"),
    (
        "solr.apache.org",
        "SolrPrometheusExporter",
        "spec/solrReference/basicAuthSecret",
        "Secret",
        {"in_pod": True},
    ),
    (
        "solr.apache.org",
        "SolrCloud",
        "spec/solrAddressability/external/ingressTLSTermination/tlsSecret",
        "Secret",
    ),
    (
        "solr.apache.org",
        "SolrCloud",
        "spec/zookeeperRef/{connectionInfo,provided}/{acl,readOnlyAcl}/secret",
        "Secret",
    ),
    (
        "solr.apache.org",
        "SolrPrometheusExporter",
        "spec/solrReference/cloud/zkConnectionInfo/{acl,readOnlyAcl}/secret",
        "Secret",
    ),
    (
        "solr.apache.org",
        "SolrCloud",
        "spec/{solrImage,busyBoxImage,zookeeperRef/provided/image}/imagePullSecret",
        "Secret",
        {"in_pod": True},
    ),
    (
        "solr.apache.org",
        "SolrPrometheusExporter",
        "spec/{image,busyBoxImage}/imagePullSecret",
        "Secret",
        {"in_pod": True},
    ),
    # KubeVela's service bindings
    (
        "core.oam.dev",
        "Application",
        "spec/components/traits/properties/envMappings/*/secret",
        "Secret",
        {"in_pod": True},
    ),
    # KubeVirt's disks
    (
        "cdi.kubevirt.io",
        "DataVolume VolumeImportSource",
        "spec/source/{gcs,http,imageio,registry,s3,vddk}/secretRef",
        "Secret",
    ),
    (
        "cdi.kubevirt.io",
        "DataVolume VolumeImportSource",
        "spec/source/{http,imageio,registry,s3,vddk}/certConfigMap",
        "ConfigMap",
    ),
    (
        "cdi.kubevirt.io",
        "DataImportCron",
        "spec/template/spec/source/{gcs,http,imageio,registry,s3,vddk}/secretRef",
        "Secret",
    ),
    (
        "cdi.kubevirt.io",
        "DataImportCron",
        "spec/template/spec/source/{http,imageio,registry,s3,vddk}/certConfigMap",
        "ConfigMap",
    ),
    (
        "kubevirt.io",
        "VirtualMachine",
        "spec/dataVolumeTemplates/spec/source/{gcs,http,imageio,registry,s3,vddk}/secretRef",
        "Secret",
    ),
    (
        "kubevirt.io",
        "VirtualMachine",
        "spec/dataVolumeTemplates/spec/source/{http,imageio,registry,s3,vddk}/certConfigMap",
        "ConfigMap",
    ),
    # VolSync (backube/volsync: api/v1alpha1)
    (
        "volsync.backube",
        "ReplicationDestination ReplicationSource",
        "spec/{rclone/rcloneConfig,restic/repository,rsync/sshKeys,rsyncTLS/keySecret}",
        "Secret",
    ),
    # Other databases, storage, identity
    ("minio.min.io", "Tenant", "spec/configuration", "Secret"),
    ("minio.min.io", "Tenant", "spec/users", "Secret"),
    ("velero.io", "BackupStorageLocation VolumeSnapshotLocation", "spec/credential", "Secret"),
    ("k8s.keycloak.org", "Keycloak", "spec/http/tlsSecret", "Secret"),
    ("secrets.hashicorp.com", "VaultConnection", "spec/caCertSecretRef", "Secret"),
    (
        "secrets.hashicorp.com",
        "VaultAuth VaultAuthGlobal",
        "spec/{appRole,aws,jwt}/secretRef",
        "Secret",
    ),
    ("secrets.hashicorp.com", "HCPAuth", "spec/servicePrincipal/secretRef", "Secret"),
    (
        "loki.grafana.com tempo.grafana.com",
        "LokiStack TempoStack",
        "spec/storage/tls/caName",
        "ConfigMap",
    ),
)

SELECTORS = (
    ("monitoring.coreos.com", "", ""),
    ("postgresql.cnpg.io", "", ""),
    # cloudnative-pg/plugin-barman-cloud: config/crd/bases/barmancloud.cnpg.io_objectstores.yaml
    ("barmancloud.cnpg.io", "ObjectStore", ""),
    ("argoproj.io", "EventSource Sensor EventBus", ""),
    ("operator.victoriametrics.com", "", "relabelConfig urlRelabelConfig templates"),
)
