"""Values of Helm charts that name a ConfigMap or Secret as text: by chart.

Only what a chart does with a name in its own templates is here. What Kubernetes' own shapes say (`envFrom`,
`secretKeyRef`, `secretName`, volumes) holds for all charts. Values whose names become a part of a path in the pod are
left out, as `server.extraVolumes` of vault and `blueprints` of authentik, and so is what a chart looks up while it is
rendered. Each `source` is the template, and the line in which the value becomes the name in a pod.
"""

from typing import NamedTuple


class ChartValue(NamedTuple):
    """A value of some charts: text, a mapping with `name`, or a list of either. The path is as in `fields`.

    `beside`: a field beside the name, and what it must say. `unless_key_of`: a value whose keys are names of objects
    that the chart makes, which come first.
    """

    charts: tuple[str, ...]
    path: str
    target: str
    source: str
    beside: tuple[str, str] | None = None
    unless_key_of: str = ""


class Subchart(NamedTuple):
    """A chart that others contain, and the field of their values that holds its values."""

    charts: tuple[str, ...]
    alias: str
    name: str


def _of(chart: str, templates: str, *rows: tuple[str, str, str]) -> tuple[ChartValue, ...]:
    """Return rows of one chart. Each is a path, a kind, and a place below `templates`."""
    return tuple(ChartValue((chart,), path, target, f"{templates}/{place}") for path, target, place in rows)


_BJW_S = "bjw-s-labs/helm-charts common 4.1.1 templates/lib"
_CONTAINERS = tuple(f"controllers/*/{one}" for one in ("containers/*", "initContainers/*", "defaultContainerOptions"))

CHART_VALUES = (
    # app-template
    *(
        ChartValue(
            ("app-template",), "persistence/*", kind, f"{_BJW_S}/pod/fields/_volumes.tpl:{line}", beside=("type", said)
        )
        for kind, said, line in (("ConfigMap", "configMap", 58), ("Secret", "secret", 79))
    ),
    *(
        ChartValue(
            ("app-template",),
            f"{container}/envFrom/{field}",
            kind,
            f"{_BJW_S}/container/fields/_envFrom.tpl:{line}",
            unless_key_of=made,
        )
        for container in _CONTAINERS
        for field, kind, line, made in (
            ("configMap", "ConfigMap", 17, "configMaps"),
            ("secret", "Secret", 33, "secrets"),
        )
    ),
    # Bitnami
    *_of(
        "postgresql",
        "bitnami/charts postgresql 17.1.0 templates",
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
    *_of(
        "postgresql-ha",
        "bitnami/charts postgresql-ha 16.3.4 templates",
        ("postgresql/existingSecret", "Secret", "_helpers.tpl:157"),
        ("pgpool/existingSecret", "Secret", "_helpers.tpl:177"),
        ("pgpool/customUsersSecret", "Secret", "_helpers.tpl:379"),
        ("pgpool/extraEnvVarsCM", "ConfigMap", "pgpool/deployment.yaml:333"),
        ("pgpool/extraEnvVarsSecret", "Secret", "pgpool/deployment.yaml:337"),
        ("postgresql/extraEnvVarsCM", "ConfigMap", "postgresql/statefulset.yaml:402"),
        ("postgresql/extraEnvVarsSecret", "Secret", "postgresql/statefulset.yaml:406"),
    ),
    *_of(
        "redis",
        "bitnami/charts redis 23.1.1 templates",
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
    *_of(
        "mariadb",
        "bitnami/charts mariadb 23.0.1 templates",
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
    *_of(
        "mysql",
        "bitnami/charts mysql 14.0.5 templates",
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
    *_of(
        "mongodb",
        "bitnami/charts mongodb 17.0.2 templates",
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
    *_of(
        "rabbitmq",
        "bitnami/charts rabbitmq 16.0.16 templates",
        ("auth/existingPasswordSecret", "Secret", "_helpers.tpl:45"),
        ("auth/existingErlangSecret", "Secret", "_helpers.tpl:67"),
        ("auth/tls/existingSecret", "Secret", "_helpers.tpl:89"),
        ("extraEnvVarsCM", "ConfigMap", "statefulset.yaml:297"),
        ("extraEnvVarsSecret", "Secret", "statefulset.yaml:301"),
        ("loadDefinition/existingSecret", "Secret", "statefulset.yaml:494"),
    ),
    *_of(
        "keycloak",
        "bitnami/charts keycloak 25.4.0 templates",
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
    # Observability
    *_of(
        "kube-prometheus-stack",
        "prometheus-community/helm-charts kube-prometheus-stack 88.5.3 templates",
        ("alertmanager/alertmanagerSpec/configSecret", "Secret", "alertmanager/alertmanager.yaml:68"),
    ),
    *_of(
        "grafana",
        "grafana-community/helm-charts grafana 12.11.1 templates",
        ("admin/existingSecret", "Secret", "_pod.tpl:1424"),
        ("smtp/existingSecret", "Secret", "_pod.tpl:1445"),
        ("ldap/existingSecret", "Secret", "_pod.tpl:1604"),
        ("imageRenderer/existingSecret", "Secret", "_pod.tpl:1469"),
        ("envFromSecret", "Secret", "_pod.tpl:1502"),
        ("downloadDashboards/envFromSecret", "Secret", "_pod.tpl:101"),
        ("extraConfigmapMounts/configMap", "ConfigMap", "_pod.tpl:1577"),
    ),
    *_of(
        "loki",
        "grafana-community/helm-charts loki 18.11.0 templates",
        ("gateway/basicAuth/existingSecret", "Secret", "gateway/_helpers.tpl:28"),
    ),
    # Gateways and deployers
    *(
        ChartValue(
            ("traefik",),
            "volumes",
            kind,
            f"traefik/traefik-helm-chart traefik 41.3.0 templates/_podtemplate.tpl:{line}",
            beside=("type", said),
        )
        for kind, said, line in (("Secret", "secret", 1051), ("ConfigMap", "configMap", 1054))
    ),
    *_of(
        "argo-cd",
        "argoproj/argo-helm argo-cd 10.1.1 templates",
        ("externalRedis/existingSecret", "Secret", "_helpers.tpl:307"),
    ),
    # Applications and storage
    *_of(
        "velero",
        "vmware-tanzu/helm-charts velero 12.1.0 templates",
        ("credentials/existingSecret", "Secret", "_helpers.tpl:50"),
        ("credentials/extraSecretRef", "Secret", "deployment.yaml:232"),
    ),
    *_of(
        "harbor",
        "goharbor/harbor-helm 1.4.0-dev templates",
        ("existingSecretAdminPassword", "Secret", "core/core-dpl.yaml:125"),
        ("existingSecretSecretKey", "Secret", "core/core-dpl.yaml:209"),
        ("core/existingSecret", "Secret", "core/core-dpl.yaml:110"),
        ("core/existingXsrfSecret", "Secret", "core/core-dpl.yaml:156"),
        ("database/external/existingSecret", "Secret", "core/core-dpl.yaml:142"),
        ("jobservice/existingSecret", "Secret", "jobservice/jobservice-dpl.yaml:109"),
        ("registry/existingSecret", "Secret", "registry/registry-dpl.yaml:117"),
        ("registry/credentials/existingSecret", "Secret", "registry/registry-dpl.yaml:365"),
        *(
            (f"persistence/imageChartStorage/{store}/existingSecret", "Secret", f"registry/registry-dpl.yaml:{line}")
            for store, line in (("s3", 110), ("azure", 142), ("swift", 149), ("oss", 168))
        ),
    ),
    *_of(
        "gitea",
        "gitea.com/gitea/helm-gitea as of 2025-12-09 templates",
        ("gitea/admin/existingSecret", "Secret", "gitea/deployment.yaml:248"),
        ("gitea/ldap/existingSecret", "Secret", "gitea/deployment.yaml:213"),
        ("gitea/oauth/existingSecret", "Secret", "gitea/deployment.yaml:234"),
        ("signing/existingSecret", "Secret", "_helpers.tpl:426"),
    ),
    *_of(
        "minio",
        "minio/minio helm/minio 5.4.0 templates",
        ("existingSecret", "Secret", "_helpers.tpl:100"),
        ("extraSecret", "Secret", "statefulset.yaml:223"),
        ("users/existingSecret", "Secret", "post-job.yaml:59"),
        ("svcaccts/existingSecret", "Secret", "post-job.yaml:68"),
    ),
)

SUBCHARTS = (
    Subchart(("authentik", "gitea", "keycloak"), "postgresql", "postgresql"),
    Subchart(("gitea",), "postgresql-ha", "postgresql-ha"),
    Subchart(("kube-prometheus-stack",), "grafana", "grafana"),
)
