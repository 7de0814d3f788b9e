"""Fields that name a ConfigMap or Secret though their own names do not say so: by kind.

Most hold the name as text where the ecosystem's habit is a mapping. Paths are kustomize's: lists are not marked.
"""

from typing import NamedTuple

from krm_fn.references.reference import THE_VALUE, Reads

_TRAEFIK = ("traefik.io", "traefik.containo.us")

_MOUNTED_LISTS = (("secrets", "Secret"), ("configMaps", "ConfigMap"))
"""Lists of names that an operator mounts into its pods, as the Prometheus operator does."""

_PROMETHEUS_OPERATOR = "github.com/prometheus-operator/prometheus-operator"
_VM_OPERATOR = "github.com/VictoriaMetrics/operator api/operator/v1beta1/vmextra_types.go"
_VM_FOLDERS = {"secrets": "secrets", "configMaps": "configs"}
_GRAFANA_4 = "github.com/grafana/grafana-operator v4 controllers/config/controller_config.go"
_ARTEMIS_GROUPS = ("broker.amq.io", "broker.arkmq.org")
_ARTEMIS = "github.com/arkmq-org/activemq-artemis-operator"

_VICTORIA_METRICS: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...] = (
    (
        (
            *("VMAgent", "VMAlert", "VMAlertmanager", "VMAnomaly", "VMAuth", "VMSingle"),
            *("VLAgent", "VLSingle", "VLogs", "VTSingle"),
        ),
        ("spec",),
    ),
    (("VMCluster",), ("spec/vminsert", "spec/vmselect", "spec/vmstorage", "spec/requestsLoadBalancer/spec")),
    (("VLCluster",), ("spec/vlinsert", "spec/vlselect", "spec/vlstorage", "spec/requestsLoadBalancer/spec")),
    (("VTCluster",), ("spec/insert", "spec/select", "spec/storage", "spec/requestsLoadBalancer/spec")),
)
"""Kinds of the VictoriaMetrics operator, and where in them the parameters of pods are."""


_NAME_AND_KEY = r"(?:[^/]+/)?(?P<name>[^/]+)/[^/]+"
"""`name/key` or `namespace/name/key`."""


class FieldRow(NamedTuple):
    """A field of some kinds: text, a mapping with `name`, or a list of either. No groups: any.

    `reads`: whether its consumer reads the value only, or the shape of the name, or mounts at a path with the name.
    `text`: a regular expression of texts in which the group `name` is the name. `beside_kind`: only if the mapping
    around the one that holds the name says `kind` with the name of the target. `copied_by`: the program that copies the
    object from there.
    """

    groups: tuple[str, ...]
    kinds: tuple[str, ...]
    path: str
    target: str = "Secret"
    in_pod: bool = False
    reads: Reads = THE_VALUE
    text: str = ""
    beside_kind: bool = False
    copied_by: str = ""


class KeySelectors(NamedTuple):
    """Kinds in which every mapping of `name` and `key` selects a key of a Secret, whatever its field. No kinds: all.

    `config_maps`: fields in which it selects a key of a ConfigMap.
    """

    group: str
    kinds: tuple[str, ...] = ()
    config_maps: tuple[str, ...] = ()


SELECTORS = (
    KeySelectors("monitoring.coreos.com"),
    KeySelectors("postgresql.cnpg.io"),
    # cloudnative-pg/plugin-barman-cloud: config/crd/bases/barmancloud.cnpg.io_objectstores.yaml
    KeySelectors("barmancloud.cnpg.io", ("ObjectStore",)),
    KeySelectors("argoproj.io", ("EventSource", "Sensor", "EventBus")),
    KeySelectors("operator.victoriametrics.com", config_maps=("relabelConfig", "urlRelabelConfig", "templates")),
)

SELECTOR_FIELDS = frozenset({"name", "key", "optional"})

# `reads` is left out where the consumer reads the value only: it gets the object through the API, or mounts it at a
# path that the name is no part of. The sources of what mounts were read for this: the operators of Spark, NVIDIA,
# Strimzi, Redis, MinIO, Percona, Zalando, Cassandra, Loki, Tempo and KubeVirt's CDI mount at fixed paths. Solr's mounts
# a basicAuthSecret at /etc/secrets/NAME, and writes that path itself, for its own probe.
FIELDS = (
    FieldRow((), ("StorageClass",), "parameters/secretRef"),
    # Prometheus operator
    # (The CRD of ThanosRuler has neither list at present; its other volumes are below /etc/thanos.)
    *(
        FieldRow(
            ("monitoring.coreos.com",),
            kinds,
            f"spec/{field}",
            target,
            in_pod=True,
            reads=Reads(path=f"/etc/{folder}/{field.lower()}/{{}}", source=f"{_PROMETHEUS_OPERATOR} {place}"),
        )
        for kinds, folder, place in (
            (("Prometheus", "PrometheusAgent"), "prometheus", "pkg/prometheus/common.go (secretsDir, configmapsDir)"),
            (("Alertmanager",), "alertmanager", "pkg/alertmanager/statefulset.go (secretsDir, configmapsDir)"),
            (("ThanosRuler",), "thanos", "pkg/thanos/statefulset.go"),
        )
        for field, target in _MOUNTED_LISTS
    ),
    FieldRow(("monitoring.coreos.com",), ("Alertmanager",), "spec/configSecret"),
    # VictoriaMetrics operator
    *(
        FieldRow(
            ("operator.victoriametrics.com",),
            kinds,
            f"{spec}/{field}",
            target,
            in_pod=True,
            reads=Reads(
                path=f"/etc/vm/{_VM_FOLDERS[field]}/{{}}", source=f"{_VM_OPERATOR} (SecretsDir, ConfigMapsDir)"
            ),
        )
        for kinds, specs in _VICTORIA_METRICS
        for spec in specs
        for field, target in _MOUNTED_LISTS
    ),
    FieldRow(
        ("operator.victoriametrics.com",),
        ("VMAlertmanager",),
        "spec/templates",
        "ConfigMap",
        reads=Reads(path="/etc/vm/templates/{}", source=f"{_VM_OPERATOR} (TemplatesDir)"),
    ),
    FieldRow(("operator.victoriametrics.com",), ("VMAlertmanager", "VMAuth"), "spec/configSecret"),
    # Grafana operator, up to version 4
    *(
        FieldRow(
            ("integreatly.org",),
            ("Grafana",),
            f"spec/{field}",
            target,
            in_pod=True,
            reads=Reads(
                path=f"/etc/grafana-{field.lower()}/{{}}", source=f"{_GRAFANA_4} (SecretsMountDir, ConfigMapsMountDir)"
            ),
        )
        for field, target in _MOUNTED_LISTS
    ),
    # Grafana operator, from version 5 (grafana/grafana-operator: api/v1beta1/grafana_types.go)
    *(
        FieldRow(("grafana.integreatly.org",), ("Grafana",), f"spec/external/{name}")
        for name in ("adminPassword", "adminUser", "apiKey")
    ),
    # Spark operator
    *(
        FieldRow(("sparkoperator.k8s.io",), (kind,), f"{spec}/{path}", target, in_pod=True)
        for kind, spec in (("SparkApplication", "spec"), ("ScheduledSparkApplication", "spec/template"))
        for path, target in (
            ("sparkConfigMap", "ConfigMap"),
            ("hadoopConfigMap", "ConfigMap"),
            ("imagePullSecrets", "Secret"),
        )
    ),
    # NVIDIA's GPU operator
    *(
        FieldRow(("nvidia.com",), ("ClusterPolicy",), f"spec/{path}", "ConfigMap")
        for path in ("devicePlugin/config", "migManager/config", "migManager/gpuClientsConfig", "dcgmExporter/config")
    ),
    # AMD's GPU operator (ROCm/gpu-operator: api/v1alpha1/deviceconfig_types.go)
    *(
        FieldRow(("amd.com",), ("DeviceConfig",), f"spec/{part}/config", "ConfigMap")
        for part in ("configManager", "metricsExporter", "remediationWorkflow", "testRunner")
    ),
    # Jenkins operator (jenkinsci/kubernetes-operator: api/v1alpha2/jenkins_types.go)
    *(
        FieldRow(("jenkins.io",), ("Jenkins",), f"spec/{part}/configurations", "ConfigMap")
        for part in ("configurationAsCode", "groovyScripts")
    ),
    # kro (kubernetes-sigs/kro: api/v1alpha1/resourcegraphdefinition_types.go)
    *(
        FieldRow(
            ("kro.run",),
            ("ResourceGraphDefinition",),
            "spec/resources/externalRef/metadata/name",
            kind,
            beside_kind=True,
        )
        for kind in ("ConfigMap", "Secret")
    ),
    # Kyverno (kyverno/kyverno: api/kyverno/v1/common_types.go)
    *(
        FieldRow(
            ("kyverno.io",),
            ("ClusterPolicy", "Policy"),
            f"spec/rules/{generate}/clone/name",
            kind,
            beside_kind=True,
            copied_by="Kyverno",
        )
        for generate in ("generate", "generate/foreach")
        for kind in ("ConfigMap", "Secret")
    ),
    # ActiveMQ Artemis
    *(
        FieldRow(
            _ARTEMIS_GROUPS,
            ("ActiveMQArtemis", "Broker"),
            f"spec/deploymentPlan/extraMounts/{field}",
            target,
            in_pod=True,
            reads=Reads(
                endings=("-bp", "-jaas-config", "-logging-config"),
                path=f"/amq/extra/{field.lower()}/{{}}",
                source=f"{_ARTEMIS} controllers/broker_reconciler.go (getConfigExtraMount)",
            ),
        )
        for field, target in _MOUNTED_LISTS
    ),
    *(
        FieldRow(
            _ARTEMIS_GROUPS,
            ("ActiveMQArtemis", "Broker"),
            f"spec/{path}",
            reads=Reads(
                endings=("-ptls",),
                path="/etc/{}-volume",
                source=f"{_ARTEMIS} pkg/utils/certutil/certutil.go (Cert_provided_secret_suffix)",
            ),
        )
        for path in (
            "acceptors/sslSecret",
            "acceptors/trustSecret",
            "connectors/sslSecret",
            "connectors/trustSecret",
            "console/sslSecret",
            "console/trustSecret",
        )
    ),
    # OpenShift; its objects lie in openshift-config
    FieldRow(("config.openshift.io",), ("OAuth",), "spec/identityProviders/htpasswd/fileData"),
    *(
        FieldRow(("config.openshift.io",), ("OAuth",), f"spec/identityProviders/{provider}/ca", "ConfigMap")
        for provider in ("basicAuth", "github", "gitlab", "keystone", "ldap", "openID", "requestHeader")
    ),
    # Strimzi
    FieldRow(("kafka.strimzi.io",), ("KafkaConnect",), "spec/build/output/pushSecret"),
    FieldRow(("kafka.strimzi.io",), ("KafkaConnect", "KafkaMirrorMaker2"), "spec/template/buildConfig/pullSecret"),
    # Argo CD, Argo Workflows
    *(
        FieldRow(("argoproj.io",), ("ApplicationSet",), f"{path}/clusterDecisionResource/configMapRef", "ConfigMap")
        for path in ("spec/generators", "spec/generators/matrix/generators", "spec/generators/merge/generators")
    ),
    FieldRow(
        ("argoproj.io",),
        ("Workflow", "WorkflowTemplate", "ClusterWorkflowTemplate"),
        "spec/artifactRepositoryRef/configMap",
        "ConfigMap",
    ),
    FieldRow(("argoproj.io",), ("CronWorkflow",), "spec/workflowSpec/artifactRepositoryRef/configMap", "ConfigMap"),
    # OpenKruise
    FieldRow(("apps.kruise.io",), ("ImagePullJob", "ImageListPullJob"), "spec/pullSecrets"),
    *(
        FieldRow(("apps.kruise.io",), ("AdvancedCronJob",), f"spec/template/{job}/spec/pullSecrets")
        for job in ("imagePullJobTemplate", "imageListPullJobTemplate")
    ),
    # Traefik
    FieldRow(_TRAEFIK, ("Middleware",), "spec/basicAuth/secret"),
    FieldRow(_TRAEFIK, ("Middleware",), "spec/digestAuth/secret"),
    FieldRow(_TRAEFIK, ("Middleware",), "spec/forwardAuth/tls/caSecret"),
    FieldRow(_TRAEFIK, ("Middleware",), "spec/forwardAuth/tls/certSecret"),
    *(
        FieldRow(_TRAEFIK, (kind,), f"{spec}/{path}", target)
        for kind, spec in (("ServersTransport", "spec"), ("ServersTransportTCP", "spec/tls"))
        for path, target in (
            ("rootCAsSecrets", "Secret"),
            ("certificatesSecrets", "Secret"),
            ("rootCAs/secret", "Secret"),
            ("rootCAs/configMap", "ConfigMap"),
        )
    ),
    # The other gateways and ingress controllers
    *(
        FieldRow(("k8s.nginx.org",), ("Policy",), f"spec/{path}")
        for path in (
            "apiKey/clientSecret",
            "basicAuth/secret",
            "egressMTLS/tlsSecret",
            "egressMTLS/trustedCertSecret",
            "ingressMTLS/clientCertSecret",
            "jwt/secret",
            "oidc/clientSecret",
            "oidc/trustedCertSecret",
            "externalAuth/trustedCertSecret",
            "waf/apBundleSource/secret",
            "waf/apBundleSource/trustedCertSecret",
            "waf/securityLogs/apLogBundleSource/secret",
            "waf/securityLogs/apLogBundleSource/trustedCertSecret",
        )
    ),
    FieldRow(("k8s.nginx.org",), ("TransportServer", "VirtualServer"), "spec/tls/secret"),
    *(
        FieldRow(("getambassador.io",), ("TLSContext",), f"spec/{name}")
        for name in ("secret", "ca_secret", "crl_secret")
    ),
    *(FieldRow(("getambassador.io",), ("Host",), f"spec/tls/{name}") for name in ("ca_secret", "crl_secret")),
    *(
        FieldRow(
            ("networking.istio.io",),
            (kind,),
            path,
            reads=Reads(
                beside="-cacert",
                source="github.com/istio/istio pilot/pkg/credentials/kube/secrets.go (GetCaCert)",
            ),
        )
        for kind, path in (
            ("Gateway", "spec/servers/tls/credentialName"),
            ("DestinationRule", "spec/trafficPolicy/tls/credentialName"),
        )
    ),
    FieldRow(("extensions.istio.io",), ("WasmPlugin",), "spec/imagePullSecret"),
    FieldRow(("gateway.envoyproxy.io",), ("SecurityPolicy",), "spec/basicAuth/users"),
    FieldRow(("projectcontour.io",), ("HTTPProxy",), "spec/virtualhost/tls/clientValidation/caSecret"),
    FieldRow(("projectcontour.io",), ("HTTPProxy",), "spec/routes/services/validation/caSecret"),
    FieldRow(("configuration.konghq.com",), ("KongConsumer",), "credentials"),
    # Databases
    *(
        FieldRow(("postgresql.cnpg.io",), ("Cluster",), f"spec/certificates/{name}")
        for name in ("clientCASecret", "replicationTLSSecret", "serverCASecret", "serverTLSSecret")
    ),
    *(
        FieldRow(("acid.zalan.do",), ("OperatorConfiguration",), f"configuration/{path}", target)
        for path, target in (
            ("kubernetes/pod_environment_configmap", "ConfigMap"),
            ("kubernetes/pod_environment_secret", "Secret"),
            ("kubernetes/infrastructure_roles_secret_name", "Secret"),
            ("kubernetes/oauth_token_secret_name", "Secret"),
            ("aws_or_gcp/additional_secret_mount", "Secret"),
            ("logical_backup/logical_backup_cronjob_environment_secret", "Secret"),
        )
    ),
    FieldRow(("cassandra.datastax.com",), ("CassandraDatacenter",), "spec/configSecret"),
    *(
        FieldRow(("redis.redis.opstreelabs.in",), kinds, f"spec/{path}", "ConfigMap", in_pod=True)
        for kinds, path in (
            (("Redis", "RedisCluster", "RedisReplication"), "redisConfig/additionalRedisConfig"),
            (("RedisCluster",), "redisLeader/redisConfig/additionalRedisConfig"),
            (("RedisCluster",), "redisFollower/redisConfig/additionalRedisConfig"),
            (("RedisReplication",), "sentinel/additionalSentinelConfig"),
            (("RedisSentinel",), "redisSentinelConfig/additionalSentinelConfig"),
        )
    ),
    # spotahome/redis-operator: api/redisfailover/v1/types.go
    *(
        FieldRow(("databases.spotahome.com",), ("RedisFailover",), f"spec/{path}", target)
        for path, target in (
            ("auth/secretPath", "Secret"),
            ("redis/shutdownConfigMap", "ConfigMap"),
            ("redis/startupConfigMap", "ConfigMap"),
            ("sentinel/startupConfigMap", "ConfigMap"),
        )
    ),
    # ClickHouse (Altinity/clickhouse-operator: pkg/apis/clickhouse.altinity.com/v1/type_setting.go,
    # parseDataSourceAddress; pkg/model/chi/normalizer/normalizer-configuration-user.go)
    FieldRow(
        ("clickhouse.altinity.com",),
        ("ClickHouseInstallation", "ClickHouseInstallationTemplate"),
        "spec/configuration/users/*k8s_secret_*",
        text=_NAME_AND_KEY,
    ),
    # Percona's operators
    *(
        FieldRow(("psmdb.percona.com",), (kind,), f"spec/{source}/{store}/credentialsSecret")
        for kind, source in (
            ("PerconaServerMongoDB", "backup/storages/*"),
            ("PerconaServerMongoDBRestore", "backupSource"),
        )
        for store in ("azure", "gcs", "minio", "oss", "s3")
    ),
    *(
        FieldRow(("psmdb.percona.com",), ("PerconaServerMongoDB",), f"spec/{path}")
        for path in (
            *("secrets/encryptionKey", "secrets/keyFile", "secrets/ldapSecret", "secrets/sse", "secrets/ssl"),
            *("secrets/sslInternal", "secrets/vault", "vault/syncUsers/tokenSecret", "vault/tlsSecret"),
        )
    ),
    FieldRow(("psmdb.percona.com",), ("PerconaServerMongoDBClusterSync",), "spec/source/credentialsSecret"),
    *(
        FieldRow(("pxc.percona.com",), (kind,), f"spec/{source}/{store}/credentialsSecret")
        for kind, source in (
            ("PerconaXtraDBCluster", "backup/storages/*"),
            ("PerconaXtraDBClusterRestore", "backupSource"),
            ("PerconaXtraDBClusterRestore", "pitr/backupSource"),
        )
        for store in ("azure", "s3")
    ),
    *(
        FieldRow(("pxc.percona.com",), ("PerconaXtraDBCluster",), f"spec/{part}/envVarsSecret", in_pod=True)
        for part in ("haproxy", "proxysql", "pxc")
    ),
    # Solr operator
    *(
        FieldRow(
            ("solr.apache.org",),
            (kind,),
            f"spec/{options}/configMapOptions/providedConfigMap",
            "ConfigMap",
            in_pod=True,
        )
        for kind, options in (("SolrCloud", "customSolrKubeOptions"), ("SolrPrometheusExporter", "customKubeOptions"))
    ),
    FieldRow(("solr.apache.org",), ("SolrCloud",), "spec/solrSecurity/basicAuthSecret"),
    FieldRow(("solr.apache.org",), ("SolrPrometheusExporter",), "spec/solrReference/basicAuthSecret", in_pod=True),
    FieldRow(("solr.apache.org",), ("SolrCloud",), "spec/solrAddressability/external/ingressTLSTermination/tlsSecret"),
    *(
        FieldRow(("solr.apache.org",), (kind,), f"spec/{zookeeper}/{acl}/secret")
        for kind, zookeeper in (
            ("SolrCloud", "zookeeperRef/connectionInfo"),
            ("SolrCloud", "zookeeperRef/provided"),
            ("SolrPrometheusExporter", "solrReference/cloud/zkConnectionInfo"),
        )
        for acl in ("acl", "readOnlyAcl")
    ),
    *(
        FieldRow(("solr.apache.org",), (kind,), f"spec/{image}/imagePullSecret", in_pod=True)
        for kind, image in (
            ("SolrCloud", "solrImage"),
            ("SolrCloud", "busyBoxImage"),
            ("SolrCloud", "zookeeperRef/provided/image"),
            ("SolrPrometheusExporter", "image"),
            ("SolrPrometheusExporter", "busyBoxImage"),
        )
    ),
    # KubeVela's service bindings
    FieldRow(
        ("core.oam.dev",), ("Application",), "spec/components/traits/properties/envMappings/*/secret", in_pod=True
    ),
    # KubeVirt's disks
    *(
        FieldRow((group,), kinds, f"{source}/{path}", target)
        for group, kinds, source in (
            ("cdi.kubevirt.io", ("DataVolume", "VolumeImportSource"), "spec/source"),
            ("cdi.kubevirt.io", ("DataImportCron",), "spec/template/spec/source"),
            ("kubevirt.io", ("VirtualMachine",), "spec/dataVolumeTemplates/spec/source"),
        )
        for path, target in (
            *((f"{store}/secretRef", "Secret") for store in ("gcs", "http", "imageio", "registry", "s3", "vddk")),
            *((f"{store}/certConfigMap", "ConfigMap") for store in ("http", "imageio", "registry", "s3", "vddk")),
        )
    ),
    # VolSync (backube/volsync: api/v1alpha1)
    *(
        FieldRow(("volsync.backube",), ("ReplicationDestination", "ReplicationSource"), f"spec/{path}")
        for path in ("rclone/rcloneConfig", "restic/repository", "rsync/sshKeys", "rsyncTLS/keySecret")
    ),
    # Other databases, storage, identity
    FieldRow(("minio.min.io",), ("Tenant",), "spec/configuration"),
    FieldRow(("minio.min.io",), ("Tenant",), "spec/users"),
    FieldRow(("velero.io",), ("BackupStorageLocation", "VolumeSnapshotLocation"), "spec/credential"),
    FieldRow(("k8s.keycloak.org",), ("Keycloak",), "spec/http/tlsSecret"),
    FieldRow(("secrets.hashicorp.com",), ("VaultConnection",), "spec/caCertSecretRef"),
    *(
        FieldRow(("secrets.hashicorp.com",), ("VaultAuth", "VaultAuthGlobal"), f"spec/{method}/secretRef")
        for method in ("appRole", "aws", "jwt")
    ),
    FieldRow(("secrets.hashicorp.com",), ("HCPAuth",), "spec/servicePrincipal/secretRef"),
    FieldRow(
        ("loki.grafana.com", "tempo.grafana.com"), ("LokiStack", "TempoStack"), "spec/storage/tls/caName", "ConfigMap"
    ),
)
