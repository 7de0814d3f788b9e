"""Kinds without a namespace: what such an object names may lie in any."""

CLUSTER_SCOPED = frozenset(
    {
        "APIService",
        "CSIDriver",
        "ClusterAnalysisTemplate",
        "ClusterIssuer",
        "ClusterRole",
        "ClusterRoleBinding",
        "ClusterSecretStore",
        "ClusterTriggerAuthentication",
        "ClusterWorkflowTemplate",
        "Composition",
        "CompositionRevision",
        "Configuration",
        "DeploymentRuntimeConfig",
        "Function",
        "GatewayClass",
        "ImageConfig",
        "IngressClass",
        "MutatingWebhookConfiguration",
        "Namespace",
        "Node",
        "PersistentVolume",
        "Provider",
        "ProviderConfig",
        "StorageClass",
        "ValidatingWebhookConfiguration",
        "VolumeSnapshotClass",
    }
)
