"""Values of Helm charts that name a ConfigMap or Secret as text: by chart.

Only what a chart does with a name in its own templates is here. What Kubernetes' own shapes say
(`envFrom`, `secretKeyRef`, `secretName`, volumes) holds for all charts. Values whose names become a
part of a path in the pod are left out, as `server.extraVolumes` of vault and `blueprints` of
authentik, and so is what a chart looks up while it is rendered.

A row: the path of the value, its kind, the template below the folder before it, with the line in
which the value becomes the name in a pod, and options, which are those of `ChartValue` in
`core/references/field_rows.py`.
"""

# Charts of which people call the source by the same name, and which nobody else publishes another
# one of. So the name of an OCIRepository in another package tells the chart:
# onedr0p/cluster-template, bjw-s-labs/home-ops and their likes have one for all of their
# HelmReleases. Names as `redis` or `grafana` tell nothing: several charts are called so.
TOLD_BY_SOURCE = ("app-template",)

CHART_VALUES = (
    # app-template
    (
        "app-template",
        "bjw-s-labs/helm-charts common 4.1.1 templates/lib",
        (
            (
                "persistence/*",
                "ConfigMap",
                "pod/fields/_volumes.tpl:58",
                {"beside": ("type", "configMap"), "tells": True},
            ),
            (
                "persistence/*",
                "Secret",
                "pod/fields/_volumes.tpl:79",
                {"beside": ("type", "secret"), "tells": True},
            ),
            (
                "controllers/*/containers/*/envFrom/configMap",
                "ConfigMap",
                "container/fields/_envFrom.tpl:17",
                {"unless_key_of": "configMaps"},
            ),
            (
                "controllers/*/containers/*/envFrom/secret",
                "Secret",
                "container/fields/_envFrom.tpl:33",
                {"unless_key_of": "secrets"},
            ),
            (
                "controllers/*/initContainers/*/envFrom/configMap",
                "ConfigMap",
                "container/fields/_envFrom.tpl:17",
                {"unless_key_of": "configMaps"},
            ),
            (
                "controllers/*/initContainers/*/envFrom/secret",
                "Secret",
                "container/fields/_envFrom.tpl:33",
                {"unless_key_of": "secrets"},
            ),
            (
                "controllers/*/defaultContainerOptions/envFrom/configMap",
                "ConfigMap",
                "container/fields/_envFrom.tpl:17",
                {"unless_key_of": "configMaps"},
            ),
            (
                "controllers/*/defaultContainerOptions/envFrom/secret",
                "Secret",
                "container/fields/_envFrom.tpl:33",
                {"unless_key_of": "secrets"},
            ),
        ),
    ),
    # Bitnami
    (
        "postgresql",
        "bitnami/charts postgresql 17.1.0 templates",
        (
            ("global/postgresql/auth/existingSecret", "Secret", "_helpers.tpl:104"),
            ("auth/existingSecret", "Secret", "_helpers.tpl:106"),
            ("tls/certificatesSecret", "Secret", "_helpers.tpl:471"),
            ("primary/existingConfigmap", "ConfigMap", "_helpers.tpl:254"),
            ("primary/preInitDb/scriptsConfigMap", "ConfigMap", "_helpers.tpl:333"),
            ("primary/preInitDb/scriptsSecret", "Secret", "primary/statefulset.yaml:639"),
            ("primary/initdb/scriptsConfigMap", "ConfigMap", "_helpers.tpl:344"),
            ("primary/initdb/scriptsSecret", "Secret", "primary/statefulset.yaml:649"),
            ("primary/extraEnvVarsCM", "ConfigMap", "primary/statefulset.yaml:403"),
            ("primary/extraEnvVarsSecret", "Secret", "primary/statefulset.yaml:407"),
            ("readReplicas/extraEnvVarsCM", "ConfigMap", "read/statefulset.yaml:330"),
            ("readReplicas/extraEnvVarsSecret", "Secret", "read/statefulset.yaml:334"),
        ),
    ),
    (
        "postgresql-ha",
        "bitnami/charts postgresql-ha 16.3.4 templates",
        (
            ("postgresql/existingSecret", "Secret", "_helpers.tpl:157"),
            ("pgpool/existingSecret", "Secret", "_helpers.tpl:177"),
            ("pgpool/customUsersSecret", "Secret", "_helpers.tpl:379"),
            ("pgpool/extraEnvVarsCM", "ConfigMap", "pgpool/deployment.yaml:333"),
            ("pgpool/extraEnvVarsSecret", "Secret", "pgpool/deployment.yaml:337"),
            ("postgresql/extraEnvVarsCM", "ConfigMap", "postgresql/statefulset.yaml:402"),
            ("postgresql/extraEnvVarsSecret", "Secret", "postgresql/statefulset.yaml:406"),
        ),
    ),
    (
        "redis",
        "bitnami/charts redis 23.1.1 templates",
        (
            ("auth/existingSecret", "Secret", "_helpers.tpl:186"),
            ("existingConfigmap", "ConfigMap", "_helpers.tpl:166"),
            ("tls/existingSecret", "Secret", "_helpers.tpl:72"),
            ("master/extraEnvVarsCM", "ConfigMap", "master/application.yaml:188"),
            ("master/extraEnvVarsSecret", "Secret", "master/application.yaml:192"),
            ("replica/extraEnvVarsCM", "ConfigMap", "replicas/application.yaml:209"),
            ("replica/extraEnvVarsSecret", "Secret", "replicas/application.yaml:213"),
            ("sentinel/extraEnvVarsCM", "ConfigMap", "sentinel/statefulset.yaml:439"),
            ("sentinel/extraEnvVarsSecret", "Secret", "sentinel/statefulset.yaml:443"),
        ),
    ),
    (
        "mariadb",
        "bitnami/charts mariadb 23.0.1 templates",
        (
            ("auth/existingSecret", "Secret", "_helpers.tpl:137"),
            ("tls/existingSecret", "Secret", "_helpers.tpl:76"),
            ("tde/existingSecret", "Secret", "primary/statefulset.yaml:445"),
            ("initdbScriptsConfigMap", "ConfigMap", "_helpers.tpl:54"),
            ("primary/existingConfigmap", "ConfigMap", "_helpers.tpl:95"),
            ("primary/extraEnvVarsCM", "ConfigMap", "primary/statefulset.yaml:234"),
            ("primary/extraEnvVarsSecret", "Secret", "primary/statefulset.yaml:238"),
            ("secondary/existingConfigmap", "ConfigMap", "_helpers.tpl:116"),
            ("secondary/extraEnvVarsCM", "ConfigMap", "secondary/statefulset.yaml:221"),
            ("secondary/extraEnvVarsSecret", "Secret", "secondary/statefulset.yaml:225"),
        ),
    ),
    (
        "mysql",
        "bitnami/charts mysql 14.0.5 templates",
        (
            ("auth/existingSecret", "Secret", "_helpers.tpl:130"),
            ("tls/existingSecret", "Secret", "_helpers.tpl:188"),
            ("initdbScriptsConfigMap", "ConfigMap", "_helpers.tpl:53"),
            ("startdbScriptsConfigMap", "ConfigMap", "_helpers.tpl:64"),
            ("primary/existingConfigmap", "ConfigMap", "_helpers.tpl:88"),
            ("primary/extraEnvVarsCM", "ConfigMap", "primary/statefulset.yaml:233"),
            ("primary/extraEnvVarsSecret", "Secret", "primary/statefulset.yaml:237"),
            ("secondary/existingConfigmap", "ConfigMap", "_helpers.tpl:109"),
            ("secondary/extraEnvVarsCM", "ConfigMap", "secondary/statefulset.yaml:217"),
            ("secondary/extraEnvVarsSecret", "Secret", "secondary/statefulset.yaml:221"),
        ),
    ),
    (
        "mongodb",
        "bitnami/charts mongodb 17.0.2 templates",
        (
            ("auth/existingSecret", "Secret", "_helpers.tpl:215"),
            ("existingConfigmap", "ConfigMap", "_helpers.tpl:194"),
            ("initdbScriptsConfigMap", "ConfigMap", "_helpers.tpl:274"),
            ("arbiter/existingConfigmap", "ConfigMap", "_helpers.tpl:421"),
            ("hidden/existingConfigmap", "ConfigMap", "_helpers.tpl:451"),
            ("extraEnvVarsCM", "ConfigMap", "standalone/dep-sts.yaml:257"),
            ("extraEnvVarsSecret", "Secret", "standalone/dep-sts.yaml:261"),
            ("arbiter/extraEnvVarsCM", "ConfigMap", "arbiter/statefulset.yaml:221"),
            ("arbiter/extraEnvVarsSecret", "Secret", "arbiter/statefulset.yaml:225"),
            ("hidden/extraEnvVarsCM", "ConfigMap", "hidden/statefulset.yaml:305"),
            ("hidden/extraEnvVarsSecret", "Secret", "hidden/statefulset.yaml:309"),
        ),
    ),
    (
        "rabbitmq",
        "bitnami/charts rabbitmq 16.0.16 templates",
        (
            ("auth/existingPasswordSecret", "Secret", "_helpers.tpl:45"),
            ("auth/existingErlangSecret", "Secret", "_helpers.tpl:67"),
            ("auth/tls/existingSecret", "Secret", "_helpers.tpl:89"),
            ("extraEnvVarsCM", "ConfigMap", "statefulset.yaml:297"),
            ("extraEnvVarsSecret", "Secret", "statefulset.yaml:301"),
            ("loadDefinition/existingSecret", "Secret", "statefulset.yaml:494"),
        ),
    ),
    (
        "keycloak",
        "bitnami/charts keycloak 25.4.0 templates",
        (
            ("auth/existingSecret", "Secret", "_helpers.tpl:78"),
            ("tls/existingSecret", "Secret", "_helpers.tpl:215"),
            ("externalDatabase/existingSecret", "Secret", "_helpers.tpl:173"),
            ("existingConfigmap", "ConfigMap", "_helpers.tpl:67"),
            ("initdbScriptsConfigMap", "ConfigMap", "_helpers.tpl:204"),
            ("extraEnvVarsCM", "ConfigMap", "statefulset.yaml:168"),
            ("extraEnvVarsSecret", "Secret", "statefulset.yaml:172"),
            ("keycloakConfigCli/existingConfigmap", "ConfigMap", "_helpers.tpl:100"),
            ("keycloakConfigCli/extraEnvVarsCM", "ConfigMap", "keycloak-config-cli-job.yaml:104"),
            ("keycloakConfigCli/extraEnvVarsSecret", "Secret", "keycloak-config-cli-job.yaml:108"),
        ),
    ),
    # Observability
    (
        "kube-prometheus-stack",
        "prometheus-community/helm-charts kube-prometheus-stack 88.5.3 templates",
        (
            (
                "alertmanager/alertmanagerSpec/configSecret",
                "Secret",
                "alertmanager/alertmanager.yaml:68",
            ),
        ),
    ),
    (
        "grafana",
        "grafana-community/helm-charts grafana 12.11.1 templates",
        (
            ("admin/existingSecret", "Secret", "_pod.tpl:1424"),
            ("smtp/existingSecret", "Secret", "_pod.tpl:1445"),
            ("ldap/existingSecret", "Secret", "_pod.tpl:1604"),
            ("imageRenderer/existingSecret", "Secret", "_pod.tpl:1469"),
            ("envFromSecret", "Secret", "_pod.tpl:1502"),
            ("downloadDashboards/envFromSecret", "Secret", "_pod.tpl:101"),
            ("extraConfigmapMounts/configMap", "ConfigMap", "_pod.tpl:1577"),
        ),
    ),
    (
        "loki",
        "grafana-community/helm-charts loki 18.11.0 templates",
        (("gateway/basicAuth/existingSecret", "Secret", "gateway/_helpers.tpl:28"),),
    ),
    # Gateways and deployers
    (
        "traefik",
        "traefik/traefik-helm-chart traefik 41.3.0 templates",
        (
            ("volumes", "Secret", "_podtemplate.tpl:1051", {"beside": ("type", "secret")}),
            ("volumes", "ConfigMap", "_podtemplate.tpl:1054", {"beside": ("type", "configMap")}),
        ),
    ),
    (
        "argo-cd",
        "argoproj/argo-helm argo-cd 10.1.1 templates",
        (("externalRedis/existingSecret", "Secret", "_helpers.tpl:307"),),
    ),
    # Applications and storage
    (
        "velero",
        "vmware-tanzu/helm-charts velero 12.1.0 templates",
        (
            ("credentials/existingSecret", "Secret", "_helpers.tpl:50"),
            ("credentials/extraSecretRef", "Secret", "deployment.yaml:232"),
        ),
    ),
    (
        "harbor",
        "goharbor/harbor-helm 1.4.0-dev templates",
        (
            ("existingSecretAdminPassword", "Secret", "core/core-dpl.yaml:125"),
            ("existingSecretSecretKey", "Secret", "core/core-dpl.yaml:209"),
            ("core/existingSecret", "Secret", "core/core-dpl.yaml:110"),
            ("core/existingXsrfSecret", "Secret", "core/core-dpl.yaml:156"),
            ("database/external/existingSecret", "Secret", "core/core-dpl.yaml:142"),
            ("jobservice/existingSecret", "Secret", "jobservice/jobservice-dpl.yaml:109"),
            ("registry/existingSecret", "Secret", "registry/registry-dpl.yaml:117"),
            ("registry/credentials/existingSecret", "Secret", "registry/registry-dpl.yaml:365"),
            (
                "persistence/imageChartStorage/s3/existingSecret",
                "Secret",
                "registry/registry-dpl.yaml:110",
            ),
            (
                "persistence/imageChartStorage/azure/existingSecret",
                "Secret",
                "registry/registry-dpl.yaml:142",
            ),
            (
                "persistence/imageChartStorage/swift/existingSecret",
                "Secret",
                "registry/registry-dpl.yaml:149",
            ),
            (
                "persistence/imageChartStorage/oss/existingSecret",
                "Secret",
                "registry/registry-dpl.yaml:168",
            ),
        ),
    ),
    (
        "gitea",
        "gitea.com/gitea/helm-gitea as of 2025-12-09 templates",
        (
            ("gitea/admin/existingSecret", "Secret", "gitea/deployment.yaml:248"),
            ("gitea/ldap/existingSecret", "Secret", "gitea/deployment.yaml:213"),
            ("gitea/oauth/existingSecret", "Secret", "gitea/deployment.yaml:234"),
            ("signing/existingSecret", "Secret", "_helpers.tpl:426"),
        ),
    ),
    (
        "minio",
        "minio/minio helm/minio 5.4.0 templates",
        (
            ("existingSecret", "Secret", "_helpers.tpl:100"),
            ("extraSecret", "Secret", "statefulset.yaml:223"),
            ("users/existingSecret", "Secret", "post-job.yaml:59"),
            ("svcaccts/existingSecret", "Secret", "post-job.yaml:68"),
        ),
    ),
)

# Charts that others contain: by the charts around them, the field with their values, and the chart.
SUBCHARTS = (
    ("authentik gitea keycloak", "postgresql", "postgresql"),
    ("gitea", "postgresql-ha", "postgresql-ha"),
    ("kube-prometheus-stack", "grafana", "grafana"),
)
