"""Where cluster-scoped kinds look for a ConfigMap or Secret, if the reference names no namespace.

A row: groups, kinds, where they look in words, the source, and options, which are those of `ScopeRow` in
`references/lookups.py`. A kind without a row may look anywhere: nothing is followed for it.

Words alone: in several namespaces, or in one that nothing in a package tells. `anywhere`: it means all objects of the
name. `fixed`: in this namespace. `images`: in that of its controller, whose image ends so. Of `says`, an option or a
variable of the controller names another one; `unset` is the one without it. `home`: the namespace of the controller in
its project's own instructions.
"""

SCOPES = (
    # Kubernetes
    (
        "rbac.authorization.k8s.io",
        "ClusterRole ClusterRoleBinding",
        "any namespace",
        "kubernetes/kubernetes: staging/src/k8s.io/api/rbac/v1/types.go (ResourceNames)",
        {"anywhere": True},
    ),
    (
        "admissionregistration.k8s.io",
        "MutatingAdmissionPolicy MutatingAdmissionPolicyBinding MutatingWebhookConfiguration ValidatingAdmissionPolicy ValidatingAdmissionPolicyBinding ValidatingWebhookConfiguration",
        "the namespace of each object that it judges",
        "kubernetes/kubernetes: staging/src/k8s.io/api/admissionregistration/v1/types.go (ParamRef.Namespace, NamedRuleWithOperations, MatchCondition); annotations of cert-manager name a namespace",
    ),
    (
        "storage.k8s.io snapshot.storage.k8s.io",
        "StorageClass VolumeAttributesClass VolumeSnapshotClass",
        "the namespace of each claim",
        "kubernetes-csi/external-provisioner: pkg/controller/controller.go (getSecretReference)",
    ),
    (
        "",
        "PersistentVolume",
        "the namespace of each claim",
        "kubernetes/kubernetes: pkg/volume/azure_file/azure_file.go (getSecretNameAndNamespace)",
    ),
    # What injects into pods, or makes them
    (
        "kyverno.io policies.kyverno.io",
        "ClusterCleanupPolicy ClusterPolicy GeneratingPolicy MutatingPolicy",
        "the namespace of each pod that it changes",
        "kyverno/kyverno: api/kyverno/v1/rule_types.go (Mutation)",
    ),
    (
        "mutations.gatekeeper.sh",
        "Assign AssignImage AssignMetadata ModifySet",
        "the namespace of each pod that it changes",
        "open-policy-agent/gatekeeper: apis/mutations/v1/assign_types.go (Parameters)",
    ),
    (
        "apps.kruise.io",
        "SidecarSet",
        "the namespace of each pod that it changes",
        "openkruise/kruise: pkg/webhook/pod/mutating/sidecarset.go",
    ),
    (
        "argoproj.io",
        "ClusterWorkflowTemplate",
        "the namespace of each Workflow",
        "argoproj/argo-workflows: docs/cluster-workflow-templates.md",
    ),
    (
        "argoproj.io",
        "ClusterAnalysisTemplate",
        "the namespace of each AnalysisRun",
        "argoproj/argo-rollouts: analysis/analysis.go",
    ),
    (
        "tekton.dev",
        "ClusterTask",
        "the namespace of each TaskRun",
        "tektoncd/pipeline: pkg/apis/pipeline/v1beta1/cluster_task_types.go",
    ),
    (
        "kro.run",
        "ResourceGraphDefinition",
        "the namespace of each instance",
        "kubernetes-sigs/kro: api/v1alpha1/resourcegraphdefinition_types.go (ExternalRefMetadata)",
    ),
    (
        "config.projectsveltos.io",
        "ClusterProfile",
        "the namespace of each cluster",
        "projectsveltos/addon-controller: api/v1beta1/spec.go (PolicyRef, ValueFrom)",
    ),
    (
        "external-secrets.io generators.external-secrets.io",
        "ClusterExternalSecret ClusterGenerator ClusterPushSecret ClusterSecretStore",
        "the namespace of each ExternalSecret",
        "external-secrets/external-secrets: runtime/esutils/resolvers/secret_ref.go",
    ),
    # What looks in the namespace of its controller
    (
        "cert-manager.io",
        "ClusterIssuer",
        "the namespace of its controller",
        "cert-manager/cert-manager: pkg/controller/helper.go (ResourceNamespace)",
        {
            "images": ("cert-manager-controller",),
            "says": "--cluster-resource-namespace",
            "unset": "kube-system",
            "home": "cert-manager",
        },
    ),
    (
        "trust.cert-manager.io trust-manager.io",
        "Bundle ClusterBundle",
        "the namespace of its controller",
        "cert-manager/trust-manager: pkg/bundle/internal/source/source.go (configMapBundle)",
        {
            "images": ("trust-manager",),
            "says": "--trust-namespace",
            "unset": "cert-manager",
            "home": "cert-manager",
        },
    ),
    (
        "keda.sh",
        "ClusterTriggerAuthentication",
        "the namespace of its controller",
        "kedacore/keda: pkg/util/env_resolver.go (GetClusterObjectNamespace)",
        {
            "images": ("kedacore/keda",),
            "says": "KEDA_CLUSTER_OBJECT_NAMESPACE",
            "home": "keda",
        },
    ),
    (
        "networking.cfargotunnel.com",
        "ClusterTunnel",
        "the namespace of its controller",
        "adyanth/cloudflare-operator: cmd/main.go (cluster-resource-namespace)",
        {
            "images": ("cloudflare-operator",),
            "says": "--cluster-resource-namespace",
            "unset": "cloudflare-operator-system",
            "home": "cloudflare-operator-system",
        },
    ),
    (
        "pkg.crossplane.io",
        "Configuration DeploymentRuntimeConfig Function ImageConfig Provider",
        "the namespace of its controller",
        "crossplane/crossplane: apis/pkg/v1/package_types.go (PackagePullSecrets)",
        {"images": ("crossplane/crossplane",), "home": "crossplane-system"},
    ),
    (
        "nvidia.com",
        "ClusterPolicy",
        "the namespace of its controller",
        "NVIDIA/gpu-operator: controllers/state_manager.go (operatorNamespace)",
        {
            "images": ("nvidia/gpu-operator", "nvidia/cloud-native/gpu-operator"),
            "home": "gpu-operator",
        },
    ),
    (
        "operator.tigera.io",
        "APIServer Installation",
        "the namespace of its controller",
        "tigera/operator: api/v1/installation_types.go (ImagePullSecrets)",
        {"images": ("tigera/operator",), "home": "tigera-operator"},
    ),
    (
        "crd.projectcalico.org projectcalico.org",
        "BGPPeer",
        "the namespace of calico/node",
        "projectcalico/calico: confd/pkg/backends/calico/secret_watcher.go",
        {"images": ("calico/node",)},
    ),
    (
        "infrastructure.cluster.x-k8s.io",
        "AWSClusterStaticIdentity VSphereClusterIdentity",
        "the namespace of its controller",
        "kubernetes-sigs/cluster-api-provider-vsphere: apis/v1beta1/vsphereclusteridentity_types.go (SecretName)",
        {"images": ("cluster-api-aws-controller", "cluster-api-vsphere-controller")},
    ),
    (
        "kueue.x-k8s.io",
        "MultiKueueCluster",
        "the namespace of its controller",
        "kubernetes-sigs/kueue: apis/kueue/v1beta1/multikueue_types.go (KubeConfig.Location)",
        {"images": ("kueue/kueue",), "home": "kueue-system"},
    ),
    (
        "piraeus.io",
        "LinstorCluster LinstorNodeConnection LinstorSatellite LinstorSatelliteConfiguration",
        "the namespace of its controller",
        "piraeusdatastore/piraeus-operator: api/v1/linstorcluster_types.go",
        {"images": ("piraeus-operator",)},
    ),
    (
        "fluentbit.fluent.io fluentd.fluent.io",
        "ClusterFilter ClusterFluentBitConfig ClusterFluentdConfig ClusterInput ClusterOutput ClusterParser",
        "the namespace of the program that it configures",
        "fluent/fluent-operator: controllers/fluentbitconfig_controller.go (NewSecretLoader)",
    ),
    (
        "config.openshift.io",
        "APIServer Authentication Build Image Ingress OAuth Proxy Scheduler",
        "namespace openshift-config",
        "openshift/api: config/v1/types_oauth.go",
        {"fixed": "openshift-config"},
    ),
)
