"""Kinds of Kubernetes and its extensions, where a name does not say everything of them.

Scope, plural and version come from the API reference and from each project's CRDs.

CONSUMERS: kinds at whose objects the linker always looks. The fields are those of `Kind` in
`base/kind.py`. SHORT_NAMES: what kubectl calls some of them for short. CLUSTER_SCOPED: other kinds
without a namespace. HOLDS: what keeps pods from another template. PLURALS: plurals that the rules
of English do not give, by group and kind; of any group, if that is empty. BUILT_IN: the groups of
Kubernetes' own API server. It has types for their kinds; of others it stores what is written.
HASH_LABELS: labels by controllers on what they make of a template and on its pods; a Rollout uses
the second one. AUTHORS_METADATA, SERVER_METADATA: the fields of all objects, as authors and as the
API server write them (k8s.io/apimachinery, pkg/apis/meta/v1/types.go).
"""

# Of a workload that sets none: Kubernetes and Argo Rollouts have the same default.
REVISION_HISTORY_LIMIT = 10

# `keeps`: the fields of a spec that limit what its controller keeps of earlier templates, with their
# defaults (kubernetes: SetDefaults_CronJob in pkg/apis/batch/v1/defaults.go).
CONSUMERS = (
    {
        "api_version": "v1",
        "kind": "Pod",
        "plural": "pods",
        "is_current": False,
        "is_immutable": True,
        "pod_spec": "spec",
        "expects_pods": True,
    },
    {
        "api_version": "v1",
        "kind": "ReplicationController",
        "plural": "replicationcontrollers",
        "controls_pods": True,
        "keeps_pods": True,
        "pod_spec": "spec.template.spec",
        "on_change": "new-pods",
        "expects_pods": True,
    },
    {
        "api_version": "apps/v1",
        "kind": "Deployment",
        "plural": "deployments",
        "pod_spec": "spec.template.spec",
        "history": "ReplicaSet",
        "keeps": (("revisionHistoryLimit", 10),),
        "rolled_by": ("wave", "reloader"),
        "progress": "replicas",
        "undo": "kubectl rollout undo deployment/{name} --to-revision={number}",
    },
    {
        "api_version": "apps/v1",
        "kind": "StatefulSet",
        "plural": "statefulsets",
        "controls_pods": True,
        "pod_spec": "spec.template.spec",
        "history": "ControllerRevision",
        "keeps": (("revisionHistoryLimit", 10),),
        "rolled_by": ("wave", "reloader"),
        "progress": "revisions",
        "undo": "kubectl rollout undo statefulset/{name} --to-revision={number}",
    },
    {
        "api_version": "apps/v1",
        "kind": "DaemonSet",
        "plural": "daemonsets",
        "controls_pods": True,
        "pod_spec": "spec.template.spec",
        "history": "ControllerRevision",
        "keeps": (("revisionHistoryLimit", 10),),
        "rolled_by": ("wave", "reloader"),
        "progress": "scheduled",
        "undo": "kubectl rollout undo daemonset/{name} --to-revision={number}",
    },
    {
        "api_version": "apps/v1",
        "kind": "ReplicaSet",
        "plural": "replicasets",
        "is_current": False,
        "controls_pods": True,
        "keeps_pods": True,
        "pod_spec": "spec.template.spec",
        "template_copy": "spec.template.spec",
        "on_change": "new-pods",
        "expects_pods": True,
    },
    {
        "api_version": "apps/v1",
        "kind": "ControllerRevision",
        "plural": "controllerrevisions",
        "is_current": False,
        "template_copy": "data.spec.template.spec",
        "expects_pods": True,
    },
    {
        "api_version": "batch/v1",
        "kind": "CronJob",
        "plural": "cronjobs",
        "pod_spec": "spec.jobTemplate.spec.template.spec",
        "keeps": (("successfulJobsHistoryLimit", 3), ("failedJobsHistoryLimit", 1)),
        "rolled_by": ("reloader",),
        "on_change": "next-run",
    },
    {
        "api_version": "batch/v1",
        "kind": "Job",
        "plural": "jobs",
        "is_current": False,
        "controls_pods": True,
        "is_immutable": True,
        "pod_spec": "spec.template.spec",
        "rolled_by": ("reloader",),
        "expects_pods": True,
    },
    {
        "api_version": "argoproj.io/v1alpha1",
        "kind": "Rollout",
        "plural": "rollouts",
        "pod_spec": "spec.template.spec",
        "history": "ReplicaSet",
        "keeps": (("revisionHistoryLimit", 10),),
        "rolled_by": ("reloader",),
        "progress": "hashes",
        "undo": "kubectl argo rollouts undo {name} --to-revision={number}",
        "abort": "kubectl argo rollouts abort {name}",
    },
    {
        "api_version": "argoproj.io/v1alpha1",
        "kind": "AnalysisTemplate",
        "plural": "analysistemplates",
    },
    {
        "api_version": "argoproj.io/v1alpha1",
        "kind": "AnalysisRun",
        "plural": "analysisruns",
        "is_current": False,
    },
    {
        "api_version": "argoproj.io/v1alpha1",
        "kind": "Experiment",
        "plural": "experiments",
        "is_current": False,
    },
)

# By which field a controller leaves pods as they are when the template changes: group, kind, path,
# what it says, and the effect. A number holds the pods below it (kubernetes: `Spec.Paused` in
# pkg/controller/deployment/deployment_controller.go, OnDelete and `Partition` in
# pkg/controller/statefulset/stateful_set_control.go, OnDelete in
# pkg/controller/daemon/daemon_controller.go; argo-rollouts: `Spec.Paused` in rollout/sync.go).
HOLDS = (
    ("apps", "Deployment", "spec/paused", "true", "paused"),
    ("apps", "StatefulSet", "spec/updateStrategy/type", "OnDelete", "on-delete"),
    ("apps", "StatefulSet", "spec/updateStrategy/rollingUpdate/partition", "", "partition"),
    ("apps", "DaemonSet", "spec/updateStrategy/type", "OnDelete", "on-delete"),
    ("argoproj.io", "Rollout", "spec/paused", "true", "paused"),
)

# kubernetes: `ShortNames` in pkg/registry/{core,apps,batch}/*/storage; argo-rollouts:
# manifests/crds/rollout-crd.yaml
SHORT_NAMES = {
    "ConfigMap": "cm",
    "CronJob": "cj",
    "DaemonSet": "ds",
    "Deployment": "deploy",
    "Pod": "po",
    "ReplicaSet": "rs",
    "ReplicationController": "rc",
    "Rollout": "ro",
    "StatefulSet": "sts",
}

# Kinds in which the API server lets nobody change a reference (kubernetes,
# ValidateStorageClassUpdate in pkg/apis/storage/validation/validation.go,
# ValidatePersistentVolumeUpdate in pkg/apis/core/validation/validation.go).
FIXED = (("storage.k8s.io", "StorageClass"), ("", "PersistentVolume"))

CLUSTER_SCOPED = {
    "v1": ("Namespace", "Node", "PersistentVolume"),
    "admissionregistration.k8s.io/v1": (
        "MutatingAdmissionPolicy",
        "MutatingAdmissionPolicyBinding",
        "MutatingWebhookConfiguration",
        "ValidatingAdmissionPolicy",
        "ValidatingAdmissionPolicyBinding",
        "ValidatingWebhookConfiguration",
    ),
    "apiextensions.crossplane.io/v1": (
        "CompositeResourceDefinition",
        "Composition",
        "CompositionRevision",
    ),
    "apiextensions.k8s.io/v1": ("CustomResourceDefinition",),
    "apiregistration.k8s.io/v1": ("APIService",),
    "apps.kruise.io/v1alpha1": ("NodeImage", "SidecarSet"),
    "argoproj.io/v1alpha1": ("ClusterAnalysisTemplate", "ClusterWorkflowTemplate"),
    "cert-manager.io/v1": ("ClusterIssuer",),
    "config.openshift.io/v1": (
        "APIServer",
        "Authentication",
        "Build",
        "Image",
        "Ingress",
        "OAuth",
        "Proxy",
        "Scheduler",
    ),
    "config.projectsveltos.io/v1beta1": ("ClusterProfile",),
    "crd.projectcalico.org/v1": ("BGPPeer",),
    "external-secrets.io/v1": ("ClusterExternalSecret", "ClusterPushSecret", "ClusterSecretStore"),
    "fluentbit.fluent.io/v1alpha2": (
        "ClusterFilter",
        "ClusterFluentBitConfig",
        "ClusterInput",
        "ClusterOutput",
        "ClusterParser",
    ),
    "fluentd.fluent.io/v1alpha1": (
        "ClusterFilter",
        "ClusterFluentdConfig",
        "ClusterInput",
        "ClusterOutput",
    ),
    "gateway.networking.k8s.io/v1": ("GatewayClass",),
    "gateway.networking.x-k8s.io/v1alpha1": ("XMesh",),
    "generators.external-secrets.io/v1alpha1": ("ClusterGenerator",),
    "infrastructure.cluster.x-k8s.io/v1beta1": ("VSphereClusterIdentity",),
    "infrastructure.cluster.x-k8s.io/v1beta2": ("AWSClusterStaticIdentity",),
    "keda.sh/v1alpha1": ("ClusterTriggerAuthentication",),
    "kro.run/v1alpha1": ("ResourceGraphDefinition",),
    "kueue.x-k8s.io/v1beta1": ("MultiKueueCluster",),
    "kyverno.io/v1": ("ClusterPolicy",),
    "kyverno.io/v2": ("ClusterCleanupPolicy",),
    "mutations.gatekeeper.sh/v1": ("Assign", "AssignMetadata", "ModifySet"),
    "mutations.gatekeeper.sh/v1alpha1": ("AssignImage",),
    "networking.cfargotunnel.com/v1alpha2": ("ClusterTunnel",),
    "networking.k8s.io/v1": ("IngressClass",),
    "nvidia.com/v1": ("ClusterPolicy",),
    "operator.tigera.io/v1": ("APIServer", "Installation", "TigeraStatus"),
    "ops.crossplane.io/v1alpha1": ("CronOperation", "Operation", "WatchOperation"),
    "piraeus.io/v1": (
        "LinstorCluster",
        "LinstorNodeConnection",
        "LinstorSatellite",
        "LinstorSatelliteConfiguration",
    ),
    "pkg.crossplane.io/v1": (
        "Configuration",
        "ConfigurationRevision",
        "DeploymentRuntimeConfig",
        "Function",
        "FunctionRevision",
        "ImageConfig",
        "Provider",
        "ProviderRevision",
    ),
    "policies.kyverno.io/v1": ("GeneratingPolicy", "MutatingPolicy"),
    "projectcalico.org/v3": ("BGPPeer",),
    "rbac.authorization.k8s.io/v1": ("ClusterRole", "ClusterRoleBinding"),
    "snapshot.storage.k8s.io/v1": ("VolumeSnapshotClass",),
    "storage.k8s.io/v1": ("CSIDriver", "StorageClass", "VolumeAttributesClass"),
    "tekton.dev/v1beta1": ("ClusterTask",),
    "trust-manager.io/v1alpha2": ("ClusterBundle",),
    "trust.cert-manager.io/v1alpha1": ("Bundle",),
}

PLURALS = {
    ("", "Redis"): "redis",
    ("argoproj.io", "EventBus"): "eventbus",
    ("chaos-mesh.org", "AWSChaos"): "awschaos",
    ("chaos-mesh.org", "AzureChaos"): "azurechaos",
    ("chaos-mesh.org", "BlockChaos"): "blockchaos",
    ("chaos-mesh.org", "DNSChaos"): "dnschaos",
    ("chaos-mesh.org", "GCPChaos"): "gcpchaos",
    ("chaos-mesh.org", "HTTPChaos"): "httpchaos",
    ("chaos-mesh.org", "IOChaos"): "iochaos",
    ("chaos-mesh.org", "JVMChaos"): "jvmchaos",
    ("chaos-mesh.org", "KernelChaos"): "kernelchaos",
    ("chaos-mesh.org", "NetworkChaos"): "networkchaos",
    ("chaos-mesh.org", "PhysicalMachineChaos"): "physicalmachinechaos",
    ("chaos-mesh.org", "PodChaos"): "podchaos",
    ("chaos-mesh.org", "StressChaos"): "stresschaos",
    ("chaos-mesh.org", "TimeChaos"): "timechaos",
    ("jenkins.io", "Jenkins"): "jenkins",
    ("kubedb.com", "Redis"): "redises",
    ("kubegres.reactive-tech.io", "Kubegres"): "kubegres",
    ("mongodb.com", "MongoDB"): "mongodb",
    ("mongodb.com", "MongoDBMultiCluster"): "mongodbmulticluster",
    ("mongodb.com", "MongoDBOpsManager"): "opsmanagers",
    ("mongodbcommunity.mongodb.com", "MongoDBCommunity"): "mongodbcommunity",
    ("numaflow.numaproj.io", "MonoVertex"): "monovertices",
    ("numaflow.numaproj.io", "Vertex"): "vertices",
    ("operator.victoriametrics.com", "VLogs"): "vlogs",
}

AUTHORS_METADATA = (
    "annotations",
    "finalizers",
    "generateName",
    "labels",
    "name",
    "namespace",
    "ownerReferences",
)
HASH_LABELS = ("pod-template-hash", "rollouts-pod-template-hash", "controller-revision-hash")

SERVER_METADATA = (
    "creationTimestamp",
    "deletionGracePeriodSeconds",
    "deletionTimestamp",
    "generation",
    "managedFields",
    "resourceVersion",
    "selfLink",
    "uid",
)

BUILT_IN = (
    "",
    "admissionregistration.k8s.io",
    "apiextensions.k8s.io",
    "apiregistration.k8s.io",
    "apps",
    "authentication.k8s.io",
    "authorization.k8s.io",
    "autoscaling",
    "batch",
    "certificates.k8s.io",
    "coordination.k8s.io",
    "discovery.k8s.io",
    "events.k8s.io",
    "extensions",
    "flowcontrol.apiserver.k8s.io",
    "internal.apiserver.k8s.io",
    "networking.k8s.io",
    "node.k8s.io",
    "policy",
    "rbac.authorization.k8s.io",
    "resource.k8s.io",
    "scheduling.k8s.io",
    "storage.k8s.io",
    "storagemigration.k8s.io",
)
