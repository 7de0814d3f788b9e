"""How an API server stores the fields of an object, and which marks people leave in it.

APPLIERS: managers of fields that kubectl applies, and what it calls those of an object from before
it did so (kubernetes/kubernetes: staging/src/k8s.io/kubectl/pkg/cmd/apply/apply.go; csaupgrade in
client-go; structured-merge-diff of the API server, `before-first-apply`). BY_HAND: managers of what
somebody has changed: commands of kubectl, which set their name as the manager (`FieldManager` in
each), Argo CD's pages, k9s, Lens, and consoles that pass on what the browser calls itself.

OPEN_MAPS: mappings with keys of their author. The API server adds none to them, where it adds
defaults to all others. QUANTITIES: mappings of quantities; QUANTITY_FIELDS: fields that are one.
The API server writes `1000m` as `1`, and `1024Mi` as `1Gi`
(apimachinery/pkg/api/resource/quantity.go, `CanonicalizeBytes`). SERVER_MARKS: labels and
annotations that it adds in the name of whoever sends the request (pkg/apis/apps/v1/conversion.go,
pkg/apis/autoscaling/annotations.go, defaults of Namespaces).

DEFAULTS: what the API server writes where nothing is written: by kind, "" for any, by the field or
list around, and by name. The default of `imagePullPolicy` is that of its image, and is no row.
STORED_WHEN_EMPTY: fields that the API server stores although they are empty, false or 0: pointers
in its types. TYPED: kinds of the API server of which DEFAULTS has every row. What else is there,
somebody has written. TWINS: fields of a pod spec of which the API server copies each into the
other: to remove one leaves both as they are (pkg/apis/core/v1/conversion.go:
`Convert_v1_PodSpec_To_core_PodSpec`). WRITTEN_BACK: kinds of other groups whose controller writes
objects back, as its types have them: without what is empty. Nobody writes defaults into them but
those in DEFAULTS. Argo Rollouts: `setRolloutRevision` in rollout/sync.go,
manifests/crds/rollout-crd.yaml.
"""

APPLIERS = ("kubectl", "kubectl-client-side-apply", "kubectl-last-applied", "before-first-apply")

BY_HAND = (
    "kubectl",
    "kubectl-annotate",
    "kubectl-edit",
    "kubectl-label",
    "kubectl-patch",
    "kubectl-rollout",
    "kubectl-scale",
    "kubectl-set",
    "argocd-server",
    "k9s",
    "node-fetch",
    "Mozilla",
)

OPEN_MAPS = (
    "annotations",
    "binaryData",
    "data",
    "labels",
    "matchLabels",
    "nodeSelector",
    "parameters",
    "stringData",
    "volumeAttributes",
)

QUANTITIES = (
    "allocatable",
    "capacity",
    "default",
    "defaultRequest",
    "hard",
    "limits",
    "max",
    "min",
    "podFixed",
    "requests",
)
QUANTITY_FIELDS = ("averageValue", "divisor", "sizeLimit", "storage")

SERVER_MARKS = (
    "autoscaling.alpha.kubernetes.io/behavior",
    "autoscaling.alpha.kubernetes.io/conditions",
    "autoscaling.alpha.kubernetes.io/current-metrics",
    "autoscaling.alpha.kubernetes.io/metrics",
    "deprecated.daemonset.template.generation",
    "kubernetes.io/metadata.name",
)

DEFAULTS = {
    # Of pod templates (kubernetes/kubernetes: pkg/apis/core/v1/defaults.go,
    # zz_generated.defaults.go)
    ("", "spec", "dnsPolicy"): "ClusterFirst",
    ("", "spec", "restartPolicy"): "Always",
    ("", "spec", "schedulerName"): "default-scheduler",
    ("", "spec", "terminationGracePeriodSeconds"): "30",
    ("", "containers", "terminationMessagePath"): "/dev/termination-log",
    ("", "containers", "terminationMessagePolicy"): "File",
    ("", "initContainers", "terminationMessagePath"): "/dev/termination-log",
    ("", "initContainers", "terminationMessagePolicy"): "File",
    ("", "ports", "protocol"): "TCP",
    ("", "livenessProbe", "failureThreshold"): "3",
    ("", "livenessProbe", "periodSeconds"): "10",
    ("", "livenessProbe", "successThreshold"): "1",
    ("", "livenessProbe", "timeoutSeconds"): "1",
    ("", "readinessProbe", "failureThreshold"): "3",
    ("", "readinessProbe", "periodSeconds"): "10",
    ("", "readinessProbe", "successThreshold"): "1",
    ("", "readinessProbe", "timeoutSeconds"): "1",
    ("", "startupProbe", "failureThreshold"): "3",
    ("", "startupProbe", "periodSeconds"): "10",
    ("", "startupProbe", "successThreshold"): "1",
    ("", "startupProbe", "timeoutSeconds"): "1",
    ("", "httpGet", "path"): "/",
    ("", "httpGet", "scheme"): "HTTP",
    ("", "fieldRef", "apiVersion"): "v1",
    ("", "configMap", "defaultMode"): "420",
    ("", "downwardAPI", "defaultMode"): "420",
    ("", "projected", "defaultMode"): "420",
    ("", "secret", "defaultMode"): "420",
    ("", "serviceAccountToken", "expirationSeconds"): "3600",
    ("", "resourceFieldRef", "divisor"): "0",
    ("", "azureDisk", "cachingMode"): "ReadWrite",
    ("", "azureDisk", "fsType"): "ext4",
    ("", "azureDisk", "kind"): "Shared",
    ("", "iscsi", "iscsiInterface"): "default",
    ("", "rbd", "keyring"): "/etc/ceph/keyring",
    ("", "rbd", "pool"): "rbd",
    ("", "rbd", "user"): "admin",
    ("", "scaleIO", "fsType"): "xfs",
    ("", "scaleIO", "storageMode"): "ThinProvisioned",
    # Of workloads (pkg/apis/apps/v1/defaults.go, pkg/apis/batch/v1/defaults.go)
    ("Deployment", "spec", "replicas"): "1",
    ("Deployment", "spec", "revisionHistoryLimit"): "10",
    ("Deployment", "spec", "progressDeadlineSeconds"): "600",
    ("Deployment", "strategy", "type"): "RollingUpdate",
    ("Deployment", "rollingUpdate", "maxSurge"): "25%",
    ("Deployment", "rollingUpdate", "maxUnavailable"): "25%",
    ("StatefulSet", "spec", "replicas"): "1",
    ("StatefulSet", "spec", "revisionHistoryLimit"): "10",
    ("StatefulSet", "spec", "podManagementPolicy"): "OrderedReady",
    ("StatefulSet", "updateStrategy", "type"): "RollingUpdate",
    ("StatefulSet", "rollingUpdate", "partition"): "0",
    ("StatefulSet", "rollingUpdate", "maxUnavailable"): "1",  # since Kubernetes 1.37
    ("StatefulSet", "persistentVolumeClaimRetentionPolicy", "whenDeleted"): "Retain",
    ("StatefulSet", "persistentVolumeClaimRetentionPolicy", "whenScaled"): "Retain",
    ("StatefulSet", "volumeClaimTemplates", "apiVersion"): "v1",
    ("StatefulSet", "volumeClaimTemplates", "kind"): "PersistentVolumeClaim",
    ("StatefulSet", "spec", "volumeMode"): "Filesystem",
    ("StatefulSet", "status", "phase"): "Pending",
    ("DaemonSet", "spec", "revisionHistoryLimit"): "10",
    ("DaemonSet", "updateStrategy", "type"): "RollingUpdate",
    ("DaemonSet", "rollingUpdate", "maxUnavailable"): "1",
    ("DaemonSet", "rollingUpdate", "maxSurge"): "0",
    ("CronJob", "spec", "concurrencyPolicy"): "Allow",
    ("CronJob", "spec", "suspend"): "false",
    ("CronJob", "spec", "successfulJobsHistoryLimit"): "3",
    ("CronJob", "spec", "failedJobsHistoryLimit"): "1",
    # In the definition of its kind
    ("Rollout", "ports", "protocol"): "TCP",
    # Of others (pkg/apis/core/v1/defaults.go, pkg/apis/autoscaling/v2/defaults.go)
    ("Service", "spec", "type"): "ClusterIP",
    ("Service", "spec", "sessionAffinity"): "None",
    ("Service", "spec", "internalTrafficPolicy"): "Cluster",
    ("HorizontalPodAutoscaler", "spec", "minReplicas"): "1",
    ("PersistentVolumeClaim", "spec", "volumeMode"): "Filesystem",
}

STORED_WHEN_EMPTY = {
    # Switches and numbers that say something else if they are not there
    "activeDeadlineSeconds",
    "allocateLoadBalancerNodePorts",
    "allowPrivilegeEscalation",
    "attachRequired",
    "automountServiceAccountToken",
    "averageUtilization",
    "backoffLimit",
    "backoffLimitPerIndex",
    "completions",
    "defaultMode",
    "enableServiceLinks",
    "failedJobsHistoryLimit",
    "fsGroup",
    "hostUsers",
    "immutable",
    "maxSurge",
    "maxUnavailable",
    "minAvailable",
    "minReplicas",
    "mode",
    "optional",
    "parallelism",
    "partition",
    "priority",
    "privileged",
    "progressDeadlineSeconds",
    "readOnlyRootFilesystem",
    "replicas",
    "revisionHistoryLimit",
    "runAsGroup",
    "runAsNonRoot",
    "runAsUser",
    "setHostnameAsFQDN",
    "shareProcessNamespace",
    "stabilizationWindowSeconds",
    "startingDeadlineSeconds",
    "storageClassName",
    "successfulJobsHistoryLimit",
    "terminationGracePeriodSeconds",
    "tolerationSeconds",
    "ttlSecondsAfterFinished",
    # Mappings, of which each is a choice
    "affinity",
    "dnsConfig",
    "emptyDir",
    "exec",
    "labelSelector",
    "lifecycle",
    "namespaceSelector",
    "nodeAffinity",
    "podAffinity",
    "podAntiAffinity",
    "podSelector",
    "seccompProfile",
    "capabilities",
    "selector",
}

TYPED = ("CronJob", "DaemonSet", "Deployment", "StatefulSet")

TWINS = ("serviceAccount", "serviceAccountName")

WRITTEN_BACK = (("argoproj.io", "Rollout"),)
